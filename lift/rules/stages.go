package rules

import "gpuperf/lift"

// Tiles of pipelines: a stencil of what another one has computed, in a tile. What the first computes for the tile stays there, as Halide's compute_at has
// it; tiles overlap by what all stages need, and compute that twice.

// stageTemplate is the windows of a stage, and the names of their widths, along rows and along columns; "" where they are of one element.
type stageTemplate struct {
	*lift.Template
	width [2]string
}

// stageTemplates are those of one and of two dimensions.
var stageTemplates = [...][]stageTemplate{
	1: {{template("slide(n, s) $ xs"), [2]string{"n", ""}}},
	2: {
		{template("map(transpose) o slide(n, s) o map(slide(m, u)) $ xs"), [2]string{"n", "m"}},
		{template("map(transpose) o slide(n, s) $ xs"), [2]string{"n", ""}},
		{template("map(slide(m, u)) $ xs"), [2]string{"", "m"}},
	},
}

// stage is a map over windows, or over elements: what it computes of each, and how wide that is along each dimension.
type stage struct {
	f    *lift.Term
	wide [2]lift.Size
	slid [2]bool
}

// of is the stage of an array.
func (s *stage) of(x *lift.Term, dims int) *lift.Term {
	one := lift.Nat(1)
	switch {
	case !s.slid[0] && !s.slid[1]:
	case dims == 1 || !s.slid[1]:
		if x = lift.SlideOf(s.wide[0], one, x); dims == 2 {
			x = mapEach(x, lift.TransposeOf)
		}
	case !s.slid[0]:
		x = mapEach(x, func(row *lift.Term) *lift.Term { return lift.SlideOf(s.wide[1], one, row) })
	default:
		x = windowsOf(x, s.wide[:], []lift.Size{one, one})
	}
	return lift.Of(lift.Map, s.f, x)
}

// stageOf is the last stage of a term, and the array that it is of; nil for what is none.
func stageOf(t *lift.Term, dims int) (*stage, *lift.Term) {
	if t.Op != lift.Map || !elementwise(t.Kids[0], dims) {
		return nil, nil
	}
	for _, of := range stageTemplates[dims] {
		b, ok := of.Match(t.Arg())
		if !ok {
			continue
		}
		s := &stage{f: t.Kids[0], wide: [2]lift.Size{lift.Nat(1), lift.Nat(1)}}
		for d, name := range of.width {
			if name == "" {
				continue
			}
			if b.Sizes[map[string]string{"n": "s", "m": "u"}[name]] != lift.Nat(1) {
				return nil, nil
			}
			s.wide[d], s.slid[d] = b.Sizes[name], true
		}
		return s, b.Terms["xs"]
	}
	if !t.Kids[0].Ops().Has(lift.Fun) {
		return nil, nil // a view
	}
	return &stage{f: t.Kids[0], wide: [2]lift.Size{lift.Nat(1), lift.Nat(1)}}, t.Arg()
}

// tileStages computes the stages of a pipeline of one or two dimensions in tiles of so many results. It returns nil for fewer than two.
func tileStages(t *lift.Term, size ...lift.Size) *lift.Term {
	dims, one := len(size), lift.Nat(1)
	var stages []*stage // the last first
	width := append([]lift.Size{}, size...)
	for {
		s, xs := stageOf(t, dims)
		if s == nil {
			break
		}
		stages, t = append(stages, s), xs
		for d := range dims {
			width[d] = width[d].Add(s.wide[d]).Sub(one)
		}
	}
	if lengths, _ := t.Type.Shape(); len(stages) < 2 || stages[0].slid == [2]bool{} || len(lengths) < dims {
		return nil
	}
	inTile := func(tile *lift.Term) *lift.Term {
		for i := len(stages) - 1; i >= 0; i-- {
			tile = stages[i].of(tile, dims)
		}
		return tile
	}
	tiles := windowsOf(t, width, size)
	if dims == 1 {
		return lift.JoinOf(mapEach(tiles, inTile))
	}
	return untiled2D.of(deep(dims, tiles, inTile), "")
}
