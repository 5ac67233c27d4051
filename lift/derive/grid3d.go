package derive

import (
	"strings"

	"gpuperf/lift/rules"
)

// longChunks is the sequential work of a work-item in one or three dimensions, where there is less to choose than in two: loops
// of many lengths, and unrolled ones of small numbers.
func longChunks(n int64, text string) []int64 {
	if strings.Contains(text, "unr") {
		return chunks(n)
	}
	return divisors(n, 2, 128)
}

// mappings3 are the mappings of three dimensions without tiles.
func (e *explorer) mappings3(g *grid, list *[]choice) {
	plain := func(text string) {
		*list = append(*list, choice{name: text, build: func(map[string]int64) rules.Strategy { return assign(levels(text)) }})
	}
	plain("glb2 glb1 glb0")
	plain("glb1 glb0 seq")
	plain("glb0 glb1 glb2")
	plain("wrg0 lcl0 seq")
	plain("seq glb1 glb0")
	plain("glb0 seq seq")
	for _, text := range []string{"glb2 seq glb1 glb0", "glb2 unr glb1 glb0", "wrg0 seq lcl0 seq"} {
		*list = append(*list, choice{
			name: "planes in chunks of k, " + text, numbers: []number{{"k", longChunks(g.lengths[0], text)}},
			build: func(n map[string]int64) rules.Strategy {
				return rules.Seq(rules.Use("splitJoin", "n", size(n, "k")), assign(levels(text)))
			},
		})
	}
	for _, text := range []string{"glb2 glb1 seq glb0", "glb2 glb1 unr glb0"} {
		*list = append(*list, choice{
			name: "rows in chunks of k, " + text, numbers: []number{{"k", longChunks(g.lengths[1], text)}},
			build: func(n map[string]int64) rules.Strategy {
				return rules.Seq(inner(rules.Use("splitJoin", "n", size(n, "k"))), assign(levels(text)))
			},
		})
	}
	for _, text := range []string{"glb2 glb1 glb0 seq", "glb2 glb1 glb0 unr"} {
		*list = append(*list, choice{
			name: "columns in chunks of k, " + text, numbers: []number{{"k", longChunks(g.lengths[2], text)}},
			build: func(n map[string]int64) rules.Strategy {
				return rules.Seq(inner(inner(rules.Use("splitJoin", "n", size(n, "k")))), assign(levels(text)))
			},
		})
	}
	// Blocks: a work-item computes chunks along two dimensions.
	for _, b := range []struct {
		first, second int
		text          string
	}{{0, 1, "glb2 seq glb1 seq glb0"}, {0, 2, "glb2 seq glb1 glb0 seq"}, {1, 2, "glb2 glb1 seq glb0 seq"}} {
		*list = append(*list, choice{
			name:    "blocks, " + b.text,
			numbers: []number{{"k", longChunks(g.lengths[b.first], b.text)}, {"l", longChunks(g.lengths[b.second], b.text)}},
			build: func(n map[string]int64) rules.Strategy {
				split := func(d int, k string) rules.Strategy {
					s := rules.Use("splitJoin", "n", size(n, k))
					for range d {
						s = inner(s)
					}
					return s
				}
				// The inner first: an outer split changes where it stands.
				return rules.Seq(split(b.second, "l"), split(b.first, "k"), assign(levels(b.text)))
			},
		})
	}
	for _, s := range []struct {
		name, text string
		dim        int
	}{
		{"columns in strides, ", "glb2 glb1 glb0 seq", 2},
		{"columns in strides of k, ", "glb2 glb1 glb0 unr", 2},
		{"rows in strides of k, ", "glb2 glb1 seq glb0", 1},
		{"rows in strides of k, ", "glb2 glb1 unr glb0", 1},
		{"planes in strides of k, ", "glb2 seq glb1 glb0", 0},
		{"planes in strides of k, ", "glb2 unr glb1 glb0", 0},
	} {
		*list = append(*list, choice{
			name: s.name + s.text, numbers: []number{{"k", longChunks(g.lengths[s.dim], s.text)}},
			build: func(n map[string]int64) rules.Strategy {
				split := strided(g.lengths[s.dim]/n["k"], n["k"])
				for range s.dim {
					split = inner(split)
				}
				return rules.Seq(split, assign(levels(s.text)))
			},
		})
	}
}
