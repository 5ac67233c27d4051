package ckernel

import (
	"fmt"
	"math"
	"slices"

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
		if b.inMemory(x.Var) && len(x.Var.Dims) == 0 {
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
		what := "a variable, and not to an array"
		if at.isNull() {
			what = "nothing"
		}
		b.fail(x, "", "this points to %s", what)
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

func (b *builder) load(e cfront.Expr) (out expr.Expr) {
	b.splitByData(func() { out = b.take(e.Place(), b.placeOf(e)) }, func(when expr.Expr, first, second func()) {
		first()
		then := out
		second()
		out = &expr.Cond{If: when, Then: then, Else: out}
	})
	return out
}

// store assigns to an element.
func (b *builder) store(at cfront.Pos, to, e cfront.Expr) {
	if l, ok := to.(*cfront.Lane); ok && b.storeLanes(at, l, e) {
		return
	}
	v := converting(b.value(e), e.Type(), to.Type())
	var kept expr.Expr // v in its temporary
	b.splitByData(func() { b.emit(&record{pos: at, lhs: b.take(to.Place(), b.placeOf(to)), rhs: v}) }, func(_ expr.Expr, first, second func()) {
		if t := to.Type(); !t.IsVector() && t.Known() && v != kept {
			n := b.scratch("stored", t)
			b.assignTemp(at, n, v)
			kept = expr.Var{Name: n}
			v = kept
		}
		first()
		second()
	})
}

// storeScalar assigns to a scalar in memory that work-items share.
func (b *builder) storeScalar(at cfront.Pos, v *builderVar, e cfront.Expr) {
	val := converting(b.value(e), e.Type(), v.DType)
	b.emit(&record{pos: at, lhs: b.take(at, b.placeAt(at, b.array(e, v), constant(0), v.DType)), rhs: val})
}

// elementNumber is what the element of a table holds, or the variable that a pointer points to, where that is an integer that is known.
func (b *builder) elementNumber(x *cfront.Index) (n *expr.Poly, ok bool) {
	if n, ok := b.tableNumber(x); ok {
		return n, true
	}
	return b.variableNumber(x.Pos, b.aliased(x))
}

// tableNumber is an element of a table of integers in constant memory that the text gives, at constant subscripts.
func (b *builder) tableNumber(x *cfront.Index) (n *expr.Poly, ok bool) {
	v := tableOf(x)
	if v == nil || len(x.Subs) != len(v.Dims) {
		return nil, false
	}
	at := int64(0)
	for i, s := range x.Subs {
		n, ok := b.number(s)
		if !ok {
			return nil, false
		}
		k, ok := n.Constant()
		extent, known := float64(len(v.Init.(*cfront.List).Items)), true // of a list that says how many there are
		if v.Dims[i] != nil {
			extent, known = constantOf(v.Dims[i])
		}
		if !ok || !known || k < 0 || float64(k) >= extent {
			return nil, false
		}
		at = at*int64(extent) + k
	}
	list := listed(v.Init.(*cfront.List), v.Dims)
	if at >= int64(len(list)) { // what a list leaves out is 0
		return constant(0), true
	}
	return constant(int64(list[at])), true
}

// tableOf is the table of integers that an expression has an element of; nil of others.
func tableOf(e cfront.Expr) *builderVar {
	x, ok := e.(*cfront.Index)
	if !ok {
		return nil
	}
	r, ok := x.Of.(*cfront.Ref)
	if !ok || r.Var.Class != cfront.Global || r.Var.Space != cfront.ConstantSpace || !r.Var.DType.IsInteger() || len(r.Var.Dims) == 0 || r.Var.Record != nil {
		return nil
	}
	if list, ok := r.Var.Init.(*cfront.List); !ok || listed(list, r.Var.Dims) == nil {
		return nil
	}
	return r.Var
}

// places reports whether an iteration takes from a table, by what it changes, where it accesses memory: then numbers of the text decide about that, which are known
// iteration by iteration.
func (x *loopText) places() bool {
	taken := func(e cfront.Expr) bool {
		return tableOf(e) != nil && cfront.Any(e, func(e cfront.Expr) bool {
			r, ok := e.(*cfront.Ref)
			return ok && (x.assigned[r.Var] || r.Var == x.head)
		})
	}
	loads := func(e cfront.Expr) bool {
		_, is := e.(*cfront.Index)
		return is && tableOf(e) == nil
	}
	from := func(e cfront.Expr) bool {
		return loads(e) && slices.ContainsFunc(e.(*cfront.Index).Subs, func(s cfront.Expr) bool { return cfront.Any(s, taken) })
	}
	for s := range cfront.Statements(x.body) {
		_, exprs := cfront.Inside(s)
		for _, e := range exprs { // an access, or an integer from which one may follow
			if e != nil && (cfront.Any(e, from) || e.Type().IsInteger() && cfront.Any(e, taken) && !cfront.Any(e, loads)) {
				return true
			}
		}
	}
	return false
}

// contents are what the text gives an array of constant memory: nil where it is an argument, or not of numbers that are known.
func contents(a *array) []float64 {
	v := a.v
	if v.Class != cfront.Global || v.Record != nil || v.DType != a.base {
		return nil
	}
	if v.Init == nil {
		return []float64{}
	}
	list, ok := v.Init.(*cfront.List)
	if !ok {
		return nil
	}
	return listed(list, v.Dims)
}

// listed are the numbers of a list for an array of some extents, those that it leaves out 0; nil where they are not known.
func listed(list *cfront.List, dims []cfront.Expr) []float64 {
	rows := 1
	for _, d := range dims[1:] {
		n, known := constantOf(d)
		if !known {
			return nil
		}
		rows *= int(n)
	}
	out := []float64{}
	for _, item := range list.Items {
		if row, nested := item.(*cfront.List); nested {
			if len(dims) < 2 {
				return nil
			}
			inner := listed(row, dims[1:])
			if inner == nil || len(inner) > rows {
				return nil
			}
			out = append(append(out, inner...), make([]float64, rows-len(inner))...)
			continue
		}
		x, known := constantOf(item)
		if !known {
			return nil
		}
		out = append(out, x)
	}
	return out
}

// constantOf is the value of an expression of numbers.
func constantOf(e cfront.Expr) (value float64, known bool) {
	rounded := func(x float64, t expr.DType) (float64, bool) {
		switch {
		case t == expr.Float32:
			return float64(float32(x)), true
		case t.IsFloat() && t != expr.Float64:
			return x, x == math.Trunc(x) // smaller types are not rounded to here
		case t.IsInteger():
			return math.Trunc(x), math.Abs(x) < 1<<53
		}
		return x, t == expr.Float64
	}
	switch x := e.(type) {
	case *cfront.Int:
		return float64(x.Value), true
	case *cfront.Float:
		return rounded(x.Value, x.Type())
	case *cfront.Cast:
		if value, known = constantOf(x.X); known && x.PointsTo() == "" {
			return rounded(value, x.Type())
		}
	case *cfront.Unary:
		if value, known = constantOf(x.X); known && x.Op == "-" {
			return -value, true
		}
		return value, known && x.Op == "+"
	case *cfront.Binary:
		a, first := constantOf(x.X)
		b, second := constantOf(x.Y)
		if !first || !second {
			return 0, false
		}
		switch x.Op {
		case "+":
			return rounded(a+b, x.Type())
		case "-":
			return rounded(a-b, x.Type())
		case "*":
			return rounded(a*b, x.Type())
		case "/":
			if b != 0 {
				return rounded(a/b, x.Type())
			}
		}
	}
	return 0, false
}
