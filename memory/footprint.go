package memory

import (
	"math"
	"slices"

	"gpuperf/internal/intmath"
)

// direction selects accesses.
type direction uint8

const (
	loads direction = 1 << iota
	stores
)

func (a *Access) direction() direction {
	if a.Store {
		return stores
	}
	return loads
}

// overlap is the part of a run inside of a span; false if there is none.
func (r Run) overlap(s span) (span, bool) {
	first, n := r.clip(s)
	step := max(r.Step, 1)
	from := r.First + first*step
	return span{from, from + (n-1)*step + 1}, n > 0
}

// count is how many of a run a part of it has.
func (r Run) count(s span) int64 { return (s.to-s.from-1)/max(r.Step, 1) + 1 }

// clip is the part of a run inside of a span: how many, and the first, counted from that of the run.
func (r Run) clip(s span) (first, count int64) {
	step := max(r.Step, 1)
	lo := max(intmath.CeilDiv(s.from-r.First, step), 0)
	hi := min(intmath.FloorDiv(s.to-1-r.First, step), r.Count-1)
	return lo, max(hi-lo+1, 0)
}

func (r Run) whole() span { return span{r.First, r.First + max(r.Step, 1)*(r.Count-1) + 1} }

// pattern are parts of accesses to one array whose addresses move alike from group to group and iteration to iteration: by the same strides.
type pattern []placed

// placed is a part in a window.
type placed struct {
	*Part
	box    []span  // of its dimensions
	runs   float64 // executions
	listed float64 // groups of the list of a window; 1 for a box
}

// place is the part of a part that is in a window; false if there is none. Its box is appended to boxes.
func place(p *Part, w *window, boxes []span) (out placed, _ []span, ok bool) {
	out = placed{Part: p, runs: 1, listed: 1}
	if w.list != nil {
		n := w.has(p)
		if n == 0 {
			return out, boxes, false
		}
		out.runs, out.listed = float64(n), float64(n)
	}
	from := len(boxes)
	for axis, r := range p.Groups {
		box := span{0, 1}
		if w.list == nil {
			if box, ok = r.overlap(w.groups[axis]); !ok {
				return out, boxes[:from], false
			}
			out.runs *= float64(r.count(box))
		}
		boxes = append(boxes, box)
	}
	for depth, r := range p.Loops {
		box, ok := p.iterations(depth, w)
		if !ok {
			return out, boxes[:from], false
		}
		if out.runs *= float64(r.count(box)); r.Stride != 0 {
			boxes = append(boxes, box)
		}
	}
	out.box = boxes[from:len(boxes):len(boxes)]
	return out, boxes, true
}

// iterations are those of a loop around the part that are in a window; false if there are none.
func (p *Part) iterations(depth int, w *window) (span, bool) {
	r := p.Loops[depth]
	if depth < len(w.trips) {
		return r.overlap(w.trips[depth])
	}
	return r.whole(), true
}

func (p pattern) strides() []float64 { return p[0].strides }

// figure is what a pattern touches in a window. Parts that few lanes take part in, such as those at borders, are left out beside others.
func (k *memo) figure(p pattern, list [][3]int64) figure {
	in, box := k.base(p)
	var moves []stride
	for d, b := range box {
		f := p.strides()[d]
		n, bytes := b.to-b.from, int64(math.Round(f))
		if f != math.Trunc(f) { // moves once in some steps
			whole := int64(math.Ceil(1 / (f - math.Floor(f))))
			n, bytes = intmath.CeilDiv(n, whole), int64(math.Round(f*float64(whole)))
		}
		shift := int64(math.Round(f * float64(b.from)))
		for i := range in {
			in[i].lo, in[i].hi = in[i].lo+shift, in[i].hi+shift
		}
		moves = append(moves, stride{bytes, n})
	}
	times := 1.0
	if list != nil {
		at := p.offsets(list)
		if len(at)*len(in) > maxBoxes { // taken not to overlap
			times, at = float64(len(at)), at[:1]
		}
		in = at.copies(in)
	}
	f := figure{k.division.union(in, moves), times, p.shift()}
	// Parts need not be everywhere in a box of groups and iterations, as in a triangle.
	f.times *= min(p.bytes()/(times*f.bytes()), 1)
	return f
}

// places are distances of copies.
type places []int64

// copies are the intervals at each place.
func (at places) copies(in []interval) []interval {
	out := make([]interval, 0, len(at)*len(in))
	for _, shift := range at {
		for _, x := range in {
			out = append(out, interval{x.lo + shift, x.hi + shift})
		}
	}
	return merged(out)
}

// bytes are those that the parts touch, where they touch different ones.
func (p pattern) bytes() (sum float64) {
	for _, x := range p {
		one := x.touched.bytes * x.listed
		for d, b := range x.box {
			if x.strides[d] != 0 {
				one *= float64(x.dims[d].count(b))
			}
		}
		sum += one
	}
	return sum
}

// base is what the parts touch in group 0 and iteration 0, and the groups and iterations in which they do the same. Where parts run in
// different iterations, the set has all of these.
func (k *memo) base(p pattern) (_ []interval, box []span) {
	box, differ := p.bounds()
	most, intervals := 0.0, int64(0)
	for i := range p {
		x := &p[i]
		most = max(most, x.lanes())
		intervals += x.count(differ) * int64(len(x.touched.in))
	}
	apart := intervals <= maxBoxes
	if !apart {
		clear(differ)
	}
	at, in := k.shifts, k.intervals[:0]
	for i := range p {
		x := &p[i]
		if !apart && 4*x.lanes() < most {
			continue
		}
		at = x.shifts(differ, at[:0])
		for _, y := range at {
			shift := x.From + int64(math.Round(y))
			for _, y := range x.touched.in {
				in = append(in, interval{y.lo + shift, y.hi + shift})
			}
		}
	}
	k.shifts, k.intervals = at, in
	for d := range box {
		if differ[d] {
			box[d] = span{0, 1}
		}
	}
	return slices.Clone(merged(in)), box
}

// bounds are the groups and iterations of all parts, and of which loops parts have different iterations.
func (p pattern) bounds() (box []span, differ []bool) {
	box, differ = slices.Clone(p[0].box), make([]bool, len(p[0].box))
	for _, x := range p {
		for d, s := range x.box {
			differ[d] = differ[d] || d >= len(x.Groups) && s != p[0].box[d]
			box[d].from, box[d].to = min(box[d].from, s.from), max(box[d].to, s.to)
		}
	}
	return box, differ
}

// lanes are those of all executions.
func (x *placed) lanes() float64 { return x.runs * float64(len(x.Lanes)) }

// count is how many values some of the dimensions have.
func (x *placed) count(some []bool) int64 {
	n := int64(1)
	for d, s := range x.box {
		if some[d] {
			n *= s.to - s.from
		}
	}
	return n
}

// shifts appends what moves the addresses to group 0 and iteration 0, but for some of the dimensions to each of their values.
func (x *placed) shifts(some []bool, at []float64) []float64 {
	from := 0.0
	for d, r := range x.dims {
		from -= x.strides[d] * float64(r.First)
	}
	at = append(at, from)
	for d, s := range x.box {
		if !some[d] {
			continue
		}
		step, before := max(x.dims[d].Step, 1), len(at)
		for t := s.from + step; t < s.to; t += step {
			for _, y := range at[:before] {
				at = append(at, y+x.strides[d]*float64(t))
			}
		}
		for i := range at[:before] {
			at[i] += x.strides[d] * float64(s.from)
		}
	}
	return at
}

// offsets are the different distances by which listed groups move the addresses, in order.
func (p pattern) offsets(list [][3]int64) (out places) {
	for _, g := range list {
		if !slices.ContainsFunc(p, func(x placed) bool { return x.has(g) }) {
			continue
		}
		at := 0.0
		for axis, n := range g {
			at += p.strides()[axis] * float64(n)
		}
		out = append(out, int64(math.Round(at)))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// shift is by how many bytes, or a multiple of them, the pattern moves where its window does, which has some of the groups and iterations of a dimension; 0 where it
// has all.
func (p pattern) shift() (bytes int64) {
	for d, f := range p.strides() {
		part := func(x placed) bool { return x.dims[d].count(x.box[d]) < x.dims[d].Count }
		if f != 0 && f == math.Trunc(f) && slices.ContainsFunc(p, part) {
			bytes = intmath.GCD(bytes, int64(math.Abs(f)))
		}
	}
	return bytes
}

// figure is a union of sets that do not overlap, so many times: less than one where only a part of them is touched.
type figure struct {
	sets  []set
	times float64
	shift int64 // bytes by which it may lie elsewhere, or a multiple of them; 0 is nowhere else
}

// units is the number of units that the figure touches.
func (f *figure) units(unit int64) (sum float64) {
	for i := range f.sets {
		sum += f.sets[i].units(unit, unit)
	}
	return sum * f.times
}

// meanUnits are those that it touches in the mean over where it may lie.
func (f *figure) meanUnits(unit int64) (sum float64) {
	for i := range f.sets {
		sum += f.sets[i].units(unit, intmath.GCD(unit, f.shift))
	}
	return sum * f.times
}

// bytes is the number of bytes in the sets.
func (f *figure) bytes() (sum float64) {
	for i := range f.sets {
		sum += f.sets[i].bytes()
	}
	return sum
}
