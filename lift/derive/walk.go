package derive

import (
	"slices"

	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// Walks are 2.5-D tilings (mapSeqSlide of the Lift project): a work-item computes the stencil along the outermost dimension and keeps
// the window in registers, so that every element of a column is read once.

// streamed turns a stencil of two or three dimensions into columns, each a stencil of one dimension.
func streamed(dims int) rules.Strategy {
	if dims == 3 {
		return rules.Else(rules.Use("streamStencils3D"), rules.Use("streamStencilsZip3D"))
	}
	return rules.Else(rules.Use("streamStencils2D"), rules.Use("streamStencilsZip2D"))
}

// cutWalk splits a column into chunks of t results, lowers the map over them, and walks through each, q results at a time: what
// these need is loaded together, and the window moves once.
func cutWalk(t, q int64, chunks nest) rules.Strategy {
	walk := rules.Seq(toSeq, rules.Use("mapSeqSlide"))
	if q > 1 {
		walk = rules.Seq(walk, rules.Use("slideUnroll", "k", lift.Nat(q)))
	}
	return rules.Seq(rules.Use("tileStencils", "t", lift.Nat(t)), along(chunks, nextMap(walk)))
}

// atATime are the numbers of results that a walk computes at a time.
var atATime = []int64{2, 4, 8, 16}

// walks are the mappings with walks of a stencil of two or three dimensions.
func (e *explorer) walks(g *grid) (out []recipe) {
	dims := len(g.lengths)
	if !e.applies(g.under, streamed(dims)) {
		return nil
	}
	t := number{"t", divisors(g.lengths[0], 2, 1024)}
	type walk struct{ columns, chunks nest } // what the maps over columns become, and the one over the chunks of each
	list := []walk{{nest{glb0}, nest{glb1}}, {nest{glb1}, nest{glb0}}}
	several := walk{nest{glb0, seq}, nest{glb1}} // several columns for each work-item, each with a window in registers
	if dims == 3 {
		list = []walk{{nest{glb1, glb0}, nest{glb2}}, {nest{glb2, glb0}, nest{glb1}}, {nest{glb0, glb1}, nest{glb2}}}
		several = walk{nest{glb1, glb0, seq}, nest{glb2}}
	}
	add := func(w walk, columns string, numbers []number, split func(p point) rules.Strategy) {
		one := recipe{
			name: phrase("walks of t", columns, w.columns.String(), "chunks "+w.chunks.String()), numbers: numbers, several: true,
			build: func(p point) rules.Strategy {
				return rules.Seq(streamed(dims), split(p), along(w.columns, nextMap(cutWalk(p["t"], p["q"], w.chunks))))
			},
		}
		more := one
		more.name = phrase(one.name, "q at a time")
		more.numbers = append(slices.Clone(numbers), number{"q", atATime})
		more.admits = func(p point) bool { return p["t"]%p["q"] == 0 && p["t"] > p["q"] && p["q"]*max(1, p["k"]) <= 16 }
		out = append(out, one, more)
	}
	for _, w := range list {
		add(w, "", []number{t}, none)
	}
	wide := g.lengths[dims-1]
	for _, strides := range []bool{false, true} {
		add(several, "columns in "+chunksOrStrides(strides)+" of k", []number{t, {"k", dividing(wide, []int64{2, 4, 8})}}, func(p point) rules.Strategy {
			split := nextMap(cutMap(wide, p["k"], strides))
			if dims == 3 {
				split = nextMap(inner(split))
			}
			return split
		})
	}
	return out
}

// walksInTiles are walks within the tiles of work-groups, of t by v results in two dimensions: each work-item takes a column
// of k rows.
func (e *explorer) walksInTiles(g *grid, tile func(p point) rules.Strategy) (out []recipe) {
	if !e.applies(g.under, streamed(2)) {
		return nil
	}
	h, w := g.lengths[0], g.lengths[1]
	for _, c := range copies(copyTile) {
		out = append(out, recipe{
			name: phrase("tiles of t by v", "walks of k", "wrg1 wrg0 lcl0 lcl1", c.name), several: true,
			numbers: []number{{"t", divisors(h, 2, 256)}, {"v", divisors(w, 8, 256)}, {"k", divisors(h, 2, 256)}},
			admits:  func(p point) bool { return p["t"]%p["k"] == 0 && e.group(p["v"]*(p["t"]/p["k"])) },
			build: func(p point) rules.Strategy {
				return rules.Seq(tile(p), along(nest{wrg1, wrg0}, nil), c.use,
					nextMap(rules.Seq(streamed(2), along(nest{lcl0}, nextMap(cutWalk(p["k"], 1, nest{lcl1}))))))
			},
		})
	}
	return out
}

// tiles3D are the mappings of tiles of a stencil of three dimensions.
func (e *explorer) tiles3D(g *grid) (out []recipe) {
	tile := tiled3D
	if !e.applies(g.under, tile(point{"t": 1, "u": 1, "v": 1})) {
		return nil
	}
	d, h, w := g.lengths[0], g.lengths[1], g.lengths[2]
	numbers := []number{{"t", divisors(d, 1, 256)}, {"u", divisors(h, 1, 256)}, {"v", divisors(w, 1, 256)}}
	withK := append(slices.Clone(numbers), number{"k", divisors(d, 2, 256)})
	items := func(p point) int64 { return p["t"] * p["u"] * p["v"] }
	add := func(name string, numbers []number, several bool, admits func(p point) bool, inside rules.Strategy, more func(p point) rules.Strategy) {
		out = append(out, recipe{name: phrase("tiles of t by u by v", name), numbers: numbers, several: several, admits: admits, build: func(p point) rules.Strategy {
			return rules.Seq(tile(p), inside, more(p))
		}})
	}
	for _, n := range []nest{{glb2, glb1, glb0, seq, seq, seq}, {glb2, glb1, glb0, unr, unr, unr}} {
		add(n.String(), numbers, true, func(p point) bool { return items(p) > 1 && items(p) <= 32 }, assign(n), none)
	}
	groups := nest{wrg2, wrg1, wrg0}
	for _, c := range copies(copyTile3D) {
		for _, n := range []nest{{wrg2, wrg1, wrg0, lcl2, lcl1, lcl0}, {wrg0, wrg1, wrg2, lcl0, lcl1, lcl2}} {
			add(phrase(n.String(), c.name), numbers, false, func(p point) bool { return e.group(items(p)) }, rules.Seq(assign(n), c.use), none)
		}
		// Several planes for each work-item, computed one by one or in a walk.
		inGroup := func(p point) bool { return p["t"]%p["k"] == 0 && e.group(items(p)/p["k"]) }
		copied := rules.Seq(along(groups, nil), c.use)
		for _, n := range []nest{{lcl2, seq, lcl1, lcl0}, {lcl2, unr, lcl1, lcl0}} {
			fits := func(p point) bool { return inGroup(p) && (p["k"] <= 16 || !n.unrolls()) }
			add(phrase("planes in chunks of k", groups.String()+" "+n.String(), c.name), withK, true, fits, copied, func(p point) rules.Strategy {
				return nextMap(rules.Seq(cutMap(d, p["k"], false), assign(n)))
			})
		}
		if e.applies(g.under, streamed(3)) {
			add(phrase("walks of k", "wrg2 wrg1 wrg0 lcl1 lcl0 lcl2", c.name), withK, true, inGroup, copied, func(p point) rules.Strategy {
				return nextMap(rules.Seq(streamed(3), along(nest{lcl1, lcl0}, nextMap(cutWalk(p["k"], 1, nest{lcl2})))))
			})
		}
	}
	return out
}

// tiled3D computes a stencil of three dimensions in tiles.
func tiled3D(p point) rules.Strategy {
	args := []any{"i", p.size("t"), "k", p.size("u"), "w", p.size("v")}
	return rules.Else(rules.Use("tileStencils3D", args...), rules.Use("tileStencilsZip3D", args...))
}

// inGroups applies a strategy at the innermost mapWrg.
func inGroups(s rules.Strategy) rules.Strategy {
	return rules.BottomUp(rules.Where(is(lift.MapWrg), s))
}

// The copies of the overlapping tile that a work-group reads to local memory.
var (
	copyTile   = inGroups(rules.Else(rules.Use("copyLocal2D"), rules.Use("copyLocalZip2D")))
	copyTile3D = inGroups(rules.Else(rules.Use("copyLocal3D"), rules.Use("copyLocalZip3D")))
)

// copies are the alternatives of copying to local memory and not.
func copies(copied rules.Strategy) []named { return []named{noCopy, {"local copy", copied}} }

var noCopy = named{use: rules.ID}
