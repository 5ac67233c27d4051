package calibrate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"gpuperf/calibrate/lm"
	"gpuperf/internal/jsonvalue"
	"gpuperf/internal/throw"
	"gpuperf/models"
)

// Spread says how far one kernel may be from what a general model expects of all: standard deviations of logarithms.
type Spread struct {
	Cost  float64 `yaml:"cost" json:"cost"`   // of the cost of each kind of work, from kernel to kernel
	Left  float64 `yaml:"left" json:"left"`   // of what is left of a kernel without its work, at all sizes, from the same accesses in the kernel
	Size  float64 `yaml:"size" json:"size"`   // of a kernel's time from the model with its own costs, alike at sizes near each other
	Reach float64 `yaml:"reach" json:"reach"` // of that: the distance of sizes, root mean square of the logarithms of features, at which it falls
	Row   float64 `yaml:"row" json:"row"`     // of a row besides
}

// Own is a row of a kernel's own measurements.
type Own struct {
	Features map[string]float64 `yaml:"features,flow" json:"features"`
	Off      float64            `yaml:"off" json:"off"` // logarithm of the measured over the fitted output
}

// covariance is that of how far the model with a kernel's own costs is off, at the features of rows a and b; of n features some row has.
func (s Spread) covariance(a, b []float64, n int) float64 {
	sum := 0.0
	for k, v := range a {
		d := math.Log1p(v) - math.Log1p(b[k])
		sum += d * d
	}
	return s.Size * s.Size * math.Exp(-sum/float64(max(n, 1))/(2*s.Reach*s.Reach))
}

// together is the covariance of rows, each with a variance of its own, and the number of features that some row has.
func (s Spread) together(x [][]float64, own func(i int) float64) (*mat.SymDense, int) {
	n := 0
	for k := range x[0] {
		if slices.ContainsFunc(x, func(row []float64) bool { return row[k] != 0 }) {
			n++
		}
	}
	c := mat.NewSymDense(len(x), nil)
	for i, a := range x {
		for j, b := range x[:i+1] {
			c.SetSym(i, j, s.covariance(a, b, n)+s.Left*s.Left)
		}
		c.SetSym(i, i, c.At(i, i)+own(i))
	}
	return c, n
}

// KernelSpread is what suited kernels of many kinds well (docs/rationale.md); half and twice as much does nearly as well.
var KernelSpread = Spread{Cost: 0.3, Left: 0.03, Size: 0.15, Reach: 0.7, Row: 0.02}

// How what is left of a kernel without its work differs from the kernel, where its time does by the general fit.
const (
	unlike      = 0.15 // standard deviation of the logarithm, where the times are far apart
	unlikeReach = 0.15 // logarithm of the ratio of the times at which that is about reached
)

// Apart is the spread for a kernel whose time, by the general fit, is apart from that of what is left of it by a logarithm. Of another time,
// what is left is another kernel: the compiler arranges it otherwise, and other costs hide one another.
func (s Spread) Apart(logarithm float64) Spread {
	s.Left = math.Sqrt(s.Left*s.Left - unlike*unlike*math.Expm1(-logarithm*logarithm/(2*unlikeReach*unlikeReach)))
	return s
}

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
// not determine keeps its value and its uncertainty. A parameter that is 0 stays 0. Residuals are those of the logarithm, and those at sizes near each
// other are alike; how large these are is the kernel's own, within factors of the spread given.
func Refine(ctx context.Context, m *models.Model, general *Fit, rows []Row, s Spread) (_ *Fit, err error) {
	defer throw.Catch(&err)
	f := throw.Get(newFitter(m, rows, Options{}))
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
	// How far off the model is between sizes is the kernel's own: what makes its rows the most probable (Laplace's approximation).
	var best *lm.Result
	var inverse *mat.Cholesky // of the covariance
	least, spread := math.Inf(1), s
	for _, part := range []float64{0.1, 0.3, 1, 3} {
		try := s
		try.Size *= part
		problem, rows := f.posterior(p, try)
		r, err := lm.Minimize(ctx, problem, make([]float64, len(p.value)), &settings)
		if err != nil {
			return nil, fmt.Errorf("refining the fit of %s: %w", general.Model, err)
		}
		curved, err := curvature(problem, r.P)
		if err != nil {
			return nil, fmt.Errorf("refining the fit of %s: %w", general.Model, err)
		}
		if e := r.Norm*r.Norm + rows + curved.LogDet(); best == nil || e < least {
			best, least, spread, inverse = r, e, try, curved
		}
	}
	return f.refined(best, inverse, p, general, spread), nil
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
		case e.Value > 0 && jsonvalue.Finite(e.StdErr) != nil:
			sd[i] = min(e.StdErr/e.Value, math.Sqrt(unknownVariance))
		}
	}
	for i, a := range names {
		for j, b := range names[:i+1] {
			rho, _ := general.Correlation(a, b)
			v := rho * sd[i] * sd[j]
			if i == j {
				v = sd[i]*sd[i] + leastVariance
				if isCost(m, a) {
					v += s.Cost * s.Cost
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

// posterior is the least-squares problem of the logarithms: of the rows, and below them of the prior, each made independent.
// It also returns the logarithm of the determinant of the covariance of the rows.
func (f *fitter) posterior(p *prior, s Spread) (problem lm.Problem, determinant float64) {
	n, rows := len(p.value), len(f.t)
	params, grad := make([]float64, n), make([]float64, n)
	c, _ := s.together(f.x, func(int) float64 { return s.Row * s.Row })
	var factor mat.Cholesky
	if !factor.Factorize(c) {
		panic(throw.Errorf("the covariance of the rows is not positive definite"))
	}
	var lower, whiten mat.TriDense
	factor.LTo(&lower)
	throw.If(whiten.InverseTri(&lower))
	return lm.Problem{
		M: rows + n, N: n,
		Residual: func(z, r []float64) {
			p.at(z, params)
			off := mat.NewVecDense(rows, nil)
			for i, x := range f.x {
				off.SetVec(i, math.Log(f.compiled.Eval(x, params)/f.t[i]))
			}
			mat.NewVecDense(rows, r[:rows]).MulVec(&whiten, off)
			mat.NewVecDense(n, r[rows:]).MulVec(&p.whiten, mat.NewVecDense(n, z))
		},
		Jacobian: func(z []float64, j *mat.Dense) {
			p.at(z, params)
			off := mat.NewDense(rows, n, nil)
			for i, x := range f.x {
				value := f.compiled.Gradient(x, params, grad)
				for k, g := range grad {
					off.Set(i, k, g*params[k]/value)
				}
			}
			j.Slice(0, rows, 0, n).(*mat.Dense).Mul(&whiten, off)
			j.Slice(rows, rows+n, 0, n).(*mat.Dense).Copy(&p.whiten)
		},
	}, factor.LogDet()
}

// curvature is the inverse covariance of the logarithms at the mode z of a posterior.
func curvature(problem lm.Problem, z []float64) (*mat.Cholesky, error) {
	j := mat.NewDense(problem.M, problem.N, nil)
	problem.Jacobian(z, j)
	var product mat.SymDense
	product.SymOuterK(1, j.T())
	factor := new(mat.Cholesky)
	if !factor.Factorize(&product) {
		return nil, fmt.Errorf("the posterior has no covariance")
	}
	return factor, nil
}

// refined reports the mode of the posterior, with the inverse of its covariance, as a fit.
func (f *fitter) refined(r *lm.Result, inverse *mat.Cholesky, p *prior, general *Fit, s Spread) *Fit {
	n := len(p.value)
	params := make([]float64, n)
	p.at(r.P, params)
	covariance := mat.NewSymDense(n, nil)
	throw.If(inverse.InverseTo(covariance))
	for i := range n {
		for j := range i + 1 {
			covariance.SetSym(i, j, covariance.At(i, j)*params[i]*params[j])
		}
		r.StdErr[i] = math.Sqrt(covariance.At(i, i))
	}
	r.P, r.Covariance = params, covariance
	fit := f.report(r, 0)
	fit.Refines, fit.Freedom, fit.LogSpread, fit.Spread = general.Model, general.Freedom, s.Row, &s
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
		off := math.Log(f.t[i] / f.compiled.Eval(x, params))
		fit.Residual += off * off
		own := Own{Features: map[string]float64{}, Off: off}
		for k, name := range f.compiled.Features {
			own.Features[name] = x[k]
		}
		fit.Own = append(fit.Own, own)
	}
	fit.Residual = math.Sqrt(fit.Residual)
	return fit
}
