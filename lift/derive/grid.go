package derive

import (
	"slices"
	"strings"

	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// grid is a nest of maps that compute an array of one to three dimensions, under views.
type grid struct {
	path    []int   // from the body to the outermost map
	lengths []int64 // of the dimensions, outermost first
	stencil string  // the rule that tiles it in two dimensions; "" for none
	reduces bool    // an element is computed by a reduction
	vector  bool    // the elements can be computed as vectors
	apart   error   // what is wrong with these
	element *lift.Term
}

// views are the patterns that only arrange, through which the outermost map is looked for.
var views = lift.Set(lift.Join, lift.Split, lift.Transpose, lift.Inset, lift.Gather, lift.Scatter, lift.AsScalar, lift.Map, lift.ToGlobal)

// findGrid looks for the nest in a body, which is fused.
func (e *explorer) findGrid(body *lift.Term) *grid {
	g := &grid{}
	t := body
	for !computes(t) {
		if !views.Has(t.Op) {
			return nil
		}
		g.path = append(g.path, len(t.Kids)-1)
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
		if len(g.lengths) == 2 && e.applies(body, g.path, rules.Use(name, "t", 1, "v", 1)) {
			g.stencil = name
		}
	}
	if len(g.lengths) == 1 && g.lengths[0]%4 == 0 {
		g.vector, g.apart = e.vectorizes(g.path, vectors(4))
	}
	return g
}

func (e *explorer) applies(body *lift.Term, path []int, s rules.Strategy) bool {
	run := &rules.Run{Options: e.rules}
	_, err := run.Do(rules.At(path, s), body)
	return err == nil
}

// choice is an alternative of one part of a recipe.
type choice struct {
	name    string
	numbers []number
	admits  func(n map[string]int64) bool
	// build makes the strategy for the outermost map.
	build   func(n map[string]int64) rules.Strategy
	refused error // as of a recipe
}

// size is a number of the recipe as a size.
func size(n map[string]int64, name string) lift.Size { return lift.Nat(n[name]) }

// recipes lists what there is for the program, in a fixed order.
func (e *explorer) recipes() []*recipe {
	if r := e.reductionRecipes(); r != nil {
		return r
	}
	g := e.findGrid(e.fused)
	if g == nil {
		return nil
	}
	var list []*recipe
	for _, m := range e.mappings(g) {
		for _, unroll := range []bool{false, true} {
			if unroll && !g.reduces {
				continue
			}
			for _, in := range e.elements(g, m) {
				r := &recipe{
					name:    strings.Join(slices.DeleteFunc([]string{m.name, in.name, map[bool]string{true: "unroll"}[unroll]}, func(s string) bool { return s == "" }), ", "),
					numbers: append(slices.Clone(m.numbers), in.numbers...),
					admits: func(n map[string]int64) bool {
						return (m.admits == nil || m.admits(n)) && (in.admits == nil || in.admits(n))
					},
					build: func(n map[string]int64) rules.Strategy {
						return rules.Seq(rules.At(g.path, rules.Seq(m.build(n), in.build(n))), finish(unroll))
					},
					refused: m.refused,
				}
				list = append(list, r)
			}
		}
	}
	return append(list, e.productRecipes(g.path)...)
}

// chunks is the sequential work of a work-item: small numbers.
func chunks(n int64) []int64 { return divisors(n, 2, 16) }

// group is whether numbers are the shape of a work-group that devices run.
func (e *explorer) group(n int64) bool { return n >= 16 && n <= e.opt.MaxGroup }

// mappings are the ways to map a nest to loops.
func (e *explorer) mappings(g *grid) []choice {
	var list []choice
	plain := func(text string) {
		list = append(list, choice{name: text, build: func(map[string]int64) rules.Strategy { return assign(levels(text)) }})
	}
	switch len(g.lengths) {
	case 1:
		e.mappings1(g, &list)
	case 2:
		plain("glb1 glb0")
		plain("glb0 glb1")
		plain("glb0 seq")
		plain("glb1 seq")
		plain("wrg0 lcl0")
		e.chunksOfRows(g, &list)
		e.tiles(g, &list)
		e.walks(g, &list)
	case 3:
		e.mappings3(g, &list)
		e.tiles3D(g, &list)
		e.walks(g, &list)
	}
	return list
}

// chunksOfRows are the mappings of two dimensions without tiles in which a work-item computes several elements.
func (e *explorer) chunksOfRows(g *grid, list *[]choice) {
	h, w := g.lengths[0], g.lengths[1]
	add := func(name string, of int64, texts []string, split func(k int64) rules.Strategy) {
		for _, text := range texts {
			*list = append(*list, choice{name: name + " of k, " + text, numbers: []number{{"k", chunks(of)}}, build: func(n map[string]int64) rules.Strategy {
				return rules.Seq(split(n["k"]), assign(levels(text)))
			}})
		}
	}
	columns := []string{"glb1 glb0 seq", "glb1 glb0 unr", "glb0 glb1 seq", "wrg0 lcl0 seq", "wrg0 lcl0 unr"}
	add("columns in chunks", w, columns, func(k int64) rules.Strategy { return inner(rules.Use("splitJoin", "n", int(k))) })
	add("columns in strides", w, columns, func(k int64) rules.Strategy { return inner(strided(w/k, k)) })
	rows := []string{"glb1 seq glb0", "glb1 unr glb0", "glb0 seq glb1", "wrg0 seq lcl0", "wrg0 unr lcl0"}
	add("rows in chunks", h, rows, func(k int64) rules.Strategy { return rules.Use("splitJoin", "n", int(k)) })
	add("rows in strides", h, rows, func(k int64) rules.Strategy { return strided(h/k, k) })
}

// strided computes an array in chunks of k, each of elements that stand stride apart, so that work-items next to each other
// work on elements next to each other.
func strided(stride, k int64) rules.Strategy {
	return rules.Seq(
		rules.Use("stridesAround", "s", int(stride)),
		rules.AtKid(0, rules.Use("splitJoin", "n", int(k))),
	)
}

// vectors makes a map one of vectors of w.
func vectors(w int64) rules.Strategy {
	return rules.Else(rules.Use("vectorize", "w", int(w)), rules.Use("vectorizeZip", "w", int(w)))
}

func (e *explorer) mappings1(g *grid, list *[]choice) {
	n := g.lengths[0]
	add := func(c choice) {
		*list = append(*list, c)
		if !g.vector {
			return
		}
		v := c
		v.name = "vectors of w, " + c.name
		v.numbers = append(slices.Clone(c.numbers), number{"w", []int64{2, 4, 8}})
		v.build = func(n map[string]int64) rules.Strategy {
			return rules.Seq(vectors(n["w"]), rules.AtKid(0, c.build(n)))
		}
		v.refused = g.apart
		*list = append(*list, v)
	}
	// The length of the array that is mapped, which vectors make shorter.
	length := func(m map[string]int64) int64 { return n / max(1, m["w"]) }
	divides := func(names ...string) func(m map[string]int64) bool {
		return func(m map[string]int64) bool {
			k := int64(1)
			for _, name := range names {
				k *= m[name]
			}
			return n%max(1, m["w"]) == 0 && length(m)%k == 0
		}
	}
	add(choice{name: "glb0", admits: divides(), build: func(map[string]int64) rules.Strategy { return assign(levels("glb0")) }})
	l := number{"l", groupSizes(n, e.opt.MaxGroup)}
	for _, seq := range []string{"seq", "unr"} {
		k := number{"k", longChunks(n, seq)}
		add(choice{name: "chunks of k, glb0 " + seq, numbers: []number{k}, admits: divides("k"), build: func(m map[string]int64) rules.Strategy {
			return rules.Seq(rules.Use("splitJoin", "n", size(m, "k")), assign(levels("glb0 "+seq)))
		}})
		add(choice{name: "strides, glb0 " + seq, numbers: []number{k}, admits: divides("k"), build: func(m map[string]int64) rules.Strategy {
			return rules.Seq(strided(length(m)/m["k"], m["k"]), assign(levels("glb0 "+seq)))
		}})
		add(choice{name: "groups of l chunks of k, wrg0 lcl0 " + seq, numbers: []number{k, l}, admits: divides("k", "l"), build: func(m map[string]int64) rules.Strategy {
			return rules.Seq(rules.Use("splitJoin", "n", int(m["k"]*m["l"])), rules.AtKid(0, inner(rules.Use("splitJoin", "n", size(m, "k")))), assign(levels("wrg0 lcl0 "+seq)))
		}})
		add(choice{name: "groups of l strides, wrg0 lcl0 " + seq, numbers: []number{k, l}, admits: divides("k", "l"), build: func(m map[string]int64) rules.Strategy {
			return rules.Seq(rules.Use("splitJoin", "n", int(m["k"]*m["l"])), rules.AtKid(0, inner(strided(m["l"], m["k"]))), assign(levels("wrg0 lcl0 "+seq)))
		}})
	}
	add(choice{name: "groups of l, wrg0 lcl0", numbers: []number{l}, admits: divides("l"), build: func(m map[string]int64) rules.Strategy {
		return rules.Seq(rules.Use("splitJoin", "n", size(m, "l")), assign(levels("wrg0 lcl0")))
	}})
	if g.reduces { // a work-group for an element, its work-items in the reduction
		e.groupPerElement(g, list)
	}
}

// groupSizes are the divisors of n that work-groups have.
func groupSizes(n, most int64) []int64 { return divisors(n, 16, most) }

// tiles are the mappings of two-dimensional tiles: of a stencil, overlapping; of other nests, not.
func (e *explorer) tiles(g *grid, list *[]choice) {
	h, w := g.lengths[0], g.lengths[1]
	t, v := number{"t", divisors(h, 1, 64)}, number{"v", divisors(w, 1, 64)}
	k := number{"k", chunks(h)}
	inGroups := func(n map[string]int64) bool { return e.group(n["t"] * n["v"]) }
	perThread := func(n map[string]int64) bool { return n["t"]*n["v"] > 1 && n["t"]*n["v"] <= 32 }
	tile := func(n map[string]int64) rules.Strategy {
		return rules.Use(g.stencil, "t", size(n, "t"), "v", size(n, "v"))
	}
	// From the tiled term to the outermost of its maps.
	at := []int{1, 0, 1} // map(join) o join o map(transpose) o …
	if g.stencil == "" {
		e.tilesOfMaps(g, list)
		return
	}
	add := func(name string, numbers []number, admits func(map[string]int64) bool, inside func(n map[string]int64) rules.Strategy) {
		*list = append(*list, choice{name: name, numbers: numbers, admits: admits, build: func(n map[string]int64) rules.Strategy {
			return rules.Seq(tile(n), rules.At(at, inside(n)))
		}})
	}
	both := []number{t, v}
	for _, text := range []string{"glb1 glb0 seq seq", "glb0 glb1 seq seq", "glb1 glb0 unr unr", "glb1 glb0 seq unr"} {
		add("tiles of t by v, "+text, both, perThread, func(map[string]int64) rules.Strategy { return assign(levels(text)) })
	}
	copies := []struct {
		name string
		s    rules.Strategy
	}{
		{"", rules.ID},
		{", local copy", copyTile},
	}
	for _, text := range []string{"wrg1 wrg0 lcl1 lcl0", "wrg0 wrg1 lcl0 lcl1"} {
		for _, c := range copies {
			add("tiles of t by v, "+text+c.name, both, inGroups, func(map[string]int64) rules.Strategy {
				return rules.Seq(assign(levels(text)), c.s)
			})
		}
	}
	// Several rows of the tile for each work-item.
	rowsOf := func(n map[string]int64) bool {
		return n["t"]%n["k"] == 0 && n["t"] > n["k"] && e.group(n["t"]/n["k"]*n["v"])
	}
	for _, text := range []string{"wrg1 wrg0 lcl1 seq lcl0", "wrg1 wrg0 lcl1 unr lcl0"} {
		for _, c := range copies {
			add("tiles of t by v, rows in chunks of k, "+text+c.name, []number{t, v, k}, rowsOf, func(n map[string]int64) rules.Strategy {
				return rules.Seq(inTile(rules.Use("splitJoin", "n", size(n, "k"))), assign(levels(text)), c.s)
			})
			add("tiles of t by v, rows in strides of k, "+text+c.name, []number{t, v, k}, rowsOf, func(n map[string]int64) rules.Strategy {
				return rules.Seq(inTile(strided(n["t"]/n["k"], n["k"])), assign(levels(text)), c.s)
			})
		}
	}
	// Several columns.
	columnsOf := func(n map[string]int64) bool {
		return n["v"]%n["k"] == 0 && n["v"] > n["k"] && e.group(n["t"]*n["v"]/n["k"])
	}
	k = number{"k", chunks(w)}
	for _, text := range []string{"wrg1 wrg0 lcl1 lcl0 seq", "wrg1 wrg0 lcl1 lcl0 unr"} {
		for _, c := range copies {
			add("tiles of t by v, columns in strides of k, "+text+c.name, []number{t, v, k}, columnsOf, func(n map[string]int64) rules.Strategy {
				return rules.Seq(inTile(inner(strided(n["v"]/n["k"], n["k"]))), assign(levels(text)), c.s)
			})
		}
	}
	e.walksInTiles(g, tile, list)
}

// inTile is the strategy at the map over the rows of a tile: in the maps over tiles, under views of what they give.
func inTile(s rules.Strategy) rules.Strategy {
	return inner(inner(rules.TopDown(rules.Where(computes, s))))
}

// copyTile copies the overlapping tile that a work-group reads to local memory: at the innermost mapWrg.
var copyTile = rules.BottomUp(rules.Where(func(t *lift.Term) bool { return t.Op == lift.MapWrg }, rules.Else(rules.Use("copyLocal2D"), rules.Use("copyLocalZip2D"))))

// tilesOfMaps are tiles of a nest that is no stencil: rows and columns in chunks.
func (e *explorer) tilesOfMaps(g *grid, list *[]choice) {
	h, w := g.lengths[0], g.lengths[1]
	t, v := number{"t", divisors(h, 2, 64)}, number{"v", divisors(w, 2, 64)}
	build := func(text string) func(n map[string]int64) rules.Strategy {
		return func(n map[string]int64) rules.Strategy {
			return rules.Seq(rules.MacroByName("tileMaps").Run(rules.Args{"n": size(n, "t"), "m": size(n, "v")}), assign(levels(text)))
		}
	}
	for _, text := range []string{"wrg1 wrg0 lcl0 lcl1", "wrg0 wrg1 lcl1 lcl0"} {
		*list = append(*list, choice{name: "tiles of t by v, " + text, numbers: []number{t, v}, build: build(text), admits: func(n map[string]int64) bool {
			return e.group(n["t"] * n["v"])
		}})
	}
	for _, text := range []string{"glb1 glb0 seq seq", "glb1 glb0 unr unr"} {
		*list = append(*list, choice{name: "tiles of t by v, " + text, numbers: []number{t, v}, build: build(text), admits: func(n map[string]int64) bool {
			return n["t"]*n["v"] <= 32
		}})
	}
}

// elements are the ways to compute one element, beside the plain one: copies to private memory, reductions in chunks.
func (e *explorer) elements(g *grid, m choice) []choice {
	none := func(map[string]int64) rules.Strategy { return rules.ID }
	list := []choice{{build: none}}
	sequential := func(word string) bool { return strings.Contains(m.name, word) }
	if g.stencil != "" && !slices.ContainsFunc([]string{"seq", "unr", "walks"}, sequential) {
		list = append(list, choice{name: "private copy", build: func(map[string]int64) rules.Strategy {
			return rules.BottomUp(rules.Else(rules.Use("copyPrivate2D"), rules.Use("copyPrivateGlb2D")))
		}})
	}
	if g.reduces {
		if n := e.reductionLength(g.element); n > 1 {
			list = append(list, choice{name: "reduction in chunks of c", numbers: []number{{"c", divisors(n, 2, 32)}}, build: func(n map[string]int64) rules.Strategy {
				return rules.Seq(
					rules.TopDown(toReduce),
					rules.Repeat(rules.TopDown(rules.Where(func(t *lift.Term) bool { return t.Op == lift.ReduceSeq && computes(t.Arg()) },
						rules.Seq(rules.AtKid(2, toSeq), rules.Use("reduceMapFusion"))))),
					rules.TopDown(rules.Use("reduceSeqSplit", "n", size(n, "c"))),
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
