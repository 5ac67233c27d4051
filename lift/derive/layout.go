package derive

import (
	"fmt"

	"gpuperf/internal/intmath"
	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// layouts are recipes of a product whose operands are copied to local memory in vectors, in padded rows, and read from there in
// vectors: of its r rows and c columns a work-item has as many next to each other as a vector has, the next ones as far away as all
// work-items have theirs. Of each step of k, o are written out.
func (e *explorer) layouts(p *product) (list []*recipe) {
	lanes := 16 / p.bytes
	sides := []int64{32, 64, 128, 256}
	numbers := []number{
		{"t", dividing(p.rows, sides)},
		{"v", dividing(p.cols, sides)},
		{"r", []int64{4, 8, 16}},
		{"c", []int64{4, 8, 16}},
		{"k", dividing(p.depth, []int64{8, 16, 32})},
		{"o", []int64{1, 8, 16}},
		{"n", []int64{lanes}},
		{"p", []int64{0, 4}},
	}
	for _, n := range numbers {
		if len(n.values) == 0 {
			return nil
		}
	}
	for _, i := range []int{alongRows, alongDepth} {
		for _, j := range []int{alongRows, alongDepth} {
			for _, area := range []int64{16, 32, 64, 128} {
				for _, items := range []int64{64, 128, 256, 512} {
					r := e.layout(p, i, j, area, items)
					r.numbers = numbers
					if e.possible(r) {
						list = append(list, r)
					}
				}
			}
		}
	}
	return list
}

// layout is the recipe for blocks of an area and work-groups of so many items, where columns and rows are copied in the ways i and j.
func (e *explorer) layout(p *product, i, j int, area, items int64) *recipe {
	return &recipe{
		name: phrase("tiles of t by v", fmt.Sprintf("blocks of r by c (%d)", area), fmt.Sprintf("groups of %d", items), "local copies in vectors",
			"columns "+ways[i], "rows "+ways[j]),
		admits: func(n point) bool {
			return e.layoutFits(p, n, area, items) && (n["p"] > 0) == (i == alongDepth || j == alongDepth)
		},
		build: func(n point) rules.Strategy {
			s := p.inLayout(n, i, j)
			if p.first != nil {
				s = rules.Seq(p.first.inLayout(n, i, j), s)
			}
			return rules.Seq(s, vectorsFromLocal(n), finish(false))
		},
	}
}

func (p *product) inLayout(n point, i, j int) rules.Strategy {
	return p.inGroups(n, tiled(cutAdjacent(n["v"], n["c"], n["n"]), cutAdjacent(n["t"], n["r"], n["n"])),
		rules.Use("copyPrivateOperands"), copiedVectors(n, i, j))
}

// The ways in which the operands of a step are copied: along their rows, or along the reduction.
const (
	alongRows = iota
	alongDepth
)

var ways = []string{"along", "across"}

// possible reports whether a variant can be derived at the first numbers that the recipe admits.
func (e *explorer) possible(r *recipe) bool {
	s := newStream(r, 1)
	numbers, ok := s.next()
	if !ok {
		return false
	}
	_, err := e.variant(r, numbers)
	return err == nil
}

func (e *explorer) layoutFits(p *product, n point, area, items int64) bool {
	if n["t"]%n["r"] != 0 || n["v"]%n["c"] != 0 || n["r"]*n["c"] != area || n["r"] > 2*n["c"] || n["c"] > 2*n["r"] {
		return false
	}
	wide, tall := n["v"]/n["c"], n["t"]/n["r"]
	return wide*tall == items && items <= e.opt.MaxGroup && wide >= 8 && tall >= 4 &&
		p.bytes*n["k"]*(n["t"]+n["v"]+2*n["p"]) <= e.opt.MaxLocal && p.bytes*(area+n["r"]+n["c"]) <= e.opt.MaxPrivate &&
		n["k"]%n["n"] == 0 && n["k"]%n["o"] == 0 && copiedBy(n)%wide == 0
}

// copiedBy is the vectors that a work-group copies at a time: one for each work-item, or fewer.
func copiedBy(n point) int64 {
	vectors := intmath.GCD(n["k"]*n["t"]/n["n"], n["k"]*n["v"]/n["n"])
	return intmath.GCD(n["v"]/n["c"]*(n["t"]/n["r"]), vectors)
}

// cutAdjacent splits a map over length elements in blocks of k, each of adjacent elements n at a time.
func cutAdjacent(length, k, n int64) rules.Strategy {
	if k == n {
		return cutMap(length, k, false)
	}
	return rules.Seq(
		rules.Use("stridesOfChunks", "n", lift.Nat(n), "s", lift.Nat(length/k)),
		rules.Below(3, cutMap(length, k, false)),
	)
}

// copiedVectors copies what a step of k reads of both operands.
func copiedVectors(n point, i, j int) rules.Strategy {
	s := rules.Seq(
		rules.Use("reduceSeqZipSplit", "n", n.size("k")),
		rules.Use("copyLocalVectors", "m", lift.Nat(copiedBy(n)), "w", lift.Nat(n["v"]/n["c"]), "n", n.size("n"), "u", n.size("n"), "i", i, "k", j),
	)
	switch o := n["o"]; {
	case o == n["k"]:
		s = rules.Seq(s, inner(reductionAt(rules.Use("reduceUnrollItems"))))
	case o > 1:
		s = rules.Seq(s, inner(reductionAt(rules.Seq(
			rules.Use("reduceSeqZipSplit", "n", n.size("o")), inner(reductionAt(rules.Use("reduceUnrollItems")))))))
	}
	if n["p"] == 0 {
		return s
	}
	pad := func(rule string) rules.Strategy { return rules.Use(rule, "r", n.size("p")) }
	each := rules.TopDown(rules.Where(func(t *lift.Term) bool { return t.Op == lift.ToLocal && t.Arg().Op != lift.Map },
		rules.Else(pad("padRows"), pad("padColumns"))))
	return rules.Seq(s, each, each)
}

// vectorsFromLocal reads the operands of a block in vectors.
func vectorsFromLocal(n point) rules.Strategy {
	return rules.Repeat(rules.TopDown(rules.Use("privateVectors", "w", n.size("n"))))
}
