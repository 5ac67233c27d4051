package offload

import (
	"fmt"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
	"gpuperf/scop/window"
)

// move finds the iterators of a statement as functions of the loops of a tree, and its points over the names of these loops.
func move(s *scop.Statement, levels []level) (iterators map[string]polycount.Affine, domain *polycount.Set, err error) {
	d := len(s.Iterators)
	var rows [][]int64
	var values []polycount.Affine // of rows: the loop, less the constant
	dims := make([]string, len(levels))
	for i, l := range levels {
		dims[i] = l.name
		a := l.loop.Of[s]
		row := make([]int64, d)
		for j, name := range s.Iterators {
			row[j] = a.Coeff(name)
		}
		rows = append(rows, row)
		for j, name := range s.Iterators { // what is left are a constant, parameters and loops around
			a = a.AddScaled(-row[j], polycount.Name(name))
		}
		values = append(values, polycount.Name(l.name).Sub(a))
	}
	inverse, ok := window.Solve(rows, values, d)
	if !ok {
		return nil, nil, fmt.Errorf("the loops around %s do not determine its points", s.Name)
	}
	iterators = map[string]polycount.Affine{}
	for j, name := range s.Iterators {
		iterators[name] = inverse[j]
	}
	for _, part := range s.Domain.Disjuncts() {
		list, _ := part.Constraints()
		cs := make([]polycount.Constraint, 0, len(list)+len(levels))
		for _, x := range list {
			cs = append(cs, polycount.Constraint{Affine: x.Affine.Subst(iterators), Equality: x.Equality})
		}
		for i, l := range levels {
			cs = append(cs, polycount.EQ(polycount.Name(dims[i]), l.loop.Of[s].Subst(iterators)))
		}
		next := polycount.NewSet(nil, dims, cs...).Within(part.Budget())
		if domain == nil {
			domain = next
		} else if domain, err = domain.Union(next); err != nil {
			return nil, nil, err
		}
	}
	if domain == nil {
		domain = polycount.NewSet(nil, dims, polycount.GE(polycount.Int(-1), polycount.Int(0)))
	}
	return iterators, domain, nil
}

func magnitude(v int64) int64 { return max(v, -v) }

// values are those that loops take for any of the statements.
func values(list []*scop.Statement, levels []level) (*polycount.Set, error) {
	loops, names := split(levels)
	return schedule.Values(list, loops, names)
}

func split(levels []level) (loops []schedule.Loop, names []string) {
	for _, l := range levels {
		loops, names = append(loops, l.loop), append(names, l.name)
	}
	return loops, names
}

// fromZero moves a parallel loop so that its values are not negative, as work-items are numbered. Where it counts down it counts up instead: nothing depends on
// the order of its iterations. The context is what the kernel assumes, and that parallel loops around are not negative.
func fromZero(list []*scop.Statement, levels []level, context *polycount.Set) (level, error) {
	last := len(levels) - 1
	l := levels[last]
	back := schedule.Loop{Of: map[*scop.Statement]polycount.Affine{}, Parallel: true}
	down := true
	for s, a := range l.loop.Of {
		back.Of[s] = a.Neg()
		down = down && !slices.ContainsFunc(s.Iterators, func(name string) bool { return a.Coeff(name) > 0 })
	}
	if down {
		l.loop = back
	}
	levels = append(slices.Clone(levels[:last]), l)
	loops, names := split(levels)
	lower, _, _, err := schedule.Bounds(list, loops, names)
	if err != nil || lower == nil {
		return l, err
	}
	for _, b := range lower {
		if positive, err := context.Implies(polycount.GE(b.Num, polycount.Int(0))); err != nil || positive {
			return l, err
		}
	}
	moved := schedule.Loop{Of: map[*scop.Statement]polycount.Affine{}, Parallel: true}
	for s, a := range l.loop.Of {
		moved.Of[s] = a.Sub(lower[0].Num.FloorDiv(lower[0].Den))
	}
	l.loop = moved
	return l, nil
}

// hull are the common bounds of the innermost loop as constraints.
func hull(list []*scop.Statement, levels []level) (cs []polycount.Constraint, err error) {
	if set := levels[len(levels)-1].values; set != nil {
		cs, _ = set.Constraints()
		return slices.DeleteFunc(cs, func(c polycount.Constraint) bool { return c.Affine.HasFloor() }), nil // floors make questions hard, and say little here
	}
	loops, names := split(levels)
	lower, upper, _, err := schedule.Bounds(list, loops, names)
	name := names[len(names)-1]
	for _, b := range lower {
		cs = append(cs, kernel.AtLeast(name, b))
	}
	for _, b := range upper {
		cs = append(cs, kernel.AtMost(name, b))
	}
	return cs, err
}

// within is a context with what holds of the loops of the host around some statements.
func within(context *polycount.Set, list []*scop.Statement, host []level) (_ *polycount.Set, err error) {
	defer throw.Catch(&err)
	for i := range host {
		context = throw.Get(context.Constrain(throw.Get(hull(list, host[:i+1]))...))
	}
	return context, nil
}

// boundsOf finds the values of the innermost loop for any of the statements, and of the loops around it, or more than those.
type boundsOf func(list []*scop.Statement, levels []level) (*polycount.Set, error)

// nestOf is the nest of a launch: the loops of the host are parameters. It returns the names of the parallel loops of its bands, outermost first: of the
// outermost band, or where one work-group runs the launch of all that are in no other.
func (c *compiler) nestOf(x *schedule.Launch, host, tiles []level, bounds boundsOf, name string) (_ *scop.Nest, _ [][]string, err error) {
	defer throw.Catch(&err)
	n := &scop.Nest{Name: name, File: c.nest.File, First: c.nest.First, Last: c.nest.Last, Context: c.nest.Context, Functions: c.nest.Functions}
	n.Params = slices.Clone(c.nest.Params)
	n.Context = throw.Get(within(n.Context, schedule.Statements(x), host))
	for _, h := range host {
		n.Params = append(n.Params, h.name)
	}
	context := n.Context
	arrays := map[*scop.Array]*scop.Array{}
	group := x.Host != nil
	var parallel [][]string
	var visit func(node schedule.Node, levels []level, body *scop.Body, within bool)
	visit = func(node schedule.Node, levels []level, body *scop.Body, within bool) {
		switch x := node.(type) {
		case *schedule.Sequence:
			for _, p := range x.Parts {
				visit(p, levels, body, within)
			}
		case *schedule.Band:
			around := len(body.Loops)
			var own []string
			for _, l := range x.Loops {
				name := c.fresh(plain(l, "c"))
				levels = append(slices.Clip(levels), level{name: name, loop: l})
				if group && l.Parallel && !within {
					own = append(own, name)
				}
				if !group && l.Parallel && around == 0 {
					own = append(own, name)
					levels[len(levels)-1] = throw.Get(fromZero(schedule.Statements(x), levels, context))
					context = throw.Get(context.AddDims(name).Constrain(polycount.GE(polycount.Name(name), polycount.Int(0))))
				}
				body = body.Loop(name, c.nest.Statements[0].Pos, hosted(throw.Get(bounds(schedule.Statements(x), levels)), host))
			}
			if len(own) > 0 {
				parallel = append(parallel, own)
			}
			visit(x.Body, levels, body, within || len(own) > 0)
		case *schedule.Leaf:
			body.Add(c.statement(x.Statement, levels, host, arrays))
		}
	}
	body := n.Body()
	for _, t := range tiles {
		body = body.Loop(t.name, c.nest.Statements[0].Pos, hosted(t.values, host))
	}
	visit(x.Body, slices.Concat(host, tiles), body, false)
	if !group {
		c.contract(n, arrays, slices.Concat(parallel...))
	}
	for _, a := range c.nest.Arrays {
		if arrays[a] != nil {
			n.Arrays = append(n.Arrays, arrays[a])
		}
	}
	n.Params = slices.DeleteFunc(n.Params, func(p string) bool { return !mentions(n, p) })
	return n, parallel, nil
}

// hosted is a set whose first dimensions, the loops of the host, are parameters.
func hosted(s *polycount.Set, host []level) *polycount.Set {
	var names []string
	for _, h := range host {
		names = append(names, h.name)
	}
	return s.ToParams(names...)
}

// statement is a statement over the loops of the tree.
func (c *compiler) statement(s *scop.Statement, levels, host []level, arrays map[*scop.Array]*scop.Array) *scop.Statement {
	iterators, domain := throw.Get2(move(s, levels))
	by := map[string]expr.Expr{}
	for name, a := range iterators {
		by[name] = expr.FromAffine(a)
	}
	out := &scop.Statement{Name: s.Name, Pos: s.Pos, LHS: expr.Subst(s.LHS, by), RHS: expr.Subst(s.RHS, by), Domain: hosted(domain, host).Named(s.Name)}
	for _, a := range s.Accesses {
		if arrays[a.Array] == nil {
			own := *a.Array
			own.Local = own.Local && len(own.Shape) == 0 && c.launches[a.Array] == 1
			arrays[a.Array] = &own
		}
		x := scop.Access{Array: arrays[a.Array], Write: a.Write}
		for _, i := range a.Index {
			x.Index = append(x.Index, i.Subst(iterators))
		}
		out.Accesses = append(out.Accesses, x)
	}
	return out
}

// mentions reports that a nest needs a parameter.
func mentions(n *scop.Nest, name string) bool {
	has := func(e expr.Expr) (found bool) {
		expr.Walk(e, func(e expr.Expr) bool {
			v, ok := e.(expr.Var)
			found = found || ok && v.Name == name
			return !found
		})
		return found
	}
	for _, s := range n.Statements {
		if slices.Contains(s.Domain.Params(), name) || has(s.LHS) || has(s.RHS) {
			return true
		}
	}
	return slices.ContainsFunc(n.Arrays, func(a *scop.Array) bool {
		return slices.ContainsFunc(a.Shape, func(e expr.Expr) bool { return e != nil && has(e) })
	})
}

// contract makes private scalars of arrays that only this launch uses and of which each work-item uses one element, in all of its statements: what copies of a scalar
// for the iterations of a parallel loop come to when that loop is one of work-items.
func (c *compiler) contract(n *scop.Nest, arrays map[*scop.Array]*scop.Array, parallel []string) {
	for from, a := range arrays {
		if !from.Local || from.Scattered() || len(from.Shape) == 0 || c.launches[from] != 1 || !onePerItem(n, a, parallel) {
			continue
		}
		a.Shape, a.Local = []expr.Expr{}, true
		c.contracted[from] = true
		scalar := func(e expr.Expr) expr.Expr {
			return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
				if x, ok := e.(*expr.Access); ok && x.Array == a.Name {
					return expr.Var{Name: a.Name}
				}
				return e
			})
		}
		for _, s := range n.Statements {
			s.LHS, s.RHS = scalar(s.LHS), scalar(s.RHS)
			for i := range s.Accesses {
				if s.Accesses[i].Array == a {
					s.Accesses[i].Index = nil
				}
			}
		}
	}
}

// onePerItem reports that all accesses of an array are to one element, for given values of the parallel loops.
func onePerItem(n *scop.Nest, a *scop.Array, parallel []string) bool {
	var one []polycount.Affine
	for _, s := range n.Statements {
		for _, x := range s.Accesses {
			if x.Array != a {
				continue
			}
			if one == nil {
				one = x.Index
			}
			if !slices.EqualFunc(one, x.Index, polycount.Affine.Equal) || slices.ContainsFunc(x.Index, func(i polycount.Affine) bool {
				return slices.ContainsFunc(i.Names(), func(name string) bool { return !slices.Contains(parallel, name) && !slices.Contains(n.Params, name) })
			}) {
				return false
			}
		}
	}
	return true
}
