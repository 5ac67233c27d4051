package intmath_test

import (
	"testing"

	"gpuperf/internal/intmath"
)

func TestFloor(t *testing.T) {
	for a := int64(-20); a <= 20; a++ {
		for _, b := range []int64{-7, -3, -1, 1, 2, 5} {
			q, r := intmath.FloorDiv(a, b), intmath.Mod(a, b)
			if q*b+r != a || r != 0 && (r < 0) != (b < 0) || r*r >= b*b {
				t.Errorf("%d = %d·%d + %d", a, b, q, r)
			}
			if up := intmath.CeilDiv(a, b); up != q && up != q+1 || (up == q) != (r == 0) {
				t.Errorf("⌈%d/%d⌉ is %d, the floor %d", a, b, up, q)
			}
		}
	}
}

func TestGCD(t *testing.T) {
	for _, c := range [][3]int64{{0, 0, 0}, {0, 4, 4}, {4, 0, 4}, {12, 18, 6}, {7, 5, 1}} {
		if got := intmath.GCD(c[0], c[1]); got != c[2] {
			t.Errorf("GCD(%d, %d) is %d, not %d", c[0], c[1], got, c[2])
		}
	}
}
