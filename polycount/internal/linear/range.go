package linear

import "gpuperf/polycount/internal/arith"

// Range is what bounds leave of one variable.
type Range struct {
	Lo, Hi       int64
	HasLo, HasHi bool
}

// Bound narrows the range to where k·x + c ≥ 0, k ≠ 0.
func (r *Range) Bound(k, c int64) {
	if k > 0 {
		if v := arith.CeilDiv(arith.Neg(c), k); !r.HasLo || v > r.Lo {
			r.Lo, r.HasLo = v, true
		}
	} else if v := arith.FloorDiv(c, arith.Neg(k)); !r.HasHi || v < r.Hi {
		r.Hi, r.HasHi = v, true
	}
}

// RangeOf is what the inequalities with nothing but column at leave it.
func RangeOf(ge []Row, at int) (r Range) {
	for _, x := range ge {
		k := x[at]
		x[at] = 0
		if k != 0 && IsZero(x[1:]) {
			r.Bound(k, x[0])
		}
		x[at] = k
	}
	return r
}
