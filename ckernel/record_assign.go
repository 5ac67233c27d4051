package ckernel

import (
	"slices"

	"gpuperf/cfront"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// effectOf makes an object for its effect.
func (b *builder) effectOf(x *cfront.Make) { b.keptRecord(x) }

// assignRecord gives a record the members of another, one by one.
func (b *builder) assignRecord(at cfront.Pos, to, e cfront.Expr) {
	r := to.Record()
	if b.isMemory(to) {
		defer b.pin(to)()
	}
	switch x := e.(type) {
	case *cfront.Cast:
		b.assignRecord(at, to, x.X)
		return
	case *cfront.Make:
		b.construct(at, to, x.Ctor, x.Args, x)
		return
	case *cfront.List:
		if x.Type() == "" && x.Record() == nil && x.PointsTo() == "" {
			b.construct(at, to, "", x.Items, nil)
			return
		}
	case *cfront.Select:
		then, other := &cfront.Do{Pos: at, X: cfront.Assignment(to, x.Then)}, &cfront.Do{Pos: at, X: cfront.Assignment(to, x.Else)}
		results := b.results
		b.branch(&cfront.If{Pos: x.Pos, Cond: x.If, Then: then, Else: other})
		b.results = results
		return
	case *cfront.Binary:
		if x.Rec != nil && x.Rec.Vector {
			b.assignOperation(at, to, x.Pos, x.Op, b.part(x.X), b.part(x.Y))
			return
		}
	case *cfront.Unary:
		if x.Rec != nil && x.Rec.Vector {
			zero := func(cfront.Field) cfront.Expr { return cfront.Zero(x.Pos) }
			b.assignOperation(at, to, x.Pos, x.Op, zero, b.part(x.X))
			return
		}
	case *cfront.Unknown:
		b.fail(e, "", "%s has no place in a kernel", x.What)
	case *cfront.Vector:
		b.fail(e, "", "a vector is no structure")
	}
	from := e
	if c, is := e.(*cfront.Call); is && b.file.Function(c.Func) == nil {
		if b.exchangedFields(at, to, c) {
			return
		}
		b.fail(e, "", "%s has no value that is a structure", c.Func)
	}
	if !b.isMemory(e) && !isBuiltin(e) {
		from = b.whole(e)
	} else {
		defer b.pin(e)()
	}
	for _, f := range covering(r) {
		b.assignField(at, to, f, cfront.Part(from, f))
	}
}

// exchangedFields is an exchange of a structure, of which each member is exchanged; false for other calls.
func (b *builder) exchangedFields(at cfront.Pos, to cfront.Expr, x *cfront.Call) bool {
	i := slices.IndexFunc(x.Args, func(a cfront.Expr) bool { return a.Record() != nil })
	if f, _ := cfront.IntrinsicOf(x.Func); f.Kind != cfront.Shuffle || i < 0 {
		return false
	}
	of := b.part(x.Args[i])
	one := func(e cfront.Expr) cfront.Expr {
		c := *x
		c.DType, c.Rec, c.Args = e.Type(), e.Record(), slices.Clone(x.Args)
		c.Args[i] = e
		return &c
	}
	for _, f := range to.Record().Fields {
		value := of(f)
		if len(f.Dims) != 1 {
			b.assignField(at, to, f, one(value))
			continue
		}
		var items []cfront.Expr
		for n := range f.Dims[0] {
			items = append(items, one(cfront.Element(value, n)))
		}
		b.assignField(at, to, f, &cfront.List{Items: items})
	}
	return true
}

// whole is the variable that a record is.
func (b *builder) whole(e cfront.Expr) cfront.Expr {
	v, _ := b.objectOf(e)
	if v == nil {
		b.fail(e, "", "this is no structure that is known")
	}
	return cfront.Use(v)
}

// assignOperation assigns the results of an operation on the fields of vectors, field by field.
func (b *builder) assignOperation(at cfront.Pos, to cfront.Expr, op cfront.Pos, symbol string, left, right func(cfront.Field) cfront.Expr) {
	for _, f := range to.Record().Fields {
		b.assignField(at, to, f, cfront.Operation(op, symbol, left(f), right(f)))
	}
}

// part gives the members of an operand of vectors of three lanes: a number is one for all, computed once.
func (b *builder) part(e cfront.Expr) func(cfront.Field) cfront.Expr {
	if e.Record() == nil {
		v, use := cfront.Temporary("value", e)
		b.assign(e.Place(), v, e)
		return func(cfront.Field) cfront.Expr { return use }
	}
	of := e
	if !b.isMemory(e) {
		v, _ := b.objectIn(e)
		of = cfront.Use(v)
	}
	return func(f cfront.Field) cfront.Expr { return cfront.Part(of, f) }
}

// construct gives a record the values that a list has, or those that a constructor gives it.
func (b *builder) construct(at cfront.Pos, to cfront.Expr, ctor string, args []cfront.Expr, x *cfront.Make) {
	v := b.variableOf(to)
	own := map[*builderVar]bool{v: v != nil}
	if v != nil {
		b.withMembers(own)
	}
	for _, a := range args {
		if v != nil && b.namesAny(a, own) && x != nil { // its values are those before
			if done, ok := b.results[x]; ok && done.variable == v {
				break
			}
			b.assignRecord(at, to, b.keptRecord(x))
			return
		}
	}
	if ctor != "" {
		results := b.results
		b.called(x.Constructor(to))
		b.results = results
		return
	}
	r := to.Record()
	fields := distinct(r)
	switch {
	case overlaps(r) && len(args) == 0:
		fields = covering(r)
	case overlaps(r):
		fields = fields[:len(args)]
		if last := fields[len(args)-1]; len(args) > 1 && last.Offset == fields[0].Offset {
			b.failAt(at, "give its members values one by one", "%d values for %s", len(args), r.Name)
		}
	}
	if len(args) > len(fields) {
		b.failAt(at, "", "%d values for %s", len(args), r.Name)
	}
	for i, f := range fields {
		var value cfront.Expr = cfront.Zero(at)
		if i < len(args) {
			value = args[i]
		}
		b.assignField(at, to, f, value)
	}
}

// assignField gives a member of a record a value; where that is 0 for one that is no number, 0 to all of it.
func (b *builder) assignField(at cfront.Pos, to cfront.Expr, f cfront.Field, value cfront.Expr) {
	path := b.path
	b.path += "." + f.Name
	defer func() { b.path = path }()
	part := cfront.Part(to, f)
	zero, isZero := value.(*cfront.Int)
	isZero = isZero && zero.Value == 0
	switch {
	case f.Pointer:
		b.assignPointer(at, part, value, isZero)
	case len(f.Dims) > 0:
		b.assignElements(at, part, f, value, isZero)
	case f.Record != nil && isZero:
		b.construct(at, part, "", nil, nil)
	case f.Record != nil:
		b.assignRecord(at, part, value)
	default:
		b.assignPart(at, part, value)
	}
}

// assignPart assigns to a member that is a number.
func (b *builder) assignPart(at cfront.Pos, part, value cfront.Expr) {
	if v := b.variableOf(part); v != nil {
		b.assign(at, v, value)
		return
	}
	b.store(at, part, value)
}

// assignPointer assigns to a member that is a pointer, which is followed in variables alone.
func (b *builder) assignPointer(at cfront.Pos, part, value cfront.Expr, isZero bool) {
	v := b.variableOf(part)
	switch {
	case v == nil:
		b.storePointer(at, part)
	case isZero:
		delete(b.env, v)
	default:
		if isNull(value) {
			delete(b.env, v)
			return
		}
		b.assign(at, v, value)
	}
}

// storePointer stores an address, of which nothing is known then.
func (b *builder) storePointer(at cfront.Pos, to cfront.Expr) {
	var p place
	switch x := to.(type) {
	case *cfront.Member:
		p, _ = b.memberPlace(x)
	case *cfront.Index:
		if b.pointerElement(x) == nil {
			b.fail(to, "", "a pointer is stored in memory")
		}
		ref := x.Of.(*cfront.Ref)
		a := b.array(ref, ref.Var)
		subs := make([]*expr.Poly, len(x.Subs))
		for i, s := range x.Subs {
			subs[i] = b.subscript(s)
		}
		p = place{array: a, offset: a.flat(subs)}
	default:
		b.fail(to, "", "a pointer is stored in memory")
	}
	b.unit(at, p.array, pointerBytes)
	p.elem, p.lanes = expr.Uint64, 1
	address := &kernel.Function{Name: "an_address", Result: expr.Uint64, Counts: map[expr.DType]map[string]int64{}, Body: "return an_address();"}
	b.emit(&record{pos: at, lhs: b.take(at, p), rhs: &expr.Call{Func: b.function(address)}})
}

func isNull(e cfront.Expr) bool {
	if c, ok := e.(*cfront.Cast); ok {
		return isNull(c.X)
	}
	n, ok := e.(*cfront.Int)
	return ok && n.Value == 0
}

// assignElements assigns to a member that is an array, element by element.
func (b *builder) assignElements(at cfront.Pos, part cfront.Expr, f cfront.Field, value cfront.Expr, isZero bool) {
	if len(f.Dims) > 1 || f.Dims[0] > maxList {
		b.failAt(at, "", "the array %s of a structure is assigned to as a whole", f.Name)
	}
	list, isList := value.(*cfront.List)
	inner := f
	inner.Dims = nil
	for i := range f.Dims[0] {
		element := cfront.Element(part, i)
		var one cfront.Expr = cfront.Zero(at)
		switch {
		case isZero:
		case isList && i < int64(len(list.Items)):
			one = list.Items[i]
		case !isList:
			one = cfront.Element(value, i)
		}
		zero, is := one.(*cfront.Int)
		switch {
		case f.Record != nil && is && zero.Value == 0:
			b.construct(at, element, "", nil, nil)
		case f.Record != nil:
			b.assignRecord(at, element, one)
		default:
			b.assignPart(at, element, one)
		}
	}
}

// initialiseRecords gives the elements of an array of records the values of a list; those that it leaves out are 0.
func (b *builder) initialiseRecords(v *builderVar, n int64) {
	list, _ := v.Init.(*cfront.List)
	for i := range n {
		element := cfront.Element(cfront.Use(v), i)
		if list != nil && i < int64(len(list.Items)) {
			b.assignRecord(v.Pos, element, list.Items[i])
			continue
		}
		b.construct(v.Pos, element, "", nil, nil)
	}
}

// copyBytes follows memcpy and memset: in memory as accesses to elements of the type that the pointer has, in variables as registers are copied, where what the
// first one has then is not known.
func (b *builder) copyBytes(x *cfront.Call) {
	n, known := b.bytesOf(x.Args[2])
	sides := []*address{b.addressOf(uncast(x.Args[0]))}
	if x.Func == "memcpy" {
		sides = append(sides, b.addressOf(uncast(x.Args[1])))
	}
	var value expr.Expr = &expr.Call{Func: b.function(&kernel.Function{
		Name: x.Func, Result: expr.Int32, Counts: map[expr.DType]map[string]int64{}, Body: "return " + x.Func + "();", // no interpreter goes on
	})}
	for i, at := range slices.Backward(sides) {
		private := at.alias != nil && !b.inMemory(at.alias) || at.array != nil && at.array.space == cfront.PrivateSpace
		switch {
		case private && i == 0 && at.alias != nil:
			b.lose(at.alias)
		case private:
		case !known:
			b.fail(x, "give it a number", "%s of a number of bytes that is not known", x.Func)
		default:
			value = b.accessBytes(x.Pos, at, uncast(x.Args[i]).PointsTo(), n, i == 0, value)
		}
	}
	if sides[0].array == nil || sides[0].array.space == cfront.PrivateSpace {
		b.assignTemp(x.Pos, b.scratch("copied", expr.Int32), value)
	}
}

// uncast is a pointer without conversions to void *.
func uncast(e cfront.Expr) cfront.Expr {
	if c, ok := e.(*cfront.Cast); ok {
		return c.X
	}
	return e
}

func (b *builder) bytesOf(e cfront.Expr) (int64, bool) {
	p, ok := b.number(e)
	if !ok {
		return 0, false
	}
	return p.Constant()
}

// accessBytes loads or stores elements of a type, n bytes in all.
func (b *builder) accessBytes(pos cfront.Pos, at *address, t expr.DType, n int64, stores bool, value expr.Expr) expr.Expr {
	if at.array == nil {
		b.failAt(pos, "", "bytes of a variable that work-items share are copied")
	}
	if !t.Known() || n%t.Size() != 0 {
		t = at.array.base
	}
	b.unit(pos, at.array, t.Base().Size())
	iname, before, open := b.fresh("element"), b.live, len(b.open)
	b.openLoop(&loop{name: iname, pos: pos, unroll: true, bounds: kernel.Within(iname, 0, n/t.Size()-1)})
	place := b.take(pos, b.placeAt(pos, at.array, at.offset.Add(name(iname).Scale(t.Size()/at.array.base.Size())), t))
	out := expr.Expr(expr.Int{})
	if stores {
		b.emit(&record{pos: pos, lhs: place, rhs: value})
	} else {
		out = expr.Var{Name: b.scratch("copied", t.Base())}
		if t.IsVector() {
			a := b.vectorArray("copied", t)
			b.emit(&record{pos: pos, lhs: b.access(pos, a, constant(0), t.Lanes(), nil), rhs: place})
			out = expr.Int{}
		} else {
			b.emit(&record{pos: pos, lhs: out, rhs: place})
		}
	}
	b.live, b.open = before, b.open[:open]
	return out
}

// asyncCopies are copies by all work-items of a work-group (OpenCL C 3.0, 6.15.11).
var asyncCopies = map[string]int{"async_work_group_copy": 4, "async_work_group_strided_copy": 5}

// asyncCopy follows async_work_group_copy(to, from, n, event), whose strided kind has the stride of the side in global memory after n. The work-items of a work-group share the
// elements out in turn, as the text
//
//	for (i = get_local_linear_id(); i < n; i += items) to[i] = from[i];
//
// would. Its value, the event, is 0: what waits for it is a barrier.
func (b *builder) asyncCopy(x *cfront.Call) expr.Expr {
	if len(x.Args) != asyncCopies[x.Func] {
		b.fail(x, "", "%s takes %d arguments", x.Func, asyncCopies[x.Func])
	}
	items := int64(1)
	for _, n := range b.opt.Local {
		items *= n
	}
	index := cfront.Calling(x, "get_local_linear_id")
	v, i := cfront.Temporary("copied", index)
	v.Init = index
	step := cfront.Assignment(i, cfront.NewInt(x.Pos, items))
	step.Op = "+"
	to, from := x.Args[0], x.Args[1]
	side := func(p cfront.Expr, strided bool) cfront.Expr {
		if strided {
			return cfront.ElementAt(p, cfront.Operation(x.Pos, "*", i, x.Args[3]))
		}
		return cfront.ElementAt(p, i)
	}
	strided := len(x.Args) == 5
	local := b.addressOf(to).array
	toLocal := local != nil && local.space == cfront.LocalSpace
	b.statement(&cfront.For{
		Pos: x.Pos, Init: &cfront.Declare{Pos: x.Pos, Vars: []*cfront.Var{v}}, Cond: cfront.Operation(x.Pos, "<", i, x.Args[2]), Step: step,
		Body: &cfront.Do{Pos: x.Pos, X: cfront.Assignment(side(to, strided && !toLocal), side(from, strided && toLocal))},
	})
	return expr.Int{Value: 0}
}
