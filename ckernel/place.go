package ckernel

import (
	"fmt"

	"gpuperf/cfront"
	"gpuperf/kernel/expr"
)

// array is an array in memory: an argument, or local or private memory of the kernel's own.
type array struct {
	v     *builderVar
	name  string
	base  expr.DType // of its elements, which are lanes where the text has vectors, and units where it has records or accesses of several types
	lanes int64      // of the text's elements
	space cfront.Space
	// inner are the extents but the outermost, in elements of the text; outer is that, nil where the declaration leaves it open.
	inner []*expr.Poly
	outer *expr.Poly
	shape []expr.Expr // in the kernel, once that is known
}

// access is one access of a statement, before it is known which dimensions the array has in the kernel. Until then it stands in
// expressions as an access with a tag.
type access struct {
	array  *array
	offset *expr.Poly   // in elements of the array
	subs   []*expr.Poly // as in the text, where they are all of those that the array is declared with
	lanes  int64
	span   int64 // elements of the array that it takes
	live   live
	pos    cfront.Pos
}

// place is an element that is accessed.
type place struct {
	array  *array
	offset *expr.Poly
	subs   []*expr.Poly
	elem   expr.DType // "" of a record
	lanes  int64
	record *cfront.Record
}

func (b *builder) array(at cfront.Expr, v *builderVar) *array {
	if a := b.arrays[v]; a != nil {
		return a
	}
	base, lanes := b.elementsOf(at, v)
	a := &array{v: v, name: b.name(v), base: base, lanes: lanes, space: v.Space}
	if a.space == "" {
		a.space = cfront.PrivateSpace
		if v.Pointer || v.Class == cfront.Global {
			a.space = cfront.GlobalSpace
		}
	}
	for i, d := range v.Dims {
		var n *expr.Poly
		if d != nil {
			var ok bool
			if n, ok = b.number(d); !ok || !b.inSizes(n) {
				b.failAt(v.Pos, "", "an extent of %s is no number and no size", v.Name)
			}
		}
		switch {
		case i == 0:
			a.outer = n
		case n == nil:
			b.failAt(v.Pos, "", "an inner extent of %s is not known", v.Name)
		default:
			a.inner = append(a.inner, n)
		}
	}
	if len(v.Dims) == 0 {
		a.outer = constant(1)
	}
	b.arrays[v] = a
	b.order = append(b.order, a)
	return a
}

// aliased is the variable that *p is, if p points to a variable.
func (b *builder) aliased(x *cfront.Index) *builderVar {
	var at *address
	switch of := x.Of.(type) {
	case *cfront.Ref:
		at = b.env[of.Var].at
	case *cfront.Member:
		if v := b.memberVariable(of); v != nil {
			at = b.env[v].at
		}
	case *cfront.Call:
		if f := b.file.Function(of.Func); f != nil && (f.Elem != "" || f.Pointer) {
			at = b.called(of).at
		}
	case *cfront.Address:
		at = b.addressOfPlace(of)
	}
	if at == nil || at.alias == nil || len(x.Subs) != 1 {
		return nil
	}
	if zero, ok := x.Subs[0].(*cfront.Int); !ok || zero.Value != 0 {
		b.fail(x, "", "the pointer to %s points to one variable", at.alias.Name)
	}
	return at.alias
}

// subscript reads an integer of index arithmetic, which may depend on data.
func (b *builder) subscript(e cfront.Expr) *expr.Poly {
	if n, ok := b.number(e); ok {
		return n
	}
	switch x := e.(type) { // the parts that do not depend on data stay apart
	case *cfront.Binary:
		switch x.Op {
		case "+":
			return b.subscript(x.X).Add(b.subscript(x.Y))
		case "-":
			return minus(b.subscript(x.X), b.subscript(x.Y))
		case "*":
			p, q := b.subscript(x.X), b.subscript(x.Y)
			if b.inSizes(p) || b.inSizes(q) {
				return p.Mul(q)
			}
			return b.opaque(expr.Binary(expr.Mul, b.express(p), b.express(q)))
		}
	case *cfront.Cast:
		if x.DType.IsInteger() && x.DType.Size() >= 4 && x.X.Type().IsInteger() {
			return b.subscript(x.X)
		}
	case *cfront.Ref:
		if v, ok := b.freeValue(e).(expr.Var); ok {
			return name(v.Name)
		}
	}
	if !e.Type().IsInteger() && e.Type() != expr.Bool {
		b.fail(e, "", "this is no integer")
	}
	return b.opaque(b.freeValue(e))
}

// addressOf reads a pointer.
func (b *builder) addressOf(e cfront.Expr) *address {
	switch x := e.(type) {
	case *cfront.Ref:
		if at := b.env[x.Var].at; at != nil {
			return at
		}
		if len(x.Var.Dims) > 0 && !x.Var.Pointer || inMemory(x.Var) || x.Var.Pointer && !x.Var.DType.Known() && x.Var.Record == nil {
			return &address{array: b.array(e, x.Var), offset: constant(0)}
		}
		if x.Var.Pointer {
			b.fail(e, "give each of the arrays its own statement", "it is not known which array %s points to", x.Var.Name)
		}
	case *cfront.Address:
		return b.addressOfPlace(x)
	case *cfront.Index: // an array within an array, or a pointer that a reference names
		if v := b.aliased(x); v != nil {
			return b.addressOf(cfront.Use(v))
		}
		if at := b.pointerElement(x); at != nil {
			return at
		}
		p := b.placeOf(x)
		return &address{array: p.array, offset: p.offset}
	case *cfront.Member:
		if v := b.memberVariable(x); v != nil {
			return b.addressOf(cfront.Use(v))
		}
		p, f := b.memberPlace(x)
		if f.Pointer {
			return b.readPointer(x, memberOf{p.array.v, f.Name}, p)
		}
		return &address{array: p.array, offset: p.offset}
	case *cfront.Cast:
		return b.castAddress(x)
	case *cfront.Binary:
		if at := b.moved(x); at != nil {
			return at
		}
	case *cfront.Select:
		if at := b.eitherAddress(x); at != nil {
			return at
		}
	case *cfront.Call:
		if at := b.calledAddress(x); at != nil {
			return at
		}
	case *cfront.Assign:
		if done, ok := b.results[x]; ok {
			return done.at
		}
		before := b.addressOf(x.To)
		b.assignment(x)
		if !x.After {
			before = b.addressOf(x.To)
		}
		b.results[x] = outcome{value: value{at: before}}
		return before
	case *cfront.List:
		b.firstItems(x)
		return b.addressOf(x.Items[len(x.Items)-1])
	}
	b.fail(e, "", "it is not known which array this points to")
	return nil
}

// castAddress is an address as one of another type.
func (b *builder) castAddress(x *cfront.Cast) *address {
	at := b.addressOf(x.X)
	if at.array != nil && isVoid(at.array.v) && b.learnt.voids[at.array.v] == nil && (x.Elem.Known() || x.Rec != nil) {
		if b.trial > 0 {
			b.fail(x, "", "it is not known what %s points to", at.array.name)
		}
		b.learnt.voids[at.array.v] = x
		panic(again{})
	}
	if v := at.alias; v != nil && v.DType.IsVector() && b.lanes[v] && x.Elem == v.DType.Base() { // the lanes of a vector
		return &address{array: b.array(cfront.Use(v), v), offset: constant(0)}
	}
	if at.alias != nil && x.Elem != at.alias.DType && !(x.Elem.Base() == at.alias.DType.Base() && b.lanes[at.alias]) {
		b.fail(x, "", "%s holds %s, and is accessed as %s", at.alias.Name, at.alias.DType, x.Elem)
	}
	return at
}

// calledAddress is the address that a call returns; nil where that is none.
func (b *builder) calledAddress(x *cfront.Call) *address {
	if x.Func == "__builtin_assume_aligned" && len(x.Args) > 0 {
		return b.addressOf(x.Args[0])
	}
	if b.file.Function(x.Func) != nil {
		if at := b.called(x).at; at != nil {
			return at
		}
	}
	return nil
}

// moved is the address that a number of elements is added to or taken from; nil where it is not known.
func (b *builder) moved(x *cfront.Binary) *address {
	p, s, sign := x.X, x.Y, int64(1)
	if p.Type() != "" {
		p, s = s, p
	}
	if x.Op == "-" {
		sign = -1
	}
	if x.Op != "+" && (x.Op != "-" || s.Type() == "") {
		return nil
	}
	at := b.addressOf(p)
	if at.alias != nil {
		return nil
	}
	return &address{array: at.array, offset: at.offset.Add(b.subscript(s).Scale(sign * b.size(p, at.array) * b.innerSize(p)))}
}

// eitherAddress is the address that a condition chooses; nil where it is not known which.
func (b *builder) eitherAddress(x *cfront.Select) *address {
	c := b.truth(x.If)
	switch b.decided(c) {
	case yes:
		return b.addressOf(x.Then)
	case no:
		return b.addressOf(x.Else)
	}
	p, q := b.addressOf(x.Then), b.addressOf(x.Else)
	if c.pred == nil && p.array == q.array && p.array != nil {
		return &address{array: p.array, offset: b.either(c.set, p.offset, q.offset)}
	}
	return nil
}

// innerSize is 1: pointers to arrays are not moved.
func (b *faults) innerSize(p cfront.Expr) int64 {
	if ref, ok := p.(*cfront.Ref); ok && len(ref.Var.Dims) > 1 {
		b.fail(p, "write subscripts", "the rows of %s are moved through by a sum", ref.Var.Name)
	}
	return 1
}

// addressOfPlace reads &x. What is no object, as the argument of a reference may be, becomes one.
func (b *builder) addressOfPlace(of *cfront.Address) *address {
	switch x := of.X.(type) {
	case *cfront.Ref:
		if inMemory(x.Var) || len(x.Var.Dims) > 0 && !x.Var.Pointer {
			return b.addressOf(x)
		}
		return &address{alias: x.Var}
	case *cfront.Member:
		if v := b.memberVariable(x); v != nil {
			return b.addressOfPlace(&cfront.Address{X: cfront.Use(v)})
		}
		if b.isMemory(x.X) {
			p, _ := b.memberPlace(x)
			return &address{array: p.array, offset: p.offset}
		}
	case *cfront.Index:
		if v := b.aliased(x); v != nil {
			return &address{alias: v}
		}
		p := b.placeOf(x)
		return &address{array: p.array, offset: p.offset}
	case *cfront.Lane:
		if len(x.Lanes) == 1 {
			p := b.placeOf(x)
			return &address{array: p.array, offset: p.offset}
		}
	case *cfront.Assign:
		if v := b.variableOf(x.To); v != nil && !x.After {
			b.assigned(x)
			return &address{alias: v}
		}
	case *cfront.Select:
		if at := b.eitherPlace(x); at != nil {
			return at
		}
	}
	return b.object(of)
}

// eitherPlace is the address of one of two objects; nil where it is not known which.
func (b *builder) eitherPlace(x *cfront.Select) *address {
	c, ok := b.pureTruth(x.If)
	if !ok {
		return nil
	}
	one := func(e cfront.Expr) *address { return b.addressOfPlace(&cfront.Address{X: e}) }
	switch b.decided(c) {
	case yes:
		return one(x.Then)
	case no:
		return one(x.Else)
	}
	if !isElement(x.Then) || !isElement(x.Else) {
		return nil
	}
	var p, q *address
	b.under(c, true, func() { p = one(x.Then) })
	b.under(c, false, func() { q = one(x.Else) })
	if p.array == nil || p.array != q.array {
		return nil
	}
	return &address{array: p.array, offset: b.either(c.set, p.offset, q.offset)}
}

func isElement(e cfront.Expr) bool { _, ok := e.(*cfront.Index); return ok }

// object is the address of a new variable that has the value of what is no object.
func (b *builder) object(of *cfront.Address) *address {
	t := of.X.Type()
	if !t.Known() && of.X.Record() == nil {
		b.fail(of, "", "the address of this has no place in a kernel")
	}
	key := objectOf{of, b.path}
	v := b.learnt.objects[key]
	if v == nil {
		v = &builderVar{Name: "value", Pos: of.Pos, Class: cfront.Local, DType: t, Record: of.X.Record()}
		b.learnt.objects[key] = v
	}
	b.path += "&"
	b.assign(of.X.Place(), v, of.X)
	b.path = b.path[:len(b.path)-1]
	return &address{alias: v}
}

// placeOf reads an element, or lanes of one that follow each other.
func (b *builder) placeOf(e cfront.Expr) place {
	switch x := e.(type) {
	case *cfront.Index:
		if v := b.aliased(x); v != nil {
			return b.placeOf(cfront.Use(v))
		}
		if p, ok := b.pinned[x]; ok {
			return p
		}
		return b.element(x)
	case *cfront.Member:
		if v := b.memberVariable(x); v != nil {
			return b.placeOf(cfront.Use(v))
		}
		p, _ := b.memberPlace(x)
		return p
	case *cfront.Ref:
		if inMemory(x.Var) && len(x.Var.Dims) == 0 {
			a := b.array(e, x.Var)
			return place{array: a, offset: constant(0), elem: x.Var.DType, lanes: x.Var.DType.Lanes(), record: x.Var.Record}
		}
		if x.Var.DType.IsVector() && b.lanes[x.Var] && len(x.Var.Dims) == 0 {
			return place{array: b.array(e, x.Var), offset: constant(0), elem: x.Var.DType, lanes: x.Var.DType.Lanes()}
		}
	case *cfront.Lane:
		p := b.placeOf(x.X)
		for i, l := range x.Lanes {
			if l != x.Lanes[0]+i {
				b.fail(e, "", "lanes that do not follow each other have no place here")
			}
		}
		b.unit(x.Pos, p.array, x.DType.Base().Size())
		step := x.DType.Base().Size() / p.array.base.Size()
		return place{array: p.array, offset: p.offset.Add(constant(int64(x.Lanes[0]) * step)), elem: x.DType, lanes: int64(len(x.Lanes))}
	case *cfront.Call:
		if isLoad(x) {
			at := b.addressOf(x.Args[0])
			if at.array != nil {
				return b.placeAt(x.Pos, at.array, at.offset, x.DType)
			}
		}
	}
	b.fail(e, "", "this is neither a variable nor an element of an array")
	return place{}
}

// element reads a[i], a[i][j] and (p + k)[i].
func (b *builder) element(x *cfront.Index) place {
	ref, named := x.Of.(*cfront.Ref)
	at := b.addressOf(x.Of)
	if at.array == nil {
		b.fail(x, "", "this points to a variable, and not to an array")
	}
	a := at.array
	elem := x.Type()
	if elem == "" {
		elem = x.PointsTo()
	}
	units := b.size(x, a)
	if r := x.Record(); r == nil {
		b.unit(x.Pos, a, elem.Base().Size())
	} else {
		b.unit(x.Pos, a, unitOf(r).Size())
	}
	var inner []*expr.Poly
	var dims []cfront.Expr
	if named {
		dims = ref.Var.Dims
	} else if m, ok := x.Of.(*cfront.Member); ok {
		dims = b.extentsOf(m)
	}
	if len(dims) > 0 {
		for _, d := range dims[1:] {
			n, ok := b.number(d)
			if !ok {
				b.fail(x, "", "an extent of the array depends on data")
			}
			inner = append(inner, n)
		}
	}
	if len(x.Subs) > len(inner)+1 {
		b.fail(x, "", "this has more subscripts than its array has dimensions")
	}
	p := place{array: a, offset: at.offset, elem: elem, lanes: elem.Lanes(), record: x.Record()}
	var subs []*expr.Poly
	for i, s := range x.Subs {
		n := b.subscript(s)
		subs = append(subs, n)
		step := n.Scale(units)
		for _, size := range inner[i:] {
			step = step.Mul(size)
		}
		p.offset = p.offset.Add(step)
	}
	if named && ref.Var == a.v && len(subs) == len(a.inner)+1 && len(a.inner) > 0 && a.lanes == 1 && units == 1 {
		p.subs = subs
	}
	return p
}

// access enters an access, and is the expression that stands for it.
func (b *position) access(at cfront.Pos, a *array, offset *expr.Poly, lanes int64, subs []*expr.Poly) expr.Expr {
	if lanes == 1 {
		lanes = 0
	}
	b.accesses = append(b.accesses, &access{a, offset, subs, lanes, max(lanes, 1), b.live, at})
	return &expr.Access{Array: a.name, Tag: fmt.Sprintf("at%d", len(b.accesses)-1), Index: []expr.Expr{}, Lanes: lanes}
}

// accessOf is the access that an expression stands for.
func (b *flow) accessOf(x *expr.Access) *access {
	var i int
	if _, err := fmt.Sscanf(x.Tag, "at%d", &i); err != nil || i >= len(b.accesses) {
		return nil
	}
	return b.accesses[i]
}

func (b *builder) load(e cfront.Expr) expr.Expr {
	return b.take(e.Place(), b.placeOf(e))
}

// store assigns to an element.
func (b *builder) store(at cfront.Pos, to, e cfront.Expr) {
	if l, ok := to.(*cfront.Lane); ok && b.storeLanes(at, l, e) {
		return
	}
	v := converting(b.value(e), e.Type(), to.Type())
	p := b.placeOf(to)
	b.emit(&record{pos: at, lhs: b.take(to.Place(), p), rhs: v})
}

// storeScalar assigns to a scalar in memory that work-items share.
func (b *builder) storeScalar(at cfront.Pos, v *builderVar, e cfront.Expr) {
	val := converting(b.value(e), e.Type(), v.DType)
	b.emit(&record{pos: at, lhs: b.take(at, b.placeAt(at, b.array(e, v), constant(0), v.DType)), rhs: val})
}
