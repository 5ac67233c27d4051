package features

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"

	"gpuperf/kernel/expr"
)

// constraint compares a stride, or another number, with an expression in sizes.
type constraint struct {
	relation string // "=", "<", "<=", ">" or ">="
	bound    expr.Expr
}

func parseConstraint(text string) (constraint, error) {
	relation, rest := cutRelation(text)
	if rest == "" {
		return constraint{}, fmt.Errorf("the constraint lacks its value")
	}
	e, err := expr.Parse(rest)
	if err != nil {
		return constraint{}, fmt.Errorf("%q is no expression", rest)
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

// checkSize reports what in e is not an expression in sizes.
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

// evalSize is the value of an expression that checkSize accepts.
func evalSize(e expr.Expr, sizes map[string]int64) (*big.Int, error) {
	v, err := expr.EvalInt(e, sizes)
	if missing := (*expr.MissingError)(nil); errors.As(err, &missing) {
		return nil, &MissingSizeError{missing.Name}
	}
	return v, err
}

// compareSizes compares two expressions in sizes.
func compareSizes(a, b expr.Expr, sizes map[string]int64) (int, error) {
	if v, ok := expr.EvalInt64(a, sizes); ok {
		if w, ok := expr.EvalInt64(b, sizes); ok {
			return cmp.Compare(v, w), nil
		}
	}
	v, err := evalSize(a, sizes)
	if err != nil {
		return 0, err
	}
	w, err := evalSize(b, sizes)
	if err != nil {
		return 0, err
	}
	return v.Cmp(w), nil
}

// MissingSizeError says which size of a kernel or a constraint has no value.
type MissingSizeError struct{ Name string }

func (e *MissingSizeError) Error() string { return "size " + e.Name + " has no value" }
