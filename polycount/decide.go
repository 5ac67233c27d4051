package polycount

import (
	"slices"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// IsEmpty decides whether s has no integer point for any integer values of the parameters.
func (s *Set) IsEmpty() (empty bool, err error) {
	defer arith.Rescue(&err)
	return linear.AnyWork().IsEmpty(s.sources()), nil
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
	w := linear.AnyWork()
	floors := c.Affine.HasFloor()
	for _, x := range s.sources() {
		if floors {
			x = x.Clone()
		}
		if !w.Implied(x, affineRow(x, c.Affine, s.at), c.Equality) {
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
		w := linear.AnyWork()
		for _, x := range s.sources() {
			x = x.Clone()
			apply := x.Importer(t.cs[0])
			for i, rows := range [2][]linear.Row{t.cs[0].Eq, t.cs[0].Ge} {
				for _, r := range rows {
					if !w.Implied(x, apply(r), i == 0) {
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
	w := linear.AnyWork()
	out = a.with(nil)
	ctxs := b.closedMembers(w)
	for _, c := range a.closedMembers(w) {
		if g := w.Gist(c, ctxs); g != nil {
			out.cs = linear.AddMember(out.cs, g)
		}
	}
	for _, c := range out.cs {
		if len(c.Eq)+len(c.Ge) == 0 { // one member covers all
			return out.with([]*linear.Conj{c}), nil
		}
	}
	return out, nil
}
