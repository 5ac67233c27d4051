package runner

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gpuperf/device"
	"gpuperf/internal/throw"
	"gpuperf/samples"
)

// bound is the launches of a job, with the arguments of their kernels set.
type bound struct {
	dev      *Device
	program  program
	kernels  *kernels
	launches []launch
	buffers  map[string]buffer
	updated  []buffer // those to be restored before each run
	begin    []buffer // those to be restored before the first run alone
	all      []buffer // to free: all but the pool's
	pooled   bool     // buffers are the pool's
	want     *expected
	whole    bool          // the launches are timed as one
	graph    Graph         // of the launches; nil launches them one by one
	limit    time.Duration // of the launches of a run, as the device counts it; 0 is none
	done     func()        // ends the turn
}

type buffer struct {
	id     Memory
	master Memory // unchanged copy of the data, of a buffer that is read and written
	size   int64
	guard  *guard // around the buffer; nil is none
}

// bind makes the job's buffers, fills them, and sets the arguments of the kernels. It owns the kernels from then on.
func (d *Device) bind(job device.Job, p Program, k *kernels) (*bound, error) {
	b := &bound{dev: d, buffers: map[string]buffer{}, kernels: k, pooled: job.Reuse, whole: job.Whole && len(job.Then) > 0}
	for _, a := range job.Buffers() {
		if err := b.memory(p, a); err != nil {
			b.release()
			return nil, fmt.Errorf("%s: %w", a.Name, err)
		}
	}
	if err := b.settings(job.Launches(), k.ofLaunch); err != nil {
		b.release()
		return nil, err
	}
	return b, nil
}

// value is what is passed for an argument by value.
func (b *bound) value(a device.Arg) ([]byte, error) {
	switch a.Kind {
	case device.Raw:
		return a.Bits, nil
	case device.Buffer:
		address, err := b.dev.Address(b.buffers[a.Name].id)
		return binary.LittleEndian.AppendUint64(nil, address+uint64(a.At)), err
	case device.Struct:
		out := make([]byte, a.Count)
		for _, f := range a.Fields {
			v, err := b.value(f.Arg)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.Arg.Name, err)
			}
			copy(out[f.Offset:], v)
		}
		return out, nil
	}
	return a.ScalarBytes()
}

// memory makes a buffer of the job, or finds a variable of its program.
func (b *bound) memory(p Program, a device.Arg) (err error) {
	if a.Memory == device.Host {
		return device.Errorf(samples.Refused, "its memory is that of the host, and buffers are made in the device's own")
	}
	if a.Kind == device.Variable {
		b.buffers[a.Name], err = b.variable(p, a)
	} else {
		b.buffers[a.Name], err = b.buffer(a)
	}
	return err
}

// variable finds a variable, which starts with the data of the argument.
func (b *bound) variable(p Program, a device.Arg) (buf buffer, err error) {
	if buf.id, buf.size, err = b.dev.Variable(p, a.Name); err != nil {
		return buf, err
	}
	if buf.size != a.Bytes() {
		return buf, device.Errorf(samples.Refused, "the variable %s has %d bytes, and is given %d", a.Name, buf.size, a.Bytes())
	}
	if buf.master, err = b.master(a); err == nil {
		b.restored(buf, a)
	}
	return buf, err
}

// restored notes when a buffer is restored: before each run, or before the first alone.
func (b *bound) restored(buf buffer, a device.Arg) {
	if a.Read {
		b.updated = append(b.updated, buf)
	} else {
		b.begin = append(b.begin, buf)
	}
}

// buffer makes the buffer of an argument, or takes it from the pool.
func (b *bound) buffer(a device.Arg) (buf buffer, err error) {
	if b.pooled {
		buf, err = b.dev.pool.buffer(b.dev, a)
	} else {
		buf, err = b.dev.filled(a)
		b.all = append(b.all, buf)
		if err == nil && a.Read && a.Write {
			buf.master, err = b.master(a)
		}
	}
	if err == nil && buf.master != 0 {
		b.restored(buf, a)
	}
	return buf, err
}

// master makes the unchanged copy of a buffer of the job's own.
func (b *bound) master(a device.Arg) (Memory, error) {
	id, err := b.dev.Alloc(a.Bytes())
	if err != nil {
		return 0, err
	}
	b.all = append(b.all, buffer{id: id})
	return id, b.dev.fill(id, a)
}

// filled makes a guarded buffer with the data of an argument. The buffer is returned with an error, too, if there is one.
func (d *Device) filled(a device.Arg) (buffer, error) {
	b, err := d.guarded(a.Bytes())
	if err != nil {
		return b, err
	}
	return b, d.fill(b.id, a)
}

// alike is how many bytes of a buffer whose elements are all the same come from the host. The device copies the rest.
const alike = 1 << 20

// repeat fills a buffer whose elements are all the same, and whose first bytes are there already. The error says that the device copies no parts.
func (d *Device) repeat(id Memory, size int64) error {
	for at := int64(alike); at < size; at *= 2 {
		part, err := d.Part(id, at, min(at, size-at))
		if err != nil {
			return err
		}
		err = d.Copy(part, id, min(at, size-at))
		d.FreePart(part)
		if err != nil {
			return err
		}
	}
	return nil
}

// fill fills a buffer with its seeded data, a piece at a time, so that the host needs no second copy of it.
func (d *Device) fill(id Memory, a device.Arg) (err error) {
	defer throw.Catch(&err)
	const piece = 32 << 20 // bytes: large enough for the rate of the bus, small beside the memory of the host
	if s := a.Sequence; s != nil && s.Mul == 0 && s.Terms == nil && a.File == nil && a.Formula == nil && a.Bytes() > alike {
		host := make([]byte, alike)
		a.Fill(host, 0)
		throw.If(d.Write(id, 0, host))
		if d.repeat(id, a.Bytes()) == nil {
			return nil
		}
	}
	size := device.DTypeSize(a.DType)
	host := make([]byte, min(piece, a.Bytes()))
	for at := int64(0); at < a.Bytes(); at += piece {
		part := host[:min(piece, a.Bytes()-at)]
		throw.If(a.Load(part, at/size))
		throw.If(d.Write(id, at, part))
	}
	return nil
}

// read returns the contents of a buffer.
func (b *bound) read(name string) ([]byte, error) {
	out, err := b.dev.contents(b.buffers[name])
	if err != nil {
		err = fmt.Errorf("buffer %s: %w", name, err)
	}
	return out, err
}

func (d *Device) contents(b buffer) ([]byte, error) {
	if b.size > math.MaxInt {
		return nil, errors.New("too large for this machine")
	}
	out := make([]byte, b.size)
	return out, d.Read(b.id, 0, out)
}

// kept returns what the job asks for of a buffer.
func (b *bound) kept(job device.Job, name string) (out []byte, err error) {
	parts := job.Parts[name]
	if len(parts) == 0 {
		return b.read(name)
	}
	buffers := job.Buffers()
	at := slices.IndexFunc(buffers, func(a device.Arg) bool { return a.Name == name })
	size := device.DTypeSize(buffers[at].DType)
	for _, r := range parts {
		piece := make([]byte, r.Count*size)
		if err := b.dev.Read(b.buffers[name].id, r.First*size, piece); err != nil {
			return nil, err
		}
		out = append(out, piece...)
	}
	return out, nil
}

// restore gives the buffers that the kernel updates their first contents again.
func (b *bound) restore() error {
	for _, buf := range slices.Concat(b.begin, b.updated) {
		if err := b.dev.Copy(buf.id, buf.master, buf.size); err != nil {
			return err
		}
	}
	b.begin = nil
	return nil
}

func (b *bound) release() {
	for _, buf := range b.all {
		b.dev.free(buf)
	}
	if b.graph != nil {
		b.graph.Release()
	}
	b.kernels.release()
	if b.done != nil {
		b.done()
	}
	b.graph, b.all, b.launches, b.kernels, b.done = nil, nil, nil, &kernels{}, nil
}
