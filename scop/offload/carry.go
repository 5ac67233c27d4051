package offload

import (
	"slices"

	"gpuperf/cfront/cexpr"
	"gpuperf/internal/nameset"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// carried keeps in a variable what an iteration of a loop inside the parallel ones stores for the next one, as a device would read it back from memory: of
// p[j] = 1/(a·p[j-1] + b), p[j-1] is a variable, which is loaded before the loop and is p[j] at the end of an iteration (scalar replacement: Callahan, Carr and Kennedy, Improving register
// allocation for subscripted variables, 1990).
func carried(k *kernel.Kernel, parallel []string) (*kernel.Kernel, error) {
	if slices.ContainsFunc(k.Statements, func(s *kernel.Stmt) bool { return len(s.ReductionInames()) > 0 || s.Atomic }) {
		return k, nil // work-items may share what a statement does
	}
	for _, s := range k.Statements {
		c, err := findCarry(k, s, parallel)
		if err != nil {
			return nil, err
		}
		if c != nil {
			k = c.in(k)
		}
	}
	return k, nil
}

// carry is a statement in one loop whose stores are read in the next iteration.
type carry struct {
	by      *kernel.Stmt
	loop    string
	before  []polycount.Affine // subscripts of what the iteration before it has stored
	initial *expr.Access       // of the first iteration
	runs    []expr.Expr        // conditions for the loop to have iterations
	dtype   expr.DType
}

// findCarry is nil where a statement has another form.
func findCarry(k *kernel.Kernel, s *kernel.Stmt, parallel []string) (*carry, error) {
	to, ok := s.LHS.(*expr.Access)
	loops := nameset.Remove(slices.Clone(s.Inames), parallel...)
	if !ok || k.Array(to.Array).Space != kernel.Global || len(loops) != 1 || len(s.Inames) != len(parallel)+1 || len(s.Predicates) > 0 {
		return nil, nil
	}
	c := &carry{by: s, loop: loops[0]}
	if slices.ContainsFunc(k.Statements, func(o *kernel.Stmt) bool {
		return o.ID != s.ID && o.Target() == to.Array && slices.Contains(o.Inames, c.loop)
	}) {
		return nil, nil
	}
	domain, err := k.DomainOf(s.Inames)
	if err != nil {
		return nil, err
	}
	list, exact := domain.Constraints()
	lower, _, err := domain.Bounds(c.loop)
	if err != nil || !exact || len(lower) != 1 || lower[0].Den != 1 || slices.ContainsFunc(list, func(c polycount.Constraint) bool { return c.Affine.HasFloor() }) {
		return nil, err
	}
	moves := false
	c.initial = &expr.Access{Array: to.Array}
	for _, e := range to.Index {
		a, err := k.AffineOf(e)
		if err != nil || a.HasFloor() { // what a store by data leaves is not known
			return nil, nil
		}
		moves = moves || a.Has(c.loop)
		at := a.Subst(map[string]polycount.Affine{c.loop: polycount.Name(c.loop).AddInt(-1)})
		c.before = append(c.before, at)
		c.initial.Index = append(c.initial.Index, expr.FromAffine(at.Subst(map[string]polycount.Affine{c.loop: lower[0].Num})))
	}
	if !moves || !slices.ContainsFunc(k.Statements, func(o *kernel.Stmt) bool {
		return slices.ContainsFunc(k.Reads(o), func(a *expr.Access) bool { return c.reads(k, o, a) })
	}) {
		return nil, nil
	}
	around := nameset.Remove(slices.Clone(s.Inames), c.loop)
	any, err := domain.Project(around...)
	if err != nil {
		return nil, err
	}
	outer, err := k.DomainOf(around)
	if err != nil {
		return nil, err
	}
	if any, err = any.Gist(outer); err != nil {
		return nil, err
	}
	c.runs = cexpr.Predicates(any)
	if a := k.Array(to.Array); !c.surely(k) {
		if len(a.Shape) != len(to.Index) || a.Shape[0] == nil {
			return nil, nil
		}
		c.runs = append(c.runs, inBounds(a, c.initial)...)
	}
	c.dtype, err = k.TypeOf(to)
	return c, err
}

// surely reports that the first iteration reads what is loaded before the loop whatever conditions say, so that there is such an element.
func (c *carry) surely(k *kernel.Kernel) bool {
	return slices.ContainsFunc(k.Statements, func(s *kernel.Stmt) (found bool) {
		expr.Walk(s.RHS, func(e expr.Expr) bool {
			_, choice := e.(*expr.Cond)
			a, is := e.(*expr.Access)
			found = found || is && c.reads(k, s, a)
			return !choice
		})
		return found && len(s.Predicates) == 0
	})
}

// inBounds are the conditions for an element to be one of the array.
func inBounds(a *kernel.Array, x *expr.Access) (out []expr.Expr) {
	for d, i := range x.Index {
		out = append(out, expr.Binary(expr.Ge, i, expr.Int{}), expr.Binary(expr.Lt, i, a.Shape[d]))
	}
	return out
}

// reads reports that an access of a statement of the loop is to what the iteration before has stored.
func (c *carry) reads(k *kernel.Kernel, s *kernel.Stmt, a *expr.Access) bool {
	if !slices.Equal(s.Inames, c.by.Inames) || a.Array != c.initial.Array {
		return false
	}
	for d, e := range a.Index {
		if at, err := k.AffineOf(e); err != nil || !at.Equal(c.before[d]) {
			return false
		}
	}
	return true
}

// in is the kernel with the variable: it is loaded before the loop, and set at the end of an iteration.
func (c *carry) in(k *kernel.Kernel) *kernel.Kernel {
	out := k.Clone()
	variable := func(suffix string) expr.Var {
		name := out.FreshName(c.by.ID + suffix)
		out.Temps = append(out.Temps, &kernel.Array{Name: name, DType: c.dtype, Space: kernel.Private, Shape: []expr.Expr{}})
		return expr.Var{Name: name}
	}
	last, stored := variable("_last"), variable("_stored")
	within := func(s *kernel.Stmt) bool { return slices.Contains(s.AllInames(), c.loop) }
	var list []*kernel.Stmt
	add := func(s *kernel.Stmt) {
		if n := len(list); n > 0 {
			s.Deps = nameset.Add(slices.Clone(s.Deps), list[n-1].ID)
		}
		list = append(list, s)
	}
	first := slices.IndexFunc(out.Statements, within)
	final := len(out.Statements) - 1
	for ; !within(out.Statements[final]); final-- {
	}
	for i, s := range out.Statements {
		if i == first {
			add(&kernel.Stmt{ID: out.FreshName(c.by.ID + "_begin"), LHS: last, RHS: c.initial, Inames: nameset.Remove(slices.Clone(c.by.Inames), c.loop), Predicates: c.runs})
		}
		own := *s
		own.RHS = expr.Rewrite(s.RHS, func(e expr.Expr) expr.Expr {
			if a, ok := e.(*expr.Access); ok && c.reads(k, s, a) {
				return last
			}
			return e
		})
		if s.ID == c.by.ID {
			add(&kernel.Stmt{ID: out.FreshName(s.ID + "_value"), LHS: stored, RHS: own.RHS, Inames: s.Inames})
			own.RHS = stored
		}
		add(&own)
		if i == final {
			add(&kernel.Stmt{ID: out.FreshName(c.by.ID + "_end"), LHS: last, RHS: stored, Inames: c.by.Inames})
		}
	}
	out.Statements = list
	return out
}
