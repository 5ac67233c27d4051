// Package explain says why a kernel takes the time it takes, in the words of a calibrated model.
//
// New splits a prediction into terms, and terms into the costs of each kind of work with its count (costs.go). It checks whether global
// memory hides on-chip work (check.go; Stevens and Klöckner, section 8.1), compares the time with the roofline bound (roof.go), and
// says what could make the kernel faster (advice.go). It runs and fits nothing; callers give measured times.
package explain

import (
	"fmt"

	"gpuperf/calibrate"
	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/features"
	"gpuperf/internal/roofline"
	"gpuperf/models"
	"gpuperf/samples"
	"gpuperf/workload"
)

// Subject is a kernel whose time is to be explained, with its model.
type Subject struct {
	Case    *workload.Case
	Removed *workload.Case // the same kernel without arithmetic and local memory; nil where that cannot be made
	Device  string         // that the model is of
	Model   *models.Model
	Fit     *calibrate.Fit
	Lanes   int           // work-items of a sub-group
	Facts   *facts.Device // of the device

	Prediction *calibrate.Prediction // of the case
	Unpriced   workload.Unpriced     // work of the case without a cost in the model
	Roof       machine.Bound         // of the case, with the caches as they were for the time that is explained; without uses it is not known
	Caches     samples.Mode          // how they were
	Roofline   bool                  // whether it is wanted

	Record          *samples.Record // of the kernel; nil: not measured
	Measured        float64         // of the kernel, in seconds; 0: not measured
	MeasuredRemoved float64         // of the kernel without its work
}

// Explanation explains a prediction. Times are in seconds. The parts of the costs add up to the prediction, by Euler's
// theorem (models.Model.Split).
type Explanation struct {
	Script    string             `json:"script,omitempty"`
	Kernel    string             `json:"kernel"`
	Device    string             `json:"device"` // that the model is of
	At        map[string]int64   `json:"at"`
	Model     string             `json:"model"`
	Form      string             `json:"form,omitempty"` // how the terms make a time; "" for none of the known forms
	Predicted float64            `json:"predicted"`
	Interval  calibrate.Interval `json:"interval"`
	Measured  float64            `json:"measured,omitempty"`
	Error     *float64           `json:"relative_error,omitempty"` // (predicted - measured) / measured
	Terms     []Term             `json:"terms"`                    // in the order of the model
	Costs     []Cost             `json:"costs"`                    // the largest first
	Bound     string             `json:"bound"`                    // the resource that takes most of the time
	Compiled  *Compiled          `json:"compiled,omitempty"`       // nil where nothing is known of the built kernel
	Caches    *Caches            `json:"caches,omitempty"`         // nil where those of the device are not known
	Code      *Code              `json:"code,omitempty"`           // nil where the machine code is not known
	Check     *Check             `json:"check,omitempty"`          // nil where the model has no form
	Roof      *Roof              `json:"roof,omitempty"`           // nil where no peaks are known
	Roofline  *roofline.Roofline `json:"roofline,omitempty"`       // nil where it is not wanted, no floating-point operation with a peak is known, or no traffic
	Unpriced  []Work             `json:"unpriced"`                 // work of the kernel without a cost in the model
	Lines     []Line             `json:"lines"`                    // that access memory, those that take most of the time first
	Remedies  []Remedy           `json:"remedies"`                 // what would make it faster, the largest gain first
	Advice    []string           `json:"advice"`
	Warnings  []string           `json:"warnings"`
}

// Term is a named part of the model.
type Term struct {
	Name    string   `json:"name"`
	Joins   []string `json:"joins,omitempty"` // other terms that it is made of
	Alone   float64  `json:"alone"`           // its value
	Seconds float64  `json:"seconds"`         // its part of the prediction; of a term that joins others, theirs with its own
	Share   float64  `json:"share"`
	Halved  float64  `json:"halved"` // by which the prediction falls if the term costs half; it never falls below the roof
}

// Work is a kind of work with its count.
type Work struct {
	What    string  `json:"what"`
	Count   float64 `json:"count"`
	Formula string  `json:"formula,omitempty"` // symbolic, where the count is one of accesses or operations
}

// New explains the time of a kernel.
func New(s Subject) (*Explanation, error) {
	e := &explainer{Subject: s}
	if err := e.prepare(); err != nil {
		return nil, err
	}
	out := &Explanation{
		Script: s.Case.Script, Kernel: s.Case.Name, Device: s.Device, At: s.Case.Sizes, Model: s.Model.Name, Predicted: e.Prediction.Seconds, Interval: e.Prediction.Interval,
		Measured: s.Measured, Warnings: e.Prediction.Warnings, Unpriced: []Work{}, Lines: []Line{}, Remedies: []Remedy{}, Advice: []string{},
	}
	if form, _, _, ok := s.Model.Form(); ok {
		out.Form = string(form)
	}
	if s.Measured > 0 {
		relative := (out.Predicted - s.Measured) / s.Measured
		out.Error = &relative
	}
	for _, step := range []func(*Explanation) error{e.parts, e.bound, e.caches, e.compiled, e.code, e.check, e.roof, e.unpriced, e.remedies, e.advice} {
		if err := step(out); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Case, err)
		}
	}
	return out, nil
}

// explainer holds what the steps share.
type explainer struct {
	Subject
	ids        []features.ID      // of the model's features
	values     map[string]float64 // of the features
	statistics *features.Statistics
	most       Bound
	priced     bool // the model prices what the launch would be with a remedy
}

func (e *explainer) prepare() (err error) {
	if e.ids, err = features.ParseIDs(e.Model.FeatureNames()); err != nil {
		return err
	}
	if e.values, err = e.count(e.Case); err != nil {
		return err
	}
	e.statistics, err = e.Case.Statistics(features.Options{SubgroupSize: e.Lanes})
	return err
}

// count returns the values of the model's features of a case.
func (e *explainer) count(c *workload.Case) (map[string]float64, error) {
	values, err := c.Features(e.Facts, e.ids, e.Lanes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	return values, nil
}

// unpriced lists work without cost. Index arithmetic of the kernel itself is not counted by default, so that integers here are data.
func (e *explainer) unpriced(out *Explanation) error {
	for _, r := range e.Unpriced.Records {
		value, err := r.At(e.Case.Sizes)
		if err != nil {
			return err
		}
		out.Unpriced = append(out.Unpriced, Work{What: r.Key.String(), Count: value, Formula: r.Count.String()})
	}
	return nil
}

// seconds is the time to explain: the measured one, or else the predicted one.
func (e *explainer) seconds() float64 {
	if e.Measured > 0 {
		return e.Measured
	}
	return e.Prediction.Seconds
}
