package device

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gpuperf/samples"
)

// SelectError is a query that names no device, or several.
type SelectError string

func (e SelectError) Error() string { return string(e) }

// Select returns the index of the device that a query names in a list of all devices. The first rule that matches any
// device decides, and is an error when it matches several:
//
//	""        the first GPU, else the first accelerator, else the first device: a CPU only when there is nothing else
//	"2"       the index in the list; a number is nothing else
//	"0:1"     device 1 of platform 0
//	"gpu"     the type: gpu, cpu, accelerator
//	text      the device's whole name, then a part of it, then of its UUID, of the platform's name, of the vendor's
//
// Text is compared without regard to case. "cuda:" or "opencl:" before a query takes the devices of that interface alone; of a device that
// has several interfaces the first in the list is meant. Every error lists the devices.
func Select(all []Info, query string) (int, error) {
	query = strings.TrimSpace(query)
	if len(all) == 0 {
		return 0, fmt.Errorf("no device was found")
	}
	for _, i := range samples.Interfaces {
		if rest, ok := strings.CutPrefix(query, i.String()+":"); ok {
			return selectOf(all, i, rest)
		}
	}
	which := make([]int, len(all))
	for i := range which {
		which[i] = i
	}
	return selectAmong(all, which, query)
}

// selectAmong selects among the devices at some indices. A number that is the index of none of them counts among them.
func selectAmong(all []Info, which []int, query string) (int, error) {
	if query == "" {
		for _, typ := range []string{"gpu", "accelerator"} {
			if i := slices.IndexFunc(which, func(i int) bool { return all[i].Type == typ }); i >= 0 {
				return which[i], nil
			}
		}
		return which[0], nil
	}
	if index, err := strconv.Atoi(query); err == nil {
		switch {
		case slices.Contains(which, index):
			return index, nil
		case index < 0 || index >= len(which):
			return 0, SelectError(fmt.Sprintf("a number is the index of a device, and there is no device %s; there are:\n%s", query, list(all, which)))
		}
		return which[index], nil
	}
	for _, rule := range rules {
		hits := slices.DeleteFunc(slices.Clone(which), func(i int) bool { return !rule(all[i], strings.ToLower(query)) })
		switch {
		case len(hits) > 0 && all[hits[0]].sameHardware(all[hits[len(hits)-1]]), len(hits) == 1:
			return hits[0], nil
		case len(hits) > 1:
			return 0, SelectError(fmt.Sprintf("%q names %d devices; choose one by its index:\n%s", query, len(hits), list(all, hits)))
		}
	}
	return 0, SelectError(fmt.Sprintf("no device is named %q; there are:\n%s", query, list(all, which)))
}

// needs says what an interface needs on a machine.
var needs = map[samples.Interface]string{
	samples.CUDA:   "NVIDIA's driver (libcuda.so.1)",
	samples.OpenCL: "a driver of the device's vendor for OpenCL",
}

// selectOf selects among the devices of an interface.
func selectOf(all []Info, i samples.Interface, query string) (int, error) {
	var which []int
	for index, d := range all {
		if d.Interface == i {
			which = append(which, index)
		}
	}
	if len(which) == 0 {
		return 0, SelectError(fmt.Sprintf("no device has the interface %s, which needs %s; there are:\n%s", i, needs[i], list(all, nil)))
	}
	return selectAmong(all, which, query)
}

var rules = []func(d Info, query string) bool{
	func(d Info, q string) bool { return q == fmt.Sprintf("%d:%d", d.PlatformIndex, d.DeviceIndex) },
	func(d Info, q string) bool { return q == d.Type },
	func(d Info, q string) bool { return q == strings.ToLower(d.Name) },
	func(d Info, q string) bool { return strings.Contains(strings.ToLower(d.Name), q) },
	func(d Info, q string) bool {
		return len(q) >= 4 && strings.HasPrefix(strings.ToLower(d.UUID), q)
	},
	func(d Info, q string) bool { return strings.Contains(strings.ToLower(d.Platform), q) },
	func(d Info, q string) bool { return strings.Contains(strings.ToLower(d.Vendor), q) },
}

// list lists the devices at those indices, or all of them.
func list(all []Info, which []int) string {
	var lines []string
	for i, d := range all {
		if which == nil || slices.Contains(which, i) {
			lines = append(lines, fmt.Sprintf("  %d  %s, %s, platform %s", i, d.Name, d.Type, d.Platform))
		}
	}
	return strings.Join(lines, "\n")
}
