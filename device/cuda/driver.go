package cuda

import (
	"cmp"
	_ "embed"
	"unsafe"

	"gpuperf/device"
	"gpuperf/device/dl"
	"gpuperf/device/nvml"
	"gpuperf/device/runner"
	"gpuperf/samples"
)

// driver is an open device with a stream.
type driver struct {
	api
	open      dl.Opener
	device    uintptr
	arch      string // sm_90
	warps     int64  // that a multiprocessor holds at most
	stream    uintptr
	compiler  *compiler // opened when it is needed
	hold      *hold     // nil before the first launch
	busy      bool      // launches are in the stream, and must not be held back
	recording bool      // launches go into a graph
	state     *nvml.State
}

var _ runner.Driver = (*driver)(nil)

func openDevice(open dl.Opener, l library, dev uintptr, info device.Info) (*driver, error) {
	d := &driver{api: api{library: l}, open: open, device: dev, arch: info.Architecture}
	if info.CUDA != nil {
		d.warps = info.CUDA.WorkItemsPerUnit / info.SubgroupSize
	}
	var err error
	if d.context, err = get[uintptr](&d.api, "cuDevicePrimaryCtxRetain", dev); err != nil {
		return nil, err
	}
	const nonBlocking = 1
	if d.stream, err = get[uintptr](&d.api, "cuStreamCreate", nonBlocking); err != nil {
		d.Close()
		return nil, err
	}
	d.state = nvml.Open(open, info.UUID, info.PCI)
	return d, nil
}

// Close releases the stream and the context.
func (d *driver) Close() {
	d.state.Close()
	d.state = nil
	d.hold.release(d)
	d.hold = nil
	if d.stream != 0 {
		d.do("cuStreamDestroy_v2", d.stream)
	}
	if d.context != 0 {
		d.context = 0
		d.do("cuDevicePrimaryCtxRelease_v2", d.device)
	}
	d.stream = 0
}

// Profile starts and stops the collection of a profiler that was told to wait for it.
func (d *driver) Profile(on bool) error {
	if on {
		return d.do("cuProfilerStart")
	}
	return d.do("cuProfilerStop")
}

// Energy asks NVIDIA's management library.
func (d *driver) Energy() (joules float64, ok bool) { return d.state.Energy() }

// Clocks asks NVIDIA's management library.
func (d *driver) Clocks() *samples.Clocks { return d.state.Clocks() }

// Prelude has the parts of OpenCL C that kernels of package runner use.
func (d *driver) Prelude() string { return prelude }

//go:embed prelude.cuh
var prelude string

// Alloc makes a buffer.
func (d *driver) Alloc(bytes int64) (runner.Memory, error) {
	return get[runner.Memory](&d.api, "cuMemAlloc_v2", uintptr(bytes))
}

// Free releases a buffer.
func (d *driver) Free(m runner.Memory) {
	if m != 0 {
		d.do("cuMemFree_v2", uintptr(m))
	}
}

// Part is an address: whoever has it can go on to the rest of the buffer.
func (d *driver) Part(m runner.Memory, at, _ int64) (runner.Memory, error) {
	return m + runner.Memory(at), nil
}

// FreePart does nothing: the part is the buffer's.
func (d *driver) FreePart(runner.Memory) {}

// Write copies in the stream: a copy outside of it may reach the buffer after kernels that are launched later, as the driver returns once it
// has taken over the data (CUDA driver API, "API synchronization behavior").
func (d *driver) Write(m runner.Memory, at int64, data []byte) error {
	if err := d.Finish(); err != nil {
		return err
	}
	err := d.do("cuMemcpyHtoDAsync_v2", uintptr(m)+uintptr(at), uintptr(unsafe.Pointer(&data[0])), uintptr(len(data)), d.stream)
	return cmp.Or(err, d.Finish())
}

func (d *driver) Read(m runner.Memory, at int64, data []byte) error {
	if err := d.Finish(); err != nil {
		return err
	}
	return d.do("cuMemcpyDtoH_v2", uintptr(unsafe.Pointer(&data[0])), uintptr(m)+uintptr(at), uintptr(len(data)))
}

// Copy copies bytes from one buffer to another, in the stream.
func (d *driver) Copy(to, from runner.Memory, bytes int64) error {
	return d.do("cuMemcpyDtoDAsync_v2", uintptr(to), uintptr(from), uintptr(bytes), d.stream)
}

// Finish waits for the stream.
func (d *driver) Finish() error {
	err := d.do("cuStreamSynchronize", d.stream)
	d.busy = err != nil
	return err
}
