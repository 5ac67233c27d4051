package campaign

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gpuperf/calibrate"
	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/features"
	"gpuperf/internal/format"
	"gpuperf/models"
	"gpuperf/samples"
	"gpuperf/workload"
)

// Predictor is a calibrated model, ready to predict kernels.
type Predictor struct {
	Device samples.Fingerprint // on which it was calibrated
	Facts  *facts.Device       // what is known of it
	Model  *models.Model
	Fit    *calibrate.Fit
	Cache  string // state of the caches in which it was calibrated; "" is not known
	Rows   *calibrate.Predictor

	ids []features.ID
}

// NewPredictor makes a calibrated model ready. The calibration holds the model's definition, so that no other file is needed.
func NewPredictor(device samples.Fingerprint, calibration *calibrate.Calibration) (*Predictor, error) {
	model, err := models.Parse(calibration.Origin.ModelFile, []byte(calibration.Definition))
	if err != nil {
		return nil, fmt.Errorf("model %s of the profile: %w", calibration.Fit.Model, err)
	}
	p := &Predictor{Device: device, Facts: facts.Of(device), Model: model, Fit: &calibration.Fit, Cache: calibration.Origin.Cache}
	if p.ids, err = featuresOf(model); err != nil {
		return nil, err
	}
	p.Rows, err = calibrate.NewPredictor(model, p.Fit)
	return p, err
}

// Static reports whether all features of the model are made from static features.
func (p *Predictor) Static() bool {
	return !slices.ContainsFunc(p.ids, func(id features.ID) bool { return id.Class != features.StaticClass })
}

// Prediction is the predicted time of a case, and perhaps the measured one.
type Prediction struct {
	*workload.Case
	*calibrate.Prediction
	Measured *samples.Record // nil where not measured
}

// RelativeError is signed, NaN where nothing was measured.
func (p *Prediction) RelativeError() float64 {
	if p.Measured == nil || p.Measured.Status != samples.OK {
		return math.NaN()
	}
	return (p.Seconds - p.Measured.Seconds()) / p.Measured.Seconds()
}

// Predict predicts the time of a case. Work without a cost in the model is a warning.
func (p *Predictor) Predict(c *workload.Case) (*Prediction, error) {
	values, err := featuresOn(p.Facts, c, p.ids)
	if err != nil {
		return nil, err
	}
	result, err := p.Rows.Predict(values)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	unpriced, err := p.unpriced(c)
	if err != nil {
		return nil, err
	}
	if len(unpriced) > 0 {
		result.Warnings = append(result.Warnings, "the model has no cost for "+format.First(unpriced, 3))
	}
	return &Prediction{Case: c, Prediction: result}, nil
}

// PredictAll predicts the times of cases.
func (p *Predictor) PredictAll(cases []*workload.Case) (all []*Prediction, err error) {
	for _, c := range cases {
		one, err := p.Predict(c)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// unpriced lists the work of a kernel that no feature of the model counts.
func (p *Predictor) unpriced(c *workload.Case) (out []string, err error) {
	if p.Static() { // static features are totals of all work
		return nil, nil
	}
	statistics, err := c.Statistics(features.Options{SubgroupSize: int(p.Device.SubgroupSize)})
	if err != nil {
		return nil, err
	}
	records, err := statistics.Uncovered(p.ids, c.Sizes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	for _, r := range records {
		text := r.Key.String()
		if m, ok := r.Key.(features.Mem); ok {
			text = fmt.Sprintf("%s %s %ss of %s", m.Space, m.DType, m.Direction, m.Variable)
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out, nil
}

// Refused is a case that exceeds a limit of a device.
type Refused struct {
	Kernel string           `json:"kernel"`
	At     map[string]int64 `json:"at,omitempty"`
	Status samples.Status   `json:"status"`
	Reason string           `json:"reason"`
}

// Runnable separates the cases that keep to the limits of the model's device from those that do not.
func (p *Predictor) Runnable(cases []*workload.Case) (run []*workload.Case, refused []Refused, err error) {
	for _, c := range cases {
		job, err := c.Job(device.Policy{})
		if err != nil {
			return nil, nil, err
		}
		if verdict := job.Check(device.Info{Fingerprint: p.Device}); verdict != nil {
			refused = append(refused, Refused{c.Name, c.Sizes, verdict.Status, verdict.Msg})
			continue
		}
		run = append(run, c)
	}
	return run, refused, nil
}

// Suitability has the criteria by which a model of a profile is chosen for kernels.
type Suitability struct {
	*Predictor
	Unpriced int     // kinds of work without a cost, counted in each case
	Doubts   int     // warnings of its predictions
	Error    float64 // relative, on kernels left out of its calibration, or of the fit where none could be
}

// Rank orders the models of a profile for the cases: first the one that leaves the least of their work without a cost, then the one that
// predicts with the fewest warnings, then the one with the smallest error on kernels left out of its calibration.
func Rank(profile *calibrate.Profile, cases []*workload.Case) ([]Suitability, error) {
	var all []Suitability
	for i := range profile.Models {
		fit := &profile.Models[i].Fit
		p, err := NewPredictor(profile.Device, &profile.Models[i])
		if err != nil {
			return nil, err
		}
		s := Suitability{Predictor: p, Error: fit.GeomeanRelErr}
		if fit.Cross != nil && !math.IsNaN(fit.Cross.GeomeanRelErr) {
			s.Error = fit.Cross.GeomeanRelErr
		}
		for _, c := range cases {
			unpriced, err := p.unpriced(c)
			if err != nil {
				return nil, err
			}
			predicted, err := p.Predict(c)
			if err != nil {
				return nil, err
			}
			s.Unpriced += len(unpriced)
			s.Doubts += len(predicted.Warnings)
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b Suitability) int {
		return cmp.Or(cmp.Compare(a.Unpriced, b.Unpriced), cmp.Compare(a.Doubts, b.Doubts), cmp.Compare(a.Error, b.Error))
	})
	return all, nil
}
