package launch

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"gpuperf/internal/intmath"
	"gpuperf/kernel/expr"
)

// loop walks a loop: once for each set of work-items that take part in the same iterations.
func (w *walk) loop(l *loop, st *state) {
	if l.average >= 0 {
		w.loopOnAverage(l, st)
		return
	}
	w.enterCentre(l)
	again := func(part *state) { w.loop(l, part) }
	lower, ok := w.greatest(l, st)
	if !ok {
		if st.why.v >= lidVars {
			w.divide(st, again)
			return
		}
		if lower, ok = w.starts(l, st); !ok {
			w.divide(st, again)
			return
		}
	}
	w.iterate(l, st, &lower)
}

// starts gives the work-items of the state a variable for where they start a loop. The box is divided where
// they differ by more than a constant.
func (w *walk) starts(l *loop, st *state) (lower form, ok bool) {
	v := 3 + l.slot - axisVars
	if v >= lidVars {
		w.merged = true
	}
	least, most := int64(0), int64(0)
	from := make([]int64, len(st.mask.lanes))
	one := w.copied(st)
	defer w.giveBack(one)
	for i, lane := range st.mask.lanes {
		one.scene = *w.sceneOf(&st.scene, lane)
		start, ok := w.greatest(l, one)
		if !ok {
			st.why = one.why
			return start, false
		}
		if i == 0 {
			lower, least, most = start, start.c, start.c
		}
		for v := lidVars; v < st.nv; v++ {
			if start.k[v] != lower.k[v] && st.n[v] > 1 {
				st.why = cut{v: v, at: st.n[v] / 2}
				return start, false
			}
		}
		least, most, from[i] = min(least, start.c), max(most, start.c), start.c
	}
	if v >= lidVars {
		return lower, true
	}
	for i, lane := range st.mask.lanes {
		w.lanes[lane][v] = from[i] - least
	}
	w.shaped++
	st.mask = w.newMask(st.mask.lanes) // of other shapes
	st.n[v] = most - least + 1
	lower.c, lower.k[v] = least, 1
	return lower, true
}

// greatest is the greatest of the lower bounds of a loop.
func (w *walk) greatest(l *loop, st *state) (best form, ok bool) {
	for i, b := range l.lower {
		f, ok := st.affine(b.num)
		if !ok {
			return f, false
		}
		if b.den > 1 { // rounded up
			var minus form
			minus.addScaled(&f, -1)
			q, why, ok := st.box.quotient(&minus, b.den)
			if !ok {
				st.why = why
				return f, false
			}
			f = form{}
			f.addScaled(&q, -1)
		}
		if i == 0 {
			best = f
			continue
		}
		d := f
		d.addScaled(&best, -1)
		greater, ok := st.sign(&d, expr.Ge, 0)
		if !ok {
			return f, false
		}
		if greater {
			best = f
		}
	}
	return best, true
}

// iterate walks the body for the trips of a loop that starts at lower: once for each set of work-items that take part.
func (w *walk) iterate(l *loop, st *state, lower *form) {
	t := tripCounts{w: w, l: l, st: st, lower: lower}
	if !t.count() {
		if t.even {
			why := st.why // which finding forms changes
			why.trips = t.different()
			st.why = why
		}
		w.divide(st, func(part *state) { w.loop(l, part) })
		return
	}
	done := int64(0)
	for _, n := range t.all {
		if n > done {
			w.iterations(&t, done, n)
		}
		done = n
	}
}

// iterations walks the body once for the iterations from done to n, with those work-items that take part.
func (w *walk) iterations(t *tripCounts, done, n int64) {
	l, v := t.l, t.l.slot
	inner := w.copied(t.st)
	defer w.giveBack(inner)
	if len(t.all) > 1 {
		var lanes []int32
		for i, lane := range t.st.mask.lanes {
			if t.byLane[i] >= n {
				lanes = append(lanes, lane)
			}
		}
		if len(lanes) < len(t.st.mask.lanes) {
			inner.mask = w.newMask(lanes)
			diverges(w, l, false, t.st, inner)
		}
	}
	sortByWay(w, l, inner)
	inner.nv = max(inner.nv, v+1)
	inner.n[v] = n - done
	if parts := min(inner.shared, n-done); parts > 1 {
		inner.n[v], inner.shared = intmath.CeilDiv(n-done, parts), inner.shared/parts
	}
	value := *t.lower
	value.c += l.step * done
	value.k[v] = l.step
	inner.env[v] = value
	inner.parts[v] = uint64(done)
	if !l.unroll {
		w.sum[loopBodies] += inner.count() * int64(len(inner.mask.lanes))
	}
	w.loopBody(l, inner)
}

// shareOut lets all work-items that get to a guard do what a single one of them that passes it does, where the edit says it: each step of the tree that joins
// their parts ends with a barrier.
func shareOut(w *walk, st, inner *state) {
	n := int64(len(st.mask.lanes))
	if !w.p.edit.SharedOut || len(inner.mask.lanes) != 1 || n == 1 {
		return
	}
	inner.mask, inner.shared = st.mask, n
	for range bits.Len64(uint64(n - 1)) {
		w.nodes([]node{barrier{}}, st)
	}
}

// loopOnAverage walks a loop with data-dependent bounds, using its average trip count, rounded. Each work-item starts where the previous
// one ends, as the rows of a sparse matrix do.
func (w *walk) loopOnAverage(l *loop, st *state) {
	w.merged = true
	n := w.average[l.average]
	if n <= 0 {
		return
	}
	if len(l.lower) > 0 {
		if from, ok := w.greatest(l, st); ok {
			w.onAverage(l, st, &from, n)
			return
		}
	}
	items := int64(len(w.lanes))
	inner := w.copied(st)
	defer w.giveBack(inner)
	var start form
	for axis := range 3 {
		stride := items * n
		for i := range axis {
			stride *= w.groups[i]
		}
		start.addScaled(&st.env[lidVars+axis], stride)
	}
	if v := 3 + l.slot - axisVars; v < lidVars {
		for i := range w.lanes {
			w.lanes[i][v] = int64(i)
		}
		w.shaped++
		inner.mask = w.newMask(st.mask.lanes)
		inner.n[v] = items
		start.k[v] = n
	}
	w.onAverage(l, inner, &start, n)
}

// onAverage walks the body for n iterations from a start.
func (w *walk) onAverage(l *loop, st *state, start *form, n int64) {
	inner := w.copied(st)
	defer w.giveBack(inner)
	inner.nv = max(inner.nv, l.slot+1)
	inner.n[l.slot] = n
	inner.env[l.slot] = *start
	inner.env[l.slot].k[l.slot] = 1
	w.centre.at[l.slot], w.centre.lo[l.slot], w.centre.hi[l.slot] = n/2, 0, n-1
	w.sum[loopBodies] += inner.count() * int64(len(inner.mask.lanes))
	w.loopBody(l, inner)
}

// averagesAt computes the average trip counts of loops with data-dependent bounds.
func (w *walk) averagesAt(sizes map[string]int64) error {
	for _, a := range w.p.averages {
		v, err := expr.EvalFloat(a.value, sizes)
		if err != nil {
			return err
		}
		rest, err := a.rest.Eval(sizes)
		if err != nil {
			return err
		}
		v += float64(rest)
		if math.IsNaN(v) || math.Abs(v) > 1<<40 {
			return fmt.Errorf("a loop has %s + %s = %g trips on average", a.value, a.rest, v)
		}
		w.average = append(w.average, int64(math.Round(v)))
	}
	return nil
}

// enterCentre notes the counter of a loop in the middle of the launch.
func (w *walk) enterCentre(l *loop) {
	s := scene{sizes: w.sizes, centre: &w.centre}
	var lo, hi int64
	for i, b := range l.lower {
		if v := intmath.CeilDiv(s.middle(b.num), b.den); i == 0 || v > lo {
			lo = v
		}
	}
	for i, b := range l.upper {
		if v := intmath.FloorDiv(s.middle(b.num), b.den); i == 0 || v < hi {
			hi = v
		}
	}
	trips := max(intmath.FloorDiv(hi-lo, l.step)+1, 1)
	w.centre.at[l.slot] = lo + l.step*(trips/2)
	w.centre.lo[l.slot], w.centre.hi[l.slot] = lo, lo+l.step*(trips-1)
	w.centre.unrolled[l.slot] = l.unroll
}

// loadedIn are the arrays that nodes load.
func loadedIn(body []node) (arrays []int) {
	for _, n := range body {
		var all []access
		switch n := n.(type) {
		case *exec:
			all = n.accesses
		case *guard:
			all = n.loads
			arrays = append(arrays, loadedIn(n.body)...)
		case *loop:
			arrays = append(arrays, n.fetched...)
		}
		for i := range all {
			if !all[i].write {
				arrays = append(arrays, all[i].array)
			}
		}
	}
	slices.Sort(arrays)
	return slices.Compact(arrays)
}
