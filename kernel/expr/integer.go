package expr

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"gpuperf/internal/intmath"
)

// Errors of integer arithmetic.
var (
	ErrTooLarge    = errors.New("the value needs more than 64 bits")
	ErrZeroDivisor = errors.New("division by zero")
)

// MissingError names a variable of an expression that has no value.
type MissingError struct{ Name string }

func (e *MissingError) Error() string { return "no value is given for " + e.Name }

// IntOp applies an operator of integer arithmetic to numbers of 64 bits: sums, products, quotients and remainders rounded
// down, least and greatest values. It fails with ErrTooLarge, ErrZeroDivisor, or ErrNoValue for other operators.
func IntOp(op OpKind, x, y int64) (int64, error) {
	switch op {
	case Add:
		if sum := x + y; (sum > x) == (y > 0) {
			return sum, nil
		}
		return 0, ErrTooLarge
	case Sub:
		if diff := x - y; (diff < x) == (y > 0) {
			return diff, nil
		}
		return 0, ErrTooLarge
	case Mul:
		if product := x * y; x == 0 || product/x == y && !(x == -1 && y == math.MinInt64) {
			return product, nil
		}
		return 0, ErrTooLarge
	case FloorDiv, Mod:
		switch {
		case y == 0:
			return 0, ErrZeroDivisor
		case op == Mod:
			return intmath.Mod(x, y), nil
		case y == -1 && x == math.MinInt64:
			return 0, ErrTooLarge
		}
		return intmath.FloorDiv(x, y), nil
	case Min:
		return min(x, y), nil
	case Max:
		return max(x, y), nil
	}
	return 0, ErrNoValue
}

// IsIntOp reports whether the operator is one of integer arithmetic: those of IntOp, and Neg.
func IsIntOp(op OpKind) bool {
	_, err := IntOp(op, 1, 1)
	return err == nil || op == Neg
}

// integers are the numbers of 64 bits.
var integers = Domain[int64]{
	Int:    func(v int64) int64 { return v },
	Binary: IntOp,
	Unary: func(op OpKind, a int64) (int64, error) {
		if op != Neg {
			return 0, ErrNoValue
		}
		return IntOp(Sub, 0, a)
	},
}

// bigIntegers are those of any size.
var bigIntegers = Domain[*big.Int]{
	Int: big.NewInt,
	Unary: func(op OpKind, a *big.Int) (*big.Int, error) {
		if op != Neg {
			return nil, ErrNoValue
		}
		return new(big.Int).Neg(a), nil
	},
	Binary: func(op OpKind, x, y *big.Int) (*big.Int, error) {
		z := new(big.Int)
		switch op {
		case Add:
			return z.Add(x, y), nil
		case Sub:
			return z.Sub(x, y), nil
		case Mul:
			return z.Mul(x, y), nil
		case FloorDiv, Mod:
			if y.Sign() == 0 {
				return nil, ErrZeroDivisor
			}
			// Euclid's division of math/big rounds up for negative divisors.
			q, r := z.QuoRem(x, y, new(big.Int))
			if r.Sign()*y.Sign() < 0 {
				q.Sub(q, big.NewInt(1))
				r.Add(r, y)
			}
			if op == Mod {
				return r, nil
			}
			return q, nil
		case Min, Max:
			if (x.Cmp(y) < 0) == (op == Min) {
				return x, nil
			}
			return y, nil
		}
		return nil, ErrNoValue
	},
	Refuse: func(part Expr, why error) error {
		if errors.Is(why, ErrZeroDivisor) {
			return fmt.Errorf("%s divides by zero", part)
		}
		return fmt.Errorf("%s is not an integer expression over parameters", part)
	},
}

// EvalInt64 is the value of an integer expression over parameters, without allocation. It is false where a part of the
// expression needs more than 64 bits, and where [EvalInt] fails.
func EvalInt64(e Expr, params map[string]int64) (v int64, ok bool) {
	v, err := integers.Eval(e, func(e Expr) (int64, error) {
		switch x := e.(type) {
		case Var:
			if v, ok := params[x.Name]; ok {
				return v, nil
			}
		case *Cond:
			if side, err := x.chosen(params); err == nil {
				if v, ok := EvalInt64(side, params); ok {
					return v, nil
				}
			}
		}
		return 0, ErrNoValue
	})
	return v, err == nil
}

// EvalInt evaluates an integer expression over parameters, such as the size of an axis, exactly. A parameter without a
// value is a *[MissingError].
func EvalInt(e Expr, params map[string]int64) (*big.Int, error) {
	if v, ok := EvalInt64(e, params); ok {
		return big.NewInt(v), nil
	}
	return bigIntegers.Eval(e, func(e Expr) (*big.Int, error) {
		switch x := e.(type) {
		case Var:
			if v, ok := params[x.Name]; ok {
				return big.NewInt(v), nil
			}
			return nil, &MissingError{x.Name}
		case *Cond:
			side, err := x.chosen(params)
			if err != nil {
				return nil, err
			}
			return EvalInt(side, params)
		}
		return nil, bigIntegers.Refuse(e, ErrNoValue)
	})
}
