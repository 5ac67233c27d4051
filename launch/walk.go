package launch

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/memory"
)

// maxLanes bounds the work-items of a group.
const maxLanes = 1 << 12

// walk runs a program over boxes: sets of work-groups and iterations on which every loop has one number of trips and
// every guard one set of work-items that pass it. Where a box has several, it is divided.
type walk struct {
	// What walks share; lanes are the work-items of a group, axis 0 running fastest: the values of their variables.
	*scratch
	p       *Program
	sizes   []int64
	groups  [3]int64
	local   [3]int64  // work-items of a group along each axis
	strides [][]int64 // of arrays, in bytes
	offsets []int64   // the same
	extents []int64   // the same: what they take
	centre  centre
	boxes   int // that may still be made
	sampled int // boxes that were not divided any more, but represented by one of their points
	merged  bool
	assumed bool                 // conditions on data were taken to hold, or indices from memory to be any
	tiles   []tile               // of arrays
	widest  int64                // access to global memory, in bytes
	average []int64              // trip counts of loops with data-dependent bounds
	masks   map[uint64]*laneMask // by their work-items
	shaped  uint64               // how often the variables of work-items were changed
	moved   map[moved][]int64
	straight
	stream *stream // collects accesses; nil where nobody asks for them
	sum    sums
	// byText are the units of global memory that accesses touch, by their numbers; nil where nobody asks for them.
	byText []Units
	issued [issueKinds]int64 // by sub-groups
	path   path
	sent   sent
	stored uint64 // the last store: a number for its array and how its address moves
	base   uint64 // of the last address: its constants along axes whose strides depend on sizes
}

// laneMask is a set of work-items of a group.
type laneMask struct {
	lanes []int32
	warps []warpMask // sub-groups with any
}

// warpMask is a run of work-items of a mask that are of one sub-group. Sub-groups of one shape have the same number of
// work-items at the same places, whose variables differ from those of the first in the same way.
type warpMask struct{ lanes, shape int }

// state is the position of a walk: a box, and the work-items that are active on it.
type state struct {
	scene
	mask   *laneMask
	weight int64 // of each point of the box
	sorted bool  // the work-items are those of one way of several that data decides
	shared int64 // so many work-items have a part each of what one does; 0 is 1
	stands []standing
	// parts says for each variable which part of its values the box has: a number that equal divisions give.
	parts [maxVars]uint64
}

// standing says that a box has one value of a variable for all of some.
type standing struct {
	v   int
	all memory.Run
}

// count is the number of points of the box, without the lids.
func (st *state) count() int64 {
	n := st.weight
	for v := lidVars; v < st.nv; v++ {
		n *= st.n[v]
	}
	return n
}

// newMask is the mask of some work-items. Until their variables change it is the same for the same ones.
func (w *walk) newMask(lanes []int32) *laneMask {
	key := w.shaped
	for _, l := range lanes {
		key = bits.RotateLeft64(key^uint64(l), 29) * 0x9e3779b97f4a7c15
	}
	if m := w.masks[key]; m != nil && slices.Equal(m.lanes, lanes) {
		return m
	}
	m := &laneMask{lanes: lanes}
	w.masks[key] = m
	size := int32(w.p.opt.SubgroupSize)
	for from := 0; from < len(lanes); {
		to := from
		w.text = append(w.text[:0], byte(lanes[from]%size))
		first := &w.lanes[lanes[from]]
		for ; to < len(lanes) && lanes[to]/size == lanes[from]/size; to++ {
			at := &w.lanes[lanes[to]]
			for v := range at {
				if d := at[v] - first[v]; d != 0 {
					w.text = binary.AppendVarint(append(w.text, byte(v+1)), d)
				}
			}
			w.text = append(w.text, 0, byte(lanes[to]-lanes[from]))
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

// divide calls f on the parts of a box. When no more boxes may be made, one value of the variable represents all.
func (w *walk) divide(st *state, f func(*state)) {
	why := st.why
	n := st.n[why.v]
	part := func(from, step, n int64) *state {
		out := w.copied(st)
		out.n[why.v] = n
		out.parts[why.v] = mix(mix(out.parts[why.v], uint64(from)), uint64(step))
		for i := range out.env[:st.nv] {
			e := &out.env[i]
			if k := e.k[why.v]; k != 0 {
				e.c, e.k[why.v] = e.c+k*from, k*step
			}
		}
		return out
	}
	run := func(part *state) {
		f(part)
		w.giveBack(part)
	}
	// The value at stands for those from so far to so far.
	sample := func(at, from, to int64) {
		w.sampled++
		one := part(at, 1, 1)
		one.weight *= to - from
		of := &st.env[why.v]
		step := max(of.k[why.v], 1)
		one.stands = append(slices.Clip(st.stands), standing{why.v, memory.Run{First: of.c + step*from, Step: step, Count: to - from}})
		run(one)
	}
	parts := max(why.period, 2)
	if why.trips == 0 && w.boxes < int(parts) {
		sample(min(int64(float64(n)*spread(w.sampled+1)), n-1), 0, n)
		return
	}
	even := why.trips > 0 && n > w.ranges(why.trips)
	if even {
		parts = w.ranges(why.trips)
	}
	left := max(w.boxes-int(parts), 0)
	for i := range parts {
		share := left / int(parts-i)
		w.boxes = share
		if even {
			from, to := n*i/parts, n*(i+1)/parts
			sample(w.middleOf(st, from, to), from, to)
		} else if why.period > 0 {
			run(part(i, why.period, (n-i+why.period-1)/why.period))
		} else if (i == 0) == (2*why.at <= n) { // the smaller part first, which needs less
			run(part(0, 1, why.at))
		} else {
			run(part(why.at, 1, n-why.at))
		}
		left -= share - w.boxes
	}
	w.boxes = left
}

// ranges are into how many a variable is divided with which the trips of a loop grow evenly, of which work-items of one group have so many
// different ones. Their number is odd, so that one is around the middle of the launch.
func (w *walk) ranges(trips int64) int64 {
	const least = 33 // enough for sums of what grows evenly
	return max(int64(w.boxes)/trips, least) | 1
}

// middleOf is the value in the middle of a range of values of the variable that a box is divided by, or the one of the group in the middle of
// the launch.
func (w *walk) middleOf(st *state, from, to int64) int64 {
	v := st.why.v
	if axis := v - lidVars; axis < 3 {
		f := &st.env[v]
		if at := (w.groups[axis]/2 - f.c) / max(f.k[v], 1); from <= at && at < to {
			return at
		}
	}
	return from + (to-from-1+int64(w.sampled%2))/2 // of two, by turns the first and the second
}

// spread is the i-th number of a sequence that fills [0, 1) evenly.
func spread(i int) float64 {
	x := float64(i) * 0.6180339887498949
	return x - float64(int64(x))
}

func (w *walk) nodes(list []node, st *state) {
	for _, n := range list {
		switch x := n.(type) {
		case *exec:
			w.exec(x, st)
		case barrier:
			w.sum[barriers] += st.count() * int64(len(st.mask.lanes))
			w.sum[warpBarriers] += st.count() * int64(len(st.mask.warps))
			w.barrier()
		case *guard:
			leave := w.enterPart(x)
			w.guard(x, st)
			leave()
		case *loop:
			w.loop(x, st)
		}
	}
}

// fold is f for one work-item.
func (w *walk) fold(f *form, lane int32) form {
	g := *f
	for axis, at := range w.lanes[lane] {
		g.c += g.k[axis] * at
		g.k[axis] = 0
	}
	return g
}

// move makes one, the scene that alone made of s, that of another work-item.
func (w *walk) move(one, s *scene, lane int32) {
	for i := range s.nv {
		f := &s.env[i]
		c := f.c
		for axis, at := range w.lanes[lane] {
			c += f.k[axis] * at
		}
		one.env[i].c = c
	}
}

// sceneOf is the scene of one work-item; the next call overwrites it.
func (w *walk) sceneOf(s *scene, lane int32) *scene {
	one := &w.one
	one.box, one.sizes, one.centre, one.why = s.box, s.sizes, s.centre, s.why
	for i := range s.nv { // further variables are of loops that are not open
		one.env[i] = w.fold(&s.env[i], lane)
	}
	return one
}

// where finds the work-items for which a condition is as holds says: x is compared with 0 by op, or true where op is "". It is
// not ok where the box must be divided.
func (w *walk) where(st *state, x *linear.Index, op expr.OpKind, holds bool) (*laneMask, bool) {
	if x.Data {
		return st.mask, true
	}
	value := (*scene).eval
	if op == "" && x.Kind == linear.LogicIndex && x.Op.IsComparison() {
		value, op = (*scene).difference, x.Op
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
		return w.pick(st, holds, func(l int32) (bool, bool) {
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
	return w.pick(st, holds, func(l int32) (is, ok bool) {
		one := w.sceneOf(&st.scene, l)
		if op == "" {
			is, ok = one.decide(x)
		} else if f, ok = value(one, x); ok {
			is, ok = one.sign(&f, op, 0)
		}
		st.why = one.why
		return is, ok
	})
}

// pick are the lanes of a state of which a test is true, or with holds false those of which it is not; ok is false where it cannot tell.
func (w *walk) pick(st *state, holds bool, test func(lane int32) (is, ok bool)) (*laneMask, bool) {
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

func (w *walk) guard(g *guard, st *state) {
	inner := w.copied(st)
	defer w.giveBack(inner)
	tests, tested, loads := int64(0), false, inner.mask
	for _, c := range g.conds {
		if !c.known {
			tests++
		}
		tested = tested || c.op == "" || !w.unrolled(c.x.Form)
		w.assumed = w.assumed || c.op == ""
		mask, ok := w.where(inner, c.x, c.op, true)
		if !ok {
			st.why = inner.why
			w.divide(st, func(part *state) { w.guard(g, part) })
			return
		}
		if inner.mask = mask; c.op != "" {
			loads = mask
		}
	}
	shareOut(w, st, inner)
	diverges(w, g, slices.ContainsFunc(g.conds, func(c cond) bool { return c.x.Data }), st, inner)
	if tested && tests > 0 {
		w.sum[ifs] += st.count() * int64(len(st.mask.lanes))
		w.issued[issueCondition] += st.count() * int64(len(st.mask.warps)) * tests
		w.diverge(st, inner.mask)
	}
	if len(g.loads) > 0 && len(loads.lanes) > 0 {
		before := w.copied(inner)
		before.mask = loads
		w.accesses(g.loads, before)
		w.giveBack(before)
	}
	w.passes(g, st, inner)
	if len(inner.mask.lanes) > 0 {
		if tested {
			defer w.enter(inner.nv, false)()
		}
		w.nodes(g.body, inner)
	}
}

// unrolled reports whether a condition depends on nothing but the counters of unrolled loops, which the text of each
// iteration has decided.
func (w *walk) unrolled(x *linear.Form) bool {
	for _, t := range x.Terms {
		// A size is known at run time only.
		if t.Slot < linear.LoopSlot || !w.centre.unrolled[variable(t.Slot)] {
			return false
		}
	}
	return !slices.ContainsFunc(x.Floors, func(t linear.FloorTerm) bool { return !w.unrolled(t.Num) })
}

func (w *walk) exec(x *exec, st *state) {
	if forSurvey(w) {
		defer works(w, x)()
	}
	runs := st.count() * int64(len(st.mask.lanes))
	w.sum[statements] += runs
	w.sum[selects] += x.selects * runs
	for i, n := range x.ops {
		w.sum[operations+tally(i)] += n * runs
	}
	for i := range x.floats {
		w.floats(&x.floats[i], st)
	}
	for i := range x.issues {
		w.issue(&x.issues[i], st)
	}
	w.issued[issueSelect] += x.selects * st.bySubgroups(everyLoop)
	w.accesses(x.accesses, st)
	if x.fence {
		w.fence(st)
	}
}

// floats counts floating-point operations by the work-items that get to them.
func (w *walk) floats(f *floatCount, st *state) {
	w.below(f.under, st, func(inner *state) bool {
		w.sum[floating+tally(f.op)] += f.n * inner.count() * int64(len(inner.mask.lanes))
		return true
	})
}

func (w *walk) accesses(list []access, st *state) {
	for i := range list {
		w.access(&list[i], st)
	}
}

// access finds the work-items that make an access and what they touch.
func (w *walk) access(a *access, st *state) {
	w.below(a.under, st, func(inner *state) bool { return w.touch(a, inner) })
}

// below calls do for the work-items that get below selects. The box is divided where that differs, or where do asks for it by false.
func (w *walk) below(under []branch, st *state, do func(*state) bool) {
	again := func(part *state) { w.below(under, part, do) }
	if len(under) == 0 {
		if !do(st) {
			w.divide(st, again)
		}
		return
	}
	inner := w.copied(st)
	defer w.giveBack(inner)
	for _, b := range under {
		if !w.p.opt.Borders && !b.condition.Data {
			s := scene{sizes: w.sizes, centre: &w.centre}
			if (s.point(b.condition) != 0) != b.holds {
				return
			}
			continue
		}
		mask, ok := w.where(inner, b.condition, "", b.holds)
		if !ok {
			st.why = inner.why
			w.divide(st, again)
			return
		}
		if inner.mask = mask; len(mask.lanes) == 0 {
			return
		}
	}
	if !do(inner) {
		st.why = inner.why
		w.divide(st, again)
	}
}
