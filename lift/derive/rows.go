package derive

import (
	"fmt"
	"slices"

	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// Blocks are tiles of a stencil that one work-item computes: it keeps what it reads in registers, and reads the rows of the grid
// in vectors, so that each number is loaded once for all results of the block.

// halo is how many elements a stencil's grid gets in front of its rows: those of the innermost padding. A tile begins so many
// elements before the first that stands in the grid at a multiple of its width.
func (e *explorer) halo() (before int64) {
	lift.Walk(e.fused, lift.Set(lift.Pad), func(t *lift.Term) {
		if lengths, _ := t.Type.Shape(); len(lengths) == 1 {
			if n, err := t.Sizes[0].Eval(e.opt.Sizes); err == nil {
				before = n
			}
		}
	})
	return before
}

// rowVectors are the widths of vectors of which every row of the inputs has a whole number: such rows begin at places where vectors are
// aligned.
func (e *explorer) rowVectors() (widths []int64) {
	for _, w := range []int64{2, 4} {
		if !slices.ContainsFunc(e.inputs, func(in lift.Param) bool {
			lengths, number := in.Type.Shape()
			if len(lengths) < 2 {
				return false
			}
			n, err := lengths[len(lengths)-1].Eval(e.opt.Sizes)
			return err != nil || n%w != 0 || number.Kind != lift.ScalarType
		}) {
			widths = append(widths, w)
		}
	}
	return widths
}

// blocks are the mappings of tiles that a work-item computes from private copies.
func (e *explorer) blocks(g *grid) (out []recipe) {
	dims, tile := len(g.lengths), g.tiled
	if dims == 3 {
		tile = tiled3D
	}
	if dims == 2 && g.stencil == "" || !e.applies(g.under, tile(point{"t": 1, "u": 1, "v": 1})) {
		return nil
	}
	widths := e.rowVectors()
	before := e.halo()
	n := nest{glb1, glb0}
	// A block has as many rows as pay for those around it, and is no wider than two vectors: more needs too many registers.
	numbers := []number{{"t", divisors(g.lengths[0], 2, 8)}}
	if dims == 3 {
		n = nest{glb2, glb1, glb0}
		numbers = []number{{"t", divisors(g.lengths[0], 1, 4)}, {"u", divisors(g.lengths[1], 1, 4)}}
	}
	name := []string{"", "", "tiles of t by v", "tiles of t by u by v"}[dims]
	for _, w := range widths {
		numbers := append(slices.Clone(numbers), number{"v", dividing(g.lengths[dims-1], []int64{w, 2 * w})})
		// Elements of a row that are stored one right after the other go to the same sectors of L2 as one store. Where a division stands between two
		// stores, as CUDA C has it, they do not.
		how, store := "results together", rules.Use("resultsTogether")
		if e.storedInVectors(w) {
			how, store = "results in vectors", rules.Use("resultVectors", "w", lift.Nat(w))
		}
		for _, stored := range []string{"", how} {
			out = append(out, recipe{
				name: phrase(name, n.String(), fmt.Sprintf("rows in vectors of %d", w), stored), numbers: numbers, several: true,
				admits: func(p point) bool { return p["t"]*max(1, p["u"])*p["v"] <= 64 },
				build: func(p point) rules.Strategy {
					results := rules.ID
					if stored != "" {
						results = rules.TopDown(rules.Where(lastMap, store))
					}
					return rules.Seq(tile(p), along(n, assign(slices.Repeat(nest{seq}, dims))), copyPrivate,
						inItems(rules.Seq(everywhere(copiesRow, rowInVectors(p["v"], before, w)), results, written)))
				},
			})
		}
	}
	return out
}

// storedInVectors reports whether rows of results begin where vectors are aligned.
func (e *explorer) storedInVectors(w int64) bool {
	aligned := true
	lift.Walk(e.fused, lift.Set(lift.Inset), func(t *lift.Term) {
		n, err := t.Sizes[0].Eval(e.opt.Sizes)
		aligned = aligned && err == nil && n%w == 0
	})
	return aligned
}

// copyPrivate copies what the innermost mapGlb reads.
var copyPrivate = rules.BottomUp(rules.Where(is(lift.MapGlb), rules.Else(rules.Use("copyPrivateZip"), rules.Use("copyPrivateGlb3D"), rules.Use("copyPrivateGlb2D"))))

// inItems applies a strategy to what the work-items of the innermost mapGlb do.
func inItems(s rules.Strategy) rules.Strategy {
	return rules.BottomUp(rules.Where(is(lift.MapGlb), inner(s)))
}

// written are all loops of a work-item, written out.
var written = everywhere(is(lift.MapSeq), rules.Use("mapUnroll"))

// lastMap is the innermost sequential map of a stencil, not of a copy.
func lastMap(t *lift.Term) bool {
	return t.Op == lift.MapSeq && t.Fn().Ops()&mapped == 0 && t.Type.Elem.Kind == lift.ScalarType && !copiesRow(t)
}

// copiesRow is the copy of a row of numbers.
func copiesRow(t *lift.Term) bool {
	return t.Op == lift.MapSeq && t.Fn().Op == lift.Fun && t.Fn().User.IsID() && t.Type.Elem.Kind == lift.ScalarType
}

// rowInVectors copies a row in vectors of w, but for the elements in front of the v that are the work-item's own, and for those at
// the end that make no vector.
func rowInVectors(v, before, w int64) rules.Strategy {
	return func(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
		n, ok := t.Type.Len.Const()
		if !ok {
			return nil, fmt.Errorf("a row of %s elements", t.Type.Len)
		}
		first, vectors := before, (n-before)/w*w
		if n == v {
			first, vectors = 0, n/w*w
		}
		if first > 0 {
			vectors = v / w * w
		}
		s := rules.Use("vectorizeSeq", "w", lift.Nat(w))
		if first > 0 {
			s = rules.Seq(rules.Use("mapSeqRest", "n", lift.Nat(first)), rules.AtKid(0, s))
		}
		if end := first + vectors; end < n {
			s = rules.Seq(rules.Use("mapSeqRest", "n", lift.Nat(end)), rules.AtArg(s))
		}
		return s(run, t, site)
	}
}

// everywhere applies a strategy to all terms that pass a test, the inner ones first.
func everywhere(ok func(t *lift.Term) bool, s rules.Strategy) rules.Strategy {
	return func(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
		var err error
		for i := range t.Kids {
			if t, err = rules.AtKid(i, everywhere(ok, s))(run, t, site); err != nil {
				return nil, err
			}
		}
		if !ok(t) {
			return t, nil
		}
		return s(run, t, site)
	}
}
