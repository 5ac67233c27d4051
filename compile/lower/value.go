package lower

import (
	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

// value is what an expression comes to: the lanes of a number or a vector, a pointer, or the place of a record.
type value struct {
	t  expr.DType
	x  []*ssa.Value
	p  *pointer
	at *place // of a record, or of an array
	// Of a pointer, what it points to.
	elem expr.DType
	rec  *cfront.Record
	dims []int64
}

func number(t expr.DType, x ...*ssa.Value) value { return value{t: t, x: x} }

func wordType(t expr.DType) ssa.Type {
	if t.Base().Size() == 8 {
		return ssa.D
	}
	return ssa.W
}

// supported refuses numbers that are not compiled here.
func (l *lowering) supported(at cfront.Pos, t expr.DType) {
	switch b := t.Base(); {
	case b == expr.Float32, b == expr.Float64, isHalf(b), b == expr.Bool, b.IsInteger():
	default:
		l.fail(at, "%s is not compiled here", t)
	}
}

// narrow keeps of a word what a type has of it.
func (l *lowering) narrow(x *ssa.Value, t expr.DType) *ssa.Value {
	bits := 8 * t.Size()
	if bits >= 32 || isHalf(t) {
		return x
	}
	if !t.IsSigned() {
		return l.Make(ssa.And, ssa.W, x, l.Const(1<<bits-1))
	}
	return l.Make(ssa.ShrS, ssa.W, l.Make(ssa.Shl, ssa.W, x, l.Const(32-bits)), l.Const(32-bits))
}

func (l *lowering) convert(at cfront.Pos, v value, to expr.DType) value {
	if v.t == to || v.x == nil && to == "" {
		return v
	}
	if v.p != nil { // an address as an integer
		if v.p.space == ssa.NoSpace {
			l.fail(at, "the address of a variable as a number is not compiled here")
		}
		x := l.address(v.p)
		if x.Type == ssa.W {
			return l.convert(at, number(expr.Uint32, x), to)
		}
		return l.convert(at, number(expr.Uint64, x), to)
	}
	if len(v.x) == 0 {
		l.fail(at, "a value of no number stands where one of %s should be", to)
	}
	l.supported(at, v.t)
	l.supported(at, to)
	if to.Lanes() > 1 && len(v.x) == 1 {
		one := l.convert(at, v, to.Base())
		out := value{t: to}
		for range to.Lanes() {
			out.x = append(out.x, one.x[0])
		}
		return out
	}
	out := value{t: to}
	for _, x := range v.x {
		out.x = append(out.x, l.converted(x, v.t.Base(), to.Base()))
	}
	return out
}

func (l *lowering) converted(x *ssa.Value, from, to expr.DType) *ssa.Value {
	switch {
	case from == to:
		return x
	case to == expr.Bool:
		return l.asWord(l.nonzero(x, from))
	case from == expr.Bool:
		from = expr.Int32
		return l.converted(x, from, to)
	case isHalf(from) || isHalf(to):
		return l.halfConverted(x, from, to)
	case from.IsInteger() && to.IsInteger():
		return l.resized(x, from, to)
	case from.IsFloat() && to.IsFloat():
		return l.floatToFloat(x, from, to)
	case from.IsInteger():
		return l.intToFloat(x, from, to)
	}
	return l.floatToInt(x, from, to, ".TRUNC")
}

func (l *lowering) resized(x *ssa.Value, from, to expr.DType) *ssa.Value {
	switch {
	case to.Size() == 8 && from.Size() < 8 && from.IsSigned():
		return l.Make(ssa.Sext, ssa.D, x)
	case to.Size() == 8 && from.Size() < 8:
		return l.Make(ssa.Zext, ssa.D, x)
	case to.Size() == 8:
		return x
	case from.Size() == 8:
		x = l.Word(x, 0)
	case from.Size() < to.Size(), from.Size() == 4 && to.Size() == 4:
		if from.IsSigned() && to.Size() < 4 && !to.IsSigned() {
			break
		}
		return x
	}
	return l.narrow(x, to)
}

func (l *lowering) floatToFloat(x *ssa.Value, from, to expr.DType) *ssa.Value {
	if from == expr.Float32 {
		if x.Op == ssa.Const {
			return l.Double(float64(floatOf(x)))
		}
		return l.MakeAux(ssa.Raw, ssa.D, "F2F.F64.F32", x)
	}
	if x.Op == ssa.Const {
		return l.Float(float32(doubleOf(x)))
	}
	return l.MakeAux(ssa.Raw, ssa.W, "F2F.F32.F64", x)
}

func (l *lowering) intToFloat(x *ssa.Value, from, to expr.DType) *ssa.Value {
	sign := "U"
	if from.IsSigned() {
		sign = "S"
	}
	if x.Op == ssa.Const {
		f := float64(x.Int)
		switch {
		case from.Size() < 8 && sign == "S":
			f = float64(int32(x.Int))
		case from.Size() < 8:
			f = float64(uint32(x.Int))
		case sign == "U":
			f = float64(uint64(x.Int))
		}
		if to == expr.Float64 {
			return l.Double(f)
		}
		return l.Float(float32(f))
	}
	switch {
	case to == expr.Float64 && from.Size() == 8:
		return l.MakeAux(ssa.Raw, ssa.D, "I2F.F64."+sign+"64", x)
	case to == expr.Float64 && sign == "U":
		return l.MakeAux(ssa.Raw, ssa.D, "I2F.F64.U32", x)
	case to == expr.Float64:
		return l.MakeAux(ssa.Raw, ssa.D, "I2F.F64", x)
	case from.Size() == 8:
		return l.MakeAux(ssa.Raw, ssa.W, "I2F."+sign+"64", x)
	}
	return l.MakeAux(ssa.Raw, ssa.W, "I2FP.F32."+sign+"32", x)
}

// floatToInt rounds as the modifier says, and keeps what the type has of it.
func (l *lowering) floatToInt(x *ssa.Value, from, to expr.DType, how string) *ssa.Value {
	name, t := "F2I", ssa.W
	if !to.IsSigned() && to.Size() >= 4 {
		name += ".U"
	} else if to.Size() == 8 {
		name += ".S"
	}
	if to.Size() == 8 {
		name, t = name+"64", ssa.D
	} else if !to.IsSigned() && to.Size() == 4 {
		name += "32"
	}
	if from == expr.Float64 {
		name += ".F64"
	}
	name += how
	if from == expr.Float32 {
		name += ".NTZ"
	}
	y := l.MakeAux(ssa.Raw, t, name, x)
	if to.Size() < 4 {
		return l.narrow(y, to)
	}
	return y
}

// asWord is a predicate as a number.
func (l *lowering) asWord(p *ssa.Value) *ssa.Value {
	return l.Make(ssa.Select, ssa.W, p, l.Const(1), l.Const(0))
}

// nonzero is whether a number is not 0.
func (l *lowering) nonzero(x *ssa.Value, t expr.DType) *ssa.Value {
	switch {
	case isHalf(t):
		return l.nonzero(l.ofHalf(x, t), expr.Float32)
	case t == expr.Float32:
		return l.MakeAux(ssa.FCmp, ssa.Pred, "NEU", x, l.Const(0))
	case t == expr.Float64:
		return l.MakeAux(ssa.DCmp, ssa.Pred, "NEU", x, l.Const64(0))
	case x.Type == ssa.D:
		return l.MakeAux(ssa.Cmp, ssa.Pred, "NE", x, l.Const64(0))
	}
	return l.MakeAux(ssa.Cmp, ssa.Pred, "NE", x, l.Const(0))
}

// read is the value that a place holds.
func (l *lowering) read(at cfront.Pos, p place) value {
	switch {
	case len(p.dims) > 0: // an array is the address of its first element
		return value{p: p.p, elem: p.t, rec: p.rec, dims: p.dims[1:]}
	case p.ptr:
		return l.readPointer(at, p)
	case p.rec != nil:
		return value{at: &p}
	case p.t == "":
		l.fail(at, "a value whose type is not known is read")
	}
	l.supported(at, p.t)
	whole := l.readNumber(at, p)
	if p.lanes == nil {
		return whole
	}
	out := value{t: p.t.Base().Vector(int64(len(p.lanes)))}
	for _, i := range p.lanes {
		out.x = append(out.x, whole.x[i])
	}
	return out
}

func (l *lowering) readNumber(at cfront.Pos, p place) value {
	base := p.t.Base()
	out := value{t: p.t}
	if p.p.space != ssa.NoSpace {
		out.x = l.load(p.p, p.t)
		return out
	}
	for i := range p.t.Lanes() {
		out.x = append(out.x, l.part(at, p.p, i*base.Size(), base))
	}
	return out
}

// part is a part of a variable that is kept as values.
func (l *lowering) part(at cfront.Pos, p *pointer, off int64, t expr.DType) *ssa.Value {
	k := key{p.v, p.off + off}
	s, ok := l.env[k]
	switch {
	case ok && s.p != nil:
		return l.converted(l.address(s.p), expr.Uint64, t)
	case ok && s.t.Size() == t.Size():
		if s.t.Size() < 4 && s.t != t {
			return l.narrow(s.x, t)
		}
		return s.x
	case ok && t.Size() == 4 && s.t.Size() == 8:
		return l.Word(s.x, 0)
	case ok && t.Size() == 8 && s.t.Size() == 4:
		if high, ok := l.env[key{p.v, k.at + 4}]; ok && high.x != nil && high.t.Size() == 4 {
			return l.Make(ssa.Pack, ssa.D, s.x, high.x)
		}
	}
	if x := l.partOfWord(k, t); x != nil {
		return x
	}
	if inside := l.inside(k, t.Size()); ok || len(inside) > 0 {
		x := l.wordOfParts(k, t, inside)
		if x == nil {
			l.inMemory(p.v)
		}
		return x
	}
	// what nobody has written holds anything
	if wordType(t) == ssa.D {
		return l.Const64(0)
	}
	return l.Const(0)
}

func (l *lowering) readPointer(at cfront.Pos, p place) value {
	out := value{elem: p.t, rec: p.rec, dims: p.of}
	if p.p.space == ssa.NoSpace {
		s, ok := l.env[key{p.p.v, p.p.off}]
		switch {
		case ok && s.p != nil:
			out.p = s.p
		case ok:
			out.p = &pointer{space: ssa.Global, base: s.x}
		default:
			l.fail(at, "what the pointer %s points to is not known here", p.p.v.Name)
		}
		return out
	}
	x := l.load(p.p, expr.Uint64)
	out.p = &pointer{space: ssa.Global, base: x[0]}
	return out
}

func (l *lowering) write(at cfront.Pos, p place, v value) {
	switch {
	case len(p.dims) > 0:
		l.fail(at, "an array is assigned to")
	case p.ptr:
		l.writePointer(at, p, v)
	case p.rec != nil:
		l.copyRecord(at, p, v)
	case p.lanes != nil:
		v = l.convert(at, v, p.t.Base().Vector(int64(len(p.lanes))))
		for i, lane := range p.lanes {
			base := p.t.Base()
			l.writeNumber(place{p: p.p.shift(int64(lane) * base.Size()), t: base}, number(base, v.x[i]))
		}
	default:
		if p.t == "" {
			l.fail(at, "a value whose type is not known is written")
		}
		l.writeNumber(p, l.convert(at, v, p.t))
	}
}

func (l *lowering) writeNumber(p place, v value) {
	base := p.t.Base()
	if p.p.space != ssa.NoSpace {
		l.store(p.p, p.t, v.x)
		return
	}
	for i, x := range v.x {
		k := key{p.p.v, p.p.off + int64(i)*base.Size()}
		if !l.makeRoom(k, base.Size()) {
			l.inMemory(p.p.v)
		}
		l.env[k] = slot{x: x, t: base}
	}
}

func (l *lowering) writePointer(at cfront.Pos, p place, v value) {
	to := v.p
	if to == nil {
		if len(v.x) != 1 {
			l.fail(at, "no pointer is assigned to a pointer")
		}
		to = &pointer{space: ssa.Global, base: l.convert(at, v, expr.Uint64).x[0]}
	}
	if p.p.space == ssa.NoSpace {
		l.env[key{p.p.v, p.p.off}] = slot{p: to}
		return
	}
	if to.space != ssa.Global && to.space != ssa.Generic {
		l.fail(at, "a pointer to memory of a work-group or a work-item is stored, which is not compiled here")
	}
	l.store(p.p, expr.Uint64, []*ssa.Value{l.address(to)})
}

func (l *lowering) copyRecord(at cfront.Pos, p place, v value) {
	if v.at == nil {
		l.fail(at, "no record is assigned to a record")
	}
	type held struct {
		f cfront.Field
		v value
	}
	var all []held
	for _, f := range leaves(p.rec, 0) { // all are read first: they may overlap
		from := place{p: v.at.p.shift(f.Offset), t: f.DType, rec: f.Record, ptr: f.Pointer}
		if v.at.p.space == ssa.NoSpace {
			if _, ok := l.env[key{from.p.v, from.p.off}]; !ok {
				continue
			}
		}
		all = append(all, held{f, l.read(at, from)})
	}
	for _, h := range all {
		l.write(at, place{p: p.p.shift(h.f.Offset), t: h.f.DType, rec: h.f.Record, ptr: h.f.Pointer}, h.v)
	}
}
