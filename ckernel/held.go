package ckernel

import (
	"gpuperf/cfront"
	"gpuperf/kernel/expr"
)

// An integer may hold an address: (uintptr_t)p, __cvta_generic_to_shared(p), what is made of these by bytes, and what functions are passed or return. It is followed
// as pointers are, and is one again where it is converted. Arrays are taken to begin where all that is asked for is aligned, up to maxAligned bytes.

// maxAligned is the alignment of memory that the runtime allocates (CUDA C++ Programming Guide, 6.2.1).
const maxAligned = 256

// mayHold reports whether a variable can hold an address as an integer.
func (b *bindings) mayHold(v *builderVar) bool {
	return len(v.Dims) == 0 && !v.Pointer && v.Record == nil && v.DType.IsInteger() && !v.DType.IsVector() && v.DType.Size() >= 4 && !b.inMemory(v)
}

// holdsAddress reports whether the value of an integer is an address.
func (b *builder) holdsAddress(e cfront.Expr) bool {
	if t := e.Type(); !t.IsInteger() || t.IsVector() || t.Size() < 4 {
		return false
	}
	switch x := e.(type) {
	case *cfront.Ref:
		return b.mayHold(x.Var) && b.env[x.Var].at != nil
	case *cfront.Cast:
		return b.isAddress(x.X) && !isNull(x.X) || b.holdsAddress(x.X)
	case *cfront.Call:
		return b.file.Function(x.Func) != nil && b.called(x).at != nil
	case *cfront.Binary:
		switch x.Op {
		case "-":
			return b.holdsAddress(x.X) && !b.holdsAddress(x.Y)
		case "+", "^", "|":
			return b.holdsAddress(x.X) != b.holdsAddress(x.Y)
		}
	}
	return false
}

// heldAddress reads an address that an integer holds; nil for others.
func (b *builder) heldAddress(e cfront.Expr) *address {
	if !b.holdsAddress(e) {
		return nil
	}
	switch x := e.(type) {
	case *cfront.Ref:
		return b.env[x.Var].at
	case *cfront.Cast:
		return b.addressOf(x.X)
	case *cfront.Binary:
		p, s := x.X, x.Y
		if !b.holdsAddress(p) {
			p, s = s, p
		}
		at := b.addressOf(p)
		if at.array == nil {
			return nil
		}
		unit := at.array.base.Size()
		if x.Op == "^" || x.Op == "|" {
			op := map[string]expr.OpKind{"^": expr.BitXor, "|": expr.BitOr}[x.Op]
			bytes := expr.Binary(op, b.express(at.offset.Scale(unit)), b.freeValue(s))
			return &address{array: at.array, offset: b.opaque(b.free(expr.Binary(expr.FloorDiv, bytes, expr.Int{Value: unit})))}
		}
		sign := map[string]int64{"+": 1, "-": -1}[x.Op]
		bytes := b.subscript(s).Scale(sign)
		if elements, ok := inUnits(bytes, unit); ok {
			return &address{array: at.array, offset: at.offset.Add(elements)}
		}
		b.unit(x.Pos, at.array, 1)
		return &address{array: at.array, offset: at.offset.Add(bytes)}
	}
	return nil
}

// misaligned is what an address has beyond a multiple of a power of two; ok is false where that is not known.
func (b *builder) misaligned(x *cfront.Binary) (n int64, ok bool) {
	least, is := x.Y.(*cfront.Int)
	if !is || !b.holdsAddress(x.X) {
		return 0, false
	}
	multiple := least.Value
	if x.Op == "&" {
		multiple++
	}
	if x.Op != "&" && x.Op != "%" || multiple <= 0 || multiple > maxAligned || multiple&(multiple-1) != 0 {
		return 0, false
	}
	at := b.addressOf(x.X)
	if at.array == nil {
		return 0, false
	}
	bytes := at.offset.Scale(at.array.base.Size())
	if c, constant := bytes.Constant(); constant {
		return c & (multiple - 1), true
	}
	_, ok = inUnits(bytes, multiple)
	return 0, ok
}

// inUnits is a number by another one that divides all of its terms.
func inUnits(p *expr.Poly, by int64) (out *expr.Poly, ok bool) {
	out = constant(0)
	for coeff, vars := range p.All() {
		if !coeff.IsInt64() || coeff.Int64()%by != 0 {
			return nil, false
		}
		term := constant(coeff.Int64() / by)
		for _, v := range vars {
			term = term.Mul(name(v))
		}
		out = out.Add(term)
	}
	return out, true
}
