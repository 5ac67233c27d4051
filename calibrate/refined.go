package calibrate

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"gpuperf/internal/lists"
	"gpuperf/models"
)

// refinement is what a fit that refines another adds to its predictor: between the costs of the kernel and those of the general fit.
type refinement struct {
	cost    []bool    // which parameters are costs
	own     []float64 // the kernel's parameters
	general []Prior   // what the general fit says of them
	part    []float64 // of each parameter's cost, what was measured of the kernel to predict; nil: all

	spread   Spread
	x        [][]float64   // features of the kernel's own rows
	shared   int           // features that some of them has
	factor   mat.Cholesky  // of their covariance
	weights  *mat.VecDense // by which a covariance with them gives how far off they make another row
	variance float64       // of how far off the part to predict is
}

// refine prepares predictions by a fit that refines another.
func (p *Predictor) refine(m *models.Model) error {
	if p.fit.Refines == "" {
		return nil
	}
	r := &refinement{own: p.params}
	for _, name := range p.compiled.Parameters {
		r.cost = append(r.cost, isCost(m, name))
	}
	for _, i := range p.index {
		e := p.fit.Parameters[i]
		general := Prior{e.Value, e.StdErr}
		if e.Prior != nil {
			general = *e.Prior
		}
		r.general = append(r.general, general)
	}
	p.refined = r
	if len(p.fit.Own) == 0 || p.fit.Spread == nil {
		return nil
	}
	r.spread = *p.fit.Spread
	off := mat.NewVecDense(len(p.fit.Own), nil)
	for i, own := range p.fit.Own {
		r.x = append(r.x, p.inOrder(own.Features))
		off.SetVec(i, own.Off)
	}
	var c *mat.SymDense
	c, r.shared = r.spread.together(r.x, func(int) float64 { return r.spread.Row * r.spread.Row })
	if !r.factor.Factorize(c) {
		return fmt.Errorf("the fit of %s has rows whose covariance is not positive definite", p.fit.Model)
	}
	r.weights = new(mat.VecDense)
	return r.factor.SolveVecTo(r.weights, off)
}

// inOrder lists values in the order of the model's features.
func (p *Predictor) inOrder(values map[string]float64) (x []float64) {
	return lists.Map(p.compiled.Features, func(name string) float64 { return values[name] })
}

// off is the logarithm by which the part of a kernel that is measured is off from the model with the kernel's own costs, from the rows at
// sizes near it, with its variance (Rasmussen and Williams, Gaussian Processes for Machine Learning, algorithm 2.1).
func (p *Predictor) off(part map[string]float64) (mean, variance float64) {
	r := p.refined
	if r.weights == nil {
		return 0, 0
	}
	x := p.inOrder(part)
	with := mat.NewVecDense(len(r.x), nil)
	for i, row := range r.x {
		with.SetVec(i, r.spread.covariance(x, row, r.shared))
	}
	var solved mat.VecDense
	if err := r.factor.SolveVecTo(&solved, with); err != nil {
		return 0, r.spread.Size * r.spread.Size
	}
	return mat.Dot(with, r.weights), max(0, r.spread.Size*r.spread.Size-mat.Dot(with, &solved))
}

// PredictWith predicts a kernel of which a part was measured, with the features of the whole and of that part: the part of each cost that was
// measured counts at the kernel's own parameter, the rest at the general fit's. Parameters that are no costs are the kernel's own. Without a part, or by a fit that refines no other, it is Predict.
func (p *Predictor) PredictWith(features, part map[string]float64) (*Prediction, error) {
	r := p.refined
	if r == nil || part == nil {
		return p.Predict(features)
	}
	p.params, r.part = p.costs(features, part)
	_, r.variance = p.off(part)
	defer func() { p.params, r.part, r.variance = r.own, nil, 0 }()
	return p.Predict(features)
}

// costs are the parameters that count for a kernel of which a part was measured, and that part of the cost of each.
func (p *Predictor) costs(features, part map[string]float64) (params, measured []float64) {
	r := p.refined
	off, _ := p.off(part)
	some, whole := p.inOrder(part), p.inOrder(features)
	for i, own := range r.own {
		share, general := 1.0, r.general[i].Value
		if r.cost[i] {
			own *= math.Exp(off)
			if all := p.costAlone(i, whole); all > 0 {
				share = min(1, p.costAlone(i, some)/all)
			}
		}
		params, measured = append(params, general+share*(own-general)), append(measured, share)
	}
	return params, measured
}

// FitWith is the fit with the parameters by which PredictWith predicts.
func (p *Predictor) FitWith(features, part map[string]float64) *Fit {
	if p.refined == nil || part == nil {
		return p.fit
	}
	out := *p.fit
	out.Parameters = slices.Clone(out.Parameters)
	params, _ := p.costs(features, part)
	for i, at := range p.index {
		out.Parameters[at].Value = params[i]
	}
	return &out
}

// costAlone is what a kernel would take if the i-th parameter were its only cost.
func (p *Predictor) costAlone(i int, x []float64) float64 {
	params := slices.Clone(p.refined.own)
	for k, cost := range p.refined.cost {
		if cost && k != i {
			params[k] = 0
		}
	}
	params[i] = 1
	return p.compiled.Eval(x, params)
}

// measured is the part of the i-th parameter's cost that was measured of the kernel; 1 where the fit refines no other.
func (p *Predictor) measured(i int) float64 {
	if p.refined == nil || p.refined.part == nil {
		return 1
	}
	return p.refined.part[i]
}

// unmeasured is the variance of a prediction that comes from what was not measured of the kernel.
func (p *Predictor) unmeasured() (variance float64) {
	if p.refined == nil {
		return 0
	}
	own := 0.0 // what the measured part costs
	for i, g := range p.grad {
		off := (1 - p.measured(i)) * g * p.refined.general[i].StdErr
		variance += off * off
		if p.refined.cost[i] {
			own += p.measured(i) * g * p.params[i]
		}
	}
	return variance + own*own*p.refined.variance
}
