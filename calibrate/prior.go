package calibrate

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"gpuperf/calibrate/lm"
	"gpuperf/models"
)

// Spread says how far one kernel may be from what a general model expects of all: standard deviations of logarithms.
type Spread struct {
	Cost   float64 // of the cost of each kind of work, from kernel to kernel
	Common float64 // of all costs together
	Row    float64 // of a row from the model with the kernel's own costs
}

// KernelSpread is what suited kernels of many kinds best (docs/evaluation.md); half and twice as much does nearly as well.
var KernelSpread = Spread{Cost: 0.4, Common: 0.3, Row: 0.05}

// Prior is what a general fit says of a parameter before a kernel's own rows are seen.
type Prior struct {
	Value  float64 `yaml:"value" json:"value"`
	StdErr float64 `yaml:"stderr" json:"stderr"` // with the spread between kernels
}

// unknownVariance is that of the logarithm of a parameter that the general fit does not determine.
const unknownVariance = 1

// Refine fits the parameters of a model to the rows of one kernel, with a general fit of that model as the prior. The logarithms of the
// parameters are normal around those of the general fit, with its covariance and the spread between kernels, and the result is the mode of
// the posterior, with the covariance there (Gelman et al., Bayesian Data Analysis, sections 4.1 and 14.8). A parameter that the rows do
// not determine keeps its value and its uncertainty. A parameter that is 0 stays 0. Residuals are those of the logarithm.
func Refine(ctx context.Context, m *models.Model, general *Fit, rows []Row, s Spread) (*Fit, error) {
	f, err := newFitter(m, rows, Options{})
	if err != nil {
		return nil, err
	}
	for i, t := range f.t {
		if t <= 0 {
			return nil, fmt.Errorf("%s: the output is %g, which has no logarithm", f.label[i], t)
		}
	}
	p, err := newPrior(m, f.compiled.Parameters, general, s)
	if err != nil {
		return nil, fmt.Errorf("refining the fit of %s: %w", general.Model, err)
	}
	settings := f.lm
	settings.Lower, settings.Upper = p.bounds(f.lm.Lower, f.lm.Upper)
	r, err := lm.Minimize(ctx, f.posterior(p, s.Row), make([]float64, len(p.value)), &settings)
	if err != nil {
		return nil, fmt.Errorf("refining the fit of %s: %w", general.Model, err)
	}
	return f.refined(r, p, general, s), nil
}

// prior is a normal distribution of the logarithms of parameters, relative to their values in a general fit.
type prior struct {
	value      []float64 // in the order of the compiled model
	covariance *mat.SymDense
	whiten     mat.TriDense // the inverse of the Cholesky factor of the covariance
}

func newPrior(m *models.Model, names []string, general *Fit, s Spread) (*prior, error) {
	n := len(names)
	p := &prior{value: make([]float64, n), covariance: mat.NewSymDense(n, nil)}
	sd := make([]float64, n) // of the logarithm, by the general fit
	for i, name := range names {
		e := general.Estimate(name)
		if e == nil || !(e.Value >= 0) {
			return nil, fmt.Errorf("it has no value of %s from 0 on", name)
		}
		p.value[i] = e.Value
		switch {
		case math.IsInf(e.StdErr, 1):
			sd[i] = math.Sqrt(unknownVariance)
		case e.Value > 0 && finite(e.StdErr) != nil:
			sd[i] = min(e.StdErr/e.Value, math.Sqrt(unknownVariance))
		}
	}
	for i, a := range names {
		for j, b := range names[:i+1] {
			rho, _ := general.Correlation(a, b)
			v := rho * sd[i] * sd[j]
			if isCost(m, a) && isCost(m, b) {
				v += s.Common * s.Common
			}
			if i == j {
				v = sd[i]*sd[i] + leastVariance
				if isCost(m, a) {
					v += s.Common*s.Common + s.Cost*s.Cost
				}
			}
			p.covariance.SetSym(i, j, v)
		}
	}
	var factor mat.Cholesky
	if !factor.Factorize(p.covariance) {
		return nil, fmt.Errorf("its covariance is not positive definite")
	}
	var lower mat.TriDense
	factor.LTo(&lower)
	return p, p.whiten.InverseTri(&lower)
}

// leastVariance keeps the prior of a parameter that the general fit holds at a bound from being infinitely narrow.
const leastVariance = 1e-6

// isCost reports whether a parameter is a time for each unit of some work.
func isCost(m *models.Model, name string) bool {
	return strings.HasPrefix(m.Parameter(name).Unit, "s per ")
}

// bounds are those of the logarithms.
func (p *prior) bounds(lower, upper []float64) (lo, hi []float64) {
	for i, v := range p.value {
		lo, hi = append(lo, math.Inf(-1)), append(hi, math.Inf(1))
		if v > 0 && lower[i] > 0 {
			lo[i] = math.Log(lower[i] / v)
		}
		if v > 0 && !math.IsInf(upper[i], 1) {
			hi[i] = math.Log(upper[i] / v)
		}
	}
	return lo, hi
}

// at stores the parameters at logarithms z.
func (p *prior) at(z, params []float64) {
	for i, v := range p.value {
		params[i] = v * math.Exp(z[i])
	}
}

// posterior is the least-squares problem of the logarithms: of the rows, each with a standard deviation, and below them of the prior.
func (f *fitter) posterior(p *prior, sd float64) lm.Problem {
	n, rows := len(p.value), len(f.t)
	params, grad := make([]float64, n), make([]float64, n)
	sds := make([]float64, rows)
	for i, w := range f.w {
		w *= f.scale
		if f.model.Fit.ScaleByOutput {
			w *= f.t[i]
		}
		sds[i] = sd / w
	}
	return lm.Problem{
		M: rows + n, N: n,
		Residual: func(z, r []float64) {
			p.at(z, params)
			for i, x := range f.x {
				r[i] = math.Log(f.compiled.Eval(x, params)/f.t[i]) / sds[i]
			}
			mat.NewVecDense(n, r[rows:]).MulVec(&p.whiten, mat.NewVecDense(n, z))
		},
		Jacobian: func(z []float64, j *mat.Dense) {
			p.at(z, params)
			for i, x := range f.x {
				value := f.compiled.Gradient(x, params, grad)
				for k, g := range grad {
					j.Set(i, k, g*params[k]/value/sds[i])
				}
			}
			j.Slice(rows, rows+n, 0, n).(*mat.Dense).Copy(&p.whiten)
		},
	}
}

// refined reports the mode of the posterior as a fit. The standard deviation of rows is given, not estimated, so the covariance is not
// scaled by the residual.
func (f *fitter) refined(r *lm.Result, p *prior, general *Fit, s Spread) *Fit {
	n := len(p.value)
	params := make([]float64, n)
	p.at(r.P, params)
	scale := 1.0
	if r.Freedom > 0 && r.Norm > 0 {
		scale = float64(r.Freedom) / (r.Norm * r.Norm)
	}
	covariance := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			covariance.SetSym(i, j, r.Covariance.At(i, j)*scale*params[i]*params[j])
		}
		r.StdErr[i] = math.Sqrt(covariance.At(i, i))
	}
	r.P, r.Covariance = params, covariance
	fit := f.report(r, 0)
	fit.Refines, fit.Freedom, fit.LogSpread = general.Model, general.Freedom, s.Row
	for i := range fit.Parameters {
		e := &fit.Parameters[i]
		of := general.Estimate(e.Name)
		e.Prior = &Prior{of.Value, of.Value * math.Sqrt(p.covariance.At(i, i))}
		if of.Rate > 0 {
			e.Rate, e.RateUnit = of.Rate*of.Value/e.Value, of.RateUnit
		}
	}
	for name, of := range general.FeatureRange {
		own := fit.FeatureRange[name]
		fit.FeatureRange[name] = [2]float64{min(of[0], own[0]), max(of[1], own[1])}
	}
	fit.Residual = 0
	for i, x := range f.x {
		off := math.Log(f.compiled.Eval(x, params) / f.t[i])
		fit.Residual += off * off
	}
	fit.Residual = math.Sqrt(fit.Residual)
	return fit
}
