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
// elements before the first that stands in the grid at a multiple of its width. It also tells whether the values of padding do not matter; of
// rows that are padded with elements of both kinds it is not ok, as a vector may have one of each.
func (e *explorer) halo() (before int64, any, ok bool) {
	modes := map[bool]bool{}
	lift.Walk(e.fused, lift.Set(lift.Pad), func(t *lift.Term) {
		if lengths, _ := t.Type.Shape(); len(lengths) == 1 {
			if n, err := t.Sizes[0].Eval(e.opt.Sizes); err == nil {
				before += n
			}
			modes[lift.PadMode(t.Ints[0]) == lift.PadAny] = true
		}
	})
	return before, modes[true], len(modes) < 2
}

// alignedRecipes are blocks of a stencil whose results have a border in their array: they begin as many elements earlier as the border has, where
// vectors are aligned. What is computed for the border is not written.
func (e *explorer) alignedRecipes(g *grid) (list []*recipe) {
	dims := len(g.lengths)
	widths := e.rowVectors()
	if dims == 1 || len(widths) == 0 {
		return nil
	}
	w := widths[len(widths)-1]
	front := e.border() % w
	if front == 0 {
		return nil
	}
	s := rules.Use("padStencilsFront", "k", lift.Nat(front))
	if n := g.lengths[dims-1] + front; n%w != 0 {
		more := []any{"i", lift.Nat(0), "k", lift.Nat(0), "w", lift.Nat(0)}[:2*dims]
		more[2*dims-1] = lift.Nat(multiple(n, w) - n)
		s = rules.Seq(rules.Use([]string{"padStencils", "padStencils3D"}[dims-2], more...), rules.Below(1, s))
	}
	other := e.beginning(rules.Below(g.under, s))
	if other == nil {
		return nil
	}
	grid := other.findGrid()
	if grid == nil {
		return nil
	}
	for _, r := range other.recipesOf(grid, other.blocks(grid)) {
		r.name, r.from = phrase("aligned", r.name), other
		list = append(list, r)
	}
	return list
}

// border is how many elements the rows of results have in front of the first that is computed.
func (e *explorer) border() (before int64) {
	lift.Walk(e.fused, lift.Set(lift.Inset, lift.Drop), func(t *lift.Term) {
		lengths, _ := t.Type.Shape()
		n, err := t.Sizes[0].Eval(e.opt.Sizes)
		switch {
		case len(lengths) != 1 || err != nil:
		case t.Op == lift.Inset:
			before += n
		default:
			before -= n
		}
	})
	return before
}

// resultWidths are the widths of vectors in which rows of results can be written: those that divide where they begin and how long they are.
func (e *explorer) resultWidths() []int64 {
	lengths, number := e.fused.Type.Shape()
	if len(lengths) < 2 || number.Kind != lift.ScalarType {
		return nil
	}
	n, err := lengths[len(lengths)-1].Eval(e.opt.Sizes)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc([]int64{2, 4}, func(w int64) bool { return n%w != 0 || e.border()%w != 0 })
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
	before, any, ok := e.halo()
	if !ok {
		return nil
	}
	n := nest{glb1, glb0}
	// A block has as many rows as pay for those around it, and is as wide as a vector: stores of single numbers further apart take too long.
	numbers := []number{{"t", divisors(g.lengths[0], 2, 16)}}
	if dims == 3 {
		n = nest{glb2, glb1, glb0}
		numbers = []number{{"t", divisors(g.lengths[0], 1, 4)}, {"u", divisors(g.lengths[1], 1, 4)}}
	}
	name := []string{"", "", "tiles of t by v", "tiles of t by u by v"}[dims]
	for _, w := range widths {
		for _, stored := range e.stores(w) {
			numbers := append(slices.Clone(numbers), number{"v", dividing(g.lengths[dims-1], []int64{max(w, stored.width)})})
			out = append(out, recipe{
				name: phrase(name, n.String(), fmt.Sprintf("rows in vectors of %d", w), stored.name), numbers: numbers, several: true,
				admits: func(p point) bool { return p["t"]*max(1, p["u"])*p["v"] <= 64 },
				build: func(p point) rules.Strategy {
					return rules.Seq(tile(p), along(n, assign(slices.Repeat(nest{seq}, dims))), copyPrivate,
						inItems(rules.Seq(everywhere(copiesRow, rowInVectors(p["v"], before, w, any)), stored.use, written)))
				},
			})
		}
	}
	return out
}

// store is how a work-item writes a row of results.
type store struct {
	named
	width int64
}

// stores are the ways to write rows of results, next to rows that are read in vectors of w.
func (e *explorer) stores(w int64) []store {
	list := []store{{named{"", rules.ID}, 1}}
	widths := e.resultWidths()
	for _, v := range widths {
		if 2*v <= w && slices.Contains(widths, 2*v) {
			continue
		}
		how := "results in vectors"
		if v != w {
			how = fmt.Sprintf("results in vectors of %d", v)
		}
		list = append(list, store{named{how, rules.TopDown(rules.Where(lastMap, rules.Use("resultVectors", "w", lift.Nat(v))))}, v})
	}
	if len(widths) == 0 {
		// Elements of a row that are stored one right after the other go to the same sectors of L2 as one store. Where a division stands between two
		// stores, as CUDA C has it, they do not.
		list = append(list, store{named{"results together", rules.TopDown(rules.Where(lastMap, rules.Use("resultsTogether")))}, 1})
	}
	return list
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
// the end that make no vector. Elements in front are in vectors of 2 where their number is even and padding has no value.
func rowInVectors(v, before, w int64, any bool) rules.Strategy {
	return func(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
		n, ok := t.Type.Len.Const()
		if !ok {
			return nil, fmt.Errorf("a row of %s elements", t.Type.Len)
		}
		first, vectors := before, (n-before)/w*w
		if n == v {
			first, vectors = 0, n/w*w
		}
		pairs := rules.Strategy(rules.ID)
		if first > 0 {
			vectors = v / w * w
			if any && first%2 == 0 {
				pairs = rules.Use("vectorizeSeq", "w", 2)
			}
		}
		s := rules.Use("vectorizeSeq", "w", lift.Nat(w))
		if end := first + vectors; end < n {
			last := rules.Strategy(rules.ID)
			if (n-end)%2 == 0 {
				last = pairs
			}
			// append(the end, the rest): of the rest, append(the vectors, what is in front)
			rest := s
			if first > 0 {
				rest = rules.Seq(rules.Use("mapSeqRest", "n", lift.Nat(first)), rules.AtKid(0, s), rules.AtArg(pairs))
			}
			return rules.Seq(rules.Use("mapSeqRest", "n", lift.Nat(end)), rules.AtKid(0, last), rules.AtArg(rest))(run, t, site)
		}
		if first > 0 {
			s = rules.Seq(rules.Use("mapSeqRest", "n", lift.Nat(first)), rules.AtKid(0, s), rules.AtArg(pairs))
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
