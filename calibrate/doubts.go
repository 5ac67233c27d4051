package calibrate

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gpuperf/calibrate/lm"
	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
)

const (
	nearlyAsGood = 1e-2 // relative excess of the residual up to which another end of the search is followed to its minimum
	nearly       = 1e-5 // the same of residuals near 0, as a part of the outputs
	asGood       = 1e-6 // relative excess of the residual up to which that minimum counts as another solution
	distinct     = 5    // standard errors between the parameters of two solutions
	farOff       = 8    // spreads of the residuals from which on a row is an outlier
	fewRows      = 3    // how many outliers are named
	// fewParameters is how many parameters of another solution are named: as many as a message has room for
	fewParameters = 5
	exactly       = 1e-9 // residuals that are rounding errors, as a part of the largest output
)

// rival looks for another minimum that fits as well, with costs far from the best ones: two costs may be exchanged. It starts from where other
// searches ended, and from other values of single parameters that nearly meet the rows. It raises standard errors to reach all that it finds, and
// returns the first; nil where there is none.
func (f *fitter) rival(ctx context.Context, best *lm.Result, others [][]float64) (rival *lm.Result) {
	if !best.Status.Converged() {
		return nil
	}
	size, _ := f.norms() // a residual of 0 has no relative excess
	for _, end := range f.ends {
		if f.elsewhere(end.P, best) && (end.Norm <= best.Norm*(1+nearlyAsGood)+nearly*size || f.deviations(best, end.Norm) <= conceivable) {
			others = append(others, end.P)
		}
	}
	for _, from := range others {
		r, err := lm.Minimize(ctx, f.problem(), from, &f.lm)
		switch {
		case ctx.Err() != nil:
			panic(throw.Of(context.Cause(ctx)))
		case err == nil && f.asGood(r, best):
			if rival == nil && f.elsewhere(r.P, best) {
				rival = r
			}
			f.widenTo(best, r)
		case err == nil && f.deviations(best, r.Norm) <= conceivable:
			for j, v := range r.P {
				f.bend(best, j, v, f.deviations(best, r.Norm))
			}
		}
	}
	return rival
}

// elsewhere reports whether a cost differs by more than its uncertainty and one per cent. Shape parameters may differ with no effect.
func (f *fitter) elsewhere(at []float64, best *lm.Result) bool {
	shape := f.model.ShapeParameters()
	for j, p := range best.P {
		if !slices.Contains(shape, f.compiled.Parameters[j]) && math.Abs(at[j]-p) > distinct*best.StdErr[j]+0.01*math.Abs(p) {
			return true
		}
	}
	return false
}

// doubts lists the evidence of the search and of single rows against the fit.
func (f *fitter) doubts(best, rival *lm.Result) []string {
	var out []string
	if rival != nil {
		apart := func(name string) float64 { // 0 of the same value, 1 of one that is nothing beside the other
			j := slices.Index(f.compiled.Parameters, name)
			return math.Abs(rival.P[j]-best.P[j]) / max(math.Abs(rival.P[j]), math.Abs(best.P[j]), math.SmallestNonzeroFloat64)
		}
		names := slices.Clone(f.compiled.Parameters)
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(apart(b), apart(a)) })
		at := lists.Map(names, func(name string) string {
			return name + " = " + format.Quantity(rival.P[slices.Index(f.compiled.Parameters, name)], f.model.Parameter(name).Unit)
		})
		out = append(out, warning.TwoSolutions.About("", "the rows fit as well with %s", format.First(at, fewParameters)))
	}
	out = append(out, f.bentDoubts(best)...)
	return append(out, f.outliers(best)...)
}

// outliers names the rows far from the fit, by a measure of spread that outliers hardly change: 1.4826 times the median of the
// absolute residuals, which is the standard deviation of normal ones. Where more than half of the rows are met but for rounding errors, that
// tells nothing of the others: the median is that of those that are not, and where these are few, they are what is far.
func (f *fitter) outliers(best *lm.Result) []string {
	type row struct {
		name string
		off  float64 // in spreads
	}
	sizes := make([]float64, len(f.t))
	largest := 0.0
	for i, x := range f.x {
		sizes[i] = math.Abs(f.w[i] * (f.compiled.Eval(x, best.P) - f.t[i]))
		largest = max(largest, math.Abs(f.w[i]*f.t[i]))
	}
	sorted := slices.Sorted(slices.Values(sizes))
	met, _ := slices.BinarySearch(sorted, exactly*largest) // how many rows are
	few := met > len(sorted)/2
	if few && len(sorted)-met > max(1, len(sorted)/10) {
		sorted, few = sorted[met:], false
	}
	spread := 1.4826 * sorted[len(sorted)/2]
	if few {
		spread = exactly * largest
	}
	var off []row
	for i, r := range sizes {
		// What is within a per cent is no outlier, however well the others fit.
		if r > farOff*spread && r > 0.01*math.Abs(f.w[i]*f.t[i]) {
			off = append(off, row{f.label[i], r / spread})
		}
	}
	slices.SortStableFunc(off, func(a, b row) int { return cmp.Compare(b.off, a.off) })
	var out []string
	for i, r := range off {
		switch {
		case i == fewRows:
			return append(out, warning.Outlier.About("", "%d more rows are as far from the fit", len(off)-i))
		case few:
			out = append(out, warning.Outlier.About(r.name, "away from the fit, which meets most other rows exactly"))
		default:
			out = append(out, warning.Outlier.About(r.name, "%.3g times the usual residual away from the fit", r.off))
		}
	}
	return out
}
