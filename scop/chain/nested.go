package chain

import (
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
)

// Nested finds the recurrence of the outermost loop of a kernel of several loops around one sum; nil where it is none. The nest is that of the kernel.
func Nested(k *kernel.Kernel, n *scop.Nest) *Recurrence {
	if len(k.Statements) != 1 || len(n.Statements) != 1 || len(n.Statements[0].Loops) < 2 {
		return nil
	}
	s, loops := k.Statements[0], n.Statements[0].Loops
	a := Accumulation(s)
	if a == nil || a.Kind != "sum" || len(s.Predicates) > 0 || slices.ContainsFunc(loops, func(l *scop.Loop) bool {
		_, exact := l.Bounds.Constraints()
		return !exact || expr.Mentions(s.LHS, l.Name)
	}) {
		return nil
	}
	term := a.Converted(k, s)
	if term == nil || reads(term, func(e expr.Expr) bool {
		x, ok := e.(*expr.Access)
		return ok && x.Array == s.Target() || e.String() == s.LHS.String()
	}) {
		return nil
	}
	c := &Recurrence{Loop: loops[0].Name, inside: loops[1:]}
	if !c.bound(k) {
		return nil
	}
	x := &state{old: s.LHS, first: s.LHS, last: s.LHS, kind: a.Kind, term: term}
	x.dtype, _ = k.TypeOf(s.LHS)
	x.terms, _ = k.TypeOf(term)
	x.join = func(value, terms expr.Expr) expr.Expr {
		return swapped(a.With(terms), map[string]expr.Expr{s.LHS.String(): value})
	}
	c.states = []*state{x}
	return c
}

// Inside are the loops of each iteration, outermost first.
func (c *Recurrence) Inside() []*scop.Loop { return c.inside }

// nested makes what the terms of each chunk are together, of a sum over several loops.
func (s *Chunks) nested(name string) *scop.Nest {
	m := s.nest(name)
	loops := s.chunks(m)
	part, x := s.parts[0], s.states[0]
	zero := expr.Expr(expr.Int{})
	if x.terms.IsFloat() {
		zero = expr.Float{DType: x.terms}
	}
	m.add(loops, nil, store{part, zero})
	outer := polycount.Name(s.Loop)
	loops = m.loop(loops, s.Loop, polycount.GE(outer, s.begin()), polycount.GE(s.begin().AddInt(s.chunk-1), outer), polycount.GE(outer, s.Lower), polycount.GE(s.Upper, outer))
	for _, l := range s.inside {
		bounds, _ := l.Bounds.Constraints()
		loops = m.loop(loops, l.Name, bounds...)
	}
	m.add(loops, nil, store{part, expr.Binary(expr.Add, part, x.term)})
	return m.made()
}
