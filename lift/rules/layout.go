package rules

import "gpuperf/lift"

// Rules for the layout of what a work-group keeps of the operands of a product, and for reading it in vectors.

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

// copyVectors computes copies of operands in vectors.
func copyVectors(m *Match) *lift.Term {
	return copyOperands(m, func(x *lift.Term, order int) *lift.Term {
		return vectorCopy(x, m.Sizes["m"], m.Sizes["w"], m.Sizes["n"], m.Ints["u"], order)
	})
}

// vectorAlong and vectorAcross are the copies with vectors along rows of v numbers, and along k = v; k by R by r becomes k by r/n·R·n.
var (
	vectorAlong = formOf("map(map(join) o transpose o map(split(n)) o split(t)) o toLocal o split(v) o asScalar o join o map(join) o mapSeq(mapLcl(1, mapLcl(0, fun(y => mapVec(id, y))))) o map(split(s)) o split(m) o " +
		"asVector(w) o join o map(join o join o transpose o map(split(n))) $ xs")
	vectorAcross = formOf("map(map(join) o transpose o map(split(n)) o split(t)) o toLocal o transpose o split(v) o join o join o map(join) o mapSeq(mapLcl(1, mapLcl(0, mapSeq(id) o asScalar o toPrivate o mapSeq(fun(y => mapVec(id, y))) o asVector(w)))) o map(split(s)) o split(m) o " +
		"split(w) o join o transpose o map(join o join o transpose o map(split(n))) $ xs")
)
