package cuda

import (
	"sync/atomic"
	"unsafe"

	"gpuperf/device/runner"
)

// hold is a kernel that keeps the stream busy until the host lets it go. What is enqueued meanwhile then runs without gaps that the host
// makes, so that events see the device alone.
type hold struct {
	program *program
	kernel  *kernel
	flag    uintptr // in the host's memory, which the device sees too
}

// The kernel gives up after some 10 ms, in case the driver itself waits for the stream when it is asked for a launch.
const holdSource = `extern "C" __global__ void hold(const volatile unsigned int *go, unsigned int until) {
  long long begin = clock64();
  while (*go != until && clock64() - begin < 20000000) {}
}`

func newHold(d *driver) *hold {
	p, _, err := d.Compile(runner.Source{Text: holdSource})
	if err != nil {
		return nil
	}
	h := &hold{program: p.(*program)}
	const deviceMapped = 2 // CU_MEMHOSTALLOC_DEVICEMAP
	if h.flag, err = get[uintptr](&d.api, "cuMemHostAlloc", unsafe.Sizeof(uint32(0)), deviceMapped); err != nil {
		h.release(d)
		return nil
	}
	*h.word() = 0
	seen, err := get[uintptr](&d.api, "cuMemHostGetDevicePointer_v2", h.flag, 0)
	if err == nil {
		h.kernel = &kernel{driver: d}
		h.kernel.function, err = d.function(h.program, "hold")
	}
	if err != nil {
		h.release(d)
		return nil
	}
	address := make([]byte, 8)
	*(*uint64)(unsafe.Pointer(&address[0])) = uint64(seen)
	h.kernel.set(0, address)
	return h
}

func (h *hold) word() *uint32 { return *(**uint32)(unsafe.Pointer(&h.flag)) }

func (h *hold) release(d *driver) {
	if h == nil {
		return
	}
	if h.flag != 0 {
		d.do("cuMemFreeHost", h.flag)
	}
	if h.program != nil {
		d.Unload(h.program)
	}
	*h = hold{}
}

// holdBack keeps an idle stream from going on until free is called. Where that cannot be done it does nothing.
func (d *driver) holdBack() (free func()) {
	if d.busy {
		return func() {}
	}
	if d.hold == nil {
		if d.hold = newHold(d); d.hold == nil {
			d.hold = &hold{} // not to be tried again
		}
	}
	h := d.hold
	if h.kernel == nil {
		return func() {}
	}
	until := atomic.LoadUint32(h.word()) + 1
	value := make([]byte, 4)
	*(*uint32)(unsafe.Pointer(&value[0])) = until
	h.kernel.set(1, value)
	if err := h.kernel.enqueue([3]int64{1, 1, 1}, [3]int64{1, 1, 1}); err != nil {
		return func() {}
	}
	return func() { atomic.StoreUint32(h.word(), until) }
}

// Hold keeps the stream from going on for all launches until free is called.
func (d *driver) Hold() (free func()) {
	free = d.holdBack()
	d.busy = true
	return free
}
