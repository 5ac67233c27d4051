package scop

import (
	"fmt"
	"slices"

	"gpuperf/cfront/cexpr"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Kernel makes a kernel of the nest. Every loop is an iname, that of a decreasing loop negated; the order of the text is kept by dependencies.
// What the loops do not imply of a statement's domain are its predicates, so that counts are those of a run with
// features.Options.ExactBranches. Scalars that live in the region only are private; others that it writes are arrays of one element.
func (n *Nest) Kernel() (*kernel.Kernel, error) {
	k := &kernel.Kernel{Name: n.Name, Tags: map[string]kernel.Tag{}, Functions: n.Functions}
	if list, exact := n.Context.Constraints(); len(list) > 0 || !exact {
		k.Assumptions = n.Context
	}
	n = n.running()
	names := n.inames()
	bounds := map[*Loop][]polycount.Constraint{}
	for _, l := range n.Loops {
		list, err := l.conjunction()
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", n.File, l.Pos.Line, err)
		}
		bounds[l] = list
		k.Domains = append(k.Domains, polycount.NewSet(nil, []string{l.Name}, over(list, l.Bounds.Dims(), appended(l.Outer, l), names)...).Within(l.Bounds.Budget()))
	}
	n.declare(k)
	for _, p := range n.Params { // that only values, subscripts or extents use
		if !k.IsParam(p) {
			k.Args = append(k.Args, &kernel.Array{Name: p, DType: expr.Int32, Space: kernel.Private, IsValue: true, Shape: []expr.Expr{}})
		}
	}
	for i, s := range n.Statements {
		stmt, err := n.stmt(s, bounds)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", n.File, s.Pos.Line, err)
		}
		if i > 0 {
			stmt.Deps = []string{n.Statements[i-1].Name}
		}
		k.Statements = append(k.Statements, stmt)
	}
	if err := n.openExtents(k); err != nil {
		return nil, err
	}
	return k, k.CheckForm()
}

// running is the nest without statements that never run, and without the loops and arrays of these alone: the domain of an iname is not empty.
func (n *Nest) running() *Nest {
	out := *n
	out.Statements = slices.DeleteFunc(slices.Clone(n.Statements), func(s *Statement) bool {
		empty, err := s.Domain.IsEmpty()
		return err == nil && empty
	})
	if len(out.Statements) == len(n.Statements) {
		return n
	}
	loops, gone := map[*Loop]bool{}, map[*Array]bool{} // launches may have arrays that no statement of the text has
	for _, s := range n.Statements {
		for _, a := range s.Accesses {
			gone[a.Array] = true
		}
	}
	for _, s := range out.Statements {
		for _, l := range s.Loops {
			loops[l] = true
		}
		for _, a := range s.Accesses {
			gone[a.Array] = false
		}
	}
	out.Loops = slices.DeleteFunc(slices.Clone(n.Loops), func(l *Loop) bool { return !loops[l] })
	out.Arrays = slices.DeleteFunc(slices.Clone(n.Arrays), func(a *Array) bool { return gone[a] })
	return &out
}

// inames are the expressions in inames that stand for the iterators of each loop.
func (n *Nest) inames() map[*Loop]polycount.Affine {
	out := map[*Loop]polycount.Affine{}
	for _, l := range n.Loops {
		out[l] = polycount.Name(l.Name)
		if l.Step < 0 {
			out[l] = out[l].Neg()
		}
	}
	return out
}

// over replaces the iterators of loops in constraints.
func over(list []polycount.Constraint, iterators []string, loops []*Loop, names map[*Loop]polycount.Affine) []polycount.Constraint {
	by := map[string]polycount.Affine{}
	for i, l := range loops {
		by[iterators[i]] = names[l]
	}
	out := make([]polycount.Constraint, len(list))
	for i, c := range list {
		out[i] = polycount.Constraint{Affine: c.Affine.Subst(by), Equality: c.Equality}
	}
	return out
}

// conjunction are the bounds of the iterator, or those that hold in all of several alternatives. What is left of the alternatives becomes
// predicates of statements.
func (l *Loop) conjunction() ([]polycount.Constraint, error) {
	list, exact := l.Bounds.Constraints()
	if exact {
		return list, nil
	}
	parts, err := kernel.Inhabited(l.Bounds)
	if err != nil {
		return nil, err
	}
	dims := l.Bounds.Dims()
	own := dims[len(dims)-1]
	lower, upper, err := kernel.CommonBounds(parts, own)
	if err != nil {
		return nil, err
	}
	if len(lower) == 0 || len(upper) == 0 {
		return nil, fmt.Errorf("no bound of %s holds for all alternatives of the loop", l.Iterator)
	}
	for _, b := range lower {
		list = append(list, kernel.AtLeast(own, b))
	}
	for _, b := range upper {
		list = append(list, kernel.AtMost(own, b))
	}
	return list, nil
}

func (n *Nest) stmt(s *Statement, bounds map[*Loop][]polycount.Constraint) (*kernel.Stmt, error) {
	out := &kernel.Stmt{ID: s.Name, Guarded: s.Guarded, At: kernel.Place{File: s.Pos.File, Pos: s.Pos.Pos}}
	by := map[string]expr.Expr{}
	whole := polycount.NewSet(nil, nil)
	for i, l := range s.Loops {
		out.Inames = append(out.Inames, l.Name)
		by[s.Iterators[i]] = expr.Var{Name: l.Name}
		if l.Step < 0 {
			by[s.Iterators[i]] = &expr.Op{Kind: expr.Neg, Args: []expr.Expr{expr.Var{Name: l.Name}}}
		}
		var err error
		if whole, err = whole.AddDims(s.Iterators[i]).Constrain(bounds[l]...); err != nil {
			return nil, err
		}
	}
	slices.Sort(out.Inames)
	guard, err := s.Domain.Gist(whole)
	if err != nil {
		return nil, err
	}
	out.Predicates = cexpr.Predicates(guard)
	for i, p := range out.Predicates {
		out.Predicates[i] = expr.Subst(p, by)
	}
	out.LHS, out.RHS = n.stored(expr.Subst(s.LHS, by)), n.stored(expr.Subst(s.RHS, by))
	return out, nil
}

// inMemory reports that a scalar is an array of one element.
func (a *Array) inMemory() bool { return len(a.Shape) == 0 && a.Written && !a.Local }

// stored replaces scalars that are arrays of one element.
func (n *Nest) stored(e expr.Expr) expr.Expr {
	return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		if v, ok := e.(expr.Var); ok {
			if a := n.Array(v.Name); a != nil && a.inMemory() {
				return &expr.Access{Array: v.Name, Index: []expr.Expr{expr.Int{Value: 0}}}
			}
		}
		return e
	})
}

// declare enters the arrays. An array whose outermost extent is open has no shape yet.
func (n *Nest) declare(k *kernel.Kernel) {
	for _, a := range n.Arrays {
		out := &kernel.Array{Name: a.Name, DType: a.DType, Space: kernel.Global, Shape: a.Shape}
		switch {
		case a.inMemory():
			out.Shape = []expr.Expr{expr.Int{Value: 1}}
		case len(a.Shape) == 0:
			out.Space, out.IsValue, out.Shape = kernel.Private, !a.Written, []expr.Expr{}
		case a.Shape[0] == nil:
			out.Shape = nil
		}
		if a.Local {
			k.Temps = append(k.Temps, out)
		} else {
			k.Args = append(k.Args, out)
		}
	}
}

// openExtents gives arrays whose outermost extent the declaration leaves open the one that their accesses need.
func (n *Nest) openExtents(k *kernel.Kernel) error {
	if err := k.InferShapes(); err != nil {
		return err
	}
	k.MapArrays(func(out *kernel.Array) {
		if a := n.Array(out.Name); a != nil && len(a.Shape) > 1 && a.Shape[0] == nil && a.Shape[1] != nil {
			out.Shape = append([]expr.Expr{out.Shape[0]}, a.Shape[1:]...)
		}
	})
	return nil
}
