package rules

import (
	"slices"

	"gpuperf/kernel/expr"
	"gpuperf/lift"
)

// Rules for what stands around the maps of a program: results that nothing computes, that are shown at several places, or that are tuples.

// copied is an array with its elements copied; nil for what is no array of data.
func copied(xs *lift.Term) *lift.Term {
	if xs.Type.Kind != lift.ArrayType {
		return nil
	}
	if xs.Type.Elem.Kind != lift.ArrayType {
		if !xs.Type.Elem.IsData() {
			return nil
		}
		return lift.Of(lift.Map, lift.ID(xs.Type.Elem), xs)
	}
	if lengths, elem := xs.Type.Shape(); len(lengths) == 0 || !elem.IsData() {
		return nil
	}
	return lift.Of(lift.Map, lift.Fn1(xs.Type.Elem, copied), xs)
}

func generateMap(m *Match) *lift.Term {
	indices := m.Term.With(lift.Fn1(lift.Scalar(expr.Int32), func(i *lift.Term) *lift.Term { return i }))
	return lift.Of(lift.Map, m.Term.Fn(), indices)
}

func tupleMaps(m *Match) *lift.Term {
	t := m.Term
	var arrays []*lift.Term
	for _, k := range t.Kids {
		if k.Op != lift.Map {
			return nil
		}
		arrays = append(arrays, k.Arg())
	}
	zip := lift.Of(lift.Zip, arrays...)
	if zip.Err() != nil {
		return nil // of different lengths
	}
	return lift.Of(lift.Unzip, lift.Of(lift.Map, lift.Fn1(zip.Type.Elem, func(y *lift.Term) *lift.Term {
		results := gets(y, len(arrays))
		for i, k := range t.Kids {
			results[i] = k.Fn().Apply(results[i])
		}
		return lift.Of(lift.Tuple, results...)
	}), zip))
}

func padMap(m *Match) *lift.Term {
	pad, f := m.Term, m.Term.Arg()
	return lift.Of(lift.Map, f.Fn(), lift.Make(lift.Pad, pad.Attr, f.Arg()))
}

func letArg(m *Match) *lift.Term {
	t := m.Term
	return lift.Of(lift.Let, lift.Fn1(t.Arg().Type, func(y *lift.Term) *lift.Term {
		kids := slices.Clone(t.Kids)
		kids[len(kids)-1] = y
		return t.With(kids...)
	}), t.Arg())
}
