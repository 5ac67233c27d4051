package chain

import (
	"fmt"
	"slices"

	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
)

// launched is a nest that is being made for a kernel.
type launched struct {
	s    *Chunks
	n    *scop.Nest
	body *scop.Body
	// where is a condition on data under which statements are made that are added; nil for others.
	where expr.Expr
}

func (s *Chunks) nest(name string) *launched {
	n := *s.Like
	n.Name, n.Loops, n.Statements = name, nil, nil
	return &launched{s: s, n: &n, body: n.Body()}
}

// own is a variable of a work-item.
func (m *launched) own(t expr.DType) expr.Expr {
	a := &scop.Array{Name: m.s.fresh("state"), DType: t, Shape: []expr.Expr{}, Local: true, Written: true}
	m.n.Arrays = append(slices.Clone(m.n.Arrays), a)
	return expr.Var{Name: a.Name}
}

// loop adds a loop with bounds.
func (m *launched) loop(in *scop.Body, name string, bounds ...polycount.Constraint) *scop.Body {
	dims := []string{}
	for _, l := range in.Loops {
		dims = append(dims, l.Name)
	}
	return in.Loop(name, m.s.pos, polycount.NewSet(nil, append(dims, name), bounds...).Within(m.n.Context.Budget()))
}

// add adds statements, under a condition.
func (m *launched) add(in *scop.Body, guard []polycount.Constraint, list ...store) {
	for _, x := range list {
		if m.where != nil {
			x.value = &expr.Cond{If: m.where, Then: x.value, Else: x.to}
		}
		s := &scop.Statement{Name: fmt.Sprintf("S%d", len(m.n.Statements)), Pos: m.s.pos, LHS: x.to, RHS: x.value, Guarded: m.where != nil}
		cs := slices.Clone(guard)
		for _, l := range in.Loops {
			own, _ := l.Bounds.Constraints()
			cs = append(cs, own...)
		}
		in.Add(s)
		s.Domain = polycount.NewSet(nil, s.Iterators, cs...).Within(m.n.Context.Budget()).Named(s.Name)
		for _, e := range []expr.Expr{x.value, x.to} {
			m.accesses(s, e, e == x.to)
		}
	}
}

// accesses enters those of an expression.
func (m *launched) accesses(s *scop.Statement, e expr.Expr, write bool) {
	expr.Walk(e, func(e expr.Expr) bool {
		switch x := e.(type) {
		case expr.Var:
			if a := m.n.Array(x.Name); a != nil {
				s.Accesses = append(s.Accesses, scop.Access{Array: a, Write: write})
			}
		case *expr.Access:
			out := scop.Access{Array: m.n.Array(x.Array), Write: write}
			for _, i := range x.Index {
				a, err := expr.ToAffine(i, func(name string) bool { return m.n.Array(name) == nil })
				if err != nil {
					a = polycount.Int(0)
				}
				out.Index = append(out.Index, a)
			}
			s.Accesses = append(s.Accesses, out)
			write = false // what its subscripts read
		}
		return true
	})
}

// made is the nest, with the arrays that it uses.
func (m *launched) made() *scop.Nest {
	m.n.Arrays = slices.DeleteFunc(slices.Clone(m.n.Arrays), func(a *scop.Array) bool {
		return !slices.ContainsFunc(m.n.Statements, func(s *scop.Statement) bool {
			return slices.ContainsFunc(s.Accesses, func(x scop.Access) bool { return x.Array == a })
		})
	})
	return m.n
}
