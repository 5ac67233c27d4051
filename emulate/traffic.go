package emulate

import (
	"cmp"
	"slices"

	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/emulate/timing"
	"gpuperf/emulate/trace"
	"gpuperf/memory"
)

// traffic says which part of the requests to the second-level cache DRAM serves.
func (e *emulation) traffic() {
	var ok bool
	if e.accessed, ok = e.accesses(); !ok {
		e.warn("the traffic of DRAM is rough: work-groups next to each other do not execute the same")
	}
	caches := machine.Caches(e.Device, e.work.Group.Local, min(e.resident, e.most))
	caches.L2 /= e.larger()
	e.moved = e.accessed.Estimate(caches)
	e.contend()
	e.serve()
}

// serve tells accesses what serves them.
func (e *emulation) serve() {
	loads, stores, sector := e.served(e.moved)
	e.memory.L2Hit, e.sector, e.loads = 1-loads, sector, loads
	e.filled = part(e.moved.Filled, e.moved.Written)
	if e.moved.Rewritten > 0 { // of what comes to DRAM
		e.filled += e.Device.Value(facts.L2StoreAgain) * e.moved.Rewritten / (e.moved.Written + e.moved.Rewritten)
	}
	e.waits, e.fresh.private = e.waiting(loads), e.private()
	e.fresh.grid, e.fresh.once = e.grid, e.resident*e.busy
	e.fresh.serve(loads, e.accessed.Arrays)
	for _, b := range slices.Concat(e.blocks, e.apartBlocks[0]) {
		for _, w := range b.Warps {
			e.miss(w.Nodes, loads, stores, e.noVisits())
		}
	}
}

// larger is how much more the blocks that are looked at execute, in the mean, than the one whose accesses stand for those of all: about as many times as much of the
// second-level cache do these take. Where it has more than they, that is left as it is.
func (e *emulation) larger() float64 {
	one := instructions([]*timing.Block{e.standing})
	if one == 0 || len(e.blocks) == 0 {
		return 1
	}
	return max(instructions(e.blocks)/one, 1)
}

// muchMore is by how much more is loaded from the second-level cache than package memory takes it, from which on that counts.
const muchMore = 1.1

// settled is the time of the launch as it is. Blocks that run at once may use more of the first-level cache than it has, although each of them finds
// there what it reads again, as package memory takes it. What is loaded once more then is in the second-level cache, but for the part of that which they
// fill.
func (e *emulation) settled() timed {
	base := e.whole()
	if e.overwritten() > mostlyBusy*base.cycles {
		e.warn("work-groups store in the same places, and wait for the part of the second-level cache that most of these lie in")
	}
	known := e.moved.L2Loads
	loaded := float64(base.Traffic.FromL2) * float64(e.instructions()) / float64(max(base.Issued, 1))
	if e.loads == 0 || known == 0 || loaded < known*muchMore {
		return base
	}
	flight := known / float64(e.work.Groups) * sectorBytes * float64(e.resident*e.busy) // bytes that blocks that run at once have loaded
	e.again = min(flight/e.Device.Value(facts.L2Bytes), 1)
	return e.whole()
}

// served are the parts of loads and of stores that DRAM serves, of what moves between caches, and for how many seconds it is busy with a sector; 0 where it serves
// none of these, as of a launch that loads nothing.
func (e *emulation) served(t memory.Traffic) (loads, stores, sector float64) {
	if e.Cold {
		t.WarmReads, t.WarmWrites = t.DRAMReads, t.DRAMWrites
	}
	t.WarmReads += e.Others.Missing * max(0, t.DRAMReads-t.WarmReads)
	others := e.Others.Written
	if others < 0 {
		others *= e.Device.Value(facts.L2Spared)
	}
	all := max(t.WarmWrites+others, 0)
	t.WarmWrites = min(all, max(t.WarmWrites, t.Written))
	others = all - t.WarmWrites
	loads, stores = part(t.WarmReads, t.L2Loads*sectorBytes), part(t.WarmWrites, t.L2Stores*sectorBytes)
	if sectors := loads*t.L2Loads + stores*t.L2Stores; sectors >= 1 {
		sector = e.busyDRAM(&t, others) / sectors
	}
	return loads, stores, sector
}

// busyDRAM is for how many seconds DRAM is busy: with what it moves, two sectors at least, with so many bytes that others have stored, whose lines come from anywhere,
// and with turning to other places.
func (e *emulation) busyDRAM(t *memory.Traffic, others float64) float64 {
	kept := func(warm, cold float64) float64 { return min(warm/max(cold, 1), 1) }
	reads, writes := t.ReadUnits*kept(t.WarmReads, t.DRAMReads), t.WrittenUnits*kept(t.WarmWrites, t.Written)
	pages := t.Pages * (reads + writes) / max(t.ReadUnits+t.WrittenUnits, 1)
	pages += others / memory.LineBytes
	writes += others
	d := e.Device
	r, w := reads/d.Value(facts.DRAMReadRate), writes/d.Value(facts.DRAMWriteRate)
	return r + w + d.Value(facts.DRAMMixed)*min(r, w) + pages*d.Value(facts.DRAMPageSeconds)
}

// miss tells accesses which part of them DRAM serves, unless that is assumed.
func (e *emulation) miss(nodes []timing.Node, loads, stores float64, seen visits) {
	for i := range nodes {
		e.miss(nodes[i].Body, loads, stores, seen)
		for _, ev := range nodes[i].Events {
			t, at := ev.Touch, seen.next(ev.Op)
			if t == nil {
				continue
			}
			t.DRAM, t.Waits = loads, e.waits[ev.Op]
			if part, ok := e.fresh.served[at]; ok {
				t.DRAM, t.Waits = part, min(t.Waits+e.fresh.behind[at], 1-part)
			}
			if t.Space == timing.LocalSpace {
				t.DRAM, t.Waits = e.fresh.private, 0
				continue
			}
			if t.Store || t.Atomic {
				t.DRAM, t.Filled = stores, e.filled
				if fresh, ok := e.fresh.changed[ev.Op]; ok && t.Atomic {
					t.DRAM = min(stores, fresh)
				}
			}
			if t.Store {
				t.Updated = e.fresh.updated[at]
			}
			if hit, ok := e.assumed(e.ops[ev.Op].Address); ok {
				t.DRAM = 1 - hit
			}
		}
	}
}

// assumed is the part of the requests of an instruction that the second-level cache serves, where the launch file says it.
func (e *emulation) assumed(address int64) (hit float64, ok bool) {
	for _, a := range e.Assume {
		if a.Region == "" {
			continue
		}
		if from, to, err := region(a.Region); err == nil && address >= from && address <= to {
			hit, ok = a.Value, true
		}
	}
	return hit, ok
}

// accesses describes the accesses of the launch for package memory, from a block in the middle and the ones before it along each axis.
func (e *emulation) accesses() (l *memory.Launch, ok bool) {
	w := walker{emulation: e, strewn: map[int32]int{}, launch: &memory.Launch{Groups: e.grid, Lines: true}, ok: true}
	var at, apart [3]uint32
	for d, n := range e.grid {
		apart[d] = e.cluster(d)
		at[d] = uint32(n/2) / apart[d] * apart[d]
	}
	afresh(e.builder, len(e.executed))
	middle := e.block(at)
	if middle.Cut && len(e.blocks) > 0 && !e.blocks[0].Cut { // another one was executed to its end
		at, middle = e.shown, e.block(e.shown)
	}
	var share float64
	w.at, middle, share = e.usual(at, middle)
	e.standing = middle
	for d := range w.groups {
		if w.groups[d] = e.grid[d]; e.grid[d] == slices.Max(e.grid[:]) {
			w.groups[d], share = max(int64(share*float64(e.grid[d])), 1), 1
		}
	}
	w.launch.Groups = w.groups
	for d := range e.grid {
		w.before(middle, d, apart[d])
	}
	w.arrays = e.pointed()
	w.launch.Arrays = arrays(w.arrays, e.Unrestored)
	w.bodies(middle)
	w.reached()
	return w.launch, w.ok
}

// before compares a block with the one before it along an axis, which is so many work-groups away.
func (w *walker) before(middle *timing.Block, d int, apart uint32) {
	w.rows[d] = make([][]timing.Node, len(middle.Warps))
	w.apart[d] = int64(apart)
	if w.grid[d] == 1 {
		return
	}
	other, after := middle, middle
	if w.at[d] >= apart || w.cluster(d) == 1 {
		before := w.at
		if w.at[d] >= apart {
			before[d] -= apart
			other = w.block(before)
		}
		if before == w.at || touches(other) == 0 && touches(middle) > 0 {
			other, after = w.busyBeside(middle, d, apart, other)
		}
	} else if after = w.member(w.at, d); after != nil {
		w.apart[d] = 1
	} else { // blocks of a cluster are taken to access what the first does
		return
	}
	row := trace.Row(other, after)
	if row == nil {
		w.firsts[d] = firsts(other, after)
		return
	}
	for i := range row {
		w.rows[d][i] = row[i][0].Body
	}
}

// bodies describes the accesses of a block; warps that execute alike are described together.
func (w *walker) bodies(middle *timing.Block) {
	for first, done := 0, make([]bool, len(middle.Warps)); first < len(done); first++ {
		if done[first] {
			continue
		}
		var same []int
		for i := first; i < len(done); i++ {
			if !done[i] && slices.EqualFunc(middle.Warps[first].Nodes, middle.Warps[i].Nodes, trace.Alike) {
				done[i], same = true, append(same, i)
			}
		}
		var nodes [][]timing.Node
		var rows [3][][]timing.Node
		for _, i := range same {
			nodes = append(nodes, middle.Warps[i].Nodes)
			for d := range rows {
				rows[d] = append(rows[d], w.rows[d][i])
			}
		}
		w.seen, w.flight, w.flying = w.noVisits(), 1, map[uint16]bool{}
		w.launch.Body = append(w.launch.Body, w.steps(nodes, rows, nil)...)
	}
}

// member is the next block of a cluster along an axis; nil where it waits for what nobody tells it.
func (e *emulation) member(at [3]uint32, d int) *timing.Block {
	at[d]++
	stuck := e.builder.Stuck
	e.builder.Stuck = false
	b := e.block(at)
	if e.builder.Stuck {
		b = nil
	}
	e.builder.Stuck = stuck
	return b
}

// walker goes through the traces of warps that execute the same.
type walker struct {
	*emulation
	launch *memory.Launch
	arrays []pointed
	at     [3]uint32
	groups [3]int64           // that access memory, along each axis
	apart  [3]int64           // how many blocks the distances of rows and firsts are for
	rows   [3][][]timing.Node // of each axis and warp, the trace with the distance from the block before
	// firsts are the same of each axis and instruction, for its first execution, where the blocks do not execute the same.
	firsts [3]map[int32]timing.Step
	seen   visits          // of the warps that are gone through
	flight int             // how often these have waited for what they load, and 1
	flying map[uint16]bool // registers that are loaded
	strewn map[int32]int   // the arrays that instructions access anywhere
	ok     bool
}

// firsts is how far the first access of each instruction is from that in a block before, of warp by warp.
func firsts(before, b *timing.Block) map[int32]timing.Step {
	out := map[int32]timing.Step{}
	for i := range min(len(before.Warps), len(b.Warps)) {
		was := map[int32]*timing.Touched{}
		trace.Each(before.Warps[i].Nodes, func(ev *timing.Event) {
			if ev.Touch != nil && was[ev.Op] == nil {
				was[ev.Op] = ev.Touch
			}
		})
		trace.Each(b.Warps[i].Nodes, func(ev *timing.Event) {
			x, y := was[ev.Op], ev.Touch
			if _, known := out[ev.Op]; known || x == nil || y == nil || len(x.Lanes) != len(y.Lanes) || len(y.Lanes) == 0 {
				return
			}
			out[ev.Op] = trace.StepBetween(x.Lanes, y.Lanes)
		})
	}
	return out
}

// steps are those of nodes of several warps, within loops of so many iterations.
func (w *walker) steps(nodes [][]timing.Node, rows [3][][]timing.Node, trips []int64) (out []memory.Step) {
	for i := range nodes[0] {
		first := &nodes[0][i]
		var bodies [][]timing.Node
		var inner [3][][]timing.Node
		for k := range nodes {
			bodies = append(bodies, nodes[k][i].Body)
			for d := range rows {
				var row []timing.Node
				if rows[d][k] != nil {
					row = rows[d][k][i].Body
				}
				inner[d] = append(inner[d], row)
			}
		}
		if first.Body != nil {
			if body := w.steps(bodies, inner, append(trips[:len(trips):len(trips)], first.Times)); body != nil {
				out = append(out, &memory.Loop{Body: body, Together: 1})
			}
			continue
		}
		for j := range first.Events {
			if a := w.access(nodes, rows, i, j, trips); a != nil && !joined(out, a) {
				out = append(out, a)
			}
		}
	}
	return out
}

// joined adds an access to one since the last loop that moves alike, as those of an unrolled loop do. It reports whether there is one.
func joined(steps []memory.Step, a *memory.Access) bool {
	for i := len(steps) - 1; i >= 0; i-- {
		b, ok := steps[i].(*memory.Access)
		if !ok {
			return false
		}
		x, y := &b.Parts[0], &a.Parts[0]
		if b.Array != a.Array || b.Store != a.Store || b.Width != a.Width || x.From != y.From || x.Scattered != y.Scattered || x.Groups != y.Groups ||
			!slices.Equal(x.Loops, y.Loops) {
			continue
		}
		x.Lanes = append(x.Lanes, y.Lanes...)
		x.Sectors, x.Lines, x.Requests = x.Sectors+y.Sectors, x.Lines+y.Lines, x.Requests+y.Requests
		return true
	}
	return false
}

// access is that of one event of all warps; nil for none of global memory.
func (w *walker) access(nodes [][]timing.Node, rows [3][][]timing.Node, i, j int, trips []int64) *memory.Access {
	t, at := nodes[0][i].Events[j].Touch, w.seen.next(nodes[0][i].Events[j].Op)
	w.land(&w.ops[at.op], t)
	if t == nil || t.Space != timing.GlobalSpace || len(t.Lanes) == 0 {
		return nil
	}
	array, offset := placing(w.emulation.launch.Memory.Find).array(w.arrays, t.Lanes[0])
	if array < 0 {
		return nil
	}
	base := t.Lanes[0] - offset
	p, sure := memory.Part{Times: 1}, true
	for d, n := range w.groups {
		var s timing.Step
		if rows[d][0] != nil {
			s = rows[d][0][i].Events[j].Touch.Steps[0]
		} else if w.firsts[d] != nil {
			known := false
			s, known = w.firsts[d][nodes[0][i].Events[j].Op]
			w.ok, sure = w.ok && known, sure && known
		}
		stride := s.All
		p.Scattered = p.Scattered || s.Each != nil
		if stride /= w.apart[d]; s.Each != nil {
			stride = 0
		}
		p.Groups[d] = memory.Run{Step: 1, Count: n, Stride: stride, Anywhere: s.Each != nil}
		p.From -= stride * int64(w.at[d])
	}
	others := w.atOnce(&p)
	executions := float64(w.groups[0]) * float64(w.groups[1]) * float64(w.groups[2])
	for level, n := range trips {
		s := timing.Step{}
		if level < len(t.Steps) {
			s = t.Steps[level]
		}
		run := memory.Run{Step: 1, Count: n, Stride: s.All, Anywhere: s.Each != nil}
		if p.Scattered = p.Scattered || run.Anywhere; run.Anywhere {
			run.Stride = 0
		}
		p.Loops = append(p.Loops, run)
		executions *= float64(n)
	}
	var sectors, lines []int64
	for k := range nodes {
		for _, a := range parted(nodes[k][i].Events[j].Touch) {
			p.Lanes = append(p.Lanes, a-base)
			sectors = append(sectors, int64(k)<<48|(a-base)/sectorBytes)
			lines = append(lines, int64(k)<<48|(a-base)/memory.LineBytes)
		}
	}
	p.Sectors, p.Lines, p.Requests = executions*distinct(sectors), executions*distinct(lines), executions*float64(len(nodes))
	w.note(t, at, array, others, &p)
	if t.Store && !t.Atomic && sure {
		w.overwrite(&p)
	}
	return &memory.Access{Array: array, Store: t.Store || t.Atomic, Width: min(t.Width, sectorBytes), Parts: []memory.Part{p}}
}

// land ends a flight where an instruction uses what was loaded in it.
func (w *walker) land(op *timing.Op, t *timing.Touched) {
	if slices.ContainsFunc(op.Uses, func(r uint16) bool { return w.flying[r] }) {
		w.flight++
		clear(w.flying)
	}
	if t != nil && t.Space == timing.GlobalSpace && !t.Store {
		for _, r := range op.Defines {
			w.flying[r] = true
		}
	}
}

// note keeps what an access tells beside its place.
func (w *walker) note(t *timing.Touched, at visit, array int, others float64, p *memory.Part) {
	if p.Scattered {
		w.strewn[at.op] = array
	}
	load := !t.Store && !t.Atomic
	w.fresh.touch(touch{at: at, array: array, load: load, atomic: t.Atomic, sectors: p.Sectors, flight: w.flight}, p)
	if load {
		w.asked = append(w.asked, asked{at.op, array, p.Sectors, others})
	}
}

// parted are the addresses of lanes, those of bulk copies by sector.
func parted(t *timing.Touched) (lanes []int64) {
	if t.Width <= sectorBytes {
		return t.Lanes
	}
	for _, from := range t.Lanes {
		for at := from; at < from+t.Width; at += sectorBytes {
			lanes = append(lanes, at)
		}
	}
	return lanes
}

func distinct(list []int64) float64 {
	slices.SortFunc(list, cmp.Compare[int64])
	return float64(len(slices.Compact(list)))
}
