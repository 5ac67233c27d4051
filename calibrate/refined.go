package calibrate

import (
	"slices"

	"gpuperf/models"
)

// refinement is what a fit that refines another adds to its predictor: between the costs of the kernel and those of the general fit.
type refinement struct {
	features map[string][]string // that each parameter is the cost of
	own      []float64           // the kernel's parameters
	general  []Prior             // what the general fit says of them
	part     []float64           // of each parameter's cost, what was measured of the kernel to predict; nil: all
}

// refine prepares predictions by a fit that refines another.
func (p *Predictor) refine(m *models.Model) {
	if p.fit.Refines == "" {
		return
	}
	r := &refinement{features: m.CostFeatures(), own: p.params}
	for _, i := range p.index {
		e := p.fit.Parameters[i]
		general := Prior{e.Value, e.StdErr}
		if e.Prior != nil {
			general = *e.Prior
		}
		r.general = append(r.general, general)
	}
	p.refined = r
}

// PredictWith predicts a kernel of which a part was measured, with the features of the whole and of that part: the part of each cost that was
// measured counts at the kernel's own parameter, the rest at the general fit's. Parameters that are no costs of features alone are
// the kernel's own. Without a part, or by a fit that refines no other, it is Predict.
func (p *Predictor) PredictWith(features, part map[string]float64) (*Prediction, error) {
	r := p.refined
	if r == nil || part == nil {
		return p.Predict(features)
	}
	p.params, r.part = p.costs(features, part)
	defer func() { p.params, r.part = r.own, nil }()
	return p.Predict(features)
}

// costs are the parameters that count for a kernel of which a part was measured, and that part of the cost of each.
func (p *Predictor) costs(features, part map[string]float64) (params, measured []float64) {
	for i, name := range p.compiled.Parameters {
		share, general, own := 1.0, p.refined.general[i].Value, p.refined.own[i]
		if some, whole := sum(part, p.refined.features[name]), sum(features, p.refined.features[name]); whole > 0 {
			share = min(1, some/whole)
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

func sum(values map[string]float64, names []string) (total float64) {
	for _, name := range names {
		total += values[name]
	}
	return total
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
	for i, g := range p.grad {
		off := (1 - p.measured(i)) * g * p.refined.general[i].StdErr
		variance += off * off
	}
	return variance
}
