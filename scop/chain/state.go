package chain

import (
	"math"
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

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
	// fraction is how the next value is made of the value, where it is not by one of these, and next that value.
	fraction *fraction
	next     expr.Expr
	less     func(term, value expr.Expr) expr.Expr // the comparison
}

// store is what an iteration leaves in an element that no other iteration has to do with.
type store struct{ to, value expr.Expr }

// coefficients are the expressions of an iteration that do not depend on the value.
func (s *state) coefficients() []expr.Expr {
	if s.fraction != nil {
		return s.fraction.list()
	}
	return []expr.Expr{s.term}
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

// divided reports that a state is a fraction of itself, in floating-point numbers.
func (s *state) divided(k *kernel.Kernel, value expr.Expr) bool {
	of, err := k.TypeOf(value)
	if err != nil || !s.dtype.IsFloat() || of != expr.Float32 && of != expr.Float64 || of.Size() < s.dtype.Size() {
		return false
	}
	p := parser{k: k, old: s.old.String(), of: of}
	f, ok := p.fraction(value)
	if !ok || f.a == nil && f.c == nil {
		return false
	}
	s.fraction, s.terms, s.next = &f, of, value
	return true
}

// factors are what a chunk has of the state: of a fraction that divides all four, nil for 0; of others their coefficients.
func (s *state) factors() []expr.Expr {
	if f := s.fraction; f != nil && f.divides() {
		return []expr.Expr{f.a, f.b, f.c, f.d}
	}
	return s.coefficients()
}

// stored is a value in the type of the state.
func (s *state) stored(e expr.Expr) expr.Expr {
	if s.terms != s.dtype {
		return &expr.Cast{DType: s.dtype, Arg: e}
	}
	return e
}
