package lower

import (
	"gpuperf/internal/lists"
	"gpuperf/kernel/expr"
	"gpuperf/lift"
)

// arrangement is a pattern that only changes the positions of the elements of its array: how it is read, and how it is
// written through. write turns the destination d of the pattern into that of its array; it is nil if elements have no unique
// position.
type arrangement struct {
	read  func(c *lowering, t *lift.Term, xs *val) *val
	write func(c *lowering, t *lift.Term, d *val) *val
}

// arrangements, by operator (Lift's views; the write side of each is the read side of its inverse).
var arrangements = map[lift.Op]arrangement{
	lift.Split: {
		func(c *lowering, t *lift.Term, xs *val) *val { return c.split(t.Type, xs) },
		func(c *lowering, t *lift.Term, d *val) *val { return c.join(t.Arg().Type, d) },
	},
	lift.Join: {
		func(c *lowering, t *lift.Term, xs *val) *val { return c.join(t.Type, xs) },
		func(c *lowering, t *lift.Term, d *val) *val { return c.split(t.Arg().Type, d) },
	},
	lift.Transpose: {
		func(_ *lowering, t *lift.Term, xs *val) *val { return transpose(t.Type, xs) },
		func(_ *lowering, t *lift.Term, d *val) *val { return transpose(t.Arg().Type, d) },
	},
	lift.Reorder: {
		func(_ *lowering, _ *lift.Term, xs *val) *val { return xs },
		func(_ *lowering, _ *lift.Term, d *val) *val { return d },
	},
	lift.Gather: {
		func(c *lowering, t *lift.Term, xs *val) *val { return c.reorder(t, t.Index, xs) },
		func(c *lowering, t *lift.Term, d *val) *val { return c.reorder(t, inverse(t), d) },
	},
	lift.Scatter: {
		func(c *lowering, t *lift.Term, xs *val) *val { return c.reorder(t, inverse(t), xs) },
		func(c *lowering, t *lift.Term, d *val) *val { return c.reorder(t, t.Index, d) },
	},
	lift.Slide: {read: func(c *lowering, t *lift.Term, xs *val) *val {
		step := sizeOf(t.Sizes[1])
		return array(t.Type, xs.space, func(w index) *val {
			return array(t.Type.Elem, xs.space, func(e index) *val { return xs.at(c.add(c.scale(w, step), e)) })
		})
	}},
	lift.Pad: {read: func(c *lowering, t *lift.Term, xs *val) *val {
		left, n := sizeOf(t.Sizes[0]), lengthOf(xs.typ)
		return array(t.Type, xs.space, func(i index) *val {
			j := c.addInt(i, -left)
			if lift.PadMode(t.Ints[0]) == lift.PadAny {
				return c.guarded(c.rangeGuards(j, n), xs.at(j))
			}
			return xs.at(c.padded(lift.PadMode(t.Ints[0]), j, n))
		})
	}},
	lift.Inset: {
		func(c *lowering, t *lift.Term, xs *val) *val {
			return array(t.Type, xs.space, func(i index) *val { return xs.at(c.addInt(i, -sizeOf(t.Sizes[0]))) })
		},
		func(c *lowering, t *lift.Term, d *val) *val {
			return array(t.Arg().Type, d.space, func(i index) *val { return d.at(c.addInt(i, sizeOf(t.Sizes[0]))) })
		},
	},
	lift.Take: {
		func(_ *lowering, t *lift.Term, xs *val) *val { return array(t.Type, xs.space, xs.at) },
		func(c *lowering, t *lift.Term, d *val) *val {
			n := lengthOf(t.Type)
			return array(t.Arg().Type, d.space, func(i index) *val { return c.guarded(c.rangeGuards(i, n), d.at(i)) })
		},
	},
	lift.Drop: {
		func(c *lowering, t *lift.Term, xs *val) *val {
			return array(t.Type, xs.space, func(i index) *val { return xs.at(c.addInt(i, sizeOf(t.Sizes[0]))) })
		},
		func(c *lowering, t *lift.Term, d *val) *val {
			n := lengthOf(t.Type)
			return array(t.Arg().Type, d.space, func(i index) *val {
				j := c.addInt(i, -sizeOf(t.Sizes[0]))
				return c.guarded(c.rangeGuards(j, n), d.at(j))
			})
		},
	},
	lift.AsVector: {
		func(c *lowering, t *lift.Term, xs *val) *val { return c.asVector(t.Type, xs, false) },
		func(c *lowering, t *lift.Term, d *val) *val { return c.asScalar(t.Arg().Type, d) },
	},
	lift.AsScalar: {
		func(c *lowering, t *lift.Term, xs *val) *val { return c.asScalar(t.Type, xs) },
		func(c *lowering, t *lift.Term, d *val) *val { return c.asVector(t.Arg().Type, d, copies(t.Arg())) },
	},
}

func sizeOf(s lift.Size) int64 {
	n, ok := s.Const()
	if !ok {
		fail("the size %s is not constant: give the sizes values", s)
	}
	return n
}

// split is a view of xs as an array of chunks, of type t.
func (c *lowering) split(t *lift.Type, xs *val) *val {
	m := lengthOf(t.Elem)
	return array(t, xs.space, func(i index) *val {
		return array(t.Elem, xs.space, func(j index) *val { return xs.at(c.add(c.scale(i, m), j)) })
	})
}

// join is a view of the concatenated arrays in xs.
func (c *lowering) join(t *lift.Type, xs *val) *val {
	m := lengthOf(xs.typ.Elem)
	if m == 0 {
		return array(t, xs.space, func(index) *val { fail("an element of an empty array is used"); return nil })
	}
	return array(t, xs.space, func(i index) *val { return xs.at(c.div(i, m)).at(c.mod(i, m)) })
}

func transpose(t *lift.Type, xs *val) *val {
	return array(t, xs.space, func(i index) *val {
		return array(t.Elem, xs.space, func(j index) *val { return xs.at(j).at(i) })
	})
}

func inverse(t *lift.Term) *lift.IndexFun {
	f := t.Index.Inverse(t.Type.Len)
	if f == nil {
		fail("%s: the inverse of %s is not known", t.Op, t.Index)
	}
	return f
}

// reorder is a view of xs with the element f(i) at i.
func (c *lowering) reorder(t *lift.Term, f *lift.IndexFun, xs *val) *val {
	n := lengthOf(t.Type)
	return array(t.Type, xs.space, func(i index) *val { return xs.at(c.permuted(f, i, n)) })
}

// permuted is f(i) on an array of n elements.
func (c *lowering) permuted(f *lift.IndexFun, i index, n int64) index {
	switch f.Kind {
	case lift.IndexReverse:
		return c.add(constant(n-1), c.scale(i, -1))
	case lift.IndexStride:
		s := sizeOf(f.Arg)
		return c.add(c.div(i, n/s), c.scale(c.mod(i, n/s), s))
	case lift.IndexShift:
		return c.mod(c.addInt(i, sizeOf(f.Arg)), n)
	}
	out := c.evaluate(f.Expr, map[string]index{"i": i, "n": constant(n)})
	out.lo, out.hi = max(out.lo, 0), min(out.hi, n-1)
	return out
}

// evaluate does the arithmetic of an index function.
func (c *lowering) evaluate(e expr.Expr, at map[string]index) index {
	switch x := e.(type) {
	case expr.Int:
		return constant(x.Value)
	case expr.Var:
		v, ok := at[x.Name]
		if !ok {
			fail("%s has no value in an index function", x.Name)
		}
		return v
	case *expr.Op:
		args := lists.Map(x.Args, func(a expr.Expr) index { return c.evaluate(a, at) })
		if out, ok := c.operate(x.Kind, args); ok {
			return out
		}
	}
	// Other expressions, selects and products of variables, are kept, with the variables replaced.
	by := map[string]expr.Expr{}
	for name, v := range at {
		by[name] = v.expr()
	}
	const far = 1 << 40 // beyond every size
	return index{e: expr.Subst(e, by), lo: -far, hi: far}
}

func (c *lowering) operate(kind expr.OpKind, args []index) (index, bool) {
	out := args[0]
	for _, a := range args[1:] {
		switch kind {
		case expr.Add:
			out = c.add(out, a)
		case expr.Sub:
			out = c.add(out, c.scale(a, -1))
		case expr.Mul:
			switch {
			case a.isConstant():
				out = c.scale(out, a.a.Constant())
			case out.isConstant():
				out = c.scale(a, out.a.Constant())
			default:
				return index{}, false
			}
		case expr.FloorDiv, expr.Mod:
			if !a.isConstant() || a.a.Constant() <= 0 {
				return index{}, false
			}
			if kind == expr.Mod {
				out = c.mod(out, a.a.Constant())
			} else {
				out = c.div(out, a.a.Constant())
			}
		default:
			return index{}, false
		}
	}
	if len(args) == 1 {
		if kind != expr.Neg {
			return index{}, false
		}
		out = c.scale(out, -1)
	}
	return out, true
}

// padded is the index of the element that an array of n elements has at j after padding.
func (c *lowering) padded(mode lift.PadMode, j index, n int64) index {
	if j.lo >= 0 && j.hi < n {
		return j
	}
	switch mode {
	case lift.PadClamp:
		return c.clamp(j, 0, n-1)
	case lift.PadWrap:
		return c.mod(j, n)
	}
	// Mirror: -1 is 0 and n is n-1.
	out := j
	if j.lo < 0 {
		out = c.choose(operation(expr.Lt, j.expr(), expr.Int{}), c.addInt(c.scale(j, -1), -1), out)
		out.lo = 0
	}
	if j.hi >= n {
		out = c.choose(operation(expr.Ge, j.expr(), expr.Int{Value: n}), c.add(constant(2*n-1), c.scale(j, -1)), out)
		out.hi = n - 1
	}
	out.lo, out.hi = 0, n-1
	return out
}

// padConstant is a view of xs with z around it.
func (c *lowering) padConstant(t *lift.Term, z, xs *val) *val {
	left, n := sizeOf(t.Sizes[0]), lengthOf(xs.typ)
	return array(t.Type, common(z, xs), func(i index) *val {
		j := c.addInt(i, -left)
		var inside []expr.Expr
		if j.lo < 0 {
			inside = append(inside, operation(expr.Ge, j.expr(), expr.Int{}))
		}
		if j.hi >= n {
			inside = append(inside, operation(expr.Lt, j.expr(), expr.Int{Value: n}))
		}
		switch {
		case j.hi < 0 || j.lo >= n:
			if c.viewsOnly {
				border := *z
				border.border = true
				return &border
			}
			return z
		case len(inside) == 0:
			return xs.at(j)
		case len(inside) == 1:
			return c.chosen(inside[0], xs.at(j), z)
		}
		return c.chosen(operation(expr.And, inside...), xs.at(j), z)
	})
}

// appended is a view of xs with ys after it.
func (c *lowering) appended(t *lift.Term, ys, xs *val) *val {
	n := lengthOf(xs.typ)
	return array(t.Type, common(xs, ys), func(i index) *val {
		switch {
		case i.hi < n:
			return xs.at(i)
		case i.lo >= n:
			return ys.at(c.addInt(i, -n))
		}
		return c.chosen(operation(expr.Lt, i.expr(), expr.Int{Value: n}), xs.at(i), ys.at(c.addInt(i, -n)))
	})
}

// chosen is x where the condition holds, and z elsewhere.
func (c *lowering) chosen(condition expr.Expr, x, z *val) *val {
	v := &val{typ: x.typ, space: common(x, z)}
	switch x.typ.Kind {
	case lift.ArrayType:
		v.at = func(i index) *val { return c.chosen(condition, x.at(i), z.at(i)) }
	case lift.TupleType:
		v.get = func(k int) *val { return c.chosen(condition, x.get(k), z.get(k)) }
	default:
		v.load = func() expr.Expr {
			then, other := x.load(), z.load()
			if expr.Equal(then, other) {
				return then
			}
			if t := x.typ; t.Kind == lift.VectorType {
				switch other.(type) {
				case expr.Float, expr.Int: // every lane
					other = &expr.Cast{DType: t.DType.Vector(int64(t.Width)), Arg: other}
				}
			}
			return &expr.Cond{If: expr.Subst(condition, c.exprs), Then: then, Else: other}
		}
	}
	return v
}

// copies reports whether a term is an array of vectors that are copied, one by one.
func copies(t *lift.Term) bool {
	for {
		switch {
		case lift.Set(lift.Join, lift.Split, lift.Transpose, lift.Gather, lift.Scatter, lift.Reorder, lift.Take, lift.Drop, lift.Inset, lift.ToGlobal).Has(t.Op):
			t = t.Arg()
		case lift.Maps.Has(t.Op) && t.Fn().Op == lift.Lambda:
			t = t.Fn().Body()
		default:
			return t.Op == lift.MapVec && t.Fn().Op == lift.Fun && t.Fn().User.IsID()
		}
	}
}

// asVector is a view of adjacent scalars as vectors. With parts a vector may be written of which some elements have no place.
func (c *lowering) asVector(t *lift.Type, xs *val, parts bool) *val {
	w := int64(t.Elem.Width)
	return array(t, xs.space, func(i index) *val {
		lane := func(k int64) *val { return xs.at(c.addInt(c.scale(i, w), k)) }
		first := lane(0)
		v := &val{typ: t.Elem, space: xs.space}
		var at place
		if first.loc != nil {
			at = first.loc()
		}
		for k := int64(1); c.viewsOnly && k < w; k++ {
			if lane(k).border != first.border {
				fail("a part of the %d elements of a vector is a constant", w)
			}
		}
		if at.buf != nil {
			for k := int64(1); k < w; k++ {
				next := lane(k).loc()
				if next.buf != at.buf || !c.differBy(at.index, next.index, k) {
					fail("the %d elements of a vector do not lie next to each other in %s", w, at.buf.name)
				}
			}
			if !uniform(at.guards, lane(w-1).loc().guards, w) {
				if !parts {
					fail("a part of the %d elements of a vector in %s is padding", w, at.buf.name)
				}
				whole := place{buf: at.buf, index: at.index}
				for k := range w {
					whole.lanes = append(whole.lanes, lane(k).loc())
				}
				v.loc = func() place { return whole }
				return v
			}
			v.loc = func() place { return place{buf: at.buf, index: at.index} }
			v.load = func() expr.Expr { return c.access(at.buf, at.index, w) }
			return c.guarded(at.guards, v)
		}
		v.load = func() expr.Expr {
			e := first.load()
			for k := int64(1); k < w; k++ {
				if !expr.Equal(e, lane(k).load()) {
					fail("the %d elements of a vector are computed one by one: keep them in memory first", w)
				}
			}
			return &expr.Cast{DType: t.Elem.DType.Vector(w), Arg: e}
		}
		return v
	})
}

// asScalar is a view of vectors in memory as their elements.
func (c *lowering) asScalar(t *lift.Type, xs *val) *val {
	w := int64(xs.typ.Elem.Width)
	return array(t, xs.space, func(i index) *val {
		vector, lane := xs.at(c.div(i, w)), c.mod(i, w)
		if vector.loc == nil || vector.loc().buf == nil {
			if c.viewsOnly {
				return unknown(t.Elem)
			}
			fail("an element of a vector is used that is not in memory: keep the vectors in memory first")
		}
		at := vector.loc()
		at.index = c.add(at.index, lane)
		return c.guarded(at.guards, c.memory(t.Elem, []*buffer{at.buf}, []index{at.index}, nil))
	})
}
