package opencl

import (
	"fmt"

	"gpuperf/device"
	"gpuperf/device/runner"
	"gpuperf/internal/lists"
)

// Backend is OpenCL as a [device.Backend]. Its zero value searches the default places. It searches once.
type Backend struct {
	Search Search

	searched bool
	found    []found
	err      error
}

type found struct {
	platform platform
	id       object
	info     device.Info
}

// Devices lists the devices of all platforms, in the order of the platforms. Where there is no platform the error wraps
// [ErrNone] and says what to install.
func (b *Backend) Devices() ([]device.Info, error) {
	if !b.searched {
		b.searched = true
		b.found, b.err = b.Search.devices()
	}
	return lists.Map(b.found, func(f found) device.Info { return f.info }), b.err
}

// Open opens the device at an index of Devices.
func (b *Backend) Open(index int) (device.Device, error) {
	if _, err := b.Devices(); err != nil {
		return nil, err
	}
	if index < 0 || index >= len(b.found) {
		return nil, fmt.Errorf("there is no device %d, but %d devices", index, len(b.found))
	}
	f := b.found[index]
	d, err := openDevice(f.platform, f.id, f.info)
	if err != nil {
		return nil, fmt.Errorf("opening %v: %w", f.info, err)
	}
	return runner.New(d, f.info), nil
}

func (s Search) devices() ([]found, error) {
	platforms, err := s.platforms()
	if err != nil {
		return nil, err
	}
	var out []found
	for pi, p := range platforms {
		ids, idErr := p.deviceIDs()
		if idErr != nil {
			err = idErr // a platform that cannot list its devices does not hide the others
			continue
		}
		for di, id := range ids {
			info := p.describeDevice(id)
			info.PlatformIndex, info.DeviceIndex = pi, di
			out = append(out, found{p, id, info})
		}
	}
	if len(out) == 0 && err == nil {
		err = fmt.Errorf("the OpenCL platform %s has no device; %s", platforms[0].name, InstallHint)
	}
	if len(out) > 0 {
		err = nil
	}
	return out, err
}
