package trace

import (
	"slices"
	"strconv"
	"strings"

	"gpuperf/emulate/timing"
	"gpuperf/sass"
)

// place is a part of memory that values are kept in, from a store to a load.
type place uint8

const (
	inGlobal place = iota
	inShared
	inPrivate
	places
)

// placesOf are the places that accesses of a space may reach; constants are none, as nobody stores them.
var placesOf = map[sass.Space][]place{
	sass.Global: {inGlobal}, sass.Textures: {inGlobal}, sass.Local: {inShared}, sass.Cluster: {inShared}, sass.Private: {inPrivate},
	sass.Generic: {inGlobal, inShared, inPrivate},
}

// through sets the places that an instruction loads values from, and stores values to.
func (in *instruction) through(op *sass.Opcode) {
	at := placesOf[op.Space]
	switch op.Action {
	case sass.Load:
		in.loads = at
	case sass.Store:
		in.stores = at
	case sass.Atomic:
		in.loads, in.stores = at, at
	case sass.Copy:
		in.loads, in.stores, in.copies = []place{inGlobal, inShared}, []place{inGlobal, inShared}, true
	}
}

// holds reports whether values in one of some places are needed.
func (n *needs) holds(list []place) bool {
	return slices.ContainsFunc(list, func(p place) bool { return n.data[p] })
}

// loaded adds the places that values which are needed come from. It reports whether there was anything new.
func (n *needs) loaded() (more bool) {
	for i := range n.in {
		in := &n.in[i]
		if !n.result[i] && !(in.copies && n.holds(in.stores)) {
			continue
		}
		for _, p := range in.loads {
			more = more || !n.data[p]
			n.data[p] = true
		}
	}
	return more
}

// slot is the file of registers that words of private memory are taken as, by their number from where the stack pointer points.
const slot sass.File = 255

const slotBytes = 4 // of a register

// stack finds the register from which all accesses to private memory are a constant distance, which does not change between them and is used for nothing
// else, so that no other access reaches there: spilled registers. It is the zero Register where there is none.
func stack(f *sass.Function) (pointer sass.Register) {
	first := len(f.Instructions)
	for i := range f.Instructions {
		in := &f.Instructions[i]
		if in.Opcode == nil || in.Opcode.Space != sass.Private {
			continue
		}
		first = min(first, i)
		r, words := slots(in)
		if len(words) == 0 || pointer != (sass.Register{}) && pointer != r {
			return sass.Register{}
		}
		pointer = r
	}
	if pointer == (sass.Register{}) || slices.ContainsFunc(f.Blocks, func(b sass.Block) bool { return slices.Contains(b.Next, 0) || slices.Contains(b.Calls, 0) }) {
		return sass.Register{}
	}
	for i := range f.Instructions {
		in := &f.Instructions[i]
		defines := slices.Contains(in.Defines(), pointer)
		used := slices.Contains(in.Uses(), pointer) && !defines
		if in.Opcode != nil && in.Opcode.Space == sass.Private {
			used = slices.ContainsFunc(in.Operands, func(o sass.Operand) bool {
				return o.Kind != sass.AddressOperand && slices.ContainsFunc(o.Registers, func(r sass.Reference) bool { return r.Register == pointer })
			})
		}
		if used || defines && i >= min(first, f.Blocks[0].To) {
			return sass.Register{}
		}
	}
	return pointer
}

// carried reports whether an iteration of a loop that begins with a block stores spilled registers which the next one needs: what these hold is not compared.
func (b *Builder) carried(block int, iteration []item) (some bool) {
	if b.needs.stack == (sass.Register{}) {
		return false
	}
	Each(nodes(iteration), func(e *timing.Event) {
		for _, d := range b.needs.in[e.Op].defines {
			some = some || b.needs.registers[d].File == slot && b.needs.before[block].any(d)
		}
	})
	return some
}

// slots are the words of private memory that an instruction accesses, as registers, and the register that they are a distance from; none where their
// address is not a register and a number, or they are not whole words.
func slots(in *sass.Instruction) (pointer sass.Register, words []sass.Register) {
	for _, o := range in.Operands {
		if o.Kind != sass.AddressOperand {
			continue
		}
		if len(o.Registers) != 1 || words != nil {
			return sass.Register{}, nil
		}
		pointer = o.Registers[0].Register
		at, bytes := int64(0), int64(in.AccessBytes())
		if _, number, ok := strings.Cut(strings.Trim(o.Text, "[]"), "+"); ok {
			var err error
			if at, err = strconv.ParseInt(number, 0, 64); err != nil {
				return sass.Register{}, nil
			}
		}
		if at%slotBytes != 0 || bytes%slotBytes != 0 || at < 0 {
			return sass.Register{}, nil
		}
		for w := range bytes / slotBytes {
			words = append(words, sass.Register{File: slot, Index: int(at/slotBytes + w)})
		}
	}
	return pointer, words
}
