package machine

import (
	"fmt"
	"slices"

	"gpuperf/compile/ssa"
)

// integer selects instructions of 32-bit integers.
func (f *function) integer(v *ssa.Value) {
	d := []operand{reg(f.result(v)[0])}
	switch v.Op {
	case ssa.Add:
		f.sum(v, d)
	case ssa.Sub:
		f.add3(d, f.plus(v.Args[0]), f.less(v.Args[1]))
	case ssa.Mul:
		b, _ := f.any(v.Args[1], true)
		f.emit("IMAD", d, reg(f.word(v.Args[0])), b, reg(none))
	case ssa.MulHiU, ssa.MulHiS:
		b, _ := f.any(v.Args[1], true)
		name := "IMAD.HI.U32"
		if v.Op == ssa.MulHiS {
			name = "IMAD.HI"
		}
		f.emit(name, d, reg(f.word(v.Args[0])), b, reg(none))
	case ssa.Shl, ssa.ShrU, ssa.ShrS:
		f.shift(v, d)
	case ssa.And, ssa.Or, ssa.Xor:
		f.bits(v, d)
	case ssa.MinU, ssa.MinS, ssa.MaxU, ssa.MaxS:
		name := "VIMNMX"
		if v.Op == ssa.MinU || v.Op == ssa.MaxU {
			name += ".U32"
		}
		b, _ := f.any(v.Args[1], true)
		f.emit(name, d, reg(f.word(v.Args[0])), b, operand{kind: predicate, unit: none, minus: v.Op == ssa.MaxU || v.Op == ssa.MaxS})
	}
}

// term is a summand.
type term struct {
	v     *ssa.Value
	minus bool
}

func (f *function) plus(v *ssa.Value) term { return term{v, false} }
func (f *function) less(v *ssa.Value) term { return term{v, true} }

// alone reports whether a value may be made part of another instruction: nobody else needs it.
func (f *function) alone(v *ssa.Value, op ssa.Op) bool { return v.Op == op && f.folded[v] }

// sum is a sum: of three, or of a product, or of what is shifted.
func (f *function) sum(v *ssa.Value, d []operand) {
	x, y := v.Args[0], v.Args[1]
	for i, a := range v.Args {
		other := v.Args[1-i]
		switch {
		case f.alone(a, ssa.Mul):
			b, first := f.any(a.Args[1], !isFixed(other) || other.Op == ssa.Const && other.Int == 0)
			c, _ := f.any(other, first || b.kind == register)
			f.emit("IMAD", d, reg(f.word(a.Args[0])), b, c)
			return
		case f.alone(a, ssa.Shl):
			b, _ := f.any(other, true)
			f.emit("LEA", d, reg(f.word(a.Args[0])), b, text(fmt.Sprintf("0x%x", a.Args[1].Int)))
			return
		case f.alone(a, ssa.ShrU): // the upper half of what is shifted to the left by the rest of a word
			b, _ := f.any(other, true)
			f.emit("LEA.HI", d, reg(f.word(a.Args[0])), b, reg(none), text(fmt.Sprintf("0x%x", 32-a.Args[1].Int)))
			return
		case f.alone(a, ssa.ShrS):
			b, _ := f.any(other, true)
			f.emit("LEA.HI.SX32", d, reg(f.word(a.Args[0])), b, text(fmt.Sprintf("0x%x", 32-a.Args[1].Int)))
			return
		case f.alone(a, ssa.Add):
			f.add3(d, f.plus(a.Args[0]), f.plus(a.Args[1]), f.plus(other))
			return
		case f.alone(a, ssa.Sub):
			f.add3(d, f.plus(a.Args[0]), f.less(a.Args[1]), f.plus(other))
			return
		}
	}
	f.add3(d, f.plus(x), f.plus(y))
}

// add3 adds up to three terms, of which the second may be a number.
func (f *function) add3(d []operand, terms ...term) {
	for len(terms) < 3 {
		terms = append(terms, term{})
	}
	for i, t := range terms { // a number in the middle
		if i != 1 && t.v != nil && (t.v.Op == ssa.Const && t.v.Int != 0 || t.v.Op == ssa.Param || t.v.Op == ssa.Bank) &&
			(terms[1].v == nil || terms[1].v.Op != ssa.Const && terms[1].v.Op != ssa.Param && terms[1].v.Op != ssa.Bank) {
			terms[i], terms[1] = terms[1], terms[i]
			break
		}
	}
	var operands []operand
	for i, t := range terms {
		if t.v == nil {
			operands = append(operands, reg(none))
			continue
		}
		o, _ := f.any(t.v, i == 1)
		if o.kind == number && t.minus {
			o.value = int64(uint32(-o.value))
		} else {
			o.minus = t.minus && o.unit != none || t.minus && o.kind == literal
		}
		operands = append(operands, o)
	}
	f.emit("IADD3", d, operands...)
}

func (f *function) shift(v *ssa.Value, d []operand) {
	x, n := v.Args[0], v.Args[1]
	by, _ := f.any(n, true)
	switch {
	case v.Op == ssa.Shl && n.Op == ssa.Const && n.Int < 32:
		if f.shl++; f.shl%2 == 0 || f.now.block.Loop != nil {
			f.emit("IMAD.SHL.U32", d, reg(f.word(x)), imm(1<<n.Int), reg(none))
			return
		}
		f.emit("SHF.L.U32", d, reg(f.word(x)), by, reg(none))
	case v.Op == ssa.Shl:
		f.emit("SHF.L.U32", d, reg(f.word(x)), by, reg(none))
	case v.Op == ssa.ShrU:
		f.emit("SHF.R.U32.HI", d, reg(none), by, reg(f.word(x)))
	default:
		f.emit("SHF.R.S32.HI", d, reg(none), by, reg(f.word(x)))
	}
}

// table is what a function of three bits is for all of them.
func table(of func(a, b, c bool) bool) int64 {
	n := int64(0)
	for i := range 8 {
		if of(i&4 != 0, i&2 != 0, i&1 != 0) {
			n |= 1 << i
		}
	}
	return n
}

func apply(op ssa.Op, a, b bool) bool {
	switch op {
	case ssa.And, ssa.PAnd:
		return a && b
	case ssa.Or, ssa.POr:
		return a || b
	}
	return a != b
}

// bits is a function of two words, or of three.
func (f *function) bits(v *ssa.Value, d []operand) {
	x, y := v.Args[0], v.Args[1]
	lut := func(a, b, c *ssa.Value, of func(a, b, c bool) bool) {
		p := reg(f.word(a))
		q, _ := f.any(b, true)
		r := reg(none)
		if c != nil {
			r = reg(f.word(c))
		}
		f.emit("LOP3.LUT", d, p, q, r, imm(table(of)), operand{kind: predicate, unit: none, minus: true})
	}
	inner, other := x, y
	if !f.logicAlone(x) {
		inner, other = y, x
	}
	if f.logicAlone(inner) {
		a, b, c := inner.Args[0], inner.Args[1], other
		if c.Op == ssa.Const && b.Op != ssa.Const { // the number in the middle
			lut(a, c, b, func(p, q, r bool) bool { return apply(v.Op, apply(inner.Op, p, r), q) })
			return
		}
		if c.Op != ssa.Const {
			lut(a, b, c, func(p, q, r bool) bool { return apply(v.Op, apply(inner.Op, p, q), r) })
			return
		}
		f.folded[inner] = false
		f.value(inner)
	}
	lut(x, y, nil, func(p, q, _ bool) bool { return apply(v.Op, p, q) })
}

func (f *function) logicAlone(v *ssa.Value) bool {
	return f.alone(v, ssa.And) || f.alone(v, ssa.Or) || f.alone(v, ssa.Xor)
}

var comparisons = map[ssa.Op]string{ssa.Cmp: "ISETP", ssa.FCmp: "FSETP", ssa.DCmp: "DSETP"}

// compare is a comparison, combined with a predicate.
func (f *function) compare(v *ssa.Value, how string, with operand) {
	x, y := v.Args[0], v.Args[1]
	p := f.result(v)[0]
	f.compareInto(v, p, x, y, how, with)
}

func (f *function) compareInto(v *ssa.Value, p unit, x, y *ssa.Value, how string, with operand) {
	d := []operand{pred(p), truth}
	name := comparisons[v.Op] + "." + v.Aux
	switch {
	case v.Op == ssa.DCmp:
		var reads []unit
		a, _ := f.wideOperand(x, false, &reads)
		b, _ := f.wideOperand(y, true, &reads)
		in := f.emit(name+how, d, a, b, with)
		in.wide(none, 1, reads...)
	case v.Op == ssa.FCmp:
		a, _ := f.signed(x, false)
		b, _ := f.signed(y, true)
		f.emit(name+how, d, a, b, with)
	case x.Type == ssa.D:
		f.compareLong(v, d, x, y, how, with)
	default:
		sign := ""
		if len(v.Aux) == 3 {
			name, sign = "ISETP."+v.Aux[:2], ".U32"
		}
		b, _ := f.any(y, true)
		f.emit(name+sign+how, d, reg(f.word(x)), b, with)
	}
}

// compareLong compares low words, and then high words.
func (f *function) compareLong(v *ssa.Value, d []operand, x, y *ssa.Value, how string, with operand) {
	name, sign := v.Aux[:2], ""
	if len(v.Aux) == 3 {
		sign = ".U32"
	}
	low := f.newPred()
	half := func(v *ssa.Value, i int) operand {
		if v.Op == ssa.Const {
			if n := v.Int >> (32 * i); uint32(n) != 0 {
				return imm(n)
			}
			return reg(none)
		}
		return reg(f.words(v)[i])
	}
	f.emit("ISETP."+name+".U32.AND", []operand{pred(low), truth}, reg(f.words(x)[0]), half(y, 0), truth)
	f.emit("ISETP."+name+sign+how+".EX", d, reg(f.words(x)[1]), half(y, 1), with, pred(low))
}

// selection is one of two values.
func (f *function) selection(v *ssa.Value) {
	p := f.condition(v.Args[0])
	yes, no := v.Args[1], v.Args[2]
	u := f.result(v)
	if f.folded[yes] && changes(v, yes, no) {
		f.changed(u[0], p, yes, no)
		return
	}
	if f.folded[no] && changes(v, no, yes) {
		p.minus = !p.minus
		f.changed(u[0], p, no, yes)
		return
	}
	if v.Aux == ssa.InPlace && yes.Op != ssa.Const && no.Op != ssa.Const {
		f.move(u[0], no)
		in := f.emit("MOV", []operand{reg(u[0])}, reg(f.word(yes)))
		in.guard, in.not = p.unit, p.minus
		in.uses = append(in.uses, p.unit, u[0])
		return
	}
	if v.Type == ssa.D {
		a, b := f.halves(yes), f.halves(no)
		for i := range u {
			f.pick(u[i], p, a[i], b[i])
		}
		return
	}
	a, _ := f.signed(yes, true)
	b, _ := f.signed(no, true)
	switch {
	case a.kind == register || b.kind == register:
	case a.minus || a.abs:
		t := f.newUnits(1)[0]
		f.emit("FADD", []operand{reg(t)}, a, operand{kind: register, unit: none, minus: true})
		a = reg(t)
	default:
		a = reg(f.word(yes))
	}
	f.pick(u[0], p, a, b)
}

// changes reports whether a selection of two values is one instruction under a predicate: the first is the second, changed by it, or takes its place in the next iteration.
func changes(of, yes, no *ssa.Value) bool {
	switch yes.Op {
	case ssa.Add, ssa.Sub, ssa.FAdd, ssa.FMul, ssa.FFma, ssa.And, ssa.Or, ssa.Xor:
	default:
		return false
	}
	if yes.Type != ssa.W || no.Op == ssa.Const {
		return false
	}
	return slices.Contains(yes.Args, no) || no.Op == ssa.Phi && slices.Contains(no.Args, of)
}

// changed is a value, and where a predicate holds that changed.
func (f *function) changed(to unit, p operand, yes, no *ssa.Value) {
	f.move(to, no)
	f.units[yes] = []unit{to}
	f.folded[yes] = false
	n := len(f.now.list)
	f.value(yes)
	for _, in := range f.now.list[n:] {
		if len(in.defines) == 1 && in.defines[0] == to {
			in.guard, in.not = p.unit, p.minus
			in.uses = append(in.uses, p.unit, to)
		}
	}
}

// halves are the words of a pair as operands.
func (f *function) halves(v *ssa.Value) []operand {
	if v.Op == ssa.Const {
		low, high := imm(v.Int), imm(v.Int>>32)
		if low.value == 0 {
			low = reg(none)
		}
		if high.value == 0 {
			high = reg(none)
		}
		return []operand{low, high}
	}
	w := f.words(v)
	return []operand{reg(w[0]), reg(w[1])}
}

func (f *function) pick(to unit, p, a, b operand) {
	if a.kind != register {
		if b.kind != register {
			t := f.constantIn(constant{n: a.value})
			a = reg(t)
		} else {
			a, b, p.minus = b, a, !p.minus
		}
	}
	name := "SEL"
	if a.minus || a.abs || b.minus || b.abs {
		name = "FSEL"
	}
	f.emit(name, []operand{reg(to)}, a, b, p)
}

// logic are predicates of predicates. A comparison that nobody else needs combines by itself.
func (f *function) logic(v *ssa.Value) {
	u := f.result(v)[0]
	if v.Op == ssa.PNot {
		f.movePred(u, f.condition(v))
		return
	}
	x, y := v.Args[0], v.Args[1]
	for i, c := range v.Args {
		if (c.Op == ssa.Cmp || c.Op == ssa.FCmp || c.Op == ssa.DCmp) && c.Uses == 1 && f.folded[c] {
			how := map[ssa.Op]string{ssa.PAnd: ".AND", ssa.POr: ".OR", ssa.PXor: ".XOR"}[v.Op]
			f.compareInto(c, u, c.Args[0], c.Args[1], how, f.condition(v.Args[1-i]))
			return
		}
	}
	n := table(func(a, b, _ bool) bool { return apply(v.Op, a, b) })
	f.emit("PLOP3.LUT", []operand{pred(u), truth}, f.condition(x), f.condition(y), truth, text(fmt.Sprintf("0x%x", n)), text("0x0"))
}
