package calibrate

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"gpuperf/calibrate/lm"
)

// roundings is how many units in the last place an output is taken to be off, by its own rounding and that of evaluating the model.
const roundings = 8

// rounding is the standard deviation that the precision of numbers alone gives the weighted residuals.
func (f *fitter) rounding() float64 {
	size, _ := f.norms()
	return roundings * 0x1p-52 * size / math.Sqrt(float64(len(f.t)))
}

// otherwise are the factors by which widen changes each parameter.
var otherwise = []float64{0, 0.01, 0.1, 0.5, 0.8, 1.25, 2, 10, 100}

// plausible is up to how many standard deviations from the minimum a value of a parameter may be the right one.
const plausible = 2

// widen raises standard errors that promise too much. Those of the search are right for a model that is linear near the minimum. But a cost that is
// hidden behind a larger one fits the rows as well where it equals that cost, and there the slopes are steep: the standard error is small, and
// half of the value fits just as well. So each parameter is tried at other values, with the rest unchanged.
//
// With S the sum of squares there, S0 the least, and s² the variance of a residual, such a value is z = √((S - S0)/s²) standard errors away. That
// is the size of the profile t of Bates and Watts, Nonlinear Regression Analysis and Its Applications, 1988, section 6.1, or more, as the
// others are not fitted again; where the model is linear it raises nothing. It returns points that nearly meet the rows.
func (f *fitter) widen(r *lm.Result) (near [][]float64) {
	if r.Covariance == nil || f.model.Linear() {
		return nil
	}
	size, _ := f.norms()
	problem := f.problem()
	residuals, p := make([]float64, problem.M), slices.Clone(r.P)
	s := max(r.Norm/math.Sqrt(float64(r.Freedom)), f.lm.Noise)
	for j, at := range r.P {
		if r.Active[j] {
			continue
		}
		for _, by := range otherwise {
			p[j] = f.inside(j, at*by)
			problem.Residual(p, residuals)
			norm := floats.Norm(residuals, 2)
			z := math.Sqrt(max(0, norm-r.Norm)) * math.Sqrt(norm+r.Norm) / s
			if z <= plausible {
				f.raise(r, j, math.Abs(p[j]-at)/max(z, 1))
			} else if norm-r.Norm <= nearly*size {
				near = append(near, slices.Clone(p))
			}
		}
		p[j] = at
	}
	return near
}

// widenSaturated searches from other values of shape parameters where one has no influence, as an edge that is sharp enough: a softer one with other
// costs may fit as well.
func (f *fitter) widenSaturated(ctx context.Context, best *lm.Result, opt Options) error {
	lost := f.idle(best)
	for _, direction := range best.Null {
		lost = append(lost, f.involved(direction)...)
	}
	if !slices.ContainsFunc(f.model.ShapeParameters(), func(name string) bool { return slices.Contains(lost, name) }) {
		return nil
	}
	for _, from := range f.reshaped(best.P, opt) {
		r, err := lm.Minimize(ctx, f.problem(), from, &f.lm)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil && f.asGood(r, best) {
			f.widenTo(best, r)
		}
	}
	return nil
}

// asGood reports that another minimum fits as well as the best.
func (f *fitter) asGood(r, best *lm.Result) bool {
	size, _ := f.norms()
	return r.Norm <= best.Norm*(1+asGood)+exactly*size
}

// widenTo raises the standard errors of parameters by which another minimum differs that fits as well.
func (f *fitter) widenTo(best, rival *lm.Result) {
	if rival == nil || best.Covariance == nil {
		return
	}
	for j, p := range best.P {
		f.raise(best, j, math.Abs(rival.P[j]-p))
	}
}

// raise makes the standard error of a parameter at least so large.
func (f *fitter) raise(r *lm.Result, j int, stderr float64) {
	if r.Active[j] || !(stderr > r.StdErr[j]) {
		return
	}
	r.StdErr[j] = stderr
	r.Covariance.SetSym(j, j, stderr*stderr)
	if vague(r, j) && !slices.Contains(f.widened, j) {
		f.widened = append(f.widened, j)
	}
}

// vague reports that a parameter is known no better than that it may be 0, or twice as large.
func vague(r *lm.Result, j int) bool { return r.StdErr[j] >= math.Abs(r.P[j]) && !r.Active[j] }
