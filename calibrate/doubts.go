package calibrate

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"gpuperf/calibrate/lm"
	"gpuperf/internal/format"
	"gpuperf/internal/warning"
)

const (
	nearlyAsGood = 1e-2 // relative excess of the residual up to which another end of the search is followed to its minimum
	nearly       = 1e-5 // the same of residuals near 0, as a part of the outputs
	asGood       = 1e-6 // relative excess of the residual up to which that minimum counts as another solution
	distinct     = 5    // standard errors between the parameters of two solutions
	farOff       = 8    // spreads of the residuals from which on a row is an outlier
	fewRows      = 3    // how many outliers are named
	exactly      = 1e-9 // residuals that are rounding errors, as a part of the largest output
)

// rival looks for another minimum that fits as well, with costs far from the best ones: two costs may be exchanged. It starts from where other
// searches ended, and from other values of single parameters that nearly meet the rows. It raises standard errors to reach all that it finds, and
// returns the first; nil where there is none.
func (f *fitter) rival(ctx context.Context, best *lm.Result, others [][]float64) (rival *lm.Result, err error) {
	if !best.Status.Converged() {
		return nil, nil
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
			return nil, context.Cause(ctx)
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
	return rival, nil
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
		var at []string
		for j, name := range f.compiled.Parameters {
			at = append(at, name+" = "+format.Quantity(rival.P[j], f.model.Parameter(name).Unit))
		}
		out = append(out, warning.TwoSolutions.About("", "the rows fit as well with %s", strings.Join(at, ", ")))
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

const (
	profileWork  = 20_000 // rows times the square of the parameters up to which profiles are computed: some 200 fits of one parameter less
	profileFrom  = 4      // standard errors at which a profile begins: were the model linear, such a value would be no plausible one
	profileSteps = 10     // each of which doubles the distance
	lower        = 1e-6   // relative decrease of the residual that is another minimum
	conceivable  = 3      // standard deviations of the rows up to which a value of a parameter is followed
	bends        = 2.5    // standard errors for each such deviation from which on a fit says that its standard error is too small
	matters      = 0.1    // relative change of a parameter up to which that does not matter
)

// bent is a value of a parameter that the rows do not exclude, though it is many standard errors away.
type bent struct{ value, deviations float64 }

// bend notes such a value, the farthest of each parameter.
func (f *fitter) bend(r *lm.Result, j int, value, deviations float64) {
	off := math.Abs(value - r.P[j])
	if off < bends*max(1, deviations)*r.StdErr[j] || off < matters*math.Abs(r.P[j]) || r.Active[j] {
		return
	}
	if b, ok := f.bent[j]; ok && math.Abs(b.value-r.P[j]) >= off {
		return
	}
	if f.bent == nil {
		f.bent = map[int]bent{}
	}
	f.bent[j] = bent{value, deviations}
}

// bentDoubts says for which parameters standard errors promise too much.
func (f *fitter) bentDoubts(r *lm.Result) (out []string) {
	for j, name := range f.compiled.Parameters {
		if b, ok := f.bent[j]; ok && !vague(r, j) {
			unit := f.model.Parameter(name).Unit
			out = append(out, warning.Undetermined.About(name, "less certain than its standard error of %s says, as the model bends: %s is %.2g standard deviations of the rows away",
				format.Quantity(r.StdErr[j], unit), format.Quantity(b.value, unit), max(b.deviations, 0.1)))
		}
	}
	return out
}

// profile looks for where the model bends: with a parameter held away from the minimum, the others are fitted again, as far away as that is
// conceivable (Bates and Watts, section 6.1). It returns a point with a lower residual where it meets one: the minimum was none; nil else.
func (f *fitter) profile(ctx context.Context, r *lm.Result) (better []float64, err error) {
	if r.Covariance == nil || f.model.Linear() || len(f.t)*len(r.P)*len(r.P) > profileWork {
		return nil, nil
	}
	size, _ := f.norms()
	settings := f.rough()
	settings.Lower, settings.Upper = slices.Clone(f.lm.Lower), slices.Clone(f.lm.Upper)
	for j, at := range r.P {
		if by := profileFrom * r.StdErr[j]; r.Active[j] || !(by > 0) || math.IsInf(by, 0) {
			continue
		}
		for _, by := range []float64{-profileFrom * r.StdErr[j], profileFrom * r.StdErr[j]} {
			p := slices.Clone(r.P)
			for range profileSteps {
				if p[j] = at + by; p[j] < f.lm.Lower[j] || p[j] > f.lm.Upper[j] || p[j]*at < 0 {
					break
				}
				settings.Lower[j], settings.Upper[j] = p[j], math.Nextafter(p[j], math.Inf(1))
				end, err := lm.Minimize(ctx, f.problem(), p, &settings)
				if ctx.Err() != nil {
					return nil, context.Cause(ctx)
				}
				if err != nil {
					break
				}
				if r.Norm-end.Norm > max(lower*r.Norm, exactly*size) {
					return end.P, nil
				}
				z := f.deviations(r, end.Norm)
				if z > conceivable {
					break
				}
				f.bend(r, j, p[j], z)
				p, by = end.P, 2*by
			}
		}
		settings.Lower[j], settings.Upper[j] = f.lm.Lower[j], f.lm.Upper[j]
	}
	return nil, nil
}

// profiled is the minimum with what its profiles say, or a better one that these lead to.
func (f *fitter) profiled(ctx context.Context, best *lm.Result) (*lm.Result, error) {
	const rounds = 4 // each begins at a better minimum than the one before
	for range rounds {
		better, err := f.profile(ctx, best)
		if better == nil || err != nil {
			return best, err
		}
		next, err := f.best(ctx, nil, [][]float64{better}, &f.lm)
		if err != nil || next.Norm >= best.Norm {
			return best, err
		}
		best = after(best, next)
		f.bent = nil
	}
	return best, nil
}

// Verdict says in a word what a fit is worth.
type Verdict string

// The verdicts, the worst first.
const (
	NotConverged  Verdict = "not converged"
	PoorFit       Verdict = "poor fit"
	NotIdentified Verdict = "not identified" // the rows are met, by parameters that they do not determine
	GoodFit       Verdict = "good fit"
)

const (
	// poorMisfit is the misfit from which on a fit is poor: a fourth of the outputs. Models of time that serve are two or three times closer.
	poorMisfit = 0.25
	// flat is the misfit below which a fit is not judged by how a constant fits: outputs that hardly differ are met by anything.
	flat = 0.05
	// unmeasured is a misfit that is less than any of measured times.
	unmeasured = 1e-3
	// noInfluence is the part of all outputs by which a parameter changes them, when it is doubled, that is next to rounding errors.
	noInfluence = 1e-10
)

// judge sets the misfit and the verdict of a fit, and takes the certainty from parameters that have no influence: where the rows are met exactly, their
// standard errors are 0.
func (f *fitter) judge(fit *Fit, r *lm.Result) {
	for _, name := range f.idle(r) {
		fit.Estimate(name).StdErr = math.Inf(1)
	}
	size, constant := f.norms()
	if size > 0 {
		fit.Misfit = r.Norm / size
	}
	switch {
	case !r.Status.Converged():
		fit.Verdict = NotConverged
	case fit.Misfit > poorMisfit, fit.Misfit > flat && r.Norm > constant:
		fit.Verdict = PoorFit
	case len(r.Null) > 0 || len(f.idle(r)) > 0 || len(f.widened) > 0:
		fit.Verdict = NotIdentified
	default:
		fit.Verdict = GoodFit
	}
}

// dubious reports that the end of a search may be no minimum that anyone looks for: it is far from the rows, or parameters ran to where they have no
// influence; or that it is nearer to the rows than measurements are to anything, and does not meet them: they are those of a model, with other parameters.
func (f *fitter) dubious(r *lm.Result) bool {
	size, _ := f.norms()
	if r.Norm > exactly*size && r.Norm < unmeasured*size {
		return true
	}
	return !r.Status.Converged() || r.Norm > flat*size || len(r.Null) > 0 || len(f.idle(r)) > 0
}

// norms are those of the weighted outputs, and of what the best constant leaves of them.
func (f *fitter) norms() (size, constant float64) {
	ww, wt := 0.0, 0.0
	for i, t := range f.t {
		ww, wt = ww+f.w[i]*f.w[i], wt+f.w[i]*f.w[i]*t
	}
	for i, t := range f.t {
		size, constant = math.Hypot(size, f.w[i]*t), math.Hypot(constant, f.w[i]*(t-wt/ww))
	}
	return size, constant
}

// idle lists the parameters that are not held at a bound, and that change the outputs by no more than rounding errors do: at a saturated edge, say.
func (f *fitter) idle(r *lm.Result) (names []string) {
	size, _ := f.norms()
	grad, influence := make([]float64, len(r.P)), make([]float64, len(r.P))
	for i, x := range f.x {
		f.compiled.Gradient(x, r.P, grad)
		for j, g := range grad {
			influence[j] = math.Hypot(influence[j], f.w[i]*g*r.P[j])
		}
	}
	for j, name := range f.compiled.Parameters {
		if !r.Active[j] && r.P[j] != 0 && influence[j] > 0 && influence[j] < noInfluence*size {
			names = append(names, name)
		}
	}
	return names
}

// misfitText says how far the rows are from a fit that is poor.
func (f *fitter) misfitText(fit *Fit, r *lm.Result) string {
	if _, constant := f.norms(); r.Norm > constant {
		return warning.PoorFit.About("", "a constant fits the rows better than the model, which is %s of the outputs off: another minimum or another model is needed, try starting values", format.Percent(fit.Misfit))
	}
	return warning.PoorFit.About("", "the rows are %s of the outputs off (root mean square): the search ended in another minimum than the right one, or the model is not that of the rows; try starting values",
		format.Percent(fit.Misfit))
}
