package arith

import (
	"errors"
	"math"
	"math/bits"

	"gpuperf/internal/throw"
)

// ErrOverflow is the error of arithmetic whose result does not fit into 64 bits.
var ErrOverflow = errors.New("coefficients of the constraints leave the 64-bit range")

func overflow() { panic(throw.Errorf("polycount: %w", ErrOverflow)) }

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
