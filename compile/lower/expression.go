package lower

import (
	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

func (l *lowering) expression(e cfront.Expr) value {
	if l.Func.Count() > maxValues {
		l.fail(e.Place(), "the kernel becomes more than %d values when its loops are unrolled", maxValues)
	}
	l.at(e.Place())
	switch x := e.(type) {
	case *cfront.Int:
		if wordType(x.DType) == ssa.D {
			return number(x.DType, l.Const64(x.Value))
		}
		return number(x.DType, l.Const(x.Value))
	case *cfront.Float:
		if x.DType == expr.Float64 {
			return number(x.DType, l.Double(x.Value))
		}
		l.supported(x.Pos, x.DType)
		if isHalf(x.DType) {
			return number(x.DType, l.halfConst(x.Value, x.DType))
		}
		return number(x.DType, l.Float(float32(x.Value)))
	case *cfront.Member:
		if v, ok := l.builtin(x); ok {
			return v
		}
		return l.read(x.Pos, l.placeOf(x))
	case *cfront.Ref, *cfront.Index:
		return l.read(e.Place(), l.placeOf(e))
	case *cfront.Lane:
		v := l.expression(x.X)
		out := value{t: v.t.Base().Vector(int64(len(x.Lanes)))}
		for _, i := range x.Lanes {
			out.x = append(out.x, v.x[i])
		}
		return out
	case *cfront.Address:
		return l.addressOf(x.X)
	case *cfront.Unary:
		return l.unary(x)
	case *cfront.Binary:
		return l.binary(x)
	case *cfront.Select:
		return l.choose(x)
	case *cfront.Cast:
		return l.cast(x)
	case *cfront.Vector:
		return l.vector(x)
	case *cfront.Call:
		return l.call(x)
	case *cfront.Assign:
		return l.assign(x)
	case *cfront.List:
		var last value
		for _, item := range x.Items {
			last = l.expression(item)
		}
		return last
	case *cfront.Make:
		return l.makeRecord(x)
	case *cfront.Unknown:
		l.fail(x.Pos, "%s is not compiled here", x.What)
	}
	l.fail(e.Place(), "%s is not compiled here", named(e))
	return value{}
}

// addressOf is &x.
func (l *lowering) addressOf(x cfront.Expr) value {
	switch x.(type) {
	case *cfront.Ref, *cfront.Index, *cfront.Member, *cfront.Lane:
	default: // of a value: it is kept in a variable
		v := l.expression(x)
		t := l.temporary(x)
		l.write(x.Place(), t, v)
		return value{p: t.p, elem: t.t, rec: t.rec}
	}
	p := l.placeOf(x)
	if p.lanes != nil {
		if len(p.lanes) != 1 {
			l.fail(x.Place(), "the address of lanes of a vector is taken")
		}
		base := p.t.Base()
		return value{p: p.p.shift(int64(p.lanes[0]) * base.Size()), elem: base}
	}
	out := value{p: p.p, elem: p.t, rec: p.rec, dims: p.dims}
	if p.ptr {
		out.elem, out.rec = "", nil
	}
	return out
}

// temporary is a new variable for a value like that of an expression.
func (l *lowering) temporary(like cfront.Expr) place {
	v := &cfront.Var{Name: "temporary", Pos: like.Place(), Class: cfront.Local, DType: like.Type(), Record: like.Record()}
	if like.PointsTo() != "" && like.Type() == "" {
		v.DType, v.Pointer = like.PointsTo(), true
	}
	if v.DType != "" && !v.Pointer {
		v.Record = nil
	}
	l.know(v)
	return place{p: &pointer{v: v}, t: v.DType, rec: v.Record, ptr: v.Pointer}
}

// placeOf is the place that an expression names.
func (l *lowering) placeOf(e cfront.Expr) place {
	switch x := e.(type) {
	case *cfront.Ref:
		return l.variable(x.Pos, x.Var)
	case *cfront.Index:
		return l.element(x)
	case *cfront.Lane:
		p := l.placeOf(x.X)
		if p.lanes == nil {
			p.lanes = x.Lanes
			return p
		}
		lanes := make([]int, len(x.Lanes))
		for i, n := range x.Lanes {
			lanes[i] = p.lanes[n]
		}
		p.lanes = lanes
		return p
	case *cfront.Member:
		return l.member(x)
	}
	v := l.expression(e)
	if v.at != nil {
		return *v.at
	}
	t := l.temporary(e)
	l.write(e.Place(), t, v)
	return t
}

func (l *lowering) member(x *cfront.Member) place {
	of := l.placeOf(x.X)
	if of.rec == nil || of.ptr {
		l.fail(x.Pos, "%s is a member of no record that is known", x.Name)
	}
	f, ok := of.rec.Field(x.Name)
	if !ok || of.rec.Unknown != "" {
		l.fail(x.Pos, "where the member %s lies is not known", x.Name)
	}
	out := place{p: of.p.shift(f.Offset), t: f.DType, rec: f.Record, dims: f.Dims, ptr: f.Pointer}
	if out.t != "" {
		out.rec = nil
	}
	return out
}

// element is an element of an array, or what a pointer points to.
func (l *lowering) element(x *cfront.Index) place {
	of := l.expression(x.Of)
	if of.p == nil {
		if len(of.x) == 1 && of.x[0].Type == ssa.D {
			of.p = &pointer{space: ssa.Global, base: of.x[0]}
		} else {
			l.fail(x.Pos, "an element of no array or pointer")
		}
	}
	ptr := false
	if len(of.dims) == 0 && len(x.Subs) == 1 { // the tree tells what it is
		of.elem, of.rec = x.Type(), x.Record()
		if of.elem == "" && (x.PointsTo() != "" || of.rec == nil) {
			ptr, of.elem = true, x.PointsTo()
		}
	} else if of.elem == "" && of.rec == nil || isPointerElement(x.Of) {
		ptr = true
	}
	size := sizeOf(of.elem, of.rec, ptr)
	if size == 0 {
		l.fail(x.Pos, "the size of an element is not known")
	}
	out := place{p: of.p, t: of.elem, rec: of.rec, dims: of.dims, ptr: ptr}
	if out.t != "" && !ptr {
		out.rec = nil
	}
	for i, sub := range x.Subs {
		if i > 0 {
			if len(out.dims) == 0 {
				l.fail(x.Pos, "an element of what is no array")
			}
			out.dims = out.dims[1:]
		}
		out.p = l.advanced(x.Pos, out.p, l.expression(sub), size*product(out.dims))
	}
	return out
}

// isPointerElement reports whether the elements of what an expression points to are pointers.
func isPointerElement(e cfront.Expr) bool {
	r, ok := e.(*cfront.Ref)
	return ok && r.Var.DType == "" && r.Var.Record == nil
}

func (l *lowering) vector(x *cfront.Vector) value {
	out := value{t: x.DType}
	base := x.DType.Base()
	for _, e := range x.Elems {
		v := l.expression(e)
		out.x = append(out.x, l.convert(x.Pos, v, base.Vector(max(int64(len(v.x)), 1))).x...)
	}
	for len(out.x) == 1 && int64(len(out.x)) < x.DType.Lanes() {
		one := out.x[0]
		for int64(len(out.x)) < x.DType.Lanes() {
			out.x = append(out.x, one)
		}
	}
	return out
}

func (l *lowering) cast(x *cfront.Cast) value {
	v := l.expression(x.X)
	if x.DType == "" && (x.Elem != "" || v.p != nil || x.Rec != nil) { // to a pointer
		if v.p == nil {
			if len(v.x) == 1 && v.x[0].Op == ssa.Const && v.x[0].Int == 0 {
				return value{p: &pointer{space: ssa.Global}, elem: x.Elem, rec: x.Rec}
			}
			v = value{p: &pointer{space: ssa.Global, base: l.convert(x.Pos, v, expr.Uint64).x[0]}}
		}
		rec := x.Rec
		if x.Elem != "" {
			rec = nil
		}
		return value{p: v.p, elem: x.Elem, rec: rec}
	}
	if x.DType == "" {
		return v
	}
	return l.convert(x.Pos, v, x.DType)
}

// as is a value as the type of an expression.
// simple reports whether an expression may be computed whether it is needed or not: it is short, reads no memory and has no effect.
// condition computes an expression as a predicate.
// isTruth reports whether an expression is 0 or 1.
// both is a && b or a || b. The second is computed only where the first does not decide, unless it is simple.
// harmless reports whether a condition may be computed whether it is needed or not.
// compare computes a comparison.
// common is the type of arithmetic on two types.
func common(a, b expr.DType) expr.DType {
	lanes := max(a.Lanes(), b.Lanes())
	x, y := a.Base(), b.Base()
	for _, t := range []expr.DType{expr.Float64, expr.Float32, expr.BFloat16, expr.Float16, expr.Uint64, expr.Int64, expr.Uint32} {
		if x == t || y == t {
			return t.Vector(lanes)
		}
	}
	return expr.DType(expr.Int32).Vector(lanes)
}

func (l *lowering) unary(x *cfront.Unary) value {
	if x.Op == "!" && x.DType.IsVector() {
		return vectors{l}.notLanes(x)
	}
	if x.Op == "!" {
		return number(expr.Int32, l.asWord(l.condition(x)))
	}
	v := l.as(x, l.expression(x.X))
	out := value{t: v.t}
	for _, a := range v.x {
		out.x = append(out.x, l.sign(x, a, v.t.Base()))
	}
	return out
}

func (l *lowering) sign(x *cfront.Unary, a *ssa.Value, t expr.DType) *ssa.Value {
	switch {
	case x.Op == "+":
		return a
	case x.Op == "-" && isHalf(t):
		return l.Make(ssa.Xor, ssa.W, a, l.Const(halfSigns))
	case x.Op == "-" && t == expr.Float32:
		return l.Make(ssa.FNeg, ssa.W, a)
	case x.Op == "-" && t == expr.Float64:
		return l.Make(ssa.DNeg, ssa.D, a)
	case x.Op == "-" && a.Type == ssa.D:
		return l.Make(ssa.Sub, ssa.D, l.Const64(0), a)
	case x.Op == "-":
		return l.narrow(l.Make(ssa.Sub, ssa.W, l.Const(0), a), t)
	case x.Op == "~" && a.Type == ssa.D:
		return l.Make(ssa.Xor, ssa.D, a, l.Const64(-1))
	case x.Op == "~":
		return l.narrow(l.Make(ssa.Xor, ssa.W, a, l.Const(-1)), t)
	}
	l.fail(x.Pos, "the operator %s is not compiled here", x.Op)
	return nil
}

func (l *lowering) assign(x *cfront.Assign) value {
	if x.Op == "" {
		if a, ok := x.Value.(*cfront.Make); ok && x.To.Record() != nil && a.Ctor == "" {
			to := l.placeOf(x.To)
			v := l.expression(x.Value)
			l.write(x.Pos, to, v)
			return v
		}
		v := l.expression(x.Value)
		to := l.placeOf(x.To)
		if !to.ptr && to.rec == nil && len(to.dims) == 0 {
			v = l.convert(x.Pos, v, l.typeOf(to))
		}
		l.write(x.Pos, to, v)
		return v
	}
	var by, v value
	first := len(l.assigned(&cfront.Do{X: x.Value})) > 0 // the right side comes first, which shows where it changes something
	if first {
		by = l.expression(x.Value)
	}
	to := l.placeOf(x.To)
	old := l.read(x.Pos, to)
	if !first {
		by = l.expression(x.Value)
	}
	if old.p != nil {
		n := by
		if x.Op == "-" {
			n = number(expr.Int64, l.Make(ssa.Sub, ssa.D, l.Const64(0), l.convert(x.Pos, by, expr.Int64).x[0]))
		}
		v = old
		v.p = l.advanced(x.Pos, old.p, n, sizeOf(old.elem, old.rec, false)*product(old.dims))
	} else {
		v = l.convert(x.Pos, l.arithmetic(x.Pos, x.Op, old, by), old.t)
	}
	l.write(x.Pos, to, v)
	if x.After {
		return old
	}
	return v
}

func (l *lowering) typeOf(p place) expr.DType {
	if p.lanes != nil {
		return p.t.Base().Vector(int64(len(p.lanes)))
	}
	return p.t
}

func (l *lowering) makeRecord(x *cfront.Make) value {
	t := l.temporary(x)
	if x.Rec == nil {
		l.fail(x.Pos, "a record whose members are not known is made")
	}
	if x.Ctor != "" {
		l.makeBy(x, t)
		return value{at: &t}
	}
	for i, f := range x.Rec.Fields {
		to := place{p: t.p.shift(f.Offset), t: f.DType, rec: f.Record, dims: f.Dims, ptr: f.Pointer}
		if to.t != "" {
			to.rec = nil
		}
		if i < len(x.Args) {
			l.initialize(to, x.Args[i])
		} else {
			l.zero(x.Pos, to)
		}
	}
	return value{at: &t}
}

// zero fills a place with zeros.
func (l *lowering) zero(at cfront.Pos, p place) {
	switch {
	case p.ptr:
		l.write(at, p, value{p: &pointer{space: ssa.Global}})
	case len(p.dims) > 0:
		each := p
		each.dims = p.dims[1:]
		size := sizeOf(p.t, p.rec, p.ptr) * product(each.dims)
		for i := range p.dims[0] {
			each.p = p.p.shift(i * size)
			l.zero(at, each)
		}
	case p.rec != nil:
		for _, f := range leaves(p.rec, 0) {
			l.zero(at, place{p: p.p.shift(f.Offset), t: f.DType, ptr: f.Pointer})
		}
	default:
		l.write(at, p, number(expr.Int32, l.Const(0)))
	}
}

// initialize gives a place the value of an expression, or those of a list.
func (l *lowering) initialize(to place, e cfront.Expr) {
	list, ok := e.(*cfront.List)
	if !ok || e.Type() != "" && len(to.dims) == 0 {
		if len(to.dims) > 0 {
			l.fail(e.Place(), "an array begins with %s, which is not compiled here", named(e))
		}
		l.write(e.Place(), to, l.expression(e))
		return
	}
	if len(to.dims) == 0 {
		l.fail(e.Place(), "a list of values is not compiled here")
	}
	each := to
	each.dims = to.dims[1:]
	size := sizeOf(to.t, to.rec, to.ptr) * product(each.dims)
	for i := range to.dims[0] {
		each.p = to.p.shift(i * size)
		if i < int64(len(list.Items)) {
			l.initialize(each, list.Items[i])
		} else {
			l.zero(e.Place(), each)
		}
	}
}
