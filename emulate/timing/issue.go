package timing

import "math/bits"

// arrive finds when the next instruction of a warp may issue, units aside.
func (p *multiprocessor) arrive(w *warp) {
	e := w.current()
	if e == nil {
		w.at = never
		return
	}
	op := &p.ops[e.Op]
	w.asks = p.asks[e.Op]
	w.asks.queued = w.asks.queued && !e.Off
	w.stalled, w.reason = w.at, ForResult
	at := w.at
	for m := op.Waits; m != 0; m &= m - 1 {
		i := bits.TrailingZeros8(m)
		if t := w.boards[i].until(op.Left); t > at {
			at, w.reason = t, w.boards[i].reason
		}
	}
	for _, r := range op.Uses {
		there := w.registers[r].ready
		if from := w.registers[r].from; from != op.Pipe && computes(from) && (computes(op.Pipe) || op.Pipe == Address) {
			there += p.Crossing
		}
		at = max(at, there)
	}
	for _, r := range op.Defines {
		at = max(at, w.registers[r].ready-p.Units[op.Unit].Latency)
	}
	if t := e.Touch; t != nil && t.Space == ConstantSpace && op.Action != Access && !e.Off {
		if there := p.wanted(w, t, w.at); there > at {
			at, w.reason = there, ForResult
		}
	}
	if len(p.code) > 0 {
		if there := p.fetched(p.lines[e.Op], w.at); there > at {
			at, w.reason = there, ForCode
		}
	}
	w.at = at
}

// until is when at most so many hold the scoreboard.
func (b *board) until(left int) int64 {
	if left == 0 || len(b.times) == 0 {
		return b.last
	}
	if left >= len(b.times) {
		return 0
	}
	// Those that hold it release it in order.
	return b.times[len(b.times)-1-left]
}

// hold holds the scoreboard until a time.
func (b *board) hold(now, until int64, reason Reason) {
	keep := b.times[:0]
	for _, t := range b.times {
		if t > now {
			keep = append(keep, t)
		}
	}
	if until >= b.last {
		b.reason = reason
	}
	b.last = max(b.last, until)
	b.times = append(keep, b.last)
}

// issue issues the next instruction of a warp.
func (p *multiprocessor) issue(part *partition, w *warp, at int64) {
	e := w.current()
	op := &p.ops[e.Op]
	if p.options.Apart != nil {
		p.Machine = p.options.Apart[e.Op]
	}
	if p.options.Observe != nil {
		p.blind = !p.options.Observe(p.observed(part, w, e, at))
	}
	p.account(part, w, e, at)
	part.last, part.yield = w, op.Yield
	part.free = at + p.bubbles(part, op, at) + p.dispatched(part, op, at)
	p.result.Busy[Dispatch] += p.Units[Dispatch].Gap
	w.before = at
	w.at = at + max(op.Stall, p.Units[Dispatch].Gap)
	result, read := p.occupy(part, w, e, op, at)
	for _, r := range op.Defines {
		w.registers[r] = register{max(w.registers[r].ready, result), op.Pipe}
	}
	for _, r := range op.Late {
		w.registers[r].ready = max(w.registers[r].ready, result+p.Guard)
	}
	p.result.Finished = max(p.result.Finished, result)
	reason := ForResult
	if op.Action == Access && e.Touch != nil && (e.Touch.Space == GlobalSpace || e.Touch.Space == LocalSpace) {
		reason = ForMemory
	}
	if op.Action == Commit {
		result, reason = max(w.copies, at), ForMemory
	}
	if op.Written >= 0 {
		w.boards[op.Written].hold(at, result, reason)
	}
	if op.Read >= 0 {
		w.boards[op.Read].hold(at, read, reason)
	}
	if e.Off && op.Action != Compute {
		p.advance(w, at)
		return
	}
	switch {
	case e.Meet != nil && e.Meet.Kind >= Sync:
		p.sync(w, e.Meet.At, e.Meet.Of, e.Meet.Kind == Sync, at, result)
	case e.Meet != nil:
		p.meet(w, e.Meet, at, result)
	case op.Action == Wait:
		p.sync(w, 0, 0, true, at, result)
	case op.Action == Gather:
		p.gather(w, at)
	case op.Action == Fence:
		w.at = max(w.at, p.fence(w, at))
		p.advance(w, at)
	case op.Action == Empty:
		p.l1.empty()
		p.advance(w, at)
	default:
		p.advance(w, at)
	}
}

// instructionBytes is the distance of instructions in the code.
const instructionBytes = 16

// advance moves a warp to its next instruction.
func (p *multiprocessor) advance(w *warp, at int64) {
	from := p.ops[w.current().Op].Address
	w.done++
	p.again = w.next()
	e := w.current()
	if e == nil {
		p.exit(&p.parts[w.part], w, at)
		return
	}
	if to := p.ops[e.Op].Address; p.Jump > 0 && (to < from || to > from+2*instructionBytes) {
		w.at = max(w.at, at+p.Jump)
	}
	p.arrive(w)
}

// dispatched is after how long the next instruction may be dispatched. Products of Wide read and write their results in the registers, which other
// instructions then get less often.
func (p *multiprocessor) dispatched(part *partition, op *Op, at int64) int64 {
	if at < part.units[Wide] && op.Unit != Wide && op.Unit != Uniform {
		return max(p.Products, p.Units[Dispatch].Gap)
	}
	return p.Units[Dispatch].Gap
}

// bubbles is how much later the next instruction is dispatched because the operands of this one lie in the same register bank.
func (p *multiprocessor) bubbles(part *partition, op *Op, at int64) (late int64) {
	if p.Reads == 0 {
		return 0
	}
	for i, n := range op.Banks {
		if n == 0 {
			continue
		}
		part.banks[i] = max(part.banks[i], at) + n*Cycle
		late = max(late, part.banks[i]-at-p.Reads)
	}
	return late
}

// occupy lets the units of an instruction start it. It returns when its result is there, and when its operands have been read.
func (p *multiprocessor) occupy(part *partition, w *warp, e *Event, op *Op, at int64) (result, read int64) {
	unit := p.Units[op.Unit]
	if e.Off {
		return at + Cycle, at + Cycle
	}
	if op.Action == Access && e.Touch != nil {
		return p.access(part, w, e, op, at)
	}
	if op.Unit.queued() {
		late, read := p.path(part, at, 1, 1)
		p.result.Busy[op.Unit] += unit.Gap
		return late + unit.Latency, read
	}
	gap, latency := unit.Times(op)
	start := at
	if op.Unit.Shared() {
		start = max(at, p.shared[op.Unit])
		p.shared[op.Unit] = start + gap
	} else if op.Unit != Dispatch {
		if op.Unit == Wide {
			start = max(at, part.units[Wide])
		}
		part.units[op.Unit] = start + gap
	}
	if op.Unit != Dispatch {
		p.result.Busy[op.Unit] += gap
	}
	if op.Beside != Dispatch {
		part.units[op.Beside] = start + gap
		p.result.Busy[op.Beside] += gap
	}
	if op.Waves > 0 {
		busy := int64(op.Waves * float64(p.Units[Operands].Gap))
		p.shared[Operands] = max(at, p.shared[Operands]) + busy
		p.result.Busy[Operands] += busy
		start = max(start, p.shared[Operands]-gap)
	}
	return start + latency, start + gap
}

// Times are for how long an instruction occupies the unit, and how long its result takes.
func (r Resource) Times(op *Op) (gap, latency int64) {
	gap, latency = r.Gap, r.Latency
	if op.Deep != 0 {
		latency = int64(float64(latency) * op.Deep)
	}
	if op.Parts != 0 {
		gap = int64(float64(gap) * op.Parts)
		latency += gap - r.Gap
	}
	return gap, latency
}

// read lets the data path of shared memory be busy from a time on. It returns until when.
func (p *multiprocessor) read(waves, at int64) int64 {
	busy := waves * p.Units[Shared].Gap
	p.shared[Shared] = max(at, p.shared[Shared]) + busy
	p.result.Busy[Shared] += busy
	return p.shared[Shared]
}

// exit ends a warp, and perhaps its block.
func (p *multiprocessor) exit(part *partition, w *warp, at int64) {
	w.end()
	w.at = never
	p.result.Slots += at - w.begun
	part.warps = without(part.warps, w)
	part.pick = nil
	b := w.block
	if b.running--; b.running > 0 {
		p.leaves(w, at)
		return
	}
	p.result.Ends = append(p.result.Ends, at)
	p.blocks = without(p.blocks, b)
	p.records = nil
	p.begin(at + p.Start)
}

func without[T comparable](list []T, x T) []T {
	for i := range list {
		if list[i] == x {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}

// account adds up why the warp has waited since its last instruction.
func (p *multiprocessor) account(part *partition, w *warp, e *Event, at int64) {
	o := &p.result.Ops[e.Op]
	o.Issued++
	p.result.Issued++
	p.result.Stepped++
	o.Waited[ForStall] += max(w.stalled-w.before-Cycle, 0)
	o.Waited[w.reason] += w.at - w.stalled
	if late := at - w.at; late > 0 {
		reason, held := p.heldBy(part, w, e, at)
		o.Waited[reason] += held
		o.Waited[ForTurn] += late - held
	}
}

// waits is why a warp has waited since its last instruction, one pause after the other: for what it needs, for its units, and for its turn.
func (p *multiprocessor) waits(part *partition, w *warp, e *Event, at int64) [4]Pause {
	reason, held := p.heldBy(part, w, e, at)
	return [4]Pause{{ForStall, max(w.stalled-w.before-Cycle, 0)}, {w.reason, w.at - w.stalled}, {reason, held}, {ForTurn, at - w.at - held}}
}

// heldBy is for how long the units of a warp's instruction have kept it, and why.
func (p *multiprocessor) heldBy(part *partition, w *warp, e *Event, at int64) (Reason, int64) {
	by := &p.held[e.Op]
	return by.reason, int64(float64(min(max(part.admits(w.asks), w.at), at)-w.at) * by.part)
}

// hold is what keeps an instruction that its units do not take, and in which part of that time.
type hold struct {
	reason Reason
	part   float64
}

// held is what keeps an instruction: in one cycle of each gap a unit takes an instruction of another warp, whose turn it then is. Transcendental functions and
// conversions wait in the queue of memory instructions, as profilers count.
func (m *Machine) held(op *Op) hold {
	reason := ForUnit
	switch {
	case op.Action == Access || op.Unit.queued():
		return hold{ForQueue, 1}
	case op.Unit == XU || op.Unit == Convert:
		reason = ForQueue
	}
	gap, _ := m.Units[op.Unit].Times(op)
	return hold{reason, float64(gap-Cycle) / float64(max(gap, Cycle))}
}

// computes reports whether a unit is one of the two between which results take longer than within one.
func computes(u Unit) bool { return u == ALU || u == FMA }
