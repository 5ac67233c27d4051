package cfront

import (
	"iter"
	"slices"
)

// All yields an expression and what is in it, an operation before its operands.
func All(e Expr) iter.Seq[Expr] {
	return func(yield func(Expr) bool) { all(e, yield) }
}

func all(e Expr, yield func(Expr) bool) (goesOn bool) {
	if e == nil {
		return true
	}
	if !yield(e) {
		return false
	}
	for _, o := range Operands(e) {
		if !all(o, yield) {
			return false
		}
	}
	return true
}

// Any reports whether something holds for an expression, or for one in it.
func Any(e Expr, is func(Expr) bool) bool { return !all(e, func(e Expr) bool { return !is(e) }) }

// Statements yields a statement and those in it.
func Statements(s Stmt) iter.Seq[Stmt] {
	return func(yield func(Stmt) bool) { within(s, yield) }
}

func within(s Stmt, yield func(Stmt) bool) (goesOn bool) {
	if s == nil {
		return true
	}
	if !yield(s) {
		return false
	}
	inner, _ := Inside(s)
	return !slices.ContainsFunc(inner, func(s Stmt) bool { return !within(s, yield) })
}

// Everywhere yields the expressions in a statement and in those inside of it, each as All does.
func Everywhere(s Stmt) iter.Seq[Expr] {
	return func(yield func(Expr) bool) {
		for s := range Statements(s) {
			_, exprs := Inside(s)
			for _, e := range exprs {
				if !all(e, yield) {
					return
				}
			}
		}
	}
}

// IsVar reports whether an expression is a variable.
func IsVar(e Expr, v *Var) bool {
	r, ok := e.(*Ref)
	return ok && r.Var == v
}

// Mentions reports whether a variable is in an expression.
func Mentions(e Expr, v *Var) bool { return Any(e, func(e Expr) bool { return IsVar(e, v) }) }

// Whole is the variable that an expression is a part of: an element, a member. It is nil for others.
func Whole(e Expr) *Var {
	switch x := e.(type) {
	case *Ref:
		return x.Var
	case *Index:
		return Whole(x.Of)
	case *Member:
		return Whole(x.X)
	}
	return nil
}
