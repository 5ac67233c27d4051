package exec

import (
	"cmp"
	"slices"
	"strings"

	"gpuperf/device"
	"gpuperf/sass"
)

// Origin is what a value follows from that nobody has said: bits for buffers, by their number in memory, and one for what other work-groups do.
type Origin uint64

// fromOthers is the origin of what an atomic operation of global memory returns; bits from the second on are buffers, those without a bit share the last.
// bare is that of bits that were not loaded as numbers of the type that the buffer has: what stands there is no number. tried is that of what atomic
// operations return: whether they have done what they were to do is seen from bits of any kind.
const (
	fromOthers Origin = 1
	bare       Origin = 1 << 63 // a bit that no buffer has
	tried      Origin = 1 << 62 // another one
	lastBuffer        = 61      // the last bit that is left: all further buffers share it
)

// mostDigits is up to where bits count as a number, as what was cut out of a word.
const mostDigits = 1 << 16

// origins are those of the registers of a file, rows and then predicates, and the lanes in which they have any.
type origins struct {
	of    [rows + predicates]Origin
	lanes [rows + predicates]uint32
}

// place of a register among origins.
func originAt(r sass.Register, number func(sass.Register) int) int {
	n := number(r)
	if r.File == sass.Predicate || r.File == sass.UniformPredicate {
		n += rows
	}
	return n
}

// follows is what an operation hands on.
type follows struct {
	uses, defines []int
	address       []int // those of uses that make an address
	decides       bool  // which way the sub-group goes
	admits        []int // the guard of an access of global memory
	number        bool  // its results are numbers, whatever the bits of its operands are
}

// follow finds out what the operation hands on.
func (d *decoder) follow() {
	o, in := d.o, d.in
	for _, r := range in.Uses() {
		o.follows.uses = append(o.follows.uses, originAt(r, reads))
	}
	for _, r := range in.Defines() {
		if r.File != sass.ConvergenceBarrier {
			o.follows.defines = append(o.follows.defines, originAt(r, writes))
		}
	}
	if o.access != nil {
		for _, p := range o.access.parts {
			for _, t := range p.terms {
				o.follows.address = append(o.follows.address, t.row)
			}
		}
	}
	for _, table := range []map[string]form{floatForms, doubleForms, halfForms, conversionForms} {
		if _, ok := table[in.Name]; ok {
			o.follows.number = true
		}
	}
	if op := in.Opcode; op != nil && o.guarded && op.Action != "" && (op.Space == sass.Global || op.Space == sass.Generic) {
		o.follows.admits = []int{originAt(in.Guard.Register, reads)}
	}
	if op := in.Opcode; op != nil && op.Class == sass.Flow {
		conditional := o.guarded || len(o.guards) > 0
		o.follows.decides = conditional && (in.Name == "BRA" || in.Name == "JMP" || in.Name == "EXIT" || in.Name == "CALL") || in.Name == "BRX" || in.Name == "BRXU" || in.Name == "JMX"
	}
}

// at is what some registers follow from in lanes.
func (f *origins) at(list []int, lanes uint32) (from Origin) {
	for _, n := range list {
		if f.lanes[n]&lanes != 0 {
			from |= f.of[n]
		}
	}
	return from
}

// set says what a register follows from in lanes.
func (f *origins) set(n int, lanes uint32, from Origin) {
	if f.lanes[n] &^= lanes; f.lanes[n] == 0 {
		f.of[n] = 0
	}
	if from != 0 {
		f.of[n] |= from
		f.lanes[n] |= lanes
	}
}

// add adds what the registers of another file follow from in lanes.
func (f *origins) add(g *origins, lanes uint32) {
	for n := range f.of {
		if in := g.lanes[n] & lanes; in != 0 {
			f.of[n] |= g.of[n]
			f.lanes[n] |= in
		}
	}
}

// hand hands on what the results of an operation follow from. The file is that of the path that executed it.
func (w *Warp) hand(o *op, f *origins) {
	lanes, from := w.step.Lanes, Origin(0)
	if !o.passed {
		from = f.at(o.follows.uses, lanes)
		if o.access != nil {
			from = w.throughMemory(o, f, from)
		}
		switch g := w.Group; o.in.Name {
		case "BAR":
			g.votes |= from
		case "B2R":
			from |= g.votes
		}
	}
	if from&bare != 0 && (o.follows.number || o.access == nil && w.digits(o, lanes)) {
		from &^= bare
	}
	if o.uniform {
		lanes = all
	}
	for _, n := range o.follows.defines {
		f.set(n, lanes, from)
	}
}

// digits reports whether an operation has left small numbers.
func (w *Warp) digits(o *op, lanes uint32) bool {
	if o.to[0] == sinkRow || w.path == nil {
		return false
	}
	for i, v := range w.path.file.rows[o.to[0]] {
		if lanes>>i&1 != 0 && v >= mostDigits {
			return false
		}
	}
	return true
}

// throughMemory hands on what is stored and what is loaded.
func (w *Warp) throughMemory(o *op, f *origins, from Origin) Origin {
	op, out := o.in.Opcode, from
	if op == nil {
		return from
	}
	for i := range w.step.Accesses {
		a := &w.step.Accesses[i]
		held := w.held(a)
		if held == nil {
			continue
		}
		stores := op.Action == sass.Store || op.Action == sass.Atomic || op.Action == sass.Copy && i > 0
		if stores {
			*held |= from
		}
		if op.Action != sass.Store {
			out |= *held &^ w.launch.Memory.told(a)
			if w.launch.Memory.bare(a, *held) {
				out |= bare
			}
		}
		if op.Action == sass.Atomic && o.to[0] != sinkRow {
			if out |= tried; a.Space == sass.Global && !o.countsUp(w.step.Lanes) {
				out |= fromOthers
			}
		}
		if op.Action == sass.Copy {
			from = out
		}
		if by := f.at(o.follows.address, w.step.Lanes) &^ (bare | tried); by != 0 && w.step.Lanes&(w.step.Lanes-1) != 0 {
			w.launch.addressed[o.index] |= by
		}
	}
	return out
}

// held is what the memory follows from that an access reaches, of global memory by buffer; nil where that is not known.
func (w *Warp) held(a *Access) *Origin {
	if a.Known == 0 {
		return nil
	}
	space, at := a.Space, a.Address[active(a.Known)]
	if space == sass.Generic {
		space = kindOf(at)
	}
	switch space {
	case sass.Local, sass.Cluster:
		return &w.Group.inShared
	case sass.Private:
		return &w.inPrivate
	case sass.Bank:
		return nil
	}
	m := w.launch.Memory
	i := m.number(at)
	if i < 0 {
		return nil
	}
	if w.Group.inBuffers == nil {
		w.Group.inBuffers = make([]Origin, len(m.buffers))
		for k := range m.buffers {
			if m.open(k) {
				w.Group.inBuffers[k] = 1 << min(k+1, lastBuffer)
			}
		}
	}
	return &w.Group.inBuffers[i]
}

// bare reports whether an access of global memory whose contents nobody has said loads other bits than the numbers that it is filled with.
func (m *Memory) bare(a *Access, held Origin) bool {
	if held&^fromOthers == 0 || a.Known == 0 || a.Space != sass.Global {
		return false
	}
	i := m.number(a.Address[active(a.Known)])
	if i < 0 || !m.open(i) || m.told(a) != 0 {
		return false
	}
	t := m.buffers[i].arg.DType
	size := int(device.DTypeSize(t))
	return strings.HasPrefix(t, "float") || size < 4 && a.Bytes != size || size > 4 && a.Bytes%size != 0
}

// open reports whether nobody has said what a buffer holds when the launch begins, or part of it.
func (m *Memory) open(i int) bool {
	b := &m.buffers[i]
	return b.data == nil && (!b.arg.Said() || b.arg.File.Part()) || slices.Contains(m.overwritten, b.arg.Name)
}

// told is the origin of a buffer that is not known as a whole, where an access loads nothing but what a file has of it; 0 for others.
func (m *Memory) told(a *Access) Origin {
	if !m.parts || a.Known == 0 {
		return 0
	}
	i := m.number(a.Address[active(a.Known)])
	if i < 0 || i+1 >= lastBuffer || !m.buffers[i].arg.File.Part() || slices.Contains(m.overwritten, m.buffers[i].arg.Name) {
		return 0
	}
	b := &m.buffers[i]
	for lanes := a.Known; lanes != 0; lanes &= lanes - 1 {
		from := int64(a.Address[active(lanes)] - b.at)
		if !b.arg.File.Has(from, from+int64(a.Bytes)) {
			return 0
		}
	}
	return 1 << (i + 1)
}

// decide notes that what nobody has said decides where lanes go.
func (w *Warp) decide(o *op, f *origins) {
	from := f.at(o.follows.uses, w.step.Active)
	if from&^(bare|tried) == 0 {
		return
	}
	if b := o.flow; b != nil && b.avoid[0] != b.avoid[1] || o.in.Name == "CALL" && w.launch.slow(o.index) { // that way is not taken
		return
	}
	w.launch.decided[o.index] |= from
	if b := o.flow; from&(bare|tried) == bare && b != nil && b.loop != 0 { // such bits are no number of turns
		w.garbage = true
	}
}

// admit notes that what nobody has said decides which lanes access memory.
func (w *Warp) admit(o *op, f *origins) {
	if from := f.at(o.follows.admits, w.step.Active); from&^(bare|tried) != 0 {
		w.launch.admitted[o.index] |= from
	}
}

// Way is in which way something that nobody has said matters.
type Way string

// The ways.
const (
	Turns     Way = "how often a loop turns"
	Branches  Way = "a branch"
	Accesses  Way = "whether work-items access memory"
	Addresses Way = "the addresses of an access"
)

// Decision is an instruction whose effect follows from what nobody has said.
type Decision struct {
	Index   int // of the instruction, in the function
	Way     Way
	Buffers []string // whose contents were not said
	Others  bool     // it follows from what other work-groups do as well
}

// Decisions lists what followed from what nobody has said in all that was executed so far: turns of loops first, then branches, accesses and addresses.
func (l *Launch) Decisions() (list []Decision) {
	add := func(index int, way Way, from Origin) {
		d := Decision{Index: index, Way: way, Others: from&fromOthers != 0}
		for i := range l.Memory.buffers {
			if from>>min(i+1, lastBuffer)&1 != 0 && l.Memory.open(i) {
				d.Buffers = append(d.Buffers, l.Memory.buffers[i].arg.Name)
			}
		}
		list = append(list, d)
	}
	for index, from := range l.decided {
		way := Branches
		if b := l.ops[index].flow; b != nil && b.loop != 0 {
			way = Turns
		}
		add(index, way, from)
	}
	for index, from := range l.admitted {
		add(index, Accesses, from)
	}
	for index, from := range l.addressed {
		add(index, Addresses, from)
	}
	order := []Way{Turns, Branches, Accesses, Addresses}
	slices.SortFunc(list, func(a, b Decision) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Way), slices.Index(order, b.Way)), cmp.Compare(a.Index, b.Index))
	})
	return list
}

// Overwritten reports whether earlier launches have written a buffer.
func (m *Memory) Overwritten(name string) bool { return slices.Contains(m.overwritten, name) }

// Argument is the argument that a buffer was passed as.
func (m *Memory) Argument(name string) device.Arg { return m.buffers[m.index[name]].arg }
