package scop

import (
	"math"
	"slices"

	"gpuperf/cfront"
	"gpuperf/cfront/cexpr"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// value reads what is assigned, and notes its loads in the order of the text.
func (b *builder) value(e cfront.Expr) expr.Expr {
	switch x := e.(type) {
	case *cfront.Int:
		return expr.Int{Value: x.Value}
	case *cfront.Float:
		return b.float(x)
	case *cfront.Ref:
		return b.variable(x)
	case *cfront.Index:
		return b.element(x, false)
	case *cfront.Unary:
		return b.unary(x)
	case *cfront.Binary:
		return b.binary(x)
	case *cfront.Select:
		return b.choice(x)
	case *cfront.Cast:
		return b.cast(x)
	case *cfront.Call:
		return b.call(x)
	case *cfront.Assign:
		b.fail(e, "make it a statement of its own", "an assignment inside of an expression")
	}
	b.fail(e, "", "%s has no place in a loop nest", foreign(e))
	return nil
}

// target reads what is assigned to, and notes the store.
func (b *builder) target(e cfront.Expr) expr.Expr {
	switch x := e.(type) {
	case *cfront.Index:
		return b.element(x, true)
	case *cfront.Ref:
		if b.uses.iterators[x.Var] {
			b.fail(e, "", "%s is the iterator of a loop", x.Var.Name)
		}
		if len(x.Var.Dims) == 0 && x.Var.DType != "" {
			b.access(x, x.Var, true, nil)
			return expr.Var{Name: b.name(x.Var)}
		}
	}
	b.fail(e, "", "%s is neither a number nor an element of an array of numbers", describe(e))
	return nil
}

func (b *builder) float(x *cfront.Float) expr.Expr {
	if math.IsInf(x.Value, 0) || math.IsNaN(x.Value) {
		b.fail(x, "", "the number is too large")
	}
	return cexpr.Float(x.Value, x.DType)
}

// variable is the value of an iterator, or of a scalar.
func (b *builder) variable(x *cfront.Ref) expr.Expr {
	v := x.Var
	switch {
	case slices.Contains(b.at, v) && v.DType != expr.Int32 && v.DType.Size() >= 4: // those of kernels are int32
		return &expr.Cast{DType: v.DType, Arg: expr.Var{Name: b.name(v)}}
	case slices.Contains(b.at, v):
	case b.followed(v) && (b.uses.iterators[v] || b.uses.written[v]):
		list, ok := b.valueOf(v)
		if ok && (len(list) == 1 || b.uses.iterators[v]) {
			return b.pieced(x, b.use(list), func(a polycount.Affine) expr.Expr {
				if v.DType == expr.Int32 {
					return expr.FromAffine(a)
				}
				return &expr.Cast{DType: v.DType, Arg: expr.FromAffine(a)}
			})
		}
		if b.uses.iterators[v] {
			b.fail(x, "", "%s is used outside of its loop", v.Name)
		}
		b.access(x, v, false, nil)
	case b.uses.iterators[v]:
		b.fail(x, "", "%s is used outside of its loop", v.Name)
	case len(v.Dims) > 0 || v.DType == "":
		b.fail(x, "", "%s is neither a number nor an element of an array of numbers", v.Name)
	default:
		b.access(x, v, false, nil)
	}
	return expr.Var{Name: b.name(v)}
}

// element is an access to an array.
func (b *builder) element(x *cfront.Index, write bool) expr.Expr {
	r, ok := x.Of.(*cfront.Ref)
	if _, moves := x.Of.(*cfront.Assign); moves {
		b.value(x.Of)
	}
	if v, subs := b.rows(x); v != nil {
		whole := *x
		whole.Subs = subs
		return b.subscripted(&whole, v, write, nil)
	}
	_, row := x.Of.(*cfront.Index)
	switch {
	case row && cfront.Whole(x) != nil:
		b.fail(x, "declare it as an array of arrays", "the rows of %s are pointers, which may point to the same numbers", cfront.Whole(x).Name)
	case !ok:
		b.fail(x, "", "only arrays that have a name are known to differ from others")
	case len(r.Var.Dims) != len(x.Subs) || r.Var.DType == "":
		b.fail(x, "", "%s is not an element of an array of numbers with %d dimensions", r.Var.Name, len(r.Var.Dims))
	}
	return b.subscripted(x, r.Var, write, nil)
}

// subscripted is an access to an element whose first subscripts are read. Where a subscript has alternatives the access is one of several.
func (b *builder) subscripted(x *cfront.Index, v *cfront.Var, write bool, index []polycount.Affine) expr.Expr {
	if len(index) == 0 && len(x.Subs) == 1 && len(v.Dims) == 1 {
		if b.flatten(v, x.Subs[0]); b.strides[v] != nil {
			index = b.unflattened(x.Subs[0], v)
		}
	}
	if len(index) < len(x.Subs) {
		sub := x.Subs[len(index)]
		var list []piece
		why := b.fault(func() { list = b.affine(sub) })
		if why != nil && why.wraps {
			panic(*why)
		}
		if why != nil || write && len(list) > 1 {
			return b.scattered(x, v, write, index)
		}
		return b.pieced(sub, list, func(a polycount.Affine) expr.Expr { return b.subscripted(x, v, write, appended(index, a)) })
	}
	out := &expr.Access{Array: b.name(v)}
	for _, a := range index {
		out.Index = append(out.Index, expr.FromAffine(a))
	}
	b.access(x, v, write, index)
	return out
}

// scattered is an access of which subscripts are not affine: that after those that are read, and perhaps others.
func (b *builder) scattered(x *cfront.Index, v *cfront.Var, write bool, index []polycount.Affine) expr.Expr {
	out := &expr.Access{Array: b.name(v)}
	a := b.array(x, v)
	for _, i := range index {
		out.Index = append(out.Index, expr.FromAffine(i))
	}
	for d, sub := range x.Subs[len(index):] {
		var list []piece
		if d > 0 && b.attempt(func() { list = b.affine(sub) }) && len(list) == 1 {
			index = append(index, list[0].value)
			out.Index = append(out.Index, expr.FromAffine(list[0].value))
			continue
		}
		if a.Shape[len(index)] == nil {
			b.extend(a)
		}
		if a.Any == nil {
			a.Any = make([]bool, len(x.Subs))
		}
		a.Any[len(index)] = true
		out.Index = append(out.Index, b.value(sub))
		index = append(index, polycount.Int(0))
	}
	b.access(x, v, write, index)
	return out
}

// extend gives an array parameters for the extents that are open.
func (b *builder) extend(a *Array) {
	for d := range a.Shape {
		if a.Shape[d] != nil {
			continue
		}
		name := b.fresh(a.Name + "_size")
		a.Shape[d] = expr.Var{Name: name}
		b.nest.Params = append(b.nest.Params, name)
	}
}

// access notes an access of the statement.
func (b *builder) access(at cfront.Expr, v *cfront.Var, write bool, index []polycount.Affine) {
	a := b.array(at, v)
	a.Written = a.Written || write
	access := Access{Array: a, Write: write, Index: index}
	if b.narrow {
		access.Where = b.domain
	}
	b.found = append(b.found, access)
}

// array is the array or scalar of a variable.
func (b *builder) array(at cfront.Expr, v *cfront.Var) *Array {
	if a := b.arrays[v]; a != nil {
		return a
	}
	if v.Pointer {
		b.alone(at, v)
	}
	a := &Array{Name: b.name(v), Pos: v.Pos, DType: v.DType, Local: v.Class == cfront.Local && !b.uses.outside[v], Pointed: b.pointed[v]}
	if b.strides[v] != nil {
		a.Shape, a.Flat = b.foldedShape(v), true
	} else {
		for _, d := range v.Dims {
			var extent expr.Expr
			if d != nil {
				extent = b.extent(d)
			}
			a.Shape = append(a.Shape, extent)
		}
	}
	b.arrays[v] = a
	b.nest.Arrays = append(b.nest.Arrays, a)
	return a
}

// allocators are functions whose result points to memory that nothing else points to.
var allocators = []string{"malloc", "calloc", "aligned_alloc"}

// alone refuses a pointer that may point to what another array has.
func (b *builder) alone(at cfront.Expr, v *cfront.Var) {
	init := v.Init
	if c, ok := init.(*cfront.Cast); ok {
		init = c.X
	}
	call, _ := init.(*cfront.Call)
	fresh := call != nil && slices.Contains(allocators, call.Func)
	switch {
	case b.inside(v, 0):
	case b.uses.pointers[v] > 0:
		b.fail(at, "", "%s is a pointer that is assigned, so that it may point to what another array has", v.Name)
	case v.Class == cfront.Param || v.Restrict || fresh:
		b.pointers = append(b.pointers, v)
	default:
		b.fail(at, "declare it as an array, or as restrict", "%s is a pointer, which may point to what another array has", v.Name)
	}
}

// inside reports that a pointer only ever points into arrays that the region does not write, as little as by the pointer.
func (b *builder) inside(v *cfront.Var, depth int) bool {
	values := b.uses.points[v]
	if v.Init != nil {
		values = append(slices.Clone(values), v.Init)
	}
	if v.Class != cfront.Local || b.uses.addressed[v] || b.uses.written[v] || len(values) == 0 || depth > 3 {
		return false
	}
	return !slices.ContainsFunc(values, func(e cfront.Expr) bool {
		whole := rootOf(e)
		if whole == nil || whole == v || whole.DType != v.DType || b.uses.written[whole] || len(whole.Dims) == 0 {
			return true
		}
		if whole.Pointer && !slices.Contains(b.pointers, whole) {
			b.pointers = append(b.pointers, whole)
		}
		known := !whole.Pointer || b.uses.pointers[whole] == 0 && (whole.Restrict || whole.Class == cfront.Param)
		return !known && !b.inside(whole, depth+1)
	})
}

// rootOf is the array that an address is one in; nil where that does not show.
func rootOf(e cfront.Expr) *cfront.Var {
	switch x := e.(type) {
	case *cfront.Ref:
		return x.Var
	case *cfront.Cast:
		return rootOf(x.X)
	case *cfront.Address:
		return cfront.Whole(x.X)
	case *cfront.Binary:
		if x.Op == "+" || x.Op == "-" {
			if v := rootOf(x.X); v != nil && len(v.Dims) > 0 {
				return v
			}
			if v := rootOf(x.Y); v != nil && len(v.Dims) > 0 && x.Op == "+" {
				return v
			}
		}
	}
	return nil
}

// refuseAliases refuses pointers that may point to what another array has: a parameter that is not restrict, where another array of its
// type is not declared in the function, and one of the two is written.
func (b *builder) refuseAliases() {
	for _, p := range b.pointers {
		if p.Restrict || p.Class == cfront.Local {
			continue
		}
		for v, a := range b.arrays {
			if v == p || len(v.Dims) == 0 || v.Class == cfront.Local || v.DType != p.DType || !a.Written && (b.arrays[p] == nil || !b.arrays[p].Written) || v.Restrict {
				continue
			}
			b.failAt(p.Pos, "declare "+p.Name+" as an array, or as restrict", "%s is a pointer, which may point to what another array has", p.Name)
		}
	}
}

// extent is the extent of an array: arithmetic on integers that the region does not change.
func (b *builder) extent(e cfront.Expr) expr.Expr {
	var pieces []piece
	if b.attempt(func() { pieces = b.affine(e) }) && len(pieces) == 1 {
		return expr.FromAffine(pieces[0].value)
	}
	switch x := e.(type) {
	case *cfront.Int:
		return expr.Int{Value: x.Value}
	case *cfront.Ref:
		return expr.Var{Name: b.integer(x)}
	case *cfront.Cast:
		if x.DType.IsInteger() {
			return b.extent(x.X)
		}
	case *cfront.Binary:
		if op, ok := map[string]expr.OpKind{"+": expr.Add, "-": expr.Sub, "*": expr.Mul, "/": expr.FloorDiv}[x.Op]; ok {
			return expr.Binary(op, b.extent(x.X), b.extent(x.Y))
		}
	}
	b.fail(e, "", "the extent of an array is not arithmetic on parameters")
	return nil
}
