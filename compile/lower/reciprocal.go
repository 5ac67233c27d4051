package lower

import (
	"math"
	"math/bits"

	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

// longByConstant divides 64-bit integers by a number: by the high half of a product with its reciprocal, as compilers do (Warren, "Hacker's Delight", 10-1 and 10-9). What has
// 32 bits is divided as such.
func (l *lowering) longByConstant(t expr.DType, x *ssa.Value, d int64) *ssa.Value {
	switch {
	case t.IsSigned() && x.Op == ssa.Sext && d == int64(int32(d)):
		return l.Make(ssa.Sext, ssa.D, l.quotient(expr.Int32, x.Args[0], l.Const(d)))
	case x.Op == ssa.Zext && d > 0 && d <= math.MaxUint32:
		return l.Make(ssa.Zext, ssa.D, l.quotient(expr.Uint32, x.Args[0], l.Const(d)))
	case t.IsSigned() && (d > 1 || d < -1 && d > math.MinInt64):
		return l.signedByReciprocal(x, d)
	case !t.IsSigned() && d > 0:
		return l.unsignedByReciprocal(x, uint64(d))
	case t.IsSigned() && d == -1:
		return l.Make(ssa.Sub, ssa.D, l.Const64(0), x)
	}
	// so great that it goes in once or not at all
	once := l.MakeAux(ssa.Cmp, ssa.Pred, map[bool]string{true: "EQ", false: "GEU"}[t.IsSigned()], x, l.Const64(d))
	return l.Make(ssa.Select, ssa.D, once, l.Const64(1), l.Const64(0))
}

func (l *lowering) unsignedByReciprocal(x *ssa.Value, d uint64) *ssa.Value {
	most := bits.Len64(d - 1) // d is at most 2 to the power of that
	for s := range most {
		q, rest := bits.Div64(1<<s, 0, d)
		if d-rest <= 1<<s {
			return l.Make(ssa.ShrU, ssa.D, l.called("mul_hiul", x, l.Const64(int64(q+1))), l.Const(int64(s)))
		}
	}
	if z := bits.TrailingZeros64(d); z > 0 { // the factor 2 first
		return l.unsignedByReciprocal(l.Make(ssa.ShrU, ssa.D, x, l.Const(int64(z))), d>>z)
	}
	q, _ := bits.Div64(1<<(most-1)*2-d, 0, d) // less 2 to the power of 64
	high := l.called("mul_hiul", x, l.Const64(int64(q+1)))
	half := l.Make(ssa.ShrU, ssa.D, l.Make(ssa.Sub, ssa.D, x, high), l.Const(1))
	return l.Make(ssa.ShrU, ssa.D, l.Make(ssa.Add, ssa.D, half, high), l.Const(int64(most-1)))
}

func (l *lowering) signedByReciprocal(x *ssa.Value, d int64) *ssa.Value {
	m, shift := reciprocal(d)
	q := l.called("mul_hil", x, l.Const64(m))
	if d > 0 && m < 0 {
		q = l.Make(ssa.Add, ssa.D, q, x)
	} else if d < 0 && m > 0 {
		q = l.Make(ssa.Sub, ssa.D, q, x)
	}
	q = l.Make(ssa.ShrS, ssa.D, q, l.Const(int64(shift)))
	return l.Make(ssa.Add, ssa.D, q, l.Make(ssa.ShrU, ssa.D, q, l.Const(63)))
}

// reciprocal is a number of which 2 to the power of 64 and a shift is the product with d, about.
func reciprocal(d int64) (m int64, shift int) {
	const half = uint64(1) << 63 // of all numbers
	size := uint64(max(d, -d))
	t := half + uint64(d)>>63
	limit := t - 1 - t%size
	p := 63
	q1, r1, q2, r2 := half/limit, half%limit, half/size, half%size
	for {
		p++
		q1, r1 = 2*q1, 2*r1
		if r1 >= limit {
			q1, r1 = q1+1, r1-limit
		}
		q2, r2 = 2*q2, 2*r2
		if r2 >= size {
			q2, r2 = q2+1, r2-size
		}
		if delta := size - r2; q1 > delta || q1 == delta && r1 != 0 {
			break
		}
	}
	m = int64(q2 + 1)
	if d < 0 {
		m = -m
	}
	return m, p - 64
}
