package lower

import (
	"slices"

	"gpuperf/internal/intmath"
	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/lift"
	"gpuperf/polycount"
)

// maxPrivate is the number of scalars up to which the result of a sequential pattern that names no memory is kept in
// private memory.
const maxPrivate = 256

// spaceNames are the prefixes of the names of arrays.
var spaceNames = map[kernel.Space]string{kernel.Private: "p", kernel.Local: "tile", kernel.Global: "tmp"}

// allocate makes memory for a value of the type at the current place. Private memory is a work-item's own. Local memory
// belongs to the group: within mapLcl every work-item gets a part of it. Global scratch has a part for every iteration of
// the parallel loops around. Sequential loops use the same memory in every iteration.
func (c *lowering) allocate(space kernel.Space, t *lift.Type, owners []*owner) *val {
	copies, at := int64(1), constant(0)
	part := func(n int64, name string) {
		if n > 1 {
			copies *= n
			at = c.add(c.scale(at, n), c.affine(polycount.Name(name)))
		}
	}
	for _, l := range c.loops {
		switch {
		case space == kernel.Local && l.op == lift.MapLcl:
			part(l.lids, l.lidVar)
		case space == kernel.Global && lift.ParallelMaps.Has(l.op):
			part(l.n, l.v)
		}
	}
	if space == kernel.Local && !c.inGroup() {
		fail("toLocal must be inside mapWrg: there is no group to share the memory")
	}
	parts := lift.Components(t)
	sizes := counts(t, owners)
	var bufs []*buffer
	base := make([]index, len(parts))
	for k, leaf := range parts {
		b := &buffer{name: c.fresh(spaceNames[space]), dtype: leaf.DType, space: space, size: copies * sizes[k], depth: len(c.loops)}
		if space == kernel.Global {
			b.kind = scratch
		}
		b.scalar = space == kernel.Private && b.size == 1 && leaf.Kind == lift.ScalarType
		b.perItem = slices.ContainsFunc(owners, func(o *owner) bool { return o != nil })
		bufs, base[k] = append(bufs, b), c.scale(at, sizes[k])
	}
	c.bufs = append(c.bufs, bufs...)
	return c.memory(t, bufs, base, owners)
}

// ownersOf lists the owners of the dimensions of a term's value that are distributed over the work-items of a group: those of
// the mapLcls at the top of the term.
func (c *lowering) ownersOf(t *lift.Term) []*owner {
	var out []*owner
	shared := false
	for {
		switch {
		case t.Op == lift.MapLcl:
			n := lengthOf(t.Arg().Type)
			out = append(out, &owner{t.Ints[0], n, intmath.CeilDiv(n, c.opt.Local[t.Ints[0]])})
			shared = true
		case t.Op == lift.MapSeq || t.Op == lift.MapSeqUnroll:
			out = append(out, nil)
		case lift.Moves.Has(t.Op):
			t = t.Arg()
			continue
		case t.Op == lift.Let:
			t = t.Fn().Body()
			continue
		case t.Op == lift.At && lift.Reductions.Has(t.Arg().Op) && t.Arg().Fn().Op == lift.Lambda:
			t = t.Arg().Fn().Body() // the accumulator is what the function computes
			continue
		default:
			if !shared {
				return nil
			}
			return out
		}
		t = t.Fn().Body()
	}
}

// spaceOf is the space of the result of a map that does not name one: global memory for loops over all work-items, the space
// of the operand for those of a group, and private memory for a work-item's own loops.
func (c *lowering) spaceOf(t *lift.Term, from kernel.Space) kernel.Space {
	switch t.Op {
	case lift.MapGlb, lift.MapWrg:
		return kernel.Global
	case lift.MapLcl:
		if from == kernel.Private {
			return kernel.Local
		}
		return from
	}
	total := lists.Sum(counts(t.Type, nil), func(n int64) int64 { return n })
	if total > maxPrivate || len(c.loops) == 0 {
		return kernel.Global
	}
	return kernel.Private
}

// copy stores the elements of one view in another.
func (c *lowering) copy(from, to *val) {
	if to.put != nil {
		to.put(from)
		return
	}
	switch to.typ.Kind {
	case lift.ArrayType:
		n := lengthOf(to.typ)
		op, dim := lift.MapSeq, 0
		if len(to.owners) > 0 && to.owners[0] != nil {
			op, dim = lift.MapLcl, to.owners[0].dim
		} else if n <= 8 && to.space == kernel.Private {
			op = lift.MapSeqUnroll
		}
		c.each(op, dim, n, func(i index) { c.copy(from.at(i), to.at(i)) })
	case lift.TupleType:
		for k := range to.typ.Elems {
			c.copy(from.get(k), to.get(k))
		}
	default:
		c.store(to, from.load())
	}
}

// each generates a loop of that kind with the body for every index below n.
func (c *lowering) each(op lift.Op, dim int, n int64, body func(i index)) {
	if n == 0 {
		return
	}
	i := c.open(op, dim, n)
	body(i)
	c.close()
}
