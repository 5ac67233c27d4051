package opencl

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"gpuperf/device"
)

// bound is the launches of a job, with the arguments of their kernels set.
type bound struct {
	dev     *Device
	launch           // the first
	then    []launch // the others
	buffers map[string]buffer
	updated []buffer // those to be restored before each run
	begin   []buffer // those to be restored before the first run alone
	all     []object // everything to release
	kernels []object // as well
	pooled  bool     // buffers are the pool's
	want    *expected
	whole   bool // the launches are timed as one
}

// launch is a kernel and its ND-range.
type launch struct {
	kernel object
	global []uintptr
	local  []uintptr // nil leaves the work-group to the driver
}

func newLaunch(job device.Job, kernel object) launch {
	l := launch{kernel: kernel, global: sizes(job.Global)}
	if len(job.Local) > 0 {
		l.local = sizes(job.Local)
	}
	return l
}

type buffer struct {
	id     object
	master object // unchanged copy of the data, of a buffer that is read and written
	size   int64
}

// bind makes the job's buffers, fills them, and sets the arguments of the kernels, one for each launch.
func (d *Device) bind(job device.Job, kernels ...object) (*bound, error) {
	b := &bound{dev: d, buffers: map[string]buffer{}, pooled: job.Reuse, whole: job.Whole && len(job.Then) > 0}
	shared := map[string]device.Arg{}
	for _, a := range job.Buffers() {
		shared[a.Name] = a
	}
	for n, l := range job.Launches() {
		bound := newLaunch(l, kernels[n])
		if n == 0 {
			b.launch = bound
		} else {
			b.then = append(b.then, bound)
		}
		for i, a := range l.Args {
			if a.Kind == device.Buffer && len(job.Then) > 0 {
				a = shared[a.Name]
			}
			if err := b.arg(bound.kernel, i, a, n > 0); err != nil {
				b.release()
				return nil, fmt.Errorf("argument %d (%s): %w", i, a.Name, err)
			}
		}
	}
	return b, nil
}

func (b *bound) arg(kernel object, i int, a device.Arg, later bool) error {
	set := func(size uintptr, value unsafe.Pointer) error {
		return b.dev.call(setKernelArg, uintptr(kernel), uintptr(i), size, uintptr(value))
	}
	switch a.Kind {
	case device.Local:
		return set(uintptr(a.Bytes()), nil)
	case device.Scalar:
		v, err := a.ScalarBytes()
		if err != nil {
			return err
		}
		return set(uintptr(len(v)), unsafe.Pointer(&v[0]))
	}
	if buf, ok := b.buffers[a.Name]; ok && later {
		id := &buf.id
		return set(unsafe.Sizeof(buf.id), unsafe.Pointer(id))
	}
	buf := buffer{size: a.Bytes()}
	var err error
	if b.pooled {
		if buf, err = b.dev.pool.buffer(b.dev, a); err != nil {
			return err
		}
		if buf.master != 0 {
			if a.Read {
				b.updated = append(b.updated, buf)
			} else {
				b.begin = append(b.begin, buf)
			}
		}
		b.buffers[a.Name] = buf
		return set(unsafe.Sizeof(buf.id), unsafe.Pointer(&buf.id))
	}
	if buf.id, err = b.alloc(a); err != nil {
		return err
	}
	if a.Read && a.Write {
		if buf.master, err = b.alloc(a); err != nil {
			return err
		}
		b.updated = append(b.updated, buf)
	}
	b.buffers[a.Name] = buf
	return set(unsafe.Sizeof(buf.id), unsafe.Pointer(&buf.id))
}

// alloc makes a buffer of the job's own and fills it.
func (b *bound) alloc(a device.Arg) (object, error) {
	id, err := b.dev.filled(a)
	if id != 0 {
		b.all = append(b.all, id)
	}
	return id, err
}

// room makes a buffer.
func (d *Device) room(bytes int64) (object, error) {
	const readWrite = 1 << 0
	return d.create(createBuffer, uintptr(d.context), readWrite, uintptr(bytes), 0)
}

// filled makes a buffer and fills it with its seeded data, a piece at a time, so that the host needs no second copy of it. The
// buffer is returned with an error, too, if there is one.
func (d *Device) filled(a device.Arg) (object, error) {
	const piece = 32 << 20
	id, err := d.room(a.Bytes())
	if err != nil {
		return 0, err
	}
	size := device.DTypeSize(a.DType)
	host := make([]byte, min(piece, a.Bytes()))
	for at := int64(0); at < a.Bytes(); at += piece {
		part := host[:min(piece, a.Bytes()-at)]
		fillPart(a, part, at/size)
		if err := d.call(enqueueWriteBuffer, uintptr(d.queue), uintptr(id), 1, uintptr(at), uintptr(len(part)),
			uintptr(unsafe.Pointer(&part[0])), 0, 0, 0); err != nil {
			return id, err
		}
	}
	return id, nil
}

// fillPart is Fill on all processors.
func fillPart(a device.Arg, part []byte, first int64) {
	const least = 1 << 20
	size := device.DTypeSize(a.DType)
	share := max(least, (int64(len(part))/int64(runtime.GOMAXPROCS(0))+size-1)/size*size)
	var wg sync.WaitGroup
	for at := int64(0); at < int64(len(part)); at += share {
		wg.Go(func() { a.Fill(part[at:min(at+share, int64(len(part)))], first+at/size) })
	}
	wg.Wait()
}

// read returns the contents of a buffer.
func (b *bound) read(name string) ([]byte, error) {
	buf := b.buffers[name]
	if buf.size > math.MaxInt {
		return nil, fmt.Errorf("buffer %s is too large for this machine", name)
	}
	out := make([]byte, buf.size)
	err := b.dev.call(enqueueReadBuffer, uintptr(b.dev.queue), uintptr(buf.id), 1, 0, uintptr(len(out)),
		uintptr(unsafe.Pointer(&out[0])), 0, 0, 0)
	runtime.KeepAlive(out)
	return out, err
}

// restore gives the buffers that the kernel updates their first contents again.
func (b *bound) restore() error {
	for _, buf := range slices.Concat(b.begin, b.updated) {
		if err := b.dev.copied(buf.id, buf.master, buf.size); err != nil {
			return err
		}
	}
	b.begin = nil
	return nil
}

// copied copies bytes from one buffer to another, in the queue.
func (d *Device) copied(to, from object, bytes int64) error {
	return d.call(enqueueCopyBuffer, uintptr(d.queue), uintptr(from), uintptr(to), 0, 0, uintptr(bytes), 0, 0, 0)
}

func (b *bound) release() {
	for _, id := range b.all {
		b.dev.release(releaseMemObject, id)
	}
	for _, k := range b.kernels {
		b.dev.release(releaseKernel, k)
	}
	b.all, b.kernels = nil, nil
}
