package sass

import "slices"

// graph is a graph of blocks with what dominators need. A root of its own leads to all blocks where ways begin.
type graph struct {
	order     []int // the blocks that are reached, in reverse postorder
	rank      []int // of each block in that order, from 1; 0 for blocks that are not reached, and the root
	dominator []int // the immediate dominator of each rank, as a rank
	before    [][]int
}

// ways is the flow graph. Its ways begin at the entry and at subroutines.
func (f *Function) ways() *graph {
	next, begin := make([][]int, len(f.Blocks)), []int{0}
	for b, block := range f.Blocks {
		next[b] = block.Next
		begin = append(begin, block.Calls...)
	}
	return newGraph(next, reversed(next), begin)
}

// Meetings are, for each block, the one where all ways from its end meet again: the first that is on all of them, its immediate postdominator. It is
// -1 where ways end before they meet.
func (f *Function) Meetings() []int {
	next := make([][]int, len(f.Blocks))
	var ends []int
	for b, block := range f.Blocks {
		if next[b] = block.Next; len(next[b]) == 0 {
			ends = append(ends, b)
		}
	}
	g := newGraph(reversed(next), next, ends)
	meet := make([]int, len(f.Blocks))
	for b := range meet {
		meet[b] = -1
		if at := g.dominator[g.rank[b]]; at > 0 {
			meet[b] = g.order[at-1]
		}
	}
	return meet
}

func reversed(next [][]int) [][]int {
	before := make([][]int, len(next))
	for b, list := range next {
		for _, to := range list {
			before[to] = append(before[to], b)
		}
	}
	return before
}

func newGraph(next, before [][]int, begin []int) *graph {
	g := &graph{rank: make([]int, len(next)), before: before}
	g.walk(next, begin)
	for i, b := range g.order {
		g.rank[b] = i + 1
	}
	g.dominators(begin)
	return g
}

// walk lists the blocks that are reached, in reverse postorder.
func (g *graph) walk(next [][]int, begin []int) {
	type visit struct{ block, next int }
	seen := make([]bool, len(next))
	for _, first := range slices.Backward(begin) {
		if seen[first] {
			continue
		}
		seen[first] = true
		for stack := []visit{{block: first}}; len(stack) > 0; {
			top := &stack[len(stack)-1]
			if list := next[top.block]; top.next < len(list) {
				to := list[top.next]
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
func (g *graph) dominators(begin []int) {
	g.dominator = make([]int, len(g.order)+1)
	known := make([]bool, len(g.order)+1)
	known[0] = true
	for _, b := range begin {
		known[g.rank[b]] = true
	}
	begins := slices.Clone(known)
	for changed := true; changed; {
		changed = false
		for i, b := range g.order {
			rank, found := i+1, -1
			if begins[rank] {
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
