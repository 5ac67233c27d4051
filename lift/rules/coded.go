package rules

import (
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/lift"
)

// The rules that templates cannot say: they count, or work on as many arrays as there are.

// coded is what makes the right side of a rule that templates cannot express. It is called for terms with an operator in on, whose array has an operator in arg
// and whose function one in fun (0: any), and returns nil where the rule does not match.
type coded struct {
	code         func(m *Match) *lift.Term
	on, arg, fun lift.OpSet
}

// codes are those of the rules in rules.txt that are no equations of templates, by their names.
var codes = func() map[string]coded {
	var (
		maps, zips = lift.Set(lift.Map), lift.Set(lift.Zip)
		lambdas    = lift.Set(lift.Lambda)
		segments   = lift.Set(lift.ReduceSegments)
		views      = lift.Set(lift.Get, lift.Split, lift.Join, lift.Transpose, lift.Gather, lift.Scatter, lift.Take, lift.Drop, lift.Slide, lift.Pad, lift.Inset, lift.Unzip, lift.Map, lift.Reduce, lift.Scan, lift.ScanBefore, lift.At)
		arrays     = lift.Set(lift.Pad, lift.PadConst, lift.Slide, lift.Gather, lift.Split, lift.Join, lift.Transpose, lift.Scan, lift.ScanBefore, lift.Map, lift.Take, lift.Drop, lift.Scatter, lift.Unzip)
	)
	return map[string]coded{
		"iterateSplit":        {iterateSplit, lift.Set(lift.Iterate), 0, 0},
		"gatherToScatter":     {gatherToScatter, maps, lift.Set(lift.Gather), 0},
		"scatterToGather":     {scatterToGather, lift.Set(lift.Scatter), maps, 0},
		"splitZip":            {splitZip, lift.Set(lift.Split), zips, 0},
		"zipJoin":             {zipJoin, zips, 0, 0},
		"mapZipFusion":        {mapZipFusion, lift.Maps, zips, 0},
		"mapFission":          {mapFission, maps, 0, lambdas},
		"vectorizeZip":        {vectorizeZip, maps, zips, 0},
		"tileStencilsZip2D":   {tiled(tileStencils, "t", "v"), maps, zips, 0},
		"copyLocalZip2D":      {func(m *Match) *lift.Term { return copyLocalZip(m, 2) }, lift.Set(lift.MapWrg), 0, lambdas},
		"mapFissionZip":       {mapFissionZip, maps, 0, lambdas},
		"letInline":           {func(m *Match) *lift.Term { return m.Term.Kids[0].Apply(m.Term.Kids[1]) }, lift.Set(lift.Let), 0, 0},
		"zipRotate":           {zipRotate, maps, zips, 0},
		"copy":                {func(m *Match) *lift.Term { return copied(m.Term) }, lift.AnyOp, 0, 0},
		"tupleMaps":           {tupleMaps, lift.Set(lift.Tuple), 0, 0},
		"mapPad":              {padMap, lift.Set(lift.Pad), maps, 0},
		"letArg":              {letArg, arrays, 0, 0},
		"generateMap":         {generateMap, lift.Set(lift.Generate), 0, 0},
		"scanSplitFrom":       {scanSplitFrom, lift.Set(lift.Scan, lift.ScanBefore), 0, 0},
		"filterScan":          {filterScan, lift.Set(lift.Filter), 0, 0},
		"segmentsMap":         {func(m *Match) *lift.Term { return overSegments(m, true) }, segments, 0, 0},
		"segmentsRows":        {func(m *Match) *lift.Term { return overSegments(m, false) }, segments, 0, 0},
		"segmentsScan":        {segmentsScan, segments, 0, 0},
		"betweenParts":        {betweenParts, lift.Set(lift.ReduceBetween), 0, 0},
		"letOut":              {letOut, views, lift.Set(lift.Let), 0},
		"betweenMapFusion":    {betweenMapFusion, lift.Set(lift.ReduceBetween), maps, 0},
		"reduceOutwards":      {reduceOutwards, maps, 0, lambdas},
		"copyLocalOperands":   {copyBlocks, lift.Set(lift.ReduceSeq), zips, 0},
		"streamStencilsZip2D": {func(m *Match) *lift.Term { return streamZip(m.Term, 2) }, maps, zips, 0},
		"streamStencilsZip3D": {func(m *Match) *lift.Term { return streamZip(m.Term, 3) }, maps, zips, 0},
		"tileStencils3D":      {tiled(tileStencils, "i", "k", "w"), maps, lift.AnyOp &^ zips, 0},
		"tileStencilsZip3D":   {tiled(tileStencils, "i", "k", "w"), maps, zips, 0},
		"copyLocalZip3D":      {func(m *Match) *lift.Term { return copyLocalZip(m, 3) }, lift.Set(lift.MapWrg), 0, lambdas},
		"reduceMapPad":        {reduceMapPad, lift.Set(lift.Reduce), maps, 0},
		"takeZip":             {takeZip, lift.Set(lift.Take), zips, 0},
		"padStencils":         {padAtEnd("i", "k"), maps, 0, 0},
		"padStencils3D":       {padAtEnd("i", "k", "w"), maps, 0, 0},
		"padStencilsFront":    {padStencilsFront, maps, 0, 0},
		"copyLocalVectors":    {copyVectors, lift.Set(lift.ReduceSeq), zips, 0},
		"copyPrivateZip":      {copyPrivateZip, lift.Set(lift.MapGlb), 0, lambdas},
		"tileSteps":           {tiled(tileSteps, "t"), lift.Set(lift.Iterate), 0, 0},
		"tileSteps2D":         {tiled(tileSteps, "t", "k"), lift.Set(lift.Iterate), 0, 0},
		"tileStages":          {tiled(tileStages, "t"), maps, 0, 0},
		"tileStages2D":        {tiled(tileStages, "t", "k"), maps, 0, 0},
	}
}()

// tiled is the code that makes tiles as large as the parameters say.
func tiled(tile func(t *lift.Term, size ...lift.Size) *lift.Term, params ...string) func(m *Match) *lift.Term {
	return func(m *Match) *lift.Term {
		return tile(m.Term, lists.Map(params, func(p string) lift.Size { return m.Sizes[p] })...)
	}
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
