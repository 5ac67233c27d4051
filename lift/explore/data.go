package explore

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gpuperf/device"
	"gpuperf/kernel/expr"
	"gpuperf/lift"
)

// CheckData returns an error for data that arrays of integers cannot hold, or whose indices are outside the arrays that they
// select from. at is the program at the sizes of the space.
func CheckData(at *lift.Program, data map[string]device.Sequence) error {
	for _, name := range slices.Sorted(maps.Keys(data)) {
		s := data[name]
		i := slices.IndexFunc(at.Inputs, func(in lift.Param) bool { return in.Name == name })
		if i < 0 {
			return fmt.Errorf("program %s has no input %s to hold data", at.Name, name)
		}
		t := at.Inputs[i].Type
		_, elem := t.Shape()
		if t.Kind != lift.ArrayType || elem.Kind != lift.ScalarType || !elem.DType.IsInteger() {
			return fmt.Errorf("input %s is %s: data is for arrays of integers", name, t)
		}
		if s.Div < 1 || s.Mod < 1 {
			return fmt.Errorf("data of %s: it is divided by %d and taken modulo %d, which are at least 1", name, s.Div, s.Mod)
		}
		if s.Mul < 0 || s.Add < 0 {
			return fmt.Errorf("data of %s: %d*i + %d: neither may be negative", name, s.Mul, s.Add)
		}
		if n := Elements(t); s.Mul > 0 && n > (math.MaxInt64-s.Add)/s.Mul {
			return fmt.Errorf("data of %s: element %d is too great for 64 bits", name, n-1)
		}
		if n, most := Elements(t), greatest(elem.DType); n > 0 && min(s.Mod-1, (s.Mul*(n-1)+s.Add)/s.Div) > most {
			return fmt.Errorf("data of %s: numbers above %d, the greatest %s", name, most, elem.DType)
		}
		if longest := longestIndexed(at.Body); longest > 0 && s.Mod > longest {
			return fmt.Errorf("data of %s: numbers up to %d, and the longest array that it can choose from has %d elements", name, s.Mod-1, longest)
		}
	}
	return nil
}

// greatest is the greatest number of an integer type, that of int64 for wider ones.
func greatest(d expr.DType) int64 {
	bits := 8 * d.Size()
	if d.IsSigned() {
		bits--
	}
	return math.MaxInt64 >> max(63-bits, 0)
}

// longestIndexed is the length of the longest array that is accessed at computed indices, 0 without one.
func longestIndexed(body *lift.Term) (longest int64) {
	lift.Walk(body, lift.Set(lift.At), func(t *lift.Term) {
		if t.Kids[0].Op == lift.Literal || t.Kids[0].Op == lift.SizeLit {
			return
		}
		if n, ok := t.Arg().Type.Len.Const(); ok {
			longest = max(longest, n)
		}
	})
	return longest
}

// dataPrefix begins the names of arguments that say what an input holds.
const dataPrefix = "data_"

// dataArgs are the arguments that distinguish samples with different data.
func dataArgs(data map[string]device.Sequence) map[string]string {
	args := map[string]string{}
	for name, s := range data {
		args[dataPrefix+name] = fmt.Sprintf("(%d*i+%d)/%d%%%d", s.Mul, s.Add, s.Div, s.Mod)
	}
	return args
}
