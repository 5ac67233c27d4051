package polycount

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// overflowError is that of arithmetic whose result has more than 64 bits.
var overflowError = errors.New("coefficients of the constraints leave the 64-bit range")

// fault carries an error through the recursive algorithms to the exported call that recovers it. It is an error itself,
// so that code with a recovery of its own can ask errors.Is(err, overflowError) of what it recovers.
type fault struct{ err error }

func (f fault) Error() string { return f.err.Error() }
func (f fault) Unwrap() error { return f.err }

// rescue turns a fault into an error, and lets other panics through. To be deferred with the address of the function's
// error result.
func rescue(err *error) {
	switch r := recover().(type) {
	case nil:
	case fault:
		*err = r.err
	default:
		panic(r)
	}
}

func fail(format string, args ...any) { panic(fault{fmt.Errorf(format, args...)}) }

func overflow() { panic(fault{fmt.Errorf("polycount: %w", overflowError)}) }

func add(a, b int64) int64 {
	c := a + b
	if (c^a)&(c^b) < 0 {
		overflow()
	}
	return c
}

func neg(a int64) int64 {
	if a == math.MinInt64 {
		overflow()
	}
	return -a
}

func sub(a, b int64) int64 { return add(a, neg(b)) }

func mul(a, b int64) int64 {
	if int64(int32(a)) == a && int64(int32(b)) == b {
		return a * b
	}
	c, ok := mulOK(a, b)
	if !ok {
		overflow()
	}
	return c
}

func addOK(a, b int64) (int64, bool) {
	c := a + b
	return c, (c^a)&(c^b) >= 0
}

func mulOK(a, b int64) (int64, bool) {
	if int64(int32(a)) == a && int64(int32(b)) == b {
		return a * b, true
	}
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int64(lo), true
	}
	return int64(lo), true
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

func abs(a int64) int64 {
	if a < 0 {
		return neg(a)
	}
	return a
}

func sign(a int64) int64 {
	switch {
	case a < 0:
		return -1
	case a > 0:
		return 1
	}
	return 0
}

// gcd of two integers, non-negative; gcd(0, 0) = 0.
func gcd(a, b int64) int64 {
	a, b = abs(a), abs(b)
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func lcm(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	return abs(mul(a/gcd(a, b), b))
}

// floorDiv is ⌊a/b⌋ for b > 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// ceilDiv is ⌈a/b⌉ for b > 0.
func ceilDiv(a, b int64) int64 {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}

// mod is a − b·⌊a/b⌋ for b > 0.
func mod(a, b int64) int64 {
	r := a % b
	if r < 0 {
		r += b
	}
	return r
}

// centred is the residue of a modulo d in (−d/2, d/2].
func centred(a, d int64) int64 {
	r := mod(a, d)
	if r > d-r {
		r -= d
	}
	return r
}

// inverse of a modulo m where gcd(a, m) = 1.
func inverse(a, m int64) int64 {
	r0, r1, t0, t1 := m, mod(a, m), int64(0), int64(1)
	for r1 != 0 {
		q := r0 / r1
		r0, r1 = r1, r0-q*r1
		t0, t1 = t1, t0-q*t1
	}
	return mod(t0, m)
}
