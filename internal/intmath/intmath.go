// Package intmath is integer arithmetic with floor semantics, as index expressions have it.
package intmath

// FloorDiv is ⌊a/b⌋, b ≠ 0.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// CeilDiv is ⌈a/b⌉, b ≠ 0.
func CeilDiv(a, b int64) int64 { return -FloorDiv(-a, b) }

// Mod is a − b·⌊a/b⌋, b ≠ 0: it has the sign of b.
func Mod(a, b int64) int64 { return a - b*FloorDiv(a, b) }

// GCD is the greatest common divisor of two natural numbers; GCD(0, 0) is 0.
func GCD(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
