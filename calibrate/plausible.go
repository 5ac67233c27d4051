package calibrate

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"gpuperf/calibrate/lm"
	"gpuperf/internal/jsonvalue"
	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
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
	for j, at := range r.P {
		if r.Active[j] {
			continue
		}
		for _, by := range otherwise {
			p[j] = f.inside(j, at*by)
			problem.Residual(p, residuals)
			norm := floats.Norm(residuals, 2)
			z := f.deviations(r, norm)
			if z <= plausible {
				f.raise(r, j, math.Abs(p[j]-at)/max(z, 1))
			} else if norm-r.Norm <= nearly*size {
				near = append(near, slices.Clone(p))
			}
		}
		p[j] = at
	}
	if r.Norm <= nearly*size && len(f.model.Edges().List) > 0 {
		near = append(near, f.nearMinima(r)...)
	}
	return near
}

// nearMinima lists points beside a minimum at which rows without noise are met: a form of overlap is a little less than its larger cost where both are nearly equal, so that two values of a
// cost, next to each other, give the same. Each parameter is changed by steps of two per cent, with the others and with other shapes, and those are taken at
// which the residual is less than at the steps beside them, the least of all first.
func (f *fitter) nearMinima(r *lm.Result) (points [][]float64) {
	const several, step, most = 24, 1.02, 3.0 // points of those found; a step of 2 %, as said; up to three times the value on both sides
	type point struct {
		p    []float64
		norm float64
	}
	var found []point
	problem := f.problem()
	residuals := make([]float64, problem.M)
	for _, base := range f.shaped(r) {
		for j, at := range base {
			if r.Active[j] || at == 0 {
				continue
			}
			p := slices.Clone(base)
			before, last := math.Inf(-1), math.Inf(-1)
			for by := 1 / most; by < most; by *= step {
				p[j] = f.inside(j, at*by)
				problem.Residual(p, residuals)
				norm := floats.Norm(residuals, 2)
				if last < before && last < norm && math.Abs(by/step-1) > step-1 {
					q := slices.Clone(p)
					q[j] = f.inside(j, at*by/step)
					found = append(found, point{q, last})
				}
				before, last = last, norm
			}
		}
	}
	slices.SortStableFunc(found, func(a, b point) int { return cmp.Compare(a.norm, b.norm) })
	return lists.Map(found[:min(several, len(found))], func(c point) []float64 { return c.p })
}

// shaped lists the point of a minimum, and it with other values of each shape parameter.
func (f *fitter) shaped(r *lm.Result) [][]float64 {
	points := [][]float64{r.P}
	for _, name := range f.model.ShapeParameters() {
		i := slices.Index(f.compiled.Parameters, name)
		for _, by := range []float64{0.5, 0.7, 0.8, 0.9, 1.1, 1.25, 1.4, 2} {
			p := slices.Clone(r.P)
			if p[i] = f.inside(i, p[i]*by); p[i] != r.P[i] {
				points = append(points, p)
			}
		}
	}
	return points
}

// verySharp is the edge from which on two costs must be nearly equal for it to matter.
const verySharp = 4 * sharpestEdge

// widenSharp searches from other values of shape parameters where one has no influence, or next to none, as an edge that is very sharp: a softer one with
// another cost may fit as well.
func (f *fitter) widenSharp(ctx context.Context, best *lm.Result, opt Options) {
	lost := f.idle(best)
	for _, direction := range best.Null {
		lost = append(lost, f.involved(direction)...)
	}
	sharp := slices.ContainsFunc(f.model.ShapeParameters(), func(name string) bool { return slices.Contains(lost, name) })
	for _, e := range f.model.Edges().List {
		for _, name := range e.Shapes {
			sharp = sharp || best.P[slices.Index(f.compiled.Parameters, name)] > verySharp
		}
	}
	size, _ := f.norms()
	if !sharp || best.Norm > nearly*size { // of rows with noise other values are plausible, as widen says
		return
	}
	rough := f.rough()
	for _, from := range f.softer(best, opt) {
		r, err := lm.Minimize(ctx, f.problem(), from, &rough)
		if err == nil && r.Norm <= best.Norm*(1+nearlyAsGood)+nearly*size {
			r, err = lm.Minimize(ctx, f.problem(), r.P, &f.lm)
		}
		if ctx.Err() != nil {
			throw.If(context.Cause(ctx))
			return
		}
		if err == nil && f.asGood(r, best) {
			f.widenTo(best, r)
		}
	}
}

// softer lists points with other shape parameters, each alone and with another value of one cost, those that are nearest to the rows.
func (f *fitter) softer(best *lm.Result, opt Options) (points [][]float64) {
	const several = 12 // a bound of the work, as in bestEnds
	for _, p := range f.reshaped(best.P, opt) {
		points = append(points, p)
		for j, at := range p {
			for _, by := range []float64{0.8, 1.25} {
				q := slices.Clone(p)
				if q[j] = f.inside(j, at*by); q[j] != at {
					points = append(points, q)
				}
			}
		}
	}
	problem := f.problem()
	residuals := make([]float64, problem.M)
	norms := map[*float64]float64{}
	for _, p := range points {
		problem.Residual(p, residuals)
		norms[&p[0]] = floats.Norm(residuals, 2)
	}
	points = slices.DeleteFunc(points, func(p []float64) bool { return jsonvalue.Finite(norms[&p[0]]) == nil })
	slices.SortStableFunc(points, func(a, b []float64) int { return cmp.Compare(norms[&a[0]], norms[&b[0]]) })
	return points[:min(several, len(points))]
}

// asGood reports that another minimum fits as well as the best.
func (f *fitter) asGood(r, best *lm.Result) bool {
	size, _ := f.norms()
	return r.Norm <= best.Norm*(1+asGood)+exactly*size
}

// deviations is by how many standard deviations a point with this residual is off, if the minimum is right.
func (f *fitter) deviations(r *lm.Result, norm float64) float64 {
	s := max(r.Norm/math.Sqrt(float64(max(1, r.Freedom))), f.lm.Noise)
	return math.Sqrt(max(0, norm-r.Norm)) * math.Sqrt(norm+r.Norm) / s
}

// widenTo raises the standard errors of parameters by which another minimum differs that fits as well.
func (f *fitter) widenTo(best, rival *lm.Result) {
	if best.Covariance == nil {
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
