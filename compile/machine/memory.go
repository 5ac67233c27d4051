package machine

import (
	"fmt"
	"strings"

	"gpuperf/compile/ssa"
)

func (f *function) address(a *ssa.Access, args []*ssa.Value, addressed bool) operand {
	o := operand{kind: address, unit: none, value: a.Offset, width: 1}
	if a.Space == ssa.Global || a.Space == ssa.Generic {
		o.width = 2
	}
	if addressed && !(args[0].Op == ssa.Const && args[0].Int == 0) {
		o.unit = f.words(args[0])[0]
	}
	if a.Space == ssa.Constant {
		o.text = fmt.Sprintf("c[0x%x]", variableBank)
	}
	return o
}

var mnemonics = map[ssa.Space][3]string{
	ssa.Global: {"LDG.E", "STG.E", "ATOMG.E"}, ssa.Shared: {"LDS", "STS", "ATOMS"}, ssa.Private: {"LDL", "STL", ""}, ssa.Constant: {"LDC", "", ""},
	ssa.Generic: {"LD.E", "ST.E", "ATOM.E"},
}

// bytesOf is the modifier for the size of an access.
func bytesOf(a *ssa.Access) string {
	switch {
	case a.Bytes == 1 && a.Signed:
		return ".S8"
	case a.Bytes == 1:
		return ".U8"
	case a.Bytes == 2 && a.Signed:
		return ".S16"
	case a.Bytes == 2:
		return ".U16"
	case a.Bytes == 8:
		return ".64"
	case a.Bytes == 16:
		return ".128"
	}
	return ""
}

// guarded gives an instruction the predicate of a value.
func (f *function) guarded(in *instruction, v *ssa.Value) *instruction {
	if v.Guard == nil {
		return in
	}
	p := f.condition(v.Guard)
	if p.unit == none { // it is known
		if p.minus == v.GuardNot {
			return in
		}
		in.guard, in.not = none, true
		return in
	}
	in.guard, in.not = p.unit, p.minus != v.GuardNot
	in.uses = append(in.uses, p.unit)
	return in
}

func (f *function) accessing(in *instruction, v *ssa.Value, o operand) *instruction {
	in.access, in.base = v.Access, o.unit
	return f.guarded(in, v)
}

func (f *function) load(v *ssa.Value) {
	a := v.Access
	u := f.result(v)
	if v.Else != nil {
		if v.Type == ssa.W {
			f.move(u[0], v.Else)
		} else {
			for i, o := range f.halves(v.Else)[:v.Type.Words()] {
				in := f.emit("MOV", []operand{reg(u[i])}, o)
				if o.kind == register && o.unit != none {
					f.copies = append(f.copies, copied{u[i], o.unit, in})
				}
			}
		}
	}
	name := mnemonics[a.Space][0] + bytesOf(a)
	switch {
	case a.Suffix != "":
		name = "LDSM." + a.Suffix
	case a.Space == ssa.Global && a.ReadOnly:
		name += ".CONSTANT"
	case a.Volatile && (a.Space == ssa.Global || a.Space == ssa.Generic):
		name += ".STRONG.SYS"
	}
	o := f.address(a, v.Args, len(v.Args) > 0)
	if a.Space == ssa.Private {
		o = f.onStack(o)
	}
	in := f.accessing(f.emit(name, []operand{reg(u[0])}, o), v, o)
	in.wide(u[0], v.Type.Words())
	if v.Else != nil {
		in.uses = append(in.uses, u...)
	}
}

// onStack is an address in private memory: without another base, of the stack.
func (f *function) onStack(o operand) operand {
	if o.unit == none {
		o.unit = f.stack
	}
	return o
}

func (f *function) store(v *ssa.Value) {
	a := v.Access
	addressed := len(v.Args) > 1
	o := f.address(a, v.Args, addressed)
	if a.Space == ssa.Private {
		o = f.onStack(o)
	}
	value := v.Args[len(v.Args)-1]
	var data []unit
	if value.Op == ssa.Const && value.Int == 0 {
		data = []unit{none}
	} else {
		data = f.words(value)
	}
	name := mnemonics[a.Space][1] + bytesOf(a)
	if a.Bytes < 4 {
		name = strings.Replace(strings.Replace(name, ".S8", ".U8", 1), ".S16", ".U16", 1)
	}
	if a.Volatile && (a.Space == ssa.Global || a.Space == ssa.Generic) {
		name += ".STRONG.SYS"
	}
	in := f.accessing(f.emit(name, nil, o, reg(data[0])), v, o)
	in.uses = append(in.uses, data[1:]...)
}

// atomic selects an atomic operation: without a result where nobody needs it.
func (f *function) atomic(v *ssa.Value) {
	a := v.Access
	o := f.address(a, v.Args, true)
	name := mnemonics[a.Space][2] + "." + a.Suffix
	var data []operand
	var pairs []unit
	for _, x := range v.Args[1:] {
		w := f.words(x)
		data = append(data, reg(w[0]))
		if x.Type == ssa.D {
			pairs = append(pairs, w[0])
		}
	}
	result := operand{kind: literal, text: "RZ", unit: none}
	u := none
	swaps := strings.HasPrefix(a.Suffix, "CAS") || strings.HasPrefix(a.Suffix, "EXCH")
	if v.Uses > 0 || swaps {
		u = f.result(v)[0]
		result = reg(u)
	}
	var in *instruction
	switch {
	case a.Space == ssa.Shared && strings.HasPrefix(a.Suffix, "CAST"):
		in = f.emit(name, []operand{result}, append([]operand{o}, data...)...)
	case a.Space == ssa.Shared && a.Suffix == "ADD" && v.Uses == 0 && v.Args[1].Op == ssa.Const && v.Args[1].Int == 1:
		in = f.emit("ATOMS.POPC.INC.32", []operand{result}, o)
	case a.Space == ssa.Shared:
		in = f.emit(name, []operand{result}, append([]operand{o}, data...)...)
	case v.Uses == 0 && !swaps:
		in = f.emit(strings.Replace(name, mnemonics[a.Space][2], "RED.E", 1)+".STRONG.GPU", nil, append([]operand{o}, data...)...)
	default:
		in = f.emit(name+".STRONG.GPU", []operand{{kind: literal, text: "PT", unit: none}, result}, append([]operand{o}, data...)...)
	}
	in.wide(u, map[bool]int{true: v.Type.Words(), false: 1}[u != none], pairs...)
	f.accessing(in, v, o)
}

// copy selects an asynchronous copy to shared memory.
func (f *function) copy(v *ssa.Value) {
	a := v.Access
	name := "LDGSTS.E"
	if a.Suffix != "" {
		name += "." + a.Suffix
	}
	to := operand{kind: address, unit: f.addressUnit(v.Args[0]), width: 1, value: a.Other}
	from := operand{kind: address, unit: f.addressUnit(v.Args[1]), width: 2, value: a.Offset}
	in := f.guarded(f.emit(name+bytesOf(a), nil, to, from), v)
	in.fixed, in.base = true, from.unit
}

// addressUnit is the unit of an address; none for 0.
func (f *function) addressUnit(v *ssa.Value) unit {
	if v == nil || v.Op == ssa.Const && v.Int == 0 {
		return none
	}
	return f.words(v)[0]
}
