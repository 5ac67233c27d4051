package linear

import (
	"math"

	"gpuperf/internal/intmath"
	"gpuperf/polycount"
)

// What the ranges of axes and loops say about an expression is used once, for all that read the program: an axis of extent one
// is 0, and a quotient that has the same value everywhere is this value.

// interval is a range of integers, both ends included.
type interval struct{ lo, hi int64 }

// ranges are those of axes and sequential inames, where they are known.
type ranges map[string]interval

// least is the smallest value that the ranges allow for an expression; ok is false where it is not known.
func (r ranges) least(a polycount.Affine) (v int64, ok bool) {
	if a.Err() != nil {
		return 0, false
	}
	sum := polycount.Int(a.Constant())
	for _, t := range a.All() {
		x, known := r.term(t)
		if !known {
			return 0, false
		}
		end := x.lo
		if t.Coeff < 0 {
			end = x.hi
		}
		sum = sum.AddScaled(t.Coeff, polycount.Int(end))
	}
	return sum.Constant(), sum.Err() == nil
}

func (r ranges) of(a polycount.Affine) (x interval, ok bool) {
	lo, ok := r.least(a)
	most, ok2 := r.least(a.Neg())
	return interval{lo, -most}, ok && ok2
}

// term is the range of a term without its coefficient.
func (r ranges) term(t polycount.Term) (x interval, ok bool) {
	if t.Floor == nil {
		x, ok = r[t.Name]
		return x, ok
	}
	x, ok = r.of(t.Floor.Num)
	return interval{intmath.FloorDiv(x.lo, t.Floor.Den), intmath.FloorDiv(x.hi, t.Floor.Den)}, ok
}

// fold is an expression with the same values in the ranges, as short as they allow.
func (r ranges) fold(a polycount.Affine) polycount.Affine {
	if a.Err() != nil || !r.shortens(a) {
		return a
	}
	out := polycount.Int(a.Constant())
	for _, t := range a.All() {
		part := polycount.Name(t.Name)
		if t.Floor != nil {
			part = r.quotient(r.fold(t.Floor.Num), t.Floor.Den)
		} else if x, ok := r[t.Name]; ok && x.lo == x.hi {
			part = polycount.Int(x.lo)
		}
		out = out.AddScaled(t.Coeff, part)
	}
	if out.Err() != nil {
		return a
	}
	return out
}

// quotient is ⌊num/den⌋. With 0 <= i < 4, ⌊(4·x + i)/16⌋ is ⌊x/4⌋.
func (r ranges) quotient(num polycount.Affine, den int64) polycount.Affine {
	if x, ok := r.of(num); ok {
		if lo, hi := intmath.FloorDiv(x.lo, den), intmath.FloorDiv(x.hi, den); lo == hi {
			return polycount.Int(lo)
		}
	}
	for _, t := range num.All() {
		if g := max(t.Coeff, -t.Coeff); 1 < g && g < den && den%g == 0 {
			if q := r.fold(num.FloorDiv(g)); !q.HasFloor() {
				return q.FloorDiv(den / g)
			}
		}
	}
	return num.FloorDiv(den)
}

// shortens reports whether there may be something to fold.
func (r ranges) shortens(a polycount.Affine) bool {
	for _, t := range a.All() {
		if x, ok := r[t.Name]; t.Floor != nil || ok && x.lo == x.hi {
			return true
		}
	}
	return false
}

// bound folds a bound of a loop, which rounds up or down.
func (r ranges) bound(b polycount.Bound, up bool) polycount.Bound {
	b.Num = r.fold(b.Num)
	div := intmath.FloorDiv
	if up {
		div = intmath.CeilDiv
	}
	if x, ok := r.of(b.Num); ok && b.Den > 1 && div(x.lo, b.Den) == div(x.hi, b.Den) {
		return polycount.Bound{Num: polycount.Int(div(x.lo, b.Den)), Den: 1}
	}
	return b
}

func (r ranges) loop(l *Loop) (x interval, ok bool) {
	x = interval{math.MinInt64, math.MaxInt64}
	var low, high bool
	for _, b := range l.Lower {
		if v, ok := r.least(b.Num); ok {
			x.lo, low = max(x.lo, intmath.CeilDiv(v, b.Den)), true
		}
	}
	for _, b := range l.Upper {
		if v, ok := r.least(b.Num.Neg()); ok {
			x.hi, high = min(x.hi, intmath.FloorDiv(-v, b.Den)), true
		}
	}
	return x, low && high && x.lo <= x.hi
}

func (n *Nest) foldNodes(body []Node) {
	for _, node := range body {
		switch x := node.(type) {
		case *Guard:
			for i, c := range x.Conds {
				if a := n.ranges.fold(c.Affine); !a.IsConstant() {
					x.Conds[i].Affine = a
				}
			}
			n.foldNodes(x.Body)
		case *Loop:
			for i := range x.Lower {
				x.Lower[i] = n.ranges.bound(x.Lower[i], true)
			}
			for i := range x.Upper {
				x.Upper[i] = n.ranges.bound(x.Upper[i], false)
			}
			if values, ok := n.ranges.loop(x); ok {
				n.ranges[x.Iname] = values
			}
			n.foldNodes(x.Body)
		}
	}
}
