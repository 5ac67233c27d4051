package rules

import "gpuperf/lift"

// Rules for the layout of what a work-group keeps of the operands of a product, and for reading it in vectors.

func addLayout() {
	add(
		Rule{
			Name:  "stridesOfChunks",
			Left:  "map(f) $ xs",
			Right: "join o scatter(stride(s)) o split(n) o map(f) o join o gather(stride(s)) o split(n) $ xs", Types: "xs: [A]N",
			Params: []Param{{"n", Length}, {"s", Length}},
		},
		Rule{
			Name: "mapGlobal", Left: "map(f) $ xs", Right: "toGlobal o map(f) $ xs", Types: "xs: [A]N", Where: []Condition{computes},
		},
		Rule{
			Name: "padRows", Left: "toLocal o split(n) $ xs", Right: "map(take(n)) o toLocal o map(inset(0, r)) o split(n) $ xs", Types: "xs: [A]N",
			Params: []Param{{"r", More}},
		},
		Rule{
			Name: "padColumns", Left: "toLocal o transpose $ xs", Right: "map(take(N)) o toLocal o map(inset(0, r)) o transpose $ xs", Types: "xs: [[A]M]N",
			Params: []Param{{"r", More}},
		},
		Rule{
			Name: "privateVectors", Left: "toPrivate o mapSeq(f) $ xs", Right: "asScalar o toPrivate o mapSeq(fun(y => mapVec(f, y))) o asVector(w) $ xs",
			Types: "xs: [scalar]N", Params: []Param{{"w", Width}}, Where: []Condition{scalars, lanewiseF},
		},
		Rule{
			Name: "reduceUnrollItems", Left: "reduceSeq(f, z) $ xs", Right: "reduceSeqUnroll(f, z) $ xs", Types: "xs: [A]N", Where: []Condition{itemsAlone},
		},
		Rule{
			Name: "copyLocalVectors", Left: "reduceSeq(f, z) $ zip(xs, ys)",
			Right:  "reduceSeq(fun(a, c => f(a, tuple(copy of get(0, c), copy of get(1, c)))), z) $ zip(xs, ys)   (copies in vectors of u, by m work-items in rows of w: see vectorCopy)",
			Types:  "xs: [[[[scalar]4]2]M]N, ys: [[[[scalar]2]4]M]N",
			Params: []Param{{"m", Length}, {"w", Length}, {"n", Length}, {"u", Width}, {"i", Order}, {"k", Order}}, on: lift.Set(lift.ReduceSeq), arg: lift.Set(lift.Zip),
			code: func(m *Match) *lift.Term {
				return copyOperands(m, func(x *lift.Term, order int) *lift.Term {
					return vectorCopy(x, m.Sizes["m"], m.Sizes["w"], m.Sizes["n"], m.Ints["u"], order)
				})
			},
		},
	)
}

// itemsAlone: what the work-items of a group do in an unrolled loop needs no barriers.
var itemsAlone = Condition{"f shares nothing among work-items", func(m *Match) bool {
	return m.Funs["f"].Ops()&lift.Set(lift.MapGlb, lift.MapWrg, lift.ToLocal, lift.ToGlobal) == 0
}}

// copyOperands computes copies of what a step reads before the step; i and k say in what order.
func copyOperands(m *Match, copied func(x *lift.Term, order int) *lift.Term) *lift.Term {
	t := m.Term
	if len(t.Arg().Kids) != 2 {
		return nil
	}
	elem := t.Arg().Type.Elem
	if m.Ints["i"] >= orders || m.Ints["k"] >= orders || m.Ints["i"] < 0 || m.Ints["k"] < 0 {
		return nil
	}
	for _, e := range elem.Elems {
		if lengths, number := e.Shape(); len(lengths) != 3 || number.Kind != lift.ScalarType {
			return nil
		}
	}
	f := lift.Fn([]*lift.Type{t.Kids[1].Type, elem}, func(p ...*lift.Term) *lift.Term {
		var copies []*lift.Term
		for i, order := range []int{m.Ints["i"], m.Ints["k"]} {
			c := copied(lift.GetOf(i, p[1]), order)
			if c == nil {
				return lift.JoinOf(p[0]) // an error
			}
			if c.Err() != nil {
				return c
			}
			copies = append(copies, c)
		}
		return letIn(copies, func(xs ...*lift.Term) *lift.Term { return t.Kids[0].Apply(p[0], lift.Of(lift.Tuple, xs...)) })
	})
	if f.Err() != nil {
		return f
	}
	return lift.Of(t.Op, f, t.Kids[1], t.Arg())
}

// vectorCopy is the copy of x, k by R by r numbers, made in vectors of u by m work-items at a time, in rows of w. In local memory the
// numbers of a row of k stand in the order in which stridesOfChunks of n takes them: n of the first block, n of the second, and
// so on, then the next n of each. The vectors go along the rows (orderStored), or along k (orderAcross), where each of their numbers
// becomes one of another row.
func vectorCopy(x *lift.Term, m, w, n lift.Size, u, order int) *lift.Term {
	lengths, elem := x.Type.Shape()
	steps, blocks, block := lengths[0], lengths[1], lengths[2]
	rows := mapEach(x, func(r *lift.Term) *lift.Term { // k by R by r becomes k by r/n·R·n
		return lift.JoinOf(lift.JoinOf(lift.TransposeOf(mapEach(r, func(b *lift.Term) *lift.Term { return lift.SplitOf(n, b) }))))
	})
	if rows.Err() != nil {
		return rows
	}
	width := blocks.Mul(block)
	id := lift.ID(elem)
	lanes := func(v *lift.Term) *lift.Term { return lift.Of(lift.MapVec, id, v) }
	items := func(trips *lift.Term, copied func(v *lift.Term) *lift.Term) *lift.Term {
		if trips.Err() != nil {
			return trips
		}
		return lift.JoinOf(mapEach(lift.Of(lift.MapSeq, lift.Fn1(trips.Type.Elem, func(c *lift.Term) *lift.Term {
			return lift.MapDim(lift.MapLcl, 1, lift.Fn1(c.Type.Elem, func(l *lift.Term) *lift.Term {
				return lift.MapDim(lift.MapLcl, 0, lift.Fn1(l.Type.Elem, copied), l)
			}), c)
		}), trips), lift.JoinOf))
	}
	grouped := func(list *lift.Term) *lift.Term {
		return mapEach(lift.SplitOf(m, list), func(c *lift.Term) *lift.Term { return lift.SplitOf(w, c) })
	}
	var local *lift.Term
	if order == orderAcross {
		chunks := lift.SplitOf(lift.Nat(int64(u)), lift.JoinOf(lift.TransposeOf(rows)))
		copied := items(grouped(chunks), func(chunk *lift.Term) *lift.Term {
			vectors := lift.AsVectorOf(u, chunk)
			if vectors.Err() != nil {
				return vectors
			}
			kept := lift.Of(lift.ToPrivate, lift.Of(lift.MapSeq, lift.Fn1(vectors.Type.Elem, lanes), vectors))
			return lift.Of(lift.MapSeq, id, lift.Of(lift.AsScalar, kept))
		})
		local = lift.Of(lift.ToLocal, lift.TransposeOf(lift.SplitOf(steps, lift.JoinOf(copied))))
	} else {
		copied := items(grouped(lift.AsVectorOf(u, lift.JoinOf(rows))), lanes)
		local = lift.Of(lift.ToLocal, lift.SplitOf(width, lift.Of(lift.AsScalar, copied)))
	}
	return mapEach(local, func(r *lift.Term) *lift.Term { // k by r/n·R·n becomes k by R by r
		parts := mapEach(lift.SplitOf(blocks.Mul(n), r), func(p *lift.Term) *lift.Term { return lift.SplitOf(n, p) })
		return mapEach(lift.TransposeOf(parts), lift.JoinOf)
	})
}
