package launch

import (
	"slices"

	"gpuperf/kernel/linear"
)

// ofGroup reports whether a form differs from work-group to work-group.
func ofGroup(f *linear.Form) bool {
	for _, t := range f.Terms {
		if t.Slot >= linear.GroupSlot && t.Slot < linear.LoopSlot {
			return true
		}
	}
	return slices.ContainsFunc(f.Floors, func(t linear.FloorTerm) bool { return ofGroup(t.Num) })
}

// run walks the program for all work-groups, or for one.
func (w *walk) run(items int64, group *[3]int64) {
	w.scratch, w.masks, w.moved = scratches.Get().(*scratch), map[uint64]*laneMask{}, map[moved][]int64{}
	st := w.start(items)
	if group != nil {
		for axis, g := range group {
			v := lidVars + axis
			at := &st.env[v] // an edit may have made it that of several
			st.n[v], at.c, at.k[v] = 1, at.c+at.k[v]*g, 0
		}
	}
	leave := w.enter(st.nv, false)
	w.nodes(w.p.body, st)
	leave()
	w.giveBack(st)
	w.release()
	w.scratch = nil
}

// longest is the number of statements that the first or the last work-group runs, whichever is more, by the mean of all groups.
func (w *walk) longest(items int64) float64 {
	groups := float64(w.groups[0] * w.groups[1] * w.groups[2])
	if w.sum[statements] == 0 {
		return 1
	}
	most := 0.0
	for _, at := range [][3]int64{{}, {w.groups[0] - 1, w.groups[1] - 1, w.groups[2] - 1}} {
		one := &walk{
			p: w.p, boxes: w.p.opt.Boxes, tiles: make([]tile, len(w.p.arrays)), sizes: w.sizes, groups: w.groups, local: w.local, strides: w.strides,
			offsets: w.offsets, extents: w.extents, average: w.average,
		}
		one.epochs = make([]uint64, len(w.p.arrays))
		one.run(items, &at)
		most = max(most, float64(one.sum[statements]))
	}
	return max(most*groups/float64(w.sum[statements]), 1)
}

// excess is how much longer it takes where one of n work-groups that run one after the other is the longest.
func (e *estimate) excess(n float64) float64 { return 1 + (e.longest-1)/max(n, 1) }
