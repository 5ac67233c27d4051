package machine

import (
	"fmt"
	"math"
	"strconv"

	"gpuperf/compile/ssa"
)

// The constant banks of parameters, of variables, and of the addresses of variables in global memory.
const (
	parameterBank = 0
	variableBank  = 3
	addressBank   = 4
)

// bankOf is the constant bank of a parameter or a variable.
func bankOf(v *ssa.Value) int {
	switch {
	case v.Op == ssa.Param:
		return parameterBank
	case v.Aux == ssa.Addresses:
		return addressBank
	}
	return variableBank
}

// truth is PT.
var truth = operand{kind: predicate, unit: none}

// selectAll selects the instructions of all blocks.
func (f *function) selectAll() {
	for _, b := range f.Blocks {
		c := &code{block: b}
		f.blocks = append(f.blocks, c)
		f.of[b] = c
	}
	f.once()
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == ssa.Phi && f.inVector(v) {
				f.result(v)
			}
		}
	}
	if f.Stack > 0 {
		f.now = f.blocks[0]
		f.stack = f.newUnits(1)[0]
		f.emit("MOV", []operand{reg(f.stack)}, text("c[0x0][0x28]"))
		f.emit("IADD3", []operand{reg(f.stack)}, reg(f.stack), imm(-f.stackBytes()), reg(none))
	}
	for _, c := range f.blocks {
		f.now = c
		for _, v := range c.block.Values {
			f.line = v.Line
			if v.Op != ssa.Phi && (f.uniform.values[v] || f.uniform.loads[v]) {
				f.valueOnce(v)
			}
			if v.Op != ssa.Phi && !f.folded[v] && f.inVector(v) {
				f.value(v)
			}
		}
	}
	f.phis()
	f.flow()
}

const stackAlign = 16 // bytes, for the widest access

func (f *function) stackBytes() int64 { return (f.Stack + stackAlign - 1) / stackAlign * stackAlign }

// inVector reports whether a value is needed in each work-item.
func (f *function) inVector(v *ssa.Value) bool {
	return !f.uniform.loads[v] && (!f.uniform.values[v] || f.uniform.vector[v])
}

func (f *function) result(v *ssa.Value) []unit {
	if u := f.units[v]; u != nil {
		return u
	}
	var u []unit
	if v.Type == ssa.Pred {
		u = []unit{f.newPred()}
	} else {
		u = f.newUnits(v.Type.Words())
	}
	f.units[v] = u
	return u
}

// words are the units of a value in registers; constants are put there.
func (f *function) words(v *ssa.Value) []unit {
	switch v.Op {
	case ssa.Const:
		out := f.units[v]
		if v.Type == ssa.D {
			return f.constantPair(v.Int)
		}
		if v.Int == 0 {
			return []unit{none}
		}
		if out == nil {
			out = []unit{f.constantIn(constant{n: v.Int})}
		}
		return out
	case ssa.Param, ssa.Bank:
		bank := bankOf(v)
		if v.Type == ssa.D {
			return f.bankPair(bank, v.Int)
		}
		return []unit{f.constantIn(constant{n: v.Int, bank: bank + 1})}
	case ssa.Extract:
		return f.words(v.Args[0])[v.Int : v.Int+1]
	case ssa.Undef:
		return f.result(v)
	case ssa.Pack:
		if part := f.partOf(v); part != nil {
			return part
		}
	}
	if f.uniform.loads[v] {
		u := f.newUnits(1)
		f.emit("MOV", []operand{reg(u[0])}, reg(f.onceUnit(v)))
		return u
	}
	if f.folded[v] && f.units[v] == nil { // somebody needs it in a register after all
		f.folded[v] = false
		f.value(v)
	}
	return f.result(v)
}

// partOf are the units of a value that is an aligned part of a longer one; nil for others.
func (f *function) partOf(v *ssa.Value) []unit {
	first := v.Args[0]
	if first.Op != ssa.Extract || int(first.Int)%len(v.Args) != 0 || first.Args[0].Op == ssa.Phi {
		return nil
	}
	for i, a := range v.Args {
		if a.Op != ssa.Extract || a.Args[0] != first.Args[0] || a.Int != first.Int+int64(i) {
			return nil
		}
	}
	return f.words(first.Args[0])[first.Int : int(first.Int)+len(v.Args)]
}

func (f *function) word(v *ssa.Value) unit { return f.words(v)[0] }

// home is where a constant is put into a register: before all loops, or where it is needed.
func (f *function) home() *code {
	l := f.now.block.Loop
	if l == nil {
		return f.now
	}
	for l.Outer != nil {
		l = l.Outer
	}
	return f.of[l.Before]
}

func (f *function) at(c *code, do func()) {
	now := f.now
	f.now = c
	do()
	f.now = now
}

// constantIn puts a number, or a word of a constant bank, into a register.
func (f *function) constantIn(c constant) unit {
	c.at = f.home()
	if u, ok := f.made[c]; ok {
		return u
	}
	u := f.newUnits(1)[0]
	f.made[c] = u
	f.at(c.at, func() {
		from := imm(c.n)
		if c.bank > 0 {
			from = banked(c.bank-1, c.n)
		}
		f.emit("MOV", []operand{reg(u)}, from)
	})
	return u
}

func banked(bank int, at int64) operand { return text(fmt.Sprintf("c[0x%x][0x%x]", bank, at)) }

// pairKey keeps pairs apart from words.
const pairKey = 1 << 8

func (f *function) bankPair(bank int, at int64) []unit {
	c := constant{n: at, bank: bank + 1 + pairKey, at: f.home()}
	if u, ok := f.made[c]; ok {
		return []unit{u, u + 1}
	}
	u := f.newUnits(2)
	f.made[c] = u[0]
	f.at(c.at, func() { f.emit("LDC.64", []operand{reg(u[0])}, banked(bank, at)).wide(u[0], 2) })
	return u
}

func (f *function) constantPair(n int64) []unit {
	c := constant{n: n, bank: -1, at: f.home()}
	if u, ok := f.made[c]; ok {
		return []unit{u, u + 1}
	}
	u := f.newUnits(2)
	f.made[c] = u[0]
	f.at(c.at, func() {
		if n == 0 {
			f.emit("CS2R", []operand{reg(u[0])}, text("SRZ")).wide(u[0], 2)
			return
		}
		f.emit("MOV", []operand{reg(u[0])}, imm(n))
		f.emit("MOV", []operand{reg(u[1])}, imm(n>>32))
	})
	return u
}

// any is an operand that may be a number or a constant; first says that none before it is.
func (f *function) any(v *ssa.Value, first bool) (operand, bool) {
	if first {
		switch v.Op {
		case ssa.Const:
			if v.Int == 0 {
				return reg(none), true
			}
			return imm(v.Int), false
		case ssa.Param:
			return banked(parameterBank, v.Int), false
		case ssa.Bank:
			return banked(bankOf(v), v.Int), false
		}
		if f.uniform.loads[v] {
			return reg(f.onceUnit(v)), false
		}
	}
	return reg(f.word(v)), first
}

// signed is an operand of a floating-point instruction: a sign is part of it.
func (f *function) signed(v *ssa.Value, first bool) (operand, bool) {
	minus, abs := false, false
	for v.Op == ssa.FNeg || v.Op == ssa.FAbs {
		if v.Op == ssa.FAbs {
			abs = true
		} else if !abs {
			minus = !minus
		}
		v = v.Args[0]
	}
	o, first := f.any(v, first)
	if o.kind == number {
		if abs {
			o.value &^= 1 << 31
		}
		if minus {
			o.value ^= 1 << 31
		}
		return o, first
	}
	o.minus, o.abs = minus, abs
	return o, first
}

func (f *function) condition(v *ssa.Value) operand {
	not := false
	for v.Op == ssa.PNot {
		not = !not
		v = v.Args[0]
	}
	if v.Op == ssa.Const {
		return operand{kind: predicate, unit: none, minus: (v.Int == 0) != not}
	}
	o := pred(f.word(v))
	o.minus = not
	return o
}

// value selects the instructions of a value.
func (f *function) value(v *ssa.Value) {
	switch {
	case v.Op == ssa.Const || v.Op == ssa.Param || v.Op == ssa.Bank || v.Op == ssa.Extract || v.Op == ssa.Undef:
	case v.Op == ssa.Special:
		f.special(v)
	case v.Op == ssa.Pack && f.partOf(v) != nil:
	case v.Op == ssa.Pack:
		u := f.result(v)
		for i, a := range v.Args {
			f.move(u[i], a)
		}
	case v.Op >= ssa.Add && v.Op <= ssa.Zext:
		if v.Type == ssa.D {
			f.long(v)
		} else {
			f.integer(v)
		}
	case v.Op == ssa.Cmp || v.Op == ssa.FCmp || v.Op == ssa.DCmp:
		f.compare(v, ".AND", truth)
	case v.Op == ssa.Select:
		f.selection(v)
	case v.Op >= ssa.PAnd && v.Op <= ssa.PNot:
		f.logic(v)
	case v.Op >= ssa.FAdd && v.Op <= ssa.FAbs:
		f.single(v)
	case v.Op >= ssa.DAdd && v.Op <= ssa.DAbs:
		f.double(v)
	case v.Op == ssa.Raw:
		f.raw(v)
	case v.Op == ssa.Load:
		f.load(v)
	case v.Op == ssa.Store:
		f.store(v)
	case v.Op == ssa.Atomic:
		f.atomic(v)
	case v.Op == ssa.Copy:
		f.copy(v)
	default:
		f.effect(v)
	}
}

func (f *function) special(v *ssa.Value) {
	u := f.result(v)[0]
	if v.Aux == "stack" {
		f.emit("MOV", []operand{reg(u)}, reg(f.stack))
		f.copies = append(f.copies, copied{u, f.stack, f.now.list[len(f.now.list)-1]})
		return
	}
	f.emit("S2R", []operand{reg(u)}, text(v.Aux))
}

// move puts a value of one word into a unit.
func (f *function) move(to unit, v *ssa.Value) {
	o, _ := f.any(v, true)
	if v.Type == ssa.Pred {
		f.movePred(to, f.condition(v))
		return
	}
	in := f.emit("MOV", []operand{reg(to)}, o)
	if o.kind == register && o.unit != none {
		f.copies = append(f.copies, copied{to, o.unit, in})
	}
}

func (f *function) movePred(to unit, o operand) {
	in := f.emit("PLOP3.LUT", []operand{pred(to), truth}, o, truth, truth, text("0xf0"), text("0x0"))
	if o.unit != none && !o.minus {
		f.copies = append(f.copies, copied{to, o.unit, in})
	}
}

// single are instructions of single precision.
func (f *function) single(v *ssa.Value) {
	d := []operand{reg(f.result(v)[0])}
	a, _ := f.signed(v.Args[0], false)
	switch v.Op {
	case ssa.FNeg, ssa.FAbs:
		a, _ = f.signed(v, false)
		f.emit("FADD", d, a, operand{kind: register, unit: none, minus: true})
		return
	case ssa.FFma:
		b, first := f.signed(v.Args[1], true)
		c, _ := f.signed(v.Args[2], first)
		f.emit("FFMA", d, a, b, c)
		return
	}
	b, _ := f.signed(v.Args[1], true)
	switch v.Op {
	case ssa.FAdd:
		f.emit("FADD", d, a, b)
	case ssa.FMul:
		f.emit("FMUL", d, a, b)
	case ssa.FMin:
		f.emit("FMNMX", d, a, b, truth)
	case ssa.FMax:
		f.emit("FMNMX", d, a, b, operand{kind: predicate, unit: none, minus: true})
	}
}

// wideOperand is an operand of double precision: a pair, a number whose low word is 0, or a place in a constant bank.
func (f *function) wideOperand(v *ssa.Value, first bool, in *[]unit) (operand, bool) {
	minus, abs := false, false
	for v.Op == ssa.DNeg || v.Op == ssa.DAbs {
		if v.Op == ssa.DAbs {
			abs = true
		} else if !abs {
			minus = !minus
		}
		v = v.Args[0]
	}
	if first {
		switch {
		case v.Op == ssa.Const && uint32(v.Int) == 0 && v.Int != 0:
			x := math.Float64frombits(uint64(v.Int))
			if minus {
				x = -x
			}
			return text(strconv.FormatFloat(x, 'g', -1, 64)), false // as listings have it
		case v.Op == ssa.Const && v.Int != 0 && f.now.block.Loop == nil:
			n := v.Int
			if abs {
				n &= math.MaxInt64
			}
			if minus {
				n ^= math.MinInt64
			}
			return operand{kind: long, value: n, unit: none}, false
		case v.Op == ssa.Param:
			o := banked(parameterBank, v.Int)
			o.minus, o.abs = minus, abs
			return o, false
		case v.Op == ssa.Bank:
			o := banked(bankOf(v), v.Int)
			o.minus, o.abs = minus, abs
			return o, false
		}
	}
	if v.Op == ssa.Const && v.Int == 0 {
		return operand{kind: register, unit: none, minus: minus}, first
	}
	u := f.words(v)
	*in = append(*in, u[0])
	o := reg(u[0])
	o.minus, o.abs = minus, abs
	return o, first
}

func (f *function) double(v *ssa.Value) {
	u := f.result(v)
	d := []operand{reg(u[0])}
	var reads []unit
	a, _ := f.wideOperand(v.Args[0], false, &reads)
	switch v.Op {
	case ssa.DNeg, ssa.DAbs:
		reads = nil
		a, _ = f.wideOperand(v, false, &reads)
		f.emit("DADD", d, a, operand{kind: register, unit: none, minus: true}).wide(u[0], 2, reads...)
	case ssa.DFma:
		b, first := f.wideOperand(v.Args[1], true, &reads)
		c, _ := f.wideOperand(v.Args[2], first, &reads)
		f.emit("DFMA", d, a, b, c).wide(u[0], 2, reads...)
	default:
		b, _ := f.wideOperand(v.Args[1], true, &reads)
		f.emit(map[ssa.Op]string{ssa.DAdd: "DADD", ssa.DMul: "DMUL"}[v.Op], d, a, b).wide(u[0], 2, reads...)
	}
}
