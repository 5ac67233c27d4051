package rules

import "gpuperf/lift"

// Time tiles: several steps of a stencil in a tile. What a tile needs for all of them is read at once, and it gets smaller by each; tiles
// overlap, and compute what they share twice.

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
	return untiled2D.of(deep(dims, tiles, steps), "")
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
