package ckernel

import (
	"maps"
	"slices"

	"gpuperf/cfront"
	"gpuperf/cfront/cexpr"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// twoAddresses are those of a pointer that points to one array where a decision holds, and to another one elsewhere. What uses the pointer is followed twice.
type twoAddresses struct {
	when          decision
	first, second value
}

// decision is where the first of two ways is taken: in a set, or where a temporary is not 0 that depends on data. The zero value is that nobody knows.
type decision struct {
	set  *polycount.Set
	flag string
}

// sidesOf is where a decision on data takes the first way, and where the second.
func (b *position) sidesOf(flag string) (first, second live) {
	first, second = b.live, b.live
	first.preds = append(slices.Clip(first.preds), expr.Binary(expr.Ne, expr.Var{Name: flag}, expr.Int{}))
	second.preds = append(slices.Clip(second.preds), expr.Binary(expr.Eq, expr.Var{Name: flag}, expr.Int{}))
	return first, second
}

// isNull reports that an address is that of nothing.
func (at *address) isNull() bool { return at.array == nil && at.alias == nil }

// points reports that a value is an address in memory, or one of two.
func (v value) points() bool { return v.either != nil || v.at != nil && v.at.array != nil }

// split is thrown where a pointer is used that has one of two addresses, up to the statement.
type split struct{ v *builderVar }

// undecided is the pointer at which reading ends as it has two sides, with what was read taken back; nil where there is none.
func (b *builder) undecided(read func()) *builderVar {
	undo, before := b.snapshot(), b.live
	v := splitOn(read)
	if v != nil {
		undo()
		b.live = before
	}
	return v
}

// splitting follows a statement by read, or on both sides of what decides where a pointer in it points to.
func (b *builder) splitting(read func()) {
	v := b.undecided(read)
	if v == nil {
		return
	}
	two := b.env[v].either
	side := func(of value) func() {
		return func() {
			b.sides++
			defer func() { b.sides-- }()
			b.env[v] = of
			b.nextStatement()
			b.splitting(read)
		}
	}
	if two.when.set == nil {
		first, second := b.sidesOf(two.when.flag)
		b.twoWays(two.when, first, second, side(two.first), side(two.second))
		return
	}
	then := b.both(b.live.domain, two.when.set)
	other, err := b.live.domain.Subtract(two.when.set)
	b.try(err)
	switch {
	case b.isEmpty(then):
		side(two.second)()
	case b.isEmpty(other):
		side(two.first)()
	default:
		b.twoWays(two.when, b.narrowed(then), b.narrowed(b.simple(other)), side(two.first), side(two.second))
	}
}

// splitByData makes an access, or those of both sides of the data that decides where a pointer in it points to: the rest of its statement is followed once. What
// else decides it on one of these sides, data or a set, does so there.
func (b *builder) splitByData(access func(), both func(when expr.Expr, first, second func())) {
	v := b.undecided(access)
	if v == nil {
		return
	}
	if two := b.env[v].either; two == nil || two.when.set != nil {
		panic(split{v})
	}
	b.splitAccess(v, access, both)
}

func (b *builder) splitAccess(v *builderVar, access func(), both func(when expr.Expr, first, second func())) {
	two, before := b.env[v].either, b.live
	side := func(at live, of value) func() {
		return func() {
			b.live, b.env[v] = at, of
			if w := b.undecided(access); w != nil {
				b.splitAccess(w, access, both)
			}
			b.live, b.env[v] = before, value{either: two}
		}
	}
	if set := two.when.set; set != nil {
		other, err := before.domain.Subtract(set)
		b.try(err)
		both(cexpr.Disjunction(set), side(b.narrowed(b.both(before.domain, set)), two.first), side(b.narrowed(b.simple(other)), two.second))
		return
	}
	first, second := b.sidesOf(two.when.flag)
	both(expr.Binary(expr.Ne, expr.Var{Name: two.when.flag}, expr.Int{}), side(first, two.first), side(second, two.second))
}

// splitOn is the pointer that is not known where a statement uses it, nil if there is none.
func splitOn(read func()) (v *builderVar) {
	defer func() {
		if e := recover(); e != nil {
			s, is := e.(split)
			if !is {
				panic(e)
			}
			v = s.v
		}
	}()
	read()
	return nil
}

// pointerValue reads what a pointer is assigned, which a condition may choose of two.
func (b *builder) pointerValue(e cfront.Expr) value {
	if ref, is := e.(*cfront.Ref); is && b.env[ref.Var].either != nil {
		return b.env[ref.Var]
	}
	x, is := e.(*cfront.Select)
	if !is {
		return value{at: b.addressOf(e)}
	}
	c, ok := b.pureTruth(x.If)
	switch {
	case !ok || c.pred != nil:
		return b.pointerByData(x)
	case b.decided(c) != unknown:
		return value{at: b.addressOf(e)}
	}
	env := maps.Clone(b.env)
	var p, q value
	b.under(c, true, func() { p = b.pointerValue(x.Then) })
	b.under(c, false, func() { q = b.pointerValue(x.Else) })
	if out := b.join(decision{set: c.set}, p, q); out.points() {
		return out
	}
	b.env = env
	return value{at: b.addressOf(e)}
}

// pointerByData reads a pointer that a condition on data chooses of two. Those in one array have one address there.
func (b *builder) pointerByData(x *cfront.Select) value {
	undo, before := b.snapshot(), b.live
	c := b.truth(x.If)
	if b.decided(c) != unknown || b.trial > 0 {
		undo()
		return value{at: b.addressOf(x)}
	}
	flag := b.scratch("holds", expr.Int32)
	b.assignTemp(x.If.Place(), flag, cexpr.Number(c.whole()))
	var p, q value
	first, second := b.sidesOf(flag)
	b.live = first
	p = b.pointerValue(x.Then)
	b.live = second
	q = b.pointerValue(x.Else)
	b.live = before
	if out := b.join(decision{flag: flag}, p, q); out.points() {
		return out
	}
	undo()
	return value{at: b.addressOf(x)}
}

// pointerOf reads a pointer.
func (b *builder) pointerOf(e cfront.Expr) *address {
	switch x := e.(type) {
	case *cfront.Int:
		if isNull(x) {
			return &address{offset: constant(0)}
		}
	case *cfront.Ref:
		if at := b.namedAddress(x); at != nil {
			return at
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
	case *cfront.Unknown:
		if x.What == cfront.AString {
			v := b.textOf(x)
			return &address{array: b.array(cfront.Use(v), v), offset: constant(0)}
		}
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
		return b.assignedAddress(x)
	case *cfront.List:
		b.firstItems(x)
		return b.addressOf(x.Items[len(x.Items)-1])
	}
	b.fail(e, "", "it is not known which array this points to")
	return nil
}

// namedAddress is where a variable points to, or an array begins; nil for others.
func (b *builder) namedAddress(x *cfront.Ref) *address {
	if at := b.env[x.Var].at; at != nil {
		return at
	}
	if len(x.Var.Dims) > 0 && !x.Var.Pointer || b.inMemory(x.Var) || x.Var.Pointer && !x.Var.DType.Known() && x.Var.Record == nil {
		return &address{array: b.array(x, x.Var), offset: constant(0)}
	}
	if b.env[x.Var].either != nil {
		panic(split{x.Var})
	}
	if x.Var.Kept != "" && !b.assignedTo[x.Var] {
		return b.filePointer(x)
	}
	if x.Var.Pointer {
		b.moves(x.Var)
		b.fail(x, "give each of the arrays its own statement", "it is not known which array %s points to", x.Var.Name)
	}
	return nil
}

// assignedAddress is what an assignment to a pointer gives it, or had before.
func (b *builder) assignedAddress(x *cfront.Assign) *address {
	if done, ok := b.results[x]; ok {
		return done.at
	}
	before := b.addressOf(x.To)
	if x.After && b.isMoving(x.To) { // its offset is another one then
		before = &address{array: before.array, offset: b.settled(x.Pos, "at", before.offset)}
	}
	b.assignment(x)
	if !x.After {
		before = b.addressOf(x.To)
	}
	b.results[x] = outcome{value: value{at: before}}
	return before
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
		if v := at.alias; b.trial == 0 && v.DType.Known() && (x.Elem.Known() || x.Rec != nil) && !slices.Contains(b.params, v) {
			b.learnt.parted[v] = true
			panic(again{})
		}
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

// difference is the number of elements between two addresses in one array; nil for others.
func (b *builder) difference(x *cfront.Binary) *expr.Poly {
	if x.Op != "-" || !b.isAddress(x.X) || !b.isAddress(x.Y) {
		return nil
	}
	p, q := b.addressOf(x.X), b.addressOf(x.Y)
	if p.array == nil || p.array != q.array || b.size(x.X, p.array) != 1 {
		b.fail(x, "subtract indices", "addresses are subtracted")
	}
	return minus(p.offset, q.offset)
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
	onData := c.pred != nil
	var p, q *address
	b.evaluated(&c, true, x.Then, func() { p = b.addressOf(x.Then) })
	b.evaluated(&c, false, x.Else, func() { q = b.addressOf(x.Else) })
	switch {
	case p.array != q.array || p.array == nil:
		return nil
	case !onData:
		return &address{array: p.array, offset: b.either(c.set, p.offset, q.offset)}
	}
	flag := b.scratch("holds", expr.Int32)
	b.assignTemp(x.If.Place(), flag, cexpr.Number(c.whole()))
	chosen := &expr.Cond{If: expr.Binary(expr.Ne, expr.Var{Name: flag}, expr.Int{}), Then: b.express(p.offset), Else: b.express(q.offset)}
	return &address{array: p.array, offset: b.opaque(b.free(chosen))}
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
		if b.inMemory(x.Var) || len(x.Var.Dims) > 0 && !x.Var.Pointer {
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
	b.lanes[v] = t.IsVector() // who has the address may name them
	b.values = append(b.values, v)
	b.path += "&"
	b.assign(of.X.Place(), v, of.X)
	b.path = b.path[:len(b.path)-1]
	return &address{alias: v}
}

// textOf is the array of constant memory that a string is.
func (b *builder) textOf(x *cfront.Unknown) *builderVar {
	v := b.learnt.texts[x.Pos]
	if v == nil {
		v = &builderVar{Name: "text", Pos: x.Pos, Class: cfront.Global, DType: expr.Int8, Const: true, Dims: x.Args, Space: cfront.ConstantSpace}
		b.learnt.texts[x.Pos] = v
	}
	return v
}
