package frontend

import (
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// innerBytes are those of an array for each index along its outermost dimension.
func innerBytes(a *kernel.Array, at map[string]int64) int64 {
	bytes := a.DType.Size()
	for _, e := range a.Shape[1:] {
		one, _ := expr.EvalInt64(e, at)
		bytes *= max(one, 1)
	}
	return bytes
}

// Extent is the outermost extent of an array that the kernel does not tell, at sizes; 0 where nobody says it.
func (k *Kernel) Extent(a *kernel.Array, at map[string]int64) int64 {
	if a == nil || k.extent == nil {
		return 0
	}
	return k.extent(a, at)
}
