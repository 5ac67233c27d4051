package scop

import (
	"slices"

	"gpuperf/cfront"
	"gpuperf/internal/lists"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Flat subscripts, as that of a[i*n + j], are not affine. Where all accesses of an array show that its strides are products of parameters, and each inner subscript is proved to be below
// its extent, it is an array of as many dimensions. That is known when a region has been read, which is then read again.

// flatAccess is an access to an array of one dimension.
type flatAccess struct {
	offset *expr.Poly // nil where it is no polynomial
	domain *polycount.Set
	affine bool
}

// flatten notes an access with its subscript as a polynomial.
func (b *builder) flatten(v *cfront.Var, sub cfront.Expr) {
	if b.probing || b.strides[v] != nil {
		return
	}
	x := flatAccess{domain: b.domain}
	params, context := slices.Clone(b.nest.Params), slices.Clone(b.context)
	x.affine = b.attempt(func() { b.linear(sub) })
	b.attempt(func() { x.offset, _ = b.polynomial(sub) })
	b.nest.Params, b.context = params, context
	b.flats[v] = append(b.flats[v], x)
}

// polynomial is an integer expression as a polynomial in iterators and parameters; ok is false for others, and where arithmetic without a sign could wrap around.
func (b *builder) polynomial(e cfront.Expr) (p *expr.Poly, ok bool) {
	if t := e.Type(); !t.IsInteger() || !t.IsSigned() && t.Size() < 8 {
		return nil, false
	}
	switch x := e.(type) {
	case *cfront.Cast:
		if x.X.Type().IsInteger() && x.X.Type().Size() <= x.DType.Size() {
			return b.polynomial(x.X)
		}
		return nil, false
	case *cfront.Binary:
		if x.Op != "+" && x.Op != "-" && x.Op != "*" {
			break
		}
		p, ok = b.polynomial(x.X)
		q, also := b.polynomial(x.Y)
		switch {
		case !ok || !also:
			return nil, false
		case x.Op == "*":
			return p.Mul(q), true
		case x.Op == "-":
			q = q.Scale(-1)
		}
		return p.Add(q), true
	}
	var list []piece
	if !b.attempt(func() { list = b.affine(e) }) || len(list) != 1 || list[0].when != nil {
		return nil, false
	}
	p, err := expr.PolyOf(expr.FromAffine(list[0].value), func(string) bool { return true })
	return p, err == nil
}

// folded are the strides of the arrays that are found to have several dimensions.
func (b *builder) folded() map[*cfront.Var][]*expr.Poly {
	out := map[*cfront.Var][]*expr.Poly{}
	size := func(name string) bool { return !b.reserved[name] && !b.heads[name] }
	for v, list := range b.flats {
		if !slices.ContainsFunc(list, func(x flatAccess) bool { return !x.affine }) || slices.ContainsFunc(list, func(x flatAccess) bool { return x.offset == nil }) {
			continue
		}
		offsets := lists.Map(list, func(x flatAccess) *expr.Poly { return x.offset })
		for _, common := range []bool{false, true} {
			for strides := expr.Strides(offsets, size, 1, common); len(strides) > 0 && out[v] == nil; strides = strides[1:] {
				if !slices.ContainsFunc(list, func(x flatAccess) bool { return dimensions(x, strides) == nil }) {
					out[v] = strides
				}
			}
		}
	}
	return out
}

// dimensions are the subscripts of an access to an array of such strides; nil where an inner one may not be below its extent.
func dimensions(x flatAccess, strides []*expr.Poly) (subs []polycount.Affine) {
	inner, ok := expr.Extents(strides)
	if !ok {
		return nil
	}
	for d, p := range x.offset.Subscripts(strides) {
		a, err := expr.ToAffine(p.Expr(), nil)
		if err != nil {
			return nil
		}
		if subs = append(subs, a); d == 0 {
			continue
		}
		n, err := expr.ToAffine(inner[d-1].Expr(), nil)
		if err != nil {
			return nil
		}
		for _, c := range []polycount.Constraint{polycount.GE(a, polycount.Int(0)), polycount.GE(n, a.AddInt(1))} {
			if holds, err := x.domain.Implies(c); err != nil || !holds {
				return nil
			}
		}
	}
	return subs
}

// unflattened are the subscripts of an element of an array that has several dimensions.
func (b *builder) unflattened(sub cfront.Expr, v *cfront.Var) []polycount.Affine {
	x := flatAccess{domain: b.domain}
	var ok bool
	if x.offset, ok = b.polynomial(sub); ok {
		if subs := dimensions(x, b.strides[v]); subs != nil {
			return subs
		}
	}
	b.fail(sub, "", "the subscript is not below the extents of %s", v.Name)
	return nil
}

// foldedShape are the extents of an array that has several dimensions; the outermost is open where the declaration does not tell it.
func (b *builder) foldedShape(v *cfront.Var) []expr.Expr {
	strides := b.strides[v]
	shape := []expr.Expr{nil}
	if v.Dims[0] != nil {
		var total *expr.Poly
		b.attempt(func() { total, _ = b.polynomial(v.Dims[0]) })
		if n, ok := total.Quotient(strides[0]); ok {
			shape[0] = n.Expr()
		}
	}
	inner, _ := expr.Extents(strides)
	for _, n := range inner {
		shape = append(shape, n.Expr())
		for _, name := range n.Params() {
			b.parameter(name)
		}
	}
	return shape
}
