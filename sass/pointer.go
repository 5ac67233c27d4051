package sass

import (
	"math/bits"
	"regexp"
	"strconv"
)

// origins says of each register which parameters its value was computed from, as a set of bits: general registers, then uniform ones.
type origins [2][256]uint64

// place is where a register is; nil for those of other files.
func (o *origins) place(r Register) *uint64 {
	file := map[File]int{General: 0, Uniform: 1}
	if i, ok := file[r.File]; ok && r.Index >= 0 && r.Index < len(o[i]) {
		return &o[i][r.Index]
	}
	return nil
}

// join adds what another set knows, and reports whether it was more.
func (o *origins) join(other *origins) (more bool) {
	for file := range o {
		for i, set := range other[file] {
			more = more || set&^o[file][i] != 0
			o[file][i] |= set
		}
	}
	return more
}

// mostTraced is how many blocks a function may have whose pointers are traced, and how many of its parameters.
const (
	mostTraced     = 1 << 11
	mostParameters = 64
)

// pointers says of each memory instruction which parameter its address is computed from, as an index; -1 where it is none of the
// pointers, or where it may be several. It follows the values of parameters through the flow graph to a fixed point.
func (f *Function) pointers(isPointer func(parameter int) bool) []int {
	found := make([]int, len(f.Instructions))
	for i := range found {
		found[i] = -1
	}
	if len(f.Blocks) > mostTraced || len(f.Parameters) > mostParameters {
		return found
	}
	at := make([]origins, len(f.Blocks)) // the beginning of each block
	todo := make([]int, len(f.Blocks))
	for b := range todo {
		todo[b] = len(todo) - 1 - b
	}
	for len(todo) > 0 {
		b := f.Blocks[todo[len(todo)-1]]
		now := at[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		for i := b.From; i < b.To; i++ {
			in := &f.Instructions[i]
			found[i] = single(now.address(in))
			now.step(in, func(offset int) uint64 { return f.parameterAt(offset, isPointer) })
		}
		for _, to := range b.Next {
			if at[to].join(&now) {
				todo = append(todo, to)
			}
		}
	}
	return found
}

// single is the index of the only bit of a set, -1 if there is not one.
func single(set uint64) int {
	if bits.OnesCount64(set) != 1 {
		return -1
	}
	return bits.TrailingZeros64(set)
}

// parameterAt is the set of the pointer that lies at an offset of constant bank 0.
func (f *Function) parameterAt(offset int, isPointer func(int) bool) uint64 {
	for i, p := range f.Parameters {
		if offset >= p.From && offset < p.From+p.Bytes && p.Bytes == pointerBytes && isPointer(i) {
			return 1 << i
		}
	}
	return 0
}

const pointerBytes = 8 // on all GPUs that have these instructions

// address is the set that the address of a memory instruction was computed from.
func (o *origins) address(in *Instruction) (set uint64) {
	for _, operand := range in.Operands {
		if operand.Kind != AddressOperand {
			continue
		}
		for _, r := range operand.Registers {
			if at := o.place(r.Register); at != nil {
				set |= *at
			}
		}
	}
	return set
}

// parameterBankOperand is an operand of constant bank 0 at a fixed offset.
var parameterBankOperand = regexp.MustCompile(`c\[0x0\]\[0x([0-9a-f]+)\]`)

// step follows an instruction: what it writes comes from what it reads, unless it reads memory. What it writes only under its guard may
// also be what was there before.
func (o *origins) step(in *Instruction, parameter func(offset int) uint64) {
	var set uint64
	if in.Opcode != nil && (in.Opcode.Space == "" || in.Opcode.Space == Bank) {
		for _, r := range in.Uses() {
			if at := o.place(r); at != nil {
				set |= *at
			}
		}
		for _, operand := range in.Operands {
			if operand.Kind != ConstantOperand {
				continue
			}
			if m := parameterBankOperand.FindStringSubmatch(operand.Text); m != nil {
				offset, _ := strconv.ParseInt(m[1], 16, 32)
				set |= parameter(int(offset))
			}
		}
	}
	for _, r := range in.Defines() {
		at := o.place(r)
		switch {
		case at == nil:
		case in.Guard == (Guard{}):
			*at = set
		default:
			*at |= set
		}
	}
}
