package memory

import (
	"math"
	"slices"

	"gpuperf/internal/intmath"
)

// maxIntervals bounds the intervals that a footprint keeps apart; beyond it, copies of a set are counted and not merged.
const maxIntervals = 1 << 11

// interval is a range of bytes, hi excluded.
type interval struct{ lo, hi int64 }

// set is a set of bytes: intervals, and copies of them at strides, innermost first. Copies do not overlap.
type set struct {
	in     []interval
	copies []stride
}

type stride struct{ bytes, count int64 }

// extent is the distance from the first byte to the last.
func (s *set) extent() int64 {
	e := s.in[len(s.in)-1].hi - s.in[0].lo
	for _, c := range s.copies {
		e += c.bytes * (c.count - 1)
	}
	return e
}

// number counts the intervals with their copies.
func (s *set) number() int64 {
	n := int64(len(s.in))
	for _, c := range s.copies {
		n *= c.count
	}
	return n
}

// bytes is the number of bytes in the set.
func (s *set) bytes() float64 {
	n := lengthOf(s.in)
	for _, c := range s.copies {
		n *= float64(c.count)
	}
	return n
}

// repeat adds copies of the set at a stride of at least those before. What overlaps is merged.
func (s *set) repeat(bytes, count int64) {
	if bytes == 0 || count <= 1 {
		return
	}
	if bytes < 0 {
		for i := range s.in {
			s.in[i].lo, s.in[i].hi = s.in[i].lo+bytes*(count-1), s.in[i].hi+bytes*(count-1)
		}
		bytes = -bytes
	}
	switch {
	case len(s.copies) == 0 && s.dense(bytes):
		for i := range s.in {
			s.in[i].hi += bytes * (count - 1)
		}
		s.in = merged(s.in)
	case bytes >= s.extent():
		s.copies = append(s.copies, stride{bytes, count})
	case s.number()*count <= maxIntervals:
		s.flatten()
		one := s.in
		all := make([]interval, 0, len(one)*int(count))
		for t := range count {
			for _, x := range one {
				all = append(all, interval{x.lo + t*bytes, x.hi + t*bytes})
			}
		}
		s.in = merged(all)
	default:
		s.widen(bytes, count)
	}
}

// dense reports whether copies at a stride leave no gaps after most of the intervals.
func (s *set) dense(bytes int64) bool {
	all, long := int64(0), int64(0)
	for _, x := range s.in {
		n := x.hi - x.lo
		if all += n; n >= bytes {
			long += n
		}
	}
	return 4*long >= 3*all
}

// flatten writes the copies out.
func (s *set) flatten() {
	for _, c := range s.copies {
		one := s.in
		s.in = make([]interval, 0, len(one)*int(c.count))
		for t := range c.count {
			for _, x := range one {
				s.in = append(s.in, interval{x.lo + t*c.bytes, x.hi + t*c.bytes})
			}
		}
	}
	s.copies = nil
	s.in = merged(s.in)
}

// widen adds copies that overlap the set, which is too large to be written out, to the outermost copies that they continue. Where they
// continue none, they count as far as they do not overlap.
func (s *set) widen(bytes, count int64) {
	for i := len(s.copies) - 1; i >= 0; i-- {
		if c := &s.copies[i]; bytes%c.bytes == 0 && bytes/c.bytes <= c.count {
			c.count += bytes / c.bytes * (count - 1)
			return
		}
	}
	e := s.extent()
	more := 1 + float64(count-1)*float64(bytes)/float64(e)
	s.copies = append(s.copies, stride{e, int64(math.Ceil(more))})
}

// merged is the union of intervals, in order; the list is overwritten. Most lists are a few runs in order, such as copies of a set: these
// are joined two by two.
func merged(list []interval) []interval {
	out, bounds := list[:0], make([]int, 1, 8) // of the runs
	for _, x := range list {
		if n := len(out); n > 0 && x.lo < out[n-1].lo {
			bounds = append(bounds, n)
		}
		out = extended(out, bounds[len(bounds)-1], x)
	}
	bounds = append(bounds, len(out))
	for spare := []interval(nil); len(bounds) > 2; {
		if spare == nil {
			spare = make([]interval, 0, len(out))
		}
		to, left := spare, bounds[:1]
		for i := 0; i+1 < len(bounds); i += 2 {
			end := bounds[min(i+2, len(bounds)-1)]
			to = joined(to, out[bounds[i]:bounds[i+1]], out[bounds[i+1]:end])
			left = append(left, len(to))
		}
		out, spare, bounds = to, out[:0], left
	}
	return out
}

// joined appends the union of two runs to a list.
func joined(list, a, b []interval) []interval {
	first := len(list)
	for len(a) > 0 && len(b) > 0 {
		if b[0].lo < a[0].lo {
			a, b = b, a
		}
		list, a = extended(list, first, a[0]), a[1:]
	}
	for _, rest := range [][]interval{a, b} {
		for _, x := range rest {
			list = extended(list, first, x)
		}
	}
	return list
}

// extended adds an interval that begins no sooner than the last one to the run of a list that begins at first.
func extended(list []interval, first int, x interval) []interval {
	if n := len(list); n > first && x.lo <= list[n-1].hi {
		list[n-1].hi = max(list[n-1].hi, x.hi)
		return list
	}
	return append(list, x)
}

// units is the number of aligned units of a size that the set touches. Copies at strides that are no multiple of the unit start
// anywhere in a unit.
func (s *set) units(size int64) float64 {
	aligned := true
	copies, grain := 1.0, size
	in := s.in
	for i, c := range s.copies {
		if i == 0 && c.bytes < size { // copies share units
			in = slices.Clone(in)
			in[0].hi = in[len(in)-1].hi + c.bytes*(c.count-1)
			in = in[:1]
			continue
		}
		copies *= float64(c.count)
		if c.bytes%size != 0 {
			aligned = false
			grain = intmath.GCD(grain, c.bytes)
		}
	}
	n := 0.0
	if aligned {
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
		n += float64(x.hi-x.lo-grain)/float64(size) + 1
	}
	return n * copies
}

// spread is the number of units of copies of the set at some distances. Large sets are taken not to overlap.
func (s *set) spread(offsets []int64, unit int64) float64 {
	if s.number()*int64(len(offsets)) > maxIntervals {
		return s.units(unit) * float64(len(offsets))
	}
	one := *s
	one.flatten()
	all := make([]interval, 0, len(offsets)*len(one.in))
	for _, at := range offsets {
		for _, x := range one.in {
			all = append(all, interval{x.lo + at, x.hi + at})
		}
	}
	union := set{in: merged(all)}
	return union.units(unit)
}
