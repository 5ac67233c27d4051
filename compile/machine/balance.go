package machine

import "strings"

// pipe is one of the two that compute integers and numbers of single precision.
type pipe uint8

const (
	otherPipe pipe = iota
	aluPipe        // sums, shifts, logic, comparisons
	fmaPipe        // products and floating point; of integers what is a product by 1
)

// pipeCycles is for how long an instruction of a sub-group occupies one of these pipes: they have 16 lanes, but for floating point 32.
const pipeCycles = 2

var inALU = map[string]bool{
	"IADD3": true, "LEA": true, "LOP3": true, "SHF": true, "ISETP": true, "SEL": true, "MOV": true, "FSETP": true, "FMNMX": true, "PLOP3": true, "PRMT": true, "VIMNMX": true,
	"IMNMX": true, "I2FP": true, "IABS": true, "FSEL": true, "SGXT": true, "BMSK": true,
}

func (in *instruction) pipe() (of pipe, cycles int) {
	name, _, _ := strings.Cut(in.name, ".")
	switch {
	case inALU[name]:
		return aluPipe, pipeCycles
	case name == "IMAD" || name == "VIADD":
		return fmaPipe, pipeCycles
	case name == "FADD" || name == "FMUL" || name == "FFMA":
		return fmaPipe, 1
	}
	return otherPipe, 0
}

// balance has sums and moves computed as products where that pipe is free sooner, as NVIDIA's assembler does.
func (f *function) balance(c *code) {
	var free [fmaPipe + 1]int // from which cycle on
	for now, in := range c.list {
		if free[fmaPipe] < free[aluPipe] && free[aluPipe] > now {
			f.asProduct(in)
		}
		if p, cycles := in.pipe(); p != otherPipe {
			free[p] = max(free[p], now) + cycles
		}
	}
}

// asProduct makes a sum of two numbers, or a move, an instruction of the pipe of products.
func (f *function) asProduct(in *instruction) {
	plain := func(o operand) bool {
		return o.kind == register && o.text == "" && !o.abs && (o.unit == none || f.class[o.unit] == classGeneral)
	}
	zero := func(o operand) bool { return plain(o) && o.unit == none }
	o := in.operands
	switch {
	case in.name == "MOV" && len(o) == 2 && (plain(o[1]) && o[1].unit != none && !o[1].minus || o[1].kind == number):
		in.name = "IMAD.MOV.U32"
		in.operands = []operand{o[0], reg(none), reg(none), o[1]}
	case in.name != "IADD3" || len(o) != 4 || !zero(o[3]) || !plain(o[1]) || o[1].unit == none:
	case o[2].kind == number && !o[1].minus:
		in.name, in.operands = "VIADD", o[:3]
	case plain(o[2]) && o[2].unit != none && !(o[1].minus && o[2].minus):
		x, y := o[1], o[2]
		if x.minus {
			x, y = y, x
		}
		in.name, in.operands = "IMAD.IADD", []operand{o[0], x, imm(1), y}
	}
}
