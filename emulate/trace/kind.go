package trace

import (
	"slices"

	"gpuperf/sass"
)

// kind is how the result of an instruction depends on values that change by a constant from one iteration of a loop to the next.
type kind uint8

const (
	even     kind = iota // it changes by a constant as well, or nobody needs it
	compares             // it follows from the sign of a difference
	signs                // it follows from the sign of its operand
	uneven               // it may change in any way
	counted              // it is what atomic operations before have left, which nobody does for iterations that are skipped
)

// evens are opcodes whose results change by constants where their operands do, those that are not predicates aside. Products do so where one
// factor does not change, which the results show.
var evens = []string{
	"MOV", "UMOV", "IADD3", "IADD", "IADD32I", "VIADD", "UIADD3", "UVIADD", "IMAD", "UIMAD", "LEA", "ULEA", "SHL", "SEL", "USEL", "S2R", "S2UR", "CS2R",
	"R2UR", "LDC", "ULDC", "LDCU", "PLOP3", "UPLOP3", "PSETP", "VOTEU", "MOV32I",
}

var comparisons = []string{"ISETP", "UISETP", "IMNMX", "VIMNMX", "UIMNMX", "UVIMNMX"}

func kinds(f *sass.Function, n *needs) []kind {
	out := make([]kind, len(f.Instructions))
	for i := range f.Instructions {
		if n.result[i] && !keeps(&f.Instructions[i]) {
			out[i] = kindOf(&f.Instructions[i])
		}
	}
	return out
}

// keeps reports whether an instruction has no result but what it stores.
func keeps(in *sass.Instruction) bool { return in.Opcode != nil && in.Opcode.Action == sass.Store }

func kindOf(in *sass.Instruction) kind {
	switch {
	case slices.Contains(comparisons, in.Name):
		return compares
	case in.Opcode != nil && in.Opcode.Action == sass.Atomic && in.Opcode.Space != sass.Local:
		return counted
	case in.Name == "SHF" && in.Has("R") && in.Has("S32") && len(in.Operands) > 2 && in.Operands[2].Text == "0x1f":
		return signs
	case slices.Contains(evens, in.Name), (in.Name == "SHF" || in.Name == "USHF") && in.Has("L"):
		return even
	}
	return uneven
}
