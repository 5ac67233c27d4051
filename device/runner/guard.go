package runner

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"gpuperf/device"
	"gpuperf/samples"
)

// guard is memory in front of a buffer and behind it that no kernel has any business with. It is filled with a pattern; where that has
// changed after a run, a kernel has written outside of the buffer.
type guard struct {
	whole         Memory // the buffer between its guards
	front, behind int64  // bytes of the guards
	seed          uint64 // of the pattern
}

// guardBytes are those of a guard. It is a multiple of what any device asks of the place of a buffer, and large enough for kernels to see a
// buffer that is aligned as if it stood alone.
const guardBytes = 64 << 10

// guarded makes memory for a kernel with guards around it. The front one is left out where a device has no parts of buffers, and both get
// smaller where a buffer would become larger than the device allows.
func (d *Device) guarded(size int64) (buffer, error) {
	g := guard{front: guardBytes, behind: guardBytes}
	if most := d.info.MaxAlloc; most > 0 && size > most-2*guardBytes {
		g.front, g.behind = 0, max(min(guardBytes, most-size), 0)
	}
	var err error
	if g.whole, err = d.Alloc(g.front + size + g.behind); err != nil {
		return buffer{}, err
	}
	b := buffer{id: g.whole, size: size, guard: &g}
	if g.front > 0 {
		if b.id, err = d.Part(g.whole, g.front, size); err != nil {
			b.id, g.front = g.whole, 0
			g.behind += guardBytes
		}
	}
	d.guards++
	g.seed = d.guards
	if err = d.paint(b); err != nil {
		d.free(b)
		return buffer{}, err
	}
	return b, nil
}

// free gives a buffer back with its guards.
func (d *Device) free(b buffer) {
	if b.guard == nil {
		d.Free(b.id)
		return
	}
	if b.id != b.guard.whole {
		d.FreePart(b.id)
	}
	d.Free(b.guard.whole)
}

// zone is a guard of a buffer: where it lies in the whole, where its first byte is as seen from the start of the buffer, and what it holds.
type zone struct {
	at, from int64
	pattern  []byte
}

func (b buffer) zones() (all []zone) {
	g := b.guard
	if g == nil {
		return nil
	}
	if g.front > 0 {
		all = append(all, zone{0, -g.front, pattern(2*g.seed, g.front)})
	}
	if g.behind > 0 {
		all = append(all, zone{g.front + b.size, b.size, pattern(2*g.seed+1, g.behind)})
	}
	return all
}

// pattern is what a guard holds: bytes that differ from guard to guard, so that copying one guard to another is seen, and that are small finite
// numbers in every type, so that a kernel which reads beyond its buffers fares no worse than without guards.
func pattern(seed uint64, n int64) []byte {
	out := make([]byte, 0, n+8)
	x := seed * 0x9e3779b97f4a7c15 // splitmix64 (Steele, Lea, Flood 2014)
	for int64(len(out)) < n {
		x += 0x9e3779b97f4a7c15
		z := (x ^ x>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		out = binary.LittleEndian.AppendUint64(out, (z^z>>31)&0x1f1f1f1f1f1f1f1f|0x2020202020202020)
	}
	return out[:n]
}

// paint writes the patterns of a buffer's guards.
func (d *Device) paint(b buffer) error {
	for _, z := range b.zones() {
		if err := d.Write(b.guard.whole, z.at, z.pattern); err != nil {
			return err
		}
	}
	return nil
}

// outside says what launches have written outside of a job's buffers, as an error of status wrong_result; nil is nothing.
func (b *bound) outside(job device.Job) error {
	var wrong []string
	for _, a := range job.Buffers() {
		text, err := b.outsideOne(a)
		if err != nil {
			return fmt.Errorf("reading what lies around %s: %w", a.Name, err)
		}
		if text != "" {
			wrong = append(wrong, text)
		}
	}
	if len(wrong) > 0 {
		return device.Errorf(samples.WrongResult, "the kernel writes outside of its buffers: %s", strings.Join(wrong, "; "))
	}
	return nil
}

// outsideOne words the writes around a buffer, "" for none, and makes its guards whole again.
func (b *bound) outsideOne(a device.Arg) (string, error) {
	buf := b.buffers[a.Name]
	size := device.DTypeSize(a.DType)
	count, first, value := 0, int64(0), 0.0
	for _, z := range buf.zones() {
		now := make([]byte, len(z.pattern))
		if err := b.dev.Read(buf.guard.whole, z.at, now); err != nil {
			return "", err
		}
		if bytes.Equal(now, z.pattern) {
			continue
		}
		for at := int64(0); at+size <= int64(len(now)); at += size {
			if bytes.Equal(now[at:at+size], z.pattern[at:at+size]) {
				continue
			}
			if count++; count == 1 {
				first, value = (z.from+at)/size, element(a.DType, now[at:at+size])
			}
		}
	}
	if count == 0 {
		return "", nil
	}
	side := "behind"
	if first < 0 {
		side = "in front of"
	}
	more := ""
	if count > 1 {
		more = fmt.Sprintf(", the first of %d", count)
	}
	return fmt.Sprintf("%s[%d] = %v%s, %s the %d elements of %s", a.Name, first, value, more, side, a.Count, a.Name), b.dev.paint(buf)
}
