package machine

import (
	"container/heap"
	"slices"
	"strings"

	"gpuperf/compile/ssa"
)

// Cycles after which results are there, as a compiler takes them to be when it orders instructions: about those of the data sheets of sm_80 and sm_90.
const (
	aluCycles    = 5   // of integer and single-precision arithmetic
	doubleCycles = 8   // of double precision
	unitCycles   = 20  // of functions, conversions, special registers
	sharedCycles = 30  // of a load from shared memory
	globalCycles = 300 // of a load from L2, about
	guardCycles  = 13  // of a predicate, until it guards
)

func (in *instruction) latency() int {
	name, _, _ := strings.Cut(in.name, ".")
	switch {
	case in.access != nil && (in.access.Space == ssa.Global || in.access.Space == ssa.Generic || in.access.Space == ssa.Private):
		return globalCycles
	case in.access != nil:
		return sharedCycles
	}
	switch name {
	case "MUFU", "I2F", "F2I", "F2F", "S2R", "POPC", "FLO", "BREV", "SHFL", "FRND", "REDUX", "MATCH", "LDC", "ULDC", "B2R", "FCHK":
		return unitCycles
	case "DFMA", "DADD", "DMUL", "DSETP":
		return doubleCycles
	}
	return aluCycles
}

// Of predicates so many may be live before the order of instructions is to save some: at first, and in code that needs too many with that.
const (
	mostLive = 6
	fewLive  = 5
)

// edge says that an instruction comes after another one, by so many cycles.
type edge struct{ to, cycles int }

// schedule orders the instructions of a block. Work-items meet before they do anything together, as in all listings.
func (f *function) schedule(c *code, w way, limit int, live set) {
	var first []*instruction
	if len(c.list) > 0 && c.list[0].name == "BSYNC" {
		first, c.list = c.list[:1:1], c.list[1:]
	}
	f.order(c, w, limit, live)
	c.list = append(first, c.list...)
}

// order orders instructions: the one first that the longest chain hangs on, among those whose operands are there.
func (f *function) order(c *code, w way, limit int, live set) {
	n := len(c.list)
	if n < 3 {
		return
	}
	after, before := f.depends(c)
	height := c.heights(after)
	ready := make([]int, n) // the cycle from which on it may be
	p := newPressure(f, c, live)
	limit -= w.less
	room := limit - p.count
	scarce := loaded(c) > limit
	waiting := &queue{key: func(i int) int { return ready[i] }}
	here := &queue{key: func(i int) int { return -height[i]*n + i }}
	for i := range n {
		if before[i] == 0 {
			heap.Push(waiting, i)
		}
	}
	out := make([]*instruction, 0, n)
	for cycle := 0; len(out) < n; cycle++ {
		for waiting.Len() > 0 && ready[waiting.list[0]] <= cycle {
			heap.Push(here, heap.Pop(waiting))
		}
		if here.Len() == 0 {
			continue
		}
		i := p.pop(here, waiting, func(in *instruction) bool { return p.early(in, limit, room) })
		if i < 0 {
			continue
		}
		switch {
		case p.preds >= w.predicates || p.count >= limit:
			i = p.relief(here, waiting, i, func(in *instruction) int { return p.tight(in, p.preds >= w.predicates, p.count >= limit) })
		case p.change(c.list[i]) > 0 && sooner(waiting, cycle+aluCycles, func(j int) bool {
			return height[j] > height[i] && (scarce || height[j] >= globalCycles && height[i] < globalCycles && c.list[i].access == nil)
		}, ready):
			heap.Push(here, i)
			continue
		}
		p.issue(c.list[i])
		out = append(out, c.list[i])
		for _, e := range after[i] {
			ready[e.to] = max(ready[e.to], cycle+e.cycles)
			if before[e.to]--; before[e.to] == 0 {
				heap.Push(waiting, e.to)
			}
		}
	}
	c.list = out
}

// heights are how many cycles the longest chain takes that hangs on each instruction.
func (c *code) heights(after [][]edge) []int {
	height := make([]int, len(c.list))
	for i := len(c.list) - 1; i >= 0; i-- {
		if height[i] = c.list[i].latency(); len(c.list[i].defines) == 0 { // nobody waits for a store
			height[i] = aluCycles
		}
		if slices.ContainsFunc(c.list[i].defines, c.guards) {
			height[i] = guardCycles
		}
		for _, e := range after[i] {
			height[i] = max(height[i], height[e.to]+e.cycles)
		}
	}
	return height
}

// guards reports whether a unit decides where control goes behind the block.
func (c *code) guards(u unit) bool {
	return slices.ContainsFunc(c.ends, func(in *instruction) bool { return in.guard == u })
}

// loaded are the words that loads of a block fetch from global memory.
func loaded(c *code) (n int) {
	for _, in := range c.list {
		if in.latency() == globalCycles {
			n += len(in.defines)
		}
	}
	return n
}

// sooner reports whether one of the instructions that wait is ready by a cycle.
func sooner(waiting *queue, by int, is func(int) bool, ready []int) bool {
	return slices.ContainsFunc(waiting.list, func(j int) bool { return ready[j] <= by && is(j) })
}

// depends finds which instructions come after which.
func (f *function) depends(c *code) (after [][]edge, before []int) {
	n := len(c.list)
	after, before = make([][]edge, n), make([]int, n)
	add := func(from, to, cycles int) {
		if from == to {
			return
		}
		for k := range after[from] {
			if after[from][k].to == to {
				after[from][k].cycles = max(after[from][k].cycles, cycles)
				return
			}
		}
		after[from] = append(after[from], edge{to, cycles})
		before[to]++
	}
	written, read := map[unit]int{}, map[unit][]int{}
	e := &effects{fixed: -1, stored: -1}
	for i, in := range c.list {
		for _, u := range in.uses {
			if w, ok := written[u]; ok {
				add(w, i, in.behind(c.list[w], u))
			}
			read[u] = append(read[u], i)
		}
		for _, u := range in.defines {
			if w, ok := written[u]; ok {
				add(w, i, 1)
			}
			for _, r := range read[u] {
				add(r, i, 1)
			}
			written[u], read[u] = i, nil
		}
		e.order(c, i, add)
	}
	return after, before
}

// effects are instructions before one that have an effect: those that access memory, the last that keeps its place, and the last that stores.
type effects struct {
	memory        []int
	fixed, stored int
}

// order says after which of them an instruction comes.
func (e *effects) order(c *code, i int, add func(from, to, cycles int)) {
	in := c.list[i]
	if in.fixed {
		if e.fixed >= 0 {
			add(e.fixed, i, 1)
		}
		if meets(in) {
			for _, m := range e.memory {
				add(m, i, 1)
			}
			e.memory = []int{i}
		}
		e.fixed = i
	}
	if e.stored >= 0 && (in.stores() || in.branched() && c.list[e.stored].branched() && in.guard != c.list[e.stored].guard) { // in the order of the text, as in all listings
		add(e.stored, i, 1)
	}
	if in.stores() {
		e.stored = i
	}
	if in.access != nil && !in.access.ReadOnly {
		for _, m := range e.memory {
			if conflict(c.list[m], in) {
				add(m, i, 1)
			}
		}
		e.memory = append(e.memory, i)
	}
}

// stores reports whether an instruction writes to global memory.
func (in *instruction) stores() bool {
	return in.access != nil && (in.access.Space == ssa.Global || in.access.Space == ssa.Generic) && strings.HasPrefix(in.name, "ST")
}

// branched reports whether an instruction accesses global memory under a predicate: it was in a branch, out of which the compilers move no load, also none of what no one writes,
// before a store of another branch.
func (in *instruction) branched() bool {
	return in.guard != none && in.access != nil && (in.access.Space == ssa.Global || in.access.Space == ssa.Generic)
}

// behind is how many cycles an instruction comes after one that writes what it reads.
func (in *instruction) behind(writer *instruction, u unit) int {
	if cycles := writer.latency(); u != in.guard || cycles != aluCycles {
		return cycles
	}
	return guardCycles
}

// meets reports whether accesses before an instruction stay before it.
func meets(in *instruction) bool {
	name, _, _ := strings.Cut(in.name, ".")
	return name == "BAR" || name == "DEPBAR" || name == "MEMBAR" || name == "CCTL" || name == "BSYNC" || name == "WARPSYNC"
}

// conflict reports whether two accesses may be to the same memory, and one of them writes.
func conflict(a, b *instruction) bool {
	if a.access == nil || b.access == nil {
		return true // one is a barrier
	}
	x, y := a.access, b.access
	loads := strings.HasPrefix(a.name, "LD") && strings.HasPrefix(b.name, "LD")
	switch {
	case loads && !x.Volatile && !y.Volatile, x.ReadOnly || y.ReadOnly:
		return false
	case x.Space != y.Space && x.Space != ssa.Generic && y.Space != ssa.Generic:
		return false
	case x.Object != nil && y.Object != nil && x.Object != y.Object:
		return false
	case a.base == b.base && (x.Offset+int64(x.Bytes) <= y.Offset || y.Offset+int64(y.Bytes) <= x.Offset):
		return false
	}
	return true
}

// queue has instructions by a key, the least first.
type queue struct {
	list []int
	key  func(int) int
}

func (q *queue) Len() int           { return len(q.list) }
func (q *queue) Less(i, j int) bool { return q.key(q.list[i]) < q.key(q.list[j]) }
func (q *queue) Swap(i, j int)      { q.list[i], q.list[j] = q.list[j], q.list[i] }
func (q *queue) Push(x any)         { q.list = append(q.list, x.(int)) }
func (q *queue) Pop() any {
	last := q.list[len(q.list)-1]
	q.list = q.list[:len(q.list)-1]
	return last
}

// pressure counts the units that are live while a block is ordered.
type pressure struct {
	f     *function
	c     *code
	uses  map[unit][]int // that are to come of what a unit holds, and of each thing that it holds later
	live  map[unit]bool
	after set
	count int
	preds int
}

func newPressure(f *function, c *code, after set) *pressure {
	p := &pressure{f: f, c: c, uses: map[unit][]int{}, live: map[unit]bool{}, after: after}
	for _, in := range c.list {
		for _, u := range in.uses {
			if p.uses[u] == nil {
				p.uses[u] = []int{0}
				p.live[u] = true
				p.more(u, 1)
			}
			p.uses[u][len(p.uses[u])-1]++
		}
		for _, u := range in.defines {
			if p.uses[u] == nil {
				p.uses[u] = []int{0}
			}
			p.uses[u] = append(p.uses[u], 0)
		}
	}
	after.each(func(u unit) {
		if p.uses[u] == nil { // it is kept through the block
			p.more(u, 1)
		}
	})
	return p
}

// Registers are given in units of registerUnit, and each of the processors of a multiprocessor has some for every lane of its warps; all warps that there are have
// freeRegisters (CUDA C++ Programming Guide, compute capability 5.x and later).
const (
	registerUnit  = 8
	freeRegisters = 32
	laneRegisters = 512 // 65536 of 4 processors of 32 lanes
)

// moreOfStep is how many more registers than its step an order may take, one in so many; chosen on testdata/emulate/choose.txt.
const moreOfStep = 4

// leastStep is the most registers with which as many warps are there at once as the order of the text allows. NVIDIA's compiler takes no more for an order that waits
// less: of 264 kernels recorded for sm_90 48 take 32 registers and none 33, 35 to 39. An order that waits as little as its own does takes some more here.
func (f *function) leastStep(behind map[*code]set) int {
	most := freeRegisters - 1
	for _, c := range f.blocks {
		p := newPressure(f, c, behind[c])
		most = max(most, p.count)
		for _, in := range c.list {
			p.issue(in)
			most = max(most, p.count)
		}
	}
	units := (most + 1 + registerUnit - 1) / registerUnit // with R1
	warps := max(laneRegisters/(units*registerUnit), 1)
	return min(laneRegisters/warps/registerUnit*registerUnit, mostRegisters)
}

// issue counts an instruction.
func (p *pressure) issue(in *instruction) {
	for _, u := range in.uses {
		p.uses[u][0]--
		if p.live[u] && p.uses[u][0] == 0 && p.free(u) {
			p.live[u] = false
			p.more(u, -1)
		}
	}
	for _, u := range in.defines {
		p.uses[u] = p.uses[u][1:]
		if needed := p.uses[u][0] > 0 || !p.free(u); needed != p.live[u] {
			p.live[u] = needed
			if needed {
				p.more(u, 1)
			} else {
				p.more(u, -1)
			}
		}
	}
}

// free reports whether nobody needs what a unit holds behind its last use in the block.
func (p *pressure) free(u unit) bool { return len(p.uses[u]) > 1 || !p.after.has(u) }

// more counts a unit.
func (p *pressure) more(u unit, n int) {
	switch p.f.class[u] {
	case classPredicate:
		p.preds += n
	case classGeneral:
		p.count += n
	}
}

// change is by how many registers an instruction changes what is live, and changePreds by how many predicates.
func (p *pressure) change(in *instruction) int      { return p.changeOf(in, classGeneral) }
func (p *pressure) changePreds(in *instruction) int { return p.changeOf(in, classPredicate) }

// tight is by how many predicates, and registers, an instruction changes what is live, if these are scarce: those that it needs more, otherwise those that it frees.
func (p *pressure) tight(in *instruction, preds, registers bool) (n int) {
	var a, b int
	if preds {
		a = p.changePreds(in)
	}
	if registers {
		b = p.change(in)
	}
	if more := max(a, b); more > 0 {
		return more
	}
	return a + b
}

func (p *pressure) changeOf(in *instruction, of class) (n int) {
	for i, u := range in.uses {
		if p.f.class[u] == of && !slices.Contains(in.uses[:i], u) && p.ends(in, u) {
			n--
		}
	}
	for _, u := range in.defines {
		if p.f.class[u] == of && (!p.live[u] || p.ends(in, u)) {
			n++
		}
	}
	return n
}

// ends reports whether nobody needs what a unit holds behind an instruction.
func (p *pressure) ends(in *instruction, u unit) bool {
	if !p.live[u] || !p.free(u) {
		return false
	}
	left := p.uses[u][0]
	for _, o := range in.uses {
		if o == u {
			left--
		}
	}
	return left == 0
}

// besideLoads is which share of the registers of a block loads from shared memory leave to what is computed of them.
const besideLoads = 0.5

// early reports whether an instruction loads from shared memory what has no use yet for the registers that it takes.
func (p *pressure) early(in *instruction, limit, room int) bool {
	return in.latency() == sharedCycles && len(in.defines) > 0 && room > 0 && float64(p.count+p.change(in)) > float64(limit)-besideLoads*float64(room)
}

// pop takes the first instruction that is not one of some; where all are, -1 if others are waited for, else the first.
func (p *pressure) pop(here, waiting *queue, not func(*instruction) bool) (i int) {
	var back []int
	for i = -1; here.Len() > 0 && i < 0; {
		if i = heap.Pop(here).(int); not(p.c.list[i]) {
			back, i = append(back, i), -1
		}
	}
	for _, j := range back {
		heap.Push(here, j)
	}
	if i < 0 && waiting.Len() == 0 {
		i = heap.Pop(here).(int)
	}
	return i
}

// relief is an instruction that leaves no more units live: of those that may be now the first, else the one of all that leaves the fewest. Where there is none it is the next of
// the text, in whose order there is room for all.
func (p *pressure) relief(here, waiting *queue, chosen int, change func(*instruction) int) int {
	if change(p.c.list[chosen]) <= 0 {
		return chosen
	}
	first := -1
	for k, i := range here.list {
		if change(p.c.list[i]) <= 0 && (first < 0 || here.Less(k, first)) {
			first = k
		}
	}
	if first >= 0 {
		i := heap.Remove(here, first).(int)
		heap.Push(here, chosen)
		return i
	}
	n := len(p.c.list)
	key := func(i int) int { return min(change(p.c.list[i]), 1)*n + i }
	best, from, at := chosen, (*queue)(nil), -1
	for _, q := range []*queue{here, waiting} {
		for k, i := range q.list {
			if key(i) < key(best) {
				best, from, at = i, q, k
			}
		}
	}
	if from != nil {
		heap.Remove(from, at)
		heap.Push(here, chosen)
	}
	return best
}
