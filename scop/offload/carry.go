package offload

import (
	"fmt"
	"slices"

	"gpuperf/cfront/cexpr"
	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// carried keeps in variables what an iteration of a loop inside the parallel ones stores for the next ones and for itself, as a device would read it back from memory: of
// p[j] = 1/(a·p[j-1] + b), p[j-1] is a variable, which is loaded before the loop and is p[j] at the end of an iteration (scalar replacement: Callahan, Carr and Kennedy, Improving register
// allocation for subscripted variables, 1990).
func carried(k *kernel.Kernel, parallel []string) *kernel.Kernel {
	if slices.ContainsFunc(k.Statements, func(s *kernel.Stmt) bool { return len(s.ReductionInames()) > 0 || s.Atomic }) {
		return k // work-items may share what a statement does
	}
	for _, s := range k.Statements {
		c := findCarry(k, s, parallel)
		if c != nil {
			k = c.in(k)
		}
	}
	return k
}

// farthest is from how many iterations before values are kept in variables.
const farthest = 3

// carry is a statement in one loop whose stores are read in the next iterations.
type carry struct {
	by      *kernel.Stmt
	loop    string
	own     []polycount.Affine   // subscripts of what it stores
	before  [][]polycount.Affine // subscripts of what the iteration before it has stored, of the one before that, and so on
	initial []*expr.Access       // of the first iteration
	runs    [][]expr.Expr        // conditions to load these
	dtype   expr.DType
}

// findCarry is nil where a statement has another form.
func findCarry(k *kernel.Kernel, s *kernel.Stmt, parallel []string) *carry {
	to, ok := s.LHS.(*expr.Access)
	loops := nameset.Remove(slices.Clone(s.Inames), parallel...)
	if !ok || k.Array(to.Array).Space != kernel.Global || len(loops) != 1 || len(s.Inames) != len(parallel)+1 || len(s.Predicates) > 0 {
		return nil
	}
	c := &carry{by: s, loop: loops[0]}
	if slices.ContainsFunc(k.Statements, func(o *kernel.Stmt) bool {
		return o.ID != s.ID && o.Target() == to.Array && slices.Contains(o.Inames, c.loop)
	}) {
		return nil
	}
	domain := throw.Get(k.DomainOf(s.Inames))
	list, exact := domain.Constraints()
	lower, _, err := domain.Bounds(c.loop)
	if err != nil || !exact || len(lower) != 1 || lower[0].Den != 1 || slices.ContainsFunc(list, func(c polycount.Constraint) bool { return c.Affine.HasFloor() }) {
		throw.If(err)
		return nil
	}
	index, moves := make([]polycount.Affine, len(to.Index)), false
	for d, e := range to.Index {
		if index[d], err = k.AffineOf(e); err != nil || index[d].HasFloor() { // what a store by data leaves is not known
			return nil
		}
		moves = moves || index[d].Has(c.loop)
	}
	c.shift(index, lower[0].Num)
	for len(c.before) > 0 && !c.read(k, len(c.before)-1) {
		c.before, c.initial = c.before[:len(c.before)-1], c.initial[:len(c.before)-1]
	}
	if c.own = index; !moves || len(c.before) == 0 && !slices.ContainsFunc(k.Statements, func(o *kernel.Stmt) bool {
		return slices.ContainsFunc(k.Reads(o), func(a *expr.Access) bool { return c.after(k, o) && c.is(k, o, a, c.own) })
	}) {
		return nil
	}
	any := inhabited(k, domain, nameset.Remove(slices.Clone(s.Inames), c.loop))
	for i, x := range c.initial {
		runs := cexpr.Predicates(any)
		if a := k.Array(to.Array); !c.surely(k, i) {
			if len(a.Shape) != len(to.Index) || a.Shape[0] == nil {
				return nil
			}
			runs = append(runs, inBounds(a, x)...)
		}
		c.runs = append(c.runs, runs)
	}
	c.dtype, err = k.TypeOf(to)
	throw.If(err)
	return c
}

// inhabited are the conditions for a domain to have points, beyond what is so for all iterations of the loops around.
func inhabited(k *kernel.Kernel, domain *polycount.Set, around []string) *polycount.Set {
	any := throw.Get(domain.Project(around...))
	outer := throw.Get(k.DomainOf(around))
	return throw.Get(any.Gist(outer))
}

// shift finds what the iterations before one have stored.
func (c *carry) shift(index []polycount.Affine, lower polycount.Affine) {
	to := c.by.LHS.(*expr.Access)
	for back := int64(1); back <= farthest; back++ {
		initial, before := &expr.Access{Array: to.Array}, []polycount.Affine(nil)
		for _, a := range index {
			at := a.Subst(map[string]polycount.Affine{c.loop: polycount.Name(c.loop).AddInt(-back)})
			before = append(before, at)
			initial.Index = append(initial.Index, expr.FromAffine(at.Subst(map[string]polycount.Affine{c.loop: lower})))
		}
		c.before, c.initial = append(c.before, before), append(c.initial, initial)
	}
}

// read reports that a statement reads what an iteration so far before, or one more, has stored.
func (c *carry) read(k *kernel.Kernel, back int) bool {
	return slices.ContainsFunc(k.Statements, func(o *kernel.Stmt) bool {
		return slices.ContainsFunc(k.Reads(o), func(a *expr.Access) bool { return c.reads(k, o, a) == back })
	})
}

// surely reports that the first iteration reads an element that is loaded before the loop whatever conditions say, so that there is one.
func (c *carry) surely(k *kernel.Kernel, back int) bool {
	return slices.ContainsFunc(k.Statements, func(s *kernel.Stmt) (found bool) {
		expr.Walk(s.RHS, func(e expr.Expr) bool {
			_, choice := e.(*expr.Cond)
			a, is := e.(*expr.Access)
			found = found || is && c.reads(k, s, a) == back
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

// reads is how many iterations before that of a statement, less one, what an access is to was stored; -1 where it was stored in none of them.
func (c *carry) reads(k *kernel.Kernel, s *kernel.Stmt, a *expr.Access) int {
	return slices.IndexFunc(c.before, func(before []polycount.Affine) bool { return c.is(k, s, a, before) })
}

// is reports that an access of a statement of the loop is to the element of the array with such subscripts.
func (c *carry) is(k *kernel.Kernel, s *kernel.Stmt, a *expr.Access, index []polycount.Affine) bool {
	if !slices.Equal(s.Inames, c.by.Inames) || a.Array != c.by.Target() || len(a.Index) != len(index) {
		return false
	}
	for d, e := range a.Index {
		if at, err := k.AffineOf(e); err != nil || !at.Equal(index[d]) {
			return false
		}
	}
	return true
}

// after reports that a statement stands behind the one that stores.
func (c *carry) after(k *kernel.Kernel, s *kernel.Stmt) bool {
	at := func(id string) int {
		return slices.IndexFunc(k.Statements, func(o *kernel.Stmt) bool { return o.ID == id })
	}
	return at(s.ID) > at(c.by.ID)
}

// in is the kernel with the variables: they are loaded before the loop, and set at the end of an iteration.
func (c *carry) in(k *kernel.Kernel) *kernel.Kernel {
	out := k.Clone()
	variable := func(suffix string) expr.Var {
		name := out.FreshName(c.by.ID + suffix)
		out.Temps = append(out.Temps, &kernel.Array{Name: name, DType: c.dtype, Space: kernel.Private, Shape: []expr.Expr{}})
		return expr.Var{Name: name}
	}
	var last []expr.Var
	for range c.before {
		last = append(last, variable("_last"))
	}
	stored := variable("_stored")
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
			for back, x := range c.initial {
				add(&kernel.Stmt{ID: ofSeveral(out, c.by.ID+"_begin", back), LHS: last[back], RHS: x, Inames: nameset.Remove(slices.Clone(c.by.Inames), c.loop), Predicates: c.runs[back]})
			}
		}
		own := *s
		own.RHS = expr.Rewrite(s.RHS, func(e expr.Expr) expr.Expr {
			if a, ok := e.(*expr.Access); ok {
				if back := c.reads(k, s, a); back >= 0 {
					return last[back]
				}
				if c.after(k, s) && c.is(k, s, a, c.own) {
					return stored
				}
			}
			return e
		})
		if s.ID == c.by.ID {
			add(&kernel.Stmt{ID: out.FreshName(s.ID + "_value"), LHS: stored, RHS: own.RHS, Inames: s.Inames})
			own.RHS = stored
		}
		add(&own)
		if i == final {
			for back := range slices.Backward(last) {
				next := stored
				if back > 0 {
					next = last[back-1]
				}
				add(&kernel.Stmt{ID: ofSeveral(out, c.by.ID+"_end", back), LHS: last[back], RHS: next, Inames: c.by.Inames})
			}
		}
	}
	out.Statements = list
	return out
}

// ofSeveral is a fresh name of one of several.
func ofSeveral(k *kernel.Kernel, base string, back int) string {
	if back > 0 {
		base += fmt.Sprint(back + 1)
	}
	return k.FreshName(base)
}
