package device

import (
	"errors"
	"fmt"
	"slices"
)

// Backends are several interfaces as one. A device that two of them reach is listed once for each, one after the other, the interface that
// stands first in Backends before.
type Backends []Backend

// Devices lists the devices of all interfaces. It is an error only if no interface has one: then it is that of all.
func (b Backends) Devices() ([]Info, error) {
	all, _, err := b.list(Backend.Devices)
	return all, err
}

// Describe is Devices with all that the interfaces can tell.
func (b Backends) Describe() ([]Info, error) {
	all, _, err := b.list(Describe)
	return all, err
}

// place is where a device is opened.
type place struct {
	backend Backend
	index   int
}

func (b Backends) list(devices func(Backend) ([]Info, error)) (all []Info, places []place, err error) {
	var failures []error
	for _, one := range b {
		found, err := devices(one)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		for i, d := range found {
			at := slices.IndexFunc(all, func(o Info) bool { return o.sameHardware(d) })
			if at < 0 {
				at = len(all) - 1
			}
			for at+1 < len(all) && all[at+1].sameHardware(d) {
				at++
			}
			all, places = slices.Insert(all, at+1, d), slices.Insert(places, at+1, place{one, i})
		}
	}
	if len(all) == 0 {
		return nil, nil, errors.Join(failures...)
	}
	return all, places, nil
}

// sameHardware reports whether two devices are one, whatever the interface: by UUID, or else by PCI address.
func (i Info) sameHardware(o Info) bool {
	if i.UUID != "" && o.UUID != "" {
		return i.UUID == o.UUID
	}
	return i.PCI != "" && i.PCI == o.PCI
}

// Open opens the device at an index of Devices.
func (b Backends) Open(index int) (Device, error) {
	_, places, err := b.list(Backend.Devices)
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= len(places) {
		return nil, fmt.Errorf("there is no device %d, but %d devices", index, len(places))
	}
	return places[index].backend.Open(places[index].index)
}

// Hardware groups the indices of devices that are one, in order.
func Hardware(all []Info) [][]int {
	var groups [][]int
	for i, d := range all {
		if n := len(groups) - 1; n >= 0 && all[groups[n][0]].sameHardware(d) {
			groups[n] = append(groups[n], i)
			continue
		}
		groups = append(groups, []int{i})
	}
	return groups
}
