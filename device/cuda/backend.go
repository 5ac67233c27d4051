package cuda

import (
	"fmt"

	"gpuperf/device"
	"gpuperf/device/runner"
)

// Backend is CUDA as a [device.Backend]. It looks for devices once.
type Backend struct {
	searched bool
	api      *api
	found    []found
	err      error
}

type found struct {
	device uintptr
	info   device.Info
}

// Devices lists the devices in the driver's order. Where there is none the error wraps [ErrNone].
func (b *Backend) Devices() ([]device.Info, error) {
	if !b.searched {
		b.searched = true
		b.search()
	}
	infos := make([]device.Info, len(b.found))
	for i, f := range b.found {
		infos[i] = f.info
	}
	return infos, b.err
}

func (b *Backend) search() {
	if b.api, b.err = openDriver(); b.err != nil {
		return
	}
	n, err := b.api.count()
	if err != nil || n == 0 {
		b.err = fmt.Errorf("%w by %s", ErrNone, b.api.name)
		return
	}
	compiler := "no NVRTC"
	if c, err := openCompiler(); err == nil {
		compiler = c.version()
	}
	for i := range n {
		dev, info, err := b.api.describe(i)
		if err != nil {
			b.err = fmt.Errorf("device %d: %w", i, err)
			return
		}
		info.DeviceIndex = i
		info.PlatformVersion += ", " + compiler
		b.found = append(b.found, found{dev, info})
	}
}

// Open opens the device at an index of Devices.
func (b *Backend) Open(index int) (device.Device, error) {
	if _, err := b.Devices(); err != nil {
		return nil, err
	}
	if index < 0 || index >= len(b.found) {
		return nil, fmt.Errorf("there is no CUDA device %d, but %d devices", index, len(b.found))
	}
	f := b.found[index]
	d, err := openDevice(b.api.library, f.device, f.info)
	if err != nil {
		return nil, fmt.Errorf("opening %v: %w", f.info, err)
	}
	return runner.New(d, f.info), nil
}
