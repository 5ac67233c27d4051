package exec

import (
	"math"
	"math/bits"

	"gpuperf/internal/round"

	"gpuperf/sass"
)

// change is what an atomic operation stores for what was there and its operands.
type update func(old, a, b uint64) uint64

// atomicType is the type of the numbers of an atomic operation.
type atomicType struct {
	bits   int
	signed bool
	float  bool
}

// type of an atomic operation, as its modifiers say.
func (d *decoder) atomicType() atomicType {
	t := atomicType{bits: 32}
	for _, m := range d.in.Modifiers {
		switch m {
		case "64", "U64":
			t.bits = 64
		case "S64":
			t.bits, t.signed = 64, true
		case "S32":
			t.signed = true
		case "F64":
			t.bits, t.float = 64, true
		case "F32":
			t.float = true
		case "F16x2", "F16", "BF16", "BF16_V2", "128", "16", "F32x2", "F32x4":
			t.bits = 0
		}
	}
	return t
}

// updates are the operations by modifier.
var updates = map[string]func(t atomicType) update{
	"ADD":  atomicAdd,
	"AND":  func(atomicType) update { return func(old, a, _ uint64) uint64 { return old & a } },
	"OR":   func(atomicType) update { return func(old, a, _ uint64) uint64 { return old | a } },
	"XOR":  func(atomicType) update { return func(old, a, _ uint64) uint64 { return old ^ a } },
	"EXCH": func(atomicType) update { return func(_, a, _ uint64) uint64 { return a } },
	"MIN":  func(t atomicType) update { return t.extreme(true) },
	"MAX":  func(t atomicType) update { return t.extreme(false) },
	"INC": func(atomicType) update {
		return func(old, a, _ uint64) uint64 {
			if old >= a {
				return 0
			}
			return old + 1
		}
	},
	"DEC": func(atomicType) update {
		return func(old, a, _ uint64) uint64 {
			if old == 0 || old > a {
				return a
			}
			return old - 1
		}
	},
	"CAS":  func(atomicType) update { return swap },
	"CAST": func(atomicType) update { return swap },
	"POPC": func(atomicType) update { return func(old, _, _ uint64) uint64 { return old + 1 } },
}

func swap(old, a, b uint64) uint64 {
	if old == a {
		return b
	}
	return old
}

func atomicAdd(t atomicType) update {
	switch {
	case t.float && t.bits == 64:
		return func(old, a, _ uint64) uint64 { return bits64(math.Float64frombits(old)+math.Float64frombits(a), nil) }
	case t.float:
		s := single{flush: true}
		return func(old, a, _ uint64) uint64 { return s.word(round.Odd(floats(old, true), floats(a, true))) }
	}
	return func(old, a, _ uint64) uint64 { return old + a }
}

// extreme is the least or the greatest.
func (t atomicType) extreme(least bool) update {
	return func(old, a, _ uint64) uint64 {
		under := a < old
		switch {
		case t.float && t.bits == 32:
			under = floats(a, false) < floats(old, false)
		case t.signed && t.bits == 32:
			under = int32(a) < int32(old)
		case t.signed:
			under = int64(a) < int64(old)
		}
		if under == least {
			return a
		}
		return old
	}
}

// decodeAtomic decodes an atomic operation.
func decodeAtomic(d *decoder) {
	decodeAccess(d)
	t := d.atomicType()
	var made func(atomicType) update
	for _, m := range d.in.Modifiers {
		if u, ok := updates[m]; ok && made == nil {
			made = u
		}
	}
	if made != nil && t.bits > 0 {
		d.o.update = made(t)
	}
	if d.o.access.bytes = t.bits / 8; t.bits == 0 {
		d.o.access.bytes = max(4, d.in.AccessBytes())
	}
	d.o.access.tells = d.has("CAST")
	for i := range d.o.access.values {
		d.o.access.values[i].wide = t.bits == 64 && d.o.access.values[i].fixed == nil && d.o.access.values[i].row != zeroRow
	}
}

// countsUp reports whether an atomic operation adds to a counter, for one lane: then all groups are taken to do so in turn.
func (o *op) countsUp(lanes uint32) bool {
	return lanes&(lanes-1) == 0 && (o.in.Has("ADD") || o.in.Has("INC")) && !o.in.Has("F32") && !o.in.Has("F64")
}

// inTurn is what a counter holds to which one lane adds. All groups of the launch are taken to add to it in turn, in their order, as those do who share out
// work or places among each other, or look who comes last; the groups of a cluster as one.
func (g *Group) inTurn(at, value, added uint64) uint64 {
	c, n := g.launch.cluster, g.launch.Grid
	if g.counters == nil {
		g.counters = map[uint64]uint64{}
	}
	start, ok := g.counters[at]
	if !ok {
		g.counters[at], start = value, value
	}
	x, y := uint64(n[0]/c[0]), uint64(n[1]/c[1])
	clusters := x * y * uint64(n[2]/c[2])
	own := uint64(g.index[0]/c[0]) + x*(uint64(g.index[1]/c[1])+y*uint64(g.index[2]/c[2]))
	return start + (value-start)*clusters + own*added
}

// asked notes an instruction that adds to a counter, if it adds 0.
func (l *Launch) asked(op int, added uint64) {
	if added == 0 {
		l.Asks[int32(op)] = true
	}
}

// atomic changes memory lane by lane, in order. What it returns is what it would if the group ran alone.
func atomic(w *Warp, o *op, lanes uint32) {
	f := w.path.file
	a := w.reach(o, &o.access.parts[0], o.access.space, sass.Atomic, o.access.bytes, lanes)
	if a.Known != lanes && a.Space == sass.Local {
		w.Group.shared.forget()
	}
	if o.to[0] != sinkRow && a.Space == sass.Global {
		w.launch.doubt(AssumedOrder, o.index)
	}
	var old [2]row
	known := uint32(0)
	for m := a.Known; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		s, at := w.memory(a, i)
		before := s.read(at, o.access.bytes)
		v, sure := uint64(before.value[0]), before.known&1 != 0
		if o.access.bytes == 8 {
			v |= uint64(before.value[1]) << 32
			sure = before.known&3 == 3
		}
		var operand [2]uint64
		for k := range min(2, len(o.access.values)) {
			x, ok := o.access.values[k].lane(f, i)
			operand[k] = x
			sure = sure && ok
		}
		after := words{}
		if o.update != nil && sure {
			var n uint64
			v, n = w.change(o, a.Space, at, v, operand)
			after = words{value: [4]uint32{uint32(n), uint32(n >> 32)}, known: 3}
		}
		if o.access.tells {
			v = uint64Of(sure && v == operand[0])
		}
		switch {
		case !sure || a.Space != sass.Global || !o.countsUp(lanes):
		case o.in.Has("ADD"):
			w.launch.asked(o.index, operand[0])
			v = w.Group.inTurn(at, v, operand[0])
		default: // back to 0 behind its operand
			v = w.Group.inTurn(at, v, 1) % max(operand[0]+1, 1)
		}
		if old[0][i], old[1][i] = uint32(v), uint32(v>>32); sure {
			known |= 1 << i
		}
		s.store(at, o.access.bytes, &after, w.step.Doubtful>>i&1 != 0)
	}
	if o.access.others {
		known = 0
	}
	if o.to[0] != sinkRow {
		for k := range o.width {
			f.set(o.to[0]+k, lanes, &old[k&1], known)
		}
	}
	if o.results > 0 {
		f.setPredicate(o.toPred[0], lanes, truth{})
	}
}

// change is what an atomic operation finds at a place, which holds a value, and what it leaves there.
func (w *Warp) change(o *op, space sass.Space, at, value uint64, operand [2]uint64) (found, left uint64) {
	left = o.update(value, operand[0], operand[1])
	if space != sass.Global || !o.claims() {
		return value, left
	}
	if w.Group.elsewhere(at, o.access.bytes) {
		w.launch.doubt(AssumedShare, o.index)
		return left, o.update(left, operand[0], operand[1])
	}
	if left != value {
		w.Group.claimed(at, left, o.access.bytes)
	}
	return value, left
}

// Work-groups that run at once may share work by claims: each takes what nobody has taken, and marks it by an atomic operation that tells what was there. A group is executed as
// if it were alone, and so would take all of it. All groups are taken to be as fast: where a group has taken n places of a buffer, each other one has taken as many, and these are
// any. Which they are follows from a number of the place at random, so that a place that was taken stays so, and in the end each group has its part of all.

// claims are the places of global memory that a group has taken.
type claims struct {
	taken map[uint64]uint64 // what each holds since
	last  uint64            // the one that was taken last
	locks bool              // places are given back, so that they are no claims
}

// claims reports whether an atomic operation may claim a place: it tells what was there before, and does not add to it.
func (o *op) claims() bool {
	return o.to[0] != sinkRow && o.update != nil && (o.in.Has("EXCH") || o.in.Has("OR") || o.in.Has("CAS") || o.in.Has("CAST"))
}

// elsewhere reports whether another group has claimed a place.
func (g *Group) elsewhere(at uint64, bytes int) bool {
	l, c := g.launch, &g.claims
	if l.AtOnce < 2 || c.locks || len(c.taken) == 0 {
		return false
	}
	if _, own := c.taken[at]; own {
		return false
	}
	i := l.Memory.number(at)
	if i < 0 {
		return false
	}
	places := uint64(l.Memory.buffers[i].arg.Bytes()) / uint64(bytes)
	others := uint64(l.AtOnce-1) * uint64(len(c.taken))
	return places > 0 && mixed(at^uint64(g.index[0])<<40^uint64(g.index[1])<<50^uint64(g.index[2])<<58)%places < others
}

// claimed notes that the group has changed a place. Where it, or the one before, was changed since it was claimed, places are given back.
func (g *Group) claimed(at, value uint64, bytes int) {
	c := &g.claims
	if c.taken == nil {
		c.taken = map[uint64]uint64{}
	}
	_, again := c.taken[at]
	if had, ok := c.taken[c.last]; ok && !again {
		now := g.global.read(c.last, bytes)
		again = now.known&1 != 0 && uint64(now.value[0]) != had&0xffffffff
	}
	c.locks = c.locks || again
	c.taken[at], c.last = value, at
}

// mixed is a number that follows from another one as if at random: the last step of splitmix64.
func mixed(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
