package lower

import (
	"slices"

	"gpuperf/internal/intmath"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/lift"
	"gpuperf/polycount"
)

// write makes the statements that write the value of a term to d.
func (c *lowering) write(t *lift.Term, env *scope, d *val) {
	if d.put != nil && t.Op != lift.Let {
		d.put(c.view(t, env))
		return
	}
	if f := writes[t.Op]; f != nil {
		f(c, t, env, d)
		return
	}
	if a, ok := arrangements[t.Op]; ok && a.write != nil {
		c.write(t.Arg(), env, a.write(c, t, d))
		return
	}
	c.copy(c.view(t, env), d)
}

// writes has the operators that write to their destination directly instead of copying their view.
var writes map[lift.Op]func(c *lowering, t *lift.Term, env *scope, d *val)

func init() {
	writeMap := func(c *lowering, t *lift.Term, env *scope, d *val) { c.writeMap(t, env, c.view(t.Arg(), env), d) }
	writes = map[lift.Op]func(c *lowering, t *lift.Term, env *scope, d *val){
		lift.MapGlb: writeMap, lift.MapWrg: writeMap, lift.MapLcl: writeMap, lift.MapSeq: writeMap,
		lift.MapSeqUnroll: writeMap, lift.MapSeqSlide: writeMap,
		lift.Map: func(c *lowering, t *lift.Term, env *scope, d *val) {
			if arranges(t.Fn().Body()) {
				c.write(t.Arg(), env, c.throughMap(t, d))
				return
			}
			c.copy(c.view(t, env), d)
		},
		lift.At:      (*lowering).writeAt,
		lift.Put:     (*lowering).writePut,
		lift.ScanSeq: (*lowering).writeScan, lift.ScanBeforeSeq: (*lowering).writeScan,
		lift.Call:    (*lowering).writeCall,
		lift.Iterate: func(c *lowering, t *lift.Term, env *scope, d *val) { c.write(unrolled(t), env, d) },
		lift.Let: func(c *lowering, t *lift.Term, env *scope, d *val) {
			c.write(t.Fn().Body(), &scope{env, c.once(t.Kids[1], env)}, d)
		},
		lift.Tuple: func(c *lowering, t *lift.Term, env *scope, d *val) {
			for k, kid := range t.Kids {
				c.write(kid, env, d.get(k))
			}
		},
		lift.Zip: func(c *lowering, t *lift.Term, env *scope, d *val) {
			for k, kid := range t.Kids {
				c.write(kid, env, array(kid.Type, d.space, func(i index) *val { return d.at(i).get(k) }))
			}
		},
		lift.Append: func(c *lowering, t *lift.Term, env *scope, d *val) {
			n := lengthOf(t.Arg().Type)
			c.write(t.Arg(), env, array(t.Arg().Type, d.space, d.at))
			c.write(t.Kids[0], env, array(t.Kids[0].Type, d.space, func(i index) *val { return d.at(c.addInt(i, n)) }))
		},
		lift.Unzip: func(c *lowering, t *lift.Term, env *scope, d *val) {
			c.write(t.Arg(), env, array(t.Arg().Type, d.space, func(i index) *val {
				return &val{typ: t.Arg().Type.Elem, space: d.space, get: func(k int) *val { return d.get(k).at(i) }}
			}))
		},
		lift.ToGlobal:  func(c *lowering, t *lift.Term, env *scope, d *val) { c.writeMove(t, env, d, kernel.Global) },
		lift.ToLocal:   func(c *lowering, t *lift.Term, env *scope, d *val) { c.writeMove(t, env, d, kernel.Local) },
		lift.ToPrivate: func(c *lowering, t *lift.Term, env *scope, d *val) { c.writeMove(t, env, d, kernel.Private) },
	}
}

// arranges reports whether a function's body only rearranges its parameter, so that the parameter can be written through it.
func arranges(body *lift.Term) bool {
	for {
		a, is := arrangements[body.Op]
		switch {
		case body.Op == lift.Var:
			return body.Ints[0] == 0
		case is && a.write != nil:
		case body.Op == lift.Map && arranges(body.Fn().Body()):
		default:
			return false
		}
		body = body.Arg()
	}
}

// through is the destination of the parameter of a function whose result is written to d.
func (c *lowering) through(body *lift.Term, d *val) *val {
	switch body.Op {
	case lift.Var:
		return d
	case lift.Map:
		return c.through(body.Arg(), c.throughMap(body, d))
	}
	return c.through(body.Arg(), arrangements[body.Op].write(c, body, d))
}

// throughMap is the destination of the array of a map that only rearranges its elements and whose result is written to d.
func (c *lowering) throughMap(t *lift.Term, d *val) *val {
	return array(t.Arg().Type, d.space, func(i index) *val { return c.through(t.Fn().Body(), d.at(i)) })
}

// writeMove writes directly to a destination in the requested space, otherwise through new memory in that space.
func (c *lowering) writeMove(t *lift.Term, env *scope, d *val, space kernel.Space) {
	if d.space == space {
		c.write(t.Arg(), env, d)
		return
	}
	c.copy(c.viewMove(t, env, space), d)
}

// writeMap opens the loop of a map over xs.
func (c *lowering) writeMap(t *lift.Term, env *scope, xs, d *val) {
	if t.Op == lift.MapSeqSlide {
		c.writeSlide(t, env, xs, d)
		return
	}
	dim := 0
	if lift.ParallelMaps.Has(t.Op) {
		dim = t.Ints[0]
		if owned := len(d.owners) > 0 && d.owners[0] != nil; d.space == kernel.Private && !owned {
			fail("%s(%d) writes private memory, which other work-items cannot read", t.Op, dim)
		}
	}
	if t.Op != lift.MapLcl && d.space == kernel.Local && lift.ParallelMaps.Has(t.Op) {
		fail("%s(%d) writes local memory, which other groups cannot read", t.Op, dim)
	}
	if t.Op == lift.MapGlb || t.Op == lift.MapWrg {
		for _, b := range d.bufs {
			if b.depth > 0 {
				fail("%s(%d) computes data that the loops around it read: that needs a barrier across work-groups in every iteration", t.Op, dim)
			}
		}
	}
	body := t.Fn().Body()
	c.each(t.Op, dim, lengthOf(t.Type), func(i index) {
		to := d.at(i)
		c.inside(to, func() { c.write(body, &scope{env, xs.at(i)}, to) })
	})
}

// reduce folds into an accumulator in the space of the initial value and returns it as an array of one element. The function
// writes the accumulator in place if no element is read after it was written; otherwise it writes other memory, which is
// copied.
func (c *lowering) reduce(t *lift.Term, env *scope) *val {
	z, xs := c.view(t.Kids[1], env), c.view(t.Arg(), env)
	typ := t.Kids[1].Type
	owners := z.owners
	if owners == nil {
		owners = c.ownersOf(t.Fn().Body())
	}
	space := z.space
	if len(owners) > 0 {
		space = kernel.Private
	}
	acc := c.allocate(space, typ, owners)
	c.copy(z, acc)
	c.fold(t, env, xs, acc)
	return array(t.Type, acc.space, func(index) *val { return acc })
}

// fold is the loop of a reduction of xs, whose accumulator has its initial value.
func (c *lowering) fold(t *lift.Term, env *scope, xs, acc *val) {
	op := lift.MapSeq
	if t.Op == lift.ReduceSeqUnroll {
		op = lift.ReduceSeqUnroll
	}
	c.each(op, 0, lengthOf(xs.typ), func(i index) { c.step(t.Fn().Body(), env, xs.at(i), acc) })
}

// step applies the function of a reduction or of a scan to the accumulator and an element.
func (c *lowering) step(f *lift.Term, env *scope, x, acc *val) {
	inner := &scope{&scope{env, acc}, x}
	forget := c.trial()
	from := len(c.stmts)
	c.write(f, inner, acc)
	if !c.clobbers(c.stmts[from:], acc) {
		return
	}
	forget()
	next := c.allocate(acc.space, acc.typ, acc.owners)
	c.write(f, inner, next)
	c.copy(next, acc)
}

// writeScan is the loop of a scan. The accumulator is a work-item's own.
func (c *lowering) writeScan(t *lift.Term, env *scope, d *val) {
	z, xs := c.view(t.Kids[1], env), c.view(t.Arg(), env)
	acc := c.allocate(kernel.Private, t.Kids[1].Type, nil)
	c.copy(z, acc)
	c.each(lift.MapSeq, 0, lengthOf(xs.typ), func(i index) {
		to := d.at(i)
		if t.Op == lift.ScanBeforeSeq {
			c.inside(to, func() { c.copy(acc, to) })
		}
		c.step(t.Fn().Body(), env, xs.at(i), acc)
		if t.Op == lift.ScanSeq {
			c.inside(to, func() { c.copy(acc, to) })
		}
	})
}

// viewScan writes the result of a scan to memory and returns a view of it.
func (c *lowering) viewScan(t *lift.Term, env *scope) *val {
	d := c.allocate(c.spaceOf(t, kernel.Private), t.Type, nil)
	c.writeScan(t, env, d)
	return d
}

// writeAt continues a reduction in place if its initial value is the destination, an array.
func (c *lowering) writeAt(t *lift.Term, env *scope, d *val) {
	if red := t.Arg(); d.typ.Kind == lift.ArrayType && (red.Op == lift.ReduceSeq || red.Op == lift.ReduceSeqUnroll) && c.view(red.Kids[1], env) == d {
		c.fold(red, env, c.view(red.Arg(), env), d)
		return
	}
	c.copy(c.view(t, env), d)
}

// clobbers reports whether statements read an element of the accumulator that they may have overwritten: an earlier statement
// wrote the same array, or an inner loop writes it at another index than it reads.
func (c *lowering) clobbers(stmts []*statement, acc *val) bool {
	depth := len(c.openInames())
	for _, b := range acc.bufs {
		written := false
		var at expr.Expr
		inner := false
		for _, s := range stmts {
			if s.target == b {
				inner = inner || len(s.Inames) > depth
				if at == nil {
					at = s.LHS
				} else if !expr.Equal(at, s.LHS) {
					at = expr.Var{Name: "?"}
				}
			}
		}
		for _, s := range stmts {
			clobbered := false
			expr.Walk(s.RHS, func(e expr.Expr) bool {
				clobbered = clobbered || isAccess(e, b.name) && (written || inner && !expr.Equal(e, at))
				return true
			})
			if clobbered {
				return true
			}
			written = written || s.target == b
		}
	}
	return false
}

func isAccess(e expr.Expr, name string) bool {
	switch x := e.(type) {
	case expr.Var:
		return x.Name == name
	case *expr.Access:
		return x.Array == name
	}
	return false
}

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
	total := int64(0)
	for _, n := range counts(t.Type, nil) {
		total += n
	}
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
