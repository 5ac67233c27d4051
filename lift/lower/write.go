package lower

import (
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/lift"
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
			for e := range expr.All(s.RHS) {
				if isAccess(e, b.name) && (written || inner && !expr.Equal(e, at)) {
					return true
				}
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
