package lower

import (
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/lift"
)

// val is the value of a term during lowering: a view of memory, or of values computed where they are used. An array
// has at, a tuple get, a scalar or vector load. A value in memory also has loc, through which it can be written: a
// val is the destination of a term as well as its result.
type val struct {
	typ *lift.Type
	// space of its memory; Private for values that are not in memory. Values from several spaces count as Global.
	space kernel.Space
	at    func(i index) *val
	get   func(k int) *val
	load  func() expr.Expr
	loc   func() place
	// owners of the elements of private memory that is distributed over work-items, by array dimension; nil for other memory.
	owners []*owner
	bufs   []*buffer // of memory
	guards []guard   // where it may be read and written
	// put writes a pair of an index and a value, where the value at that index is in memory.
	put    func(from *val)
	border bool // for CheckVectors: it is a constant around an array
}

// place is an element of an array, or the first of several of a vector.
type place struct {
	buf    *buffer
	index  index
	guards []guard // where it may be read and written
	lanes  []place // of a vector that is written: the places of its elements, where some may be outside and others not
}

// buffer is an array of the kernel.
type buffer struct {
	name  string
	dtype expr.DType
	space kernel.Space
	size  int64 // elements
	// scalar: a variable, or an argument passed by value.
	scalar, value bool
	perItem       bool // a private array that holds a work-item's part of a larger one
	kind          bufferKind
	depth         int // number of loops around its allocation
}

type bufferKind uint8

const (
	temporary bufferKind = iota
	input
	output
	scratch
)

// owner determines the work-item of a group that holds an element of a dimension: the one along local axis dim to which a
// mapLcl over n elements assigns the element. Each work-item holds slots of them.
type owner struct {
	dim      int
	n, slots int64
}

// lengthOf is the constant length of an array type.
func lengthOf(t *lift.Type) int64 {
	n, ok := t.Len.Const()
	if !ok {
		fail("the length %s is not constant: give the sizes values", t.Len)
	}
	return n
}

// counts are the numbers of scalars that a value of the type has in the array of each of its components; dimensions with
// owners count as their slots.
func counts(t *lift.Type, owners []*owner) []int64 {
	switch t.Kind {
	case lift.ArrayType:
		n := lengthOf(t)
		if len(owners) > 0 {
			if owners[0] != nil {
				n = owners[0].slots
			}
			owners = owners[1:]
		}
		all := counts(t.Elem, owners)
		for i := range all {
			all[i] *= n
		}
		return all
	case lift.TupleType:
		var all []int64
		for _, e := range t.Elems {
			all = append(all, counts(e, owners)...)
		}
		return all
	case lift.VectorType:
		return []int64{int64(t.Width)}
	}
	return []int64{1}
}

// memory is a value of type t that starts at the given elements of the buffers of its components.
func (c *lowering) memory(t *lift.Type, bufs []*buffer, base []index, owners []*owner) *val {
	v := &val{typ: t, space: bufs[0].space, owners: owners, bufs: bufs}
	switch t.Kind {
	case lift.ArrayType:
		rest := owners
		if len(rest) > 0 {
			rest = rest[1:]
		}
		strides := counts(t.Elem, rest)
		v.at = func(i index) *val {
			if len(owners) > 0 && owners[0] != nil {
				i = c.slot(i, owners[0], bufs[0])
			}
			next := make([]index, len(base))
			for k := range base {
				next[k] = c.add(base[k], c.scale(i, strides[k]))
			}
			return c.memory(t.Elem, bufs, next, rest)
		}
	case lift.TupleType:
		v.get = func(k int) *val {
			from := 0
			for _, e := range t.Elems[:k] {
				from += len(lift.Components(e))
			}
			to := from + len(lift.Components(t.Elems[k]))
			return c.memory(t.Elems[k], bufs[from:to], base[from:to], owners)
		}
	default:
		v.loc = func() place { return place{buf: bufs[0], index: base[0]} }
		v.load = func() expr.Expr { return c.access(bufs[0], base[0], lanesOf(t)) }
	}
	return v
}

// lanesOf is the number of lanes of an access: 0 for scalars.
func lanesOf(t *lift.Type) int64 {
	if t.Kind == lift.VectorType {
		return int64(t.Width)
	}
	return 0
}

// access is the expression that reads the elements, or the left side that assigns to them.
func (c *lowering) access(b *buffer, i index, lanes int64) expr.Expr {
	if b.scalar {
		return expr.Var{Name: b.name}
	}
	return &expr.Access{Array: b.name, Index: []expr.Expr{c.final(i)}, Lanes: lanes}
}

// array is a view: at gives its elements.
func array(t *lift.Type, space kernel.Space, at func(i index) *val) *val {
	return &val{typ: t, space: space, at: at}
}

// scalar is a value that is computed where it is used.
func scalar(t *lift.Type, load func() expr.Expr) *val {
	return &val{typ: t, space: kernel.Private, load: load}
}

// common is the space of a result computed from values in several spaces (after Lift's inference of address spaces): private
// ones are ignored, and if the others differ it is Global.
func common(vs ...*val) kernel.Space {
	space := kernel.Private
	for _, v := range vs {
		switch {
		case v.space == kernel.Private || v.space == space:
		case space == kernel.Private:
			space = v.space
		default:
			return kernel.Global
		}
	}
	return space
}

// components loads all scalars and vectors of a value that has no arrays.
func (v *val) components() []expr.Expr {
	var all []expr.Expr
	for _, part := range v.parts() {
		all = append(all, part.load())
	}
	return all
}

// parts are the scalars and vectors of a value that has no arrays.
func (v *val) parts() []*val {
	if v.typ.Kind != lift.TupleType {
		return []*val{v}
	}
	var all []*val
	for k := range v.typ.Elems {
		all = append(all, v.get(k).parts()...)
	}
	return all
}

// mentioned lists the names of variables and arrays in an expression.
func mentioned(e expr.Expr) []string {
	var out []string
	expr.Walk(e, func(e expr.Expr) bool {
		switch x := e.(type) {
		case expr.Var:
			out = append(out, x.Name)
		case *expr.Access:
			out = append(out, x.Array)
		}
		return true
	})
	return out
}

// life is the range of statements of a kernel, by index, in which an array must keep its values.
type life struct{ first, last int }

// reuse lets local arrays of one type share memory if their lives do not overlap and no further barrier is needed, such as the
// alternating buffers of iterate. Barriers are derived from the accesses in any case.
func (c *lowering) reuse(k *kernel.Kernel) {
	lives := map[string]life{}
	firstRead := map[string]int{}
	var order []*kernel.Array
	for i, s := range k.Statements {
		for _, name := range append(mentioned(s.LHS), mentioned(s.RHS)...) {
			a := k.Array(name)
			if a == nil || a.Space != kernel.Local {
				continue
			}
			l, known := lives[name]
			if !known {
				l.first = i
				order = append(order, a)
			}
			l.last = i
			lives[name] = l
			if _, known := firstRead[name]; !known && slices.Contains(mentioned(s.RHS), name) {
				firstRead[name] = i
			}
		}
	}
	if len(order) < 2 {
		return
	}
	starts := map[string]int{}
	for name, l := range lives {
		lives[name] = throughLoops(k, l)
		starts[name] = l.first
	}
	// free reports whether b can be reused for an array that lives at l: after the last use of b, another array was written and
	// then read, so no further barrier is needed.
	free := func(b *kernel.Array, l life) bool {
		return slices.ContainsFunc(order, func(x *kernel.Array) bool {
			at, read := firstRead[x.Name]
			return read && starts[x.Name] > lives[b.Name].last && at < l.first
		})
	}
	size := func(a *kernel.Array) int64 { return a.Shape[0].(expr.Int).Value }
	by := map[string]string{}
	var kept []*kernel.Array
	for _, a := range order {
		l := lives[a.Name]
		i := slices.IndexFunc(kept, func(b *kernel.Array) bool { return b.DType == a.DType && free(b, l) })
		if i < 0 {
			kept = append(kept, a)
			continue
		}
		into := *kept[i]
		if size(a) > size(&into) {
			into.Shape = a.Shape
		}
		kept[i] = &into
		by[a.Name] = into.Name
		lives[into.Name] = life{lives[into.Name].first, l.last}
	}
	if len(by) == 0 {
		return
	}
	for i, a := range k.Temps {
		if j := slices.IndexFunc(kept, func(b *kernel.Array) bool { return b.Name == a.Name }); j >= 0 {
			k.Temps[i] = kept[j]
		}
	}
	k.Temps = slices.DeleteFunc(k.Temps, func(a *kernel.Array) bool { return by[a.Name] != "" })
	rename := func(e expr.Expr) expr.Expr {
		if a, ok := e.(*expr.Access); ok && by[a.Array] != "" {
			b := *a
			b.Array = by[a.Array]
			return &b
		}
		return e
	}
	for i, s := range k.Statements {
		copied := *s
		copied.LHS, copied.RHS = expr.Rewrite(s.LHS, rename), expr.Rewrite(s.RHS, rename)
		k.Statements[i] = &copied
	}
}

// throughLoops extends a life over every sequential loop that contains only some of its statements, because these are executed
// in each iteration.
func throughLoops(k *kernel.Kernel, l life) life {
	for changed := true; changed; {
		changed = false
		for _, iname := range k.Inames() {
			first, last := -1, -1
			for i, s := range k.Statements {
				if slices.Contains(s.Inames, iname) {
					if first < 0 {
						first = i
					}
					last = i
				}
			}
			inside := first <= l.first && l.last <= last
			if first < 0 || k.Tags[iname].Parallel() || inside || last < l.first || first > l.last {
				continue
			}
			if next := (life{min(l.first, first), max(l.last, last)}); next != l {
				l, changed = next, true
			}
		}
	}
	return l
}
