package lower

import (
	"cmp"
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

// Functions whose arguments are of another type than their results: those that count or tell about bits, and those that tell what a number is.
var (
	ofBits  = []string{"popcount", "clz", "ctz", "ffs"}
	tellers = []string{"isnan", "isinf", "isfinite", "isnormal", "signbit", "isordered", "isunordered", "islessgreater"}
)

// math is a function of numbers, lane by lane.
func (l *lowering) math(x *cfront.Call, f cfront.Intrinsic) value {
	t := x.DType
	tells, bits := slices.Contains(tellers, f.IR), slices.Contains(ofBits, f.IR)
	var args []value
	for i, a := range x.Args {
		v := l.expression(a)
		switch {
		case bits && strings.HasPrefix(x.Func, "__") && v.t.IsInteger(): // of CUDA C: __popc, __clzll
			v = l.convert(x.Pos, v, map[bool]expr.DType{false: expr.Int32, true: expr.Int64}[strings.HasSuffix(x.Func, "ll")])
		case tells && i > 0:
			v = l.convert(x.Pos, v, args[0].t)
		case bits, tells:
		case f.IR == "ldexp" && i == 1, v.t.Base().IsFloat() && t.Base().IsInteger(): // lrintf
		default:
			v = l.convert(x.Pos, v, t)
		}
		args = append(args, v)
	}
	kind := t.Base()
	if len(args) > 0 && (bits || tells || !kind.IsFloat()) { // of numbers of another type than the result
		kind = args[0].t.Base()
	}
	out := value{t: t}
	if out.x = (vectors{l}).inHalves(x, f, kind, args); out.x != nil {
		return out
	}
	for i := range max(t.Lanes(), 1) {
		var one []*ssa.Value
		for _, a := range args {
			one = append(one, a.x[min(int(i), len(a.x)-1)])
		}
		out.x = append(out.x, l.lane(x, f.Exact(), kind, one))
	}
	return out
}

// lane is a function of numbers of a type, as what the call is of.
func (l *lowering) lane(x *cfront.Call, name string, kind expr.DType, args []*ssa.Value) *ssa.Value {
	r := l.function(x, name, kind, args)
	if r == nil {
		l.fail(x.Pos, "%s of %s is not compiled here", x.Func, kind)
	}
	t := x.DType.Base()
	switch {
	case slices.Contains(tellers, name) && x.DType.IsVector() && r.Type == ssa.Pred:
		return vectors{l}.mask(r, t)
	case slices.Contains(tellers, name) && x.DType.IsVector():
		return vectors{l}.mask(l.nonzero(r, expr.Int32), t)
	case r.Type == ssa.Pred:
		r = l.asWord(r)
	case t.IsInteger() && kind.IsFloat() && !slices.Contains(tellers, name): // lrintf
		return l.floatToInt(r, kind, t, ".TRUNC")
	}
	if wordType(t) == ssa.D && r.Type == ssa.W { // what counts bits
		r = l.Make(ssa.Zext, ssa.D, r)
	}
	return r
}

// function is a function of a lane: one operation, or one of the library; nil for what is not compiled here.
func (l *lowering) function(x *cfront.Call, name string, t expr.DType, a []*ssa.Value) *ssa.Value {
	switch {
	case isHalf(t):
		return l.halfFunction(x, name, t, a)
	case x.Func == "__sad":
		t = expr.Int32
	case t.IsInteger() && t.Size() < 4:
		if r := (vectors{l}).short(name, t, a); r != nil {
			return r
		}
	}
	if r := (vectors{l}).ofParts(x, name, a); r != nil {
		return r
	}
	if r := (vectors{l}).ofThree(x, name, a); r != nil {
		return r
	}
	if x.Func == "pown" { // exponents of 2 and 3 are looked for
		name = x.Func
	}
	ending := endings[t]
	if op, ok := operations[ending][name]; ok {
		return l.Make(op, wordType(t), a...)
	}
	if name == "isnan" || name == "isunordered" || name == "islessgreater" {
		how := map[string]string{"islessgreater": "NE"}[name]
		return l.MakeAux(map[expr.DType]ssa.Op{expr.Float32: ssa.FCmp, expr.Float64: ssa.DCmp}[t], ssa.Pred, cmp.Or(how, "NAN"), a[0], a[len(a)-1])
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

// short is a function of integers of less than a word whose width decides; nil of others.
func (l vectors) short(name string, t expr.DType, a []*ssa.Value) *ssa.Value {
	bits := 8 * t.Size()
	make := func(op ssa.Op, x, y *ssa.Value) *ssa.Value { return l.Make(op, ssa.W, x, y) }
	bare := func(i int) *ssa.Value { return make(ssa.And, a[i], l.Const(1<<bits-1)) }
	right := map[bool]ssa.Op{true: ssa.ShrS, false: ssa.ShrU}[t.IsSigned()]
	switch name {
	case "popcount":
		return l.called("popcountu", bare(0))
	case "clz":
		return make(ssa.Sub, l.called("clzu", bare(0)), l.Const(32-bits))
	case "ctz":
		return l.called("ctzu", make(ssa.Or, a[0], l.Const(1<<bits)))
	case "rotate":
		n := make(ssa.And, a[1], l.Const(bits-1))
		return l.narrow(make(ssa.Or, make(ssa.Shl, a[0], n), make(ssa.ShrU, bare(0), make(ssa.Sub, l.Const(bits), n))), t)
	case "mul_hi":
		return l.narrow(make(right, make(ssa.Mul, a[0], a[1]), l.Const(bits)), t)
	case "mad_hi":
		return l.narrow(make(ssa.Add, make(right, make(ssa.Mul, a[0], a[1]), l.Const(bits)), a[2]), t)
	case "add_sat":
		return l.within(t, make(ssa.Add, a[0], a[1]))
	case "sub_sat":
		return l.within(t, make(ssa.Sub, a[0], a[1]))
	case "mad_sat":
		sum := make(ssa.Add, make(ssa.Mul, a[0], a[1]), a[2])
		if !t.IsSigned() {
			return make(ssa.MinU, sum, l.Const(1<<bits-1))
		}
		return l.within(t, sum)
	}
	return nil
}

// within is what of the range of a short type is nearest to a number.
func (l *lowering) within(t expr.DType, w *ssa.Value) *ssa.Value {
	lowest, highest, _ := t.Range()
	return l.Make(ssa.MaxS, ssa.W, l.Make(ssa.MinS, ssa.W, w, l.Const(highest)), l.Const(lowest))
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
