package ckernel

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/internal/intmath"
	"gpuperf/kernel/expr"
)

// take is the expression that stands for an access to a place.
func (b *builder) take(at cfront.Pos, p place) expr.Expr {
	if p.elem == "" {
		b.failAt(at, "take a member of it", "%s is a record, and no number", p.array.name)
	}
	as := p.elem.Base()
	if as == expr.Bool {
		as = expr.Uint8
	}
	if as == p.array.base {
		as = ""
	}
	x := b.access(at, p.array, p.offset, p.lanes, p.subs).(*expr.Access)
	if x.As = as; as != "" {
		b.accesses[len(b.accesses)-1].span = max(p.lanes, 1) * as.Size() / p.array.base.Size()
	}
	return x
}

// at is a place of a type in an array, an offset of which is in elements of that.
func (b *builder) placeAt(at cfront.Pos, a *array, offset *expr.Poly, t expr.DType) place {
	b.unit(at, a, t.Base().Size())
	return place{array: a, offset: offset, elem: t, lanes: t.Lanes()}
}

// unit sees to it that the elements of an array are no larger than a number of bytes that is accessed: if they are, it is read again with smaller ones.
func (b *bindings) unit(at cfront.Pos, a *array, bytes int64) {
	if bytes <= 0 || bytes%a.base.Size() == 0 {
		return
	}
	if a.v.Class == cfront.Local && a.space == cfront.PrivateSpace && a.v.Record == nil && len(a.v.Dims) == 0 && !b.learnt.parted[a.v] {
		b.failAt(at, "", "a part of %s is accessed, which is no array", a.v.Name)
	}
	if b.trial > 0 {
		b.failAt(at, "", "%s holds %s, and is accessed by less", a.name, a.base)
	}
	b.learnt.units[a.v] = bytes
	panic(again{})
}

// size is how many elements of an array something takes that an expression is, or points to.
func (b *bindings) size(e cfront.Expr, a *array) int64 {
	bytes := int64(0)
	switch r := e.Record(); {
	case r != nil && r.Unknown != "":
		b.fail(e, "", "the layout of %s is not known: %s", r.Name, r.Unknown)
	case r != nil:
		bytes = r.Size
	case e.PointsTo() != "":
		bytes = e.PointsTo().Distance()
	default:
		bytes = e.Type().Distance()
	}
	if bytes == 0 {
		b.fail(e, "", "the size of what this points to is not known")
	}
	b.unit(e.Place(), a, bytes)
	return bytes / a.base.Size()
}

// elementsOf are the type of the elements of an array in the kernel, and how many make one of the text.
func (b *builder) elementsOf(at cfront.Expr, v *builderVar) (base expr.DType, lanes int64) {
	bytes := v.DType.Distance()
	switch r := v.Record; {
	case r != nil && r.Unknown != "":
		b.fail(at, "", "the layout of %s is not known: %s", r.Name, r.Unknown)
	case r != nil:
		base, bytes = unitOf(r), r.Size
	case v.DType == expr.Bool:
		base = expr.Uint8
	case v.DType.Known():
		base = v.DType.Base()
	case strings.HasSuffix(v.TypeName, "*"): // pointers
		base, bytes = expr.Uint64, pointerBytes
	case isVoid(v):
		base, bytes = expr.Uint8, 1
		if t := b.learnt.voids[v]; t != nil && t.Record() != nil && t.Record().Unknown == "" {
			base, bytes = unitOf(t.Record()), t.Record().Size
		} else if t != nil && t.PointsTo().Known() && t.PointsTo() != expr.Bool {
			base, bytes = t.PointsTo().Base(), t.PointsTo().Distance()
		}
	default:
		b.fail(at, "numbers, vectors of 2, 4, 8 or 16 of them and records have a place", "%s is no array of numbers or records", v.Name)
	}
	if unit := b.learnt.units[v]; unit > 0 && unit < base.Size() {
		base = expr.DType(fmt.Sprintf("uint%d", 8*unit))
	}
	return base, bytes / base.Size()
}

// isVoid reports whether a variable is a pointer to void: what it points to is what the text first makes of it.
func isVoid(v *builderVar) bool {
	return v.Pointer && v.DType == "" && v.Record == nil && v.TypeName == "void"
}

// unitOf is the type of the elements of arrays of a record: the smallest of its numbers, or so many bytes as divide all.
func unitOf(r *cfront.Record) expr.DType {
	unit, types := r.Size, map[expr.DType]bool{}
	var visit func(r *cfront.Record, at int64)
	visit = func(r *cfront.Record, at int64) {
		for _, f := range r.Fields {
			switch {
			case f.Record != nil && !f.Pointer:
				visit(f.Record, at+f.Offset)
			case f.Pointer:
				unit = intmath.GCD(unit, 8)
			default:
				t := f.DType.Base()
				if t == expr.Bool {
					t = expr.Uint8
				}
				types[t] = true
				unit = intmath.GCD(unit, t.Size())
			}
			unit = intmath.GCD(unit, at+f.Offset)
		}
	}
	visit(r, 0)
	for unit&(unit-1) != 0 || unit > 8 {
		unit = 1 << min(bits.TrailingZeros64(uint64(unit)), 3)
	}
	for _, t := range []expr.DType{expr.Float32, expr.Float64, expr.Float16, expr.Int32, expr.Uint32, expr.Int64, expr.Uint64, expr.Int16, expr.Int8} {
		if types[t] && t.Size() == unit {
			return t
		}
	}
	return expr.DType(fmt.Sprintf("uint%d", 8*unit))
}

// settled is a number whose part that depends on data is kept in a temporary.
func (b *position) settled(pos cfront.Pos, base string, n *expr.Poly) *expr.Poly {
	if !b.isData(n) {
		return n
	}
	known, rest := constant(0), constant(0)
	for c, vars := range n.All() {
		if one := expr.Term(c.Int64(), vars); b.isData(one) {
			rest = rest.Add(one)
		} else {
			known = known.Add(one)
		}
	}
	temp := b.scratch(base, expr.Int32)
	b.assignTemp(pos, temp, b.free(b.express(rest)))
	return known.Add(name(temp))
}

// pin reads the subscripts of an element, or of the element whose lanes these are, once for all reads and writes of it up to unpin.
func (b *builder) pin(e cfront.Expr) (unpin func()) {
	for {
		if lane, ok := e.(*cfront.Lane); ok {
			e = lane.X
		} else if part, ok := e.(*cfront.Member); ok {
			e = part.X
		} else {
			break
		}
	}
	x, ok := e.(*cfront.Index)
	if _, done := b.pinned[x]; !ok || done || b.aliased(x) != nil {
		return func() {}
	}
	p := b.readOnce(x.Pos, b.element(x))
	b.pinned[x] = p
	return func() { delete(b.pinned, x) }
}

// readOnce is an element whose subscripts are read here, however often it is then read and written.
func (b *position) readOnce(pos cfront.Pos, p place) place {
	once := func(n *expr.Poly) *expr.Poly {
		if !b.loads(n) {
			return n
		}
		return b.settled(pos, "at", n)
	}
	subs := make([]*expr.Poly, len(p.subs))
	for i, n := range p.subs {
		subs[i] = once(n)
	}
	if len(subs) > 0 && slices.ContainsFunc(p.subs, b.loads) {
		p.subs, p.offset = subs, p.array.flat(subs)
	} else {
		p.offset = once(p.offset)
	}
	return p
}

// loads reports whether a number is made by more than variables.
func (b *terms) loads(n *expr.Poly) bool {
	return slices.ContainsFunc(n.Params(), func(n string) bool {
		a := b.atoms[n]
		return a != nil && a.data
	})
}

// flat is the offset of an element with as many subscripts as its array has dimensions.
func (a *array) flat(subs []*expr.Poly) *expr.Poly {
	offset := subs[0]
	for i, n := range a.inner {
		offset = offset.Mul(n).Add(subs[i+1])
	}
	return offset.Scale(a.lanes)
}

// settleAddress keeps the part of a pointer that depends on data in a temporary, so that it is computed once.
func (b *bindings) settleAddress(pos cfront.Pos, v *builderVar) {
	at := b.env[v].at
	if at == nil || at.array == nil {
		return
	}
	if b.learnt.moving[v] {
		b.move(pos, v, at)
		return
	}
	b.env[v] = value{at: &address{array: at.array, offset: b.settled(pos, v.Name+"_offset", at.offset)}}
}

// Members of a union that have one type are one variable. A variable with members of several types in one place is private memory, whose members are
// accesses of their types, as those of records in memory are.

// distinct are the members of a record, each place and type once.
func distinct(r *cfront.Record) (out []cfront.Field) {
	for _, f := range r.Fields {
		if !slices.ContainsFunc(out, func(o cfront.Field) bool { return samePlace(f, o) }) {
			out = append(out, f)
		}
	}
	return out
}

func samePlace(f, o cfront.Field) bool {
	return f.Offset == o.Offset && f.Type == o.Type && slices.Equal(f.Dims, o.Dims)
}

// overlaps reports whether members of a record of several types are in one place, or those of a record in it.
func overlaps(r *cfront.Record) bool {
	if !r.Union {
		return false
	}
	list := distinct(r)
	for i, f := range list {
		for _, o := range list[:i] {
			if f.Offset < o.Offset+bytesIn(o) && o.Offset < f.Offset+bytesIn(f) {
				return true
			}
		}
	}
	return false
}

// bytesIn is the size of a member.
func bytesIn(f cfront.Field) int64 {
	switch {
	case f.Pointer:
		return pointerBytes * f.Elements()
	case f.Record != nil:
		return f.Record.Size * f.Elements()
	}
	return f.DType.Distance() * f.Elements()
}

// covering are members by which a record is copied: of those in one place the largest, and of these the one with the fewest elements, as compilers copy
// by words that are as long as the alignment allows.
func covering(r *cfront.Record) (out []cfront.Field) {
	list := distinct(r)
	slices.SortStableFunc(list, func(f, o cfront.Field) int {
		switch {
		case f.Offset != o.Offset:
			return int(f.Offset - o.Offset)
		case bytesIn(f) != bytesIn(o):
			return int(bytesIn(o) - bytesIn(f))
		}
		return int(f.Elements() - o.Elements())
	})
	end := int64(0)
	for _, f := range list {
		if f.Offset >= end {
			out = append(out, f)
			end = f.Offset + bytesIn(f)
		}
	}
	return out
}

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

// addressOf reads a pointer, or an integer that holds an address.
func (b *builder) addressOf(e cfront.Expr) *address {
	if at := b.heldAddress(e); at != nil {
		return at
	}
	return b.pointerOf(e)
}
