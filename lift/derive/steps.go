package derive

import (
	"fmt"

	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// timeTiles are the recipes of a program that iterates a stencil of one or two dimensions: a work-group computes b steps of a tile before
// others see its results. What it computes stays in local memory but for the last step.
func (e *explorer) timeTiles(g *grid) (list []*recipe) {
	var iterated *lift.Term
	lift.Walk(e.start.Body, lift.Set(lift.Iterate), func(t *lift.Term) {
		if iterated == nil {
			iterated = t
		}
	})
	if iterated == nil || len(g.lengths) > 2 {
		return nil
	}
	other := *e
	other.fused, other.first = e.start.Body, nil
	dims := len(g.lengths)
	if !other.applies(0, rules.TopDown(stepsInTiles(dims, point{"t": 1, "k": 1}))) {
		return nil
	}
	numbers := []number{{"t", divisors(g.lengths[0], 64, 1024)}, {"b", divisors(int64(iterated.Ints[0]), 2, mostIterations)}}
	name, groups, items := "time tiles of t", nest{wrg0}, nest{lcl0}
	if dims == 2 {
		name, groups, items = "time tiles of t by k", nest{wrg1, wrg0}, nest{lcl1, lcl0}
		numbers[0].values = divisors(g.lengths[0], 4, 64)
		numbers = append(numbers, number{"k", divisors(g.lengths[1], 16, 128)})
	}
	for _, copied := range []named{noCopy, {"local copy", inGroups(rules.Else(rules.Use("copyLocal2D"), rules.Use("copyLocal")))}} {
		list = append(list, &recipe{
			name: phrase(name, "b steps", groups.String()+" "+items.String(), copied.name), numbers: numbers, several: true, from: &other,
			admits: func(p point) bool { return p["t"]*max(1, p["k"]) >= 64 },
			build: func(p point) rules.Strategy {
				tile := rules.Seq(
					stepsInTiles(dims, p),
					rules.Below(2*dims-1, rules.Seq(along(groups, rules.Seq(assign(items), keptInGroup(dims))), copied.use)),
				)
				return rules.Seq(rules.TopDown(rules.Where(is(lift.Iterate), eachSteps(int(p["b"]), tile))), finish(false))
			},
		})
	}
	return list
}

// stagesInTiles are the recipes of a pipeline of stencils, of one or two dimensions: a work-group computes all stages of a tile. What it computes stays in local
// memory but for the last stage.
func (e *explorer) stagesInTiles(g *grid) (list []*recipe) {
	dims := len(g.lengths)
	if dims > 2 || !e.applies(g.under, stagesOf(dims, point{"t": 1, "k": 1})) {
		return nil
	}
	numbers := []number{{"t", divisors(g.lengths[0], 64, 1024)}}
	name, groups, items := "stages in tiles of t", nest{wrg0}, nest{lcl0}
	if dims == 2 {
		name, groups, items = "stages in tiles of t by k", nest{wrg1, wrg0}, nest{lcl1, lcl0}
		numbers = []number{{"t", divisors(g.lengths[0], 4, 64)}, {"k", divisors(g.lengths[1], 16, 128)}}
	}
	for _, copied := range []named{noCopy, {"local copy", inGroups(rules.Else(rules.Use("copyLocal2D"), rules.Use("copyLocal")))}} {
		list = append(list, &recipe{
			name: phrase(name, groups.String()+" "+items.String(), copied.name), numbers: numbers, several: true,
			admits: func(p point) bool { return p["t"]*max(1, p["k"]) >= 64 },
			build: func(p point) rules.Strategy {
				tile := rules.Seq(
					stagesOf(dims, p),
					rules.Below(2*dims-1, rules.Seq(along(groups, rules.Seq(assign(items), keptInGroup(dims))), copied.use)),
				)
				return rules.Seq(rules.Below(g.under, tile), finish(false))
			},
		})
	}
	return list
}

// stagesOf computes the stages of a pipeline in tiles.
func stagesOf(dims int, p point) rules.Strategy {
	if dims == 1 {
		return rules.Seq(unfolded, rules.Use("tileStages", "t", p.size("t")))
	}
	return rules.Seq(unfolded, rules.Use("tileStages2D", "t", p.size("t"), "k", p.size("k")))
}

// unfolded writes a pipeline of stencils as its rules have it: what a stage does with a row is split into maps over all rows, and the border of what a stage
// has computed is one of what it computes that from.
func unfolded(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
	s := rules.Strategy(rules.ID)
	switch {
	case t.Op == lift.Pad && t.Arg().Op == lift.Map:
		s = rules.Seq(rules.Use("mapPad"), unfolded)
	case t.Op == lift.Map && ofRows(t.Fn()):
		s = rules.Seq(rules.Use("mapFission"), unfolded)
	case lift.Set(lift.Map, lift.Slide, lift.Pad).Has(t.Op):
		s = rules.AtArg(unfolded)
	}
	return s(run, t, site)
}

// ofRows reports that a function does several things with an array, one after the other.
func ofRows(f *lift.Term) bool {
	if f.Op != lift.Lambda || len(f.Params) != 1 {
		return false
	}
	body := f.Body()
	return lift.Set(lift.Map, lift.Slide, lift.Pad).Has(body.Op) && lift.Set(lift.Slide, lift.Pad).Has(body.Arg().Op)
}

// stepsInTiles computes the steps of an iterate in tiles.
func stepsInTiles(dims int, p point) rules.Strategy {
	if dims == 1 {
		return rules.Use("tileSteps", "t", p.size("t"))
	}
	return rules.Use("tileSteps2D", "t", p.size("t"), "k", p.size("k"))
}

// eachSteps splits an iterate in such of b steps, and applies a strategy to each.
func eachSteps(b int, s rules.Strategy) rules.Strategy {
	return func(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
		if t.Op != lift.Iterate {
			return nil, fmt.Errorf("%s is no iterate", t.Op)
		}
		if t.Ints[0] <= b {
			return s(run, t, site)
		}
		return rules.Seq(rules.Use("iterateSplit", "k", b), rules.AtArg(s), eachSteps(b, s))(run, t, site)
	}
}

// keptInGroup keeps what the steps before the last compute in local memory.
func keptInGroup(dims int) rules.Strategy {
	return rules.AtArg(everywhere(func(t *lift.Term) bool { return t.Op == lift.MapLcl && t.Ints[0] == dims-1 }, rules.Use("toLocal")))
}
