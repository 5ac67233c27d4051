package lower

import (
	"slices"
	"strconv"

	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/lift"
)

// view is the value of a term: a rearranged view of its operands if it only arranges data, otherwise memory written by
// statements that are generated here.
func (c *lowering) view(t *lift.Term, env *scope) *val {
	f := views[t.Op]
	if _, arranges := arrangements[t.Op]; c.viewsOnly && !arranges && !showing.Has(t.Op) {
		return unknown(t.Type)
	}
	if f == nil {
		fail("%s is not lowered: a rule must turn it into a pattern of OpenCL", t.Op)
	}
	return f(c, t, env)
}

// showing are the operators besides arrangements whose views show memory without computing.
var showing = lift.Set(lift.Var, lift.Let, lift.Map, lift.Zip, lift.Unzip, lift.Tuple, lift.Get, lift.PadConst)

// views has the view of each operator.
var views map[lift.Op]func(c *lowering, t *lift.Term, env *scope) *val

func init() {
	views = map[lift.Op]func(c *lowering, t *lift.Term, env *scope) *val{
		lift.Var:     func(_ *lowering, t *lift.Term, env *scope) *val { return env.lookup(t.Ints[0]) },
		lift.Literal: func(_ *lowering, t *lift.Term, _ *scope) *val { return literal(t) },
		lift.SizeLit: func(_ *lowering, t *lift.Term, _ *scope) *val {
			n, ok := t.Sizes[0].Const()
			if !ok {
				fail("the size %s is not constant", t.Sizes[0])
			}
			return scalar(t.Type, func() expr.Expr { return expr.Int{Value: n} })
		},
		lift.Call: (*lowering).viewCall,
		lift.Let: func(c *lowering, t *lift.Term, env *scope) *val {
			return c.view(t.Fn().Body(), &scope{env, c.once(t.Kids[1], env)})
		},

		lift.Map: func(c *lowering, t *lift.Term, env *scope) *val {
			xs := c.view(t.Arg(), env)
			return array(t.Type, xs.space, func(i index) *val {
				return c.later(t.Type.Elem, xs.space, func() *val { return c.view(t.Fn().Body(), &scope{env, xs.at(i)}) })
			})
		},
		lift.Zip: func(c *lowering, t *lift.Term, env *scope) *val {
			xs := c.viewAll(t.Kids, env)
			return array(t.Type, common(xs...), func(i index) *val {
				return &val{typ: t.Type.Elem, space: common(xs...), get: func(k int) *val { return xs[k].at(i) }}
			})
		},
		lift.Unzip: func(c *lowering, t *lift.Term, env *scope) *val {
			xs := c.view(t.Arg(), env)
			return &val{typ: t.Type, space: xs.space, get: func(k int) *val {
				return array(t.Type.Elems[k], xs.space, func(i index) *val { return xs.at(i).get(k) })
			}}
		},
		lift.Tuple: func(c *lowering, t *lift.Term, env *scope) *val {
			xs := c.viewAll(t.Kids, env)
			return &val{typ: t.Type, space: common(xs...), get: func(k int) *val { return xs[k] }}
		},
		lift.Get: func(c *lowering, t *lift.Term, env *scope) *val { return c.view(t.Arg(), env).get(t.Ints[0]) },
		lift.At: func(c *lowering, t *lift.Term, env *scope) *val {
			i, xs := c.view(t.Kids[0], env), c.view(t.Kids[1], env)
			return xs.at(c.computed(i, lengthOf(xs.typ)))
		},
		lift.Generate: func(c *lowering, t *lift.Term, env *scope) *val {
			return array(t.Type, kernel.Private, func(i index) *val {
				number := scalar(lift.Int32, func() expr.Expr { return c.final(i) })
				return c.later(t.Type.Elem, kernel.Private, func() *val { return c.view(t.Fn().Body(), &scope{env, number}) })
			})
		},
		lift.Iterate: func(c *lowering, t *lift.Term, env *scope) *val { return c.view(unrolled(t), env) },

		lift.MapGlb:       (*lowering).viewMap,
		lift.MapWrg:       (*lowering).viewMap,
		lift.MapLcl:       (*lowering).viewMap,
		lift.MapSeq:       (*lowering).viewMap,
		lift.MapSeqUnroll: (*lowering).viewMap,
		lift.MapSeqSlide:  (*lowering).viewMap,
		lift.ReduceSeq:    (*lowering).reduce, lift.ReduceSeqUnroll: (*lowering).reduce,
		lift.ReduceBetween: (*lowering).reduceBetween,
		lift.Put: func(c *lowering, t *lift.Term, env *scope) *val {
			d := c.allocate(kernel.Global, t.Type, nil)
			c.writePut(t, env, d)
			return d
		},
		lift.ScanSeq: (*lowering).viewScan, lift.ScanBeforeSeq: (*lowering).viewScan,

		lift.ToGlobal:  func(c *lowering, t *lift.Term, env *scope) *val { return c.viewMove(t, env, kernel.Global) },
		lift.ToLocal:   func(c *lowering, t *lift.Term, env *scope) *val { return c.viewMove(t, env, kernel.Local) },
		lift.ToPrivate: func(c *lowering, t *lift.Term, env *scope) *val { return c.viewMove(t, env, kernel.Private) },
		lift.MapVec:    (*lowering).viewMapVec,
		lift.Append:    (*lowering).viewAppend,
	}
	for op, arrange := range arrangements {
		views[op] = func(c *lowering, t *lift.Term, env *scope) *val {
			return arrange.read(c, t, c.view(t.Arg(), env))
		}
	}
	views[lift.PadConst] = func(c *lowering, t *lift.Term, env *scope) *val {
		return c.padConstant(t, c.view(t.Kids[0], env), c.view(t.Arg(), env))
	}
}

func (c *lowering) viewAppend(t *lift.Term, env *scope) *val {
	xs := c.view(t.Arg(), env)
	return c.appended(t, c.view(t.Kids[0], env), xs)
}

func (c *lowering) viewAll(ts []*lift.Term, env *scope) []*val {
	return lists.Map(ts, func(t *lift.Term) *val { return c.view(t, env) })
}

// later is a view that is made on first use, in the loops open at that time, and reused as long as these are open.
func (c *lowering) later(t *lift.Type, space kernel.Space, view func() *val) *val {
	var made *val
	var within *loop
	var depth int
	force := func() *val {
		open := len(c.loops) >= depth && (depth == 0 || c.loops[depth-1] == within)
		if made == nil || !open {
			made = view()
			if depth = len(c.loops); depth > 0 {
				within = c.loops[depth-1]
			}
		}
		return made
	}
	v := &val{typ: t, space: space}
	switch t.Kind {
	case lift.ArrayType:
		v.at = func(i index) *val { return force().at(i) }
	case lift.TupleType:
		v.get = func(k int) *val { return force().get(k) }
	default:
		v.load = func() expr.Expr { return force().load() }
		v.loc = func() place {
			if loc := force().loc; loc != nil {
				return loc()
			}
			return place{}
		}
	}
	return v
}

// once is the view of the argument of a let: its value is computed here and not at every use.
func (c *lowering) once(t *lift.Term, env *scope) *val {
	if c.viewsOnly || t.Op != lift.Call && t.Op != lift.MapVec {
		return c.view(t, env)
	}
	d := c.allocate(kernel.Private, t.Type, nil)
	c.write(t, env, d)
	return d
}

// unrolled is iterate as k nested applications, since the length of the array may change in each.
func unrolled(t *lift.Term) *lift.Term {
	x := t.Arg()
	for range t.Ints[0] {
		if x = t.Fn().Apply(x); x.Err() != nil {
			fail("iterate: %v", x.Err())
		}
	}
	return x
}

// literal is a number in the kernel IR.
func literal(t *lift.Term) *val {
	r := t.Lit.Rat()
	d := t.Lit.DType
	var e expr.Expr
	if d.IsFloat() {
		v, _ := r.Float64()
		text := strconv.FormatFloat(v, 'g', -1, 64)
		if d == expr.Float32 {
			text = strconv.FormatFloat(v, 'g', -1, 32)
		}
		suffix := "f"
		if d == expr.Float64 {
			suffix = "d"
		}
		if !slices.ContainsFunc([]byte(text), func(b byte) bool { return b == '.' || b == 'e' }) {
			text += ".0"
		}
		e = expr.Float{Value: v, Text: text + suffix, DType: d}
	} else {
		e = expr.Int{Value: r.Num().Int64()}
		if d != expr.Int32 && d != expr.Int64 {
			e = &expr.Cast{DType: d, Arg: e}
		}
	}
	return scalar(t.Type, func() expr.Expr { return e })
}

// computed is an index from the value of a term.
func (c *lowering) computed(i *val, n int64) index {
	e := i.load()
	a, err := expr.ToAffine(e, func(name string) bool { _, ok := c.spans[name]; return ok })
	if err == nil {
		return c.affine(a)
	}
	return index{e: e, lo: 0, hi: n - 1}
}

// viewMap writes the result of a map to memory and returns a view of it.
func (c *lowering) viewMap(t *lift.Term, env *scope) *val {
	xs := c.view(t.Arg(), env)
	space := c.spaceOf(t, xs.space)
	d := c.allocate(space, t.Type, nil)
	c.writeMap(t, env, xs, d)
	return d
}

// viewMove writes the value of a term to memory of the space.
func (c *lowering) viewMove(t *lift.Term, env *scope, space kernel.Space) *val {
	var owners []*owner
	if space == kernel.Private {
		owners = c.ownersOf(t.Arg())
	}
	d := c.allocate(space, t.Type, owners)
	c.write(t.Arg(), env, d)
	return d
}
