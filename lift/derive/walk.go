package derive

import (
	"strings"

	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// Walks: a work-item goes through a stencil along its outermost dimension and keeps the window in registers, so that every
// element is read once per column (the "2.5-D" tiling of grids; mapSeqSlide of the Lift project).

// streamed are the rules that make walks of a stencil of two or three dimensions: its columns, each a stencil of its own.
func streamed(dims int) rules.Strategy {
	if dims == 3 {
		return rules.Else(rules.Use("streamStencils3D"), rules.Use("streamStencilsZip3D"))
	}
	return rules.Else(rules.Use("streamStencils2D"), rules.Use("streamStencilsZip2D"))
}

// cutWalk cuts a column in chunks of t results, maps them, and walks in each.
func cutWalk(t int64, chunks rules.Strategy) rules.Strategy {
	walk := rules.Seq(toSeq, rules.Use("mapSeqSlide"))
	return rules.Seq(
		rules.Use("tileStencils", "t", int(t)),
		nextMap(rules.Seq(chunks, inner(nextMap(walk)))),
	)
}

// along maps nests of maps, outermost first: "glb1 glb0".
func along(text string, inside rules.Strategy) rules.Strategy {
	first, rest, more := strings.Cut(text, " ")
	if more {
		inside = along(rest, inside)
	}
	return nextMap(rules.Seq(use(levels(first)[0]), inner(inside)))
}

// use is the strategy that maps to a level.
func use(l level) rules.Strategy {
	switch l.op {
	case lift.MapGlb:
		return rules.Use("mapGlb", "d", l.dim)
	case lift.MapWrg:
		return rules.Use("mapWrg", "d", l.dim)
	case lift.MapLcl:
		return rules.Use("mapLcl", "d", l.dim)
	}
	if l.unroll {
		return rules.Seq(toSeq, rules.Use("mapUnroll"))
	}
	return toSeq
}

// walks are the mappings with walks of a stencil of two or three dimensions.
func (e *explorer) walks(g *grid, list *[]choice) {
	dims := len(g.lengths)
	if !e.applies(e.fused, g.path, streamed(dims)) {
		return
	}
	h := g.lengths[0]
	t := number{"t", divisors(h, 2, 1024)}
	// The maps over columns, and over the chunks of each.
	texts := [][2]string{{"glb0", "glb1"}, {"glb1", "glb0"}}
	if dims == 3 {
		texts = [][2]string{{"glb1 glb0", "glb2"}, {"glb2 glb0", "glb1"}, {"glb0 glb1", "glb2"}}
	}
	for _, text := range texts {
		*list = append(*list, choice{
			name: "walks of t, " + text[0] + ", chunks " + text[1], numbers: []number{t},
			build: func(n map[string]int64) rules.Strategy {
				return rules.Seq(streamed(dims), along(text[0], nextMap(cutWalk(n["t"], use(levels(text[1])[0])))))
			},
		})
	}
	// Several columns for each work-item: their windows are registers side by side.
	wide := g.lengths[dims-1]
	for _, apart := range []bool{false, true} {
		word := map[bool]string{false: "chunks", true: "strides"}[apart]
		columns, chunks := "glb0", "glb1"
		if dims == 3 {
			columns, chunks = "glb1 glb0", "glb2"
		}
		*list = append(*list, choice{
			name: "walks of t, columns in " + word + " of k, " + columns + " seq, chunks " + chunks, numbers: []number{t, {"k", dividing(wide, []int64{2, 4, 8})}},
			build: func(n map[string]int64) rules.Strategy {
				split := nextMap(cutMap(wide, n["k"], apart))
				if dims == 3 {
					split = nextMap(inner(split))
				}
				return rules.Seq(streamed(dims), split, along(columns+" seq", nextMap(cutWalk(n["t"], use(levels(chunks)[0])))))
			},
		})
	}
}

// walksInTiles are walks within the tiles of work-groups, of t by v results in two dimensions: each work-item takes a column
// of k rows.
func (e *explorer) walksInTiles(g *grid, tile func(n map[string]int64) rules.Strategy, list *[]choice) {
	if !e.applies(e.fused, g.path, streamed(2)) {
		return
	}
	h, w := g.lengths[0], g.lengths[1]
	numbers := []number{{"t", divisors(h, 2, 256)}, {"v", divisors(w, 8, 256)}, {"k", divisors(h, 2, 256)}}
	for _, copies := range []bool{false, true} {
		name, copied := "tiles of t by v, walks of k, wrg1 wrg0 lcl0 lcl1", rules.Strategy(rules.ID)
		if copies {
			name, copied = name+", local copy", copyTile
		}
		*list = append(*list, choice{
			name: name, numbers: numbers,
			admits: func(n map[string]int64) bool {
				return n["t"]%n["k"] == 0 && e.group(n["v"]*(n["t"]/n["k"]))
			},
			build: func(n map[string]int64) rules.Strategy {
				return rules.Seq(tile(n), along("wrg1 wrg0", rules.ID), copied,
					nextMap(rules.Seq(streamed(2), along("lcl0", nextMap(cutWalk(n["k"], use(levels("lcl1")[0])))))))
			},
		})
	}
}

// tiles3D are the mappings of tiles of a stencil of three dimensions.
func (e *explorer) tiles3D(g *grid, list *[]choice) {
	tile := func(n map[string]int64) rules.Strategy {
		args := []any{"i", int(n["t"]), "k", int(n["u"]), "w", int(n["v"])}
		return rules.Else(rules.Use("tileStencils3D", args...), rules.Use("tileStencilsZip3D", args...))
	}
	if !e.applies(e.fused, g.path, tile(map[string]int64{"t": 1, "u": 1, "v": 1})) {
		return
	}
	d, h, w := g.lengths[0], g.lengths[1], g.lengths[2]
	numbers := []number{{"t", divisors(d, 1, 256)}, {"u", divisors(h, 1, 256)}, {"v", divisors(w, 1, 256)}}
	items := func(n map[string]int64) int64 { return n["t"] * n["u"] * n["v"] }
	add := func(name string, more []number, admits func(n map[string]int64) bool, inside func(n map[string]int64) rules.Strategy) {
		*list = append(*list, choice{name: "tiles of t by u by v, " + name, numbers: append(append([]number{}, numbers...), more...), admits: admits, build: func(n map[string]int64) rules.Strategy {
			return rules.Seq(tile(n), inside(n))
		}})
	}
	for _, text := range []string{"glb2 glb1 glb0 seq seq seq", "glb2 glb1 glb0 unr unr unr"} {
		add(text, nil, func(n map[string]int64) bool { return items(n) > 1 && items(n) <= 32 }, func(map[string]int64) rules.Strategy {
			return assign(levels(text))
		})
	}
	copies := []struct {
		name string
		s    rules.Strategy
	}{{"", rules.ID}, {", local copy", copyTile3D}}
	for _, c := range copies {
		for _, text := range []string{"wrg2 wrg1 wrg0 lcl2 lcl1 lcl0", "wrg0 wrg1 wrg2 lcl0 lcl1 lcl2"} {
			add(text+c.name, nil, func(n map[string]int64) bool { return e.group(items(n)) }, func(map[string]int64) rules.Strategy {
				return rules.Seq(assign(levels(text)), c.s)
			})
		}
		// Several planes for each work-item, that it goes through or, of a column, walks along.
		k := []number{{"k", divisors(d, 2, 256)}}
		groups := func(n map[string]int64) bool { return n["t"]%n["k"] == 0 && e.group(items(n)/n["k"]) }
		for _, text := range []string{"lcl2 seq lcl1 lcl0", "lcl2 unr lcl1 lcl0"} {
			fits := func(n map[string]int64) bool { return groups(n) && (n["k"] <= 16 || !strings.Contains(text, "unr")) }
			add("planes in chunks of k, wrg2 wrg1 wrg0 "+text+c.name, k, fits, func(n map[string]int64) rules.Strategy {
				return rules.Seq(along("wrg2 wrg1 wrg0", rules.ID), c.s, nextMap(rules.Seq(rules.Use("splitJoin", "n", int(n["k"])), assign(levels(text)))))
			})
		}
		if e.applies(e.fused, g.path, streamed(3)) {
			add("walks of k, wrg2 wrg1 wrg0 lcl1 lcl0 lcl2"+c.name, k, groups, func(n map[string]int64) rules.Strategy {
				return rules.Seq(along("wrg2 wrg1 wrg0", rules.ID), c.s,
					nextMap(rules.Seq(streamed(3), along("lcl1 lcl0", nextMap(cutWalk(n["k"], use(levels("lcl2")[0])))))))
			})
		}
	}
}

// copyTile3D copies the overlapping tile that a work-group reads to local memory: at the innermost mapWrg.
var copyTile3D = rules.BottomUp(rules.Where(func(t *lift.Term) bool { return t.Op == lift.MapWrg }, rules.Else(rules.Use("copyLocal3D"), rules.Use("copyLocalZip3D"))))
