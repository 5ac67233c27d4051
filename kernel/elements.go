package kernel

import (
	"fmt"
	"math/big"

	"gpuperf/internal/throw"
	"gpuperf/kernel/expr"
)

// Elements is the number of elements that a buffer for the array needs at the given values of the parameters: one more
// than the flat index of its last element, its offset included; 0 when an axis is empty.
func (a *Array) Elements(params map[string]int64) (_ int64, err error) {
	defer throw.Catch(&err)
	strides := throw.Get(a.Strides())
	total := big.NewInt(1)
	for i, size := range a.Shape {
		if size == nil {
			return 0, fmt.Errorf("the size of axis %d of array %s is unknown", i, a.Name)
		}
		n := throw.Get(expr.EvalInt(size, params))
		if n.Sign() <= 0 {
			return 0, nil
		}
		stride := throw.Get(expr.EvalInt(strides[i], params))
		total.Add(total, stride.Mul(stride, n.Sub(n, big.NewInt(1))))
	}
	if a.Offset != nil {
		offset := throw.Get(expr.EvalInt(a.Offset, params))
		total.Add(total, offset)
	}
	if total.Sign() < 0 || !total.IsInt64() {
		return 0, fmt.Errorf("array %s would have %s elements", a.Name, total)
	}
	return total.Int64(), nil
}
