package expr

import (
	"fmt"
	"math/big"
)

// intOps are the operators of integer expressions; Euclid's division of math/big is not the floor division of the IR.
var intOps = map[OpKind]func(x, y *big.Int) *big.Int{
	Add: func(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) },
	Sub: func(x, y *big.Int) *big.Int { return new(big.Int).Sub(x, y) },
	Mul: func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) },
	FloorDiv: func(x, y *big.Int) *big.Int {
		q, r := new(big.Int).QuoRem(x, y, new(big.Int))
		if r.Sign()*y.Sign() < 0 {
			q.Sub(q, big.NewInt(1))
		}
		return q
	},
	Mod: func(x, y *big.Int) *big.Int {
		r := new(big.Int).Rem(x, y)
		if r.Sign()*y.Sign() < 0 {
			r.Add(r, y)
		}
		return r
	},
	Min: func(x, y *big.Int) *big.Int {
		if x.Cmp(y) <= 0 {
			return x
		}
		return y
	},
	Max: func(x, y *big.Int) *big.Int {
		if x.Cmp(y) >= 0 {
			return x
		}
		return y
	},
}

// EvalInt evaluates an integer expression over parameters, such as the size of an axis, exactly.
func EvalInt(e Expr, params map[string]int64) (*big.Int, error) {
	switch e := e.(type) {
	case Int:
		return big.NewInt(e.Value), nil
	case Var:
		v, ok := params[e.Name]
		if !ok {
			return nil, fmt.Errorf("no value is given for %s", e.Name)
		}
		return big.NewInt(v), nil
	case *Op:
		var values []*big.Int
		for _, arg := range e.Args {
			v, err := EvalInt(arg, params)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
		if e.Kind == Neg {
			return values[0].Neg(values[0]), nil
		}
		apply, ok := intOps[e.Kind]
		if !ok {
			break
		}
		result := values[0]
		for _, v := range values[1:] {
			if (e.Kind == FloorDiv || e.Kind == Mod) && v.Sign() == 0 {
				return nil, fmt.Errorf("%s divides by zero", e)
			}
			result = apply(result, v)
		}
		return result, nil
	}
	return nil, fmt.Errorf("%s is not an integer expression over parameters", e)
}
