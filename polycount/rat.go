package polycount

import "math/big"

// rat is an exact rational: n/d with d > 0 in lowest terms, or b where that leaves 64 bits. The zero rat is not
// valid; ratInt(0) is 0.
type rat struct {
	n, d int64
	b    *big.Rat
}

func ratInt(n int64) rat { return rat{n: n, d: 1} }

func ratOf(n, d int64) rat {
	if d == 1 {
		return rat{n: n, d: 1}
	}
	return ratBig(new(big.Rat).SetFrac64(n, d))
}

// ratBig takes over r.
func ratBig(r *big.Rat) rat {
	if r.Num().IsInt64() && r.Denom().IsInt64() {
		return rat{n: r.Num().Int64(), d: r.Denom().Int64()}
	}
	return rat{b: r}
}

func (a rat) big() *big.Rat {
	if a.b != nil {
		return a.b
	}
	return big.NewRat(a.n, a.d)
}

func (a rat) isZero() bool { return a.b == nil && a.n == 0 }
func (a rat) isOne() bool  { return a.b == nil && a.n == 1 && a.d == 1 }

func (a rat) sign() int {
	if a.b != nil {
		return a.b.Sign()
	}
	return int(sign(a.n))
}

func (a rat) neg() rat { return a.mul(ratInt(-1)) }

func (a rat) equal(b rat) bool {
	if a.b != nil || b.b != nil {
		return a.b != nil && b.b != nil && a.b.Cmp(b.b) == 0
	}
	return a.n == b.n && a.d == b.d
}

func (a rat) add(b rat) rat {
	if a.b == nil && b.b == nil {
		if a.d == 1 && b.d == 1 {
			if n, ok := addOK(a.n, b.n); ok {
				return rat{n: n, d: 1}
			}
		} else if x, ok1 := mulOK(a.n, b.d); ok1 {
			y, ok2 := mulOK(b.n, a.d)
			d, ok3 := mulOK(a.d, b.d)
			if n, ok := addOK(x, y); ok && ok2 && ok3 {
				return reduced(n, d)
			}
		}
	}
	return ratBig(new(big.Rat).Add(a.big(), b.big()))
}

func reduced(n, d int64) rat {
	x, y := magnitude(n), uint64(d)
	for y != 0 {
		x, y = y, x%y
	}
	if x > 1 {
		return rat{n: n / int64(x), d: d / int64(x)}
	}
	return rat{n: n, d: d}
}

func (a rat) mul(b rat) rat {
	if a.b == nil && b.b == nil {
		n, ok := mulOK(a.n, b.n)
		if ok && a.d == 1 && b.d == 1 {
			return rat{n: n, d: 1}
		}
		if d, ok2 := mulOK(a.d, b.d); ok && ok2 {
			return reduced(n, d)
		}
	}
	return ratBig(new(big.Rat).Mul(a.big(), b.big()))
}

func (a rat) String() string { return a.big().RatString() }
