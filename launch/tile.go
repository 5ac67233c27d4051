package launch

import (
	"slices"

	"gpuperf/kernel"
)

// tile is the part of an array that a work-group touches, as a box.
type tile struct {
	lo, hi []int64
	used   bool
}

// middleGroup is where in the box the group in the middle of the launch is.
func (w *walk) middleGroup(s *scene) (at [3]int64, ok bool) {
	for axis := range at {
		v := lidVars + axis
		f := &s.env[v]
		d := w.groups[axis]/2 - f.c
		switch k := f.k[v]; {
		case k == 0 && d != 0, k != 0 && d%k != 0:
			return at, false
		case k != 0:
			at[axis] = d / k
		}
		if at[axis] < 0 || at[axis] >= s.n[v] {
			return at, false
		}
	}
	return at, true
}

// addTile widens the tile of an array by an access, where the box holds the group in the middle of the launch.
func (w *walk) addTile(a *access, s *scene, each []form) {
	at, ok := w.middleGroup(s)
	if !ok {
		return
	}
	t := &w.tiles[a.array]
	first := !t.used
	if first {
		t.used, t.lo, t.hi = true, make([]int64, len(each)), make([]int64, len(each))
	}
	for i := range each {
		f := each[i]
		for axis := range at {
			f.c += f.k[lidVars+axis] * at[axis]
			f.k[lidVars+axis] = 0
		}
		lo, hi := s.interval(&f, 0)
		if i == len(each)-1 {
			hi += a.lanes - 1
		}
		if first {
			t.lo[i], t.hi[i] = lo, hi+1
			continue
		}
		t.lo[i], t.hi[i] = min(t.lo[i], lo), max(t.hi[i], hi+1)
	}
}

// tileBytes is the size of the tiles of all arrays in global memory.
func (w *walk) tileBytes() int64 {
	sum := int64(0)
	for i, t := range w.tiles {
		if !t.used {
			continue
		}
		n := w.p.arrays[i].bytes
		for axis := range t.lo {
			n *= t.hi[axis] - t.lo[axis]
		}
		sum += n
	}
	return sum
}

// addTiles is addTile for the work-items.
func (l *scanned) addTiles(a *access, all []values) {
	if l.p.arrays[a.array].Space != kernel.Global {
		return
	}
	for _, bound := range []func([]int64) int64{slices.Min[[]int64], slices.Max[[]int64]} {
		each := make([]form, len(all))
		for i, v := range all {
			if each[i] = v.form; v.each != nil {
				each[i].c = bound(v.each)
			}
		}
		l.addTile(a, l.scene, each)
	}
}
