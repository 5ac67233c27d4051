package features

import (
	"fmt"
	"math/big"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// localBytes is the local memory that a work-group takes at the sizes: with its size it bounds how many a multiprocessor holds.
func (s *Statistics) localBytes(_ *class, _ ID, at point) (float64, error) {
	sum := new(big.Int)
	for _, a := range s.c.k.Temps {
		if s.c.k.SpaceOf(a.Name) != kernel.Local {
			continue
		}
		bytes := big.NewInt(a.DType.Size())
		for _, extent := range a.Shape {
			n, err := expr.EvalInt(extent, at.sizes)
			if err != nil {
				return 0, fmt.Errorf("local array %s: %w", a.Name, err)
			}
			bytes.Mul(bytes, n)
		}
		sum.Add(sum, bytes)
	}
	v, _ := new(big.Float).SetInt(sum).Float64()
	return v, nil
}
