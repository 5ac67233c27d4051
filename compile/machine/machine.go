// Package machine makes machine code of a function of package ssa, in the instructions that package sass reads: it selects instructions (select.go, wide.go,
// memory.go), orders them (schedule.go), gives them registers (allocate.go), and writes a listing (emit.go). There are no control bits in it: what an
// instruction waits for follows from the registers that it names.
package machine

import (
	"gpuperf/compile/ssa"
)

// unit is a register of 32 bits, or a predicate, before it has a number. Units that stand beside each other are a group.
type unit int32

// class is a register file.
type class uint8

const (
	classGeneral class = iota
	classPredicate
	classUniform
)

// none is no unit: RZ, or PT.
const none unit = -1

// kind is a kind of operand.
type kind uint8

const (
	register  kind = iota // a unit, or with width units beside each other
	predicate             // a unit
	number                // in the text
	long                  // of 64 bits: in uniform registers, which get it right before the instruction
	address               // a unit with an offset
	literal               // as it stands
	label                 // of a block
)

// operand is what an instruction reads or writes.
type operand struct {
	kind    kind
	unit    unit
	width   int  // of an address: 1, or 2 of 64 bits
	written bool // the operand is a result
	minus   bool // a sign, or of predicates that the opposite is meant
	abs     bool
	upper   bool  // of a register, its upper half
	value   int64 // of a number; of an address, the offset
	text    string
	block   *ssa.Block
}

// instruction is one, with units in place of registers.
type instruction struct {
	name     string
	guard    unit // none for no guard
	not      bool
	operands []operand
	defines  []unit
	uses     []unit
	access   *ssa.Access
	base     unit // of the address of a memory instruction, none where it is constant
	fixed    bool // it keeps its place among those with an effect
	line     int
}

// code are the instructions of a block.
type code struct {
	block *ssa.Block
	list  []*instruction
	ends  []*instruction // what control does at its end
}

// function is one on its way to registers.
type function struct {
	*ssa.Func
	blocks  []*code
	of      map[*ssa.Block]*code
	group   []int32 // of each unit: the first of its group
	size    []uint8 // of each unit that begins a group
	class   []class // of each unit
	units   map[*ssa.Value][]unit
	copies  []copied
	uniform *uniform
	now     *code
	line    int
	made    map[constant]unit
	folded  map[*ssa.Value]bool
	shl     int // shifts so far: every other one is a product
	stack   unit
	step    int // registers that NVIDIA's compiler makes do with
}

// copied is a move that registers should make needless.
type copied struct {
	to, from unit
	in       *instruction
}

// constant is a number that stands in a register, and where it was put there.
type constant struct {
	n    int64
	bank int // 0 for a number, else a constant bank and 1
	at   *code
}

// newUnits makes units beside each other.
func (f *function) newUnits(n int) []unit {
	out := make([]unit, n)
	first := int32(len(f.group))
	for i := range out {
		out[i] = unit(len(f.group))
		f.group = append(f.group, first)
		f.size = append(f.size, 0)
		f.class = append(f.class, classGeneral)
	}
	f.size[first] = uint8(n)
	return out
}

func (f *function) newPred() unit {
	u := f.newUnits(1)[0]
	f.class[u] = classPredicate
	return u
}

func reg(u unit) operand  { return operand{kind: register, unit: u} }
func pred(u unit) operand { return operand{kind: predicate, unit: u} }
func imm(n int64) operand { return operand{kind: number, value: int64(uint32(n))} }
func text(s string) operand {
	return operand{kind: literal, text: s}
}

// emit adds an instruction: results first, of how many words each.
func (f *function) emit(name string, results []operand, operands ...operand) *instruction {
	in := &instruction{name: name, guard: none, line: f.line, base: none}
	for _, r := range results {
		r.written = true
		in.operands = append(in.operands, r)
		if r.unit != none {
			in.defines = append(in.defines, r.unit)
		}
	}
	for _, o := range operands {
		in.operands = append(in.operands, o)
		if o.kind != number && o.kind != long && o.kind != literal && o.kind != label && o.unit != none {
			in.uses = append(in.uses, o.unit)
			if o.kind == address && o.width == 2 {
				in.uses = append(in.uses, o.unit+1)
			}
		}
	}
	f.now.list = append(f.now.list, in)
	return in
}

// wide says that a result, and operands, are of several words.
func (in *instruction) wide(result unit, words int, reads ...unit) *instruction {
	for i := 1; i < words; i++ {
		in.defines = append(in.defines, result+unit(i))
	}
	for _, u := range reads {
		if u != none {
			in.uses = append(in.uses, u+1)
		}
	}
	return in
}
