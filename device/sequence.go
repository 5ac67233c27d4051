package device

import (
	"fmt"

	"gpuperf/internal/intmath"
)

// Sequence gives element i of an integer buffer the value floor((Mul*i + Add)/Div) mod Mod, in place of random numbers:
// what indices and bounds of loops are read from. Div and Mod are positive, or 0 for none.
type Sequence struct {
	Mul int64 `json:"mul,omitempty"`
	Add int64 `json:"add,omitempty"`
	Div int64 `json:"div,omitempty"`
	Mod int64 `json:"mod,omitempty"`
}

// At is element i.
func (s Sequence) At(i int64) int64 {
	v := s.Mul*i + s.Add
	if s.Div > 1 {
		v = intmath.FloorDiv(v, s.Div)
	}
	if s.Mod > 0 {
		v = intmath.Mod(v, s.Mod)
	}
	return v
}

// check reports what is wrong with the sequence for n elements of the dtype.
func (s Sequence) check(dtype string, n int64) error {
	const limit = 1 << 62
	switch {
	case DTypeIsFloat(dtype):
		return fmt.Errorf("a sequence of integers in a buffer of %s", dtype)
	case s.Div < 0 || s.Mod < 0:
		return fmt.Errorf("a sequence with a negative divisor")
	case n > 0 && (s.Mul > limit/n || s.Mul < -limit/n || s.Add > limit || s.Add < -limit):
		return fmt.Errorf("a sequence that leaves the range of 64 bits")
	}
	return nil
}
