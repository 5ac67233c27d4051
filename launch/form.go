package launch

import "gpuperf/internal/intmath"

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
