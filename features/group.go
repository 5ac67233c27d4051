package features

import (
	"fmt"
	"math/big"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// localBytes is the local memory of a work-group at the sizes. It limits the resident work-groups of a multiprocessor.
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
