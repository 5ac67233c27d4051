package lower

import (
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

// ofHalves are operators that an instruction computes.
var ofHalves = map[string]string{"+": "HADD2", "-": "HADD2", "*": "HMUL2"}

// halfName is the name of an instruction for numbers of a type.
func halfName(name string, t expr.DType) string {
	if t == expr.BFloat16 {
		name += ".BF16_V2"
	}
	return name
}

// halfOperation is an operator of two numbers of a type, or of the numbers in two words.
func (l *lowering) halfOperation(at cfront.Pos, op string, t expr.DType, x, y *ssa.Value) *ssa.Value {
	name, ok := ofHalves[op]
	if !ok && op != "/" {
		l.fail(at, "%s of half precision is not compiled here", op)
	}
	if !ok {
		return l.halfConverted(l.divideFloats(l.ofHalf(x, t), l.ofHalf(y, t)), expr.Float32, t)
	}
	if op == "-" {
		y = l.Make(ssa.Xor, ssa.W, y, l.Const(halfSigns))
	}
	if x.Op == ssa.Const {
		x, y = y, x
	}
	return l.MakeAux(ssa.Raw, ssa.W, halfName(name, t), x, y)
}

// halfFunction is a function of numbers of half precision: of single precision, but for what is one instruction.
func (l *lowering) halfFunction(x *cfront.Call, name string, t expr.DType, a []*ssa.Value) *ssa.Value {
	switch name {
	case "add", "sub", "mul":
		return l.halfOperation(x.Pos, map[string]string{"add": "+", "sub": "-", "mul": "*"}[name], t, a[0], a[1])
	case "fma", "mad":
		return l.MakeAux(ssa.Raw, ssa.W, halfName("HFMA2", t), a...)
	case "fabs", "abs":
		return l.Make(ssa.And, ssa.W, a[0], l.Const(^int64(halfSigns)))
	}
	var singles []*ssa.Value
	for _, v := range a {
		singles = append(singles, l.ofHalf(v, t))
	}
	r := l.function(x, name, expr.Float32, singles)
	if r == nil || r.Type == ssa.Pred {
		return r
	}
	return l.halfConverted(r, expr.Float32, t)
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
