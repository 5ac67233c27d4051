package lower

import (
	"gpuperf/internal/intmath"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/lift"
	"gpuperf/polycount"
)

// writePut writes the base, and then puts each value where its index says, unless that is outside. If work-items wrote the base, the values are put
// by another kernel.
func (c *lowering) writePut(t *lift.Term, env *scope, d *val) {
	c.write(t.Kids[0], env, d)
	n := lengthOf(t.Type)
	pair := t.Arg().Type.Elem
	c.write(t.Arg(), env, array(t.Arg().Type, d.space, func(index) *val {
		return &val{typ: pair, space: d.space, put: func(from *val) {
			place := c.variableOf(from.get(0))
			at := index{e: place.load(), lo: -1, hi: n}
			before, puts := c.context, c.puts
			c.puts = true
			to := c.guarded(c.rangeGuards(at, n), d.at(index{e: at.e, lo: 0, hi: n - 1}))
			c.inside(to, func() { c.copy(from.get(1), to) })
			c.context, c.puts = before, puts
		}}
	}))
}

// variableOf computes a number once, into a variable.
func (c *lowering) variableOf(v *val) *val {
	d := c.allocate(kernel.Private, v.typ, nil)
	c.copy(v, d)
	return d
}

// reduceBetween is a loop over the elements between two computed indices, with an accumulator as that of reduce.
func (c *lowering) reduceBetween(t *lift.Term, env *scope) *val {
	z, from, to, xs := c.view(t.Kids[1], env), c.view(t.Kids[2], env), c.view(t.Kids[3], env), c.view(t.Arg(), env)
	space := kernel.Private
	if z.bufs != nil {
		space = z.space
	}
	acc := c.allocate(space, t.Kids[1].Type, nil)
	c.copy(z, acc)
	from, to = c.variableOf(from), c.variableOf(to)
	i := c.openBetween(from.bufs[0].name, to.bufs[0].name, sizeOf(t.Sizes[0]), lengthOf(xs.typ))
	c.step(t.Fn().Body(), env, xs.at(i), acc)
	c.close()
	return array(t.Type, acc.space, func(index) *val { return acc })
}

// openBetween opens a loop over every step-th of n elements, from one variable to before another. The average number of elements is declared for
// counts: as if all executions of the loop together took each of the n elements once.
func (c *lowering) openBetween(from, to string, step, n int64) index {
	if len(c.loops) == 0 {
		c.phase++
	}
	executions := int64(1)
	for _, l := range c.loops {
		executions *= l.n
	}
	name := c.fresh("j")
	first, end, j := polycount.Name(from), polycount.Name(to), polycount.Name(name)
	at := first.Add(j.Scale(step))
	l := &loop{
		op: lift.MapSeq, n: n, slots: 1, lids: 1, inames: []string{name}, tags: map[string]kernel.Tag{}, bounds: []string{from, to},
		domain: []polycount.Constraint{polycount.GE(j, polycount.Int(0)), polycount.GE(end, at.AddInt(1))},
		average: kernel.Average{
			Of:    expr.FromAffine(end.Sub(first)),
			Value: operation(expr.Div, expr.Int{Value: n * step}, expr.Int{Value: executions}),
		},
	}
	c.spans[name] = span{0, max(0, intmath.CeilDiv(n, step)-1)}
	c.loops, c.all = append(c.loops, l), append(c.all, l)
	l.v = c.variable(n, at)
	return c.affine(polycount.Name(l.v))
}
