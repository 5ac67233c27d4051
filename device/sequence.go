package device

import (
	"fmt"
	"math"

	"gpuperf/internal/intmath"
)

// Sequence gives element i of a buffer the value floor((Mul*i + Add)/Div) mod Mod, in place of random numbers:
// what indices and bounds of loops are read from. Div and Mod are positive, or 0 for none. Terms are added to Mul*i + Add.
type Sequence struct {
	Mul   int64  `json:"mul,omitempty"`
	Add   int64  `json:"add,omitempty"`
	Div   int64  `json:"div,omitempty"`
	Mod   int64  `json:"mod,omitempty"`
	Terms []Term `json:"terms,omitempty"`
}

// Term is a multiple of another sequence.
type Term struct {
	Times int64    `json:"times"`
	Of    Sequence `json:"of"`
}

// At is element i.
func (s Sequence) At(i int64) int64 {
	v := s.Mul*i + s.Add
	for _, t := range s.Terms {
		v += t.Times * t.Of.At(i)
	}
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
	most, err := s.most(n)
	switch {
	case err != nil:
		return err
	case most > 1<<62:
		return fmt.Errorf("a sequence that leaves the range of 64 bits")
	case most > 0 && dtypes[dtype].float && dtypes[dtype].size == 2:
		return fmt.Errorf("a sequence of integers in a buffer of %s", dtype)
	}
	return nil
}

// most is a bound of the magnitude of what n elements are computed from.
func (s Sequence) most(n int64) (float64, error) {
	if s.Div < 0 || s.Mod < 0 {
		return 0, fmt.Errorf("a sequence with a negative divisor")
	}
	sum := math.Abs(float64(s.Mul))*float64(n) + math.Abs(float64(s.Add))
	for _, t := range s.Terms {
		m, err := t.Of.most(n)
		if err != nil {
			return 0, err
		}
		sum += math.Abs(float64(t.Times)) * m
	}
	return sum, nil
}
