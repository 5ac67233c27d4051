package polycount

import (
	"gpuperf/polycount/internal/arith"
	"slices"
)

// IsEmpty decides whether s has no integer point for any integer values of the parameters.
func (s *Set) IsEmpty() (empty bool, err error) {
	defer arith.Rescue(&err)
	return anyWork().isEmpty(s.sources()), nil
}

// Implies decides whether every integer point of s, for all parameter values, satisfies c. Names in c that s does not
// know stand for any integer.
func (s *Set) Implies(c Constraint) (implied bool, err error) {
	defer arith.Rescue(&err)
	if !s.knows(c.Affine) {
		for _, n := range c.Negate() {
			t, err := s.Constrain(n)
			if err != nil {
				return false, err
			}
			if empty, err := t.IsEmpty(); err != nil || !empty {
				return false, err
			}
		}
		return true, nil
	}
	w := anyWork()
	floors := c.Affine.HasFloor()
	for _, x := range s.sources() {
		if floors {
			x = x.clone()
		}
		if !w.implied(x, affineRow(x, c.Affine, s.at), c.Equality) {
			return false, nil
		}
	}
	return true, nil
}

// IsSubset decides s ⊆ t.
func (s *Set) IsSubset(t *Set) (in bool, err error) {
	if t.open == nil && len(t.cs) == 1 {
		defer arith.Rescue(&err)
		s, t = alignSets(s, t)
		w := anyWork()
		for _, x := range s.sources() {
			x = x.clone()
			apply := x.importer(t.cs[0])
			for i, rows := range [2][]row{t.cs[0].eq, t.cs[0].ge} {
				for _, r := range rows {
					if !w.implied(x, apply(r), i == 0) {
						return false, nil
					}
				}
			}
		}
		return true, nil
	}
	d, err := s.Subtract(t)
	if err != nil {
		return false, err
	}
	return d.IsEmpty()
}

// IsEqual decides s = t as sets of points.
func (s *Set) IsEqual(t *Set) (bool, error) {
	in, err := s.IsSubset(t)
	if err != nil || !in {
		return false, err
	}
	return t.IsSubset(s)
}

// Gist drops from s the constraints that ctx implies: the result agrees with s wherever ctx holds. A ctx without
// dimensions speaks of the parameters.
func (s *Set) Gist(ctx *Set) (out *Set, err error) {
	defer arith.Rescue(&err)
	params := unionNames(s.params, ctx.params)
	a := s.respace(params, s.dims)
	if len(ctx.dims) > 0 && !slices.Equal(ctx.dims, s.dims) {
		arith.Fail("polycount: dimensions %v and %v differ", s.dims, ctx.dims)
	}
	b := ctx.respace(params, s.dims)
	w := anyWork()
	out = a.with(nil)
	ctxs := b.closedMembers(w)
	for _, c := range a.closedMembers(w) {
		if g := w.gist(c, ctxs); g != nil {
			out.cs = addMember(out.cs, g)
		}
	}
	for _, c := range out.cs {
		if len(c.eq)+len(c.ge) == 0 { // one member covers all
			return out.with([]*conj{c}), nil
		}
	}
	return out, nil
}
