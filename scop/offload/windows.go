package offload

import (
	"math"
	"slices"

	"gpuperf/device/machine"
	"gpuperf/internal/intmath"
	"gpuperf/internal/throw"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
	"gpuperf/scop/window"
)

// Window tells of the tiles of a wavefront that have their elements in local memory.
type Window struct {
	Reads  int      // accesses of a point; 0 for other forms
	Points int64    // in all tiles
	Extent [3]int64 // about the values of each loop of tiles
	Boxes  [4]Box
}

// Box is the part of an array that a tile has.
type Box struct {
	Bytes   int64       // of an element; 0 for none
	Stored  bool        // it goes back, too
	Factors [3][3]int64 // for each subscript, those of the loops of tiles
	Beyond  [3]int64
}

// form is that of a wavefront, or of its window where it has one.
func (w *wavefront) form(list []*scop.Statement, in *window.Window) Form {
	out := Form{Kernel: w.name, Tiled: len(w.x.Tiled)}
	if in == nil || out.Tiled > len(out.Extent) || len(in.Boxes()) > len(out.Window.Boxes) {
		return out
	}
	f := Window{Reads: in.Accesses(), Points: 1}
	for i, l := range w.x.Tiled {
		const name = "loop"
		values := throw.Get(schedule.Values(list, []schedule.Loop{l}, []string{name}))
		f.Extent[i] = w.c.extent(values, name)
	}
	for _, it := range list[0].Iterators {
		f.Points *= w.c.extent(list[0].Domain, it)
	}
	for i, g := range in.Boxes() {
		if len(g.Factors) > len(f.Boxes[i].Factors) {
			return out
		}
		b := &f.Boxes[i]
		b.Bytes, b.Stored = w.c.nest.Array(g.Array).DType.Size(), g.Stored
		for d, factors := range g.Factors {
			copy(b.Factors[d][:], factors)
			b.Beyond[d] = g.Beyond[d]
		}
	}
	out.Window = f
	return out
}

// windowSides are those of tiles in windows that are tried, by the number of loops. There is a work-item for each place along all but the last one.
var windowSides = [][][]int64{
	2: {{32, 64}, {64, 64}, {64, 128}, {128, 128}, {128, 256}, {32, 32}, {64, 32}, {256, 256}},
	3: {{32, 32, 64}, {32, 16, 64}, {32, 8, 64}, {32, 32, 32}, {32, 16, 32}, {16, 16, 64}, {16, 16, 32}, {16, 32, 64}, {8, 32, 64}, {8, 8, 32}},
}

// windows is the mapping of tiles in windows that takes least, of those whose sub-groups have places along the first loop alone, if there are such: the elements of their work-items are as far apart
// as those of neighbours, in different banks of local memory (32x16x64 takes 0.37 us for a step of seidel-2d on an H200, and 16x32x64 0.51).
func windows(f Form) (best Mapping) {
	least := math.Inf(1)
	for _, wide := range []bool{true, false} {
		for _, sides := range windowSides[f.Tiled] {
			m := Mapping{Side: slices.Clone(sides)}
			if c := f.wave(m); c < least && wide == (sides[0]%f.on().Subgroup == 0) {
				best, least = m, c
			}
		}
		if best.Side != nil {
			break
		}
	}
	return best
}

// Instructions of a step beside accesses and what is computed of them, and registers that a work-item has.
const (
	ofStep      = 12
	ofWindow    = 48
	addsOfReads = 1 // operations for each access
)

// wave is about what all launches take, in seconds.
func (f Form) wave(m Mapping) float64 {
	w, on := f.Window, f.on()
	launches, steps, items, points := int64(1-f.Tiled), int64(1-f.Tiled), int64(1), float64(w.Points)
	for i, side := range m.Side {
		launches += intmath.CeilDiv(w.Extent[i], side)
		steps += side
		points *= 1 + float64(side)/float64(w.Extent[i]) // tiles at the borders
		if i < f.Tiled-1 {
			items *= side
		}
	}
	tiles := points / float64(product(m.Side))
	local, bytes := f.boxes(m)
	if local > on.MostLocal || items > on.MostItems {
		return math.Inf(1)
	}
	last := m.Side[f.Tiled-1]
	active := float64(last+on.Subgroup) / float64(steps) // of the steps that a sub-group makes
	step := float64(intmath.CeilDiv(items, on.Subgroup)) * min(1, active) * float64((1+addsOfReads)*w.Reads+ofStep) / float64(on.Schedulers)
	work := machine.Work{
		Groups: int64(math.Ceil(tiles / float64(launches))), Group: machine.Group{Items: items, Local: local, Registers: ofWindow, Subgroup: on.Subgroup},
		Launches: 1, Issue: float64(steps) * step, Waits: float64(steps) * float64(addsOfReads*w.Reads), Barriers: float64(steps), Rounds: 2, Bytes: bytes,
	}
	return float64(launches) * on.Seconds(work)
}

// boxes are the bytes of local memory of a tile, and those that it loads and stores.
func (f Form) boxes(m Mapping) (local int64, bytes float64) {
	for _, b := range f.Window.Boxes {
		size, row := b.Bytes, int64(1)
		for d := range b.Factors {
			side := b.Beyond[d] + 1
			for i, s := range m.Side {
				side += magnitude(b.Factors[d][i]) * (s - 1)
			}
			if size *= side; side > 1 {
				row = side
			}
		}
		size += size / row // rows may be longer by one
		if local += size; b.Stored {
			bytes += float64(size)
		}
		bytes += float64(size)
	}
	return local, bytes
}
