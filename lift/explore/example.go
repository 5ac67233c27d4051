package explore

import (
	"fmt"

	"gpuperf/lift"
)

// Limits of examples: the numbers of an input and of the result, and the applications of functions.
const (
	exampleNumbers = 1 << 16
	exampleSteps   = 1 << 24
)

// CheckExample returns an error for a program without sizes for which Example would evaluate too many numbers.
func CheckExample(p *lift.Program) error {
	for _, t := range append(inputTypes(p), p.Type()) {
		if n := Elements(t); n > exampleNumbers {
			return fmt.Errorf("program %s has a value of %d numbers at these sizes, %v: at most %d are evaluated", p.Name, n, t, exampleNumbers)
		}
	}
	return nil
}

// Example evaluates a program without sizes: number i of an input is (7 i + 3) mod 16, divided by 8 for floating-point types. Starts of segments are
// those of Segments.
func Example(p *lift.Program) (lift.Value, error) {
	var inputs []lift.Value
	segments := Segments(p)
	for _, in := range p.Inputs {
		next := int64(-1)
		inputs = append(inputs, lift.NewValue(in.Type, func(_ int, t *lift.Type) lift.Value {
			next++
			if starts, ok := segments[in.Name]; ok {
				return lift.Exact(starts.Arg.Sequence.At(next), 1)
			}
			n, divisor := (7*next+3)%16, int64(1)
			if t.DType.IsFloat() {
				divisor = 8
			}
			return lift.Exact(n, divisor)
		}))
	}
	return lift.Eval(p, nil, inputs, lift.EvalOptions{MaxSteps: exampleSteps})
}

// ValueJSON is a value as nested lists of numbers in text form: 3, 55/32, 0.5; null for an unwritten element.
func ValueJSON(v lift.Value) any {
	switch v := v.(type) {
	case lift.Values:
		list := make([]any, len(v))
		for i, x := range v {
			list[i] = ValueJSON(x)
		}
		return list
	case lift.Num:
		return v.String()
	}
	return nil
}
