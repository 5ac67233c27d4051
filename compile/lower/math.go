package lower

import (
	"strings"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

// math is a function of numbers, lane by lane.
func (l *lowering) math(x *cfront.Call, f cfront.Intrinsic) value {
	var args []value
	t := x.DType
	lanes := max(x.DType.Lanes(), 1)
	ints := f.IR == "popcount" || f.IR == "clz" || f.IR == "ffs" || f.IR == "isnan" || f.IR == "isinf" || f.IR == "isfinite" || f.IR == "signbit"
	for i, a := range x.Args {
		v := l.expression(a)
		switch {
		case ints && strings.HasPrefix(x.Func, "__") && v.t.IsInteger(): // of CUDA C: __popc, __clzll
			v = l.convert(x.Pos, v, map[bool]expr.DType{false: expr.Int32, true: expr.Int64}[strings.HasSuffix(x.Func, "ll")])
		case ints:
		case f.IR == "ldexp" && i == 1 || f.IR == "rint" || f.IR == "round" || f.IR == "ilogb":
		default:
			v = l.convert(x.Pos, v, t)
		}
		args = append(args, v)
	}
	out := value{t: t}
	for i := range lanes {
		var one []*ssa.Value
		for _, a := range args {
			one = append(one, a.x[min(int(i), len(a.x)-1)])
		}
		kind := t.Base()
		if len(args) > 0 && (ints || !kind.IsFloat()) { // of numbers of another type than the result
			kind = args[0].t.Base()
		}
		r := l.function(x, f.Exact(), kind, one)
		if r == nil {
			l.fail(x.Pos, "%s of %s is not compiled here", x.Func, kind)
		}
		if r.Type == ssa.Pred {
			r = l.asWord(r)
		}
		if t.Base().IsInteger() && kind.IsFloat() && !ints { // lrintf
			r = l.floatToInt(r, kind, t.Base(), ".TRUNC")
		}
		out.x = append(out.x, r)
	}
	return out
}

// function is a function of a lane: one operation, or one of the library; nil for what is not compiled here.
func (l *lowering) function(x *cfront.Call, name string, t expr.DType, a []*ssa.Value) *ssa.Value {
	if isHalf(t) {
		return l.halfFunction(x, name, t, a)
	}
	if x.Func == "__sad" {
		t = expr.Int32
	}
	ending := endings[t]
	if op, ok := operations[ending][name]; ok {
		return l.Make(op, wordType(t), a...)
	}
	if name == "isnan" {
		return l.MakeAux(map[expr.DType]ssa.Op{expr.Float32: ssa.FCmp, expr.Float64: ssa.DCmp}[t], ssa.Pred, "NAN", a[0], a[0])
	}
	names := []string{name + ending, name + "u" + strings.TrimPrefix(ending, "i")} // most functions of integers do the same without a sign
	if t == expr.Float32 && (l.approximates(x) || name == "sqrt" && l.Cheap) {
		names = append([]string{"fast_" + name + ending}, names...)
	}
	for _, name := range names {
		if f := library().Function(ownPrefix + name); f != nil && len(f.Params) == len(a) {
			return l.ofLibrary(x.Pos, f, a...)
		}
	}
	return nil
}

// endings are those of functions of the library, by the type of the arguments.
var endings = map[expr.DType]string{
	expr.Float32: "f", expr.Float64: "", expr.Bool: "u", expr.Int8: "i", expr.Int16: "i", expr.Int32: "i", expr.Int64: "l",
	expr.Uint8: "u", expr.Uint16: "u", expr.Uint32: "u", expr.Uint64: "ul",
}

// operations are functions that are one, by the ending of the type.
var operations = map[string]map[string]ssa.Op{
	"f": {"fma": ssa.FFma, "mad": ssa.FFma, "fmin": ssa.FMin, "min": ssa.FMin, "fmax": ssa.FMax, "max": ssa.FMax, "fabs": ssa.FAbs, "abs": ssa.FAbs},
	"":  {"fma": ssa.DFma, "mad": ssa.DFma, "fabs": ssa.DAbs, "abs": ssa.DAbs},
	"i": {"min": ssa.MinS, "max": ssa.MaxS, "mul_hi": ssa.MulHiS},
	"u": {"min": ssa.MinU, "max": ssa.MaxU, "mul_hi": ssa.MulHiU},
}

// approximates reports whether a function is to be an approximation, where the device has one.
func (l *lowering) approximates(x *cfront.Call) bool {
	return l.Fast || strings.HasPrefix(x.Func, "__") && !strings.HasSuffix(x.Func, "_rn") || approximated(x.Func)
}
