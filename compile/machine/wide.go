package machine

import (
	"fmt"

	"gpuperf/compile/ssa"
)

// long selects instructions of 64-bit integers.
func (f *function) long(v *ssa.Value) {
	u := f.result(v)
	switch v.Op {
	case ssa.Add:
		f.longSum(v, u)
	case ssa.Sub:
		f.addLong(u, f.longHalves(v.Args[0]), f.longHalves(v.Args[1]), true)
	case ssa.Mul:
		f.longProduct(v, u)
	case ssa.MulWideU, ssa.MulWideS:
		f.product(v, u, reg(none))
	case ssa.Sext:
		f.move(u[0], v.Args[0])
		f.emit("SHF.R.S32.HI", []operand{reg(u[1])}, reg(none), imm(31), reg(f.word(v.Args[0])))
	case ssa.Zext:
		f.move(u[0], v.Args[0])
		f.emit("MOV", []operand{reg(u[1])}, reg(none))
	case ssa.Shl, ssa.ShrU, ssa.ShrS:
		f.longShift(v, u)
	default:
		a, b := f.longHalves(v.Args[0]), f.longHalves(v.Args[1])
		n := table(func(p, q, _ bool) bool { return apply(v.Op, p, q) })
		for i := range u {
			x, y := a[i], b[i]
			if x.kind != register {
				x, y = y, x
			}
			f.emit("LOP3.LUT", []operand{reg(u[i])}, x, y, reg(none), imm(n), operand{kind: predicate, unit: none, minus: true})
		}
	}
}

// longHalves are the words of a pair, the first of which may be numbers.
func (f *function) longHalves(v *ssa.Value) []operand {
	if v.Op == ssa.Zext {
		o, _ := f.any(v.Args[0], true)
		return []operand{o, reg(none)}
	}
	return f.halves(v)
}

// product is a product of two words, of 64 bits, and a sum with a pair.
func (f *function) product(v *ssa.Value, u []unit, with operand) {
	name := "IMAD.WIDE"
	if v.Op == ssa.MulWideU {
		name += ".U32"
	}
	b, first := f.any(v.Args[1], true)
	_ = first
	in := f.emit(name, []operand{reg(u[0])}, reg(f.word(v.Args[0])), b, with)
	in.wide(u[0], 2)
	if with.unit != none {
		in.uses = append(in.uses, with.unit+1)
	}
}

func (f *function) longSum(v *ssa.Value, u []unit) {
	for i, a := range v.Args {
		other := v.Args[1-i]
		if f.alone(a, ssa.MulWideS) || f.alone(a, ssa.MulWideU) {
			with := reg(none)
			if other.Op != ssa.Const || other.Int != 0 {
				with = reg(f.words(other)[0])
			}
			f.product(a, u, with)
			return
		}
		if f.alone(a, ssa.Shl) && a.Args[1].Op == ssa.Const && a.Args[1].Int < 32 && other.Op != ssa.Const {
			x, y := f.words(a.Args[0]), f.words(other)
			by := text(fmt.Sprintf("0x%x", a.Args[1].Int))
			p := f.newPred()
			f.emit("LEA", []operand{reg(u[0]), pred(p)}, reg(x[0]), reg(y[0]), by)
			f.emit("LEA.HI.X", []operand{reg(u[1])}, reg(x[0]), reg(y[1]), reg(x[1]), by, pred(p))
			return
		}
	}
	f.addLong(u, f.longHalves(v.Args[0]), f.longHalves(v.Args[1]), false)
}

// addLong adds pairs, or takes the second from the first.
func (f *function) addLong(u []unit, a, b []operand, minus bool) {
	p := f.newPred()
	operands := func(i int) (operand, operand) {
		x, y := a[i], b[i]
		if minus {
			if y.kind == number {
				y = reg(f.constantIn(constant{n: y.value}))
			}
			y.minus = y.unit != none
			if x.kind != register {
				x, y = y, x
			}
			if i == 1 { // the complement, and what is carried
				if x.minus {
					x.minus, x.text = false, "~"
				}
				if y.minus {
					y.minus, y.text = false, "~"
				}
			}
			return x, y
		}
		if x.kind != register {
			x, y = y, x
		}
		if x.kind != register {
			x = reg(f.constantIn(constant{n: x.value}))
		}
		return x, y
	}
	x, y := operands(0)
	if minus && b[0].unit == none && b[0].kind == register { // nothing is taken: there is no borrow
		f.emit("ISETP.EQ.U32.AND", []operand{pred(p), truth}, reg(none), reg(none), truth)
		f.emit("IADD3", []operand{reg(u[0])}, x, y, reg(none))
	} else {
		f.emit("IADD3", []operand{reg(u[0]), pred(p)}, x, y, reg(none))
	}
	if minus && b[1].unit == none && b[1].kind == register {
		x, less := a[1], imm(-1) // ~0 is all bits
		if x.kind != register {
			x, less = reg(none), imm(x.value-1)
		}
		f.emit("IADD3.X", []operand{reg(u[1])}, x, less, reg(none), pred(p), operand{kind: predicate, unit: none, minus: true})
		return
	}
	x, y = operands(1)
	f.emit("IADD3.X", []operand{reg(u[1])}, x, y, reg(none), pred(p), operand{kind: predicate, unit: none, minus: true})
}

// longProduct is a product of pairs.
func (f *function) longProduct(v *ssa.Value, u []unit) {
	x, y := f.words(v.Args[0]), f.longHalves(v.Args[1])
	low := y[0]
	t := f.newUnits(2)
	f.emit("IMAD.WIDE.U32", []operand{reg(t[0])}, reg(x[0]), low, reg(none)).wide(t[0], 2)
	high := t[1]
	if y[1].unit != none || y[1].kind != register {
		s := f.newUnits(1)[0]
		f.emit("IMAD", []operand{reg(s)}, reg(x[0]), y[1], reg(high))
		high = s
	}
	f.emit("IMAD", []operand{reg(u[1])}, reg(x[1]), low, reg(high))
	in := f.emit("MOV", []operand{reg(u[0])}, reg(t[0]))
	f.copies = append(f.copies, copied{u[0], t[0], in})
}

func (f *function) longShift(v *ssa.Value, u []unit) {
	x := f.words(v.Args[0])
	n := v.Args[1]
	if n.Op == ssa.Const && n.Int >= 32 {
		f.farShift(v, u, x, n.Int-32)
		return
	}
	by, _ := f.any(n, true)
	switch v.Op {
	case ssa.Shl:
		f.emit("SHF.L.U32", []operand{reg(u[0])}, reg(x[0]), by, reg(none))
		f.emit("SHF.L.U64.HI", []operand{reg(u[1])}, reg(x[0]), by, reg(x[1]))
	case ssa.ShrU:
		f.emit("SHF.R.U64", []operand{reg(u[0])}, reg(x[0]), by, reg(x[1]))
		f.emit("SHF.R.U32.HI", []operand{reg(u[1])}, reg(none), by, reg(x[1]))
	default:
		f.emit("SHF.R.S64", []operand{reg(u[0])}, reg(x[0]), by, reg(x[1]))
		f.emit("SHF.R.S32.HI", []operand{reg(u[1])}, reg(none), by, reg(x[1]))
	}
}

// farShift shifts by 32 bits and more.
func (f *function) farShift(v *ssa.Value, u, x []unit, n int64) {
	zero := func(i int) { f.emit("MOV", []operand{reg(u[i])}, reg(none)) }
	switch v.Op {
	case ssa.Shl:
		f.emit("SHF.L.U32", []operand{reg(u[1])}, reg(x[0]), imm(n), reg(none))
		zero(0)
	case ssa.ShrU:
		f.emit("SHF.R.U32.HI", []operand{reg(u[0])}, reg(none), imm(n), reg(x[1]))
		zero(1)
	default:
		f.emit("SHF.R.S32.HI", []operand{reg(u[0])}, reg(none), imm(n), reg(x[1]))
		f.emit("SHF.R.S32.HI", []operand{reg(u[1])}, reg(none), imm(31), reg(x[1]))
	}
}
