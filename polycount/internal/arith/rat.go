package arith

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
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

// ErrOverflow is the error of arithmetic whose result does not fit into 64 bits.
var ErrOverflow = errors.New("coefficients of the constraints leave the 64-bit range")

// Fault is the only value that this module panics with on purpose: it carries an error from deep inside a recursive
// algorithm to the exported function that rescues it.
type Fault struct{ Err error }

func (f Fault) Error() string { return f.Err.Error() }
func (f Fault) Unwrap() error { return f.Err }

// Rescue turns a Fault into an error and lets other panics through. Defer it with the address of the error result.
func Rescue(err *error) {
	switch r := recover().(type) {
	case nil:
	case Fault:
		*err = r.Err
	default:
		panic(r)
	}
}

// Throw panics with err as a Fault.
func Throw(err error) { panic(Fault{err}) }

// Try runs f and returns the error of the Fault that ended it, or nil.
func Try(f func()) (err error) {
	defer Rescue(&err)
	f()
	return nil
}

// Fail throws a formatted error.
func Fail(format string, args ...any) { panic(Fault{fmt.Errorf(format, args...)}) }

func overflow() { panic(Fault{fmt.Errorf("polycount: %w", ErrOverflow)}) }

// Add is a + b. Like Neg, Sub, Mul, Abs and Lcm it throws ErrOverflow where the result does not fit.
func Add(a, b int64) int64 {
	c := a + b
	if (c^a)&(c^b) < 0 {
		overflow()
	}
	return c
}

func Neg(a int64) int64 {
	if a == math.MinInt64 {
		overflow()
	}
	return -a
}

func Sub(a, b int64) int64 { return Add(a, Neg(b)) }

func Mul(a, b int64) int64 {
	if int64(int32(a)) == a && int64(int32(b)) == b {
		return a * b
	}
	c, ok := MulOK(a, b)
	if !ok {
		overflow()
	}
	return c
}

// AddOK is a + b; ok is false where it does not fit.
func AddOK(a, b int64) (int64, bool) {
	c := a + b
	return c, (c^a)&(c^b) >= 0
}

// MulOK is a·b; ok is false where it does not fit, and for a result of −2⁶³.
func MulOK(a, b int64) (int64, bool) {
	if int64(int32(a)) == a && int64(int32(b)) == b {
		return a * b, true
	}
	hi, lo := bits.Mul64(Magnitude(a), Magnitude(b))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int64(lo), true
	}
	return int64(lo), true
}

func Magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

func Abs(a int64) int64 {
	if a < 0 {
		return Neg(a)
	}
	return a
}

func Sign(a int64) int64 {
	switch {
	case a < 0:
		return -1
	case a > 0:
		return 1
	}
	return 0
}

// Gcd is the greatest common divisor, not negative; that of 0 and 0 is 0.
func Gcd(a, b int64) int64 {
	a, b = Abs(a), Abs(b)
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func Lcm(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	return Abs(Mul(a/Gcd(a, b), b))
}

// FloorDiv is ⌊a/b⌋ for b > 0.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// CeilDiv is ⌈a/b⌉ for b > 0.
func CeilDiv(a, b int64) int64 {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}

// Mod is a − b·⌊a/b⌋ for b > 0.
func Mod(a, b int64) int64 {
	r := a % b
	if r < 0 {
		r += b
	}
	return r
}

// Centred is the residue of a modulo d in (−d/2, d/2], for d > 0.
func Centred(a, d int64) int64 {
	r := Mod(a, d)
	if r > d-r {
		r -= d
	}
	return r
}

// Inverse is the inverse of a modulo m, for coprime a and m.
func Inverse(a, m int64) int64 {
	r0, r1, t0, t1 := m, Mod(a, m), int64(0), int64(1)
	for r1 != 0 {
		q := r0 / r1
		r0, r1 = r1, r0-q*r1
		t0, t1 = t1, t0-q*t1
	}
	return Mod(t0, m)
}
