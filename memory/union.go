package memory

import (
	"cmp"
	"math"
	"slices"

	"gpuperf/internal/intmath"
	"gpuperf/internal/lists"
)

// A footprint is a union of copies: some intervals of bytes, moved by every sum of multiples of strides, of which each has a count. Its size is
// found in the coordinates of the strides. An address is a multiple of the largest stride, and a multiple of the next one, and so on, and a
// rest. In these coordinates an interval with its copies is a box, and the union of boxes is divided, along one coordinate after the other, where a box
// begins or ends. That is exact as long as each stride divides the next, or copies do not reach the next multiple of it.

// maxBoxes bounds the boxes of a union. maxPieces bounds the pieces into which it is divided.
const (
	maxBoxes  = 1 << 12
	maxPieces = 1 << 10
)

// box is an interval of bytes, the rest of its addresses, and a range of multiples of each stride.
type box struct {
	interval
	at []span
}

// union is the set of intervals with copies, as disjoint sets.
func (v *division) union(in []interval, moves []stride) []set {
	in, moves = slices.Clone(in), upward(in, moves)
	for len(moves) > 0 && (long(in, moves[0].bytes) == len(in) || boxesOf(in, moves) > maxBoxes) {
		for i := range in {
			in[i].hi += moves[0].bytes * (moves[0].count - 1)
		}
		in, moves = merged(in), moves[1:]
	}
	v.moves, v.boxes, v.sets, v.spans = moves, v.boxes[:0], nil, v.spans[:0]
	for len(v.levels) < len(moves) {
		v.levels = append(v.levels, level{})
	}
	at := make([]span, len(moves))
	for _, x := range in {
		v.place(x, len(moves)-1, at)
	}
	for i := range moves {
		v.join(i)
	}
	v.divide(v.boxes, len(moves)-1, nil, 0)
	return v.sets
}

// upward orders strides, and makes one of those that continue each other. The intervals are moved to where the copies of negative strides begin.
func upward(in []interval, moves []stride) (out []stride) {
	back := int64(0)
	for _, m := range moves {
		if m.bytes < 0 {
			back += m.bytes * (m.count - 1)
			m.bytes = -m.bytes
		}
		if m.bytes != 0 && m.count > 1 {
			out = append(out, m)
		}
	}
	for i := range in {
		in[i].lo, in[i].hi = in[i].lo+back, in[i].hi+back
	}
	slices.SortFunc(out, func(a, b stride) int { return cmp.Compare(a.bytes, b.bytes) })
	list := out
	out = out[:0]
	for _, m := range list {
		if n := len(out); n > 0 && m.bytes%out[n-1].bytes == 0 && m.bytes/out[n-1].bytes <= out[n-1].count {
			out[n-1].count += m.bytes / out[n-1].bytes * (m.count - 1)
			continue
		}
		out = append(out, m)
	}
	return out
}

// long is how many intervals have at least so many bytes.
func long(in []interval, bytes int64) (n int) {
	for _, x := range in {
		if x.hi-x.lo >= bytes {
			n++
		}
	}
	return n
}

// boxesOf is about how many boxes intervals are: as many as there are multiples of the smallest stride in them.
func boxesOf(in []interval, moves []stride) (n int64) {
	return lists.Sum(in, func(x interval) int64 { return (x.hi-x.lo)/moves[0].bytes + 1 })
}

// division divides unions of boxes, one after the other.
type division struct {
	moves []stride
	boxes []box
	sets  []set
	// Memory: the spans of boxes, the intervals of the next set, and what is divided along each coordinate.
	spans  []span
	in     []interval
	levels []level
}

// level is a coordinate that is divided: where boxes begin and end, and the boxes of a part.
type level struct {
	ends []int64
	part []box
}

// box is a box at a copy of a place.
func (v *division) box(x interval, at []span) box {
	n := len(v.spans)
	v.spans = append(v.spans, at...)
	return box{x, v.spans[n:len(v.spans):len(v.spans)]}
}

// place adds the boxes of an interval of which the multiples of larger strides than the one at d are known.
func (v *division) place(x interval, d int, at []span) {
	if d < 0 {
		v.carry(v.box(x, at), 0)
		return
	}
	m := v.moves[d]
	half := m.bytes / 2
	if half > LineBytes { // so that parts share no line
		half -= half % LineBytes
	}
	for k := intmath.FloorDiv(x.lo+half, m.bytes); x.lo < x.hi; k++ {
		end := min(x.hi, k*m.bytes-half+m.bytes)
		at[d] = span{k, k + m.count}
		v.place(interval{x.lo - k*m.bytes, end - k*m.bytes}, d-1, at)
		x.lo = end
	}
}

// carry adds a box, divided where multiples of one stride from d on reach the next one.
func (v *division) carry(b box, d int) {
	for ; d+1 < len(v.moves); d++ {
		if v.moves[d+1].bytes%v.moves[d].bytes != 0 {
			continue
		}
		n, s := v.moves[d+1].bytes/v.moves[d].bytes, b.at[d]
		k := intmath.FloorDiv(s.from+n/2, n)
		if end := k*n - n/2 + n; s.to > end {
			rest := v.box(b.interval, b.at)
			rest.at[d], rest.at[d+1] = span{end - (k+1)*n, s.to - (k+1)*n}, span{b.at[d+1].from + k + 1, b.at[d+1].to + k + 1}
			v.carry(rest, d)
			s.to = end
		}
		b.at[d], b.at[d+1] = span{s.from - k*n, s.to - k*n}, span{b.at[d+1].from + k, b.at[d+1].to + k}
	}
	v.boxes = append(v.boxes, b)
}

// join makes one of boxes that differ in one coordinate alone and meet there.
func (v *division) join(d int) {
	alike := func(a, b box) int {
		c := cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.hi, b.hi))
		for i := 0; i < len(a.at) && c == 0; i++ {
			if i != d {
				c = cmp.Or(cmp.Compare(a.at[i].from, b.at[i].from), cmp.Compare(a.at[i].to, b.at[i].to))
			}
		}
		return c
	}
	slices.SortFunc(v.boxes, func(a, b box) int { return cmp.Or(alike(a, b), cmp.Compare(a.at[d].from, b.at[d].from)) })
	out := v.boxes[:0]
	for _, b := range v.boxes {
		if n := len(out); n > 0 && alike(out[n-1], b) == 0 && b.at[d].from <= out[n-1].at[d].to {
			out[n-1].at[d].to = max(out[n-1].at[d].to, b.at[d].to)
			continue
		}
		out = append(out, b)
	}
	v.boxes = out
}

// divide adds the union of boxes, which are alike in the coordinates after d: moved so far, and copied.
func (v *division) divide(boxes []box, d int, copies []stride, moved int64) {
	if d < 0 {
		v.in = v.in[:0]
		for _, b := range boxes {
			v.in = append(v.in, interval{b.lo + moved, b.hi + moved})
		}
		s := set{in: slices.Clone(merged(v.in)), copies: slices.Clone(copies)}
		slices.Reverse(s.copies)
		v.sets = append(v.sets, s)
		return
	}
	l := &v.levels[d]
	ends := l.ends[:0]
	for _, b := range boxes {
		ends = append(ends, b.at[d].from, b.at[d].to)
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	l.ends = ends
	if len(v.sets)+len(ends) > maxPieces && len(boxes) > 1 { // taken not to overlap
		for i := range boxes {
			v.divide(boxes[i:i+1], d, copies, moved)
		}
		return
	}
	for i, to := range ends[1:] {
		from := ends[i]
		part := boxes
		if len(ends) > 2 {
			part = l.part[:0]
			for _, b := range boxes {
				if b.at[d].from <= from && b.at[d].to >= to {
					part = append(part, b)
				}
			}
			l.part = part
		}
		if len(part) == 0 {
			continue
		}
		more := copies
		if to-from > 1 {
			more = append(copies[:len(copies):len(copies)], stride{v.moves[d].bytes, to - from})
		}
		v.divide(part, d-1, more, moved+from*v.moves[d].bytes)
	}
}

// set is a set of bytes: intervals, and copies of them at strides, innermost first. Copies do not overlap.
type set struct {
	in     []interval
	copies []stride
}

type stride struct{ bytes, count int64 }

// bytes is the number of bytes in the set.
func (s *set) bytes() float64 {
	n := lengthOf(s.in)
	for _, c := range s.copies {
		n *= float64(c.count)
	}
	return n
}

// units is the number of aligned units of a size that the set touches, which lies where it does, or any multiple of grain away. Copies at strides that are no multiple of
// the unit start anywhere in a unit.
func (s *set) units(size, grain int64) float64 {
	in, copies := s.in, 1.0
	for _, c := range s.copies {
		if c.bytes < size { // copies share units
			in = slices.Clone(in)
			for i := range in {
				in[i].hi += c.bytes * (c.count - 1)
			}
			in = merged(in)
			continue
		}
		copies *= float64(c.count)
		grain = intmath.GCD(grain, c.bytes)
	}
	n := 0.0
	if grain == size {
		last := int64(math.MinInt64)
		for _, x := range in {
			lo, hi := intmath.FloorDiv(x.lo, size), intmath.FloorDiv(x.hi-1, size)
			if lo == last {
				lo++
			}
			if hi >= lo {
				n += float64(hi - lo + 1)
				last = hi
			}
		}
		return n * copies
	}
	for i := 0; i < len(in); i++ {
		x := in[i]
		for i+1 < len(in) && in[i+1].lo-x.hi < size/2 { // intervals in the same units
			i++
			x.hi = in[i].hi
		}
		grains := intmath.FloorDiv(x.hi-1, grain) - intmath.FloorDiv(x.lo, grain) // between its first and its last
		n += float64(grains*grain)/float64(size) + 1
	}
	return n * copies
}
