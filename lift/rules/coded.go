package rules

import "gpuperf/lift"

// The rules that templates cannot say: they count, or work on as many arrays as there are.

func addCoded() {
	add(
		Rule{
			Name: "iterateSplit", Left: "iterate(i + k, f) $ xs", Right: "iterate(i, f) o iterate(k, f) $ xs", Types: "xs: [A]N",
			Params: []string{"k"}, Source: "001 Fig. 6a", code: iterateSplit,
		},
		Rule{
			Name: "gatherToScatter", Left: "map(f) o gather(p) $ xs", Right: "scatter(q) o map(f) $ xs   (q undoes p)", Types: "xs: [A]N",
			Source: "Lift, corrected", code: gatherToScatter,
		},
		Rule{
			Name: "scatterToGather", Left: "scatter(p) o map(f) $ xs", Right: "map(f) o gather(q) $ xs   (q undoes p)", Types: "xs: [A]N",
			Source: "Lift, corrected", code: scatterToGather,
		},
		Rule{
			Name: "splitZip", Left: "split(n) $ zip(xs, …)", Right: "map(fun(y => zip(get(0, y), …))) $ zip(split(n) $ xs, …)", Types: "xs: [A]N",
			Source: "Lift: splitIntoZip", code: splitZip,
		},
		Rule{
			Name: "zipJoin", Left: "zip(join $ xs, …)", Right: "join o map(fun(y => zip(get(0, y), …))) $ zip(xs, …)", Types: "xs: [[A]M]N",
			Source: "Lift: joinFromZip", code: zipJoin,
		},
		Rule{
			Name: "mapZipFusion", Left: "map(f) $ zip(map(g) $ xs, …)", Right: "map(fun(y => f(tuple(g(get(0, y)), …)))) $ zip(xs, …)", Types: "xs: [A]N",
			Source: "Lift: mapFusionWithZip", code: mapZipFusion,
		},
		Rule{
			Name: "mapFission", Left: "map(fun(x => f(g(x)))) $ xs", Right: "map(f) o map(g) $ xs   (f the outermost pattern)", Types: "xs: [A]N",
			Source: "Lift: mapFission", code: mapFission,
		},
		Rule{
			Name: "zipRotate", Left: "map(f) $ zip(xs, …)", Right: "map(fun(y => f(tuple(get(k, y), …))) $ zip(…, xs)   (rotated)", Types: "xs: [A]N",
			Source: "RISE: zip rotate", code: zipRotate,
		},
	)
}

func iterateSplit(m *Match) *lift.Term {
	t, k := m.Term, m.Ints["k"]
	if t.Op != lift.Iterate || k < 0 || k > t.Ints[0] {
		return nil
	}
	return lift.IterateOf(t.Ints[0]-k, t.Kids[0], lift.IterateOf(k, t.Kids[0], t.Arg()))
}

func gatherToScatter(m *Match) *lift.Term {
	t := m.Term
	if t.Op != lift.Map || t.Arg().Op != lift.Gather {
		return nil
	}
	inv := t.Arg().Index.Inverse(t.Type.Len)
	if inv == nil {
		return nil
	}
	return lift.ScatterOf(inv, lift.MapOf(lift.Map, t.Kids[0], t.Arg().Arg()))
}

func scatterToGather(m *Match) *lift.Term {
	t := m.Term
	if t.Op != lift.Scatter || t.Arg().Op != lift.Map {
		return nil
	}
	inv := t.Index.Inverse(t.Type.Len)
	if inv == nil {
		return nil
	}
	return lift.MapOf(lift.Map, t.Arg().Kids[0], lift.GatherOf(inv, t.Arg().Arg()))
}

// zipEach maps zip over tuples of arrays.
func zipEach(op lift.Op, arrays *lift.Term) *lift.Term {
	return lift.MapOf(op, lift.Fn1(arrays.Type.Elem, func(y *lift.Term) *lift.Term {
		parts := make([]*lift.Term, len(arrays.Type.Elem.Elems))
		for i := range parts {
			parts[i] = lift.GetOf(i, y)
		}
		return lift.ZipOf(parts...)
	}), arrays)
}

func splitZip(m *Match) *lift.Term {
	t := m.Term
	if t.Op != lift.Split || t.Arg().Op != lift.Zip {
		return nil
	}
	var parts []*lift.Term
	for _, k := range t.Arg().Kids {
		parts = append(parts, lift.SplitOf(t.Sizes[0], k))
	}
	arrays := lift.ZipOf(parts...)
	if arrays.Err() != nil {
		return arrays
	}
	return zipEach(lift.Map, arrays)
}

func zipJoin(m *Match) *lift.Term {
	t := m.Term
	if t.Op != lift.Zip {
		return nil
	}
	var parts []*lift.Term
	for _, k := range t.Kids {
		if k.Op != lift.Join || k.Arg().Type.Elem.Len != t.Kids[0].Arg().Type.Elem.Len {
			return nil
		}
		parts = append(parts, k.Arg())
	}
	arrays := lift.ZipOf(parts...)
	if arrays.Err() != nil {
		return arrays
	}
	return lift.JoinOf(zipEach(lift.Map, arrays))
}

func mapZipFusion(m *Match) *lift.Term {
	t := m.Term
	if !lift.Maps.Has(t.Op) || t.Arg().Op != lift.Zip {
		return nil
	}
	zip := t.Arg()
	parts, fused := make([]*lift.Term, len(zip.Kids)), false
	for i, k := range zip.Kids {
		parts[i] = k
		if k.Op == lift.Map || k.Op == t.Op && len(k.Ints) == len(t.Ints) && (len(k.Ints) == 0 || k.Ints[0] == t.Ints[0]) {
			parts[i], fused = k.Arg(), true
		}
	}
	arrays := lift.ZipOf(parts...)
	if !fused || arrays.Err() != nil {
		return nil
	}
	f := lift.Fn1(arrays.Type.Elem, func(y *lift.Term) *lift.Term {
		args := make([]*lift.Term, len(parts))
		for i, k := range zip.Kids {
			if args[i] = lift.GetOf(i, y); parts[i] != k {
				args[i] = k.Kids[0].ApplyOnce(args[i])
			}
		}
		return applyTuple(t.Kids[0], args)
	})
	return lift.Make(t.Op, t.Attr, f, arrays)
}

// applyTuple applies a function of a tuple to components, each of which is computed once.
func applyTuple(f *lift.Term, args []*lift.Term) *lift.Term {
	for i, a := range args {
		if a.Err() == nil && a.Ops().Has(lift.Fun) {
			return lift.LetOf(lift.Fn1(a.Type, func(x *lift.Term) *lift.Term {
				rest := append([]*lift.Term(nil), args...)
				rest[i] = x
				return applyTuple(f, rest)
			}), a)
		}
	}
	return f.Apply(lift.TupleTerm(args...))
}

// mapFission cuts the function of a map after everything but its outermost pattern.
func mapFission(m *Match) *lift.Term {
	t := m.Term
	if t.Op != lift.Map || t.Kids[0].Op != lift.Lambda {
		return nil
	}
	body := t.Kids[0].Body()
	if len(body.Kids) == 0 || body.Op == lift.Call || body.Op == lift.Zip || body.Op == lift.Tuple || body.Op == lift.MapVec {
		return nil
	}
	inner := body.Arg()
	if inner.Op == lift.Var || inner.Type.Kind == lift.FuncType {
		return nil
	}
	for _, k := range body.Kids[:len(body.Kids)-1] {
		if lift.Uses(k, 0) {
			return nil
		}
	}
	outer := lift.Fn1(inner.Type, func(y *lift.Term) *lift.Term {
		kids := append([]*lift.Term(nil), body.Kids...)
		for i := range kids[:len(kids)-1] {
			kids[i] = lift.Shift(kids[i], -1)
		}
		kids[len(kids)-1] = y
		return body.With(kids...)
	})
	g := lift.Make(lift.Lambda, t.Kids[0].Attr, inner)
	return lift.MapOf(lift.Map, outer, lift.MapOf(lift.Map, g, t.Arg()))
}

func zipRotate(m *Match) *lift.Term {
	t := m.Term
	if t.Op != lift.Map || t.Arg().Op != lift.Zip {
		return nil
	}
	kids := t.Arg().Kids
	n := len(kids)
	arrays := lift.ZipOf(append(append([]*lift.Term(nil), kids[1:]...), kids[0])...)
	f := lift.Fn1(arrays.Type.Elem, func(y *lift.Term) *lift.Term {
		args := make([]*lift.Term, n)
		for i := range args {
			args[i] = lift.GetOf((i+n-1)%n, y)
		}
		return t.Kids[0].Apply(lift.TupleTerm(args...))
	})
	return lift.MapOf(lift.Map, f, arrays)
}
