package chain

import (
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// mostNodes of an expression: what statements hand over within an iteration is written out where it is read.
const mostNodes = 100

// followed are the statements of an iteration, as what they leave in terms of what was there before it.
type followed struct {
	k      *kernel.Kernel
	inames []string
	loop   []string             // of these, the one that carries values
	names  []string             // of what is stored, in the order of the text
	at     map[string]expr.Expr // of each: the element
	now    map[string]expr.Expr // its value, and raw that before it is converted to the type of the element
	raw    map[string]expr.Expr
	old    map[string]expr.Expr // what it was in the iteration before, where that is read
}

func (f *followed) varies(name string) bool { return expr.Mentions(f.at[name], f.loop[0]) }

// places finds what is stored: of each array one element in an iteration, which is the same in all iterations or another in each.
func (f *followed) places() bool {
	for _, s := range f.k.Statements {
		if s.LHS == nil || s.Atomic || len(s.Predicates) > 0 || !slices.Equal(s.Inames, f.inames) || len(s.ReductionInames()) > 0 {
			return false
		}
		name := s.Target()
		if have := f.at[name]; have != nil {
			if have.String() != s.LHS.String() {
				return false
			}
			continue
		}
		if f.names, f.at[name] = append(f.names, name), s.LHS; f.index(s.LHS) == nil {
			return false
		}
	}
	return true
}

// index are the subscripts of an element, of a scalar none; nil where data decides them.
func (f *followed) index(e expr.Expr) []polycount.Affine {
	out := []polycount.Affine{}
	a, ok := e.(*expr.Access)
	if !ok {
		return out
	}
	if a.As != "" || a.Lanes > 1 {
		return nil
	}
	for _, e := range a.Index {
		x, err := f.k.AffineOf(e)
		if err != nil || x.HasFloor() {
			return nil
		}
		out = append(out, x)
	}
	return out
}

// follow makes a statement.
func (f *followed) follow(s *kernel.Stmt) bool {
	ok := true
	value := expr.Rewrite(s.RHS, func(e expr.Expr) expr.Expr {
		name := ""
		switch x := e.(type) {
		case expr.Var:
			name = x.Name
		case *expr.Access:
			name = x.Array
		}
		if f.at[name] == nil {
			return condition(e)
		}
		out := f.read(name, e)
		if out == nil {
			ok = false
			return e
		}
		return out
	})
	of, err := f.k.TypeOf(value)
	to, err2 := f.k.TypeOf(s.LHS)
	if !ok || err != nil || err2 != nil || nodes(value) > mostNodes {
		return false
	}
	name := s.Target()
	f.raw[name], f.now[name] = value, value
	if of != to {
		f.now[name] = &expr.Cast{DType: to, Arg: value}
	}
	return true
}

// read is what an element holds that some statement of the iteration stores; nil where that is not known.
func (f *followed) read(name string, e expr.Expr) expr.Expr {
	same := e.String() == f.at[name].String()
	switch {
	case same && f.now[name] != nil:
		return f.now[name]
	case same && !f.varies(name):
		f.old[name] = e
		return e
	case same: // it holds what it did before the loop
		return e
	}
	before, index := f.index(f.at[name]), f.index(e)
	if len(before) != len(index) || !f.varies(name) {
		return nil
	}
	for d, x := range before {
		if !x.Subst(map[string]polycount.Affine{f.loop[0]: polycount.Name(f.loop[0]).AddInt(-1)}).Equal(index[d]) {
			return nil
		}
	}
	f.old[name] = e
	return e
}

// condition is a choice between 1 and 0, compared with 0, as what it is by.
func condition(e expr.Expr) expr.Expr {
	x, ok := e.(*expr.Op)
	if !ok || x.Kind != expr.Ne {
		return e
	}
	c, ok := x.Args[0].(*expr.Cond)
	if !ok {
		return e
	}
	one, is := expr.IntLiteral(c.Then)
	zero, is2 := expr.IntLiteral(c.Else)
	none, is3 := expr.IntLiteral(x.Args[1])
	if !is || !is2 || !is3 || one != 1 || zero != 0 || none != 0 {
		return e
	}
	return c.If
}

func nodes(e expr.Expr) (count int) {
	expr.Walk(e, func(expr.Expr) bool { count++; return true })
	return count
}
