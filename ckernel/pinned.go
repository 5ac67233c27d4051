package ckernel

import (
	"slices"

	"gpuperf/cfront"
	"gpuperf/kernel/expr"
)

// settled is a number whose part that depends on data is kept in a temporary.
func (b *position) settled(pos cfront.Pos, base string, n *expr.Poly) *expr.Poly {
	if !b.isData(n) {
		return n
	}
	known, rest := constant(0), constant(0)
	for c, vars := range n.All() {
		if one := term(c.Int64(), vars); b.isData(one) {
			rest = rest.Add(one)
		} else {
			known = known.Add(one)
		}
	}
	temp := b.scratch(base, expr.Int32)
	b.assignTemp(pos, temp, b.free(b.express(rest)))
	return known.Add(name(temp))
}

// pin reads the subscripts of an element, or of the element whose lanes these are, once for all reads and writes of it up to unpin.
func (b *builder) pin(e cfront.Expr) (unpin func()) {
	for lane, ok := e.(*cfront.Lane); ok; lane, ok = e.(*cfront.Lane) {
		e = lane.X
	}
	x, ok := e.(*cfront.Index)
	if _, done := b.pinned[x]; !ok || done || b.aliased(x) != nil {
		return func() {}
	}
	p := b.readOnce(x.Pos, b.element(x))
	b.pinned[x] = p
	return func() { delete(b.pinned, x) }
}

// readOnce is an element whose subscripts are read here, however often it is then read and written.
func (b *position) readOnce(pos cfront.Pos, p place) place {
	once := func(n *expr.Poly) *expr.Poly {
		if !b.loads(n) {
			return n
		}
		return b.settled(pos, "at", n)
	}
	subs := make([]*expr.Poly, len(p.subs))
	for i, n := range p.subs {
		subs[i] = once(n)
	}
	if len(subs) > 0 && slices.ContainsFunc(p.subs, b.loads) {
		p.subs, p.offset = subs, p.array.flat(subs)
	} else {
		p.offset = once(p.offset)
	}
	return p
}

// loads reports whether a number is made by more than variables.
func (b *terms) loads(n *expr.Poly) bool {
	return slices.ContainsFunc(n.Params(), func(n string) bool {
		a := b.atoms[n]
		return a != nil && a.data
	})
}

// flat is the offset of an element with as many subscripts as its array has dimensions.
func (a *array) flat(subs []*expr.Poly) *expr.Poly {
	offset := subs[0]
	for i, n := range a.inner {
		offset = offset.Mul(n).Add(subs[i+1])
	}
	return offset.Scale(a.lanes)
}
