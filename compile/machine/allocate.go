package machine

import (
	"fmt"
	"math/bits"
	"slices"
)

// set is a set of units.
type set []uint64

func newSet(n int) set        { return make(set, (n+63)/64) }
func (s set) has(u unit) bool { return s[u/64]>>(u%64)&1 != 0 }
func (s set) add(u unit)      { s[u/64] |= 1 << (u % 64) }
func (s set) remove(u unit)   { s[u/64] &^= 1 << (u % 64) }
func (s set) each(visit func(unit)) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			visit(unit(i*64 + bits.TrailingZeros64(w)))
		}
	}
}

// join adds all of another set, and reports whether there was any that was missing.
func (s set) join(o set) (more bool) {
	for i := range s {
		more = more || o[i]&^s[i] != 0
		s[i] |= o[i]
	}
	return more
}

// all are the instructions of a block with those of its end.
func (c *code) all(visit func(*instruction)) {
	for i := len(c.ends) - 1; i >= 0; i-- {
		visit(c.ends[i])
	}
	for i := len(c.list) - 1; i >= 0; i-- {
		visit(c.list[i])
	}
}

// live are the units that are needed behind each block.
func (f *function) live() map[*code]set {
	n := len(f.group)
	out, in := map[*code]set{}, map[*code]set{}
	for _, c := range f.blocks {
		out[c], in[c] = newSet(n), newSet(n)
	}
	for again := true; again; {
		again = false
		for i := len(f.blocks) - 1; i >= 0; i-- {
			c := f.blocks[i]
			for _, next := range c.block.Succs() {
				if to := f.of[next]; to != nil {
					out[c].join(in[to])
				}
			}
			now := slices.Clone(out[c])
			c.all(func(x *instruction) { x.step(now) })
			if in[c].join(now) {
				again = true
			}
		}
	}
	return out
}

// step goes backwards over an instruction: what it defines is not needed before it, what it uses is.
func (in *instruction) step(live set) {
	for _, u := range in.defines { // what is left where a guard does not hold is among the uses
		live.remove(u)
	}
	for _, u := range in.uses {
		live.add(u)
	}
}

// graph has the units that are needed at the same time.
type graph struct {
	f     *function
	with  []set
	same  []unit // of units that copies have made one: another one of them
	times []int  // how often each occurs
}

func (f *function) interference() *graph {
	n := len(f.group)
	g := &graph{f: f, with: make([]set, n), same: make([]unit, n), times: make([]int, n)}
	for i := range g.with {
		g.with[i], g.same[i] = newSet(n), unit(i)
	}
	behind := f.live()
	for _, c := range f.blocks {
		live := slices.Clone(behind[c])
		equal := c.equal()
		c.all(func(in *instruction) {
			same := equal[in]
			for _, u := range in.defines {
				live.each(func(o unit) {
					if o != u && f.class[o] == f.class[u] && !slices.Contains(same, o) {
						g.with[u].add(o)
						g.with[o].add(u)
					}
				})
				for _, o := range in.defines {
					if o != u && f.class[o] == f.class[u] {
						g.with[u].add(o)
						g.with[o].add(u)
					}
				}
				g.times[u]++
			}
			in.step(live)
		})
	}
	return g
}

// copies is the unit that an instruction copies; none for others.
func (in *instruction) copies() unit {
	switch {
	case in.guard != none || len(in.uses) != 1:
	case in.name == "MOV" && in.operands[1].kind == register, in.name == "UMOV", in.name == "PLOP3.LUT" && !in.operands[2].minus && in.operands[len(in.operands)-2].text == "0xf0":
		return in.uses[0]
	}
	return none
}

// equal are, for each copy in a block, the units that hold the same value as the one that it writes.
func (c *code) equal() map[*instruction][]unit {
	out := map[*instruction][]unit{}
	classes := map[unit]int{}
	next := 0
	for _, in := range c.list {
		from := in.copies()
		if from == none {
			for _, u := range in.defines {
				delete(classes, u)
			}
			continue
		}
		class, ok := classes[from]
		if !ok {
			next++
			class = next
			classes[from] = class
		}
		for u, k := range classes {
			if k == class {
				out[in] = append(out[in], u)
			}
		}
		classes[in.defines[0]] = class
	}
	return out
}

func (g *graph) find(u unit) unit {
	for g.same[u] != u {
		u = g.same[u]
	}
	return u
}

// coalesce makes units one that are copied, where neither is needed while the other holds something else. Those in groups keep their places.
func (g *graph) coalesce(copies []copied) {
	for _, c := range copies {
		a, b := g.find(c.to), g.find(c.from)
		if a == b || g.with[a].has(b) {
			continue
		}
		sizeA, sizeB := g.groupSize(a), g.groupSize(b)
		if sizeA > 1 && sizeB > 1 {
			if !g.joinGroups(a, b) {
				continue
			}
			continue
		}
		if sizeB > 1 {
			a, b = b, a
		}
		g.merge(a, b)
	}
}

func (g *graph) groupSize(u unit) int { return int(g.f.size[g.f.group[u]]) }

// joinGroups makes the words of two groups one by one the same.
func (g *graph) joinGroups(a, b unit) bool {
	first, second := unit(g.f.group[a]), unit(g.f.group[b])
	n := g.groupSize(a)
	if n != g.groupSize(b) || a-first != b-second {
		return false
	}
	for i := range unit(n) {
		x, y := g.find(first+i), g.find(second+i)
		if x != y && (g.with[x].has(y) || g.f.group[x] != g.f.group[first] && g.groupSize(x) > 1 && x != first+i) {
			return false
		}
		if x != first+i || y != second+i {
			return false
		}
	}
	for i := range unit(n) {
		g.merge(first+i, second+i)
	}
	return true
}

// merge makes b the same as a.
func (g *graph) merge(a, b unit) {
	g.same[b] = a
	g.times[a] += g.times[b]
	g.with[b].each(func(o unit) {
		g.with[o].add(a)
		g.with[a].add(o)
	})
	g.with[a].remove(b)
}

// rename puts the units that stand for others in their places, and takes away what copies nothing.
func (f *function) rename(g *graph) {
	if f.stack != none {
		f.stack = g.find(f.stack)
	}
	for _, c := range f.blocks {
		kept := c.list[:0]
		for _, in := range c.list {
			f.renamed(in, g)
			if (in.name == "MOV" || in.name == "UMOV" || in.name == "PLOP3.LUT") && len(in.uses) == 1 && len(in.defines) == 1 && in.uses[0] == in.defines[0] && in.guard == none {
				if in.name != "PLOP3.LUT" || in.operands[len(in.operands)-2].text == "0xf0" && !in.operands[2].minus {
					continue
				}
			}
			kept = append(kept, in)
		}
		c.list = kept
		for _, in := range c.ends {
			f.renamed(in, g)
		}
	}
}

func (f *function) renamed(in *instruction, g *graph) {
	change := func(u *unit) {
		if *u != none {
			*u = g.find(*u)
		}
	}
	for i := range in.operands {
		if o := &in.operands[i]; o.kind == register || o.kind == predicate || o.kind == address {
			change(&o.unit)
		}
	}
	for i := range in.uses {
		change(&in.uses[i])
	}
	for i := range in.defines {
		change(&in.defines[i])
	}
	change(&in.guard)
	change(&in.base)
}

// needed takes away moves to units that nobody reads.
func (f *function) needed() {
	behind := f.live()
	for _, c := range f.blocks {
		live := slices.Clone(behind[c])
		var kept []*instruction
		c.all(func(in *instruction) {
			if in.name == "MOV" && !live.has(in.defines[0]) {
				return
			}
			in.step(live)
			kept = append(kept, in)
		})
		slices.Reverse(kept)
		c.list = kept[:len(kept)-len(c.ends)]
	}
}

// The registers that instructions can name: their fields have 8, 3 and 6 bits, of which the last value stands for none.
const (
	mostRegisters  = 255 // R0 to R254
	mostPredicates = 7   // P0 to P6
	mostUniform    = 63  // UR0 to UR62
	stackRegister  = 1   // by the calling convention

	mostUnbounded = 4 * mostRegisters // before some are spilled
)

// allocate gives each unit a register: in the order of the code the least that is free, beside each other where they are a group.
func (f *function) allocate() (registers []int, most int, err error) {
	g := f.interference()
	registers = make([]int, len(f.group))
	for i := range registers {
		registers[i] = -1
	}
	var order []unit
	triples := f.triples()
	seen := newSet(len(f.group))
	for _, c := range f.blocks {
		for _, list := range [][]*instruction{c.list, c.ends} {
			for _, in := range list {
				for _, u := range append(slices.Clone(in.uses), in.defines...) {
					if !seen.has(u) {
						seen.add(u)
						order = append(order, u)
					}
				}
			}
		}
	}
	// the longest lists of neighbours are hardest to place: groups first
	slices.SortStableFunc(order, func(a, b unit) int { return g.groupSize(b) - g.groupSize(a) })
	for _, u := range order {
		if registers[u] >= 0 {
			continue
		}
		first := unit(f.group[u])
		n := g.groupSize(u)
		align := 1
		if n > 1 {
			align = 2
		}
		if n > 2 {
			align = 4
		}
		limit := [...]int{mostUnbounded, mostPredicates, mostUniform}[f.class[u]]
		at := f.lowest(g, registers, first, n, align, 0, limit)
		if n == 1 && f.class[u] == classGeneral && at+1 < limit {
			at = f.betterBank(g, registers, triples[u], u, at, limit)
		}
		if at+n > limit {
			return nil, 0, fmt.Errorf("more than %d %s are needed at once", limit, [...]string{"registers", "predicates", "uniform registers"}[f.class[u]])
		}
		for i := range n {
			registers[first+unit(i)] = at + i
		}
		if f.class[u] == classGeneral {
			most = max(most, at+n)
		}
	}
	return registers, most, nil
}

// lowest is the first place from one on where a group is free; the limit where there is none.
func (f *function) lowest(g *graph, registers []int, first unit, n, align, from, limit int) int {
	for at := from; at+n <= limit; at += align {
		if f.free(g, registers, first, n, at) {
			return at
		}
	}
	return limit
}

// triples are, for each unit, the others of instructions that read three: a register bank gives two at once.
func (f *function) triples() map[unit][][2]unit {
	out := map[unit][][2]unit{}
	for _, c := range f.blocks {
		for _, in := range c.list {
			var read []unit
			for _, o := range in.operands {
				if o.kind == register && !o.written && o.unit != none && !slices.Contains(read, o.unit) {
					read = append(read, o.unit)
				}
			}
			if len(read) != 3 || in.access != nil {
				continue
			}
			for i, u := range read {
				out[u] = append(out[u], [2]unit{read[(i+1)%3], read[(i+2)%3]})
			}
		}
	}
	return out
}

// betterBank is a place in the register bank in which fewer instructions read all their operands: of two banks, by the last bit of the number.
func (f *function) betterBank(g *graph, registers []int, with [][2]unit, u unit, at, limit int) int {
	var same [2]int
	for _, t := range with {
		if a, b := registers[t[0]], registers[t[1]]; a >= 0 && b >= 0 && a%2 == b%2 {
			same[a%2]++
		}
	}
	if same[at%2] <= same[1-at%2] {
		return at
	}
	other := f.lowest(g, registers, u, 1, 2, at+1, limit)
	if other >= limit {
		return at
	}
	return other
}

func (f *function) free(g *graph, registers []int, first unit, n, at int) bool {
	if f.class[first] == classGeneral && at <= stackRegister && at+n > stackRegister && f.stack == none {
		return false // R1 is that of the stack
	}
	for i := range n {
		free := true
		g.with[first+unit(i)].each(func(o unit) { free = free && registers[o] != at+i })
		if !free {
			return false
		}
	}
	return true
}
