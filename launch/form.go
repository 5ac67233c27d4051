package launch

import (
	"slices"

	"gpuperf/internal/intmath"
	"gpuperf/kernel"
)

// Variables of a box: what differs between the work-items of a group, which is the lids of the three axes and the starts of
// loops that no formula of these gives; gids of the three axes; then one for each open loop. The first are never divided.
const (
	startVars = 4             // a bound: a box with more such starts is counted lane by lane
	lidVars   = 3 + startVars // three axes of lids
	axisVars  = lidVars + 3   // three axes of gids
	maxVars   = axisVars + 12 // as many open loops as a form has room for
)

// form is c + Σ k[v]·t[v], where t[v] counts the values of variable v from 0.
type form struct {
	c int64
	k [maxVars]int64
}

// addScaled adds s·g to f.
func (f *form) addScaled(g *form, s int64) {
	f.c += s * g.c
	for v := range f.k {
		f.k[v] += s * g.k[v]
	}
}

// box is a product of intervals, 0 <= t[v] < n[v].
type box struct {
	n  [maxVars]int64
	nv int // variables in use
}

// constant reports whether f has one value on the box.
func (b *box) constant(f *form) bool {
	for v := range b.nv {
		if f.k[v] != 0 && b.n[v] > 1 {
			return false
		}
	}
	return true
}

// interval is the range of f over the variables from v on.
func (b *box) interval(f *form, from int) (lo, hi int64) {
	lo, hi = f.c, f.c
	for v := from; v < b.nv; v++ {
		if d := f.k[v] * (b.n[v] - 1); d > 0 {
			hi += d
		} else {
			lo += d
		}
	}
	return lo, hi
}

// cut says how to divide a box in which something is not decided: by residues of t[v] modulo period, or where that is 0 into
// t[v] < at and the rest. trips is set where the trips of a loop are not decided: how many different ones work-items of a group have.
type cut struct {
	v      int
	at     int64
	period int64
	trips  int64
}

// maxPeriod bounds the parts that a division by residues makes.
const maxPeriod = 64

// cutAt finds where to divide the box to decide f >= 0 over the variables from v on.
func (b *box) cutAt(f *form, from int) cut {
	best, span := -1, int64(0)
	for v := from; v < b.nv; v++ {
		if s := max(f.k[v], -f.k[v]) * (b.n[v] - 1); s > span {
			best, span = v, s
		}
	}
	if best < 0 {
		return cut{v: -1}
	}
	lo, hi := b.interval(f, from)
	k, n := f.k[best], b.n[best]
	if k > 0 {
		hi -= k * (n - 1)
	} else {
		lo -= k * (n - 1)
	}
	// Of the rest, lo to hi: where k·t + lo >= 0 the answer is yes, where k·t + hi < 0 it is no.
	for _, rest := range []int64{lo, hi} {
		at := int64(0)
		if k > 0 {
			at = -intmath.FloorDiv(rest, k) // the least t with k·t + rest >= 0
		} else {
			at = intmath.FloorDiv(rest, -k) + 1 // the least t without
		}
		if 0 < at && at < n {
			return cut{v: best, at: at}
		}
	}
	return cut{v: best, at: n / 2}
}

// divided is such that the coefficients of f are den times those of whole and those of rest, which are small.
func (b *box) divided(f *form, den int64) (whole, rest form) {
	for v := range b.nv {
		if f.k[v] == 0 {
			continue
		}
		q := intmath.FloorDiv(f.k[v], den)
		part := f.k[v] - q*den
		if 2*part > den {
			q, part = q+1, part-den
		}
		whole.k[v], rest.k[v] = q, part
	}
	return whole, rest
}

// quotient is floor(f/den) as a form where it is one over the box, else how to divide the box.
func (b *box) quotient(f *form, den int64) (q form, why cut, ok bool) {
	q, rest := b.divided(f, den)
	rest.c = f.c
	lo, hi := b.interval(&rest, 0)
	if q.c = intmath.FloorDiv(lo, den); q.c == intmath.FloorDiv(hi, den) {
		return q, cut{}, true
	}
	for v := b.nv - 1; v >= 0; v-- {
		if k := rest.k[v]; k != 0 {
			if p := den / intmath.GCD(max(k, -k), den); p < b.n[v] && p <= maxPeriod && p > 1 {
				return q, cut{v: v, period: p}, false
			}
		}
	}
	rest.c -= den * (q.c + 1)
	return q, b.cutAt(&rest, 0), false
}

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
