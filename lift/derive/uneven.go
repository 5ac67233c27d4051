package derive

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"gpuperf/internal/intmath"
	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// Recipes cut arrays in chunks and tiles whose lengths divide those of the arrays. Where an array has few divisors, there are recipes
// for a program that computes more elements, which have no effect, or the last ones apart (rules of uneven.go of package rules).

// The names of recipes for lengths with few divisors begin with these words; the rest is the name of the recipe for others.
const paddedRecipe, restRecipe = "padded", "rest apart"

// Family is the name that a recipe has at sizes which chunks and tiles divide, and all the names that it has.
func Family(recipe string) (name string, all []string) {
	for _, words := range []string{paddedRecipe, restRecipe} {
		if rest, ok := strings.CutPrefix(recipe, words+", "); ok {
			recipe = rest
		}
	}
	return recipe, []string{recipe, phrase(paddedRecipe, recipe), phrase(restRecipe, recipe)}
}

// padded is the length to which an array of n elements is padded, so that it has divisors: n itself where it has enough.
func padded(n int64) int64 {
	if n >= 64 && n%16 == 0 && n <= 1<<12 {
		return n
	}
	if n <= 256 {
		return 256
	}
	return multiple(n, min(max(powerBelow(n/64), 64), 1<<14))
}

// paddedSide is padded for a side of an array of two or three dimensions, whose tiles are smaller.
func paddedSide(n int64, innermost bool) int64 {
	switch {
	case n >= 16:
		if n%16 == 0 {
			return n
		}
		return multiple(n, min(max(powerBelow(n/8), 4), 64))
	case innermost:
		return 16
	}
	return max(4, int64(1)<<bits.Len64(uint64(n-1)))
}

// multiple is n rounded up to a multiple of k, powerBelow the largest power of two that is at most n, for an n of at least 1.
func multiple(n, k int64) int64 { return (n + k - 1) / k * k }

func powerBelow(n int64) int64 {
	if n < 1 {
		return 1
	}
	return 1 << (bits.Len64(uint64(n)) - 1)
}

// beginning at another body than the fused one, with the steps that lead to it.
func (e *explorer) beginning(s rules.Strategy) *explorer {
	run := &rules.Run{Options: e.rules, Steps: slices.Clone(e.first)}
	body, err := run.Do(s, e.fused)
	if err != nil || body == e.fused {
		return nil
	}
	other := *e
	other.fused, other.first = body, run.Steps
	return &other
}

// unevenRecipes are the recipes of a nest of maps whose sides are padded, or whose last elements are apart.
func (e *explorer) unevenRecipes(g *grid) []*recipe {
	var list []*recipe
	add := func(other *explorer, how string, keep func(name string) bool) {
		if other == nil {
			return
		}
		grid := other.findGrid()
		if grid == nil {
			return
		}
		grid.vector = grid.vector && (how != paddedRecipe || g.lengths[0]%8 == 0)
		for _, r := range other.gridRecipes(grid) {
			if keep(r.name) {
				r.name, r.from = phrase(how, r.name), other
				if how == paddedRecipe {
					r.build = finally(r.build, other.lastApart)
				}
				list = append(list, r)
			}
		}
	}
	add(e.beginning(e.paddedGrid(g)), paddedRecipe, func(string) bool { return true })
	if n := g.lengths[0]; len(g.lengths) == 1 && g.element.Type.Kind == lift.ScalarType && padded(n) != n {
		main := n - n%min(8*max(powerBelow(n/64), 1), 1<<14)
		add(e.beginning(rules.Below(g.under, restOfMap(main))), restRecipe, vectorsOnly)
	}
	return list
}

// vectorsOnly are the recipes with vectors: for others the rest need not be apart.
func vectorsOnly(name string) bool { return strings.HasPrefix(name, "vectors") }

// restOfMap computes the elements of a map from n on apart, one by each work-item.
func restOfMap(n int64) rules.Strategy {
	return rules.Seq(
		rules.Use("mapRest", "n", lift.Nat(n)),
		rules.AtKid(0, glb0.use),
		rules.AtArg(rules.AtArg(rules.Try(rules.Use("takeZip")))),
	)
}

// paddedGrid pads the sides of a nest of maps, and the reductions of its elements.
func (e *explorer) paddedGrid(g *grid) rules.Strategy {
	more := make([]int64, len(g.lengths))
	some := false
	for d, n := range g.lengths {
		if len(g.lengths) == 1 {
			more[d] = padded(n) - n
		} else {
			more[d] = paddedSide(n, d == len(g.lengths)-1) - n
		}
		some = some || more[d] > 0
	}
	s := rules.Strategy(rules.ID)
	if some {
		stencil := rules.Use("padStencils", "i", lift.Nat(more[0]), "k", lift.Nat(more[min(1, len(more)-1)]))
		if len(more) == 3 {
			stencil = rules.Use("padStencils3D", "i", lift.Nat(more[0]), "k", lift.Nat(more[1]), "w", lift.Nat(more[2]))
		}
		s = rules.Below(g.under, rules.Else(stencil, e.paddedMaps(more)))
	}
	return rules.Seq(s, rules.Repeat(rules.TopDown(e.paddedReduction)))
}

// paddedMaps pads the lengths of nested maps that are no stencil; what surrounds an inner map goes out of the outer one.
func (e *explorer) paddedMaps(more []int64) rules.Strategy {
	s := rules.Strategy(rules.ID)
	if len(more) > 1 {
		s = rules.Seq(inner(nextMap(e.paddedMaps(more[1:]))), rules.Repeat(rules.Seq(rules.Where(buried, rules.Use("mapFission")))))
	}
	if len(more) == 1 {
		s = rules.Try(inner(rules.TopDown(rules.Where(computes, e.paddedColumns))))
	}
	if more[0] == 0 {
		return s
	}
	return rules.Seq(rules.Use("padMap", "r", lift.Nat(more[0])), rules.AtArg(s))
}

// takenColumns takes columns as a whole, where a nest computes one after the other: nothing of those left out is computed then.
var takenColumns = rules.Try(rules.TopDown(rules.Use("takeTranspose")))

// buried are maps of maps with a view around the inner one.
func buried(t *lift.Term) bool { return computes(t) && t.Fn().Body().Op == lift.Take }

// paddedColumns pads the inner of two nested maps between which there are views.
func (e *explorer) paddedColumns(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
	n, err := t.Type.Len.Eval(e.opt.Sizes)
	if err != nil {
		return nil, err
	}
	more := paddedSide(n, true) - n
	if more == 0 || t.Arg().Op == lift.Zip {
		return nil, fmt.Errorf("it has divisors")
	}
	return rules.Use("padMap", "r", lift.Nat(more))(run, t, site)
}

// paddedReduction pads a long reduction.
func (e *explorer) paddedReduction(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
	if t.Op != lift.Reduce {
		return nil, fmt.Errorf("no reduction")
	}
	n, err := t.Arg().Type.Len.Eval(e.opt.Sizes)
	if err != nil {
		return nil, err
	}
	more := paddedSide(n, true) - n
	if n <= unrollable || more == 0 {
		return nil, fmt.Errorf("it has divisors")
	}
	return padReduction(more)(run, t, site)
}

// lastApart takes the last steps of the sequential reductions of the chunks of padded arrays apart: before these no step need ask
// whether its element is padding, where work-items take elements that follow each other.
func (e *explorer) lastApart(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
	return everywhere(ofPadded, e.lastSteps)(run, t, site)
}

// ofPadded is a parallel map over what is arranged of padded arrays.
func ofPadded(t *lift.Term) bool {
	return lift.ParallelMaps.Has(t.Op) && t.Arg().Ops().Has(lift.PadConst) && !t.Arg().Ops().Has(lift.Fun) && t.Fn().Op == lift.Lambda
}

func (e *explorer) lastSteps(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
	var more int64
	lift.Walk(t.Arg(), lift.Set(lift.PadConst), func(p *lift.Term) {
		if n, err := p.Sizes[1].Eval(e.opt.Sizes); err == nil {
			more = max(more, n)
		}
	})
	items, err := t.Type.Len.Eval(e.opt.Sizes)
	if err != nil {
		return nil, err
	}
	steps := lift.Nat(intmath.CeilDiv(more, items))
	last := func(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
		return rules.Use("reduceSeqRest", "n", t.Arg().Type.Len.Sub(steps))(run, t, site)
	}
	ofViews := func(t *lift.Term) bool { return t.Op == lift.ReduceSeq && !t.Arg().Ops().Has(lift.Fun) }
	return inner(everywhere(ofViews, rules.Try(last)))(run, t, site)
}

// finally is build and then another strategy.
func finally(build func(p point) rules.Strategy, last rules.Strategy) func(p point) rules.Strategy {
	return func(p point) rules.Strategy { return rules.Seq(build(p), last) }
}

// padReduction adds elements to a reduction.
func padReduction(more int64) rules.Strategy {
	return func(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
		name := "reducePad"
		if t.Op == lift.Reduce && computes(t.Arg()) {
			name = "reduceMapPad"
		}
		return rules.Use(name, "r", lift.Nat(more))(run, t, site)
	}
}

// unevenReductions are the recipes of a reduction of n elements which are padded, or whose last ones are reduced with the partial results.
func (e *explorer) unevenReductions(n int64) (list []*recipe) {
	for _, w := range []int64{1, 2, 4} {
		before, chunk, name := rules.Strategy(rules.ID), chunker(chunked), ""
		depth := 0 // of the reduction that is padded
		if w > 1 {
			before, chunk, name, depth = vectorized(w), chunkedVectors, fmt.Sprintf("vectors of %d, ", w), 2
		}
		stages := func(how string, rest, long int64, before, after rules.Strategy) {
			for _, stage := range e.stages(long, chunk, w == 1) {
				for _, last := range unevenLast {
					if how == restRecipe && (!strings.HasPrefix(stage.name, "strides") || last.name == unevenLast[0].name) {
						continue // many results are left, which one work-item is slow with
					}
					list = append(list, &recipe{
						name: phrase(how, name+stage.name, last.name), numbers: stage.numbers,
						admits: func(m point) bool { return stage.admits(m) && last.admits(long/stage.chunk(m)+rest) },
						build: func(m point) rules.Strategy {
							s := before0(rest, n, rules.Seq(before, stage.build(m)))
							if rest > 0 {
								s = rules.Seq(s, rules.Use("reduceAppend"))
							}
							return rules.Seq(s, last.build(long/stage.chunk(m)+rest), finish(false), after)
						},
					})
				}
			}
		}
		// As many apart as few partial results are: chunks of the others have many lengths.
		if rest := n % min(powerBelow(n/64), 1<<10); n >= 1<<12 && rest > 0 && e.applies(0, before0(rest, n, before)) {
			stages(restRecipe, rest, (n-rest)/w, before, rules.ID)
		}
		rest := n % w
		long := padded(n / w)
		if n < w || rest == 0 && long == n/w {
			continue
		}
		padding := before
		if more := long - n/w; more > 0 {
			padding = rules.Seq(before, rules.Below(depth, padReduction(more)))
		}
		if e.applies(0, before0(rest, n, padding)) {
			stages(paddedRecipe, rest, long, padding, e.lastApart)
		} else if w == 1 {
			// Without an element that has no effect: chunks as long as there are, and more of a rest.
			rest = n % powerBelow(max(n/16, 1))
			stages(paddedRecipe, rest, n-rest, rules.ID, rules.ID)
		}
	}
	return list
}

// before0 applies a strategy to a reduction of n elements without the last few, which become part of the next reduction.
func before0(rest, n int64, s rules.Strategy) rules.Strategy {
	if rest == 0 {
		return s
	}
	shorter := rules.Seq(
		rules.Try(rules.AtArg(rules.Use("takeMap"))),
		rules.Try(rules.Else(rules.Below(2, rules.Use("takeZip")), rules.AtArg(rules.Use("takeZip")))),
	)
	return rules.Seq(
		rules.Use("reduceRest", "n", lift.Nat(n-rest)),
		rules.AtArg(rules.Seq(
			rules.AtKid(0, rules.Try(rules.Seq(rules.Use("dropMap"), rules.Where(computes, glb0.use)))),
			rules.AtArg(rules.Seq(shorter, s)),
		)),
	)
}

// unevenLast are lastStages for arrays of any length.
var unevenLast = []last{
	lastStages[0],
	{"then one work-group", func(n int64) bool { return n >= 64 && n <= 1<<20 }, func(n int64) rules.Strategy {
		l := int64(64)
		if n >= 1024 {
			l = 256
		}
		s := lastStages[1].build(multiple(n, l))
		if more := multiple(n, l) - n; more > 0 {
			s = rules.Seq(rules.Use("reducePad", "r", lift.Nat(more)), s)
		}
		return s
	}},
}
