package ckernel

import (
	"math"
	"slices"

	"gpuperf/cfront"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Integers of 32 bits with a sign overflow, which is undefined behaviour (C11, 6.5 (5)); those without a sign wrap around. Numbers here have no
// end, and so what may be beyond its type is noted, to be judged once sizes are given.

// fits notes a number that the source computes in 32 bits.
func (b *builder) fits(x *cfront.Binary, n *expr.Poly) {
	r := &kernel.Range{Place: kernel.Place{File: x.Pos.File, Pos: x.Pos.Pos}, Points: b.live.domain}
	switch {
	case x.Op != "+" && x.Op != "-" && x.Op != "*" && x.Op != "<<", len(b.live.preds) > 0, b.live.dead, b.inTrial(n):
		return
	case x.DType == expr.Int32:
		r.Type, r.Least, r.Most = "int", math.MinInt32, math.MaxInt32
	case x.DType == expr.Uint32: // numbers below 0 stand for those that they are modulo 2^32
		r.Type, r.Least, r.Most, r.Wraps = "unsigned int", -1<<32, math.MaxUint32, true
	default:
		return
	}
	if _, ok := n.Constant(); ok {
		return
	}
	r.Value = b.express(n)
	b.ranges = append(b.ranges, r)
}

// rangesOf are the ranges, each once.
func (b *flow) rangesOf() (out []*kernel.Range) {
	type key struct {
		place kernel.Place
		value string
		at    *polycount.Set
	}
	seen := map[key]bool{}
	for _, r := range b.ranges {
		k := key{r.Place, r.Value.String(), r.Points}
		if seen[k] {
			continue
		}
		seen[k] = true
		r.Inames = slices.DeleteFunc(r.Points.Params(), func(n string) bool { return b.sizes[n] != nil })
		out = append(out, r)
	}
	return out
}
