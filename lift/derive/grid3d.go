package derive

import "gpuperf/lift/rules"

// longChunks is the sequential work of a work-item in one or three dimensions, where there is less to choose than in two: loops
// of many lengths, and unrolled ones of small numbers.
func longChunks(n int64, unrolled bool) []int64 {
	if unrolled {
		return chunks(n)
	}
	return divisors(n, 2, 128)
}

// mappings3 are the mappings of three dimensions without tiles.
func (e *explorer) mappings3(g *grid) (out []recipe) {
	for _, n := range []nest{{glb2, glb1, glb0}, {glb1, glb0, seq}, {glb0, glb1, glb2}, {wrg0, lcl0, seq}, {seq, glb1, glb0}, {glb0, seq, seq}} {
		out = append(out, loops("", n, nil, none))
	}
	cut := func(what string, dim int, strides bool, nests ...nest) {
		for _, n := range nests {
			k := number{"k", longChunks(g.lengths[dim], n.unrolls())}
			out = append(out, loops(what, n, []number{k}, func(p point) rules.Strategy {
				return deeper(dim, cutMap(g.lengths[dim], p["k"], strides))
			}))
		}
	}
	cut("planes in chunks of k", 0, false, nest{glb2, seq, glb1, glb0}, nest{glb2, unr, glb1, glb0}, nest{wrg0, seq, lcl0, seq})
	cut("rows in chunks of k", 1, false, nest{glb2, glb1, seq, glb0}, nest{glb2, glb1, unr, glb0})
	cut("columns in chunks of k", 2, false, nest{glb2, glb1, glb0, seq}, nest{glb2, glb1, glb0, unr})
	// Blocks: a work-item computes chunks along two dimensions.
	for _, b := range []struct {
		first, second int
		nest          nest
	}{{0, 1, nest{glb2, seq, glb1, seq, glb0}}, {0, 2, nest{glb2, seq, glb1, glb0, seq}}, {1, 2, nest{glb2, glb1, seq, glb0, seq}}} {
		numbers := []number{{"k", longChunks(g.lengths[b.first], false)}, {"l", longChunks(g.lengths[b.second], false)}}
		out = append(out, loops("blocks", b.nest, numbers, func(p point) rules.Strategy {
			// The inner first: an outer split changes where it stands.
			return rules.Seq(deeper(b.second, cutMap(0, p["l"], false)), deeper(b.first, cutMap(0, p["k"], false)))
		}))
	}
	cut("columns in strides", 2, true, nest{glb2, glb1, glb0, seq})
	cut("columns in strides of k", 2, true, nest{glb2, glb1, glb0, unr})
	cut("rows in strides of k", 1, true, nest{glb2, glb1, seq, glb0}, nest{glb2, glb1, unr, glb0})
	cut("planes in strides of k", 0, true, nest{glb2, seq, glb1, glb0}, nest{glb2, unr, glb1, glb0})
	return out
}
