package ckernel

import (
	ones "math/bits"

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
