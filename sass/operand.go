package sass

import (
	"math/bits"
	"regexp"
	"strconv"
	"strings"
)

// File is a register file.
type File uint8

// The register files. NoFile is that of the zero Register, which is none.
const (
	NoFile             File = iota
	General                 // R0, R1, …: 32 bits per work-item
	Uniform                 // UR0, …: 32 bits per sub-group
	Predicate               // P0 to P6: a bit per work-item
	UniformPredicate        // UP0 to UP6: a bit per sub-group
	ConvergenceBarrier      // B0 to B15: sets of work-items that wait for each other
)

// files are the prefixes of names by file, and the registers that always hold the same: zero or true.
var files = map[File]struct {
	prefix, constant string
}{
	General:            {"R", "RZ"},
	Uniform:            {"UR", "URZ"},
	Predicate:          {"P", "PT"},
	UniformPredicate:   {"UP", "UPT"},
	ConvergenceBarrier: {"B", ""},
}

// Register is a register. Those that hold a constant have the index Constant.
type Register struct {
	File  File
	Index int
}

// Constant is the index of RZ, URZ, PT and UPT.
const Constant = -1

// String gives the name of a register.
func (r Register) String() string {
	if r.Index == Constant {
		return files[r.File].constant
	}
	return files[r.File].prefix + strconv.Itoa(r.Index)
}

// Operand is an operand of an instruction.
type Operand struct {
	Text      string
	Kind      Kind
	Registers []Reference // those that its text names, in order
}

// Kind is a kind of operand.
type Kind uint8

// The kinds of operands.
const (
	Other           Kind = iota // numbers, labels, special registers, scoreboards
	RegisterOperand             // a register, perhaps with a sign: -R4.H0_H0
	ConstantOperand             // of a constant bank: c[0x0][0x210]
	AddressOperand              // of memory: [R2.64+0x8]; what it names is always read
	AllPredicates               // PR and UPR: a predicate file as one word
)

// Reference is a register in the text of an operand.
type Reference struct {
	Register Register
	Width    int // how many registers the text says that it stands for: R2.64, R2.U32; 0 where it does not say
}

// register is a register in the text of an operand: not part of a longer word, nor behind a dot, as modifiers are.
var register = regexp.MustCompile(`(^|[^\w.$])(UR|UP|R|P|B)(\d{1,3}|Z|T)((?:\.\w+)*)`)

func operand(text string) Operand {
	o := Operand{Text: text, Kind: kindOf(text)}
	if strings.HasPrefix(text, "`(") { // labels may look like registers
		return o
	}
	for _, m := range register.FindAllStringSubmatch(text, -1) {
		if r, ok := registerNamed(m[2], m[3]); ok {
			o.Registers = append(o.Registers, Reference{r, widthIn(text, m[2]+m[3], m[4])})
		}
	}
	if o.Kind == RegisterOperand && len(o.Registers) != 1 {
		o.Kind = Other
	}
	return o
}

// widthIn is the width that the text of an operand gives a register with these suffixes. Descriptors of memory have 64 bits.
func widthIn(text, name, suffixes string) int {
	switch {
	case strings.HasPrefix(suffixes, ".64"), strings.Contains(text, "desc["+name+"]"):
		return 2
	case strings.HasPrefix(suffixes, ".U32"):
		return 1
	}
	return 0
}

// registerNamed is the register of a prefix and a number, or the constant one; T goes with predicates, Z with others.
func registerNamed(prefix, number string) (Register, bool) {
	for file, f := range files {
		if f.prefix != prefix {
			continue
		}
		if f.constant == prefix+number {
			return Register{file, Constant}, true
		}
		n, err := strconv.Atoi(number)
		return Register{file, n}, err == nil
	}
	return Register{}, false
}

// bare is a register with its signs and suffixes and nothing else: -R4, |R2|.reuse, !P0, ~R5, R7.H1_H1.
var bare = regexp.MustCompile(`^[-!~|]*(UR|UP|R|P|B)(\d{1,3}|Z|T)\|?(\.\w+)*\|?$`)

// bank is the beginning of an operand of a constant bank.
var bank = regexp.MustCompile(`^[-!~|]*cx?\[`)

func kindOf(text string) Kind {
	switch {
	case bare.MatchString(text):
		return RegisterOperand
	case text == "PR" || text == "UPR":
		return AllPredicates
	case bank.MatchString(text):
		return ConstantOperand
	case strings.Contains(text, "["):
		return AddressOperand
	}
	return Other
}

// splitOperands splits at the commas and blanks that stand outside of brackets.
func splitOperands(text string) (all []string) {
	depth, from := 0, 0
	cut := func(to int) {
		if to > from {
			all = append(all, text[from:to])
		}
		from = to + 1
	}
	for i, c := range text {
		switch c {
		case '[', '(', '{':
			depth++
		case ']', ')', '}':
			depth--
		case ',', ' ', '\t':
			if depth == 0 {
				cut(i)
			}
		}
	}
	cut(len(text))
	return all
}

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
