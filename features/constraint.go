package features

import (
	"cmp"
	"fmt"

	"gpuperf/kernel/expr"
)

// constraint compares a stride, or another number, with an expression in sizes.
type constraint struct {
	relation string    // "=", "<", "<=", ">" or ">="
	bound    expr.Expr // nil for "?", strides that are not constant, and "!?", those that are
}

func parseConstraint(text string) (constraint, error) {
	relation, rest := cutRelation(text)
	switch text {
	case Varying:
		return constraint{"=", nil}, nil
	case "!" + Varying:
		return constraint{"!=", nil}, nil
	}
	if rest == "" {
		return constraint{}, fmt.Errorf("the constraint lacks its value")
	}
	e, err := expr.Parse(rest)
	if err != nil {
		return constraint{}, fmt.Errorf("%q is not an expression", rest)
	}
	if err := checkSize(e); err != nil {
		return constraint{}, err
	}
	return constraint{relation, e}, nil
}

// holds reports whether a relation between a value and a bound holds, given how the two compare.
func holds(relation string, order int) bool {
	switch relation {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	}
	return order == 0
}

// checkSize returns an error for a part of e that is not an integer expression in sizes.
func checkSize(e expr.Expr) error {
	var err error
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case expr.Int, expr.Var:
		case *expr.Op:
			if !expr.IsIntOp(x.Kind) && err == nil {
				err = fmt.Errorf("operator %s is not for sizes", x.Kind)
			}
		default:
			if err == nil {
				err = fmt.Errorf("%s is not an integer expression in sizes", x)
			}
		}
		return err == nil
	})
	return err
}

// sizeNames are the names in an expression in sizes.
func sizeNames(e expr.Expr) (names []string) {
	expr.FreeVars(e, func(name string) { names = append(names, name) })
	return names
}

// compareSizes compares two expressions in sizes.
func compareSizes(a, b expr.Expr, sizes map[string]int64) (int, error) {
	if v, ok := expr.EvalInt64(a, sizes); ok {
		if w, ok := expr.EvalInt64(b, sizes); ok {
			return cmp.Compare(v, w), nil
		}
	}
	v, err := expr.EvalInt(a, sizes)
	if err != nil {
		return 0, err
	}
	w, err := expr.EvalInt(b, sizes)
	if err != nil {
		return 0, err
	}
	return v.Cmp(w), nil
}
