package sass

import (
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

// widthIn is the width that the text of an operand gives a register with these suffixes. Descriptors of memory have 64 bits, and so has a uniform register that is
// added to an address of 64 bits or to an offset: [R2.64+UR4], [R2.U32+UR4].
func widthIn(text, name, suffixes string) int {
	switch {
	case strings.HasPrefix(suffixes, ".64"), strings.Contains(text, "desc["+name+"]"):
		return 2
	case strings.HasPrefix(suffixes, ".U32"):
		return 1
	case strings.Contains(text, "+"+name) && name[0] == 'U' && (strings.Contains(text, ".64+") || strings.Contains(text, ".U32+")):
		return 2
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
