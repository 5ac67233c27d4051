package expr

import "fmt"

// floats are the numbers of double precision, with exact operators: no integer division.
var floats = Domain[float64]{
	Int:   func(v int64) float64 { return float64(v) },
	Float: func(f Float) (float64, error) { return f.Value, nil },
	Unary: func(op OpKind, a float64) (float64, error) {
		if op != Neg {
			return 0, ErrNoValue
		}
		return -a, nil
	},
	Binary: func(op OpKind, a, b float64) (float64, error) {
		switch op {
		case Add:
			return a + b, nil
		case Sub:
			return a - b, nil
		case Mul:
			return a * b, nil
		case Div:
			return a / b, nil
		}
		return 0, ErrNoValue
	},
	Refuse: func(part Expr, _ error) error { return fmt.Errorf("%s is not made of parameters by + - * and /", part) },
}

// EvalFloat evaluates sums, products and quotients of parameters in double precision. A parameter without a value is a
// *[MissingError].
func EvalFloat(e Expr, params map[string]int64) (float64, error) {
	return floats.Eval(e, func(e Expr) (float64, error) {
		switch x := e.(type) {
		case Var:
			if v, ok := params[x.Name]; ok {
				return float64(v), nil
			}
			return 0, &MissingError{x.Name}
		case *Cond:
			side, err := x.chosen(params)
			if err != nil {
				return 0, err
			}
			return EvalFloat(side, params)
		}
		return 0, floats.Refuse(e, ErrNoValue)
	})
}
