package rules

import "gpuperf/lift"

// Rules for scans: a scan of chunks, each of which begins with what the chunks before it reduce to (Blelloch, "Prefix sums and their applications", 1990).

// scanSplitFrom is the split of a scan that begins with any element, such as one in a chunk of another.
func scanSplitFrom(m *Match) *lift.Term {
	t := m.Term
	f, z, xs := t.Kids[0], t.Kids[1], t.Kids[2]
	op, width := operation(f)
	if op == nil || width > 0 || !op.Associative || op.Neutral == nil {
		return nil
	}
	chunks := lift.SplitOf(m.Sizes["n"], xs)
	if chunks.Err() != nil {
		return chunks
	}
	parts := lift.JoinOf(lift.Of(lift.Map, lift.Fn1(chunks.Type.Elem, func(c *lift.Term) *lift.Term { return lift.Of(lift.Reduce, f, op.Neutral, c) }), chunks))
	pairs := lift.Of(lift.Zip, lift.Of(lift.ScanBefore, f, z, parts), chunks)
	if pairs.Err() != nil {
		return pairs
	}
	return lift.JoinOf(lift.Of(lift.Map, lift.Fn1(pairs.Type.Elem, func(p *lift.Term) *lift.Term {
		return lift.Of(t.Op, f, lift.GetOf(0, p), lift.GetOf(1, p))
	}), pairs))
}
