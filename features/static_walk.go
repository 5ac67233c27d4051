package features

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"gpuperf/kernel"
)

// maxLanes bounds the work-items of a group.
const maxLanes = 1 << 12

// staticWalk runs a program over boxes: sets of work-groups and iterations on which every loop has one number of trips and
// every guard one set of work-items that pass it. Where a box has several, it is divided.
type staticWalk struct {
	p       *StaticProgram
	sizes   []int64
	groups  [3]int64
	lanes   [][lidVars]int64 // work-items of a group, axis 0 running fastest: the values of their variables
	strides [][]int64        // of arrays, in bytes
	offsets []int64          // the same
	centre  centre
	boxes   int // that may still be made
	sampled int // boxes that were not divided any more, but represented by one of their points
	merged  bool
	shapes  map[string]int // of sub-groups, by text
	text    []byte
	units   map[unitKey]unitCount
	addr    []int64
	sets    [3]unitSet
	tiles   []tile  // of arrays
	widest  int64   // access to global memory, in bytes
	average []int64 // trips of loops that memory bounds
	sum     staticSums
}

// staticSums are totals over the launch.
type staticSums struct {
	accesses         map[kernel.Space]*[2]int64 // loads and stores by work-items
	bytes            int64                      // of global memory, as work-items ask for them
	warps            [2]int64                   // loads and stores of global memory by sub-groups
	lines, sectors   [2]int64
	classes          [3]int64 // by accessClass
	localWarps       int64
	localCycles      int64
	barriers         int64 // by work-items, and so on
	ifs, loopBodies  int64
	selects, gathers int64
	ops              [len(opClasses)]float64
	instances        int64
}

// add adds the totals of another launch.
func (s *staticSums) add(o *staticSums) {
	for space, n := range o.accesses {
		for rw := range n {
			s.accesses[space][rw] += n[rw]
		}
	}
	for rw := range s.warps {
		s.warps[rw] += o.warps[rw]
		s.lines[rw] += o.lines[rw]
		s.sectors[rw] += o.sectors[rw]
	}
	for c := range s.classes {
		s.classes[c] += o.classes[c]
	}
	for i := range s.ops {
		s.ops[i] += o.ops[i]
	}
	s.bytes += o.bytes
	s.localWarps += o.localWarps
	s.localCycles += o.localCycles
	s.barriers += o.barriers
	s.ifs += o.ifs
	s.loopBodies += o.loopBodies
	s.selects += o.selects
	s.gathers += o.gathers
	s.instances += o.instances
}

// laneMask is a set of work-items of a group.
type laneMask struct {
	lanes []int32
	warps []warpMask // sub-groups with any
}

// warpMask is a run of work-items of a mask that are of one sub-group. Sub-groups of one shape have the same number of
// work-items, whose variables differ from those of the first in the same way.
type warpMask struct{ lanes, shape int }

// staticState is where a walk stands.
type staticState struct {
	scene
	mask   *laneMask
	weight int64 // of each point of the box
}

// points is the number of points of the box, lids apart.
func (st *staticState) points() int64 {
	n := st.weight
	for v := lidVars; v < st.nv; v++ {
		n *= st.n[v]
	}
	return n
}

func (w *staticWalk) newMask(lanes []int32) *laneMask {
	m := &laneMask{lanes: lanes}
	size := int32(w.p.opt.SubgroupSize)
	for from := 0; from < len(lanes); {
		to := from
		w.text = w.text[:0]
		first := &w.lanes[lanes[from]]
		for ; to < len(lanes) && lanes[to]/size == lanes[from]/size; to++ {
			at := &w.lanes[lanes[to]]
			for v := range at {
				if d := at[v] - first[v]; d != 0 {
					w.text = binary.AppendVarint(append(w.text, byte(v+1)), d)
				}
			}
			w.text = append(w.text, 0)
		}
		shape, ok := w.shapes[string(w.text)]
		if !ok {
			shape = len(w.shapes)
			w.shapes[string(w.text)] = shape
		}
		m.warps = append(m.warps, warpMask{to - from, shape})
		from = to
	}
	return m
}

// divide calls f on the parts of a box. When no more boxes may be made a single value stands for all that the variable has.
func (w *staticWalk) divide(st *staticState, f func(*staticState)) {
	why := st.why
	part := func(from, step, n int64) *staticState {
		out := *st
		out.n[why.v] = n
		for i := range out.env {
			e := &out.env[i]
			if k := e.k[why.v]; k != 0 {
				e.c, e.k[why.v] = e.c+k*from, k*step
			}
		}
		return &out
	}
	n := st.n[why.v]
	parts := max(why.period, 2)
	if w.boxes < int(parts) {
		w.sampled++
		at := int64(float64(n) * spread(w.sampled))
		one := part(min(at, n-1), 1, 1)
		one.weight *= n
		f(one)
		return
	}
	left := w.boxes - int(parts)
	for i := range parts {
		share := left / int(parts-i)
		w.boxes = share
		if why.period > 0 {
			f(part(i, why.period, (n-i+why.period-1)/why.period))
		} else if (i == 0) == (2*why.at <= n) { // the smaller part first, which needs less
			f(part(0, 1, why.at))
		} else {
			f(part(why.at, 1, n-why.at))
		}
		left -= share - w.boxes
	}
	w.boxes = left
}

// spread is the i-th number of a sequence that fills [0, 1) evenly.
func spread(i int) float64 {
	x := float64(i) * 0.6180339887498949
	return x - float64(int64(x))
}

func (w *staticWalk) nodes(list []staticNode, st *staticState) {
	for _, n := range list {
		switch x := n.(type) {
		case *staticExec:
			w.exec(x, st)
		case staticBarrier:
			w.sum.barriers += st.points() * int64(len(st.mask.lanes))
		case *staticGuard:
			w.guard(x, st)
		case *staticLoop:
			w.loop(x, st)
		}
	}
}

// fold is f for one work-item.
func (w *staticWalk) fold(f *form, lane int32) form {
	g := *f
	for axis, at := range w.lanes[lane] {
		g.c += g.k[axis] * at
		g.k[axis] = 0
	}
	return g
}

// alone is the scene of one work-item.
func (w *staticWalk) alone(s *scene, lane int32) *scene {
	one := *s
	for i := range one.env {
		one.env[i] = w.fold(&s.env[i], lane)
	}
	return &one
}

// where finds the work-items for which a condition is as holds says: x is compared with 0 by op, or true where op is "". It is
// not ok where the box must be divided.
func (w *staticWalk) where(st *staticState, x *index, op kernel.OpKind, holds bool) (*laneMask, bool) {
	pick := func(test func(lane int32) (bool, bool)) (*laneMask, bool) {
		var lanes []int32
		for _, l := range st.mask.lanes {
			is, ok := test(l)
			if !ok {
				return nil, false
			}
			if is == holds {
				lanes = append(lanes, l)
			}
		}
		if len(lanes) == len(st.mask.lanes) {
			return st.mask, true
		}
		return w.newMask(lanes), true
	}
	if x.kind == indexOpaque {
		return st.mask, true
	}
	value := (*scene).eval
	if op == "" && x.kind == indexCompare {
		value, op = (*scene).difference, x.op
	}
	var f form
	ok := false
	if op != "" {
		f, ok = value(&st.scene, x)
	}
	if ok {
		is, decided := st.sign(&f, op, 0)
		switch {
		case decided && is == holds:
			return st.mask, true
		case decided:
			return &laneMask{}, true
		case st.why.v >= lidVars:
			return nil, false
		}
		return pick(func(l int32) (bool, bool) {
			g := w.fold(&f, l)
			return st.sign(&g, op, lidVars)
		})
	}
	if op == "" {
		is, decided := st.decide(x)
		if decided && is == holds {
			return st.mask, true
		} else if decided {
			return &laneMask{}, true
		}
	}
	if st.why.v >= lidVars {
		return nil, false
	}
	return pick(func(l int32) (is, ok bool) {
		one := w.alone(&st.scene, l)
		if op == "" {
			is, ok = one.decide(x)
		} else if f, ok = value(one, x); ok {
			is, ok = one.sign(&f, op, 0)
		}
		st.why = one.why
		return is, ok
	})
}

func (w *staticWalk) guard(g *staticGuard, st *staticState) {
	inner := *st
	tested := len(g.predicates) > 0
	for i, c := range g.conds {
		op := kernel.Ge
		if g.equal[i] {
			op = kernel.Eq
		}
		tested = tested || !w.unrolled(c)
		mask, ok := w.where(&inner, c, op, true)
		if !ok {
			st.why = inner.why
			w.divide(st, func(part *staticState) { w.guard(g, part) })
			return
		}
		inner.mask = mask
	}
	loads := inner.mask
	for _, c := range g.predicates {
		mask, ok := w.where(&inner, c, "", true)
		if !ok {
			st.why = inner.why
			w.divide(st, func(part *staticState) { w.guard(g, part) })
			return
		}
		inner.mask = mask
	}
	if tested {
		w.sum.ifs += st.points() * int64(len(st.mask.lanes))
	}
	if len(g.loads) > 0 && len(loads.lanes) > 0 {
		before := inner
		before.mask = loads
		w.accesses(g.loads, &before)
	}
	if len(inner.mask.lanes) > 0 {
		w.nodes(g.body, &inner)
	}
}

// unrolled reports whether a condition depends on nothing but the counters of unrolled loops, which the text of each
// iteration has decided.
func (w *staticWalk) unrolled(x *index) bool {
	for _, t := range x.terms {
		switch {
		case t.num != nil:
			if !w.unrolled(t.num) {
				return false
			}
		case t.slot < 0:
			// a size is known at run time only
			return false
		case t.slot < axisVars, !w.centre.unrolled[t.slot]:
			return false
		}
	}
	return true
}

func (w *staticWalk) loop(l *staticLoop, st *staticState) {
	if l.average >= 0 {
		w.loopOnAverage(l, st)
		return
	}
	w.enterCentre(l)
	again := func(part *staticState) { w.loop(l, part) }
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
func (w *staticWalk) starts(l *staticLoop, st *staticState) (lower form, ok bool) {
	v := 3 + l.slot - axisVars
	if v >= lidVars {
		w.merged = true
	}
	least, most := int64(0), int64(0)
	from := make([]int64, len(st.mask.lanes))
	for i, lane := range st.mask.lanes {
		one := *st
		one.scene = *w.alone(&st.scene, lane)
		start, ok := w.greatest(l, &one)
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
	st.mask = w.newMask(st.mask.lanes) // of other shapes
	st.n[v] = most - least + 1
	lower.c, lower.k[v] = least, 1
	return lower, true
}

// greatest is the greatest of the lower bounds of a loop.
func (w *staticWalk) greatest(l *staticLoop, st *staticState) (best form, ok bool) {
	for i, b := range l.lower {
		f, ok := st.eval(b.num)
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
		greater, ok := st.sign(&d, kernel.Ge, 0)
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
func (w *staticWalk) iterate(l *staticLoop, st *staticState, lower *form) {
	again := func(part *staticState) { w.loop(l, part) }
	// top is such that the trips are 1 + floor(top/(den·step)), for all work-items or one.
	top := func(b *staticBound, s *scene) (form, bool) {
		f, ok := s.eval(b.num)
		f.addScaled(lower, -b.den)
		return f, ok
	}
	tops := make([]form, len(l.upper))
	formed := true
	for i := range l.upper {
		f, ok := top(&l.upper[i], &st.scene)
		if !ok && st.why.v >= lidVars {
			w.divide(st, again)
			return
		}
		tops[i], formed = f, formed && ok
	}
	trips := func(lane int32, from int) (int64, bool) {
		var low form // of the bound that may give the fewest
		var lowDen, least, most int64
		for i := range tops {
			f := tops[i]
			if from == lidVars && !formed {
				one := w.alone(&st.scene, lane)
				ok := false
				if f, ok = top(&l.upper[i], one); !ok {
					st.why = one.why
					return 0, false
				}
			}
			if from == lidVars {
				f = w.fold(&f, lane)
			}
			lo, hi := st.interval(&f, from)
			den := l.upper[i].den * l.step
			fewest, greatest := max(floorDiv(lo, den)+1, 0), max(floorDiv(hi, den)+1, 0)
			if i == 0 || fewest < least {
				low, lowDen, least = f, den, fewest
			}
			if i == 0 || greatest < most {
				most = greatest
			}
		}
		if least < most { // divide where this bound allows as many as all may
			low.c -= lowDen * (most - 1)
			st.why = st.cutAt(&low, from)
			return 0, false
		}
		return least, true
	}
	byLane := make([]int64, len(st.mask.lanes))
	var all []int64
	n, ok := int64(0), false
	if formed {
		n, ok = trips(0, 0)
	}
	if ok {
		all = []int64{n}
		for i := range byLane {
			byLane[i] = n
		}
	} else {
		if formed && st.why.v >= lidVars {
			w.divide(st, again)
			return
		}
		for i, lane := range st.mask.lanes {
			n, ok := trips(lane, lidVars)
			if !ok {
				w.divide(st, again)
				return
			}
			byLane[i] = n
			all = append(all, n)
		}
		slices.Sort(all)
		all = slices.Compact(all)
	}
	done := int64(0)
	for _, n := range all {
		if n == done {
			continue
		}
		inner := *st
		if byLane[0] < n || len(all) > 1 {
			var lanes []int32
			for i, lane := range st.mask.lanes {
				if byLane[i] >= n {
					lanes = append(lanes, lane)
				}
			}
			if len(lanes) < len(st.mask.lanes) {
				inner.mask = w.newMask(lanes)
			}
		}
		v := l.slot
		inner.nv = max(inner.nv, v+1)
		inner.n[v] = n - done
		value := *lower
		value.c += l.step * done
		value.k[v] = l.step
		inner.env[l.slot] = value
		if !l.unroll {
			w.sum.loopBodies += inner.points() * int64(len(inner.mask.lanes))
		}
		w.nodes(l.body, &inner)
		done = n
	}
}

// loopOnAverage walks the body of a loop that memory bounds for its average number of trips, rounded. The work-items of the launch
// start where those before them end, as the rows of a sparse matrix do.
func (w *staticWalk) loopOnAverage(l *staticLoop, st *staticState) {
	w.merged = true
	n := w.average[l.average]
	if n <= 0 {
		return
	}
	items := int64(len(w.lanes))
	inner := *st
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
		inner.mask = w.newMask(st.mask.lanes)
		inner.n[v] = items
		start.k[v] = n
	}
	inner.nv = max(inner.nv, l.slot+1)
	inner.n[l.slot] = n
	start.k[l.slot] = 1
	inner.env[l.slot] = start
	w.centre.at[l.slot], w.centre.lo[l.slot], w.centre.hi[l.slot] = n/2, 0, n-1
	w.sum.loopBodies += inner.points() * int64(len(inner.mask.lanes))
	w.nodes(l.body, &inner)
}

// averagesAt computes the trips of loops that memory bounds.
func (w *staticWalk) averagesAt(sizes map[string]int64) error {
	for _, a := range w.p.averages {
		v, err := averageAt(a.value, sizes)
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

// averageAt evaluates the value of an average (kernel.Average).
func averageAt(e kernel.Expr, sizes map[string]int64) (float64, error) {
	switch x := e.(type) {
	case kernel.Int:
		return float64(x.Value), nil
	case kernel.Float:
		return x.Value, nil
	case kernel.Var:
		v, ok := sizes[x.Name]
		if !ok {
			return 0, fmt.Errorf("size %s has no value", x.Name)
		}
		return float64(v), nil
	case *kernel.Op:
		v, err := averageAt(x.Args[0], sizes)
		if err != nil {
			return 0, err
		}
		if x.Kind == kernel.Neg {
			return -v, nil
		}
		for _, arg := range x.Args[1:] {
			u, err := averageAt(arg, sizes)
			if err != nil {
				return 0, err
			}
			switch x.Kind {
			case kernel.Add:
				v += u
			case kernel.Sub:
				v -= u
			case kernel.Mul:
				v *= u
			case kernel.Div:
				v /= u
			default:
				return 0, fmt.Errorf("%s is no expression in sizes", e)
			}
		}
		return v, nil
	}
	return 0, fmt.Errorf("%s is no expression in sizes", e)
}

// enterCentre notes the counter of a loop in the middle of the launch.
func (w *staticWalk) enterCentre(l *staticLoop) {
	s := scene{sizes: w.sizes, centre: &w.centre}
	var lo, hi int64
	for i, b := range l.lower {
		if v := -floorDiv(-s.point(b.num), b.den); i == 0 || v > lo {
			lo = v
		}
	}
	for i, b := range l.upper {
		if v := floorDiv(s.point(b.num), b.den); i == 0 || v < hi {
			hi = v
		}
	}
	trips := max(floorDiv(hi-lo, l.step)+1, 1)
	w.centre.at[l.slot] = lo + l.step*(trips/2)
	w.centre.lo[l.slot], w.centre.hi[l.slot] = lo, lo+l.step*(trips-1)
	w.centre.unrolled[l.slot] = l.unroll
}

func (w *staticWalk) exec(x *staticExec, st *staticState) {
	runs := st.points() * int64(len(st.mask.lanes))
	w.sum.instances += runs
	w.sum.selects += x.selects * runs
	for i, n := range x.ops {
		w.sum.ops[i] += n * float64(runs)
	}
	w.accesses(x.accesses, st)
}

func (w *staticWalk) accesses(list []staticAccess, st *staticState) {
	for i := range list {
		w.access(&list[i], st)
	}
}

// access finds the work-items that make an access and what they touch.
func (w *staticWalk) access(a *staticAccess, st *staticState) {
	again := func(part *staticState) { w.access(a, part) }
	if len(a.under) == 0 {
		if !w.touch(a, st) {
			w.divide(st, again)
		}
		return
	}
	inner := *st
	for _, b := range a.under {
		if !w.p.opt.Borders && b.condition.kind != indexOpaque {
			s := scene{sizes: w.sizes, centre: &w.centre}
			if (s.point(b.condition) != 0) != b.holds {
				return
			}
			continue
		}
		mask, ok := w.where(&inner, b.condition, "", b.holds)
		if !ok {
			st.why = inner.why
			w.divide(st, again)
			return
		}
		if inner.mask = mask; len(mask.lanes) == 0 {
			return
		}
	}
	if !w.touch(a, &inner) {
		st.why = inner.why
		w.divide(st, again)
	}
}
