package quasi

import (
	"math/big"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// Interval is a range of integers, both ends included.
type Interval struct{ Lo, Hi int64 }

// Enclosure returns bounds on the values of p where each variable is in its interval of box. The bounds may be wider
// than the values that occur; they include 0 where the pieces may not cover the box.
func Enclosure(w *linear.Work, p *Piecewise, box []Interval) (lo, hi *big.Rat) {
	base := &linear.Conj{N: len(box)}
	for i, v := range box {
		base.AddGE(linear.Plus(1+base.N, arith.Neg(v.Lo), 1, 1+i))
		base.AddGE(linear.Plus(1+base.N, v.Hi, -1, 1+i))
	}
	var total *span
	rest := []*linear.Conj{base}
	for _, x := range p.Pieces {
		d := linear.Conjunction(base, x.Dom)
		if !d.Simplify() || !w.Solvable(d.Question()) {
			continue
		}
		atoms := make([]span, 1, p.Table.Width())
		atoms[0] = spanOf(1, 1)
		for i, v := range box {
			v = shrink(w, d, 1+i, v)
			atoms = append(atoms, spanOf(v.Lo, v.Hi))
		}
		for _, f := range p.Table.Divs {
			s := spanOf(0, 0)
			for i, k := range f.Num {
				s = s.Add(atoms[i].Mul(spanOf(k, k)))
			}
			atoms = append(atoms, s.FloorDiv(f.Den))
		}
		s := x.Q.span(atoms)
		if total == nil {
			total = &s
		} else {
			*total = total.hull(s)
		}
		rest = w.Subtract(rest, []*linear.Conj{x.Dom})
	}
	zero := spanOf(0, 0)
	switch {
	case total == nil:
		total = &zero
	case !w.IsEmpty(rest):
		*total = total.hull(zero)
	}
	return total.lo, total.hi
}

// shrink narrows the interval of column at to the values that occur in c.
func shrink(w *linear.Work, c *linear.Conj, at int, v Interval) Interval {
	holds := func(lo, hi int64) bool {
		s := c.Flat()
		s.Ge = append(s.Ge, linear.Plus(s.Width, arith.Neg(lo), 1, at), linear.Plus(s.Width, hi, -1, at))
		return w.Feasible(s)
	}
	// The least value: the smallest hi for which [v.Lo, hi] is met.
	lo, hi := v.Lo, v.Hi
	for lo < hi {
		m := lo + int64(uint64(hi-lo)/2)
		if holds(v.Lo, m) {
			hi = m
		} else {
			lo = m + 1
		}
	}
	least := lo
	lo, hi = least, v.Hi
	for lo < hi {
		m := hi - int64(uint64(hi-lo)/2)
		if holds(m, v.Hi) {
			lo = m
		} else {
			hi = m - 1
		}
	}
	return Interval{least, lo}
}

// span is a closed interval of rationals.
type span struct{ lo, hi *big.Rat }

func spanOf(lo, hi int64) span {
	return span{new(big.Rat).SetInt64(lo), new(big.Rat).SetInt64(hi)}
}

func (a span) Add(b span) span {
	return span{new(big.Rat).Add(a.lo, b.lo), new(big.Rat).Add(a.hi, b.hi)}
}

func (a span) Mul(b span) span {
	var out span
	for _, x := range []*big.Rat{a.lo, a.hi} {
		for _, y := range []*big.Rat{b.lo, b.hi} {
			v := new(big.Rat).Mul(x, y)
			if out.lo == nil || v.Cmp(out.lo) < 0 {
				out.lo = v
			}
			if out.hi == nil || v.Cmp(out.hi) > 0 {
				out.hi = v
			}
		}
	}
	return out
}

func (a span) hull(b span) span {
	if b.lo.Cmp(a.lo) < 0 {
		a.lo = b.lo
	}
	if b.hi.Cmp(a.hi) > 0 {
		a.hi = b.hi
	}
	return a
}

func (a span) FloorDiv(d int64) span {
	down := func(r *big.Rat) *big.Rat {
		v := new(big.Rat).Quo(r, new(big.Rat).SetInt64(d))
		q, m := new(big.Int), new(big.Int)
		q.DivMod(v.Num(), v.Denom(), m)
		return new(big.Rat).SetInt(q)
	}
	return span{down(a.lo), down(a.hi)}
}

// power is the range of x^n, tighter than repeated products for even n.
func (a span) power(n int) span {
	out := spanOf(1, 1)
	for range n {
		out = out.Mul(a)
	}
	if n%2 == 0 {
		if a.lo.Sign() >= 0 || a.hi.Sign() <= 0 {
			x, y := spanOf(1, 1), spanOf(1, 1)
			for range n {
				x, y = x.Mul(span{a.lo, a.lo}), y.Mul(span{a.hi, a.hi})
			}
			return span{x.lo, x.lo}.hull(y)
		}
		out.lo = new(big.Rat)
	}
	return out
}

func (q Quasi) span(atoms []span) span {
	sum := spanOf(0, 0)
	for _, t := range q {
		term := span{t.C.Big(), t.C.Big()}
		for k := 0; k < len(t.Factors); {
			at, n := AtomAt(t.Factors, k), 0
			for ; k < len(t.Factors) && AtomAt(t.Factors, k) == at; k += 2 {
				n++
			}
			term = term.Mul(atoms[at].power(n))
		}
		sum = sum.Add(term)
	}
	return sum
}
