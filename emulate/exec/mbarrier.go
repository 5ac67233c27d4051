package exec

import (
	"math/bits"

	"gpuperf/sass"
)

// transferForms are the opcodes of barriers in local memory, and of the copies that arrive at them. A copy is done when it is issued, so
// that bytes that a barrier waits for are always there.
var transferForms = map[string]form{
	"SYNCS":        {run: syncShared, decode: decodeAccess},
	"UBLKCP":       {run: copyBulk, decode: decodeBulk},
	"UTMALDG":      {run: copyTile, decode: decodeBulk},
	"UTMASTG":      {run: skip},
	"UTMAREDG":     {run: skip},
	"UTMAPF":       {run: skip},
	"UTMACCTL":     {run: skip},
	"UTMACMDFLUSH": {run: skip},
	"UBLKPF":       {run: skip},
}

// arrivals is a barrier in local memory: how many arrive in each phase, how many of them are missing, and the parity of the phase.
type arrivals struct {
	count, missing int
	phase          uint32
}

// countOf decodes the number of arrivals that a barrier starts with, from the low word that compilers store: 0x200000 less twice the
// number.
func countOf(word uint64) int { return int((0x200000 - word&0x1fffff) / 2 & 0xfffff) }

// phaseBit is where operands and results keep the parity of a phase.
const phaseBit = 31

// syncShared starts a barrier (EXCH), arrives at it (ARRIVE), or asks whether a phase is over (PHASECHK).
func syncShared(w *Warp, o *op, lanes uint32) {
	f := w.path.file
	a := w.reach(o, &o.access.parts[0], sass.Local, sass.Atomic, 8, lanes)
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
			n := countOf(value)
			g.inbox[at] = &arrivals{count: n, missing: n}
		}
		w.blur(o, lanes)
	case o.in.Has("ARRIVE"):
		phase := uint32(0)
		if b != nil {
			phase = b.phase
			g.arrive(at, b, o.arriving(bits.OnesCount32(lanes), int(value)))
		}
		var low, high row
		for i := range high {
			high[i] = phase << phaseBit
		}
		if o.to[0] != sinkRow {
			f.set(o.to[0], lanes, &low, 0)
			f.set(o.to[0]+1, lanes, &high, all)
		}
	case o.in.Has("PHASECHK"):
		over := b == nil || !known || b.phase != uint32(value>>phaseBit&1)
		result := truth{all, all}
		if !over && o.in.Has("TRYWAIT") {
			w.path.wait, w.path.at = phaseSync, int(at)
		} else if !over {
			result.value = 0
		}
		if o.results > 0 {
			f.setPredicate(o.toPred[0], lanes, result)
		}
	default:
		w.blur(o, lanes)
	}
}

// arriving is how many arrivals an instruction of some lanes stands for: A0 is none, AR as many as a register says.
func (o *op) arriving(lanes, register int) int {
	for _, m := range o.in.Modifiers {
		switch {
		case len(m) < 2 || m[0] != 'A' || m == "ARRIVE":
		case m[1] == '0':
			return 0
		case m[1] == 'R':
			return lanes * max(1, register)
		}
	}
	return lanes
}

// arrive counts arrivals. The last one ends the phase, for which paths wait.
func (g *Group) arrive(at uint64, b *arrivals, n int) {
	if b.missing -= n; b.missing > 0 || b.count == 0 {
		return
	}
	b.missing, b.phase = b.count, b.phase^1
	for _, w := range g.Warps {
		for _, p := range w.paths {
			if p.wait == phaseSync && p.at == int(at) {
				p.wait = nothing
			}
		}
		if w.path == nil {
			w.next()
		}
	}
}

// decodeBulk decodes a copy that one lane issues: [UR4] is the place in local memory, with the barrier in the register behind it, and a
// source, and for plain copies the size in units of 16 bytes.
func decodeBulk(d *decoder) {
	in := d.in
	d.o.access = &access{}
	n := 0
	for i := range in.Operands {
		operand := &in.Operands[i]
		if operand.Kind == sass.AddressOperand && n < 2 {
			d.o.access.parts[n], _ = d.address(operand.Text, n == 1)
			n++
		} else if operand.Kind != sass.AddressOperand && !(operand.Kind == sass.RegisterOperand && isPredicate(operand)) {
			d.o.access.values = append(d.o.access.values, d.source(operand, 1, integer))
		}
	}
	if n < 2 {
		d.o.run = unknown
	}
}

// bulkUnit is the bytes in which the sizes of plain copies are told.
const bulkUnit = 16

// copyBulk copies between global and local memory: S.G to local memory, G.S from there.
func copyBulk(w *Warp, o *op, lanes uint32) {
	one := lanes & -lanes
	if !o.in.Has("S") || o.in.Modifiers[0] != "S" || len(o.access.values) == 0 { // to global memory
		return
	}
	units, known := o.access.values[0].first(w.path.file, one)
	size := int(units) * bulkUnit
	from := w.reach(o, &o.access.parts[1], sass.Global, sass.Copy, size, one)
	to := w.reach(o, &o.access.parts[0], sass.Local, sass.Copy, size, one)
	i := active(one)
	if !known || to.Known == 0 || size > windowSize {
		w.Group.shared.forget()
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

// copyTile copies a tile that a tensor map describes, which is not known: local memory is not known any more.
func copyTile(w *Warp, o *op, lanes uint32) {
	w.launch.doubt(UnknownOpcode, o.index)
	w.reach(o, &o.access.parts[0], sass.Local, sass.Copy, 0, lanes&-lanes)
	w.Group.shared.forget()
}
