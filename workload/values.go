package workload

import (
	"fmt"

	"gpuperf/device"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// sequence is the data of an array whose values the kernel declares, at the sizes of the case; nil for other arrays.
func (c *Case) sequence(array string) (*device.Sequence, error) {
	for _, v := range c.IR.Values {
		if v.Array != array || v.Supposed {
			continue
		}
		s, err := sequenceOf(v, c.Sizes)
		if err != nil {
			return nil, fmt.Errorf("kernel %s: values of %s: %w", c.IR.Name, array, err)
		}
		return s, nil
	}
	return nil, nil
}

// sequenceOf reads + - * // % of the index, in which sizes stand for numbers.
func sequenceOf(v kernel.Values, sizes map[string]int64) (*device.Sequence, error) {
	s := &device.Sequence{}
	e := v.Value
	for _, part := range []struct {
		op   expr.OpKind
		into *int64
	}{{expr.Mod, &s.Mod}, {expr.FloorDiv, &s.Div}} {
		op, ok := e.(*expr.Op)
		if !ok || op.Kind != part.op {
			continue
		}
		n, err := expr.EvalInt(op.Args[1], sizes)
		if err != nil {
			return nil, err
		}
		if n.Sign() <= 0 || !n.IsInt64() {
			return nil, fmt.Errorf("the divisor %s is %s", op.Args[1], n)
		}
		*part.into, e = n.Int64(), op.Args[0]
	}
	by := map[string]expr.Expr{}
	for name, n := range sizes {
		if name != v.Index {
			by[name] = expr.Int{Value: n}
		}
	}
	a, err := expr.ToAffine(expr.Subst(e, by), func(name string) bool { return name == v.Index })
	if err != nil {
		return nil, err
	}
	s.Mul, s.Add, s.Terms = terms(a)
	return s, nil
}

// terms takes an affine form of one variable apart.
func terms(a polycount.Affine) (mul, add int64, quotients []device.Term) {
	for _, t := range a.Terms() {
		if t.Floor == nil {
			mul = t.Coeff
			continue
		}
		q := device.Sequence{Div: t.Floor.Den}
		q.Mul, q.Add, q.Terms = terms(t.Floor.Num)
		quotients = append(quotients, device.Term{Times: t.Coeff, Of: q})
	}
	return mul, a.Constant(), quotients
}
