package sass

import (
	"cmp"
	"slices"
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
	g := f.graph()
	for _, header := range slices.Backward(g.order) {
		var back []int
		for _, b := range g.before[header] {
			if g.dominates(header, b) {
				back = append(back, b)
			}
		}
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

// graph is the flow graph with what dominators need. The root is a block before the entry and the subroutines.
type graph struct {
	order     []int // the blocks that are reached, in reverse postorder
	rank      []int // of each block in that order, from 1; 0 for blocks that are not reached, and the root
	dominator []int // the immediate dominator of each rank, as a rank
	before    [][]int
}

func (f *Function) graph() *graph {
	g := &graph{rank: make([]int, len(f.Blocks)), before: make([][]int, len(f.Blocks))}
	roots := []int{0}
	for b, block := range f.Blocks {
		for _, to := range block.Next {
			g.before[to] = append(g.before[to], b)
		}
		roots = append(roots, block.Calls...)
	}
	g.walk(f, roots)
	for i, b := range g.order {
		g.rank[b] = i + 1
	}
	g.dominators(roots)
	return g
}

// walk lists the blocks that the roots reach, in reverse postorder.
func (g *graph) walk(f *Function, roots []int) {
	type visit struct{ block, next int }
	seen := make([]bool, len(f.Blocks))
	for _, root := range slices.Backward(roots) {
		if seen[root] {
			continue
		}
		seen[root] = true
		for stack := []visit{{block: root}}; len(stack) > 0; {
			top := &stack[len(stack)-1]
			if next := f.Blocks[top.block].Next; top.next < len(next) {
				to := next[top.next]
				top.next++
				if !seen[to] {
					seen[to] = true
					stack = append(stack, visit{block: to})
				}
				continue
			}
			g.order = append(g.order, top.block)
			stack = stack[:len(stack)-1]
		}
	}
	slices.Reverse(g.order)
}

// dominators computes immediate dominators: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", 2001, figure 3.
func (g *graph) dominators(roots []int) {
	g.dominator = make([]int, len(g.order)+1)
	known := make([]bool, len(g.order)+1)
	known[0] = true
	for _, r := range roots {
		known[g.rank[r]] = true
	}
	isRoot := slices.Clone(known)
	for changed := true; changed; {
		changed = false
		for i, b := range g.order {
			rank, found := i+1, -1
			if isRoot[rank] {
				continue
			}
			for _, before := range g.before[b] {
				switch r := g.rank[before]; {
				case r == 0 || !known[r]:
				case found < 0:
					found = r
				default:
					found = g.common(found, r)
				}
			}
			if !known[rank] || g.dominator[rank] != found {
				known[rank], g.dominator[rank], changed = true, found, true
			}
		}
	}
}

// common is the nearest rank that dominates both.
func (g *graph) common(a, b int) int {
	for a != b {
		if a > b {
			a = g.dominator[a]
		} else {
			b = g.dominator[b]
		}
	}
	return a
}

// dominates reports whether all ways to block b lead through block a.
func (g *graph) dominates(a, b int) bool {
	rank := g.rank[b]
	for rank > g.rank[a] {
		rank = g.dominator[rank]
	}
	return g.rank[a] > 0 && rank == g.rank[a]
}
