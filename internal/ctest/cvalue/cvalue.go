// Package cvalue is for tests: numbers as C computes with them. The interpreters of the C text of loop nests and of kernel functions share it.
package cvalue

import (
	"math"

	"gpuperf/kernel/expr"
)

// Number is a value of a type that is known elsewhere: an integer, that of uint64 as the same bits, or a float.
type Number struct {
	I int64
	F float64
}

// Bit is 1 for true.
func Bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Wrap is an integer as a type has it.
func Wrap(t expr.DType, i int64) int64 {
	switch t {
	case expr.Bool:
		return Bit(i != 0)
	case expr.Int8:
		return int64(int8(i))
	case expr.Uint8:
		return int64(uint8(i))
	case expr.Int16:
		return int64(int16(i))
	case expr.Uint16:
		return int64(uint16(i))
	case expr.Int32:
		return int64(int32(i))
	case expr.Uint32:
		return int64(uint32(i))
	}
	return i
}

// Round is a float as a type has it.
func Round(t expr.DType, f float64) float64 {
	switch {
	case t == expr.Float32:
		return float64(float32(f))
	case t != expr.Float16 || f == 0 || math.IsNaN(f) || math.IsInf(f, 0):
		return f
	}
	_, exponent := math.Frexp(f)
	unit := math.Ldexp(1, max(exponent, -13)-11) // of the last of 11 binary digits
	if f = math.RoundToEven(f/unit) * unit; math.Abs(f) > 65504 {
		return math.Inf(int(math.Copysign(1, f)))
	}
	return f
}

// Truth is whether a number of type t is not 0.
func Truth(t expr.DType, x Number) bool {
	if t.IsFloat() {
		return x.F != 0
	}
	return x.I != 0
}

// Convert is a number of one type as one of another. Floats that no long holds become 0.
func Convert(x Number, from, to expr.DType) Number {
	switch {
	case from == to:
		return x
	case to.IsFloat() && from.IsFloat():
		return Number{F: Round(to, x.F)}
	case to.IsFloat() && from == expr.Uint64:
		return Number{F: Round(to, float64(uint64(x.I)))}
	case to.IsFloat():
		return Number{F: Round(to, float64(x.I))}
	case from.IsFloat() && to == expr.Bool:
		return Number{I: Bit(x.F != 0)}
	case from.IsFloat() && math.Abs(x.F) < 1<<63:
		return Number{I: Wrap(to, int64(x.F))}
	case from.IsFloat():
		return Number{}
	}
	return Number{I: Wrap(to, x.I)}
}

// Arithmetic is x op y for operands of type t; ok is false for an operator that it does not know. Integers divided by zero are 0.
func Arithmetic(op string, t expr.DType, x, y Number) (out Number, ok bool) {
	if t.IsFloat() {
		out, ok = floats(op, x.F, y.F)
		out.F = Round(t, out.F)
		return out, ok
	}
	i, ok := integers(op, t, x.I, y.I)
	return Number{I: Wrap(t, i)}, ok
}

func floats(op string, x, y float64) (Number, bool) {
	switch op {
	case "+":
		return Number{F: x + y}, true
	case "-":
		return Number{F: x - y}, true
	case "*":
		return Number{F: x * y}, true
	case "/":
		return Number{F: x / y}, true
	}
	return Number{}, false
}

func integers(op string, t expr.DType, x, y int64) (int64, bool) {
	width := uint64(t.Size()*8 - 1)
	unsigned := t == expr.Uint64
	switch op {
	case "+":
		return x + y, true
	case "-":
		return x - y, true
	case "*":
		return x * y, true
	case "/", "%":
		switch {
		case y == 0:
			return 0, true
		case unsigned && op == "/":
			return int64(uint64(x) / uint64(y)), true
		case unsigned:
			return int64(uint64(x) % uint64(y)), true
		case op == "/":
			return x / y, true
		}
		return x % y, true
	case "<<":
		return x << (uint64(y) & width), true
	case ">>":
		if unsigned {
			return int64(uint64(x) >> (uint64(y) & width)), true
		}
		return x >> (uint64(y) & width), true
	case "&":
		return x & y, true
	case "|":
		return x | y, true
	case "^":
		return x ^ y, true
	}
	return 0, false
}

// Comparisons are the operators of comparisons.
var Comparisons = map[string]bool{"<": true, "<=": true, ">": true, ">=": true, "==": true, "!=": true}

// Compare is x op y for operands of type t.
func Compare(op string, t expr.DType, x, y Number) bool {
	var less, more bool
	switch {
	case t.IsFloat() && (math.IsNaN(x.F) || math.IsNaN(y.F)):
		return op == "!="
	case t.IsFloat():
		less, more = x.F < y.F, x.F > y.F
	case t == expr.Uint64:
		less, more = uint64(x.I) < uint64(y.I), uint64(x.I) > uint64(y.I)
	default:
		less, more = x.I < y.I, x.I > y.I
	}
	return map[string]bool{"<": less, "<=": !more, ">": more, ">=": !less, "==": !less && !more, "!=": less || more}[op]
}

// Unary is op x for an operand of type t, which is - or ~.
func Unary(op string, t expr.DType, x Number) Number {
	switch op {
	case "-":
		return Number{I: Wrap(t, -x.I), F: -x.F}
	case "~":
		return Number{I: Wrap(t, ^x.I)}
	}
	return x
}

// Function is a mathematical function of C or a kernel language, of floats; ok is false for others.
func Function(name string, args ...float64) (y float64, ok bool) {
	if f := expr.Math1[name]; f != nil && len(args) == 1 {
		return f(args[0]), true
	}
	if f := expr.Math2[name]; f != nil && len(args) == 2 {
		return f(args[0], args[1]), true
	}
	return 0, false
}
