package rules

import "gpuperf/lift"

// Rules for scans: a scan of chunks, each of which begins with what the chunks before it reduce to (Blelloch, "Prefix sums and their applications", 1990).

func addScans() {
	chunks := func(name, of string) Rule {
		return Rule{
			Name: name, Left: of + "(f, z) $ xs",
			Right: "join o map(fun(p => " + of + "(f, get(0, p)) $ get(1, p))) $ zip(scanBefore(f, z) o join o map(reduce(f, z)) o split(n) $ xs, split(n) $ xs)",
			Types: "xs: [A]N", Params: []Param{{"n", Length}}, Where: foldable,
		}
	}
	add(
		Rule{Name: "scanSeq", Left: "scan(f, z) $ xs", Right: "scanSeq(f, z) $ xs", Types: "xs: [A]N"},
		Rule{Name: "scanBeforeSeq", Left: "scanBefore(f, z) $ xs", Right: "scanBeforeSeq(f, z) $ xs", Types: "xs: [A]N"},
		chunks("scanSplit", "scan"),
		chunks("scanBeforeSplit", "scanBefore"),
		Rule{
			Name:  "scanSplitFrom",
			Left:  "scan(f, z) $ xs",
			Right: "join o map(fun(p => scan(f, get(0, p)) $ get(1, p))) $ zip(scanBefore(f, z) o join o map(reduce(f, e)) o split(n) $ xs, split(n) $ xs)   (e the neutral element of f; also scanBefore)",
			Types: "xs: [A]N", Params: []Param{{"n", Length}}, on: lift.Set(lift.Scan, lift.ScanBefore), code: scanSplitFrom,
		},
		Rule{Name: "scanRow", Left: "scan(f, z) $ xs", Right: "join o map(scan(f, z)) o split(N) $ xs", Types: "xs: [A]N"},
		Rule{Name: "scanBeforeRow", Left: "scanBefore(f, z) $ xs", Right: "join o map(scanBefore(f, z)) o split(N) $ xs", Types: "xs: [A]N"},
		Rule{Name: "scanMapFusion", Left: "scanSeq(f, z) o mapSeq(g) $ xs", Right: "scanSeq(fun(a, y => f(a, g(y))), z) $ xs", Types: "xs: [A]N"},
		Rule{Name: "scanBeforeMapFusion", Left: "scanBeforeSeq(f, z) o mapSeq(g) $ xs", Right: "scanBeforeSeq(fun(a, y => f(a, g(y))), z) $ xs", Types: "xs: [A]N"},
	)
}

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
