package lower

import (
	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/internal/round"
	"gpuperf/kernel/expr"
)

// Numbers of half precision stand in the low half of a word; what the high half holds is not looked at. Instructions compute both halves, so that two lanes
// of a vector in a word take one.

// halfConst is a number of half precision, in both halves.
func (l *lowering) halfConst(x float64) *ssa.Value {
	h := int64(round.ToHalf(x, round.Nearest))
	return l.Const(h<<16 | h)
}

// halfConverted converts from or to half precision: from and to other numbers than floating-point ones by way of single precision, which holds all of these
// that half precision has.
func (l *lowering) halfConverted(x *ssa.Value, from, to expr.DType) *ssa.Value {
	switch {
	case to == expr.Float16 && from == expr.Float64 && x.Op == ssa.Const:
		return l.halfConst(doubleOf(x))
	case to == expr.Float16 && from == expr.Float64:
		return l.MakeAux(ssa.Raw, ssa.W, "F2F.F16.F64", x)
	case to == expr.Float16 && from != expr.Float32:
		x = l.converted(x, from, expr.Float32)
		fallthrough
	case to == expr.Float16:
		if x.Op == ssa.Const {
			return l.halfConst(float64(floatOf(x)))
		}
		return l.MakeAux(ssa.Raw, ssa.W, "F2FP.F16.F32.PACK_AB", l.Const(0), x)
	}
	if x.Op == ssa.Const {
		x = l.Float(float32(round.FromHalf(uint16(x.Int))))
	} else {
		x = l.MakeAux(ssa.Raw, ssa.W, "HADD2.F32", x, l.Const(halfSigns))
	}
	return l.converted(x, expr.Float32, to)
}

// halfSigns are the bits of the signs of two numbers, which are those of -0, too.
const halfSigns = 0x80008000

// ofHalves are operators that an instruction computes.
var ofHalves = map[string]string{"+": "HADD2", "-": "HADD2", "*": "HMUL2"}

// halfOperation is an operator of two numbers, or of the numbers in two words.
func (l *lowering) halfOperation(at cfront.Pos, op string, x, y *ssa.Value) *ssa.Value {
	name, ok := ofHalves[op]
	if !ok && op != "/" {
		l.fail(at, "%s of half precision is not compiled here", op)
	}
	if !ok {
		single := func(v *ssa.Value) *ssa.Value { return l.halfConverted(v, expr.Float16, expr.Float32) }
		return l.halfConverted(l.divideFloats(single(x), single(y)), expr.Float32, expr.Float16)
	}
	if op == "-" {
		y = l.Make(ssa.Xor, ssa.W, y, l.Const(halfSigns))
	}
	if x.Op == ssa.Const {
		x, y = y, x
	}
	return l.MakeAux(ssa.Raw, ssa.W, name, x, y)
}

// halfFunction is a function of numbers of half precision: of single precision, but for what is one instruction.
func (l *lowering) halfFunction(x *cfront.Call, name string, a []*ssa.Value) *ssa.Value {
	switch name {
	case "add", "sub", "mul":
		return l.halfOperation(x.Pos, map[string]string{"add": "+", "sub": "-", "mul": "*"}[name], a[0], a[1])
	case "fma", "mad":
		return l.MakeAux(ssa.Raw, ssa.W, "HFMA2", a...)
	case "fabs", "abs":
		return l.Make(ssa.And, ssa.W, a[0], l.Const(^int64(halfSigns)))
	}
	var singles []*ssa.Value
	for _, v := range a {
		singles = append(singles, l.halfConverted(v, expr.Float16, expr.Float32))
	}
	r := l.function(x, name, expr.Float32, singles)
	if r == nil || r.Type == ssa.Pred {
		return r
	}
	return l.halfConverted(r, expr.Float32, expr.Float16)
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
