package lower

import (
	"gpuperf/internal/lists"
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
		return lists.Flat(t.Elems, func(e *lift.Type) []int64 { return counts(e, owners) })
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
			from := lists.Sum(t.Elems[:k], func(e *lift.Type) int { return len(lift.Components(e)) })
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
	return lists.Map(v.parts(), func(part *val) expr.Expr { return part.load() })
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
