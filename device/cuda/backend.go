package cuda

import (
	"fmt"

	"gpuperf/device"
	"gpuperf/device/dl"
	"gpuperf/device/nvml"
	"gpuperf/device/runner"
	"gpuperf/internal/lists"
)

// Backend is CUDA as a [device.Backend]. It looks for devices once.
type Backend struct {
	open     dl.Opener // of libraries; nil is [dl.OpenFirst]
	searched bool
	api      *api
	compiler string // its name and version, once it was asked for
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
	return lists.Map(b.found, func(f found) device.Info { return f.info }), b.err
}

func (b *Backend) search() {
	if b.open == nil {
		b.open = dl.OpenFirst
	}
	if b.api, b.err = openDriver(b.open); b.err != nil {
		return
	}
	n, err := b.api.count()
	if err != nil || n == 0 {
		b.err = fmt.Errorf("%w by %s", ErrNone, b.api.Name)
		return
	}
	driver := nvml.Driver(b.open)
	for i := range n {
		dev, info, err := b.api.describe(i)
		if err != nil {
			b.err = fmt.Errorf("device %d: %w", i, err)
			return
		}
		info.DeviceIndex, info.Driver = i, driver
		b.found = append(b.found, found{dev, info})
	}
}

// Describe is Devices with the version of the compiler, which is loaded for that.
func (b *Backend) Describe() ([]device.Info, error) {
	infos, err := b.Devices()
	for i := range infos {
		b.describe(&infos[i])
	}
	return infos, err
}

func (b *Backend) describe(info *device.Info) {
	if b.compiler == "" {
		b.compiler = "no NVRTC"
		if c, err := openCompiler(b.open); err == nil {
			b.compiler = c.version()
		}
	}
	info.PlatformVersion += ", " + b.compiler
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
	b.describe(&f.info)
	d, err := openDevice(b.open, b.api.library, f.device, f.info)
	if err != nil {
		return nil, fmt.Errorf("opening %v: %w", f.info, err)
	}
	return runner.New(d, f.info), nil
}
