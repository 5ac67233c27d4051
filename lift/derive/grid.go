package derive

import (
	"slices"

	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// grid is a nest of maps that computes an array of one to three dimensions, below views.
type grid struct {
	under    int     // the number of views around the outermost map
	lengths  []int64 // of the dimensions, outermost first
	stencil  string  // the rule that tiles it in two dimensions; "" for none
	reduces  bool    // an element is computed by a reduction
	vector   bool    // the elements can be computed as vectors
	rejected error   // why such vectors cannot be lowered
	element  *lift.Term
}

// views are the patterns that only rearrange data; findGrid looks below them for the outermost map.
var views = lift.Set(lift.Join, lift.Split, lift.Transpose, lift.Inset, lift.Gather, lift.Scatter, lift.AsScalar, lift.Map, lift.ToGlobal, lift.Take, lift.Drop, lift.Append, lift.Unzip, lift.Put)

// findGrid looks for the nest in the fused body.
func (e *explorer) findGrid() *grid {
	g := &grid{}
	t := e.fused
	for !computes(t) {
		if !views.Has(t.Op) {
			return nil
		}
		g.under++
		t = t.Arg()
	}
	for {
		n, err := t.Type.Len.Eval(e.opt.Sizes)
		if err != nil {
			return nil
		}
		g.lengths = append(g.lengths, n)
		next := t.Fn().Body()
		if len(g.lengths) == 3 || !computes(next) || next.Type.Len == lift.Nat(1) {
			g.element = next
			break
		}
		t = next
	}
	g.reduces = g.element.Ops()&lift.Set(lift.Reduce) != 0
	for _, name := range []string{"tileStencils2D", "tileStencilsZip2D"} {
		if len(g.lengths) == 2 && e.applies(g.under, rules.Use(name, "t", 1, "v", 1)) {
			g.stencil = name
		}
	}
	if len(g.lengths) == 1 && g.lengths[0]%4 == 0 {
		g.vector, g.rejected = e.vectorizes(g.under, vectors(4))
	}
	return g
}

// applies reports whether a strategy applies to the fused body, under so many views.
func (e *explorer) applies(under int, s rules.Strategy) bool {
	_, err := (&rules.Run{Options: e.rules}).Do(rules.Below(under, s), e.fused)
	return err == nil
}

// loops is the recipe to split a nest of maps in some way and to lower the resulting maps to loops.
func loops(how string, n nest, numbers []number, cut func(p point) rules.Strategy) recipe {
	return recipe{name: phrase(how, n.String()), numbers: numbers, several: n.sequential(), build: func(p point) rules.Strategy {
		return rules.Seq(cut(p), assign(n))
	}}
}

// where restricts the recipe to points that pass a test.
func (c recipe) where(admits func(p point) bool) recipe {
	c.admits = admits
	return c
}

// recipes lists what there is for the program, in a fixed order.
func (e *explorer) recipes() []*recipe {
	if r := e.recipesOfParts(); r != nil {
		return r
	}
	if r := e.reductionRecipes(); r != nil {
		return r
	}
	if r := e.scanRecipes(); r != nil {
		return r
	}
	if r := e.segmentRecipes(); r != nil {
		return r
	}
	g := e.findGrid()
	if g == nil {
		return nil
	}
	return slices.Concat(e.gridRecipes(g), e.unevenRecipes(g), e.alignedRecipes(g), e.timeTiles(g), e.stagesInTiles(g))
}

// gridRecipes are the recipes of a nest of maps.
func (e *explorer) gridRecipes(g *grid) []*recipe {
	return append(e.recipesOf(g, e.mappings(g)), e.productRecipes(g.under)...)
}

// recipesOf are the recipes of some of the mappings of a nest.
func (e *explorer) recipesOf(g *grid, mappings []recipe) (list []*recipe) {
	for _, m := range mappings {
		for _, unroll := range []string{"", "unroll"} {
			if unroll != "" && !g.reduces {
				continue
			}
			for _, in := range e.elements(g, m) {
				list = append(list, &recipe{
					name:    phrase(m.name, in.name, unroll),
					numbers: append(slices.Clone(m.numbers), in.numbers...),
					admits:  m.admits,
					build: func(p point) rules.Strategy {
						return rules.Seq(rules.Below(g.under, rules.Seq(m.build(p), in.build(p))), takenColumns, finish(unroll != ""))
					},
					refused: m.refused,
				})
			}
		}
	}
	return list
}

// chunks are the numbers of elements that a work-item computes one after the other.
func chunks(n int64) []int64 { return divisors(n, 2, 16) }

// group reports whether a work-group may have so many work-items.
func (e *explorer) group(n int64) bool { return n >= 16 && n <= e.opt.MaxGroup }

// mappings are the ways to map a nest to loops.
func (e *explorer) mappings(g *grid) []recipe {
	switch len(g.lengths) {
	case 1:
		return e.mappings1(g)
	case 2:
		return slices.Concat(e.mappings2(g), e.tiles(g), e.walks(g), e.blocks(g))
	}
	return slices.Concat(e.mappings3(g), e.tiles3D(g), e.walks(g), e.blocks(g))
}

// mappings2 are the mappings of two dimensions without tiles: of one element for each work-item, and of several.
func (e *explorer) mappings2(g *grid) (out []recipe) {
	for _, n := range []nest{{glb1, glb0}, {glb0, glb1}, {glb0, seq}, {glb1, seq}, {wrg0, lcl0}} {
		out = append(out, loops("", n, nil, none))
	}
	cut := func(what string, dim int, nests ...nest) {
		for _, strides := range []bool{false, true} {
			for _, n := range nests {
				how := what + " in " + chunksOrStrides(strides) + " of k"
				out = append(out, loops(how, n, []number{{"k", chunks(g.lengths[dim])}}, func(p point) rules.Strategy {
					return deeper(dim, cutMap(g.lengths[dim], p["k"], strides))
				}))
			}
		}
	}
	cut("columns", 1, nest{glb1, glb0, seq}, nest{glb1, glb0, unr}, nest{glb0, glb1, seq}, nest{wrg0, lcl0, seq}, nest{wrg0, lcl0, unr})
	cut("rows", 0, nest{glb1, seq, glb0}, nest{glb1, unr, glb0}, nest{glb0, seq, glb1}, nest{wrg0, seq, lcl0}, nest{wrg0, unr, lcl0})
	return out
}

// vectors makes a map one of vectors of w.
func vectors(w int64) rules.Strategy {
	return rules.Else(rules.Use("vectorize", "w", lift.Nat(w)), rules.Use("vectorizeZip", "w", lift.Nat(w)))
}

// mappings1 are the mappings of one dimension, each also with vectors where the elements can be computed as such.
func (e *explorer) mappings1(g *grid) (out []recipe) {
	n := g.lengths[0]
	// The length of the array that is mapped, which vectors make shorter.
	length := func(p point) int64 { return n / max(1, p["w"]) }
	add := func(c recipe) {
		c = c.where(func(p point) bool {
			return n%max(1, p["w"]) == 0 && length(p)%(max(1, p["k"])*max(1, p["l"])) == 0
		})
		out = append(out, c)
		if !g.vector {
			return
		}
		v := c
		v.name = phrase("vectors of w", c.name)
		v.numbers = append(slices.Clone(c.numbers), number{"w", []int64{2, 4, 8}})
		v.build = func(p point) rules.Strategy { return rules.Seq(vectors(p["w"]), rules.AtArg(c.build(p))) }
		v.refused = g.rejected
		out = append(out, v)
	}
	add(loops("", nest{glb0}, nil, none))
	l := number{"l", groupSizes(n, e.opt.MaxGroup)}
	// groups splits the map into groups of some elements each, and then each group among its work-items.
	groups := func(elements int64, inGroup rules.Strategy) rules.Strategy {
		return rules.Seq(cutMap(n, elements, false), rules.AtArg(inner(inGroup)))
	}
	for _, s := range []*named{seq, unr} {
		k := number{"k", longChunks(n, s == unr)}
		add(loops("chunks of k", nest{glb0, s}, []number{k}, func(p point) rules.Strategy { return cutMap(n, p["k"], false) }))
		add(loops("strides", nest{glb0, s}, []number{k}, func(p point) rules.Strategy { return cutMap(length(p), p["k"], true) }))
		for _, strides := range []bool{false, true} {
			how := "groups of l chunks of k"
			if strides {
				how = "groups of l strides"
			}
			add(loops(how, nest{wrg0, lcl0, s}, []number{k, l}, func(p point) rules.Strategy {
				return groups(p["k"]*p["l"], cutMap(p["k"]*p["l"], p["k"], strides))
			}))
		}
	}
	add(loops("groups of l", nest{wrg0, lcl0}, []number{l}, func(p point) rules.Strategy { return cutMap(n, p["l"], false) }))
	if g.reduces { // a work-group for an element, its work-items in the reduction
		out = append(out, e.groupPerElement(g)...)
	}
	return out
}

// groupSizes are the divisors of n that work-groups have.
func groupSizes(n, most int64) []int64 { return divisors(n, 16, most) }

// tiles are the mappings of two-dimensional tiles: of a stencil, overlapping; of other nests, not.
func (e *explorer) tiles(g *grid) (out []recipe) {
	if g.stencil == "" {
		return e.tilesOfMaps(g)
	}
	h, w := g.lengths[0], g.lengths[1]
	t, v := number{"t", divisors(h, 1, 64)}, number{"v", divisors(w, 1, 64)}
	tile := g.tiled
	add := func(how string, n nest, more []number, admits func(p point) bool, cut func(p point) rules.Strategy, copied named) {
		c := loops(phrase("tiles of t by v", how), n, append([]number{t, v}, more...), cut)
		inside := c.build
		c.name = phrase(c.name, copied.name)
		c.build = func(p point) rules.Strategy { // the maps are below map(join) o join o map(transpose)
			return rules.Seq(tile(p), rules.Below(3, rules.Seq(inside(p), copied.use)))
		}
		out = append(out, c.where(admits))
	}
	perItem := func(p point) bool { return p["t"]*p["v"] > 1 && p["t"]*p["v"] <= 32 }
	for _, n := range []nest{{glb1, glb0, seq, seq}, {glb0, glb1, seq, seq}, {glb1, glb0, unr, unr}, {glb1, glb0, seq, unr}} {
		add("", n, nil, perItem, none, noCopy)
	}
	for _, n := range []nest{{wrg1, wrg0, lcl1, lcl0}, {wrg0, wrg1, lcl0, lcl1}} {
		for _, c := range copies(copyTile) {
			add("", n, nil, func(p point) bool { return e.group(p["t"] * p["v"]) }, none, c)
		}
	}
	// Several rows of the tile for each work-item.
	rowsOf := func(p point) bool {
		return p["t"]%p["k"] == 0 && p["t"] > p["k"] && e.group(p["t"]/p["k"]*p["v"])
	}
	for _, n := range []nest{{wrg1, wrg0, lcl1, seq, lcl0}, {wrg1, wrg0, lcl1, unr, lcl0}} {
		for _, c := range copies(copyTile) {
			for _, strides := range []bool{false, true} {
				add("rows in "+chunksOrStrides(strides)+" of k", n, []number{{"k", chunks(h)}}, rowsOf, func(p point) rules.Strategy {
					return inTile(cutMap(p["t"], p["k"], strides))
				}, c)
			}
		}
	}
	// Several columns.
	columnsOf := func(p point) bool {
		return p["v"]%p["k"] == 0 && p["v"] > p["k"] && e.group(p["t"]*p["v"]/p["k"])
	}
	for _, n := range []nest{{wrg1, wrg0, lcl1, lcl0, seq}, {wrg1, wrg0, lcl1, lcl0, unr}} {
		for _, c := range copies(copyTile) {
			add("columns in strides of k", n, []number{{"k", chunks(w)}}, columnsOf, func(p point) rules.Strategy {
				return inTile(inner(cutMap(p["v"], p["k"], true)))
			}, c)
		}
	}
	return append(out, e.walksInTiles(g, tile)...)
}

// tiled computes a stencil of two dimensions in tiles.
func (g *grid) tiled(p point) rules.Strategy {
	return rules.Use(g.stencil, "t", p.size("t"), "v", p.size("v"))
}

// inTile is the strategy at the map over the rows of a tile: in the maps over tiles, under views of what they give.
func inTile(s rules.Strategy) rules.Strategy { return deeper(2, nextMap(s)) }

// tilesOfMaps are tiles of a nest that is no stencil: rows and columns in chunks.
func (e *explorer) tilesOfMaps(g *grid) (out []recipe) {
	h, w := g.lengths[0], g.lengths[1]
	numbers := []number{{"t", divisors(h, 2, 64)}, {"v", divisors(w, 2, 64)}}
	tile := func(p point) rules.Strategy {
		return rules.MacroByName("tileMaps").Run(rules.Args{"n": p.size("t"), "m": p.size("v")})
	}
	for _, n := range []nest{{wrg1, wrg0, lcl0, lcl1}, {wrg0, wrg1, lcl1, lcl0}} {
		out = append(out, loops("tiles of t by v", n, numbers, tile).where(func(p point) bool { return e.group(p["t"] * p["v"]) }))
	}
	for _, n := range []nest{{glb1, glb0, seq, seq}, {glb1, glb0, unr, unr}} {
		out = append(out, loops("tiles of t by v", n, numbers, tile).where(func(p point) bool { return p["t"]*p["v"] <= 32 }))
	}
	return out
}

// elements are the ways to compute one element: plainly, with copies in private memory, with the reduction in chunks.
func (e *explorer) elements(g *grid, m recipe) []recipe {
	list := []recipe{{build: none}}
	if g.stencil != "" && !m.several {
		list = append(list, recipe{name: "private copy", build: func(point) rules.Strategy {
			return rules.BottomUp(rules.Else(rules.Use("copyPrivate2D"), rules.Use("copyPrivateGlb2D")))
		}})
	}
	if g.reduces {
		if n := e.reductionLength(g.element); n > 1 {
			list = append(list, recipe{name: "reduction in chunks of c", numbers: []number{{"c", divisors(n, 2, 32)}}, build: func(p point) rules.Strategy {
				return rules.Seq(
					rules.TopDown(toReduce),
					rules.Repeat(rules.TopDown(rules.Where(func(t *lift.Term) bool { return t.Op == lift.ReduceSeq && computes(t.Arg()) },
						rules.Seq(rules.AtArg(toSeq), rules.Use("reduceMapFusion"))))),
					rules.TopDown(rules.Use("reduceSeqSplit", "n", p.size("c"))),
				)
			}})
		}
	}
	return list
}

// reductionLength is the length of the array that a reduction in the term reduces; 0 without one.
func (e *explorer) reductionLength(t *lift.Term) (n int64) {
	lift.Walk(t, lift.Set(lift.Reduce), func(t *lift.Term) {
		if n == 0 {
			n, _ = t.Arg().Type.Len.Eval(e.opt.Sizes)
		}
	})
	return n
}
