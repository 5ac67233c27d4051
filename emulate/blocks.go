package emulate

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"

	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/emulate/timing"
	"gpuperf/emulate/trace"
)

// Bounds of the work of one emulation, which keep it short.
const (
	mostExecuted = 60_000  // instructions that are executed lane by lane, beyond the first two blocks
	mostWhole    = 800_000 // instructions that are timed, in the run of the launch as it is
	mostTimed    = 300_000 // the same, with something changed
	mostBinds    = 120_000 // the same, where no more is asked for than what binds
	enoughTimed  = 60_000  // the same, once a wave has ended
	mostCompared = 1e6     // instructions of a block, in the mean, up to which those beside it are executed to their end to be compared with it
	mostLooked   = 300_000 // the same for the block that takes longest, where they differ
	windows      = 6       // waves of blocks that stand for all
)

// choose executes the blocks that stand for those of the multiprocessor with most of them. Blocks are dealt to all multiprocessors in turn.
func (e *emulation) choose() {
	if e.lengths = e.unequal(); e.lengths != nil {
		e.mixed(max(min(e.most, windows*e.resident), 2*looked))
		e.last = e.longestOf()
		e.met = e.meetings()
		e.level()
		return
	}
	want := min(e.most, (windows+1)*e.resident) // while the last of the waves ends, blocks of another one run
	e.first = e.busy / 2
	if e.most <= e.resident {
		e.longest()
	}
	done := e.builder.Steps
	for i := range want {
		if steps := e.builder.Steps - done; i >= 3 && steps > mostExecuted*2/3 || i > 1 && steps > mostExecuted {
			break
		}
		at := e.place(e.number(i, want))
		b := e.block(at)
		if b.Cut && i > 0 { // those before it stand for it
			break
		}
		if b.Cut && e.someWhole() { // only as others were executed before
			b = e.builder.Whole(at)
			e.executed[at] = b
		} else if b.Cut {
			b = e.furthest(b)
		}
		e.blocks = append(e.blocks, b)
	}
	e.shown = e.place(e.number(0, want))
	switch n := len(e.blocks); {
	case int64(n) == want:
	case n > 1:
		e.extend(want)
	default:
		e.repeat(want)
	}
	e.met = e.meetings()
	e.level()
}

// level gives the blocks that were executed as many loops around them as those have that go on as others: a loop in them then is as deep in all, so that iterations of all are
// skipped together.
func (e *emulation) level() {
	most := 0
	for _, b := range e.blocks {
		if len(b.Warps) > 0 {
			most = max(most, len(b.Warps[0].Trips))
		}
	}
	for i, b := range e.blocks {
		if len(b.Warps) == 0 || len(b.Warps[0].Trips) == most {
			continue
		}
		out := &timing.Block{Cut: b.Cut}
		for _, w := range b.Warps {
			t := &timing.Trace{Nodes: w.Nodes, Trips: w.Trips}
			for len(t.Trips) < most {
				t.Nodes, t.Trips = trace.Once(t.Nodes), append([]int64{0}, t.Trips...)
			}
			out.Warps = append(out.Warps, t)
		}
		e.blocks[i] = out
	}
}

// furthest is the block of which most was executed, where none was to its end: its time is the greatest lower bound.
func (e *emulation) furthest(b *timing.Block) *timing.Block {
	for _, other := range e.executed {
		if lasts(other) > lasts(b) {
			b = other
		}
	}
	return b
}

// someWhole reports whether any block was executed to its end.
func (e *emulation) someWhole() bool {
	for _, b := range e.executed {
		if !b.Cut {
			return true
		}
	}
	return false
}

// longest looks for the multiprocessor whose blocks execute most, where all run at once: the launch ends with it. Where blocks differ, as many are looked at as there is
// work for.
func (e *emulation) longest() {
	parts, longest, shortest := int64(8), 0.0, math.Inf(1)
	look := func(number int64) {
		b := e.block(e.index(number))
		if takes := lasts(b); !b.Cut {
			shortest = min(shortest, takes)
			if takes > longest {
				e.first, longest = number%e.busy, takes
			}
		}
	}
	switch look(0); {
	case e.builder.Steps > mostLooked: // one more would take long
		if e.builder.Long > 0 && e.work.Groups > 1 { // whose length follows from data
			e.unseen = 1 - 1/float64(e.work.Groups)
			if e.most == 1 { // where a multiprocessor has several, those with the longest have others that are not
				e.first = e.longestDrawn()
			}
		}
		return
	case e.builder.Steps > mostExecuted:
		parts = 1
	case e.builder.Steps > mostExecuted/8:
		parts = 2
	}
	for i := range parts + 1 {
		look(i * (e.busy - 1) / parts)
	}
	if last := e.work.Groups - 1; lasts(e.block(e.index(last))) > alike*longest { // it may sum up what the others have stored
		look(last)
	}
	if longest < alike*shortest {
		return
	}
	for k := range e.work.Groups {
		if e.builder.Steps > mostLooked {
			e.unseen = 1 - float64(k)/float64(e.work.Groups)
			return
		}
		look(drawnAt(k, e.work.Groups))
	}
}

// lasts is about how many cycles a block takes, to tell which takes longest: as long as its longest warp alone, or as all of them issue.
func lasts(b *timing.Block) float64 {
	const alone, partitions = 8, 4 // cycles from one instruction of a warp to the next, in which memory counts, and partitions that issue one a cycle
	longest, all := int64(0), int64(0)
	for _, w := range b.Warps {
		longest, all = max(longest, w.Count()), all+w.Count()
	}
	return float64(alone*longest) + float64(all)/partitions
}

// number is the number, among those of the multiprocessor, of one of the blocks that are looked at: whole waves, spread evenly.
func (e *emulation) number(i, want int64) int64 {
	waves := (want + e.resident - 1) / e.resident
	if e.most <= want || waves < 2 {
		return i
	}
	wave, in := i/e.resident, i%e.resident
	last := e.most - e.resident
	return wave*last/(waves-1) + in
}

// place is the index of a block, by its number among those of the multiprocessor that is looked at.
func (e *emulation) place(n int64) [3]uint32 {
	return e.index(min(e.first+n*e.Device.Int(facts.Multiprocessors), e.work.Groups-1))
}

// index is that of a block by its number among all, or that of the first of its cluster: others wait for what it tells them.
func (e *emulation) index(i int64) [3]uint32 {
	at := [3]uint32{uint32(i % e.grid[0]), uint32(i / e.grid[0] % e.grid[1]), uint32(i / e.grid[0] / e.grid[1])}
	for d := range at {
		at[d] -= at[d] % e.cluster(d)
	}
	return at
}

// cluster is how many blocks a cluster has along an axis.
func (e *emulation) cluster(d int) uint32 {
	if a := e.Job.Attributes; a != nil && d < len(a.Cluster) {
		return max(uint32(a.Cluster[d]), 1)
	}
	return 1
}

// block executes a block, once.
func (e *emulation) block(at [3]uint32) *timing.Block {
	b, ok := e.executed[at]
	if !ok {
		b = e.builder.Block(at)
		e.executed[at] = b
	}
	return b
}

// Bytes that an instruction of a trace takes, one of its accesses, and a lane of that.
const (
	eventBytes = 24
	touchBytes = 144
	laneBytes  = 8
)

// bytes are about those that the traces of blocks take.
func (e *emulation) bytes() (n int) {
	seen := map[*timing.Trace]bool{}
	for _, b := range slices.AppendSeq(slices.Clone(e.blocks), maps.Values(e.executed)) {
		for _, w := range b.Warps {
			if seen[w] {
				continue
			}
			seen[w] = true
			trace.Each(w.Nodes, func(ev *timing.Event) {
				n += eventBytes
				if ev.Touch != nil {
					n += touchBytes + laneBytes*len(ev.Touch.Lanes)
				}
			})
		}
	}
	return n
}

// extend adds blocks that go on as those before: their addresses move by the same distances, along a line of the grid, or else along its axes.
func (e *emulation) extend(want int64) {
	n := int64(len(e.blocks))
	last := e.place(e.number(n-1, want))
	line := [][3]int64{apart(e.place(e.number(n-2, want)), last)}
	grid := trace.Row(e.blocks[n-2], e.blocks[n-1])
	for i := n; i < want; i++ {
		to := apart(last, e.place(e.number(i, want)))
		trips := along(to, line)
		if trips == nil && len(line) == 1 {
			var others []*timing.Block
			line, others = e.beside(last)
			grid, trips = trace.Grid(e.blocks[n-1], others...), along(to, line)
		}
		if grid == nil || trips == nil {
			e.blocks = append(e.blocks, e.shifted(e.blocks[i%n], i-i%n))
			continue
		}
		b := &timing.Block{}
		for _, w := range grid {
			b.Warps = append(b.Warps, &timing.Trace{Nodes: w, Trips: trips})
		}
		e.blocks = append(e.blocks, b)
	}
}

// repeat adds blocks that execute what the only one does that was executed to its end, further on by as much as the next one begins further on.
func (e *emulation) repeat(want int64) {
	e.steps = firsts(e.blocks[0], e.block(e.place(e.number(1, want))))
	for i := int64(1); i < want; i++ {
		e.blocks = append(e.blocks, e.shifted(e.blocks[0], i))
	}
}

// shifted is a block whose accesses are further by so many times what the last two that were executed and access memory are apart, instruction by instruction: they
// do not execute the same. Those that are anywhere are taken far away.
func (e *emulation) shifted(b *timing.Block, times int64) *timing.Block {
	const far = 1 << 36 // bytes: beyond every buffer
	if e.steps == nil {
		e.steps = map[int32]timing.Step{}
		var after *timing.Block
		for _, b := range slices.Backward(e.blocks) {
			if touches(b) == 0 {
				continue
			}
			if after != nil {
				for op, s := range firsts(b, after) {
					if _, known := e.steps[op]; !known {
						e.steps[op] = s
					}
				}
			}
			after = b
		}
	}
	out := &timing.Block{}
	for _, nodes := range trace.Moved(b, func(op int32) int64 {
		if e.steps[op].Each != nil {
			return far
		}
		return e.steps[op].All
	}) {
		out.Warps = append(out.Warps, &timing.Trace{Nodes: nodes, Trips: []int64{times}})
	}
	return out
}

// afresh lets blocks that are to be compared be executed as if none of those before had been, where these are not long: one that was cut off is like no other.
func afresh(b *trace.Builder, before int) {
	if b.Steps < mostCompared*before {
		b.Again()
	}
}

// beside are the blocks next to one along each axis that has others, and how far that one is from them.
func (e *emulation) beside(at [3]uint32) (steps [][3]int64, others []*timing.Block) {
	afresh(e.builder, len(e.executed))
	for d := range at {
		other := at
		switch {
		case at[d] > 0:
			other[d]--
		case e.grid[d] > 1:
			other[d]++
		default:
			continue
		}
		steps, others = append(steps, apart(other, at)), append(others, e.block(other))
	}
	return steps, others
}

func apart(a, b [3]uint32) (d [3]int64) {
	for i := range d {
		d[i] = int64(b[i]) - int64(a[i])
	}
	return d
}

// along is how many of each step make a distance, the last one first; nil where they do not.
func along(to [3]int64, steps [][3]int64) (trips []int64) {
	for _, s := range slices.Backward(steps) {
		n := int64(0)
		for d := range s {
			if s[d] != 0 {
				n = to[d] / s[d]
			}
		}
		for d := range s {
			to[d] -= n * s[d]
		}
		trips = append(trips, n)
	}
	if to != [3]int64{} {
		return nil
	}
	return trips
}

// dealt gives blocks one after the other, those that stand for more again and again.
type dealt struct {
	blocks []*timing.Block
	next   int
	most   int64
}

func (s *dealt) Next() *timing.Block {
	if int64(s.next) >= s.most {
		return nil
	}
	b := s.blocks[s.next%len(s.blocks)]
	s.next++
	return b
}

// timed is what a run says of the launch.
type timed struct {
	*timing.Result
	cycles float64 // of the kernel
	scale  float64 // blocks of the multiprocessor for each that was timed
}

// time lets the blocks of a multiprocessor run, with something changed. It ends sooner than the run of the launch as it is; what is off by that is taken to
// be as much as without the change.
func (e *emulation) time(c Change) timed {
	short := e.short()
	t := e.run(c, e.within())
	t.cycles *= short
	return t
}

// within is how many instructions are timed with something changed.
func (e *emulation) within() int64 {
	if e.Binds && !e.Sensitivity {
		return mostBinds
	}
	return mostTimed
}

// whole lets the blocks of a multiprocessor run.
func (e *emulation) whole() timed {
	t := e.run(Change{}, mostWhole)
	e.short = sync.OnceValue(func() float64 {
		if t.Stepped <= e.within() {
			return 1
		}
		return t.cycles / e.run(Change{}, e.within()).cycles
	})
	return t
}

// run lets the blocks of a multiprocessor run, with something changed, for so many instructions at most.
func (e *emulation) run(c Change, bound int64) timed {
	groups := cmp.Or(c.Groups, 1)
	most, total := int64(math.Ceil(float64(e.most)*groups)), float64(e.work.Groups)*groups
	resident := min(cmp.Or(c.Resident, e.resident), most)
	blocks, ops := c.blocks(e.blocks), e.ops
	if c.Ops != nil {
		ops = c.Ops(ops)
	}
	want := int64(len(blocks))
	s := &dealt{blocks: blocks, most: most}
	o := timing.Options{Resident: int(resident), Most: bound, Again: e.again}
	m := e.machine(resident)
	o.Apart = c.machines(m, len(ops))
	whole := most <= want && e.lengths == nil
	if !whole {
		ends := want
		if e.lengths == nil {
			ends -= e.resident
		}
		s.most = ends + resident
		o.Ends, o.Enough = int(ends), enoughTimed
	}
	r := m.Run(ops, s, o)
	t := timed{Result: r, cycles: float64(r.Finished) / timing.Cycle, scale: 1}
	if whole && r.Cut && most > resident && e.lengths == nil { // what was left comes in rounds
		t.cycles = e.dealtOut(&lengths{grid: e.grid, middle: instructions(blocks)}, perCycle(r), resident) * groups
	}
	if !whole && len(r.Ends) >= int(resident) {
		first, last, n := r.Ends[resident-1], r.Ends[len(r.Ends)-1], int64(len(r.Ends))-resident
		each := float64(last-first) / float64(max(n, 1))
		all := total / float64(e.busy)
		t.cycles = (float64(first) + each*max(all-float64(resident), 0)) / timing.Cycle
		if n < resident || r.Cut { // too few have ended to tell how often one does: all go on as those that run
			instructions := float64(instructions(blocks)) * total / float64(e.busy)
			t.cycles = float64(r.Last) * instructions / float64(max(r.Issued, 1)) / timing.Cycle
		}
		if e.lengths != nil {
			t.cycles = max(e.dealtOut(e.lengths, perCycle(r), resident), e.inPhases(c, ops, resident, bound)) * groups
		}
		if e.last != nil {
			alone := m.Run(ops, &dealt{blocks: c.blocks([]*timing.Block{e.last}), most: 1}, timing.Options{Resident: 1, Most: bound, Again: e.again})
			t.cycles = max(t.cycles, float64(alone.Finished)/timing.Cycle)
		}
		t.scale = all / float64(len(r.Ends))
		for _, u := range []timing.Unit{timing.L2, timing.Lines, timing.DRAM, timing.Atomic} { // stores wait there, and their warps do not
			done := float64(r.Issued) / max(instructions(blocks), 1) // blocks, those that were not ended in part
			t.cycles = max(t.cycles, float64(r.Busy[u])*all/max(done, 1)/timing.Cycle)
		}
	}
	if r.Cut && e.lengths == nil {
		t.cycles = max(t.cycles, e.tail(m, ops, blocks, total/float64(e.busy*resident), t.cycles, bound))
	}
	chain := e.chain.cycles(m, ops)
	if most <= resident { // the first work-group ends as late as any would that does not wait
		chain += t.cycles
	}
	t.cycles = max(t.cycles, chain, e.overwritten()) + e.back(m) + e.Device.Value(facts.StartCycles)
	return t
}

// multiprocessor is one with so many blocks at once.
func (e *emulation) machine(resident int64) *timing.Machine {
	m := multiprocessor(e.Device, e.busy, int64(machine.Caches(e.Device, e.work.Group.Local, resident).L1))
	if e.sector > 0 {
		m.Units[timing.DRAM].Gap = e.dramGap(e.sector)
	}
	if last := len(m.Code.Levels) - 1; last >= 0 && len(e.ops) > 0 {
		m.Code.Kept = !e.Cold && e.ops[len(e.ops)-1].Address-e.ops[0].Address < m.Code.Levels[last].Bytes
	}
	e.merge(m)
	if crowded := timing.Cycles(e.crowded()); crowded > 0 {
		atomic := &m.Units[timing.Atomic].Gap
		reduction := max(float64(*atomic)*m.Reduction, float64(crowded))
		m.Scattered *= float64(*atomic) / float64(max(*atomic, crowded)) // which wait for each other more than by chance
		*atomic = max(*atomic, crowded)
		m.Reduction = reduction / float64(*atomic)
	}
	return m
}

// dramGap is the gap of a multiprocessor's share of DRAM, by the seconds for which DRAM is busy with a sector.
func (e *emulation) dramGap(sector float64) int64 {
	return timing.Cycles(sector * e.Device.Value(facts.ClockMHz) * 1e6 * float64(e.busy))
}
