// Package sass reads SASS, the machine code of NVIDIA's GPUs from sm_70 on: listings of `cuobjdump -sass` and of `nvdisasm`, and cubins
// where one of these programs is at hand.
//
// Parse reads a listing, and ReadFile a listing or a cubin. An Instruction has its guard, its opcode, its operands and the control bits
// of its encoding. The table of opcodes (opcodes.txt) says what each does: Defines and Uses follow from it. The blocks of a function
// and the edges between them are its flow graph, which has natural loops; Facts is what a listing says about performance at a glance.
//
// It reads only: nothing is assembled, and what an opcode computes is not known here.
package sass

import (
	"slices"
	"strings"
)

// Listing is what a file holds.
type Listing struct {
	Functions []*Function
	Warnings  []string // of opcodes that are not in the table, and jumps whose targets are not known
}

// Function is the code of one section: a kernel with the subroutines that belong to it, or a function that is linked by itself.
type Function struct {
	Name         string
	Target       string            // the architecture, such as sm_90; "" where the listing does not say
	Registers    int               // allocated to a work-item; 0 where the listing does not say
	Parameters   []Parameter       // of a kernel, in order; listings do not say
	Constants    map[int][]byte    // what constant banks start with, by number; only cubins say
	Addresses    []Address         // the places of constant banks that hold addresses of variables; only cubins say
	Held         []Held            // variables that lie in constant banks; only cubins say
	Variables    map[string][]byte // what variables of the program start with; only cubins say
	Instructions []Instruction
	Blocks       []Block // by address
	Loops        []*Loop // by the address of their headers
	Rare         []int64 // addresses at which ways begin that are hardly taken, beside those that call subroutines of arithmetic
}

// Instruction is one instruction.
type Instruction struct {
	Address   int64 // bytes from the start of the function
	Guard     Guard
	Text      string   // without the guard, as the listing has it
	Name      string   // the opcode without modifiers: LDG
	Modifiers []string // E, CONSTANT
	Operands  []Operand
	Opcode    *Opcode   // nil where the table has none
	Code      *Encoding // nil where the listing has none
	Source    Place     // of the program, where the listing says it

	line, column int // of its text in the listing, the column from 0
}

// Guard is the predicate under which an instruction is executed. The zero value is none.
type Guard struct {
	Register Register
	Negated  bool
}

// Place is a line of a source file. The zero value is unknown.
type Place struct {
	File string
	Line int
}

// Encoding is an instruction of 128 bits.
type Encoding struct{ Low, High uint64 }

// Control is what the encoding tells the scheduler of the sub-group (warp).
type Control struct {
	Stall        int  // cycles until the next instruction of the same sub-group
	Yield        bool // the scheduler is asked to turn to another sub-group
	WriteBarrier int  // the scoreboard that is released when the result has been written; None
	ReadBarrier  int  // the scoreboard that is released when the operands have been read; None
	Wait         int  // the set of scoreboards, as bits, that must be released before it issues
	Reuse        int  // the set of operands, as bits, whose registers stay in the reuse cache
}

// None is no scoreboard.
const None = 7

// scoreboards are as many as a sub-group has.
const scoreboards = 6

// Control decodes the bits 105 to 125.
func (e Encoding) Control() Control {
	c := int(e.High >> 41)
	return Control{
		Stall:        c & 15,
		Yield:        c>>4&1 == 0, // the bit says that it may stay
		WriteBarrier: c >> 5 & 7,
		ReadBarrier:  c >> 8 & 7,
		Wait:         c >> 11 & 63,
		Reuse:        c >> 17 & 15,
	}
}

// String gives the notation of maxas and CuAssembler: B--2---:R-:W0:Y:S01 waits for scoreboard 2, and sets 0 when the result is written.
func (c Control) String() string {
	digit := func(n int, set bool) byte {
		if set {
			return byte('0' + n)
		}
		return '-'
	}
	b := []byte("B")
	for i := range scoreboards {
		b = append(b, digit(i, c.Wait>>i&1 != 0))
	}
	b = append(b, ':', 'R', digit(c.ReadBarrier, c.ReadBarrier != None), ':', 'W', digit(c.WriteBarrier, c.WriteBarrier != None), ':')
	yield := byte('-')
	if c.Yield {
		yield = 'Y'
	}
	return string(append(b, yield, ':', 'S', byte('0'+c.Stall/10), byte('0'+c.Stall%10)))
}

// Mnemonic is the opcode with its modifiers.
func (in *Instruction) Mnemonic() string {
	return strings.Join(append([]string{in.Name}, in.Modifiers...), ".")
}

// Has reports whether the opcode has a modifier.
func (in *Instruction) Has(modifier string) bool { return slices.Contains(in.Modifiers, modifier) }

// String gives the instruction as listings have it, without address and encoding.
func (in *Instruction) String() string {
	if in.Guard == (Guard{}) {
		return in.Text
	}
	return in.Guard.String() + " " + in.Text
}

// String gives the guard as listings have it; "" for none.
func (g Guard) String() string {
	switch {
	case g == (Guard{}):
		return ""
	case g.Negated:
		return "@!" + g.Register.String()
	}
	return "@" + g.Register.String()
}
