package machine

import (
	"fmt"
	"slices"

	"gpuperf/compile/ssa"
)

// What decides where constants are loaded from, and is the same in all work-items of a sub-group, is computed once for the sub-group, as NVIDIA's compiler
// has it from sm_75 on: indices of constant memory, and what is loaded there, which instructions take as an operand.
type uniform struct {
	values map[*ssa.Value]bool // indices that are computed once
	loads  map[*ssa.Value]bool // of constant memory at such indices
	vector map[*ssa.Value]bool // of values: those that are needed in each work-item as well
	units  map[*ssa.Value]unit
}

// once finds what is computed once for a sub-group.
func (f *function) once() {
	u := &uniform{map[*ssa.Value]bool{}, map[*ssa.Value]bool{}, map[*ssa.Value]bool{}, map[*ssa.Value]unit{}}
	f.uniform = u
	different := ssa.Different(f.Func)
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op != ssa.Load || v.Access.Space != ssa.Constant || v.Type != ssa.W || v.Access.Bytes != 4 || len(v.Args) == 0 || v.Guard != nil {
				continue
			}
			slice := map[*ssa.Value]bool{}
			if !different[v.Args[0]] && isIndex(v.Args[0], slice) {
				u.loads[v] = true
				for x := range slice {
					u.values[x] = true
				}
			}
		}
	}
	var need func(v *ssa.Value)
	need = func(v *ssa.Value) {
		if u.values[v] && !u.vector[v] {
			u.vector[v] = true
			for _, a := range v.Args {
				need(a)
			}
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if !u.values[v] && !u.loads[v] {
				v.Reads(func(p **ssa.Value) { need(*p) })
			}
		}
		if b.Cond != nil {
			need(b.Cond)
		}
	}
}

// isIndex reports whether a word follows by sums and shifts from numbers, parameters and counters; slice gets all that it follows from.
func isIndex(v *ssa.Value, slice map[*ssa.Value]bool) bool {
	if slice[v] || v.Op == ssa.Const || v.Op == ssa.Param {
		return true
	}
	if v.Type != ssa.W {
		return false
	}
	switch v.Op {
	case ssa.Phi, ssa.Add, ssa.Sub, ssa.Mul:
	case ssa.Shl:
		if v.Args[1].Op != ssa.Const {
			return false
		}
	default:
		return false
	}
	slice[v] = true
	return !slices.ContainsFunc(v.Args, func(a *ssa.Value) bool { return !isIndex(a, slice) })
}

func (f *function) newUniform() unit {
	u := f.newUnits(1)[0]
	f.class[u] = classUniform
	return u
}

// onceUnit is the unit of a value that is computed once.
func (f *function) onceUnit(v *ssa.Value) unit {
	if u, ok := f.uniform.units[v]; ok {
		return u
	}
	u := f.newUniform()
	f.uniform.units[v] = u
	return u
}

// onceOperand is a value that is computed once as an operand; parameters are loaded.
func (f *function) onceOperand(v *ssa.Value) operand {
	switch v.Op {
	case ssa.Const:
		if v.Int == 0 {
			return text("URZ")
		}
		return imm(v.Int)
	case ssa.Param:
		u := f.newUniform()
		f.emit("ULDC", []operand{reg(u)}, banked(parameterBank, v.Int))
		return reg(u)
	}
	return reg(f.onceUnit(v))
}

// onceRegister is onceOperand in a register.
func (f *function) onceRegister(v *ssa.Value) operand {
	o := f.onceOperand(v)
	if o.kind == number {
		u := f.newUniform()
		f.emit("UMOV", []operand{reg(u)}, o)
		return reg(u)
	}
	return o
}

// valueOnce selects the instructions of a value that is computed once.
func (f *function) valueOnce(v *ssa.Value) {
	d := []operand{reg(f.onceUnit(v))}
	if f.uniform.loads[v] {
		a := f.onceOperand(v.Args[0])
		if a.kind == number {
			f.emit("ULDC", d, banked(variableBank, v.Access.Offset+a.value))
			return
		}
		if a.kind == literal {
			f.emit("ULDC", d, banked(variableBank, v.Access.Offset))
			return
		}
		f.emit("ULDC", d, operand{kind: address, unit: a.unit, width: 1, value: v.Access.Offset, text: fmt.Sprintf("c[0x%x]", variableBank)})
		return
	}
	x, y := v.Args[0], v.Args[1]
	switch v.Op {
	case ssa.Add:
		f.emit("UIADD3", d, f.onceRegister(x), f.onceOperand(y), text("URZ"))
	case ssa.Sub:
		b := f.onceRegister(y)
		b.minus = b.kind == register
		f.emit("UIADD3", d, f.onceRegister(x), b, text("URZ"))
	case ssa.Mul:
		f.emit("UIMAD", d, f.onceRegister(x), f.onceOperand(y), text("URZ"))
	case ssa.Shl:
		f.emit("USHF.L.U32", d, f.onceRegister(x), imm(y.Int), text("URZ"))
	}
}

// longNumbers puts numbers of 64 bits into uniform registers right before the instructions that read them, as NVIDIA's compiler does outside of loops.
func (f *function) longNumbers(c *code) {
	list := c.list
	f.now = &code{}
	for _, in := range list {
		for i := range in.operands {
			o := &in.operands[i]
			if o.kind != long {
				continue
			}
			u := f.newUnits(2)
			f.class[u[0]], f.class[u[1]] = classUniform, classUniform
			f.line = in.line
			f.emit("UMOV", []operand{reg(u[0])}, imm(o.value))
			f.emit("UMOV", []operand{reg(u[1])}, imm(o.value>>32))
			*o = reg(u[0])
			in.uses = append(in.uses, u...)
		}
		f.now.list = append(f.now.list, in)
	}
	c.list = f.now.list
}
