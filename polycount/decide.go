package polycount

import (
	"context"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/linear"
)

// IsEmpty decides whether s has no integer point for any integer values of the parameters.
func (s *Set) IsEmpty() (empty bool, err error) {
	defer throw.Catch(&err)
	return s.work().IsEmpty(s.sources()), nil
}

// Implies decides whether every integer point of s, for all parameter values, satisfies c. Names in c that s does not
// know stand for any integer.
func (s *Set) Implies(c Constraint) (implied bool, err error) {
	defer throw.Catch(&err)
	if !hasColumns(c.Affine, s.at) {
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
	w := s.work()
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
		defer throw.Catch(&err)
		s, t = alignSets(s, t)
		w := s.work()
		for _, x := range s.sources() {
			x = x.Clone()
			apply := x.Importer(t.cs[0], nil)
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
	return mutual((*Set).IsSubset, s, t)
}

// mutual decides a relation in both directions.
func mutual[T any](holds func(a, b T) (bool, error), a, b T) (bool, error) {
	if yes, err := holds(a, b); err != nil || !yes {
		return false, err
	}
	return holds(b, a)
}

// Gist drops from s the constraints that ctx implies: the result agrees with s wherever ctx holds. A ctx without
// dimensions speaks of the parameters.
func (s *Set) Gist(ctx *Set) (out *Set, err error) {
	defer throw.Catch(&err)
	params := unionNames(s.params, ctx.params)
	a := s.respace(params, s.dims)
	if len(ctx.dims) > 0 && !slices.Equal(ctx.dims, s.dims) {
		panic(throw.Errorf("polycount: dimensions %v and %v differ", s.dims, ctx.dims))
	}
	b := ctx.respace(params, s.dims)
	a.budget = shared(a.budget, b.budget)
	w := a.work()
	out = a.with(nil)
	ctxs := b.members(w)
	for _, c := range a.members(w) {
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

// System is a conjunction of constraints on integers of any names, for asking whether it has a solution: a Set without
// the normal form.
type System struct {
	cs     []Constraint
	column map[string]int
	c      *linear.Conj
	limit  int64 // units of work for a question; 0 is the default
	budget *Budget
}

// Within is s whose questions take their work of a budget, nil for none, and at most so many units each; what takes more is an error that wraps ErrBudget.
func (s *System) Within(b *Budget, units int64) *System {
	out := *s
	out.budget, out.limit = b, units
	return &out
}

// NewSystem returns the conjunction of cs. A coefficient that leaves the 64-bit range is an error that wraps ErrOverflow.
func NewSystem(cs ...Constraint) (s *System, err error) {
	defer throw.Catch(&err)
	s = &System{cs: cs, column: make(map[string]int, 32)}
	for _, c := range cs {
		s.name(c.Affine)
	}
	s.c = &linear.Conj{N: len(s.column)}
	for _, c := range cs {
		r := affineRow(s.c, c.Affine, s.at)
		if c.Equality {
			s.c.Eq = append(s.c.Eq, r)
		} else {
			s.c.Ge = append(s.c.Ge, r)
		}
	}
	return s, nil
}

func (s *System) at(name string) int { return s.column[name] }

// name gives columns to the names in a.
func (s *System) name(a Affine) {
	for _, t := range a.terms {
		if t.Floor != nil {
			s.name(t.Floor.Num)
		} else if s.column[t.Name] == 0 {
			s.column[t.Name] = len(s.column) + 1
		}
	}
}

// Solvable decides whether s and the further constraints have an integer solution together.
func (s *System) Solvable(more ...Constraint) (yes bool, err error) {
	defer throw.Catch(&err)
	q := s.c.Question()
	for _, c := range more {
		if c.Affine.HasFloor() || !hasColumns(c.Affine, s.at) || c.Equality {
			all, err := NewSystem(append(s.cs[:len(s.cs):len(s.cs)], more...)...)
			if err != nil {
				return false, err
			}
			return all.Within(s.budget, s.limit).Solvable()
		}
		q.Extra = append(q.Extra, affineRow(s.c, c.Affine, s.at))
	}
	return metered(linear.NewWork(context.Background(), s.limit), s.budget).Solvable(q), nil
}
