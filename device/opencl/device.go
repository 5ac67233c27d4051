package opencl

import (
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"gpuperf/device"
	"gpuperf/device/dl"
	"gpuperf/device/nvml"
	"gpuperf/device/runner"
	"gpuperf/samples"
)

// driver is an open OpenCL device with a profiling queue.
type driver struct {
	platform
	id      object
	context object
	queue   object
	nvidia  bool        // whether the compiler is NVIDIA's
	keeps   bool        // the context is for the next one that opens the device, too
	state   *nvml.State // nil where nothing tells the clocks
}

var _ runner.Driver = (*driver)(nil)

func openDevice(p platform, id object, info device.Info) (*driver, error) {
	const queueProfiling = 1 << 1 // CL_QUEUE_PROFILING_ENABLE
	d := &driver{platform: p, id: id, nvidia: strings.HasPrefix(p.name, "NVIDIA"), keeps: info.Type == "cpu"}
	var err error
	if d.context, err = p.contextOf(id, d.keeps); err != nil {
		return nil, err
	}
	d.queue, err = p.create(createCommandQueue, uintptr(d.context), uintptr(id), queueProfiling)
	if err != nil {
		d.Close()
		return nil, err
	}
	if strings.Contains(info.Vendor, "NVIDIA") {
		d.state = nvml.Open(dl.OpenFirst, info.UUID, info.PCI)
	}
	return d, nil
}

// kept are the contexts of CPUs, by device. Each new one of PoCL reads the library of OpenCL's functions again, which takes longer than to compile a kernel. One
// of a GPU holds memory of the device, and may be spoilt by a kernel.
var kept = struct {
	sync.Mutex
	of map[object]object
}{of: map[object]object{}}

// contextOf makes a context of the device, or takes the one that is kept.
func (p platform) contextOf(id object, keep bool) (context object, err error) {
	const contextPlatform = 0x1084 // CL_CONTEXT_PLATFORM
	kept.Lock()
	defer kept.Unlock()
	if context = kept.of[id]; context != 0 {
		return context, nil
	}
	properties := []uintptr{contextPlatform, uintptr(p.id), 0}
	ids := []object{id}
	context, err = p.create(createContext, uintptr(unsafe.Pointer(&properties[0])), 1, uintptr(unsafe.Pointer(&ids[0])), 0, 0)
	if keep && err == nil {
		kept.of[id] = context
	}
	return context, err
}

// Close releases the queue, and a context that is not kept.
func (d *driver) Close() {
	d.state.Close()
	d.state = nil
	d.release(releaseCommandQueue, d.queue)
	if !d.keeps {
		d.release(releaseContext, d.context)
	}
	d.queue, d.context = 0, 0
}

// Energy asks NVIDIA's management library.
func (d *driver) Energy() (joules float64, ok bool) { return d.state.Energy() }

// Clocks asks NVIDIA's management library.
func (d *driver) Clocks() *samples.Clocks { return d.state.Clocks() }

// Profile does nothing: OpenCL has no such call.
func (d *driver) Profile(bool) error { return nil }

// Prelude is empty: the language is OpenCL C.
func (d *driver) Prelude() string { return "" }

// Alloc makes a buffer.
func (d *driver) Alloc(bytes int64) (runner.Memory, error) {
	const readWrite = 1 << 0 // CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION
	id, err := d.create(createBuffer, uintptr(d.context), readWrite, uintptr(bytes), 0)
	return runner.Memory(id), err
}

// Free releases a buffer.
func (d *driver) Free(m runner.Memory) { d.release(releaseMemObject, object(m)) }

// Part makes a sub-buffer.
func (d *driver) Part(m runner.Memory, at, bytes int64) (runner.Memory, error) {
	const readWrite, region = 1 << 0, 0x1220 // CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION
	place := &[2]uintptr{uintptr(at), uintptr(bytes)}
	id, err := d.create(createSubBuffer, uintptr(m), readWrite, region, uintptr(unsafe.Pointer(place)))
	return runner.Memory(id), err
}

// FreePart releases a sub-buffer.
func (d *driver) FreePart(m runner.Memory) { d.Free(m) }

func (d *driver) Write(m runner.Memory, at int64, data []byte) error {
	return d.transfer(enqueueWriteBuffer, m, at, data)
}

func (d *driver) Read(m runner.Memory, at int64, data []byte) error {
	return d.transfer(enqueueReadBuffer, m, at, data)
}

// transfer reads or writes the bytes of a buffer from an offset on, and waits until that is done.
func (d *driver) transfer(f function, m runner.Memory, at int64, data []byte) error {
	return d.call(f, uintptr(d.queue), uintptr(m), 1, uintptr(at), uintptr(len(data)), uintptr(unsafe.Pointer(&data[0])), 0, 0, 0)
}

// Copy copies bytes from one buffer to another, in the queue.
func (d *driver) Copy(to, from runner.Memory, bytes int64) error {
	return d.call(enqueueCopyBuffer, uintptr(d.queue), uintptr(from), uintptr(to), 0, 0, uintptr(bytes), 0, 0, 0)
}

// Finish waits for the queue.
func (d *driver) Finish() error { return d.call(finish, uintptr(d.queue)) }

// Hold does nothing: the queue begins with what is enqueued when it likes.
func (d *driver) Hold() (free func()) { return func() {} }

// Graph has none: command buffers are an extension that few platforms have.
func (d *driver) Graph(func() error) (runner.Graph, error) { return nil, nil }

// cString returns a pinned, terminated copy of a text.
func cString(pin *runtime.Pinner, s string) *byte {
	b := append([]byte(s), 0)
	pin.Pin(&b[0])
	return &b[0]
}
