package memory

import "gpuperf/internal/lists"

// interval is a range of bytes, hi excluded.
type interval struct{ lo, hi int64 }

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

func lengthOf(in []interval) (sum float64) {
	return lists.Sum(in, func(x interval) float64 { return float64(x.hi - x.lo) })
}
