package machine

import (
	"cmp"
	"math"
	"slices"

	"gpuperf/internal/lists"
)

// groups are inner loops by the loop of the kernel, those that do most iterations in a round first.
func (n *node) groups() (list [][]*node) {
	for i, x := range n.inner {
		if i > 0 && x.loop == n.inner[i-1].loop {
			list[len(list)-1] = append(list[len(list)-1], x)
		} else {
			list = append(list, []*node{x})
		}
	}
	for _, g := range list {
		slices.SortStableFunc(g, func(a, b *node) int { return cmp.Compare(b.by, a.by) })
	}
	return list
}

// execute adds what is executed of a node and of the loops inside it.
func (m *matcher) execute(n *node, times float64, out *Counts) {
	own := newCounts()
	own.add(n.part, times)
	groups := n.groups()
	for _, g := range groups {
		copies := copiesOf(n, groups, g[0])
		left := m.group(g, copies, out)
		own.add(g[0].part, min(left-float64(copies)*times, 0)/g[0].by) // some copies are not executed
	}
	out.join(own)
}

// group adds the loops of the code that are one of the kernel, and returns how many iterations they leave over. Of a body that stands several
// times each has its own loops, which share the iterations.
func (m *matcher) group(g []*node, copies int64, out *Counts) (left float64) {
	var steps []int64
	sharing := map[int64]float64{}
	for _, x := range g {
		step := int64(x.by)
		if sharing[step]++; sharing[step] == 1 {
			steps = append(steps, step)
		}
	}
	for _, x := range g {
		i := slices.Index(steps, int64(x.by))
		rounds := x.loop.sum(func(n int64) int64 { return roundsOf(n, steps, i, copies) })
		m.execute(x, rounds/sharing[steps[i]], out)
	}
	return g[0].loop.sum(func(n int64) int64 { return leftOf(n, steps, copies) })
}

// copiesOf is how many copies of a loop's body stand outside of it: as many as there is too much work of a kind that the loop does.
func copiesOf(outer *node, groups [][]*node, loop *node) int64 {
	for _, key := range loop.work.keys() {
		if key.Space == Integers {
			break // there are addresses and counters everywhere
		}
		each := lists.Sum(groups, func(g []*node) float64 { return g[0].work[key] / g[0].by })
		if each > 0 {
			return int64(max(math.Round((outer.work[key]-outer.own[key])/each), 0))
		}
	}
	return 0
}

// block is how many iterations nvcc leaves to a block without a loop behind a loop of twice as many.
const block = 8

// roundsOf is how many rounds the i-th of loops with such steps makes of n iterations.
func roundsOf(n int64, steps []int64, i int, copies int64) int64 {
	for _, step := range steps[:i] {
		n %= step
		if step == 2*block && copies >= block && n >= block {
			n -= block
		}
	}
	return n / steps[i]
}

// leftOf is how many of n iterations no loop does.
func leftOf(n int64, steps []int64, copies int64) int64 {
	left := n
	for i, step := range steps {
		left -= step * roundsOf(n, steps, i, copies)
	}
	return left
}
