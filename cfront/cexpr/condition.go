package cexpr

import (
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// conjunctions are the disjuncts of a set, each as the conditions that hold in it.
func conjunctions(set *polycount.Set) (all [][]expr.Expr) {
	for _, part := range set.Disjuncts() {
		list, _ := part.Constraints()
		conditions := []expr.Expr{}
		for _, c := range list {
			conditions = append(conditions, comparison(c))
		}
		all = append(all, conditions)
	}
	return all
}

// Predicates are the conditions that together hold in a set.
func Predicates(set *polycount.Set) []expr.Expr {
	if all := conjunctions(set); len(all) == 1 {
		return all[0]
	}
	return []expr.Expr{Disjunction(set)}
}

// Disjunction is the condition that holds in a set.
func Disjunction(set *polycount.Set) expr.Expr {
	var sides []expr.Expr
	for _, all := range conjunctions(set) {
		switch len(all) {
		case 0:
			return expr.Binary(expr.Eq, expr.Int{}, expr.Int{})
		case 1:
			sides = append(sides, all[0])
		default:
			sides = append(sides, &expr.Op{Kind: expr.And, Args: all})
		}
	}
	switch len(sides) {
	case 0:
		return expr.Binary(expr.Lt, expr.Int{}, expr.Int{})
	case 1:
		return sides[0]
	}
	return &expr.Op{Kind: expr.Or, Args: sides}
}

// comparison is a constraint as an expression, with positive terms on both sides.
func comparison(c polycount.Constraint) expr.Expr {
	left, right := polycount.Int(max(c.Affine.Constant(), 0)), polycount.Int(max(-c.Affine.Constant(), 0))
	for _, t := range c.Affine.Terms() {
		x := polycount.Name(t.Name)
		if t.Floor != nil {
			x = t.Floor.Num.FloorDiv(t.Floor.Den)
		}
		if t.Coeff > 0 {
			left = left.AddScaled(t.Coeff, x)
		} else {
			right = right.AddScaled(-t.Coeff, x)
		}
	}
	op := expr.Ge
	switch {
	case c.Equality:
		op = expr.Eq
	case c.Affine.Constant() == -1:
		op, right = expr.Gt, right.AddInt(-1)
	}
	return expr.Binary(op, expr.FromAffine(left), expr.FromAffine(right))
}
