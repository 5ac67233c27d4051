package rules

import "gpuperf/lift"

// Rules for what a work-item keeps of a stencil's grid: blocks of it in private memory, whose rows are read in vectors.

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
