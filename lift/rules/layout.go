package rules

import (
	"fmt"

	"gpuperf/lift"
)

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
	const (
		local  = "map(map(join) o transpose o map(split(n)) o split(t)) o toLocal o "
		copied = "join o map(join) o mapSeq(mapLcl(1, mapLcl(0, %s))) o map(split(s)) o split(m) o "
		rows   = "map(join o join o transpose o map(split(n))) $ xs" // k by R by r becomes k by r/n·R·n
	)
	along := fmt.Sprintf(copied, "fun(y => mapVec(id, y))")
	across := fmt.Sprintf(copied, "mapSeq(id) o asScalar o toPrivate o mapSeq(fun(y => mapVec(id, y))) o asVector(w)")
	vectorAlong = formOf(local + "split(v) o asScalar o " + along + "asVector(w) o join o " + rows)
	vectorAcross = formOf(local + "transpose o split(v) o join o " + across + "split(w) o join o transpose o " + rows)
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
	lengths, _ := x.Type.Shape()
	lanes, rest := lift.Nat(int64(u)), lengths[1].Mul(n)
	if order == orderAcross {
		return vectorAcross.of(x, "mnswtv", m, n, w, lanes, rest, lengths[0])
	}
	return vectorAlong.of(x, "mnswtv", m, n, w, lanes, rest, lengths[1].Mul(lengths[2]))
}

// vectorAlong and vectorAcross are the copies with vectors along rows of v numbers, and along k = v.
var vectorAlong, vectorAcross form
