package machine

import "gpuperf/sass"

// Gaps are the cycles for which an instruction of a sub-group occupies the pipes that compute integers and numbers of single precision.
type Gaps struct {
	ALU          float64 // sums, shifts, logic, comparisons
	IMAD, Floats float64 // in the pipe of products: integers, and floating point
}

// pipe is where an instruction is computed, and for how long; for 0 cycles if it is in neither of these pipes.
func (g Gaps) pipe(in *instruction) (of sass.Pipe, cycles float64) {
	row := sass.Find(in.name)
	switch {
	case row == nil:
		return "", 0
	case row.Pipe == sass.ALU:
		return row.Pipe, g.ALU
	case row.Pipe == sass.FMA && row.Class == sass.Float32:
		return row.Pipe, g.Floats
	case row.Pipe == sass.FMA:
		return row.Pipe, g.IMAD
	}
	return "", 0
}

// balance has sums and moves computed as products where that pipe is free sooner, as NVIDIA's assembler does.
func (f *function) balance(c *code, g Gaps) {
	free := map[sass.Pipe]float64{} // from which cycle on
	for i, in := range c.list {
		now := float64(i)
		if free[sass.FMA] < free[sass.ALU] && free[sass.ALU] > now {
			f.asProduct(in)
		}
		if p, cycles := g.pipe(in); cycles > 0 {
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
