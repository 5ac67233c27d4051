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

// Example evaluates a program without sizes: number i of an input is (7 i + 3) mod 16, divided by 8 for floating-point types.
func Example(p *lift.Program) (lift.Value, error) {
	var inputs []lift.Value
	for _, in := range p.Inputs {
		next := int64(0)
		inputs = append(inputs, exampleValue(in.Type, &next))
	}
	return lift.Eval(p, nil, inputs, lift.EvalOptions{MaxSteps: exampleSteps})
}

// exampleValue is a value of a type, with numbers from index next on.
func exampleValue(t *lift.Type, next *int64) lift.Value {
	var of []*lift.Type
	switch t.Kind {
	case lift.ArrayType:
		n, _ := t.Len.Const()
		for range n {
			of = append(of, t.Elem)
		}
	case lift.TupleType:
		of = t.Elems
	case lift.VectorType:
		for range t.Width {
			of = append(of, lift.Scalar(t.DType))
		}
	default:
		n := (7**next + 3) % 16
		*next++
		if t.DType.IsFloat() {
			return lift.Exact(n, 8)
		}
		return lift.Exact(n, 1)
	}
	out := make(lift.Values, len(of))
	for i, e := range of {
		out[i] = exampleValue(e, next)
	}
	return out
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
