package lower

import (
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/internal/round"
	"gpuperf/kernel/expr"
)

// Numbers of half precision, float16 and bfloat16, stand in the low half of a word; what the high half holds is not looked at. Instructions compute both
// halves, so that two lanes of a vector in a word take one.

// isHalf reports whether a number has half precision.
func isHalf(t expr.DType) bool { return t == expr.Float16 || t == expr.BFloat16 }

// halfConst is a number of half precision, in both halves.
func (l *lowering) halfConst(x float64, t expr.DType) *ssa.Value {
	h := int64(round.ToHalf(x, round.Nearest))
	if t == expr.BFloat16 {
		h = int64(round.ToBfloat(x, round.Nearest))
	}
	return l.Const(h<<16 | h)
}

// halfConverted converts from or to half precision: from and to other numbers than floating-point ones by way of single precision, which holds all of these
// that half precision has.
func (l *lowering) halfConverted(x *ssa.Value, from, to expr.DType) *ssa.Value {
	switch {
	case isHalf(from):
		return l.converted(l.ofHalf(x, from), expr.Float32, to)
	case from == expr.Float64 && x.Op == ssa.Const:
		return l.halfConst(doubleOf(x), to)
	case from == expr.Float64 && to == expr.Float16:
		return l.MakeAux(ssa.Raw, ssa.W, "F2F.F16.F64", x)
	}
	x = l.converted(x, from, expr.Float32)
	if x.Op == ssa.Const {
		return l.halfConst(float64(floatOf(x)), to)
	}
	name := "F2FP.F16.F32.PACK_AB"
	if to == expr.BFloat16 {
		name = "F2FP.BF16.F32.PACK_AB"
	}
	return l.MakeAux(ssa.Raw, ssa.W, name, l.Const(0), x)
}

// ofHalf is a number of half precision as one of single precision, of which a bfloat16 is the upper half.
func (l *lowering) ofHalf(x *ssa.Value, t expr.DType) *ssa.Value {
	switch {
	case t == expr.BFloat16:
		return l.Make(ssa.Shl, ssa.W, x, l.Const(16))
	case x.Op == ssa.Const:
		return l.Float(float32(round.FromHalf(uint16(x.Int))))
	}
	if x.Op == ssa.ShrU && x.Args[1].Op == ssa.Const && x.Args[1].Int == 16 {
		return l.MakeAux(ssa.Raw, ssa.W, "HADD2.F32"+ssa.OfUpper, x.Args[0], l.Const(halfSigns))
	}
	return l.MakeAux(ssa.Raw, ssa.W, "HADD2.F32", x, l.Const(halfSigns))
}

// halfSigns are the bits of the signs of two numbers, which are those of -0, too.
const halfSigns = 0x80008000

// halfOperation is an operator of two numbers of a type, or of the numbers in two words.
func (l *lowering) halfOperation(at cfront.Pos, op string, t expr.DType, x, y *ssa.Value) *ssa.Value {
	if op == "/" {
		return l.halfConverted(l.divideFloats(l.ofHalf(x, t), l.ofHalf(y, t)), expr.Float32, t)
	}
	name := map[string]string{"+": "add", "-": "sub", "*": "mul"}[op]
	if name == "" {
		l.fail(at, "%s of half precision is not compiled here", op)
	}
	return l.halfInstruction("", name, t, []*ssa.Value{x, y})
}

// halfInstructions are functions that one instruction computes, by its name, of both halves of words. What ends in AND compares, and is 1 or 0; P and NP are a
// predicate behind the operands that holds, or does not: of a minimum, and a maximum.
var halfInstructions = map[string]string{
	"add": "HADD2", "sub": "HADD2", "mul": "HMUL2", "fma": "HFMA2", "mad": "HFMA2", "fma_sat": "HFMA2.SAT", "fma_relu": "HFMA2.RELU",
	"add_to1": "HADD2.SAT", "sub_to1": "HADD2.SAT", "mul_to1": "HMUL2.SAT", "fmin": "HMNMX2", "min": "HMNMX2", "fmax": "HMNMX2", "max": "HMNMX2",
	"eq": "HSET2.BF.EQ.AND", "ne": "HSET2.BF.NE.AND", "lt": "HSET2.BF.LT.AND", "le": "HSET2.BF.LE.AND", "gt": "HSET2.BF.GT.AND", "ge": "HSET2.BF.GE.AND",
}

// halfName is the name of an instruction for numbers of a type.
func halfName(name string, t expr.DType) string {
	if t == expr.BFloat16 {
		name += ".BF16_V2"
	}
	return name
}

// halfInstruction is such a function, of a name in the language; nil of others.
func (l *lowering) halfInstruction(function, name string, t expr.DType, a []*ssa.Value) *ssa.Value {
	if name == "fabs" || name == "abs" {
		return l.Make(ssa.And, ssa.W, a[0], l.Const(^int64(halfSigns)))
	}
	in, ok := halfInstructions[name]
	if !ok {
		return nil
	}
	args := slices.Clone(a)
	switch {
	case strings.HasPrefix(name, "sub"):
		args[1] = l.Make(ssa.Xor, ssa.W, a[1], l.Const(halfSigns))
	case in == "HMNMX2":
		args = append(args, l.Const(map[bool]int64{true: 0, false: 1}[strings.HasSuffix(name, "min")]))
		if strings.HasSuffix(function, "_nan") {
			in += ".NAN"
		}
	case strings.HasPrefix(in, "HSET2"):
		args = append(args, l.Const(0))
		if unordered := strings.HasSuffix(function, "u2"); unordered {
			in = strings.Replace(in, ".AND", "U.AND", 1)
		}
	}
	first, rest, _ := strings.Cut(in, ".")
	in = strings.TrimSuffix(halfName(first, t)+"."+rest, ".")
	if len(a) == 2 && args[0].Op == ssa.Const && !strings.HasPrefix(in, "HSET2") {
		args[0], args[1] = args[1], args[0]
	}
	return l.MakeAux(ssa.Raw, ssa.W, in, args...)
}

// halfFunction is a function of numbers of half precision: of single precision, but for what is one instruction.
func (l *lowering) halfFunction(x *cfront.Call, name string, t expr.DType, a []*ssa.Value) *ssa.Value {
	if r := l.halfInstruction(x.Func, name, t, a); r != nil {
		return r
	}
	var singles []*ssa.Value
	for _, v := range a {
		singles = append(singles, l.ofHalf(v, t))
	}
	r := l.function(x, name, expr.Float32, singles)
	if r == nil || r.Type == ssa.Pred || slices.Contains(tellers, name) {
		return r
	}
	return l.halfConverted(r, expr.Float32, t)
}

// inHalves is a function of lanes of half precision of which one instruction computes two; nil of others.
func (l vectors) inHalves(x *cfront.Call, f cfront.Intrinsic, t expr.DType, args []value) []*ssa.Value {
	if !isHalf(t) || halfInstructions[f.Exact()] == "" && f.Exact() != "fabs" {
		return nil
	}
	var lanes [][]*ssa.Value
	for _, a := range args {
		lanes = append(lanes, a.x)
	}
	return l.inPairs(lanes, func(words []*ssa.Value) *ssa.Value { return l.halfInstruction(x.Func, f.Exact(), t, words) })
}

// inPairs computes lanes of half precision two at a time, where they are an even number; nil where they are not.
func (l *lowering) inPairs(lanes [][]*ssa.Value, compute func(args []*ssa.Value) *ssa.Value) (out []*ssa.Value) {
	n := len(lanes[0])
	if n%2 != 0 {
		return nil
	}
	for i := 0; i < n; i += 2 {
		var words []*ssa.Value
		for _, list := range lanes {
			words = append(words, l.joined(list[i:i+2], 2))
		}
		w := compute(words)
		out = append(out, w, l.Make(ssa.ShrU, ssa.W, w, l.Const(16)))
	}
	return out
}
