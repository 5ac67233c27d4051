package ssa

import (
	"cmp"
	"slices"
)

// mostLeaves is how many operands an instruction for logic has. It computes any function of their bits.
const mostLeaves = 3

// mostCuts bounds the ways to compute a value that are remembered.
const mostCuts = 8

// cut is a way to compute a value: from values with which the ones between are not needed.
type cut struct {
	leaves []*Value // by their numbers
	table  uint8    // the result for each of the eight values of three bits, of which the first leaf is the highest
	inside []*Value // but for the value itself
	flow   float64  // instructions, those for leaves shared among their users
}

// Logic makes one instruction of operations on bits that depend on three words at most, also where others need what is between: they compute that as well in
// instructions that they take anyway. The ways with the fewest instructions are found as those of circuits in lookup tables are (Cong and Ding, "FlowMap",
// 1994; Mishchenko et al., "DAG-aware AIG rewriting", 2006, for flows).
func Logic(f *Func) {
	f.CountUses()
	for _, b := range f.Blocks {
		m := &mapping{f: f, block: b, cuts: map[*Value][]cut{}, inner: map[*Value]int{}}
		for _, v := range b.Values {
			if m.bitwise(v) {
				m.find(v)
			}
		}
		m.cover()
	}
}

type mapping struct {
	f     *Func
	block *Block
	cuts  map[*Value][]cut
	inner map[*Value]int // uses by logic of the block
}

// bitwise reports whether a value is an operation on bits of words of the block.
func (m *mapping) bitwise(v *Value) bool {
	return v.Type == W && (v.Op == And || v.Op == Or || v.Op == Xor) && v.Block == m.block && len(v.Within) == 0 && v.Guard == nil
}

// ways are those to have an operand: as it is, or computed with its user.
func (m *mapping) ways(v *Value) []cut {
	if isConst(v, 0xffffffff) {
		return []cut{{table: 0xff}}
	}
	itself := cut{leaves: []*Value{v}, table: 0xf0}
	if all := m.cuts[v]; len(all) > 0 {
		itself.flow = all[0].flow / float64(max(v.Uses, 1))
		return append([]cut{itself}, all...)
	}
	return []cut{itself}
}

// find finds the ways to compute a value, the best first.
func (m *mapping) find(v *Value) {
	x, y := v.Args[0], v.Args[1]
	m.inner[x]++
	m.inner[y]++
	var all []cut
	for _, a := range m.ways(x) {
		for _, b := range m.ways(y) {
			c, ok := m.joined(v, a, b)
			if ok && !slices.ContainsFunc(all, func(o cut) bool { return slices.Equal(o.leaves, c.leaves) && len(o.inside) >= len(c.inside) }) {
				all = append(all, c)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b cut) int {
		return cmp.Or(cmp.Compare(a.flow, b.flow), cmp.Compare(len(a.inside), len(b.inside)))
	})
	m.cuts[v] = all[:min(len(all), mostCuts)]
}

// joined is a way to compute a value from ways to have its operands.
func (m *mapping) joined(v *Value, a, b cut) (c cut, ok bool) {
	c.leaves = append(slices.Clone(a.leaves), b.leaves...)
	slices.SortFunc(c.leaves, func(x, y *Value) int { return cmp.Compare(x.ID, y.ID) })
	c.leaves = slices.Compact(c.leaves)
	numbers := 0
	for _, l := range c.leaves {
		if l.Op == Const {
			numbers++
		}
	}
	if len(c.leaves) > mostLeaves || numbers > 1 || len(c.leaves) == 0 {
		return c, false
	}
	for i := range 8 {
		if p, q := a.at(c.leaves, i), b.at(c.leaves, i); v.Op == And && p && q || v.Op == Or && (p || q) || v.Op == Xor && p != q {
			c.table |= 1 << i
		}
	}
	for i, w := range []cut{a, b} {
		of := v.Args[i]
		if len(w.leaves) > 0 && (len(w.leaves) > 1 || w.leaves[0] != of) && !slices.Contains(c.inside, of) {
			c.inside = append(c.inside, of)
		}
		for _, x := range w.inside {
			if !slices.Contains(c.inside, x) {
				c.inside = append(c.inside, x)
			}
		}
	}
	c.flow = 1
	for _, l := range c.leaves {
		if all := m.cuts[l]; len(all) > 0 {
			c.flow += all[0].flow / float64(max(l.Uses, 1))
		}
	}
	return c, true
}

// at is the bit of a way where leaves have the bits of a number.
func (c *cut) at(leaves []*Value, bits int) bool {
	n := 0
	for i, l := range c.leaves {
		j := slices.Index(leaves, l)
		n |= bits >> (mostLeaves - 1 - j) & 1 << (mostLeaves - 1 - i)
	}
	return c.table>>n&1 != 0
}

// cover writes anew what is needed: what others than logic use, and the leaves of what is written.
func (m *mapping) cover() {
	needed := map[*Value]bool{}
	for i := len(m.block.Values) - 1; i >= 0; i-- {
		v := m.block.Values[i]
		all := m.cuts[v]
		if len(all) == 0 || !needed[v] && v.Uses <= m.inner[v] {
			continue
		}
		best := all[0]
		for _, l := range best.leaves {
			needed[l] = true
		}
		// An operation of an operation that nobody else needs is selected as one instruction.
		if len(best.inside) == 0 || len(best.inside) == 1 && best.inside[0].Uses == 1 {
			continue
		}
		m.write(v, best)
	}
}

// write makes one instruction of a value and those inside the way to compute it. A number is the second operand.
func (m *mapping) write(v *Value, c cut) {
	leaves, order := slices.Clone(c.leaves), []int{0, 1, 2}
	for i, l := range c.leaves {
		if l.Op == Const && i != 1 && len(leaves) > 1 {
			leaves[i], leaves[1] = leaves[1], leaves[i]
			order[i], order[1] = 1, i
		}
	}
	table := int64(0)
	for n := range 8 {
		from := 0
		for i := range mostLeaves { // the bit of operand i is that of leaf order[i]
			from |= n >> (mostLeaves - 1 - i) & 1 << (mostLeaves - 1 - order[i])
		}
		table |= int64(c.table>>from&1) << n
	}
	for len(leaves) < mostLeaves {
		leaves = append(leaves, m.f.word(0))
	}
	v.Op, v.Aux, v.Args = Raw, "LOP3.LUT", append(leaves, m.f.word(table))
}
