package ckernel

import (
	"math"
	ones "math/bits"
	"slices"

	"gpuperf/cfront"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// maxRuns bounds the runs of ones in a number whose bits an operator takes: each is a quotient and a remainder.
const maxRuns = 4

// bitwise is &, | or ^ of a number and a constant, in two's complement. All are made of &, which takes runs of bits out of a number:
// x | w is x + w - (x & w), and x ^ w is x + w - 2*(x & w).
func (b *position) bitwise(op string, p *expr.Poly, w int64) (*expr.Poly, bool) {
	mask := w
	if w < 0 {
		mask = ^w
	}
	if ones.OnesCount64(uint64(mask&^(mask<<1))) > maxRuns || mask >= 1<<40 {
		return nil, false
	}
	both, ok := b.inPieces(p, func(_ *expr.Poly, a polycount.Affine) *expr.Poly { return b.fromAffine(b.masked(a, mask)) })
	if !ok {
		return nil, false
	}
	if w < 0 {
		both = minus(p, both)
	}
	switch op {
	case "|":
		return minus(p.Add(constant(w)), both), true
	case "^":
		return minus(p.Add(constant(w)), both.Scale(2)), true
	}
	return both, true
}

// masked is a & mask, for a mask that is not negative.
func (b *position) masked(a polycount.Affine, mask int64) (out polycount.Affine) {
	for mask != 0 {
		from := ones.TrailingZeros64(uint64(mask))
		length := ones.TrailingZeros64(^uint64(mask >> from))
		part := a
		if from > 0 {
			part = b.floorDiv(a, 1<<from)
		}
		out = out.AddScaled(1<<from, part).AddScaled(-1<<(from+length), b.floorDiv(part, 1<<length))
		mask &^= (1<<length - 1) << from
	}
	return out
}

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
