package exec

import (
	"math/bits"

	"gpuperf/sass"
)

// transferForms are the opcodes of barriers in local memory, and of the copies that arrive at them. A copy is done when it is issued, so
// that bytes that a barrier waits for are always there.
var transferForms = map[string]form{
	"SYNCS":        {run: syncShared, decode: decodeSync},
	"STAS":         {run: storeBeside, decode: decodeBeside},
	"ARRIVES":      {run: arriveCopies, decode: decodeAccess},
	"UBLKCP":       {run: copyBulk, decode: decodeBulk},
	"UTMALDG":      {run: copyTile, decode: decodeBulk},
	"UTMASTG":      {run: storeTile, decode: decodeBulk},
	"UTMAREDG":     {run: skip},
	"UTMAPF":       {run: skip},
	"UTMACCTL":     {run: skip},
	"UTMACMDFLUSH": {run: skip},
	"UBLKPF":       {run: skip},
}

// arrivals is a barrier in local memory: how many arrive in each phase, how many have in those that are not over, how many are over, and the one
// whose bytes were announced last.
type arrivals struct {
	count        int
	arrived      map[int]int
	over, awaits int
	start        int  // phases that are over from the start, 1 where the word says the other parity, less those of a barrier that was there before
	announced    bool // bytes were
	after        bool // bytes are announced after the copies that bring them
}

// brought is the phase to which a copy brings bytes: the one whose bytes were announced last, or that whose bytes will be next.
func (b *arrivals) brought() int {
	switch {
	case !b.announced:
		b.after = true
		return b.over - b.start
	case b.after:
		return b.awaits + 1 - b.start
	}
	return b.awaits - b.start
}

// progress is how far a sub-group is at a barrier. Once sub-groups leave loops early, some are ahead of others, and each goes on from where it was
// itself: it waits for each phase, and arrives as often in each as in the last one.
type progress struct {
	over         int // phases that it knows to be over
	waited       bool
	phase        int // in which it arrived last
	times, often int // that it has arrived in that phase, and did in the one before
}

// Meeting is what an instruction does at a barrier in local memory, which goes through one phase after the other.
type Meeting struct {
	Kind  Meets
	At    uint64 // the barrier
	Phase int    // that it is part of; of Awaits, how many phases are to be over
	Count int    // of Arrives, how many arrive
	Of    int    // of Arrives, how many the phase needs
	// Bytes are those that the phase waits for beside, as Arrives says, or those that Brings brings. Negative ones are not known: -n stands for n equal
	// parts of what the phase waits for.
	Bytes int64
}

// Meets is a way to meet.
type Meets uint8

// The ways.
const (
	Nowhere       Meets = iota
	Arrives             // at once
	ArrivesCopies       // when the copies of the sub-group so far are done
	Awaits              // until phases are over
	Brings              // bytes, when a copy is done
	BringsCopies        // bytes, when the copies of the sub-group so far are done
	Syncs               // at a barrier of the work-group, by its number, until as many sub-groups have come as Of says; 0 is all
	Signals             // that it has come there, without waiting
)

// countOf decodes the number of arrivals that a barrier starts with, from the low word that compilers store: 0x200000 less twice the
// number. The highest bit of the word of 64 bits is the parity of the phases before.
func countOf(word uint64) int { return int((0x200000 - word&0x1fffff) / 2 & 0xfffff) }

// phaseBit is where operands and results keep the parity of a phase.
const phaseBit = 31

// decodeSync decodes an instruction about a barrier, which starts with a word of 64 bits.
func decodeSync(d *decoder) {
	decodeAccess(d)
	if v := d.o.access.values; d.has("EXCH") && len(v) > 0 && v[0].fixed == nil && v[0].row != zeroRow && v[0].row != uniformZero {
		v[0].wide = true
	}
}

// syncShared starts a barrier (EXCH), arrives at it (ARRIVE), or waits until a phase is over (PHASECHK): nothing else comes of a loop that asks
// again and again.
func syncShared(w *Warp, o *op, lanes uint32) {
	f := w.path.file
	a := w.reach(o, &o.access.parts[0], sass.Local, sass.Atomic, 8, lanes)
	w.step.Accesses = w.step.Accesses[:0]
	first := active(lanes)
	at := a.Address[first]
	value, known := uint64(0), false
	if len(o.access.values) > 0 {
		value, known = o.access.values[0].lane(f, first)
	}
	if a.Known&lanes != lanes {
		w.blur(o, lanes)
		return
	}
	g := w.Group
	b := g.inbox[at]
	switch {
	case o.in.Has("EXCH"):
		if known {
			g.starts(at, b, value, w.launch.others[at])
		}
		w.blur(o, lanes)
	case o.in.Has("ARRIVE"):
		phase := 0
		count, bytes := o.amounts(bits.OnesCount32(lanes), int(value))
		switch {
		case bytes > 0 && w.elsewhere(o, lanes):
			w.tell(o, lanes, message{barrier: at, count: 1})
		case b != nil:
			phase = w.arrives(Arrives, at, b, count, int64(bytes))
		}
		var low, high row
		for i := range high {
			high[i] = uint32(phase&1) << phaseBit
		}
		if o.to[0] != sinkRow {
			f.set(o.to[0], lanes, &low, 0)
			f.set(o.to[0]+1, lanes, &high, all)
		}
	case o.in.Has("PHASECHK"):
		if b != nil && known {
			w.asks(at, b, value)
		}
		if o.results > 0 {
			f.setPredicate(o.toPred[0], lanes, truth{all, all})
		}
	default:
		w.blur(o, lanes)
	}
}

// starts puts a barrier in the place of the one before it, if there was one: some of those that it counts are elsewhere.
func (g *Group) starts(at uint64, before *arrivals, value uint64, others int) {
	b := &arrivals{count: countOf(value) - others, arrived: map[int]int{}}
	b.start = int(value >> (32 + phaseBit))
	b.over = b.start
	if before != nil { // its phases are counted on
		b.start -= before.over - before.start
	}
	g.inbox[at] = b
	for _, v := range g.Warps {
		delete(v.progress, at)
	}
}

// asks waits until a phase of a barrier is over, of which the value tells whether it has an even number.
func (w *Warp) asks(at uint64, b *arrivals, value uint64) {
	p := w.at(at)
	phase := p.over
	if !w.Group.ahead || !p.waited {
		phase = max(b.over, phase)
	}
	if phase&1 == int(value>>phaseBit&1) {
		phase++
	}
	p.over, p.waited = phase, true
	if phase > b.over {
		w.Group.hear(at)
	}
	if phase > b.over {
		w.path.wait, w.path.at, w.path.phase = phaseSync, int(at), phase
	}
	w.step.Meeting = Meeting{Kind: Awaits, At: at, Phase: phase - b.start}
}

// at is how far the sub-group is at a barrier.
func (w *Warp) at(barrier uint64) *progress {
	p := w.progress[barrier]
	if p == nil {
		p = &progress{}
		if w.progress == nil {
			w.progress = map[uint64]*progress{}
		}
		w.progress[barrier] = p
	}
	return p
}

// arrives notes arrivals, and counts them. It returns the phase.
func (w *Warp) arrives(kind Meets, at uint64, b *arrivals, count int, bytes int64) (phase int) {
	phase = w.at(at).arrive(w.Group.ahead, b.over, count)
	w.step.Meeting = Meeting{Kind: kind, At: at, Phase: phase - b.start, Count: count, Of: b.count, Bytes: bytes}
	if bytes > 0 {
		b.awaits, b.announced = phase, true
	}
	w.Group.arrive(at, b, phase, count)
	return phase
}

// arrive counts an arrival at a barrier of which so many phases are over. It returns its phase.
func (p *progress) arrive(ahead bool, over, count int) (phase int) {
	switch {
	case !ahead || p.often == 0 && p.times == 0:
		phase = over
	case p.times < max(p.often, 1):
		phase = p.phase
	default:
		phase = p.phase + 1
	}
	if count == 0 {
		return phase
	}
	if phase != p.phase {
		p.often, p.times, p.phase = p.times, 0, phase
	}
	p.times++
	return phase
}

// Repeat does what a meeting did so often again, each time so many phases further: the sub-group has left a loop early.
func (w *Warp) Repeat(m *Meeting, step int, times int64) {
	g := w.Group
	b := g.inbox[m.At]
	if b == nil || m.Kind == Syncs || m.Kind == Signals {
		return
	}
	g.ahead = true
	p := w.at(m.At)
	from := m.Phase + b.start
	last := from + step*int(times)
	switch m.Kind {
	case Awaits:
		p.over = max(p.over, last)
	case Arrives, ArrivesCopies:
		if m.Bytes > 0 && b.after {
			b.awaits = max(b.awaits, last)
		}
		if m.Count > 0 && last > p.phase {
			p.phase, p.times = last, max(p.times, p.often)
		}
		for i := 1; i <= int(times); i++ {
			g.arrive(m.At, b, from+step*i, m.Count)
		}
	}
}

// arriveCopies arrives when copies are done that the sub-group has begun (ARVCNT), or brings the bytes for which such an arrival was announced.
func arriveCopies(w *Warp, o *op, lanes uint32) {
	a := w.reach(o, &o.access.parts[0], sass.Local, sass.Atomic, 8, lanes)
	w.step.Accesses = w.step.Accesses[:0]
	at := a.Address[active(lanes)]
	b := w.Group.inbox[at]
	n := bits.OnesCount32(lanes)
	switch {
	case a.Known&lanes != lanes || b == nil:
	case o.in.Has("TRANSCNT"):
		w.step.Meeting = Meeting{Kind: BringsCopies, At: at, Phase: b.brought(), Bytes: int64(n)}
	default:
		w.arrives(ArrivesCopies, at, b, n, 0)
	}
}

// amounts are how many arrivals an instruction of some lanes stands for, and how many bytes it announces: none, one for each lane or as many as a
// register says, by a modifier such as A1T0.
func (o *op) amounts(lanes, register int) (count, bytes int) {
	how := "A1TR"
	for _, m := range o.in.Modifiers {
		if len(m) == len(how) && m[0] == 'A' && m[2] == 'T' {
			how = m
		}
	}
	of := map[byte]int{'0': 0, '1': lanes, 'R': lanes * register}
	return of[how[1]], of[how[3]]
}

// arrive counts arrivals in a phase. The last one ends it, for which paths wait.
func (g *Group) arrive(at uint64, b *arrivals, phase, n int) {
	if n == 0 || b.count == 0 {
		return
	}
	b.arrived[phase] += n
	for b.arrived[b.over] >= b.count {
		delete(b.arrived, b.over)
		b.over++
	}
	for _, w := range g.Warps {
		for _, p := range w.paths {
			if p.wait == phaseSync && p.at == int(at) && p.phase <= b.over {
				p.wait = nothing
			}
		}
		if w.path == nil {
			w.next()
		}
	}
}

// brings notes that a copy brings bytes to a barrier, whose address is in the register behind that of the place in local memory.
func (w *Warp) brings(o *op, one uint32, bytes int64) {
	f := w.path.file
	terms := o.access.parts[0].terms
	if len(terms) == 0 {
		return
	}
	n, i := terms[0].row+1, active(one)
	at := uint64(f.rows[n][i]) & (windowSize - 1)
	if b := w.Group.inbox[at]; b != nil && f.known[n]>>i&1 != 0 {
		w.step.Meeting = Meeting{Kind: Brings, At: at, Phase: b.brought(), Bytes: bytes}
	}
}

// decodeBulk decodes a copy that one lane issues: [UR4] is the place in local memory, with the barrier in the register behind it, and a
// source, and for plain copies the size in units of 16 bytes. Copies to global memory name that first.
func decodeBulk(d *decoder) {
	in := d.in
	d.o.access = &access{}
	n := 0
	for i := range in.Operands {
		operand := &in.Operands[i]
		if operand.Kind == sass.AddressOperand && n < 2 {
			d.o.access.parts[n], _ = d.address(operand.Text, (n == 1) != toGlobal(in))
			n++
		} else if operand.Kind != sass.AddressOperand && !(operand.Kind == sass.RegisterOperand && isPredicate(operand)) {
			d.o.access.values = append(d.o.access.values, d.source(operand, 1, integer))
		}
	}
	if n < 2 {
		d.o.run = unknown
	}
}

// toGlobal reports whether a plain bulk copy stores to global memory: UBLKCP.G.S.
func toGlobal(in *sass.Instruction) bool {
	return in.Name == "UBLKCP" && len(in.Modifiers) > 0 && in.Modifiers[0] == "G"
}

// bulkUnit is the bytes in which the sizes of plain copies are told.
const bulkUnit = 16

// copyBulk copies between global and local memory.
func copyBulk(w *Warp, o *op, lanes uint32) {
	one := lanes & -lanes
	if len(o.access.values) == 0 {
		return
	}
	units, known := o.access.values[0].first(w.path.file, one)
	size := int(units) * bulkUnit
	if toGlobal(o.in) {
		w.storeBulk(o, one, size, known)
		return
	}
	from := w.reach(o, &o.access.parts[1], sass.Global, sass.Copy, size, one)
	to := w.reach(o, &o.access.parts[0], sass.Local, sass.Copy, size, one)
	i := active(one)
	if !known || to.Known == 0 || size > windowSize {
		w.brings(o, one, -1)
		w.Group.shared.forget()
		return
	}
	w.brings(o, one, int64(size))
	if w.launch.addresses {
		return
	}
	for k := 0; k < size; k += bulkUnit {
		var v words
		if from.Known != 0 {
			v = w.Group.global.read(from.Address[i]+uint64(k), bulkUnit)
		}
		w.Group.shared.store(to.Address[i]+uint64(k), bulkUnit, &v, w.step.Doubtful != 0)
	}
}

// storeBulk copies from local to global memory.
func (w *Warp) storeBulk(o *op, one uint32, size int, known bool) {
	if !known || size > windowSize {
		size = 0
	}
	to := w.reach(o, &o.access.parts[0], sass.Global, sass.Store, size, one)
	var from Access
	o.access.parts[1].all(w.path.file, one, &from)
	i := active(one)
	if to.Known == 0 || w.launch.addresses {
		return
	}
	for k := 0; k < size; k += bulkUnit {
		var v words
		if from.Known != 0 {
			v = w.Group.shared.read(from.Address[i]&(windowSize-1)+uint64(k), bulkUnit)
		}
		w.Group.global.store(to.Address[i]+uint64(k), bulkUnit, &v, w.step.Doubtful != 0)
	}
}
