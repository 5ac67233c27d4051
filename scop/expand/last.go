package expand

import (
	"errors"
	"slices"

	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/deps"
)

// last are the points at which a statement writes elements that no point after it writes.
type last struct {
	of     *scop.Statement
	points *polycount.Set
	from   place
}

// maxParts is how many statements may write back what one wrote: one for each disjunct of its last points.
const maxParts = 4

// final finds the last writes of a web, each without alternatives; nil where that is too much work, or they are too many.
func (e *expansion) final(x *scop.Array, w *web) ([]*last, error) {
	out := []*last{}
	for _, s := range w.writers {
		points, err := e.finalOf(x, s)
		if errors.Is(err, polycount.ErrBudget) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if empty, err := points.IsEmpty(); err != nil {
			return nil, err
		} else if empty {
			continue
		}
		parts := points.Disjuncts()
		if len(parts) > maxParts {
			return nil, nil
		}
		for _, p := range parts {
			out = append(out, &last{of: s, points: p})
		}
	}
	return out, nil
}

func (e *expansion) finalOf(x *scop.Array, s *scop.Statement) (*polycount.Set, error) {
	points := s.Domain.Named("")
	for _, d := range e.analysis.Dependences {
		if d.Kind != deps.Output || d.From != s || d.Array != x {
			continue
		}
		again, err := d.Map.Domain()
		if err != nil {
			return nil, err
		}
		if points, err = points.Subtract(again.Named("")); err != nil {
			return nil, err
		}
	}
	return points.Coalesce()
}

// statement writes the last values back, in loops of its own.
func (e *expansion) statement(l *last, name string, place int64, to *scop.Array, n *scop.Nest) *scop.Statement {
	s := l.of
	write := s.Accesses[len(s.Accesses)-1]
	points, fixed := determined(l.points)
	out := &scop.Statement{Name: name, Pos: s.Pos, Domain: points.Named(name), Order: []polycount.Affine{polycount.Int(place)}}
	index := func(list []polycount.Affine) (subscripts []polycount.Affine, exprs []expr.Expr) {
		for _, a := range list {
			a = a.Subst(fixed)
			subscripts, exprs = append(subscripts, a), append(exprs, expr.FromAffine(a))
		}
		return subscripts, exprs
	}
	target, lhs := index(write.Index)
	source, rhs := index(slices.Concat(l.from.over, kept(l.from.drop, write.Index)))
	out.LHS, out.RHS = access(to, lhs), access(l.from.array, rhs)
	out.Accesses = []scop.Access{{Array: l.from.array, Index: source}, {Array: to, Index: target, Write: true}}
	for i, it := range s.Iterators {
		if points.HasDim(it) {
			e.loop(out, points, it, s.Loops[i].Name, n)
		}
	}
	return out
}

// loop puts a statement into one more loop of its own, over a dimension of its points.
func (e *expansion) loop(s *scop.Statement, points *polycount.Set, iterator, name string, n *scop.Nest) {
	s.Iterators = append(s.Iterators, iterator)
	bounds, err := points.Project(s.Iterators...)
	if err != nil {
		bounds = points // its loop has more bounds than it needs
	}
	l := &scop.Loop{Iterator: iterator, Name: e.fresh(name), DType: expr.Int32, Pos: s.Pos, Step: 1, Outer: slices.Clone(s.Loops), Bounds: bounds}
	n.Loops = append(n.Loops, l)
	s.Loops = append(s.Loops, l)
	s.Order = append(s.Order, polycount.Name(iterator), polycount.Int(0))
}

// determined leaves out iterators that equalities give, and says what they are.
func determined(points *polycount.Set) (*polycount.Set, map[string]polycount.Affine) {
	fixed := map[string]polycount.Affine{}
	for {
		list, exact := points.Constraints()
		name, value, ok := given(list, points.Dims())
		if !exact || !ok {
			return points, fixed
		}
		by := map[string]polycount.Affine{name: value}
		for other, a := range fixed {
			fixed[other] = a.Subst(by)
		}
		fixed[name] = value
		for i := range list {
			list[i].Affine = list[i].Affine.Subst(by)
		}
		dims := slices.DeleteFunc(slices.Clone(points.Dims()), func(d string) bool { return d == name })
		points = polycount.NewSet(points.Params(), dims, list...).Within(points.Budget())
	}
}

// given is a dimension that an equality gives as a value of others.
func given(list []polycount.Constraint, dims []string) (name string, value polycount.Affine, ok bool) {
	for _, c := range list {
		if !c.Equality || c.Affine.HasFloor() {
			continue
		}
		for _, d := range dims {
			if k := c.Affine.Coeff(d); k == 1 || k == -1 {
				return d, polycount.Name(d).Sub(c.Affine.Scale(k)), true
			}
		}
	}
	return "", value, false
}
