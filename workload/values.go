package workload

import (
	"fmt"

	"gpuperf/device"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// sequence is the data of an array whose values the kernel declares, at the sizes of the case; nil for other arrays.
func (c *Case) sequence(array string) (*device.Sequence, error) {
	for _, v := range c.IR.Values {
		if v.Array != array {
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

// sequenceOf reads (a*i + b) // d % m, in which sizes stand for numbers.
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
	if a.HasFloor() {
		return nil, fmt.Errorf("%s divides within a sum or product: divide once, then take one remainder, as in (7*%s + 3) // 2 %% n", v.Value, v.Index)
	}
	s.Mul, s.Add = a.Coeff(v.Index), a.Constant()
	return s, nil
}
