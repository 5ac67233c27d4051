package rules

import (
	"slices"

	"gpuperf/kernel/expr"
	"gpuperf/lift"
)

// Time tiles: several steps of a stencil in a tile. What a tile needs for all of them is read at once, and it gets smaller by each; tiles
// overlap, and compute what they share twice.

func addSteps() {
	const left = "iterate(j, map(map(f)) o map(transpose) o slide(n, 1) o map(slide(m, 1)) o pad(l, r, wrap) o map(pad(u, v, wrap))) $ xs"
	add(
		Rule{
			Name: "tileSteps", Left: "iterate(j, map(f) o slide(n, 1) o pad(l, r, wrap)) $ xs",
			Right: "join o map(j times map(f) o slide(n, 1)) o slide(t + j*(n - 1), t) o pad(j*l, j*r, wrap) $ xs   (also without pad)", Types: "xs: [A]N",
			Params: []Param{{"t", Tile}}, Source: "overlapped time tiles", on: lift.Set(lift.Iterate), code: func(m *Match) *lift.Term {
				return tileSteps(m.Term, m.Sizes["t"])
			},
		},
		Rule{
			Name: "tileSteps2D", Left: left,
			Right: "map(join) o join o map(transpose) o map(map(j times the stencil without pad)) o its tiles, of t by k results, on pad(j*l, j*r, wrap) o map(pad(j*u, j*v, wrap)) $ xs",
			Types: "xs: [[A]M]N", Params: []Param{{"t", Tile}, {"k", Tile}}, Source: "overlapped time tiles", on: lift.Set(lift.Iterate), code: func(m *Match) *lift.Term {
				return tileSteps(m.Term, m.Sizes["t"], m.Sizes["k"])
			},
		},
	)
}

// tileSteps computes all iterations of a stencil of one or two dimensions in tiles of so many results. It returns nil for what is no
// stencil, and for one whose border is no copy of the opposite one: the border of a tile has other values then after a step.
func tileSteps(t *lift.Term, size ...lift.Size) *lift.Term {
	dims, count := len(size), lift.Nat(int64(t.Ints[0]))
	f := t.Kids[0]
	if t.Ints[0] < 1 || f.Op != lift.Lambda || f.Body().Op != lift.Map || lift.Uses(f.Body().Kids[0], 0) || !elementwise(f.Body().Kids[0], dims) {
		return nil
	}
	b, ok := windowTemplate[dims].Match(f.Body().Arg())
	if !ok {
		return nil
	}
	before, after, ok := wrapped(b.Terms["xs"], dims)
	if !ok {
		return nil
	}
	h := lift.Shift(f.Body().Kids[0], -1)
	wide := []lift.Size{b.Sizes["n"], b.Sizes["m"]}[:dims]
	one := make([]lift.Size, dims)
	width := make([]lift.Size, dims)
	for d := range dims {
		one[d] = lift.Nat(1)
		if b.Sizes[[]string{"s", "u"}[d]] != one[d] {
			return nil
		}
		halo := wide[d].Sub(one[d])
		if none := (lift.Size{}); before[d].Add(after[d]) != halo && (before[d] != none || after[d] != none) {
			return nil // the length changes, and with it what is opposite
		}
		before[d], after[d] = before[d].Mul(count), after[d].Mul(count)
		width[d] = size[d].Add(halo.Mul(count))
	}
	steps := func(tile *lift.Term) *lift.Term {
		for range t.Ints[0] {
			tile = lift.Of(lift.Map, h, windowsOf(tile, wide, one))
		}
		return tile
	}
	tiles := windowsOf(padWrap(t.Arg(), before, after), width, size)
	if dims == 1 {
		return lift.JoinOf(mapEach(tiles, steps))
	}
	return untiled2D(deep(dims, tiles, steps))
}

// wrapped are the elements that an array of so many dimensions, the variable of a function, gets before and after each: those of the
// opposite end. ok is false for other terms.
func wrapped(x *lift.Term, dims int) (before, after []lift.Size, ok bool) {
	before, after = make([]lift.Size, dims), make([]lift.Size, dims)
	for d := 0; d < dims && x.Op != lift.Var; d++ {
		pad := x
		if d > 0 {
			if x.Op != lift.Map || x.Fn().Op != lift.Lambda {
				break
			}
			pad = x.Fn().Body()
		}
		if pad.Op != lift.Pad || lift.PadMode(pad.Ints[0]) != lift.PadWrap || d > 0 && (pad.Arg().Op != lift.Var || pad.Arg().Ints[0] != 0) {
			break
		}
		before[d], after[d] = pad.Sizes[0], pad.Sizes[1]
		x = x.Arg()
	}
	return before, after, x.Op == lift.Var && x.Ints[0] == 0
}

// padWrap adds so many elements of the opposite end to each dimension.
func padWrap(x *lift.Term, before, after []lift.Size) *lift.Term {
	if len(before) > 1 {
		x = mapEach(x, func(r *lift.Term) *lift.Term { return padWrap(r, before[1:], after[1:]) })
	}
	if zero := (lift.Size{}); before[0] == zero && after[0] == zero {
		return x
	}
	return lift.PadOf(before[0], after[0], lift.PadWrap, x)
}

// Rules for what stands around the maps of a program: results that nothing computes, that are shown at several places, or that are tuples.

func addWhole() {
	add(
		Rule{Name: "copy", Left: "xs", Right: "map(id) $ xs   (as deep as its arrays)", Types: "xs: [A]N", on: lift.AnyOp, code: func(m *Match) *lift.Term { return copied(m.Term) }},
		Rule{
			Name: "tupleMaps", Left: "tuple(map(f) $ xs, …)", Right: "unzip o map(fun(y => tuple(f(get(0, y)), …))) $ zip(xs, …)", Types: "xs: [A]N",
			Source: "Lift: tupleMap", on: lift.Set(lift.Tuple), code: tupleMaps,
		},
		Rule{Name: "mapPad", Left: "pad(l, r, mode) o map(f) $ xs", Right: "map(f) o pad(l, r, mode) $ xs", Types: "xs: [A]N", on: lift.Set(lift.Pad), arg: lift.Set(lift.Map), code: padMap},
		Rule{
			Name: "letArg", Left: "p $ xs", Right: "let(y = xs, p $ y)   (p a pattern of one array)", Types: "xs: [A]N",
			on: lift.Set(lift.Pad, lift.PadConst, lift.Slide, lift.Gather, lift.Split, lift.Join, lift.Transpose, lift.Scan, lift.ScanBefore, lift.Map), code: letArg,
		},
		Rule{
			Name: "generateMap", Left: "generate(N, f)", Right: "map(f) $ generate(N, fun(i => i))", Types: "xs: [A]N", on: lift.Set(lift.Generate),
			code: func(m *Match) *lift.Term {
				indices := m.Term.With(lift.Fn1(lift.Scalar(expr.Int32), func(i *lift.Term) *lift.Term { return i }))
				return lift.Of(lift.Map, m.Term.Fn(), indices)
			},
		},
	)
}

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
