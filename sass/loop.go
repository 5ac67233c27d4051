package sass

import (
	"cmp"
	"slices"

	"gpuperf/internal/lists"
)

// Loop is a natural loop: the blocks from which an edge back to the header is reached without leaving through it. Blocks name the
// innermost loop that they are in.
type Loop struct {
	Header int   // a block
	Outer  *Loop // the loop around it; nil for none
	Depth  int   // 1 for the outermost
}

// mostBlocks is how many blocks a function may have whose loops are looked for.
const mostBlocks = 1 << 14

// findLoops finds the natural loops, and says of each block which one it is in. Loops that are entered at two places are none.
//
// Headers of inner loops come after those of outer ones in the order of the graph, so that going backward a loop is complete before the
// one around it collects its blocks, of which it is then one.
func (f *Function) findLoops() (loops []*Loop) {
	g := f.ways()
	for _, header := range slices.Backward(g.order) {
		back := lists.Where(g.before[header], func(b int) bool { return g.dominates(header, b) })
		if len(back) > 0 {
			l := &Loop{Header: header}
			f.collect(g, l, back)
			loops = append(loops, l)
		}
	}
	slices.Reverse(loops) // outer ones first
	for _, l := range loops {
		if l.Depth = 1; l.Outer != nil {
			l.Depth += l.Outer.Depth
		}
	}
	slices.SortFunc(loops, func(a, b *Loop) int { return cmp.Compare(a.Header, b.Header) })
	return loops
}

// collect gives loop l its blocks: those that reach the ends of back edges without passing its header.
func (f *Function) collect(g *graph, l *Loop, todo []int) {
	f.Blocks[l.Header].Loop = l
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		inner := f.Blocks[b].Loop
		for inner != nil && inner.Outer != nil {
			inner = inner.Outer
		}
		switch {
		case inner == l || g.rank[b] == 0:
			continue
		case inner == nil:
			f.Blocks[b].Loop = l
		default:
			inner.Outer, b = l, inner.Header
		}
		todo = append(todo, g.before[b]...)
	}
}
