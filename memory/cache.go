package memory

// cache is a cache that some work-groups share, as the windows of an execution meet it.
type cache struct {
	*Launch
	bytes float64   // capacity
	line  int64     // bytes, by which the capacity is used
	holds direction // accesses that it keeps
	asks  direction // accesses whose misses count
	fetch int64     // bytes that a miss loads, or stores
}

// need is the capacity that a window takes.
func (c *cache) need(steps []Step, w *window) float64 {
	return c.room(steps, w, c.holds, c.line) * float64(c.line)
}

// traffic is the number of misses of a window that fits into the cache, which is empty at the start.
func (c *cache) traffic(steps []Step, w *window) float64 {
	return c.room(steps, w, c.asks, c.fetch)
}

// misses is the number of misses of the steps in a window: what is touched again is still there if all that was touched since then fits.
func (c *cache) misses(steps []Step, w *window) (sum float64) {
	if c.need(steps, w) <= c.bytes {
		return c.traffic(steps, w)
	}
	if l, ok := steps[0].(*Loop); ok && len(steps) == 1 {
		return c.missesOf(l, w)
	}
	n := straight(steps)
	if n == len(steps) {
		return c.traffic(steps, w)
	}
	var before []Step
	for len(steps) > 0 {
		n := c.fitting(steps, w)
		sum += c.misses(steps[:n], w) - c.again(before, steps[:n], w)
		before, steps = steps[:n], steps[n:]
	}
	return sum
}

// fitting is how many of the steps fit, or take place together before. It looks at twice as many until they do not fit, and then between.
func (c *cache) fitting(steps []Step, w *window) int {
	var ends []int // of steps that take place together
	for n := 0; n < len(steps); {
		n += straight(steps[n:])
		ends = append(ends, n)
	}
	fit := func(k int) bool { return c.need(steps[:ends[k]], w) <= c.bytes }
	least, most := 0, 1
	for most < len(ends) && fit(most) {
		least, most = most, 2*most
	}
	most = min(most, len(ends))
	for most-least > 1 {
		if middle := (least + most) / 2; fit(middle) {
			least = middle
		} else {
			most = middle
		}
	}
	return ends[least]
}

// straight is how many of the steps take place together: a loop, or the accesses before one, which a sub-group makes one right after the
// other.
func straight(steps []Step) int {
	n := 1
	if _, ok := steps[0].(*Access); ok {
		for n < len(steps) {
			if _, ok := steps[n].(*Access); !ok {
				break
			}
			n++
		}
	}
	return n
}

// fewTrips is for how many iterations of a loop each is looked into. It is also the step over which misses are taken to grow evenly, as
// some iterations share a sector.
const fewTrips = 32

// missesOf is the number of misses of a loop that does not fit.
func (c *cache) missesOf(l *Loop, w *window) (sum float64) {
	all, ok := l.span(w)
	if !ok {
		return 0
	}
	inner := *w
	at := func(from, n int64) *window {
		inner.trips = append(w.trips[:len(w.trips):len(w.trips)], span{from, from + n})
		return &inner
	}
	trips := all.to - all.from
	middle := func(n int64) *window { return at(all.from+(trips-n)/2, n) }
	together := min(max(l.Together, 1), trips) // what a sub-group loads together it loads once
	if one := middle(together); c.need(l.Body, one) > c.bytes {
		if trips > fewTrips || together > 1 {
			return float64(trips) / float64(together) * c.misses(l.Body, one)
		}
		for i := range trips {
			sum += c.misses(l.Body, at(all.from+i, 1))
		}
		return sum
	}
	fit := largest(trips, func(n int64) bool { return c.need(l.Body, middle(n)) <= c.bytes })
	more := min(fit+max(fit/4, fewTrips), trips)
	first := c.traffic(l.Body, middle(fit))
	slope := (c.traffic(l.Body, middle(more)) - first) / float64(more-fit)
	return first + slope*float64(trips-fit)
}

// again is how much of what steps fetch the cache still holds from the steps before, if both go through the same data in the same order.
// When a part f of the later steps is done, the cache needs room for the part 1 - f of what was touched before, and for the part f of what
// is touched now.
func (c *cache) again(before, steps []Step, w *window) float64 {
	if before == nil {
		return 0
	}
	first, then := c.need(before, w), c.need(steps, w)
	if first > c.bytes {
		return 0
	}
	f := 1.0
	if then > c.bytes {
		f = (c.bytes - first) / (then - first)
	}
	both := append(before[:len(before):len(before)], steps...)
	return f * max(c.traffic(before, w)+c.traffic(steps, w)-c.traffic(both, w), 0)
}

// largest is the largest n from 1 to most for which ok holds; it holds for 1 and not for most.
func largest(most int64, ok func(int64) bool) int64 {
	lo, hi := int64(1), most
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; ok(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// span are the iterations of a loop that the groups of a window run.
func (l *Loop) span(w *window) (s span, ok bool) {
	var boxes []span
	Each(l.Body, func(a *Access) {
		for i := range a.Parts {
			var in bool
			if _, boxes, in = place(&a.Parts[i], w, boxes[:0]); !in {
				continue
			}
			d, _ := a.Parts[i].iterations(len(w.trips), w)
			if !ok {
				s, ok = d, true
			}
			s.from, s.to = min(s.from, d.from), max(s.to, d.to)
		}
	})
	return s, ok
}

// waves are the misses of work-groups in a cache that they share, of which some run at once. groups are windows of some of them.
func (c *cache) waves(total, resident int64, groups func(int64) []weighted) float64 {
	need := func(n int64) float64 {
		return mean(groups(n), func(w *window) float64 { return c.need(c.Body, w) })
	}
	traffic := func(n int64) float64 {
		return mean(groups(n), func(w *window) float64 { return c.traffic(c.Body, w) })
	}
	switch {
	case need(total) <= c.bytes:
		return traffic(total)
	case need(resident) > c.bytes:
		n := float64(total) / float64(resident)
		return n * mean(groups(resident), func(w *window) float64 { return c.misses(c.Body, w) })
	}
	fit := largest(total, func(n int64) bool { return need(n) <= c.bytes })
	less := fit - min(max(resident, fit/4), max(fit/2, 1))
	first := traffic(fit)
	slope := max(first-traffic(less), 0) / float64(fit-less)
	return first + slope*float64(total-fit)
}
