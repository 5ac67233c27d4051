package calibrate

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gpuperf/calibrate/lm"
	"gpuperf/internal/format"
	"gpuperf/internal/warning"
	"gpuperf/models"
)

// raised is a parameter of the edge of a form of overlap that the rows alone would have made too soft.
type raised struct {
	parameter int
	form      models.Form
	free      float64 // its value by the rows alone
}

// leastNorm is the least exponent of pnorm: at 0.1 two equal costs take 2¹⁰ times as long together as each alone, and from 0 down the norm
// is less than either.
const leastNorm = 0.1

// sharpestEdge is an edge at which overlap falls short of its larger cost by less than [models.Slack], whatever the costs. With x their
// contrast, the form is short by (1 - tanh(p x)) x / (1 + x) of the larger (equation 5 of the Perflex paper, divided by it), which is
// less than max u (1 - tanh u) / p = 0.2785 / p.
const sharpestEdge = 28

// sharpen searches again, with a bound, where the rows alone would have a form of overlap fall below the larger of its costs by more
// than [models.Slack] in some row: then the smooth edge stands for something else than overlap. The bound is the
// softest edge for the costs found, and is found again for those of the next search.
func (f *fitter) sharpen(ctx context.Context, best *lm.Result) (*lm.Result, error) {
	edges := f.model.Edges()
	const rounds = 6 // after which the bound is one for all costs
	for round := range rounds + 1 {
		bounded := false
		for i, e := range edges.List {
			for _, name := range e.Shapes {
				j := slices.Index(f.compiled.Parameters, name)
				if f.short(edges, i, best.P) <= models.Slack*(1+1e-6) {
					continue
				}
				if bound, ok := f.edgeFor(edges, i, j, best.P, round == rounds); ok && bound > f.lm.Lower[j] {
					f.bound(j, bound, e.Form, best.P[j])
					bounded = true
				}
			}
		}
		if !bounded {
			return best, nil
		}
		from := append([][]float64{best.P}, f.bestEnds()...)
		f.ends = nil // they are outside of the bounds
		rough := f.rough()
		end, err := f.best(ctx, nil, from, &rough)
		if err != nil {
			return nil, err
		}
		last, err := f.best(ctx, nil, [][]float64{end.P}, &f.lm)
		if err != nil {
			return nil, err
		}
		best = after(end, last)
	}
	return best, nil
}

// bestEnds are where the best searches ended, apart from each other.
func (f *fitter) bestEnds() (points [][]float64) {
	const several = 12 // ends that are told apart: a bound of the work
	ends := slices.Clone(f.ends)
	slices.SortStableFunc(ends, func(a, b *lm.Result) int { return cmp.Compare(a.Norm, b.Norm) })
	for len(points) < several && len(ends) > 0 {
		p := ends[0].P
		points = append(points, p)
		ends = slices.DeleteFunc(ends, func(r *lm.Result) bool { return f.near(r.P, p) })
	}
	return points
}

// bound is a lower bound of the parameter of an edge.
func (f *fitter) bound(j int, bound float64, form models.Form, free float64) {
	f.lm.Lower = slices.Clone(f.lm.Lower)
	f.lm.Lower[j] = bound
	if !slices.ContainsFunc(f.raised, func(r raised) bool { return r.parameter == j }) {
		f.raised = append(f.raised, raised{j, form, free})
	}
}

// short is how far the i-th form of overlap falls below the larger of its costs in the worst of the rows.
func (f *fitter) short(edges *models.Edges, i int, p []float64) (worst float64) {
	for _, x := range f.x {
		worst = max(worst, edges.Shortfall(i, x, p))
	}
	return worst
}

// edgeFor is the softest edge at which no row falls short; false where the bounds of the model allow none.
func (f *fitter) edgeFor(edges *models.Edges, i, j int, p []float64, whatever bool) (float64, bool) {
	p = slices.Clone(p)
	at := func(v float64) bool {
		p[j] = v
		return f.short(edges, i, p) <= models.Slack
	}
	lo, hi := max(f.lm.Lower[j], 0), float64(sharpestEdge)
	if edges.List[i].Form == models.PNormForm {
		hi = leastNorm
	}
	for tries := 0; !at(hi) && tries < 40; tries++ { // of an expression of the parameter, such as p_edge / 10
		hi *= 2
	}
	if !at(hi) {
		return 0, false
	}
	if !whatever && edges.List[i].Form != models.PNormForm {
		for range 60 {
			if middle := (lo + hi) / 2; at(middle) {
				hi = middle
			} else {
				lo = middle
			}
		}
	}
	hi = min(hi, math.Nextafter(f.lm.Upper[j], math.Inf(-1))) // bounds must leave room
	return hi, hi > f.lm.Lower[j]
}

// edgeDoubts says which edges are bounded, and which fall short all the same, as the model does not allow a sharper one.
func (f *fitter) edgeDoubts(best *lm.Result) (out []string) {
	for _, r := range f.raised {
		name := f.compiled.Parameters[r.parameter]
		out = append(out, warning.SoftEdge.About(name, "bounded to %s and more: the rows alone give %s, with which %s falls below the larger of its costs by more than %.0f %%",
			format.Quantity(f.lm.Lower[r.parameter], ""), format.Quantity(r.free, ""), r.form, 100*models.Slack))
	}
	edges := f.model.Edges()
	for i, e := range edges.List {
		if short := f.short(edges, i, best.P); short > models.Slack*(1+1e-3) {
			out = append(out, warning.SoftEdge.About("", "%s falls below the larger of its costs by %s in a row, and no bound of a parameter can prevent it: predictions do not",
				shortText(e.Text), format.Percent(short)))
		}
	}
	return out
}

// shortText cuts a long expression.
func shortText(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return text
}
