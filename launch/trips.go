package launch

import (
	"slices"

	"gpuperf/internal/intmath"
)

// tripCounts are the trips of a loop for the work-items of a state.
type tripCounts struct {
	w     *walk
	l     *loop
	st    *state
	lower *form // where the loop starts

	tops   []form  // of the upper bounds: a bound allows 1 + floor(top/(den·step)) trips
	own    []form  // those of one work-item
	formed bool    // each top is one form for all work-items
	byLane []int64 // the trips of each work-item of the mask
	all    []int64 // the different ones, ascending

	even bool // not decided, by a bound that allows as many trips as any and not fewer than none: dividing evenly serves
}

// count finds the trips of all work-items. Where the box has to be divided first it reports false, and the state says where.
func (t *tripCounts) count() bool {
	st := t.st
	t.tops, t.formed = make([]form, len(t.l.upper)), true
	for i := range t.l.upper {
		f, ok := t.top(i, &st.scene)
		if !ok && st.why.v >= lidVars {
			return false
		}
		t.tops[i], t.formed = f, t.formed && ok
	}
	t.byLane = make([]int64, len(st.mask.lanes))
	if t.formed {
		if n, ok := t.least(t.tops, 0); ok {
			for i := range t.byLane {
				t.byLane[i] = n
			}
			t.all = []int64{n}
			return true
		}
		if st.why.v >= lidVars {
			return false
		}
	}
	t.own = make([]form, len(t.tops))
	for i, lane := range st.mask.lanes {
		n, ok := t.of(lane)
		if !ok {
			return false
		}
		t.byLane[i] = n
	}
	t.all = slices.Clone(t.byLane)
	slices.Sort(t.all)
	t.all = slices.Compact(t.all)
	return true
}

// top is the numerator of an upper bound less where the loop starts, for all work-items of a scene or its one.
func (t *tripCounts) top(i int, s *scene) (form, bool) {
	b := &t.l.upper[i]
	f, ok := s.affine(b.num)
	f.addScaled(t.lower, -b.den)
	return f, ok
}

// of is how many trips a work-item makes.
func (t *tripCounts) of(lane int32) (int64, bool) {
	for i := range t.tops {
		f := t.tops[i]
		if !t.formed {
			one := t.w.sceneOf(&t.st.scene, lane)
			ok := false
			if f, ok = t.top(i, one); !ok {
				t.st.why = one.why
				return 0, false
			}
		}
		t.own[i] = t.w.fold(&f, lane)
	}
	return t.least(t.own, lidVars)
}

// least is how many trips the bounds allow together, if that is one number over the variables from `from` on.
func (t *tripCounts) least(tops []form, from int) (int64, bool) {
	var low form // of the bound that may allow the fewest
	var lowDen, lowLo, lowMost, least, most int64
	for i := range tops {
		lo, hi := t.st.interval(&tops[i], from)
		den := t.l.upper[i].den * t.l.step
		fewest, greatest := max(intmath.FloorDiv(lo, den)+1, 0), max(intmath.FloorDiv(hi, den)+1, 0)
		if i == 0 || fewest < least {
			low, lowDen, lowLo, lowMost, least = tops[i], den, lo, greatest, fewest
		}
		if i == 0 || greatest < most {
			most = greatest
		}
	}
	if least == most {
		return least, true
	}
	t.even = lowMost == most && lowLo >= -lowDen
	low.c -= lowDen * (most - 1) // divide where this bound allows as many as all may
	t.st.why = t.st.cutAt(&low, from)
	return 0, false
}

// different is how many different numbers of trips the work-items of a group have, at most.
func (t *tripCounts) different() int64 {
	most := int64(1)
	for i := range t.l.upper {
		b := &t.l.upper[i]
		f, ok := t.top(i, &t.st.scene)
		if !ok {
			continue
		}
		distance := int64(0)
		for v := range lidVars {
			if k := f.k[v]; k != 0 {
				distance += max(k, -k) * (t.st.n[v] - 1)
			}
		}
		most = max(most, distance/(b.den*t.l.step)+1)
	}
	return min(most, int64(len(t.st.mask.lanes)))
}
