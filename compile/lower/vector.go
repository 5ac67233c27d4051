package lower

import (
	"strings"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

// vectors has what is done with several lanes, or with the parts of words.
type vectors struct{ *lowering }

// ofVectors are functions whose lanes do not stand for themselves, or that move bits, by their common names, with how many arguments they have.
var ofVectors = map[string]int{
	"dot": 2, "length": 1, "distance": 2, "normalize": 1, "cross": 2, "any": 1, "all": 1, "select": 3, "bitselect": 3, "upsample": 2, "shuffle": 2, "shuffle2": 3, "bits": 1,
}

// ofVector is such a function; ok is false for others.
func (l vectors) ofVector(x *cfront.Call, name string) (v value, ok bool) {
	n, ok := ofVectors[name]
	if !ok {
		return value{}, false
	}
	var a []value
	for _, e := range x.Args {
		v := l.expression(e)
		if len(v.x) == 0 {
			l.fail(x.Pos, "%s takes numbers", x.Func)
		}
		a = append(a, v)
	}
	if len(a) < n {
		l.fail(x.Pos, "%s has too few arguments", x.Func)
	}
	switch name {
	case "dot":
		v = number(x.DType, l.dot(x, a[0], a[1]))
	case "length":
		v = number(x.DType, l.long(x, l.convert(x.Pos, a[0], a[0].t)))
	case "distance":
		v = number(x.DType, l.long(x, l.arithmetic(x.Pos, "-", a[0], a[1])))
	case "normalize":
		v = l.normalized(x, a)
	case "cross":
		v = l.cross(x, a)
	case "any":
		v = l.signs(a[0], ssa.POr)
	case "all":
		v = l.signs(a[0], ssa.PAnd)
	case "select":
		v = l.chosen(x, a[2], a[1], a[0])
	case "bitselect":
		v = l.bitsChosen(x, a)
	case "upsample":
		v = l.upsampled(x, a)
	case "shuffle", "shuffle2":
		v = l.lanesChosen(x, a)
	default:
		v = l.bits(x, a)
	}
	return v, true
}

// dot is the sum of the products of the lanes.
func (l vectors) dot(x *cfront.Call, a, b value) *ssa.Value {
	t := common(a.t, b.t)
	a, b = l.convert(x.Pos, a, t), l.convert(x.Pos, b, t)
	var sum *ssa.Value
	for i := range a.x {
		p := l.operation(x.Pos, "*", t.Base(), a.x[i], b.x[i])
		if sum == nil {
			sum = p
		} else {
			sum = l.operation(x.Pos, "+", t.Base(), sum, p)
		}
	}
	return sum
}

// of is a function of numbers of a type.
func (l vectors) of(x *cfront.Call, name string, t expr.DType, a ...*ssa.Value) *ssa.Value {
	r := l.function(x, name, t, a)
	if r == nil {
		l.fail(x.Pos, "%s of %s is not compiled here", x.Func, t)
	}
	return r
}

// hasty tells whether a function may overflow where its result does not.
func hasty(x *cfront.Call) bool { return strings.HasPrefix(x.Func, "fast_") }

// greatest is the greatest of the lanes without signs.
func (l vectors) greatest(x *cfront.Call, v value) (most *ssa.Value) {
	t := v.t.Base()
	for _, lane := range v.x {
		lane = l.of(x, "fabs", t, lane)
		if most == nil {
			most = lane
		} else {
			most = l.of(x, "fmax", t, most, lane)
		}
	}
	return most
}

// long is the length of a vector. NVIDIA's compiler for OpenCL C divides the lanes by the greatest of them, so that no square is too large or too small.
func (l vectors) long(x *cfront.Call, v value) *ssa.Value {
	t := v.t.Base()
	if hasty(x) {
		return l.of(x, "sqrt", t, l.dot(x, v, v))
	}
	most := l.greatest(x, v)
	parts := l.arithmetic(x.Pos, "/", v, number(t, most))
	return l.of(x, "unscaled", t, l.of(x, "sqrt", t, l.dot(x, parts, parts)), most)
}

// normalized is a vector of length 1; what has no length stays.
func (l vectors) normalized(x *cfront.Call, args []value) value {
	v := l.convert(x.Pos, args[0], x.DType)
	t := v.t.Base()
	if !hasty(x) {
		return l.arithmetic(x.Pos, "/", v, number(t, l.of(x, "divisor", t, l.long(x, v))))
	}
	return l.arithmetic(x.Pos, "*", v, number(t, l.of(x, "inverse", t, l.dot(x, v, v))))
}

// cross is the vector product; a fourth lane is 0.
func (l vectors) cross(x *cfront.Call, args []value) value {
	a, b := l.convert(x.Pos, args[0], x.DType), l.convert(x.Pos, args[1], x.DType)
	if len(a.x) < 3 {
		l.fail(x.Pos, "%s of %s is not compiled here", x.Func, x.DType)
	}
	base := x.DType.Base()
	out := value{t: x.DType}
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		out.x = append(out.x, l.operation(x.Pos, "-", base, l.operation(x.Pos, "*", base, a.x[j], b.x[k]), l.operation(x.Pos, "*", base, a.x[k], b.x[j])))
	}
	if len(a.x) > 3 {
		out.x = append(out.x, l.convert(x.Pos, number(expr.Int32, l.Const(0)), base).x[0])
	}
	return out
}

// negative is whether the highest bit of a number is set.
func (l vectors) negative(v *ssa.Value, t expr.DType) *ssa.Value {
	if v.Op == ssa.Select && v.Args[1].Op == ssa.Const && v.Args[2].Op == ssa.Const && v.Args[1].Int == -1 && v.Args[2].Int == 0 { // as comparisons leave it
		return v.Args[0]
	}
	if bits := 8 * t.Size(); bits < 32 {
		return l.nonzero(l.Make(ssa.And, ssa.W, v, l.Const(1<<(bits-1))), expr.Int32)
	}
	return l.MakeAux(ssa.Cmp, ssa.Pred, "LT", v, l.like(v.Type, 0))
}

// signs is whether the highest bits of any lane, or of all, are set.
func (l vectors) signs(v value, op ssa.Op) value {
	var p *ssa.Value
	for _, lane := range v.x {
		one := l.negative(lane, v.t.Base())
		if p == nil {
			p = one
		} else {
			p = l.Make(op, ssa.Pred, p, one)
		}
	}
	return number(expr.Int32, l.asWord(p))
}

// mask is a predicate as what comparisons of vectors have in a lane: all bits or none.
func (l vectors) mask(p *ssa.Value, t expr.DType) *ssa.Value {
	k := wordType(t)
	return l.Make(ssa.Select, k, p, l.like(k, -1), l.like(k, 0))
}

// lanewise is a comparison or a combination of conditions in each lane of vectors.
func (l vectors) lanewise(x *cfront.Binary) value {
	a, b := l.expression(x.X), l.expression(x.Y)
	t := common(a.t, b.t)
	out := value{t: x.DType}
	if x.Op == "&&" || x.Op == "||" {
		op := map[string]ssa.Op{"&&": ssa.PAnd, "||": ssa.POr}[x.Op]
		for i := range t.Lanes() {
			p, q := a.x[min(int(i), len(a.x)-1)], b.x[min(int(i), len(b.x)-1)]
			out.x = append(out.x, l.mask(l.Make(op, ssa.Pred, l.nonzero(p, a.t.Base()), l.nonzero(q, b.t.Base())), x.DType))
		}
		return out
	}
	a, b = l.convert(x.Pos, a, t), l.convert(x.Pos, b, t)
	for i := range a.x {
		out.x = append(out.x, l.mask(l.compared(comparisons[x.Op], t.Base(), a.x[i], b.x[i]), x.DType))
	}
	return out
}

// notLanes is !x of a vector.
func (l vectors) notLanes(x *cfront.Unary) value {
	v := l.expression(x.X)
	out := value{t: x.DType}
	for _, a := range v.x {
		out.x = append(out.x, l.mask(l.Make(ssa.PNot, ssa.Pred, l.nonzero(a, v.t.Base())), x.DType))
	}
	return out
}

// chosen takes each lane from one of two values by the highest bit of that of a third one; of a number, where that is not 0.
func (l vectors) chosen(x cfront.Expr, by, yes, no value) value {
	t := x.Type()
	yes, no = l.convert(x.Place(), yes, t), l.convert(x.Place(), no, t)
	out := value{t: t}
	for i := range yes.x {
		c := by.x[min(i, len(by.x)-1)]
		p := l.nonzero
		if by.t.IsVector() {
			p = l.negative
		}
		out.x = append(out.x, l.Make(ssa.Select, yes.x[i].Type, p(c, by.t.Base()), yes.x[i], no.x[i]))
	}
	return out
}

// bitsChosen are the bits of the second argument where those of the third are set, else those of the first.
func (l vectors) bitsChosen(x *cfront.Call, args []value) value {
	out := value{t: x.DType}
	a, b := l.convert(x.Pos, args[0], x.DType), l.convert(x.Pos, args[1], x.DType)
	for i := range a.x {
		k := a.x[i].Type
		c := args[2].x[min(i, len(args[2].x)-1)]
		left := l.Make(ssa.And, k, a.x[i], l.Make(ssa.Xor, k, c, l.like(k, -1)))
		out.x = append(out.x, l.Make(ssa.Or, k, left, l.Make(ssa.And, k, b.x[i], c)))
	}
	return out
}

// upsampled has the bits of the first argument above those of the second.
func (l vectors) upsampled(x *cfront.Call, args []value) value {
	high, low := args[0], args[1]
	out := value{t: x.DType}
	for i := range high.x {
		bits := 8 * low.t.Base().Size()
		if bits == 32 {
			out.x = append(out.x, l.Make(ssa.Pack, ssa.D, low.x[i], high.x[i]))
			continue
		}
		below := l.Make(ssa.And, ssa.W, low.x[i], l.Const(1<<bits-1))
		w := l.Make(ssa.Or, ssa.W, l.Make(ssa.Shl, ssa.W, high.x[i], l.Const(bits)), below)
		out.x = append(out.x, l.narrow(w, x.DType.Base()))
	}
	return out
}

// lanesChosen are the lanes of one or two vectors that the low bits of the last argument name.
func (l vectors) lanesChosen(x *cfront.Call, args []value) value {
	names := args[len(args)-1]
	var from []*ssa.Value
	for _, v := range args[:len(args)-1] {
		from = append(from, v.x...)
	}
	out := value{t: x.DType}
	for _, n := range names.x {
		if n.Type == ssa.D {
			n = l.Word(n, 0)
		}
		n = l.Make(ssa.And, ssa.W, n, l.Const(int64(len(from)-1)))
		lane := from[0]
		for i := 1; i < len(from); i++ {
			lane = l.Make(ssa.Select, lane.Type, l.MakeAux(ssa.Cmp, ssa.Pred, "EQ", n, l.Const(int64(i))), from[i], lane)
		}
		out.x = append(out.x, lane)
	}
	return out
}

// bits takes words apart or puts them together.
func (l vectors) bits(x *cfront.Call, args []value) value {
	words := func(i int) *ssa.Value { return l.convert(x.Pos, args[min(i, len(args)-1)], expr.Int32).x[0] }
	number64 := func() *ssa.Value { return l.convert(x.Pos, args[0], expr.Float64).x[0] }
	unpacked, isUnpacked := strings.CutPrefix(x.Func, "amd_unpack")
	switch {
	case x.Func == "__double2hiint":
		return number(x.DType, l.Word(number64(), 1))
	case x.Func == "__double2loint":
		return number(x.DType, l.Word(number64(), 0))
	case x.Func == "__hiloint2double":
		return number(x.DType, l.Make(ssa.Pack, ssa.D, words(1), words(0)))
	case isUnpacked:
		byteOf := l.Make(ssa.And, ssa.W, l.Make(ssa.ShrU, ssa.W, words(0), l.Const(8*int64(unpacked[0]-'0'))), l.Const(0xff))
		return number(x.DType, l.converted(byteOf, expr.Uint32, x.DType))
	}
	if strings.HasPrefix(x.Func, "__nv_cvt_") {
		return l.bytesOfFloats(x, args)
	}
	l.fail(x.Pos, "%s is not compiled here", x.Func)
	return value{}
}

// bytesOfFloats converts to or from numbers of 8 bits, of which the last argument says the format: two at a time, from them to half precision first.
func (l vectors) bytesOfFloats(x *cfront.Call, args []value) value {
	format := "E4M3"
	last := args[len(args)-1].x[0]
	if last.Op != ssa.Const || len(args) < 2 {
		l.fail(x.Pos, "%s in a format that is not constant", x.Func)
	}
	if last.Int != 0 {
		format = "E5M2"
	}
	v := args[0]
	if strings.HasPrefix(x.Func, "__nv_cvt_fp8") {
		out := value{t: expr.DType(expr.Float16).Vector(x.DType.Lanes())}
		for i := range x.DType.Lanes() {
			w := v.x[0]
			if i > 1 {
				w = l.Make(ssa.ShrU, ssa.W, w, l.Const(16))
			}
			two := l.MakeAux(ssa.Raw, ssa.W, "F2FP.F16."+format+".UNPACK_B", w)
			if i%2 > 0 {
				two = l.Make(ssa.ShrU, ssa.W, two, l.Const(16))
			}
			out.x = append(out.x, two)
		}
		return l.convert(x.Pos, out, x.DType)
	}
	v = l.convert(x.Pos, v, expr.DType(expr.Float32).Vector(v.t.Lanes()))
	var words []*ssa.Value
	for i := 0; i < len(v.x); i += 2 {
		upper := l.Const(0)
		if i+1 < len(v.x) {
			upper = v.x[i+1]
		}
		words = append(words, l.MakeAux(ssa.Raw, ssa.W, "F2FP.SATFINITE."+format+".F32.PACK_AB_MERGE_C", upper, v.x[i], l.Const(0)))
	}
	return number(x.DType, l.joined(words, 2))
}
