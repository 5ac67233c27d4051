package lower

import (
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/lift"
)

// writeSlide maps over windows that stay in private memory: from one to the next, the elements move up and only the new
// ones are read. Every element has a constant index, so that it can be a register; elements that the function never reads are
// left out.
func (c *lowering) writeSlide(t *lift.Term, env *scope, xs, d *val) {
	width, step := sizeOf(t.Sizes[0]), sizeOf(t.Sizes[1])
	kept := max(width-step, 0)
	w := c.allocate(kernel.Private, lift.Array(xs.typ.Elem, t.Sizes[0]), nil)
	body := func(i index) {
		to := d.at(i)
		c.inside(to, func() { c.write(t.Fn().Body(), &scope{env, w}, to) })
	}
	used := c.readFrom(w, width, step, func() { c.each(lift.MapSeq, 0, lengthOf(t.Type), body) })
	for j := range kept {
		c.keep(xs.at(constant(j)), w.at(constant(j)), used)
	}
	c.each(lift.MapSeq, 0, lengthOf(t.Type), func(i index) {
		for j := kept; j < width; j++ {
			c.keep(xs.at(c.addInt(c.scale(i, step), j)), w.at(constant(j)), used)
		}
		body(i)
		for j := range kept {
			c.keep(w.at(constant(j+step)), w.at(constant(j)), used)
		}
	})
}

// keep copies the used numbers of an element of a window.
func (c *lowering) keep(from, to *val, used func(p place) bool) {
	switch to.typ.Kind {
	case lift.ArrayType:
		for j := range lengthOf(to.typ) {
			c.keep(from.at(constant(j)), to.at(constant(j)), used)
		}
	case lift.TupleType:
		for k := range to.typ.Elems {
			c.keep(from.get(k), to.get(k), used)
		}
	default:
		if used(to.loc()) {
			c.store(to, from.load())
		}
	}
}

// readFrom reports which numbers of a window the statements of body read, in their position or in one that they move to. The
// statements are discarded.
func (c *lowering) readFrom(w *val, width, step int64, body func()) func(p place) bool {
	forget := c.trial()
	from := len(c.stmts)
	body()
	read, all := map[string]map[int64]bool{}, map[string]bool{}
	for _, b := range w.bufs {
		read[b.name] = map[int64]bool{}
	}
	for _, s := range c.stmts[from:] {
		for _, a := range expr.Accesses(s.RHS) {
			if read[a.Array] == nil {
				continue
			}
			at, constant := a.Index[0].(expr.Int)
			all[a.Array] = all[a.Array] || !constant
			for lane := range max(a.Lanes, 1) {
				read[a.Array][at.Value+lane] = true
			}
		}
	}
	forget()
	return func(p place) bool {
		if all[p.buf.name] || p.buf.scalar {
			return true
		}
		per := p.buf.size / width
		for at := p.index.a.Constant(); at >= 0; at -= per * step {
			if read[p.buf.name][at] {
				return true
			}
		}
		return false
	}
}
