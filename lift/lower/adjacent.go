package lower

import (
	"fmt"

	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/lift"
)

// CheckVectors returns an error if the elements of some vector of a body without sizes are not adjacent in an input or in the
// result. A vector is loaded and stored with one access. The check follows the views between each vector and the argument that it
// belongs to, at sample indices: one vector with elements apart is enough to reject a body, because the same code serves all of them.
func CheckVectors(inputs []lift.Param, body *lift.Term) (err error) {
	c := newLowering(Options{})
	c.viewsOnly = true
	defer throw.Catch(&err)
	var env *scope
	for _, in := range inputs {
		env = &scope{env, c.located(in.Name, in.Type)}
	}
	c.checkVectors(body, env, c.located("the result", body.Type))
	return nil
}

// located is an argument whose arrays have the names that errors show.
func (c *lowering) located(name string, t *lift.Type) *val {
	v, _ := c.argument(name, t, output)
	if len(v.bufs) > 1 {
		for k, b := range v.bufs {
			b.name = fmt.Sprintf("%s.%d", name, k)
		}
	}
	return v
}

// unknown is a value that is computed or in other memory.
func unknown(t *lift.Type) *val {
	return &val{
		typ: t,
		at:  func(index) *val { return unknown(t.Elem) },
		get: func(k int) *val { return unknown(t.Elems[k]) },
		loc: func() place { return place{} },
	}
}

// checkVectors checks the vectors of a term whose value is stored in out: those that it reads, and those that it writes through views.
// Functions are followed at the first element of their arrays.
func (c *lowering) checkVectors(t *lift.Term, env *scope, out *val) {
	switch t.Op {
	case lift.AsVector:
		checkFirst(c.view(t, env))
	case lift.AsScalar:
		checkFirst(c.asVector(t.Arg().Type, out, copies(t.Arg())))
	}
	for i, k := range t.Kids {
		switch {
		case i == 0 && t.Op.HasFun():
			c.checkFunction(t, env, out)
		case k == t.Arg():
			c.checkVectors(k, env, c.source(t, out))
		default:
			c.checkVectors(k, env, unknown(k.Type))
		}
	}
}

// checkFirst looks at the first vectors of an array, which fails for elements that are not adjacent.
func checkFirst(vectors *val) {
	const enough = 16 // vectors: patterns that scatter elements do so from the first few on
	for i := range min(lengthOf(vectors.typ), enough) {
		vectors.at(constant(i))
	}
}

// source is the destination of the array of a pattern whose value is written to d.
func (c *lowering) source(t *lift.Term, d *val) *val {
	a := arrangements[t.Op]
	switch {
	case a.write != nil:
		return a.write(c, t, d)
	case t.Op == lift.ToGlobal:
		return d
	case t.Op == lift.Append:
		return array(t.Arg().Type, d.space, d.at)
	case t.Op == lift.Map && arranges(t.Fn().Body()):
		return c.throughMap(t, d)
	}
	return unknown(t.Arg().Type)
}

// checkFunction checks the vectors in the function of a pattern.
func (c *lowering) checkFunction(t *lift.Term, env *scope, out *val) {
	f := t.Fn()
	if f.Op != lift.Lambda {
		return
	}
	params := lists.Map(f.Params, unknown)
	to := unknown(f.Body().Type)
	switch {
	case t.Op == lift.Let:
		params[0], to = c.view(t.Kids[1], env), out
	case t.Op == lift.Map: // a view
		params[0] = c.view(t.Arg(), env).at(constant(0))
	case lift.Maps.Has(t.Op):
		params[0], to = c.view(t.Arg(), env).at(constant(0)), out.at(constant(0))
	case lift.Reductions.Has(t.Op):
		params[len(params)-1] = c.view(t.Arg(), env).at(constant(0))
	}
	for _, p := range params {
		env = &scope{env, p}
	}
	c.checkVectors(f.Body(), env, to)
}
