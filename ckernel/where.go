package ckernel

import (
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Sets have no dimensions: sizes, axes and iterations are all parameters of them, so that sets of different loops are of one space.

func everywhere() *polycount.Set { return polycount.NewSet(nil, nil) }

// where is the set in which a number is at least 0, or 0; ok is false if that is no set. Extremes and choices in it are taken apart.
func (b *terms) where(p *expr.Poly, equality bool) (set *polycount.Set, ok bool) {
	if a, ok := b.affine(p); ok {
		set, err := everywhere().Constrain(polycount.Constraint{Affine: a, Equality: equality})
		b.try(err)
		return set, true
	}
	s, ok := b.halves(p)
	if !ok {
		return nil, false
	}
	x, ok := b.where(s.first, equality)
	if !ok {
		return nil, false
	}
	y, ok := b.where(s.second, equality)
	if !ok {
		return nil, false
	}
	switch {
	case s.extreme == expr.Min && !equality:
		return b.both(x, y), true
	case s.extreme == expr.Max && !equality:
		return b.simple(b.union(x, y)), true
	}
	when, ok := b.whenFirst(s)
	if !ok {
		return nil, false
	}
	return b.simple(b.union(b.both(when, x), b.both(b.not(when), y))), true
}

// twoPieces is a number as one of two numbers: the least or the greatest of them, or one where a set holds and the other elsewhere.
type twoPieces struct {
	extreme       expr.OpKind // "" for a choice
	choice        *polycount.Set
	first, second *expr.Poly
}

// halves takes an extreme or a choice in a number apart; ok is false if it has none.
func (b *terms) halves(p *expr.Poly) (s twoPieces, ok bool) {
	for c, vars := range p.All() {
		if len(vars) != 1 || !c.IsInt64() {
			continue
		}
		x := b.atoms[vars[0]]
		if x == nil || len(x.args) != 2 {
			continue
		}
		rest := minus(p, expr.Term(c.Int64(), vars))
		s = twoPieces{x.extreme, x.choice, rest.Add(x.args[0].Scale(c.Int64())), rest.Add(x.args[1].Scale(c.Int64()))}
		switch {
		case c.Sign() > 0:
		case s.extreme == expr.Min:
			s.extreme = expr.Max
		case s.extreme == expr.Max:
			s.extreme = expr.Min
		}
		return s, true
	}
	return s, false
}

// whenFirst is the set in which a number is the first one of its two pieces.
func (b *terms) whenFirst(s twoPieces) (*polycount.Set, bool) {
	switch s.extreme {
	case expr.Min:
		return b.where(minus(s.second, s.first), false)
	case expr.Max:
		return b.where(minus(s.first, s.second), false)
	}
	return s.choice, true
}

// inPieces is a function of a number: of each of its affine pieces, where the number is that; ok is false if it has others, or the function is not known of one.
func (b *position) inPieces(p *expr.Poly, f func(*expr.Poly, polycount.Affine) (*expr.Poly, bool)) (out *expr.Poly, ok bool) {
	if a, ok := b.affine(p); ok {
		return f(p, a)
	}
	s, ok := b.halves(p)
	if !ok {
		return nil, false
	}
	when, ok := b.whenFirst(s)
	if !ok {
		return nil, false
	}
	c := condition{set: when}
	var x, y *expr.Poly
	switch b.decided(c) {
	case yes:
		return b.inPieces(s.first, f)
	case no:
		return b.inPieces(s.second, f)
	}
	b.under(c, true, func() { x, ok = b.inPieces(s.first, f) })
	if ok {
		b.under(c, false, func() { y, ok = b.inPieces(s.second, f) })
	}
	if !ok {
		return nil, false
	}
	return b.either(when, x, y), true
}

func (b *faults) both(x, y *polycount.Set) *polycount.Set {
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

func (b *faults) union(x, y *polycount.Set) *polycount.Set {
	out, err := x.Union(y)
	b.try(err)
	return out
}

func (b *faults) not(x *polycount.Set) *polycount.Set {
	out, err := everywhere().Subtract(x)
	b.try(err)
	return out
}

func (b *faults) isEmpty(x *polycount.Set) bool {
	empty, err := x.IsEmpty()
	b.try(err)
	return empty
}

// inside reports whether all points of x are in y.
func (b *faults) inside(x, y *polycount.Set) bool {
	out, err := x.Subtract(y)
	b.try(err)
	return b.isEmpty(out)
}

func (b *faults) simple(s *polycount.Set) *polycount.Set {
	if len(s.Disjuncts()) < 2 {
		return s
	}
	out, err := s.Coalesce()
	b.try(err)
	return out
}
