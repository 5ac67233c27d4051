package arith

import (
	"math/big"
	"slices"
)

// Rat is an exact rational number: N/D in lowest terms with D > 0, or B where those do not fit into 64 bits. The zero
// Rat is not valid; RatInt(0) is 0.
type Rat struct {
	N, D int64
	B    *big.Rat
}

func RatInt(n int64) Rat { return Rat{N: n, D: 1} }

// Zeros are n times 0.
func Zeros(n int) []Rat { return slices.Repeat([]Rat{RatInt(0)}, n) }

func RatOf(n, d int64) Rat {
	if d == 1 {
		return Rat{N: n, D: 1}
	}
	return RatBig(new(big.Rat).SetFrac64(n, d))
}

// RatBig is the number r, which must not be changed afterwards.
func RatBig(r *big.Rat) Rat {
	if r.Num().IsInt64() && r.Denom().IsInt64() {
		return Rat{N: r.Num().Int64(), D: r.Denom().Int64()}
	}
	return Rat{B: r}
}

func (a Rat) Big() *big.Rat {
	if a.B != nil {
		return a.B
	}
	return big.NewRat(a.N, a.D)
}

func (a Rat) IsZero() bool { return a.B == nil && a.N == 0 }
func (a Rat) IsOne() bool  { return a.B == nil && a.N == 1 && a.D == 1 }

func (a Rat) Sign() int {
	if a.B != nil {
		return a.B.Sign()
	}
	return int(Sign(a.N))
}

func (a Rat) Neg() Rat { return a.Mul(RatInt(-1)) }

func (a Rat) Equal(b Rat) bool {
	if a.B != nil || b.B != nil {
		return a.B != nil && b.B != nil && a.B.Cmp(b.B) == 0
	}
	return a.N == b.N && a.D == b.D
}

func (a Rat) Add(b Rat) Rat {
	if a.B == nil && b.B == nil {
		if a.D == 1 && b.D == 1 {
			if n, ok := AddOK(a.N, b.N); ok {
				return Rat{N: n, D: 1}
			}
		} else if x, ok1 := MulOK(a.N, b.D); ok1 {
			y, ok2 := MulOK(b.N, a.D)
			d, ok3 := MulOK(a.D, b.D)
			if n, ok := AddOK(x, y); ok && ok2 && ok3 {
				return reduced(n, d)
			}
		}
	}
	return RatBig(new(big.Rat).Add(a.Big(), b.Big()))
}

func reduced(n, d int64) Rat {
	x, y := Magnitude(n), uint64(d)
	for y != 0 {
		x, y = y, x%y
	}
	if x > 1 {
		return Rat{N: n / int64(x), D: d / int64(x)}
	}
	return Rat{N: n, D: d}
}

func (a Rat) Mul(b Rat) Rat {
	if a.B == nil && b.B == nil {
		n, ok := MulOK(a.N, b.N)
		if ok && a.D == 1 && b.D == 1 {
			return Rat{N: n, D: 1}
		}
		if d, ok2 := MulOK(a.D, b.D); ok && ok2 {
			return reduced(n, d)
		}
	}
	return RatBig(new(big.Rat).Mul(a.Big(), b.Big()))
}

func (a Rat) String() string { return a.Big().RatString() }
