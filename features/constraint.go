package features

import (
	"cmp"
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

// holds reports whether a value stands in the relation to the bound, given how the two compare.
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

// sizeOperators are the operators that expressions in sizes may use.
var sizeOperators = map[expr.OpKind]func(a, b *big.Int) *big.Int{
	expr.Add: func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) },
	expr.Sub: func(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) },
	expr.Mul: func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) },
	expr.Min: func(a, b *big.Int) *big.Int {
		if a.Cmp(b) < 0 {
			return a
		}
		return b
	},
	expr.Max: func(a, b *big.Int) *big.Int {
		if a.Cmp(b) > 0 {
			return a
		}
		return b
	},
	expr.FloorDiv: func(a, b *big.Int) *big.Int {
		q, m := new(big.Int).QuoRem(a, b, new(big.Int))
		if m.Sign() != 0 && m.Sign() != b.Sign() {
			q.Sub(q, big.NewInt(1))
		}
		return q
	},
	expr.Mod: func(a, b *big.Int) *big.Int {
		m := new(big.Int).Rem(a, b)
		if m.Sign() != 0 && m.Sign() != b.Sign() {
			m.Add(m, b)
		}
		return m
	},
}

// checkSize reports what in e is not an expression in sizes.
func checkSize(e expr.Expr) error {
	var err error
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case expr.Int, expr.Var:
		case *expr.Op:
			if sizeOperators[x.Kind] == nil && x.Kind != expr.Neg && err == nil {
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
func sizeNames(e expr.Expr) []string {
	var names []string
	expr.Walk(e, func(x expr.Expr) bool {
		if v, ok := x.(expr.Var); ok {
			names = append(names, v.Name)
		}
		return true
	})
	return names
}

// evalSize is the value of an expression that checkSize accepts.
func evalSize(e expr.Expr, sizes map[string]int64) (*big.Int, error) {
	switch x := e.(type) {
	case expr.Int:
		return big.NewInt(x.Value), nil
	case expr.Var:
		v, ok := sizes[x.Name]
		if !ok {
			return nil, &MissingSizeError{x.Name}
		}
		return big.NewInt(v), nil
	case *expr.Op:
		sum, err := evalSize(x.Args[0], sizes)
		if err != nil {
			return nil, err
		}
		if x.Kind == expr.Neg {
			return new(big.Int).Neg(sum), nil
		}
		for _, arg := range x.Args[1:] {
			v, err := evalSize(arg, sizes)
			if err != nil {
				return nil, err
			}
			if (x.Kind == expr.FloorDiv || x.Kind == expr.Mod) && v.Sign() == 0 {
				return nil, fmt.Errorf("%s divides by zero", x)
			}
			sum = sizeOperators[x.Kind](sum, v)
		}
		return sum, nil
	}
	return nil, fmt.Errorf("%s is not an integer expression in sizes", e)
}

// smallSize is evalSize for the values of practice, without allocation: ok is false where a number may need more than 64
// bits, where there is an operator beyond sums and products, and for errors.
func smallSize(e expr.Expr, sizes map[string]int64) (v int64, ok bool) {
	const limit = 1 << 31
	switch x := e.(type) {
	case expr.Int:
		return x.Value, -limit < x.Value && x.Value < limit
	case expr.Var:
		v, ok = sizes[x.Name]
		return v, ok && -limit < v && v < limit
	case *expr.Op:
		if x.Kind != expr.Add && x.Kind != expr.Sub && x.Kind != expr.Mul {
			return 0, false
		}
		for i, arg := range x.Args {
			w, ok := smallSize(arg, sizes)
			if !ok || w <= -limit || w >= limit || v <= -limit || v >= limit {
				return 0, false
			}
			switch {
			case i == 0:
				v = w
			case x.Kind == expr.Add:
				v += w
			case x.Kind == expr.Sub:
				v -= w
			default:
				v *= w
			}
		}
		return v, true
	}
	return 0, false
}

// compareSizes compares two expressions in sizes.
func compareSizes(a, b expr.Expr, sizes map[string]int64) (int, error) {
	if v, ok := smallSize(a, sizes); ok {
		if w, ok := smallSize(b, sizes); ok {
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
