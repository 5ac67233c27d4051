package rules

import (
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/lift"
)

// Rules for lengths that chunks, tiles and vectors do not divide: elements are added that have no effect, or the last elements
// are computed apart.

// throughZip applies a view to every array of a zip.
func throughZip(zip *lift.Term, view func(x *lift.Term) *lift.Term) *lift.Term {
	parts := lists.Map(zip.Kids, view)
	return lift.Of(lift.Zip, parts...)
}

func takeZip(m *Match) *lift.Term {
	return throughZip(m.Term.Arg(), func(x *lift.Term) *lift.Term { return m.Term.With(x) })
}

// reduceMapPad adds elements from which the function of the map makes the first operand of the reduction.
func reduceMapPad(m *Match) *lift.Term {
	red, mapped := m.Term, m.Term.Arg()
	g, xs := mapped.Kids[0], mapped.Arg()
	m.Funs = map[string]*lift.Term{"f": red.Kids[0]}
	m.Terms["z"] = red.Kids[1]
	for _, name := range []string{"associative", "neutral"} {
		if !conditions[name].Holds(m) {
			return nil
		}
	}
	c := elementFor(g, xs.Type.Elem, red.Kids[1])
	if c == nil {
		return nil
	}
	padded := padConst(m.Sizes["r"], c, xs)
	return red.With(red.Kids[0], red.Kids[1], mapped.With(g, padded))
}

// padConst adds r elements c after xs: of a zip, after each of its arrays.
func padConst(r lift.Size, c, xs *lift.Term) *lift.Term {
	if xs.Op != lift.Zip || c.Op != lift.Tuple {
		return lift.Make(lift.PadConst, lift.Attr{Sizes: []lift.Size{{}, r}}, c, xs)
	}
	i := -1
	return throughZip(xs, func(x *lift.Term) *lift.Term {
		i++
		return padConst(r, c.Kids[i], x)
	})
}

// elementFor is an element from which g makes z, and which is written as literals; nil where none of a few does.
func elementFor(g *lift.Term, t *lift.Type, z *lift.Term) *lift.Term {
	if !g.Closed() || !z.Closed() || z.Ops()&^lift.Set(lift.Literal, lift.Tuple) != 0 {
		return nil
	}
	want, err := lift.EvalTerm(z, nil, lift.EvalOptions{})
	if err != nil {
		return nil
	}
	for _, number := range []string{"0", "1"} {
		c := filled(t, number)
		if c == nil || c.Err() != nil {
			return nil
		}
		if got, err := lift.EvalTerm(g.Apply(c), nil, lift.EvalOptions{}); err == nil && lift.Same(got, want, 0) == nil {
			return c
		}
	}
	return nil
}

// filled is the number in every part of a scalar, a vector, or a tuple of these; nil for other types.
func filled(t *lift.Type, number string) *lift.Term {
	switch t.Kind {
	case lift.ScalarType:
		return lift.Number(t.DType, number)
	case lift.VectorType:
		return lift.Splat(t.Width, lift.Number(t.DType, number))
	case lift.TupleType:
		var parts []*lift.Term
		for _, e := range t.Elems {
			p := filled(e, number)
			if p == nil {
				return nil
			}
			parts = append(parts, p)
		}
		return lift.Of(lift.Tuple, parts...)
	}
	return nil
}

// padding are the elements that an array gets in front of its first and after its last one.
type padding struct{ front, end lift.Size }

// padAtEnd is the code that pads a stencil with as many elements as the parameters say at the end of each dimension.
func padAtEnd(params ...string) func(m *Match) *lift.Term {
	return func(m *Match) *lift.Term {
		return padStencils(m.Term, lists.Map(params, func(p string) padding { return padding{end: m.Sizes[p]} }))
	}
}

// padStencilsFront pads a stencil of three or two dimensions in front along the innermost one.
func padStencilsFront(m *Match) *lift.Term {
	for dims := 3; dims >= 2; dims-- {
		more := make([]padding, dims)
		more[dims-1].front = m.Sizes["k"]
		if t := padStencils(m.Term, more); t != nil {
			return t
		}
	}
	return nil
}

// padStencils computes a stencil of two or three dimensions, over one grid or over a zip of several, at more places along each:
// grids get elements of any value at their ends, and what is computed there is not written.
func padStencils(t *lift.Term, more []padding) *lift.Term {
	dims := len(more)
	zipped := t.Arg().Op == lift.Zip
	if zipped && elementOf(t.Kids[0], dims) == nil || !zipped && !elementwise(t.Kids[0], dims) {
		return nil
	}
	slid, flat := false, false
	pad := func(x *lift.Term) *lift.Term {
		if lengths, _ := x.Type.Shape(); len(lengths) < dims {
			flat = true
			return x
		}
		b, ok := windowTemplate[dims].Match(x)
		if !ok {
			return padAny(x, more)
		}
		slid = true
		width := []lift.Size{b.Sizes["n"], b.Sizes["m"], b.Sizes["v"]}[:dims]
		step := []lift.Size{b.Sizes["s"], b.Sizes["u"], b.Sizes["t"]}[:dims]
		by := slices.Clone(more)
		for d, p := range by {
			by[d] = padding{p.front.Mul(step[d]), p.end.Mul(step[d])}
		}
		return windowsOf(padAny(b.Terms["xs"], by), width, step)
	}
	arg := t.Arg()
	if zipped {
		arg = throughZip(arg, pad)
	} else {
		arg = pad(arg)
	}
	if !slid || flat {
		return nil
	}
	lengths, _ := t.Type.Shape()
	return taken(t.With(t.Kids[0], arg), lengths[:dims], more)
}

// padAny adds elements of any value around each dimension.
func padAny(x *lift.Term, more []padding) *lift.Term {
	if len(more) > 1 {
		if inner := mapEach(x, func(r *lift.Term) *lift.Term { return padAny(r, more[1:]) }); inner.Err() != nil || inner.Type != x.Type {
			x = inner
		}
	}
	if more[0] == (padding{}) {
		return x
	}
	return lift.PadOf(more[0].front, more[0].end, lift.PadAny, x)
}

// taken are the elements of each dimension, of an array that has others around them.
func taken(x *lift.Term, lengths []lift.Size, more []padding) *lift.Term {
	if len(more) > 1 && slices.ContainsFunc(more[1:], func(p padding) bool { return p != padding{} }) {
		x = mapEach(x, func(r *lift.Term) *lift.Term { return taken(r, lengths[1:], more[1:]) })
	}
	if more[0].front != (lift.Size{}) {
		x = lift.Make(lift.Drop, lift.Attr{Sizes: []lift.Size{more[0].front}}, x)
	}
	if more[0].end != (lift.Size{}) {
		x = lift.Make(lift.Take, lift.Attr{Sizes: lengths[:1]}, x)
	}
	return x
}
