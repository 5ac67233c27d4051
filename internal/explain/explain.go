// Package explain says why a kernel takes the time it takes, in the words of a calibrated model.
//
// New splits a prediction into terms, and terms into the costs of each kind of work with its count (costs.go). It checks whether global
// memory hides on-chip work (Stevens and Klöckner, section 8.1), compares the time with the roofline bound, and
// says what could make the kernel faster. It runs and fits nothing; callers give measured times.
package explain

import (
	"cmp"
	"errors"
	"fmt"

	"gpuperf/calibrate"
	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/features"
	"gpuperf/internal/format"
	"gpuperf/internal/roofline"
	"gpuperf/launch"
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

// Caches is what the caches are expected to do (package memory), in bytes of sectors. No model needs to use it.
type Caches struct {
	Loaded   float64 `json:"loaded_bytes"`    // by sub-groups, from global memory
	FromL2   float64 `json:"from_l2_bytes"`   // of these what L1 does not have
	FromDRAM float64 `json:"from_dram_bytes"` // what L2 does not have, if it holds nothing at the start
	Written  float64 `json:"written_bytes"`   // distinct
	Touched  float64 `json:"touched_bytes"`   // distinct, loaded or stored
	L2       float64 `json:"l2_bytes"`        // of the device
}

// caches estimates traffic, where the caches of the device are known.
func (e *explainer) caches(out *Explanation) error {
	t, err := e.Case.Traffic(e.Facts, e.Lanes)
	if unable := new(launch.Error); errors.As(err, &unable) || t == nil {
		return nil // the explanation does without
	}
	if t.Touched > 0 {
		out.Caches = &Caches{
			Loaded: t.L1Loads * launch.SectorBytes, FromL2: t.L2Loads * launch.SectorBytes, FromDRAM: t.DRAMReads, Written: t.Written, Touched: t.Touched,
			L2: e.Facts.Value(facts.L2Bytes),
		}
	}
	return nil
}

// String says it in a line.
func (c *Caches) String() string {
	hits := "nothing is loaded"
	if c.Loaded > 0 {
		hits = fmt.Sprintf("L1 serves %.0f %% of %s", 100*max(1-c.FromL2/c.Loaded, 0), format.Rough(c.Loaded, "B"))
	}
	if c.Touched <= c.L2 {
		return fmt.Sprintf("%s; all %s fit in L2", hits, format.Rough(c.Touched, "B"))
	}
	return fmt.Sprintf("%s; DRAM gives %s and takes %s", hits, format.Rough(c.FromDRAM, "B"), format.Rough(c.Written, "B"))
}

// Check is the paper's test for overlap (Stevens and Klöckner, section 8.1): the time of the kernel without arithmetic and local
// memory, and what the removed work costs by the microbenchmarks, against the time of the whole kernel.
type Check struct {
	Removed         float64 `json:"removed"`          // seconds of the kernel without its work
	RemovedMeasured bool    `json:"removed_measured"` // and not predicted
	Onchip          float64 `json:"onchip"`           // seconds of the removed work by the calibrated costs
	Full            float64 `json:"full"`             // seconds of the whole kernel
	FullMeasured    bool    `json:"full_measured"`
	Hidden          float64 `json:"hidden"` // part of the smaller cost that is hidden: 0 is the sum, 1 the maximum
	Verdict         string  `json:"verdict"`
}

// Sum and Max are the times without and with all overlap.
func (c Check) Sum() float64 { return c.Removed + c.Onchip }

// Max is the time when the smaller part is hidden entirely.
func (c Check) Max() float64 { return max(c.Removed, c.Onchip) }

// small is the share of the sum below which the smaller cost is no evidence.
const small = 0.05

func (e *explainer) check(out *Explanation) error {
	_, _, onchip, ok := e.Model.Form()
	if !ok || e.Removed == nil {
		return nil
	}
	values, err := e.count(e.Removed)
	if err != nil {
		return err
	}
	p, err := e.Fit.Predict(e.Model, values)
	if err != nil {
		return err
	}
	c := &Check{
		Removed: cmp.Or(e.MeasuredRemoved, p.Seconds), RemovedMeasured: e.MeasuredRemoved > 0,
		Onchip: max(e.Prediction.Time(onchip)-p.Time(onchip), 0), // loads from caches stay
		Full:   e.seconds(), FullMeasured: e.Measured > 0,
	}
	if less := min(c.Removed, c.Onchip); less > 0 {
		c.Hidden = (c.Sum() - c.Full) / less
	}
	c.Verdict = c.verdict()
	out.Check = c
	return nil
}

func (c Check) verdict() string {
	switch less := min(c.Removed, c.Onchip); {
	case !c.FullMeasured || !c.RemovedMeasured:
		return "not both kernels were measured, so this is what the model says and no evidence"
	case less < small*c.Sum():
		return "one of the two is so small that the check tells nothing"
	case c.Hidden > 1.15:
		return "the whole kernel takes less than its larger part: the model's costs are too high, or the kernel behaves differently without its work"
	case c.Hidden >= 0.75:
		return fmt.Sprintf("%.0f %% of the smaller part hides behind the larger: an overlapping form fits this kernel", 100*c.Hidden)
	case c.Hidden >= 0.25:
		return fmt.Sprintf("about %.0f %% of the smaller part hides", 100*c.Hidden)
	case c.Hidden >= -0.25:
		return "the parts add up: nothing hides, and a linear form fits this kernel"
	}
	return "the whole kernel takes more than the sum of its parts: something that neither part has takes time"
}
