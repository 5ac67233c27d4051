package emulate

import (
	"maps"
	"slices"

	"gpuperf/device"
	"gpuperf/emulate/timing"
	"gpuperf/internal/lists"
	"gpuperf/memory"
)

// pointed is an array of the launch: a buffer, or a part of one that begins where a pointer of the launch goes and ends where the next one does. Allocators put several arrays
// into a buffer, as that of PyTorch does.
type pointed struct {
	buffer   string
	from, to int64 // bytes of the buffer
	copied   bool
}

// apartBytes is how far pointers are apart at least that go to different arrays: those that are nearer go to neighbours in one.
const apartBytes = 16 << 10

// split are the arrays of a job, in the order of its buffers.
func split(job *device.Job) (all []pointed) {
	for _, a := range job.Buffers() {
		if a.Bytes() == 0 {
			continue
		}
		var starts []int64
		for b := range job.Pointers() {
			if b.Name == a.Name && b.At < a.Bytes() {
				starts = append(starts, b.At)
			}
		}
		slices.Sort(starts)
		all = append(all, pointed{buffer: a.Name, to: a.Bytes(), copied: a.Read && a.Write})
		for _, at := range starts {
			if last := &all[len(all)-1]; at >= last.from+apartBytes {
				last.to = at
				all = append(all, pointed{buffer: a.Name, from: at, to: a.Bytes(), copied: last.copied})
			}
		}
	}
	return all
}

// placing says which buffer an address lies in, and how many bytes behind its start; "" for none.
type placing func(address uint64) (name string, offset uint64)

// array is the number of that which an address lies in, and how many bytes behind its start; -1 for none.
func (f placing) array(all []pointed, address int64) (i int, offset int64) {
	name, at := f(uint64(address))
	if i = slices.IndexFunc(all, func(p pointed) bool { return p.buffer == name && int64(at) >= p.from && int64(at) < p.to }); i >= 0 {
		offset = int64(at) - all[i].from
	}
	return i, offset
}

// unparted makes one array of the parts of a buffer that an instruction accesses, of which is known from where to where it goes.
func unparted(all []pointed, accesses []span, f placing) (out []pointed) {
	inside := make([]bool, len(all)) // what the one before is
	for _, s := range accesses {
		first, _ := f.array(all, s.from)
		last, _ := f.array(all, s.to-1)
		for i := first + 1; first >= 0 && i <= last; i++ {
			inside[i] = all[i].buffer == all[i-1].buffer || inside[i]
		}
	}
	for i, p := range all {
		if inside[i] {
			out[len(out)-1].to = p.to
		} else {
			out = append(out, p)
		}
	}
	return out
}

// pointed finds the arrays of the launch.
func (e *emulation) pointed() []pointed {
	all := split(&e.Job)
	if !slices.ContainsFunc(all, func(p pointed) bool { return p.from > 0 }) {
		return all
	}
	by := map[int32]span{} // of each instruction, in all blocks
	for _, b := range e.executed {
		for _, w := range b.Warps {
			reach(w.Nodes, nil, func(ev *timing.Event, from, to int64) {
				if ev.Touch.Space == timing.GlobalSpace {
					s := by[ev.Op]
					s.join(span{from: from, to: to, n: 1})
					by[ev.Op] = s
				}
			})
		}
	}
	return unparted(all, slices.Collect(maps.Values(by)), e.launch.Memory.Find)
}

// arrays are those of package memory; of a launch that nothing is restored before none is copied.
func arrays(all []pointed, unrestored bool) (out []memory.Array) {
	return lists.Map(all, func(p pointed) memory.Array {
		return memory.Array{Name: p.buffer, Bytes: p.to - p.from, Copied: p.copied && !unrestored}
	})
}
