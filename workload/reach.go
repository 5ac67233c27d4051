package workload

import (
	"maps"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
)

// reach is the outermost extent of an array that its accesses need at sizes: one more than the largest index. 0 where that depends on data, or on what
// the sizes leave out.
func (k *Kernel) reach(a *kernel.Array, at map[string]int64) int64 {
	fixed, err := transform.FixParameters(k.IR, at)
	if err != nil {
		return 0
	}
	fixed.MapArrays(func(x *kernel.Array) {
		if x.Name == a.Name {
			x.Shape = nil
		}
	})
	if err := fixed.InferShapes(); err != nil {
		return 0
	}
	if n, ok := fixed.Array(a.Name).Shape[0].(expr.Int); ok {
		return n.Value
	}
	return 0
}

// Reached adds to the sizes of a case those of open arrays that are not given and that its accesses at the others show.
func (c *Case) Reached() {
	at := c.Sizes
	for _, p := range c.IR.Params() {
		if _, given := at[p]; given {
			continue
		}
		if a := c.OpenArray(p); a != nil {
			if n := c.reach(a, at); n > 0 {
				c.Sizes = maps.Clone(c.Sizes) // others have it, too
				c.Sizes[p] = n
			}
		}
	}
}
