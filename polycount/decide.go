package polycount

import "slices"

// IsEmpty decides whether s has no integer point for any integer values of the parameters.
func (s *Set) IsEmpty() (empty bool, err error) {
	defer Rescue(&err)
	return anyWork().isEmpty(s.sources()), nil
}

func (w *work) isEmpty(cs []*conj) bool {
	for _, c := range cs {
		if w.solvable(c.question()) {
			return false
		}
	}
	return true
}

// Implies decides whether every integer point of s, for all parameter values, satisfies c. Names in c that s does not
// know stand for any integer.
func (s *Set) Implies(c Constraint) (implied bool, err error) {
	defer Rescue(&err)
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
		defer Rescue(&err)
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

// implied decides c ⇒ r ≥ 0 (or = 0) for a row over the columns of c.
func (w *work) implied(c *conj, r row, equality bool) bool {
	test := func(r row) bool { return !w.solvable(c.question(r)) }
	return test(negated(r)) && (!equality || test(negated(negRow(r))))
}

// Gist drops from s the constraints that ctx implies: the result agrees with s wherever ctx holds. A ctx without
// dimensions speaks of the parameters.
func (s *Set) Gist(ctx *Set) (out *Set, err error) {
	defer Rescue(&err)
	params := unionNames(s.params, ctx.params)
	a := s.respace(params, s.dims)
	if len(ctx.dims) > 0 && !slices.Equal(ctx.dims, s.dims) {
		fail("polycount: dimensions %v and %v differ", s.dims, ctx.dims)
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

// gist drops the constraints of c that follow from the others and any member of ctx; nil where both exclude each other.
func (w *work) gist(c *conj, ctx []*conj) *conj {
	type base struct {
		*conj
		eq, ge []row // the constraints of c in it
	}
	var bases []base
	meet := false
	for _, x := range ctx {
		b := x.clone()
		apply := b.importer(c)
		n := base{conj: b}
		for _, r := range c.eq {
			n.eq = append(n.eq, apply(r))
		}
		for _, r := range c.ge {
			n.ge = append(n.ge, apply(r))
		}
		all := b.flat()
		all.eq = append(all.eq, cloneRows(n.eq)...)
		all.ge = append(all.ge, cloneRows(n.ge)...)
		meet = meet || w.feasible(all)
		bases = append(bases, n)
	}
	if !meet {
		return nil
	}
	dropEQ, dropGE := make([]bool, len(c.eq)), make([]bool, len(c.ge))
	follows := func(skipEQ, skipGE int) bool {
		for _, b := range bases {
			premise := b.clone()
			for i, r := range b.eq {
				if i != skipEQ && !dropEQ[i] {
					premise.addEQ(slices.Clone(r))
				}
			}
			for i, r := range b.ge {
				if i != skipGE && !dropGE[i] {
					premise.addGE(slices.Clone(r))
				}
			}
			if skipEQ >= 0 && !w.implied(premise, b.eq[skipEQ], true) {
				return false
			}
			if skipGE >= 0 && !w.implied(premise, b.ge[skipGE], false) {
				return false
			}
		}
		return true
	}
	for i := range c.eq {
		dropEQ[i] = follows(i, -1)
	}
	for i := range c.ge {
		dropGE[i] = follows(-1, i)
	}
	out := &conj{n: c.n, divs: c.divs}
	for i, r := range c.eq {
		if !dropEQ[i] {
			out.eq = append(out.eq, slices.Clone(r))
		}
	}
	for i, r := range c.ge {
		if !dropGE[i] {
			out.ge = append(out.ge, slices.Clone(r))
		}
	}
	out.simplify()
	return out
}
