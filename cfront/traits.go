package cfront

import (
	"math"
	"strings"

	"gpuperf/kernel/expr"
)

// limit reads a member of std::numeric_limits, after its name.
func (p *parser) limit(at Pos) value {
	args := p.templateArguments()
	if len(args) != 1 || args[0].t == nil || args[0].t.form != numberForm {
		p.fail(at, "numeric_limits takes a type of numbers")
	}
	t := args[0].t
	p.expect("::")
	what := p.name()
	if p.accept("(") {
		p.expect(")")
	}
	if t.dtype.IsInteger() {
		if n, ok := integerLimit(t.dtype, what.Text); ok {
			return value{&Int{t.typed(at), n}, t}
		}
	} else if x, ok := realLimits[t.dtype][what.Text]; ok {
		return floatValue(at, x, t.dtype)
	}
	p.fail(Pos(what.At), "numeric_limits<%s>::%s is not known", t, what.Text)
	return value{}
}

func integerLimit(t expr.DType, what string) (int64, bool) {
	bits := 8 * t.Size()
	least, most := int64(0), int64(-1) // of 64 bits without a sign, the bits of the largest
	switch {
	case t.IsSigned():
		least, most = -1<<(bits-1), 1<<(bits-1)-1
	case bits < 64:
		most = 1<<bits - 1
	}
	switch what {
	case "max":
		return most, true
	case "min", "lowest":
		return least, true
	}
	return 0, false
}

// realLimits are the limits of numbers in floating point (IEEE 754).
var realLimits = map[expr.DType]map[string]float64{
	expr.Float32: {"max": math.MaxFloat32, "lowest": -math.MaxFloat32, "min": 0x1p-126, "epsilon": 0x1p-23, "infinity": math.Inf(1)},
	expr.Float64: {"max": math.MaxFloat64, "lowest": -math.MaxFloat64, "min": 0x1p-1022, "epsilon": 0x1p-52, "infinity": math.Inf(1)},
}

// traits are properties of types that are constants, by the names of the standard library.
var traits = map[string]func(args []argument) bool{
	"is_same":           func(a []argument) bool { return len(a) == 2 && a[0].t != nil && a[1].t != nil && a[0].equal(a[1]) },
	"is_floating_point": func(a []argument) bool { return len(a) == 1 && a[0].t != nil && a[0].t.dtype.IsFloat() },
	"is_integral":       func(a []argument) bool { return len(a) == 1 && a[0].t != nil && a[0].t.dtype.IsInteger() },
	"is_pointer":        func(a []argument) bool { return len(a) == 1 && a[0].t != nil && a[0].t.form == pointerForm },
}

// trait reads the arguments of a property of types, and ::value.
func (p *parser) trait(at Pos, name string) value {
	is := traits[strings.TrimSuffix(name, "_v")](p.templateArguments())
	switch {
	case strings.HasSuffix(name, "_v"):
	case p.accept("::"):
		p.next()
	default:
		p.accept("{")
		p.accept("}")
	}
	return value{&Int{boolType.typed(at), truth(is)}, boolType}
}
