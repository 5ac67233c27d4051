package exec

import (
	"slices"

	"gpuperf/sass"
)

// meetings finds, for each block, the one where all ways from its end meet again: the first that is on all of them. It is -1 where ways
// end before they meet. These are the immediate postdominators: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", 2001, on
// the reversed graph.
func meetings(f *sass.Function) []int {
	end := len(f.Blocks) // behind all ends
	before := make([][]int, end+1)
	for b := range f.Blocks {
		next := f.Blocks[b].Next
		if len(next) == 0 {
			next = []int{end}
		}
		for _, n := range next {
			before[n] = append(before[n], b)
		}
	}
	order, rank := backward(before, end)
	first := make([]int, end+1)
	for i := range first {
		first[i] = -1
	}
	first[end] = end
	common := func(a, b int) int {
		for a != b {
			for rank[a] > rank[b] {
				a = first[a]
			}
			for rank[b] > rank[a] {
				b = first[b]
			}
		}
		return a
	}
	for changed := true; changed; {
		changed = false
		for _, b := range order[1:] {
			found := -1
			next := f.Blocks[b].Next
			if len(next) == 0 {
				next = []int{end}
			}
			for _, n := range next {
				switch {
				case first[n] < 0:
				case found < 0:
					found = n
				default:
					found = common(found, n)
				}
			}
			if found != first[b] {
				first[b], changed = found, true
			}
		}
	}
	for i, n := range first {
		if n == end {
			first[i] = -1
		}
	}
	return first[:end]
}

// backward lists the blocks from which the end is reached, in reverse postorder of the reversed graph, and the place of each in it.
func backward(before [][]int, end int) (order, rank []int) {
	rank = make([]int, len(before))
	seen := make([]bool, len(before))
	type visit struct{ block, next int }
	seen[end] = true
	for stack := []visit{{block: end}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		if list := before[top.block]; top.next < len(list) {
			to := list[top.next]
			top.next++
			if !seen[to] {
				seen[to] = true
				stack = append(stack, visit{block: to})
			}
			continue
		}
		order = append(order, top.block)
		stack = stack[:len(stack)-1]
	}
	slices.Reverse(order)
	for i, b := range order {
		rank[b] = i
	}
	return order, rank
}
