package timing

import (
	"math"
	"slices"
)

// Source gives the blocks of a multiprocessor in the order in which they start; nil when there are no more.
type Source interface{ Next() *Block }

// Block is a work-group: the traces of its warps.
type Block struct {
	Warps []*Trace
	Cut   bool // they are not those of all that the block executes
}

// Options bound a run.
type Options struct {
	Resident int  // blocks at once
	NoSkip   bool // execute all iterations
	// Ends is how many blocks are to end; 0 is all.
	Ends int
	// Enough is after how many instructions a run may end once as many blocks have ended as run at once. 0 is never.
	Enough int64
	// Apart is the machine of each Op; nil is that of all.
	Apart []*Machine
	// Most is how many instructions are issued at most, skipped ones aside; what then remains goes on at the rate of the later half. 0 is no bound.
	Most int64
	// Again is the part of what a block loads from the second-level cache a second time that DRAM serves. 0 is the same as of all loads.
	Again float64
	// Observe is told of each issue, in the order of time; false ends the run. Nil observes nothing.
	Observe func(Issue) bool
}

// Result is what a run took.
type Result struct {
	Finished int64   // until the last result is there
	Last     int64   // until the last instruction is issued
	Ends     []int64 // of blocks, in the order in which they end
	Begun    int     // blocks
	Issued   int64   // instructions, skipped ones too
	Stepped  int64   // instructions that were not skipped
	Busy     [units]int64
	Ops      []OpResult
	Exact    bool // all skipped iterations were like those before, in every unit of time
	Skipped  bool
	Cut      bool // the bound of instructions was reached
	Stuck    bool // warps were left that wait for each other
	Traffic  Traffic
	Slots    int64 // the time during which warps were resident, added up
}

// OpResult is what became of one instruction of the program.
type OpResult struct {
	Issued int64
	Waited [Reasons]int64
}

// Traffic is what memory instructions moved.
type Traffic struct {
	Requests, Sectors, Hits, Stored, FromL2, FromDRAM, ToDRAM int64
}

// Reason is why a warp does not issue.
type Reason uint8

// The reasons.
const (
	ForStall   Reason = iota // the distance that the instruction before asks for
	ForMemory                // a result of global or local memory
	ForResult                // a result of another unit that takes its time
	ForBarrier               // other warps of the block
	ForUnit                  // a unit that is busy
	ForQueue                 // a queue of memory instructions that is full
	ForTurn                  // another warp issues
	ForCode                  // instructions that have not come yet
	Reasons
)

var reasons = [Reasons]string{
	"fixed latency", "memory", "variable latency", "barrier", "busy unit", "memory queue", "not selected", "instructions",
}

func (r Reason) String() string { return reasons[r] }

// lastStored is how many lines wait for more stores to them (chosen on stores of every third word, and of columns, which are not joined).
const lastStored = 8

const never = math.MaxInt64 / 4 // later than any cycle; sums of a few of them do not overflow

type multiprocessor struct {
	*Machine
	ops        []Op
	options    Options
	source     Source
	parts      []partition
	shared     [units]int64 // when the next request may start
	blocks     []*block
	l1         *l1
	code       codeCache
	constants  *constantCache
	uniformFar int64          // when the next line of constants may be asked for that a warp wants once
	begun      map[int64]bool // lines of code that have been executed
	asks       []asks         // of each Op
	held       []hold         // of each Op
	lines      []int64        // of code, that each Op lies in
	credit     []float64      // of each Op, the part of a request to DRAM that is owed
	behind     []float64      // the same of a request that waits for one of others
	result     Result
	now        int64
	born       int
	begins     int64     // when the next block may start
	records    []*record // of loops, by depth from 1
	sectors    []int64
	load       load
	registers  int
	blind      bool // the observer has seen enough
	beats      []beat
	text       []byte            // of the state that was hashed last, to be overwritten
	taken      queue             // by the data path, but for loads from global memory
	loading    queue             // the same of those
	leaving    queue             // for the second-level cache
	stored     [lastStored]int64 // lines that were stored last, a ring
	lately     int
	again      int // the depth of a loop of which the last instruction began another iteration
}

type partition struct {
	free     int64 // when it may dispatch next
	units    [Barrier]int64
	starts   []int64 // of the last memory instructions, a ring
	head     int
	warps    []*warp // those of the oldest block first, and of its warps the youngest
	last     *warp
	yield    bool // its last instruction asks for another warp
	banks    [2]int64
	uniforms uniforms
	pick     *warp // next; nil is not known
	at       int64
}

type block struct {
	number   int
	warps    []*warp
	running  int
	meets    bool // its warps have waited for each other
	syncs    [syncs]sync
	groups   []sync            // of warps that make products of Wide together
	barriers map[int64]*phases // in shared memory, by address
	loaded   map[int64]bool    // sectors that have been loaded, where that matters
}

type warp struct {
	at    int64 // when its next instruction may issue, units aside; never while it waits for others
	asks  asks  // of that instruction
	block *block
	age   int
	cursor
	trace     *Trace
	part      int
	number    int   // in its block
	stalled   int64 // when it could issue but for what it waits for
	reason    Reason
	before    int64 // when it issued last
	begun     int64
	copies    int64 // when the copies to shared memory so far end
	written   int64 // when the stores and the atomic operations so far are done
	registers []register
	done      int64 // instructions
	boards    [boards]board
	// constants are the line of those that it wants once, by which it was served last.
	constants brought
}

// register is when a register is there, and what has written it.
type register struct {
	ready int64
	from  Unit
}

// asks are the units of a sub-partition that take an instruction: its own, and another one, or Dispatch; and whether the queue of memory instructions does, too.
type asks struct {
	unit, beside uint8
	queued       bool
}

// board is a scoreboard.
type board struct {
	last   int64   // when all that hold it have released it
	times  []int64 // when each does
	reason Reason
}

// Run lets the warps of all blocks run.
func (m *Machine) Run(ops []Op, source Source, o Options) *Result {
	p := &multiprocessor{Machine: m, ops: ops, options: o, source: source, parts: make([]partition, m.Partitions), l1: newL1(m.L1Bytes), code: newCodeCache(m.Code.Levels), begun: map[int64]bool{}}
	p.result.Ops = make([]OpResult, len(ops))
	p.result.Exact = true
	p.prepare()
	if c := m.Constants; c.Bytes > 0 {
		p.constants = newConstantCache(&c)
	}
	p.taken.times, p.loading.times, p.leaving.times = make([]int64, m.Leaving), make([]int64, m.Loading), make([]int64, m.Leaving)
	p.credit, p.behind = make([]float64, len(ops)), make([]float64, len(ops))
	for i := range p.parts {
		p.parts[i].starts = make([]int64, max(m.Depth, 1))
		if n := m.Constants.Uniform; n > 0 {
			p.parts[i].uniforms.pieces = newL1(n * lineSectors * sectorBytes)
		}
	}
	for range max(o.Resident, 1) {
		if !p.begin(0) {
			break
		}
	}
	defer p.drain()
	half := struct{ issued, at int64 }{}
	for p.step() {
		switch {
		case p.blind, o.Ends > 0 && len(p.result.Ends) >= o.Ends:
			return &p.result
		case o.Enough > 0 && p.result.Stepped >= o.Enough && len(p.result.Ends) >= o.Resident:
			return &p.result
		case o.Most > 0 && half.at == 0 && p.result.Stepped >= o.Most/2:
			half.issued, half.at = p.result.Issued, p.now
		case o.Most > 0 && p.result.Stepped >= o.Most:
			p.cut(half.issued, half.at)
			return &p.result
		}
	}
	return &p.result
}

// prepare finds out what is the same whenever an instruction is issued.
func (p *multiprocessor) prepare() {
	p.asks, p.held, p.lines = make([]asks, len(p.ops)), make([]hold, len(p.ops)), make([]int64, len(p.ops))
	for i := range p.ops {
		op, m := &p.ops[i], p.Machine
		if p.options.Apart != nil {
			m = p.options.Apart[i]
		}
		p.asks[i], p.held[i], p.lines[i] = op.asks(), m.held(op), op.Address/max(p.Code.Line, 1)
		for _, list := range [][]uint16{op.Defines, op.Uses, op.Late} {
			for _, r := range list {
				p.registers = max(p.registers, int(r)+1)
			}
		}
	}
}

// drain waits for what is on its way to L2 and DRAM, and counts the warps that have not ended: a run may end before they do.
func (p *multiprocessor) drain() {
	for w := range p.warps {
		p.result.Slots += max(p.now-w.begun, 0)
	}
	p.result.Finished = max(p.result.Finished, p.shared[L2], p.shared[Lines], p.shared[DRAM], p.shared[Atomic])
}

// cut ends a run: what remains is issued at the rate since a time.
func (p *multiprocessor) cut(issued, since int64) {
	r := &p.result
	r.Cut = true
	left, blocks := int64(0), len(p.blocks)
	for w := range p.warps {
		left += w.trace.Count() - w.done
	}
	for {
		b := p.source.Next()
		if b == nil || p.options.Ends > 0 && len(r.Ends)+blocks >= p.options.Ends {
			break
		}
		blocks++
		for _, t := range b.Warps {
			left += t.Count()
		}
	}
	instructions, time := p.steady(issued, since)
	rest := float64(left) * float64(time) / float64(max(instructions, 1))
	for i := range blocks {
		r.Ends = append(r.Ends, p.now+int64(rest*float64(i+1)/float64(blocks)))
	}
	r.Finished = max(r.Finished, p.now+int64(rest))
}

// begin starts the next block.
func (p *multiprocessor) begin(at int64) bool {
	next := p.source.Next()
	if next == nil {
		return false
	}
	p.result.Begun++
	at = max(at, p.begins)
	p.begins = at + p.Begin
	b := &block{number: p.result.Begun - 1}
	for i, t := range next.Warps {
		w := &warp{cursor: newCursor(t), trace: t, block: b, number: i, age: p.born, begun: p.resident(at), before: at, at: at, stalled: at, registers: make([]register, p.registers)}
		p.born++
		if w.current() == nil {
			continue
		}
		for i := range p.parts {
			if len(p.parts[i].warps) < len(p.parts[w.part].warps) {
				w.part = i
			}
		}
		p.parts[w.part].enter(w)
		b.warps = append(b.warps, w)
		b.group(w).of++
		p.arrive(w)
	}
	b.running = len(b.warps)
	if b.running == 0 {
		p.result.Ends = append(p.result.Ends, at)
		return p.begin(at)
	}
	p.blocks = append(p.blocks, b)
	return true
}

// resident is from when on the warps of a block count as resident that may issue from a time on. Where they take the place of others, that is half of
// the time from the last instruction of those. The half was chosen among none, half and all, by sm__warps_active of the half of the development set
// that numbers are chosen on; what the hardware does in that time was not measured.
func (p *multiprocessor) resident(at int64) int64 {
	if p.now == 0 {
		return at
	}
	return at - p.Start/2
}

// step issues one instruction; false when no warp is left.
func (p *multiprocessor) step() bool {
	var part *partition
	at := int64(never)
	for i := range p.parts {
		one := &p.parts[i]
		if one.pick == nil {
			p.choose(one)
		}
		if one.at < at {
			part, at = one, one.at
		}
	}
	if part == nil {
		p.result.Stuck = len(p.blocks) > 0
		return false
	}
	w := part.pick
	part.pick = nil
	p.now, p.result.Last, p.again = at, at, 0
	p.issue(part, w, at)
	if p.again > 0 && !p.options.NoSkip {
		p.epoch(w, p.again)
	}
	return true
}

// choose picks the warp that a sub-partition issues next, of those that are ready first: the one of the last instruction if it goes on at once, unless it
// asks for another; else one of the oldest block, and of its warps the youngest (Huerta et al., "Analyzing Modern NVIDIA GPU Cores", 2025, section 5.1;
// testdata/h200/measurement/mem.csv.gz, issue_l1_scattered), or the one that has been ready longest. The oldest block was chosen among that and the
// youngest by sm__warps_active of the half of the development set that numbers are chosen on: with the youngest, the last warps of a block would end
// later after the first ones than they do.
func (p *multiprocessor) choose(part *partition) {
	last := part.last
	if last != nil && !part.yield && last.at <= part.free && part.admits(last.asks) <= part.free { // no other comes before it
		part.at, part.pick = part.free, last
		return
	}
	part.at = never
	for _, w := range part.warps {
		if w.at >= never || w.at > part.at { // another issues before it whatever its unit does
			continue
		}
		at := max(w.at, part.free, part.admits(w.asks))
		if at < part.at || at == part.at && p.before(part, w, part.pick) {
			part.at, part.pick = at, w
			if at == part.free && w != last && !p.Fair { // those behind it in the list come behind it
				return
			}
		}
	}
}

// enter adds a warp of the last block that has begun, younger than all others.
func (part *partition) enter(w *warp) {
	at := len(part.warps)
	for at > 0 && part.warps[at-1].block == w.block {
		at--
	}
	part.warps, part.pick = slices.Insert(part.warps, at, w), nil
}

// before reports whether a warp issues before another that is ready as well.
func (p *multiprocessor) before(part *partition, w, other *warp) bool {
	switch {
	case !p.Fair && part.at > part.free: // the last one could not go on at once, and is as any other
	case other == part.last:
		return part.yield
	case w == part.last:
		return !part.yield
	case p.Fair && w.at != other.at:
		return w.at < other.at
	}
	if w.block != other.block {
		return w.block.number < other.block.number
	}
	return w.age > other.age
}

// admits is when its units take an instruction.
func (part *partition) admits(a asks) int64 {
	at := max(part.units[a.unit], part.units[a.beside])
	if a.queued {
		at = max(at, part.starts[part.head])
	}
	return at
}

// asks are the units that take an instruction.
func (op *Op) asks() (a asks) {
	if op.Unit < Barrier && op.Unit != Wide { // whose instructions wait behind the scheduler
		a.unit = uint8(op.Unit)
	}
	a.beside, a.queued = uint8(op.Beside), op.Action == Access || op.Unit.queued()
	return a
}
