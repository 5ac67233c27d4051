package rules

import "gpuperf/lift"

// Rules for what a work-item keeps of a stencil's grid: blocks of it in private memory, whose rows are read in vectors.

func addRows() {
	add(
		Rule{
			Name: "copyPrivateZip", Left: "mapGlb(d, f) $ xs", Right: "mapGlb(d, fun(y => f(tuple(toPrivate o mapSeq(mapSeq(id)) $ get(0, y), …)))) $ xs   (of two or three dimensions)",
			Types: "xs: [[[scalar]2]M]N", on: lift.Set(lift.MapGlb), fun: lift.Set(lift.Lambda), code: copyPrivateZip,
		},
		Rule{
			Name: "copyPrivateGlb3D", Left: "mapGlb(d, f) $ xs", Right: "mapGlb(d, fun(y => f(toPrivate o mapSeq(mapSeq(mapSeq(id))) $ y))) $ xs",
			Types: "xs: [[[[scalar]2]3]M]N",
		},
		Rule{
			Name: "mapSeqRest", Left: "mapSeq(f) $ xs", Right: "append(mapSeq(f) o drop(n) $ xs, mapSeq(f) o take(n) $ xs)", Types: "xs: [A]N",
			Params: []Param{{"n", First}},
		},
		Rule{
			Name: "resultsTogether", Left: "mapSeq(f) $ xs", Right: "mapSeq(id) o toPrivate o mapSeq(f) $ xs", Types: "xs: [A]N", Where: []Condition{inThread},
		},
		Rule{
			Name: "resultVectors", Left: "mapSeq(f) $ xs", Right: "asScalar o mapSeq(fun(y => mapVec(id, y))) o asVector(w) o toPrivate o mapSeq(f) $ xs",
			Types: "xs: [A]N", Params: []Param{{"w", Width}}, Where: []Condition{inThread},
		},
	)
}

// copyPrivateZip copies the arrays of numbers of two or three dimensions that a tuple has.
func copyPrivateZip(m *Match) *lift.Term {
	t := m.Term
	f, param := t.Kids[0], t.Kids[0].Params[0]
	if param.Kind != lift.TupleType {
		return nil
	}
	some := false
	g := lift.Fn1(param, func(q *lift.Term) *lift.Term {
		parts := gets(q, len(param.Elems))
		var arrays []*lift.Term
		var which []int
		for i, p := range parts {
			if lengths, number := p.Type.Shape(); (len(lengths) == 2 || len(lengths) == 3) && number.Kind == lift.ScalarType {
				arrays, which = append(arrays, lift.Of(lift.ToPrivate, copySeq(p))), append(which, i)
			}
		}
		some = len(arrays) > 0
		return letIn(arrays, func(xs ...*lift.Term) *lift.Term {
			for k, i := range which {
				parts[i] = xs[k]
			}
			return f.Apply(lift.Of(lift.Tuple, parts...))
		})
	})
	if !some {
		return nil
	}
	return lift.Make(t.Op, t.Attr, g, t.Arg())
}

// copySeq copies an array, as deep as it is, one element after the other.
func copySeq(xs *lift.Term) *lift.Term {
	elem := xs.Type.Elem
	if elem.Kind != lift.ArrayType {
		return lift.Of(lift.MapSeq, lift.ID(elem), xs)
	}
	return lift.Of(lift.MapSeq, lift.Fn1(elem, copySeq), xs)
}
