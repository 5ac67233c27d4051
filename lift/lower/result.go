package lower

import (
	"fmt"
	"math"

	"gpuperf/lift"
)

// Memory is an array with inputs or results of a lowered program.
type Memory interface {
	Defined(i int) bool // whether element i was written
	At(i int) float64
	Int(i int) int64 // of arrays of integers
}

// Read reads a value of a type with constant lengths from the arrays of its components, in the order of Lowered.Inputs and Outputs.
func Read[M Memory](t *lift.Type, arrays []M) lift.Value {
	next := make([]int, len(arrays))
	return lift.NewValue(t, func(k int, t *lift.Type) lift.Value {
		i := next[k]
		next[k]++
		switch {
		case !arrays[k].Defined(i):
			return lift.Unwritten{}
		case t.DType.IsFloat():
			return lift.Inexact(arrays[k].At(i))
		}
		return lift.Exact(arrays[k].Int(i), 1)
	})
}

// Compare returns an error if a result differs from the semantics of its program by more than the tolerance, relative for
// numbers above 1 and absolute for others. Elements that the program leaves unwritten are ignored.
func Compare(got, want lift.Value, tolerance float64) error {
	switch w := want.(type) {
	case lift.Unwritten:
		return nil
	case lift.Values:
		g, ok := got.(lift.Values)
		if !ok || len(g) != len(w) {
			return fmt.Errorf("the number of elements is not %d", len(w))
		}
		for i := range w {
			if err := Compare(g[i], w[i], tolerance); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
		return nil
	}
	g, ok := got.(lift.Num)
	if !ok {
		return fmt.Errorf("not written, want %v", want)
	}
	if x, y := g.Float64(), want.(lift.Num).Float64(); !near(x, y, tolerance) {
		return fmt.Errorf("%v, want %v", x, y)
	}
	return nil
}

// near reports whether two numbers agree; only infinity is near infinity.
func near(x, y, tolerance float64) bool {
	if x == y || math.IsNaN(x) && math.IsNaN(y) {
		return true
	}
	return !math.IsInf(x, 0) && !math.IsInf(y, 0) && math.Abs(x-y) <= tolerance*math.Max(1, math.Abs(y))
}
