package rules

import (
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/lift"
)

// The rules that templates cannot say: they count, or work on as many arrays as there are.

func addCoded() {
	add(
		Rule{
			Name: "iterateSplit", Left: "iterate(i + k, f) $ xs", Right: "iterate(i, f) o iterate(k, f) $ xs", Types: "xs: [A]N",
			Params: []Param{{"k", Count}}, Figure: "6a", on: lift.Set(lift.Iterate), code: iterateSplit,
		},
		Rule{
			Name: "gatherToScatter", Left: "map(f) o gather(p) $ xs", Right: "scatter(q) o map(f) $ xs   (q undoes p)", Types: "xs: [A]N",
			Source: "Lift, corrected", on: lift.Set(lift.Map), arg: lift.Set(lift.Gather), code: gatherToScatter,
		},
		Rule{
			Name: "scatterToGather", Left: "scatter(p) o map(f) $ xs", Right: "map(f) o gather(q) $ xs   (q undoes p)", Types: "xs: [A]N",
			Source: "Lift, corrected", on: lift.Set(lift.Scatter), arg: lift.Set(lift.Map), code: scatterToGather,
		},
		Rule{
			Name: "splitZip", Left: "split(n) $ zip(xs, …)", Right: "map(fun(y => zip(get(0, y), …))) $ zip(split(n) $ xs, …)", Types: "xs: [A]N",
			Source: "Lift: splitIntoZip", on: lift.Set(lift.Split), arg: lift.Set(lift.Zip), code: splitZip,
		},
		Rule{
			Name: "zipJoin", Left: "zip(join $ xs, …)", Right: "join o map(fun(y => zip(get(0, y), …))) $ zip(xs, …)", Types: "xs: [[A]M]N",
			Source: "Lift: joinFromZip", on: lift.Set(lift.Zip), code: zipJoin,
		},
		Rule{
			Name: "mapZipFusion", Left: "map(f) $ zip(map(g) $ xs, …)", Right: "map(fun(y => f(tuple(g(get(0, y)), …)))) $ zip(xs, …)", Types: "xs: [A]N",
			Source: "Lift: mapFusionWithZip", on: lift.Maps, arg: lift.Set(lift.Zip), code: mapZipFusion,
		},
		Rule{
			Name: "mapFission", Left: "map(fun(x => f(g(x)))) $ xs", Right: "map(f) o map(g) $ xs   (f the outermost pattern)", Types: "xs: [A]N",
			Source: "Lift: mapFission", on: lift.Set(lift.Map), fun: lift.Set(lift.Lambda), code: mapFission,
		},
		Rule{
			Name: "vectorizeZip", Left: "map(f) $ zip(xs, …)", Right: "asScalar o map(fun(y => mapVec(f, get(0, y), …))) $ zip(asVector(w) $ xs, …)",
			Types: "xs: [scalar]N", Params: []Param{{"w", Width}}, Source: "Lift: vectorizeMapZip", on: lift.Set(lift.Map), arg: lift.Set(lift.Zip), code: vectorizeZip,
		},
		Rule{
			Name:  "tileStencilsZip2D",
			Left:  "map(fun(r => map(f) $ zip(get(0, r), …))) $ zip(map(transpose) o slide(n, s) o map(slide(m, u)) $ xs, …)",
			Right: "map(join) o join o map(transpose) o map(map(fun(q => the left side on zip(get(0, q), …)))) $ the zip of tiles of t by v: overlapping for what is slid",
			Types: "xs: [[A]M]N", Params: []Param{{"t", Tile}, {"v", Tile}}, Source: "Lift: tile2DStencilsZip", on: lift.Set(lift.Map), arg: lift.Set(lift.Zip), code: func(m *Match) *lift.Term { return tileStencils(m.Term, true, m.Sizes["t"], m.Sizes["v"]) },
		},
		Rule{
			Name: "copyLocalZip2D", Left: "mapWrg(d, f) $ xs", Right: "mapWrg(d, fun(y => f(tuple(toLocal o mapLcl(1, mapLcl(0, id)) $ get(0, y), …)))) $ xs   (what f slides over)",
			Types: "xs: [[[scalar]M]3]N", on: lift.Set(lift.MapWrg), fun: lift.Set(lift.Lambda), code: func(m *Match) *lift.Term { return copyLocalZip(m, 2) },
		},
		Rule{
			Name: "mapFissionZip", Left: "map(fun(x => f(x, g(x)))) $ xs", Right: "map(fun(y => f(get(0, y), get(1, y)))) $ zip(xs, map(g) $ xs)   (f the outermost pattern)",
			Types: "xs: [A]N", Source: "Lift: mapFissionCreateZip", on: lift.Set(lift.Map), fun: lift.Set(lift.Lambda), code: mapFissionZip,
		},
		Rule{Name: "letInline", Left: "let(y = x, f(y))", Right: "f(x)", Types: "xs: [A]N", on: lift.Set(lift.Let), code: func(m *Match) *lift.Term { return m.Term.Kids[0].Apply(m.Term.Kids[1]) }},
		Rule{
			Name: "zipRotate", Left: "map(f) $ zip(xs, …)", Right: "map(fun(y => f(tuple(get(k, y), …))) $ zip(…, xs)   (rotated)", Types: "xs: [A]N",
			Source: "RISE: zip rotate", on: lift.Set(lift.Map), arg: lift.Set(lift.Zip), code: zipRotate,
		},
	)
}

func iterateSplit(m *Match) *lift.Term {
	t, k := m.Term, m.Ints["k"]
	if k < 0 || k > t.Ints[0] {
		return nil
	}
	return lift.IterateOf(t.Ints[0]-k, t.Kids[0], lift.IterateOf(k, t.Kids[0], t.Arg()))
}

func gatherToScatter(m *Match) *lift.Term {
	t := m.Term
	inv := t.Arg().Index.Inverse(t.Type.Len)
	if inv == nil {
		return nil
	}
	return lift.ScatterOf(inv, lift.Of(lift.Map, t.Kids[0], t.Arg().Arg()))
}

func scatterToGather(m *Match) *lift.Term {
	t := m.Term
	inv := t.Index.Inverse(t.Type.Len)
	if inv == nil {
		return nil
	}
	return lift.Of(lift.Map, t.Arg().Kids[0], lift.GatherOf(inv, t.Arg().Arg()))
}

func splitZip(m *Match) *lift.Term {
	t := m.Term
	parts := lists.Map(t.Arg().Kids, func(k *lift.Term) *lift.Term { return lift.SplitOf(t.Sizes[0], k) })
	return zipDeep(2, parts...)
}

func zipJoin(m *Match) *lift.Term {
	t := m.Term
	var parts []*lift.Term
	for _, k := range t.Kids {
		if k.Op != lift.Join || k.Arg().Type.Elem.Len != t.Kids[0].Arg().Type.Elem.Len {
			return nil
		}
		parts = append(parts, k.Arg())
	}
	return lift.JoinOf(zipDeep(2, parts...))
}

func mapZipFusion(m *Match) *lift.Term {
	t := m.Term
	zip := t.Arg()
	parts, fused := make([]*lift.Term, len(zip.Kids)), false
	for i, k := range zip.Kids {
		parts[i] = k
		if !k.Ops().Has(lift.Fun) {
			continue // a view costs nothing where it is
		}
		if k.Op == lift.Map || k.Op == t.Op && len(k.Ints) == len(t.Ints) && (len(k.Ints) == 0 || k.Ints[0] == t.Ints[0]) {
			parts[i], fused = k.Arg(), true
		}
	}
	arrays := lift.Of(lift.Zip, parts...)
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
			return lift.Of(lift.Let, lift.Fn1(a.Type, func(x *lift.Term) *lift.Term {
				rest := slices.Clone(args)
				rest[i] = x
				return applyTuple(f, rest)
			}), a)
		}
	}
	return f.Apply(lift.Of(lift.Tuple, args...))
}

// mapFission cuts the function of a map after everything but its outermost pattern.
func mapFission(m *Match) *lift.Term {
	t := m.Term
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
		kids := slices.Clone(body.Kids)
		for i := range kids[:len(kids)-1] {
			kids[i] = lift.Shift(kids[i], -1)
		}
		kids[len(kids)-1] = y
		return body.With(kids...)
	})
	g := lift.Make(lift.Lambda, t.Kids[0].Attr, inner)
	return lift.Of(lift.Map, outer, lift.Of(lift.Map, g, t.Arg()))
}

func zipRotate(m *Match) *lift.Term {
	t := m.Term
	kids := t.Arg().Kids
	n := len(kids)
	arrays := lift.Of(lift.Zip, append(slices.Clone(kids[1:]), kids[0])...)
	f := lift.Fn1(arrays.Type.Elem, func(y *lift.Term) *lift.Term {
		args := gets(y, n)
		return t.Kids[0].Apply(lift.Of(lift.Tuple, append(args[n-1:], args[:n-1]...)...))
	})
	return lift.Of(lift.Map, f, arrays)
}

// vectorizeZip needs a function that calls one operation with the components of its tuple.
func vectorizeZip(m *Match) *lift.Term {
	t, w := m.Term, m.Ints["w"]
	if t.Type.Elem.Kind != lift.ScalarType {
		return nil
	}
	kids := t.Arg().Kids
	op := t.Kids[0].Uncurried()
	if op == nil || len(op.Defs) == 0 || op.Body != "" || slices.ContainsFunc(op.Params, func(p lift.Param) bool { return p.Type.Kind != lift.ScalarType }) {
		return nil
	}
	parts := lists.Map(kids, func(k *lift.Term) *lift.Term { return lift.AsVectorOf(w, k) })
	arrays := lift.Of(lift.Zip, parts...)
	if arrays.Err() != nil {
		return arrays
	}
	return lift.Of(lift.AsScalar, lift.Of(lift.Map, lift.Fn1(arrays.Type.Elem, func(y *lift.Term) *lift.Term {
		return lift.Of(lift.MapVec, append([]*lift.Term{lift.FunOf(op)}, gets(y, len(kids))...)...)
	}), arrays))
}

// mapEach maps a view over an array.
func mapEach(xs *lift.Term, f func(x *lift.Term) *lift.Term) *lift.Term {
	if xs.Err() != nil {
		return xs
	}
	if xs.Type.Kind != lift.ArrayType {
		return lift.JoinOf(xs) // an error that says so
	}
	return lift.Of(lift.Map, lift.Fn1(xs.Type.Elem, f), xs)
}

// copyLocalZip copies those components of dims dimensions that the function slides over: they are read more than once.
func copyLocalZip(m *Match, dims int) *lift.Term {
	t := m.Term
	f, param := t.Kids[0], t.Kids[0].Params[0]
	if param.Kind != lift.TupleType {
		return nil
	}
	copied := make([]bool, len(param.Elems))
	any := false
	lift.Walk(f.Body(), lift.Set(lift.Slide), func(t *lift.Term) {
		base := t.Arg()
		if base.Op == lift.Map {
			base = base.Arg()
		}
		if base.Op == lift.Get && base.Kids[0].Op == lift.Var && base.Kids[0].Type == param {
			if lengths, number := param.Elems[base.Ints[0]].Shape(); len(lengths) == dims && number.IsData() {
				copied[base.Ints[0]], any = true, true
			}
		}
	})
	if !any {
		return nil
	}
	return lift.Make(t.Op, t.Attr, lift.Fn1(param, func(q *lift.Term) *lift.Term {
		return withCopies(f, gets(q, len(param.Elems)), copied, dims, 0)
	}), t.Arg())
}

func withCopies(f *lift.Term, args []*lift.Term, copied []bool, dims, from int) *lift.Term {
	for i := from; i < len(args); i++ {
		if !copied[i] {
			continue
		}
		local := lift.Of(lift.ToLocal, copyLcl(args[i], dims))
		return lift.Fn1(local.Type, func(c *lift.Term) *lift.Term {
			rest := slices.Clone(args)
			rest[i] = c
			return withCopies(f, rest, copied, dims, i+1)
		}).ApplyOnce(local)
	}
	return f.Apply(lift.Of(lift.Tuple, args...))
}

// copyLcl copies an array of dims dimensions, each by work-items along the one of its number, counted from inside.
func copyLcl(xs *lift.Term, dims int) *lift.Term {
	if dims == 1 {
		return lift.MapDim(lift.MapLcl, 0, lift.ID(xs.Type.Elem), xs)
	}
	return lift.MapDim(lift.MapLcl, dims-1, lift.Fn1(xs.Type.Elem, func(x *lift.Term) *lift.Term { return copyLcl(x, dims-1) }), xs)
}

// mapFissionZip is mapFission for a function whose outermost pattern also uses the parameter elsewhere.
func mapFissionZip(m *Match) *lift.Term {
	t := m.Term
	body := t.Kids[0].Body()
	if len(body.Kids) < 2 || body.Op == lift.Call {
		return nil
	}
	last := body.Arg()
	if last.Op == lift.Var || !lift.Uses(last, 0) {
		return nil
	}
	in := t.Arg().Type.Elem
	g := lift.Make(lift.Lambda, t.Kids[0].Attr, last)
	// The function of the pair: the parameter in the other kids is its first component, the last kid its second.
	outer := lift.Fn1(lift.TupleOf(in, last.Type), func(y *lift.Term) *lift.Term {
		kids := slices.Clone(body.Kids)
		for i, k := range kids[:len(kids)-1] {
			if k.Op == lift.Fun {
				continue
			}
			kids[i] = instantiate(k, lift.GetOf(0, y), t.Kids[0].Params)
		}
		kids[len(kids)-1] = lift.GetOf(1, y)
		return body.With(kids...)
	})
	return lift.Of(lift.Map, outer, lift.Of(lift.Zip, t.Arg(), lift.Of(lift.Map, g, t.Arg())))
}

// instantiate puts x in the place of the innermost variable of a term, which may be a function.
func instantiate(t, x *lift.Term, params []*lift.Type) *lift.Term {
	if t.Op != lift.Lambda {
		return lift.Make(lift.Lambda, lift.Attr{Params: params}, t).Apply(x)
	}
	return lift.Fn(t.Params, func(ys ...*lift.Term) *lift.Term {
		// Under its own parameters the variable is the next one outwards.
		all := slices.Concat(params, t.Params)
		return lift.Make(lift.Lambda, lift.Attr{Params: all}, t.Kids[0]).Apply(append([]*lift.Term{x}, ys...)...)
	})
}
