// Package chain finds loops whose iterations carry values forward by associative operators, and makes nests of them in which parts of their iterations are independent.
//
// Accumulation reads one statement (accumulate.go). Of reads a kernel of one loop as a Recurrence: its states, and what combines them (recurrence.go). Nested does so of several
// loops around one sum (nested.go). InChunks makes the nests of one in chunks (chunks.go, nest.go).
package chain

import (
	"math"
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

// state is what an iteration leaves for the next one.
type state struct {
	old   expr.Expr // the value before an iteration, as stores read it
	first expr.Expr // the value before the loop
	last  expr.Expr // where the value behind the loop is to be; nil: nowhere
	dtype expr.DType
	// term is what an iteration has to combine, and terms the type of what several are together.
	term  expr.Expr
	terms expr.DType
	// factor is by what the value is multiplied before the term is added to it, in a recurrence of first order; 0 in others.
	factor float64
	// kind is that of a reduction, and join combines a value with what several terms of it are together. Of others, extreme is the state whose comparison decides whether the term
	// takes the place of the value: itself, or another one that this stands beside.
	kind    string
	join    func(value, terms expr.Expr) expr.Expr
	extreme *state
	less    func(term, value expr.Expr) expr.Expr // the comparison
}

// store is what an iteration leaves in an element that no other iteration has to do with.
type store struct{ to, value expr.Expr }

// Scans reports that values between the first and the last are needed.
func (c *Recurrence) Scans() bool { return len(c.stores) > 0 }

// Sums reports that all states are reductions that work-items can share.
func (c *Recurrence) Sums() bool {
	return !slices.ContainsFunc(c.states, func(s *state) bool { return s.kind == "" || s.kind == "fmax" || s.kind == "fmin" })
}

// Values are those of the loop.
func (c *Recurrence) Values() *polycount.Set {
	loop := polycount.Name(c.Loop)
	return polycount.NewSet(nil, []string{c.Loop}, polycount.GE(loop, c.Lower), polycount.GE(c.Upper, loop))
}

// mostNodes of an expression: what statements hand over within an iteration is written out where it is read.
const mostNodes = 100

// Of finds the recurrence that a kernel of one loop is; nil where it is none. Of idle arrays nobody needs what they hold behind the loop.
func Of(k *kernel.Kernel, idle func(array string) bool) *Recurrence {
	f := &followed{k: k, loop: k.Statements[0].Inames, at: map[string]expr.Expr{}, now: map[string]expr.Expr{}, raw: map[string]expr.Expr{}, old: map[string]expr.Expr{}}
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
	if !c.Scans() && slices.ContainsFunc(c.states, func(s *state) bool { return s.factor != 0 }) {
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
	all, err := polycount.NewSet(nil, []string{c.Loop}, between...).Within(domain.Budget()).IsSubset(domain)
	return all && err == nil
}

// followed are the statements of an iteration, as what they leave in terms of what was there before it.
type followed struct {
	k     *kernel.Kernel
	loop  []string
	names []string             // of what is stored, in the order of the text
	at    map[string]expr.Expr // of each: the element
	now   map[string]expr.Expr // its value, and raw that before it is converted to the type of the element
	raw   map[string]expr.Expr
	old   map[string]expr.Expr // what it was in the iteration before, where that is read
}

func (f *followed) varies(name string) bool { return expr.Mentions(f.at[name], f.loop[0]) }

// places finds what is stored: of each array one element in an iteration, which is the same in all iterations or another in each.
func (f *followed) places() bool {
	for _, s := range f.k.Statements {
		if s.LHS == nil || s.Atomic || len(s.Predicates) > 0 || !slices.Equal(s.Inames, f.loop) || len(s.ReductionInames()) > 0 {
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
		if s.term == nil && !s.damps(f.k, raw[s]) || reads(s.term, func(e expr.Expr) bool {
			return slices.ContainsFunc(c.states, func(o *state) bool { return o.old.String() == e.String() })
		}) {
			return false
		}
	}
	return len(c.states) > 0
}

// compares reports that a state is an extreme: a term takes its place where a comparison of the two holds. Terms that are rounded when they take it would be compared with more digits than
// extremes of several.
func (s *state) compares(k *kernel.Kernel, x *expr.Cond) bool {
	test, ok := x.If.(*expr.Op)
	if !ok || !slices.Contains([]expr.OpKind{expr.Lt, expr.Le, expr.Gt, expr.Ge}, test.Kind) || x.Else.String() != s.old.String() {
		return false
	}
	left, right, old := test.Args[0], test.Args[1], s.old.String()
	of, err := k.TypeOf(x.Then)
	if err != nil || of != s.dtype || !of.IsFloat() && !of.IsInteger() {
		return false
	}
	switch then := x.Then.String(); {
	case left.String() == then && right.String() == old:
		s.less = func(term, value expr.Expr) expr.Expr { return expr.Binary(test.Kind, term, value) }
	case right.String() == then && left.String() == old:
		s.less = func(term, value expr.Expr) expr.Expr { return expr.Binary(test.Kind, value, term) }
	default:
		return false
	}
	s.extreme, s.term, s.terms = s, x.Then, s.dtype
	return true
}

// accumulates reports that a state is a reduction.
func (s *state) accumulates(k *kernel.Kernel, value expr.Expr) bool {
	as := &kernel.Stmt{LHS: s.old, RHS: value}
	a := Accumulation(as)
	if a == nil {
		return s.bounds(k, value)
	}
	term := a.Converted(k, as)
	if term == nil {
		return false
	}
	s.kind, s.term = a.Kind, term
	s.terms, _ = k.TypeOf(term)
	s.join = func(value, terms expr.Expr) expr.Expr {
		return swapped(a.With(terms), map[string]expr.Expr{s.old.String(): value})
	}
	return true
}

// bounds reports that a state is fmax or fmin of itself and a term. Rounding keeps the order of terms, so that they may be rounded before.
func (s *state) bounds(k *kernel.Kernel, value expr.Expr) bool {
	x, ok := value.(*expr.Call)
	if !ok || x.Func != "fmax" && x.Func != "fmin" {
		return false
	}
	i := slices.IndexFunc(x.Args, func(e expr.Expr) bool { return e.String() == s.old.String() })
	if i < 0 || !s.dtype.IsFloat() {
		return false
	}
	term := x.Args[1-i]
	of, err := k.TypeOf(term)
	if err != nil || !of.IsFloat() {
		return false
	}
	if of != s.dtype {
		term = &expr.Cast{DType: s.dtype, Arg: term}
	}
	s.kind, s.term, s.terms = x.Func, term, s.dtype
	s.join = func(value, term expr.Expr) expr.Expr { return &expr.Call{Func: x.Func, Args: []expr.Expr{value, term}} }
	return true
}

// damps reports that a state is multiplied by a number of at most 1, whose powers stay as small, and a term added to it.
func (s *state) damps(k *kernel.Kernel, value expr.Expr) bool {
	of, err := k.TypeOf(value)
	if err != nil || !of.IsFloat() || !s.dtype.IsFloat() {
		return false
	}
	factor, rest := 0.0, expr.Expr(nil)
	for _, a := range addends(value, false) {
		switch {
		case !reads(a.of, func(e expr.Expr) bool { return e.String() == s.old.String() }):
			rest = a.behind(rest)
		case factor != 0:
			return false
		default:
			if factor = s.times(a.of); a.minus {
				factor = -factor
			}
		}
	}
	if rest == nil || factor == 0 || math.Abs(factor) > 1 {
		return false
	}
	s.factor, s.term, s.terms = factor, rest, of
	s.join = func(v, term expr.Expr) expr.Expr { return damped(factor, of, v, term) }
	return true
}

// damped is factor·value + term, with a factor of a type.
func damped(factor float64, of expr.DType, value, term expr.Expr) expr.Expr {
	return expr.Binary(expr.Add, expr.Binary(expr.Mul, expr.Float{Value: factor, DType: of}, value), term)
}

// power is that of a factor of at most 1, and no 0: of a value that is infinite a chunk leaves one that is, too.
func power(factor float64, of expr.DType, n int64) float64 {
	least := 0x1p-1022
	if of == expr.Float32 {
		least = 0x1p-126
	}
	p := math.Pow(factor, float64(n))
	return math.Copysign(max(math.Abs(p), least), p)
}

// times is by what number an expression multiplies the old value; 0 where it does something else.
func (s *state) times(e expr.Expr) float64 {
	switch x := e.(type) {
	case *expr.Op:
		if x.Kind != expr.Mul {
			break
		}
		product := 1.0
		olds := 0
		for _, a := range x.Args {
			switch n := a.(type) {
			case expr.Float:
				product *= n.Value
				continue
			case expr.Int:
				product *= float64(n.Value)
				continue
			}
			product *= s.times(a)
			olds++
		}
		if olds == 1 {
			return product
		}
		return 0
	}
	if e.String() == s.old.String() {
		return 1
	}
	return 0
}

// addend is a part of a sum.
type addend struct {
	of    expr.Expr
	minus bool
}

func addends(e expr.Expr, minus bool) (all []addend) {
	if x, ok := e.(*expr.Op); ok && (x.Kind == expr.Add || x.Kind == expr.Sub || x.Kind == expr.Neg) {
		for i, a := range x.Args {
			all = append(all, addends(a, minus != (x.Kind == expr.Neg || x.Kind == expr.Sub && i > 0))...)
		}
		return all
	}
	return []addend{{e, minus}}
}

// behind is a sum with an addend more.
func (a addend) behind(sum expr.Expr) expr.Expr {
	switch {
	case sum == nil && a.minus:
		return &expr.Op{Kind: expr.Neg, Args: []expr.Expr{a.of}}
	case sum == nil:
		return a.of
	case a.minus:
		return expr.Binary(expr.Sub, sum, a.of)
	}
	return expr.Binary(expr.Add, sum, a.of)
}

// swapped has other expressions in the place of parts, by their texts.
func swapped(e expr.Expr, by map[string]expr.Expr) expr.Expr {
	if to, ok := by[e.String()]; ok {
		return to
	}
	return expr.MapChildren(e, func(e expr.Expr) expr.Expr { return swapped(e, by) })
}
