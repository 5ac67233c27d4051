// Package chain finds loops whose iterations carry values forward by associative operators, and makes nests of them in which parts of their iterations are independent.
//
// Accumulation reads one statement (accumulate.go). Of reads a kernel of one loop (followed.go) as a Recurrence (recurrence.go): its states, and what combines them (state.go), or how a value is a
// fraction of the one before (fraction.go). Nested reads several loops around one sum (nested.go). InChunks makes the nests of one in chunks (launches.go): of what is combined (chunks.go), and of
// fractions (product.go).
package chain

import (
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
)

// Recurrence is a loop each of whose iterations needs what the one before leaves, in states that associative operators combine: sums, products and extremes, and what stands beside an
// extreme, as its place. Parts of it can be made apart from each other and put together then (scan.go).
type Recurrence struct {
	Loop         string
	Lower, Upper polycount.Affine // of the loop, over parameters
	states       []*state
	stores       []store // of an iteration, which read the states before it
	// inside are the loops of each iteration, of a sum that is over several, outermost first; nil elsewhere.
	inside []*scop.Loop
}

// Scans reports that values between the first and the last are needed.
func (c *Recurrence) Scans() bool { return len(c.stores) > 0 }

// Divides reports that the next value is a fraction of the value, so that the values before chunks are found one after the other.
func (c *Recurrence) Divides() bool { return len(c.states) > 0 && c.states[0].fraction != nil }

// Has reports that the loops have a name in their bounds.
func (c *Recurrence) Has(name string) bool {
	return c.Lower.Has(name) || c.Upper.Has(name)
}

// Sums reports that all states are reductions that work-items can share.
func (c *Recurrence) Sums() bool {
	return !slices.ContainsFunc(c.states, func(s *state) bool { return s.kind == "" || s.kind == "fmax" || s.kind == "fmin" })
}

// Values are those of the loop.
func (c *Recurrence) Values() *polycount.Set {
	loop := polycount.Name(c.Loop)
	return polycount.NewSet(nil, []string{c.Loop}, polycount.GE(loop, c.Lower), polycount.GE(c.Upper, loop))
}

// Of finds the recurrence that a kernel of one loop is; nil where it is none. Of idle arrays nobody needs what they hold behind the loop.
func Of(k *kernel.Kernel, idle func(array string) bool) *Recurrence {
	f := &followed{k: k, inames: k.Statements[0].Inames, loop: slices.Clone(k.Statements[0].Inames), at: map[string]expr.Expr{}, now: map[string]expr.Expr{}, raw: map[string]expr.Expr{}, old: map[string]expr.Expr{}}
	if len(f.loop) != 1 || len(k.Domains) != 1 {
		return nil
	}
	c := &Recurrence{Loop: f.loop[0]}
	if !c.bound(k) || !f.places() {
		return nil
	}
	for _, s := range k.Statements {
		if !f.follow(s) {
			return nil
		}
	}
	if !c.findStates(f, idle) {
		return nil
	}
	for _, name := range f.names {
		switch {
		case f.varies(name) && !idle(name):
			c.stores = append(c.stores, store{f.at[name], f.now[name]})
		case !f.varies(name) && f.old[name] == nil && !idle(name):
			return nil
		}
	}
	if !c.Scans() && slices.ContainsFunc(c.states, func(s *state) bool { return s.factor != 0 || s.fraction != nil }) {
		return nil // the last chunk has a power of its own
	}
	return c
}

// bound finds the bounds of the loop, over parameters alone, where it makes all iterations between them, or none: where the loops inside have none.
func (c *Recurrence) bound(k *kernel.Kernel) bool {
	domain, err := k.DomainOf([]string{c.Loop})
	if err != nil {
		return false
	}
	lower, upper, err := domain.Bounds(c.Loop)
	if _, exact := domain.Constraints(); err != nil || !exact || len(lower) != 1 || len(upper) != 1 || lower[0].Den != 1 || upper[0].Den != 1 {
		return false
	}
	if c.Lower, c.Upper = lower[0].Num, upper[0].Num; c.Lower.HasFloor() || c.Upper.HasFloor() {
		return false
	}
	between, _ := c.Values().Constraints()
	if list, _ := domain.Constraints(); c.inside != nil {
		between = append(between, slices.DeleteFunc(slices.Clone(list), func(x polycount.Constraint) bool { return x.Affine.Has(c.Loop) })...)
	}
	all, err := polycount.NewSet(nil, domain.Dims(), between...).Within(domain.Budget()).IsSubset(domain)
	return all && err == nil
}

// findStates finds how the states are combined.
func (c *Recurrence) findStates(f *followed, idle func(string) bool) bool {
	beside := map[string]*state{} // extremes, by their comparisons
	raw := map[*state]expr.Expr{}
	for _, name := range f.names {
		old := f.old[name]
		if old == nil {
			continue
		}
		s := &state{old: old, first: expr.Subst(old, map[string]expr.Expr{c.Loop: expr.FromAffine(c.Lower)})}
		s.dtype, _ = f.k.TypeOf(old)
		if !f.varies(name) && !idle(name) {
			s.last = f.at[name]
		}
		c.states, raw[s] = append(c.states, s), f.raw[name]
		if x, ok := raw[s].(*expr.Cond); ok && s.compares(f.k, x) {
			beside[x.If.String()] = s
		}
	}
	stays := map[*state]bool{} // extremes whose comparisons others need
	for _, s := range c.states {
		x, ok := raw[s].(*expr.Cond)
		if by := (*state)(nil); ok && s.extreme == nil && x.Else.String() == s.old.String() {
			if by = beside[x.If.String()]; by != nil {
				s.extreme, s.term, s.terms, stays[by] = by, x.Then, s.dtype, true
			}
		}
	}
	for _, s := range c.states {
		if !stays[s] && (s.extreme == nil || s.extreme == s) && s.accumulates(f.k, raw[s]) {
			s.extreme = nil
		}
		if s.term == nil && !s.damps(f.k, raw[s]) {
			if len(f.names) > 1 || !s.divided(f.k, raw[s]) {
				return false
			}
			s.extreme, s.kind, s.factor, s.term = nil, "", 0, nil
		}
		if slices.ContainsFunc(s.coefficients(), func(e expr.Expr) bool {
			return reads(e, func(e expr.Expr) bool {
				return slices.ContainsFunc(c.states, func(o *state) bool { return o.old.String() == e.String() })
			})
		}) {
			return false
		}
	}
	return len(c.states) > 0
}

// Loads are how many elements an iteration reads.
func (c *Recurrence) Loads() int {
	seen := map[string]bool{}
	for _, e := range c.states[0].fraction.list() {
		expr.Walk(e, func(e expr.Expr) bool {
			if a, ok := e.(*expr.Access); ok && expr.Mentions(a, c.Loop) {
				seen[a.String()] = true
			}
			return true
		})
	}
	return len(seen)
}

// Waits is how long a work-item takes for an iteration that waits for the one before.
func (c *Recurrence) Waits(division float64) float64 {
	old := c.states[0].old.String()
	return Waits(c.states[0].next, func(e expr.Expr) bool { return e.String() == old }, division)
}

// Waits is how long a work-item takes for an expression of what it waits for, in additions, of which a division takes so many: what follows each other, and a quarter of what there is, as
// instructions that do not wait are issued so much faster.
func Waits(e expr.Expr, old func(expr.Expr) bool, division float64) float64 {
	all := 0.0
	var visit func(e expr.Expr) float64 // 0 where it does not depend on the value
	visit = func(e expr.Expr) (most float64) {
		if old(e) {
			return 1
		}
		var parts []expr.Expr
		takes := 0.0
		switch x := e.(type) {
		case *expr.Op:
			parts = x.Args
			switch x.Kind {
			case expr.Div:
				takes = division
			case expr.Add, expr.Sub: // a product in it is fused
				takes = 1
			case expr.Mul:
				if slices.ContainsFunc(x.Args, func(e expr.Expr) bool {
					o, ok := e.(*expr.Op)
					return ok && (o.Kind == expr.Add || o.Kind == expr.Sub) && reads(o, old)
				}) {
					takes = 1 // no instruction makes a sum and then a product
				}
			}
		case *expr.Cast:
			parts, takes = []expr.Expr{x.Arg}, 1
		case *expr.Call:
			parts, takes = x.Args, division
		case *expr.Access:
			takes = 1
		}
		all += takes
		for _, p := range parts {
			if n := visit(p); n > 0 {
				most = max(most, n+takes)
			}
		}
		return most
	}
	path := visit(e)
	return path + all/4
}
