package lower

import (
	"cmp"
	"maps"
	"slices"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

// key is a part of a variable, by its offset in bytes.
type key struct {
	v  *cfront.Var
	at int64
}

// slot is what a part of a variable holds: a number of a type, or a pointer.
type slot struct {
	x *ssa.Value
	t expr.DType
	p *pointer
}

// pointer is an address: of memory, or of a part of a variable whose parts are values.
type pointer struct {
	space    ssa.Space
	base     *ssa.Value // nil is 0
	off      int64
	object   any
	readOnly bool
	volatile bool
	v        *cfront.Var // of values: space is NoSpace
}

// shift is a pointer some bytes further on.
func (p *pointer) shift(bytes int64) *pointer {
	q := *p
	q.off += bytes
	return &q
}

// place is an object in memory or among the variables.
type place struct {
	p    *pointer
	t    expr.DType // of a number or a vector; of the elements of an array, or of what a pointer points to
	rec  *cfront.Record
	dims []int64 // of an array
	ptr  bool    // it holds a pointer
	of   []int64 // of a pointer to arrays, their extents
	// lanes are those of the vector at p that are meant; nil is all.
	lanes []int
}

// know numbers a variable, so that the order of what is made for variables is always the same.
func (l *lowering) know(v *cfront.Var) {
	if _, ok := l.serial[v]; !ok {
		l.serial[v] = len(l.serial)
	}
}

// leaves are the numbers and pointers in a record, with their offsets.
func leaves(r *cfront.Record, at int64) (all []cfront.Field) {
	for _, f := range r.Fields {
		n := f.Elements()
		size := f.DType.Size()
		switch {
		case f.Pointer:
			size = 8
		case f.Record != nil:
			size = f.Record.Size
		}
		for i := range n {
			where := at + f.Offset + i*size
			switch {
			case f.Pointer || f.Record == nil && !f.DType.IsVector():
				all = append(all, cfront.Field{Offset: where, DType: f.DType, Pointer: f.Pointer, Record: f.Record})
			case f.Record == nil:
				base := f.DType.Base()
				for lane := range f.DType.Lanes() {
					all = append(all, cfront.Field{Offset: where + lane*base.Size(), DType: base})
				}
			default:
				all = append(all, leaves(f.Record, where)...)
			}
		}
	}
	return all
}

// parameterWord is a number among the parameters.
func (l *lowering) parameterWord(t expr.DType, at int64) *ssa.Value {
	switch t.Size() {
	case 8:
		return l.MakeInt(ssa.Param, ssa.D, at)
	case 4:
		return l.MakeInt(ssa.Param, ssa.W, at)
	}
	x := l.MakeInt(ssa.Param, ssa.W, at&^3)
	if s := 8 * (at & 3); s > 0 {
		x = l.Make(ssa.ShrU, ssa.W, x, l.Const(s))
	}
	return l.narrow(x, t)
}

// extents are those of an array.
func (l *lowering) extents(v *cfront.Var) []int64 {
	if d, ok := l.arrays[v]; ok {
		return d
	}
	var dims []int64
	for i, e := range v.Dims {
		n := int64(0)
		if e != nil {
			c, ok := l.constant(e)
			if !ok && !(i == 0 && v.Pointer) {
				l.fail(v.Pos, "the array %s has an extent that is not constant", v.Name)
			}
			n = c
		}
		dims = append(dims, n)
	}
	l.arrays[v] = dims
	return dims
}

func product(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

// sizeOf is the bytes of an element of a place.
func sizeOf(t expr.DType, rec *cfront.Record, ptr bool) int64 {
	switch {
	case ptr:
		return 8
	case rec != nil && t == "":
		return rec.Size
	}
	return t.Size()
}

func (l *lowering) variable(at cfront.Pos, v *cfront.Var) place {
	if of, ok := l.names[v]; ok {
		return of
	}
	out := place{t: v.DType, rec: v.Record}
	if v.Pointer {
		out.ptr = true
		if len(v.Dims) > 1 {
			out.of = l.extents(v)[1:]
		}
	} else if len(v.Dims) > 0 {
		out.dims = l.extents(v)
	}
	if v.DType != "" {
		out.rec = nil
	}
	size := sizeOf(out.t, out.rec, out.ptr) * product(out.dims)
	switch {
	case v.Class == cfront.Global && v.Space == cfront.ConstantSpace, v.Class == cfront.Global && v.Const:
		out.p = &pointer{space: ssa.Constant, off: l.inBank(at, v, size), object: v, readOnly: true}
	case v.Space == cfront.LocalSpace && !v.Pointer && v.Class != cfront.Param:
		out.p = &pointer{space: ssa.Shared, off: l.inShared(v, size, sizeOf(v.DType, v.Record, false)), object: v}
	case v.Class == cfront.Global:
		out.p = &pointer{space: ssa.Global, base: l.globalAt(at, v, size), object: v}
	case l.learnt.memory[v]:
		out.p = &pointer{space: ssa.Private, base: l.MakeAux(ssa.Special, ssa.W, "stack"), off: l.onStack(v, size), object: v}
	default:
		out.p = &pointer{v: v}
		l.know(v)
	}
	return out
}

const wholeWords = 16 // bytes to which shared arrays are aligned, as compilers do

func (l *lowering) inShared(v *cfront.Var, size, element int64) int64 {
	if at, ok := l.shared[v]; ok {
		return at
	}
	if v.Dynamic {
		l.dynamic = true
		return l.learnt.fixed
	}
	at := l.sharedEnd(min(max(element, 4), wholeWords))
	l.shared[v] = at
	l.Shared = at + size
	return at
}

func (l *lowering) sharedEnd(align int64) int64 {
	align = max(align, 1)
	return (l.Shared + align - 1) / align * align
}

func (l *lowering) onStack(v *cfront.Var, size int64) int64 {
	if at, ok := l.stack[v]; ok {
		return at
	}
	at := (l.Stack + 15) / 16 * 16
	l.stack[v] = at
	l.Stack = at + size
	return at
}

// inBank is where a variable of constant memory lies.
func (l *lowering) inBank(at cfront.Pos, v *cfront.Var, size int64) int64 {
	if where, ok := l.held[v]; ok {
		return where
	}
	end := int64(0)
	for _, h := range l.Held {
		end = max(end, h.At+h.Bytes)
	}
	where := (end + 15) / 16 * 16
	l.held[v] = where
	data, err := l.initial(v, size)
	if err != nil {
		l.fail(at, "%v", err)
	}
	l.Held = append(l.Held, ssa.Held{Name: v.Name, At: where, Bytes: size, Data: data})
	return where
}

// globalAt is the address of a variable in global memory.
func (l *lowering) globalAt(at cfront.Pos, v *cfront.Var, size int64) *ssa.Value {
	where, ok := l.held[v]
	if !ok {
		where = 8 * int64(len(l.Global))
		l.held[v] = where
		data, err := l.initial(v, size)
		if err != nil {
			l.fail(at, "%v", err)
		}
		if data == nil {
			data = make([]byte, size)
		}
		l.Global = append(l.Global, ssa.Held{Name: v.Name, At: where, Bytes: size, Data: data})
	}
	return l.bank(where)
}

// snapshot is what variables hold at the end of a block.
type snapshot struct {
	block *ssa.Block
	env   map[key]slot
}

// keys are those of an environment in a fixed order.
func (l *lowering) keys(env map[key]slot) []key {
	all := make([]key, 0, len(env))
	for k := range env {
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b key) int { return cmp.Or(cmp.Compare(l.serial[a.v], l.serial[b.v]), cmp.Compare(a.at, b.at)) })
	return all
}

// merge goes on in a block that control comes to from several others.
func (l *lowering) merge(block *ssa.Block, from []snapshot) {
	if len(from) == 0 {
		l.dead = true
		return
	}
	l.dead = false
	l.Begin(block)
	block.Loop = l.loop
	l.env = from[0].env
	if len(from) == 1 {
		return
	}
	all := map[key]slot{}
	for _, s := range from {
		maps.Copy(all, s.env)
	}
	l.env = map[key]slot{}
	for _, k := range l.keys(all) {
		if s, ok := l.merged(block, from, k); ok {
			l.env[k] = s
		}
	}
}

// merged is what a part of a variable holds in a block that control comes to from several others. Where it was written on some ways only, it holds
// anything on the others.
func (l *lowering) merged(block *ssa.Block, from []snapshot, k key) (slot, bool) {
	if l.reshaped[k.v] && !shaped(k, from) {
		l.inMemory(k.v)
	}
	var first slot
	same, numbers := true, true
	args := make([]*ssa.Value, len(from))
	for i, s := range from {
		one, ok := s.env[k]
		if !ok {
			same = false
			continue
		}
		if first.x == nil && first.p == nil {
			first = one
		}
		same = same && alike(first, one)
		numbers = numbers && one.p == nil && (first.x == nil || first.x.Type == one.x.Type)
		args[i] = one.x
	}
	switch {
	case same:
		return first, true
	case first.p != nil && !numbers:
		p := l.mergePointers(block, from, k)
		return slot{p: p, t: first.t}, p != nil
	case !numbers:
		return slot{}, false
	}
	for i, a := range args {
		if a == nil {
			args[i] = l.Undefined(first.x.Type)
		}
	}
	return slot{x: l.Phi(first.x.Type, block, args...), t: first.t}, true
}

func alike(a, b slot) bool {
	if a.p == nil || b.p == nil {
		return a.x == b.x && a.p == b.p
	}
	return a.p == b.p || *a.p == *b.p
}

// mergePointers is a pointer that comes from several blocks; nil where they are of different kinds.
func (l *lowering) mergePointers(block *ssa.Block, from []snapshot, k key) *pointer {
	if from[0].env[k].p == nil {
		return nil
	}
	first := *from[0].env[k].p
	var args []*ssa.Value
	space := first.space
	for _, s := range from {
		switch p := s.env[k].p; {
		case p == nil:
			return nil
		case p.space == ssa.NoSpace || p.space == ssa.Private || p.space == ssa.Constant:
			if p.space != space {
				return nil
			}
		case p.space != space:
			space = ssa.Generic
		}
	}
	if space == ssa.NoSpace {
		return nil
	}
	first.space = space
	for _, s := range from {
		p := s.env[k].p
		if p.object != first.object {
			first.object = nil
		}
		first.readOnly = first.readOnly && p.readOnly
		args = append(args, l.addressIn(s.block, p, space))
	}
	first.off, first.base = 0, l.Phi(args[0].Type, block, args...)
	return &first
}

// addressAt is the value of a pointer, computed at the end of a block.
func (l *lowering) addressAt(block *ssa.Block, p *pointer) *ssa.Value {
	return l.addressIn(block, p, p.space)
}

// addressIn is addressAt, as an address of a space, which may be that of all.
func (l *lowering) addressIn(block *ssa.Block, p *pointer, space ssa.Space) *ssa.Value {
	here := l.Block
	l.Block = block
	l.Open()
	x := l.address(p)
	if space == ssa.Generic && p.space == ssa.Shared {
		x = l.Make(ssa.Pack, ssa.D, x, l.MakeAux(ssa.Special, ssa.W, "SR_SWINHI"))
	}
	l.Close()
	l.Block = here
	return x
}

func (l *lowering) address(p *pointer) *ssa.Value {
	if p.space == ssa.Global || p.space == ssa.Generic {
		base := p.base
		if base == nil {
			base = l.Const64(0)
		}
		return l.Make(ssa.Add, ssa.D, base, l.Const64(p.off))
	}
	base := p.base
	if base == nil {
		base = l.Const(0)
	}
	return l.Make(ssa.Add, ssa.W, base, l.Const(p.off))
}
