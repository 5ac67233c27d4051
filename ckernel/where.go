package ckernel

import (
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Sets have no dimensions: sizes, axes and iterations are all parameters of them, so that sets of different loops are of one space.

// everywhere is the set of all points.
func everywhere() *polycount.Set { return polycount.NewSet(nil, nil) }

// where is the set in which a number is at least 0, or 0; ok is false if that is no set. Extremes and choices in it are taken apart.
func (b *builder) where(p *expr.Poly, equality bool) (set *polycount.Set, ok bool) {
	if a, ok := b.affine(p); ok {
		set, err := everywhere().Constrain(polycount.Constraint{Affine: a, Equality: equality})
		b.try(err)
		return set, true
	}
	for c, vars := range p.All() {
		if len(vars) != 1 || !c.IsInt64() {
			continue
		}
		x := b.atoms[vars[0]]
		if x == nil || len(x.args) != 2 {
			continue
		}
		rest := minus(p, term(c.Int64(), vars))
		first := rest.Add(x.args[0].Scale(c.Int64()))
		second := rest.Add(x.args[1].Scale(c.Int64()))
		if x.choice != nil {
			return b.pieces(x.choice, first, second, equality)
		}
		least, ok := b.where(minus(x.args[1], x.args[0]), false) // where the first is the least
		if !ok {
			return nil, false
		}
		if x.extreme == expr.Max {
			first, second = second, first
		}
		return b.pieces(least, first, second, equality)
	}
	return nil, false
}

// pieces is the set in which the first number is at least 0 where a set holds, and the second one elsewhere.
func (b *builder) pieces(when *polycount.Set, first, second *expr.Poly, equality bool) (*polycount.Set, bool) {
	x, ok := b.where(first, equality)
	if !ok {
		return nil, false
	}
	y, ok := b.where(second, equality)
	if !ok {
		return nil, false
	}
	return b.simple(b.union(b.both(when, x), b.both(b.not(when), y))), true
}

func (b *builder) both(x, y *polycount.Set) *polycount.Set {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	out, err := x.Intersect(y)
	b.try(err)
	return out
}

func (b *builder) union(x, y *polycount.Set) *polycount.Set {
	out, err := x.Union(y)
	b.try(err)
	return out
}

func (b *builder) not(x *polycount.Set) *polycount.Set {
	out, err := everywhere().Subtract(x)
	b.try(err)
	return out
}

func (b *builder) isEmpty(x *polycount.Set) bool {
	empty, err := x.IsEmpty()
	b.try(err)
	return empty
}

// inside reports whether all points of x are in y.
func (b *builder) inside(x, y *polycount.Set) bool {
	out, err := x.Subtract(y)
	b.try(err)
	return b.isEmpty(out)
}

func (b *builder) simple(s *polycount.Set) *polycount.Set {
	if len(s.Disjuncts()) < 2 {
		return s
	}
	out, err := s.Coalesce()
	b.try(err)
	return out
}
