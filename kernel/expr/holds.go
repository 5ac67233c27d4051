package expr

import (
	"fmt"
	"slices"
)

// IsCondition reports whether an expression is made of comparisons, joined by and, or and not.
func IsCondition(e Expr) bool {
	op, ok := e.(*Op)
	switch {
	case !ok:
		return false
	case op.Kind == And || op.Kind == Or || op.Kind == Not:
		return !slices.ContainsFunc(op.Args, func(e Expr) bool { return !IsCondition(e) })
	}
	_, err := Compare(op.Kind, 0)
	return err == nil
}

// Holds reports whether a condition on integers holds.
func Holds(e Expr, at map[string]int64) (bool, error) {
	if !IsCondition(e) {
		return false, fmt.Errorf("expected a comparison of integers such as bx * by <= 512, found %v", e)
	}
	op := e.(*Op)
	switch op.Kind {
	case Not:
		x, err := Holds(op.Args[0], at)
		return !x, err
	case And, Or:
		for _, a := range op.Args {
			if x, err := Holds(a, at); err != nil || x == (op.Kind == Or) {
				return x, err
			}
		}
		return op.Kind == And, nil
	}
	x, err := EvalInt(op.Args[0], at)
	if err != nil {
		return false, err
	}
	y, err := EvalInt(op.Args[1], at)
	if err != nil {
		return false, err
	}
	return Compare(op.Kind, x.Cmp(y))
}

// chosen is the side of a choice that its condition chooses.
func (e *Cond) chosen(at map[string]int64) (Expr, error) {
	holds, err := Holds(e.If, at)
	if holds {
		return e.Then, err
	}
	return e.Else, err
}
