package machine

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gpuperf/samples"
)

// matcher matches the loops of a kernel and of its code.
type matcher struct {
	joined
	kernel  *Kernel
	root    *node
	skipped Work // what stands in the code for sub-groups that do not get to it
}

// node is a loop of the code, or, as the root, what is outside of all.
type node struct {
	part  samples.CodePart // without inner loops
	work  Work
	inner []*node
	choice
	own Work // of the kernel in a round, without that of inner loops
}

// choice is what a loop of the code does.
type choice struct {
	loop  *Loop   // of the kernel; nil for the root
	by    float64 // its iterations in a round; 0 where no work tells
	rough bool    // nothing but rough work tells
}

func (m *matcher) tree(code *samples.Code) *node {
	rest := code.CodePart
	rest.Classes, rest.Accesses = maps.Clone(rest.Classes), maps.Clone(rest.Accesses)
	root := &node{}
	open := []*node{root}
	for _, l := range code.Loops {
		n := &node{part: l.CodePart, work: m.joined.of(l.CodePart)}
		open = open[:min(l.Depth, len(open))]
		outer := open[len(open)-1]
		outer.inner, open = append(outer.inner, n), append(open, n)
		rest.Instructions -= l.Instructions
		rest.Barriers -= l.Barriers
		for class, n := range l.Classes {
			rest.Classes[class] -= n
		}
		for access, n := range l.Accesses {
			rest.Accesses[access] -= n
		}
	}
	root.part, root.work = rest, m.joined.of(rest)
	return root
}

// plan is a way to match loops, with how well it fits.
type plan struct {
	score float64
	of    map[*node]choice
}

// match finds the loop of the kernel that each loop of the code is.
func (m *matcher) match() error {
	p := m.assign(m.root.inner, within(m.kernel.Loops))
	if p == nil {
		return errors.New("its machine code has loops that are none of the kernel")
	}
	for n, c := range p.of {
		n.choice = c
	}
	m.skipped = Work{}
	return m.settle(m.root, m.kernel.Work, m.kernel.Loops, m.kernel.Subgroups)
}

// again is the price of taking a loop of the code for a copy of another.
const again = 0.5

// assign finds the best loops for nodes that follow one another, in the order of the loops: several nodes may be one. It is nil where there are
// too few.
func (m *matcher) assign(nodes []*node, loops []*Loop) (best *plan) {
	loops = slices.DeleteFunc(slices.Clone(loops), func(l *Loop) bool { return !l.returns() })
	all := make([]*plan, len(loops)) // by the loop of the last node
	for i, n := range nodes {
		next := make([]*plan, len(loops))
		for j, l := range loops {
			own := m.fit(n, l)
			if own == nil {
				continue
			}
			before := &plan{}
			if i > 0 {
				before = bestBefore(all[:j+1], loops, nodes[i-1], own.of[n].by)
			}
			if before != nil {
				next[j] = &plan{before.score + own.score, maps.Clone(own.of)}
				maps.Copy(next[j].of, before.of)
			}
		}
		all = next
	}
	if len(nodes) == 0 {
		return &plan{}
	}
	for _, p := range all {
		if p != nil && (best == nil || p.score > best.score) {
			best = p
		}
	}
	return best
}

// bestBefore is the best of plans, the i-th of which ends in loops[i], to be followed by a node that is the last of these loops.
func bestBefore(plans []*plan, loops []*Loop, last *node, by float64) (best *plan) {
	l := loops[len(plans)-1]
	for i, p := range plans {
		if p == nil || loops[i].holds(l) {
			continue
		}
		if loops[i] == l && p.of[last].by <= by {
			p = &plan{p.score - again, p.of}
		}
		if best == nil || p.score > best.score {
			best = p
		}
	}
	return best
}

// within lists the loops of a forest, each before those inside it.
func within(list []*Loop) (all []*Loop) {
	for _, l := range list {
		all = append(append(all, l), within(l.Inner)...)
	}
	return all
}

// holds reports whether another loop is inside.
func (l *Loop) holds(x *Loop) bool { return slices.Contains(within(l.Inner), x) }

// returns reports whether the loop may have a second iteration.
func (l *Loop) returns() bool {
	return !l.Fixed || slices.ContainsFunc(l.Trips, func(t Trips) bool { return t.After+t.Count > 1 })
}

// near is how far the work of loops may differ from a multiple of that of the kernel.
const near = 0.1

// fit says how well a node is a loop; nil where it cannot be.
func (m *matcher) fit(n *node, l *Loop) *plan {
	inner, iterations := m.assign(n.inner, within(l.Inner)), l.iterations()
	if inner == nil || iterations == 0 {
		return nil
	}
	matched, others := map[*Loop]bool{}, Work{}
	for _, x := range n.inner {
		loop := inner.of[x].loop
		if !matched[loop] {
			others = others.Plus(loop.Work, 1)
		}
		matched[loop] = true
	}
	own := m.join(l.Work.Plus(skipped(l.Inner, matched, iterations), 1).Plus(others, -1)).scaled(1 / iterations)
	others = m.join(others) // copies of the bodies of inner loops stand outside of them
	c := choice{loop: l}
	for _, key := range own.keys() {
		if c.by > 0 || others[key] > 0 || n.work[key] <= 0 || own[key] <= nothing {
			continue
		}
		ratio := n.work[key] / own[key]
		if r := math.Round(ratio); r >= 1 && math.Abs(ratio-r) < near*r {
			c.by, c.rough = r, key.rough()
		}
	}
	out := &plan{inner.score + alike(n.work, own.scaled(max(c.by, 1)), others), map[*node]choice{n: c}}
	if c.by == 0 {
		out.score--
	}
	maps.Copy(out.of, inner.of)
	return out
}

// nothing is work that is a rounding error.
const nothing = 1e-9

// alike says how well the work of a loop of the code is that of the kernel in a round, but for the kinds that others have.
func alike(has, want, others Work) (score float64) {
	for key := range has.Plus(want, 0) {
		h, w := has[key], want[key]
		none := h <= nothing || w <= nothing
		switch {
		case others[key] > 0 || max(h, w) <= nothing || key.Space == Integers:
		case key.Space == Special && !none:
			score++
		case none && key.rank() == 5: // arithmetic, which minima are in the kernel alone, and functions in the code
		case none:
			score--
		case math.Abs(h/w-1) < near:
			score += 2
		default:
			score -= 0.5
		}
	}
	return score
}

// skipped is the work of loops that are none of the code, for sub-groups that do not get to them: it stands in the code all the same. The part
// around them is executed so many times.
func skipped(list []*Loop, matched map[*Loop]bool, times float64) Work {
	sum := Work{}
	for _, l := range list {
		entries := l.entries()
		if matched[l] || entries == 0 {
			continue
		}
		if l.Fixed {
			sum = sum.Plus(l.Work, max(times/entries-1, 0))
		}
		sum = sum.Plus(skipped(l.Inner, matched, l.iterations()), 1)
	}
	return sum
}

// counting are the instructions of a loop that are not of its body: a counter, a comparison and a branch.
const counting = 3

// settle finds the iterations in a round where the work did not tell them, and the work of the kernel that is outside of inner loops.
func (m *matcher) settle(n *node, work Work, loops []*Loop, times float64) error {
	matched := map[*Loop]bool{}
	for _, g := range n.groups() {
		matched[g[0].loop] = true
		least := slices.MinFunc(g, func(a, b *node) int { return cmp.Compare(a.part.Instructions, b.part.Instructions) })
		unsure := slices.ContainsFunc(g, func(x *node) bool { return x.by == 0 || x.rough })
		for _, x := range g {
			switch {
			case x.by == 0 && len(x.inner) > 0:
				x.by = 1
			case unsure && len(g) > 1:
				x.by = max(math.Round(float64(x.part.Instructions-counting)/float64(max(least.part.Instructions-counting, 1))), 1)
			case x.by == 0:
				return fmt.Errorf("no work tells how many iterations of %s its machine code does in a round", x.loop.Name)
			}
		}
	}
	more := skipped(loops, matched, times*max(n.by, 1))
	m.skipped = m.skipped.Plus(more, 1)
	own := work.Plus(more, 1)
	for _, g := range n.groups() {
		own = own.Plus(g[0].loop.Work, -1)
	}
	n.own = m.join(own).scaled(1 / times)
	for _, x := range n.inner {
		if err := m.settle(x, x.loop.Work, x.loop.Inner, x.loop.iterations()/x.by); err != nil {
			return err
		}
	}
	return nil
}
