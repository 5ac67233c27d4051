package sass

import (
	"slices"
	"strconv"
)

// Writes as Opcode.Writes has them.
const (
	writesRegister  = 'r'
	writesPredicate = 'p'
)

// predicates are as many as a work-item has; PT is not among them.
const predicates = 7

// written is how many operands, from the first, the instruction writes.
func (in *Instruction) written() int {
	if in.Opcode == nil {
		return 0
	}
	n := 0
	for _, kind := range in.Opcode.Writes {
		if n < len(in.Operands) && in.Operands[n].is(kind) {
			n++
		}
	}
	return n
}

// is reports whether an operand is of a kind that opcodes write.
func (o *Operand) is(kind rune) bool {
	if o.Kind == AllPredicates {
		return kind == writesPredicate
	}
	if o.Kind != RegisterOperand {
		return false
	}
	file := o.Registers[0].Register.File
	return (file == Predicate || file == UniformPredicate) == (kind == writesPredicate)
}

// Defines lists the registers that the instruction writes. Of an opcode that is not in the table nothing is known.
func (in *Instruction) Defines() []Register {
	defines, _ := in.registers()
	return defines
}

// Uses lists the registers that the instruction reads, that of its guard first. Of an opcode that is not in the table all that it names
// count as read.
func (in *Instruction) Uses() []Register {
	_, uses := in.registers()
	return uses
}

// registers lists what is written and read. Those that hold a constant are left out, and so are those of a set that stand twice.
func (in *Instruction) registers() (defines, uses []Register) {
	if in.Guard != (Guard{}) {
		uses = add(uses, in.Guard.Register, 1)
	}
	written, sized := in.written(), 0
	for i, o := range in.Operands {
		width := 1
		if o.counted() {
			width = in.size(sized)
			sized++
		}
		of := &uses
		if i < written {
			of = &defines
		}
		if o.Kind == AllPredicates {
			*of = append(*of, in.masked(o)...)
		}
		for _, r := range o.Registers {
			*of = add(*of, r.Register, in.width(&o, r, width))
		}
	}
	return defines, uses
}

// counted reports whether Opcode.Sizes has a letter for an operand: all have but predicates and addresses.
func (o *Operand) counted() bool {
	return o.Kind != AddressOperand && o.Kind != AllPredicates && !o.is(writesPredicate)
}

// size is the number of registers of the operand that is the nth with a letter in Opcode.Sizes.
func (in *Instruction) size(n int) int {
	if in.Opcode == nil || n >= len(in.Opcode.Sizes) {
		return 1
	}
	return sizes[in.Opcode.Sizes[n]](in)
}

// width is how many registers a reference stands for.
func (in *Instruction) width(o *Operand, r Reference, size int) int {
	switch {
	case r.Width > 0:
		return r.Width
	case o.Kind == RegisterOperand:
		return size
	case o.Kind == AddressOperand && in.extended():
		return 2
	}
	return 1
}

// extended reports whether addresses have 64 bits. Copies have one in local memory too, and name the other one's width.
func (in *Instruction) extended() bool {
	return in.Has("E") && in.Opcode != nil && in.Opcode.Action != Copy
}

// masked lists the predicates that PR or UPR stands for: those in the mask that is the last operand.
func (in *Instruction) masked(o Operand) (all []Register) {
	file := Predicate
	if o.Text != "PR" {
		file = UniformPredicate
	}
	mask, err := strconv.ParseUint(in.Operands[len(in.Operands)-1].Text, 0, 32)
	for i := range predicates {
		if err != nil || mask>>i&1 != 0 {
			all = append(all, Register{file, i})
		}
	}
	return all
}

// add adds registers that follow each other to a list without those that it has.
func add(list []Register, first Register, n int) []Register {
	if first.Index == Constant {
		return list
	}
	for i := range n {
		r := Register{first.File, first.Index + i}
		if !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

// Written is how many operands, from the first, the instruction writes.
func (in *Instruction) Written() int { return in.written() }

// Widths are how many registers each operand stands for; 0 for predicates, addresses and what is no register, constant or number.
func (in *Instruction) Widths() []int {
	widths := make([]int, len(in.Operands))
	sized := 0
	for i := range in.Operands {
		o := &in.Operands[i]
		if !o.counted() {
			continue
		}
		widths[i] = in.size(sized)
		sized++
		if o.Kind == RegisterOperand {
			widths[i] = in.width(o, o.Registers[0], widths[i])
		}
	}
	return widths
}
