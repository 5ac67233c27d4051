package machine

import (
	"slices"
	"strings"

	"gpuperf/compile/ssa"
)

// raw is an instruction that the source names: its operands in order, of which one may be a number. The last one of what chooses or compares is a predicate:
// that which always holds for 0, else that which never does.
func (f *function) raw(v *ssa.Value) {
	u := f.result(v)
	d := []operand{reg(u[0])}
	if v.Type == ssa.Pred {
		d = []operand{pred(u[0])}
	}
	var operands []operand
	var pairs, more []unit
	name, upper := strings.CutSuffix(v.Aux, ssa.OfUpper)
	first := true
	float := !begins(v.Aux, "I", "V", "PRMT", "LOP3", "SHF")
	if begins(v.Aux, "HSETP2") {
		d = append(d, operand{kind: literal, text: "PT", unit: none})
	}
	for i, a := range v.Args {
		switch {
		case a.Type == ssa.D || a.Type == ssa.V4:
			w := f.words(a)
			operands, pairs = append(operands, reg(w[0])), append(pairs, w[0])
			more = append(more, w[min(2, len(w)):]...)
		case v.Aux == "LOP3.LUT" && i == 3:
			operands = append(operands, imm(a.Int), operand{kind: predicate, unit: none, minus: true})
		case i == len(v.Args)-1 && begins(v.Aux, "VIMNMX", "VIADDMNMX", "HMNMX2", "HSET"):
			operands = append(operands, operand{kind: predicate, unit: none, minus: a.Int != 0})
		case float:
			var o operand
			o, first = f.signed(a, first && i > 0)
			first = first || i == 0
			operands = append(operands, o)
		default:
			var o operand
			o, first = f.any(a, first && i > 0)
			first = first || i == 0
			operands = append(operands, o)
		}
	}
	if upper {
		operands[0].upper = true
	}
	in := f.emit(name, d, operands...).wide(u[0], v.Type.Words(), pairs...)
	in.uses = append(in.uses, more...)
}

// begins reports whether a name begins in one of some ways.
func begins(name string, with ...string) bool {
	return slices.ContainsFunc(with, func(w string) bool { return strings.HasPrefix(name, w) })
}

// effect are instructions with an effect that the source names. Words behind the mnemonic are operands before the arguments.
func (f *function) effect(v *ssa.Value) {
	name, rest, _ := strings.Cut(v.Aux, " ")
	var results, operands []operand
	for part := range strings.SplitSeq(rest, ",") {
		if part = strings.TrimSpace(part); part == "PT" || part == "RZ" {
			results = append(results, operand{kind: literal, text: part, unit: none})
		} else if part != "" {
			operands = append(operands, text(part))
		}
	}
	words := 0
	var first unit
	if name == "VOTE.ANY" && v.Type == ssa.W {
		results = append(results, reg(f.result(v)[0]), operand{kind: literal, text: "PT", unit: none})
	} else if v.Type != ssa.None {
		u := f.result(v)
		words, first = len(u), u[0]
		o := reg(u[0])
		if v.Type == ssa.Pred {
			o = pred(u[0])
		}
		results = append(results, o)
	}
	for i, a := range v.Args {
		switch {
		case a.Type == ssa.Pred:
			operands = append(operands, f.condition(a))
		case i == 0:
			operands = append(operands, reg(f.word(a)))
		default:
			if a.Op == ssa.Const {
				operands = append(operands, imm(a.Int))
			} else {
				operands = append(operands, reg(f.word(a)))
			}
		}
	}
	in := f.emit(name, results, operands...)
	if words > 0 {
		in.wide(first, words)
	}
	in.fixed = true
	if name == "MEMBAR.SC.GPU" {
		f.emit("CCTL.IVALL", nil).fixed = true
	}
}
