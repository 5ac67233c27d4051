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
	s     *Chunks
	n     *scop.Nest
	place int64
}

func (s *Chunks) nest(name string) *launched {
	n := *s.Like
	n.Name, n.Loops, n.Statements = name, nil, nil
	return &launched{s: s, n: &n}
}

// own is a variable of a work-item.
func (m *launched) own(t expr.DType) expr.Expr {
	a := &scop.Array{Name: m.s.fresh("state"), DType: t, Shape: []expr.Expr{}, Local: true, Written: true}
	m.n.Arrays = append(slices.Clone(m.n.Arrays), a)
	return expr.Var{Name: a.Name}
}

// loop is a loop with bounds, in others.
func (m *launched) loop(name string, outer []*scop.Loop, bounds ...polycount.Constraint) []*scop.Loop {
	dims := []string{}
	for _, l := range outer {
		dims = append(dims, l.Name)
	}
	l := &scop.Loop{
		Iterator: name, Name: name, DType: expr.Int32, Pos: m.s.pos, Step: 1, Outer: outer,
		Bounds: polycount.NewSet(nil, append(dims, name), bounds...).Within(m.n.Context.Budget()),
	}
	m.n.Loops = append(m.n.Loops, l)
	return append(slices.Clip(outer), l)
}

// add adds statements in loops, behind what is there; so many of the loops are around others as well.
func (m *launched) add(loops []*scop.Loop, shared int, guard []polycount.Constraint, list ...store) {
	for i, x := range list {
		s := &scop.Statement{Name: fmt.Sprintf("S%d", len(m.n.Statements)), Pos: m.s.pos, Loops: loops, LHS: x.to, RHS: x.value}
		cs := slices.Clone(guard)
		for _, l := range loops {
			own, _ := l.Bounds.Constraints()
			s.Iterators, cs = append(s.Iterators, l.Name), append(cs, own...)
		}
		s.Domain = polycount.NewSet(nil, s.Iterators, cs...).Within(m.n.Context.Budget()).Named(s.Name)
		for d, l := range loops {
			at := polycount.Int(0)
			if d == shared {
				at = polycount.Int(m.place)
			}
			s.Order = append(s.Order, at, polycount.Name(l.Name))
		}
		at := m.place
		if shared < len(loops) {
			at = int64(i)
		} else {
			m.place++
		}
		s.Order = append(s.Order, polycount.Int(at))
		for _, e := range []expr.Expr{x.value, x.to} {
			m.accesses(s, e, e == x.to)
		}
		m.n.Statements = append(m.n.Statements, s)
	}
	if shared < len(loops) {
		m.place++
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
