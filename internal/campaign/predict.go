package campaign

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"gpuperf/calibrate"
	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/features"
	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/internal/parallel"
	"gpuperf/internal/remedy"
	"gpuperf/internal/roofline"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
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
	Cache  samples.Mode         // state of the caches in which it was calibrated; "" is not known
	Rows   *calibrate.Predictor // for one at a time

	turn     sync.Mutex // to use Rows
	ids      []features.ID
	refined  []*Predictor               // of this model, each for its kernel
	coded    map[string]*samples.Record // by case, samples that tell of its machine code; nil where nobody asks for that
	binary   *Predictor                 // the model as it is with the binary; nil where it was not calibrated so
	measured map[string]machine.Peak    // rates that the device has reached, by resource
	launches *facts.Device              // Facts, with the time of a launch where that was measured
}

// NewPredictor makes a calibrated model ready. The calibration holds the model's definition, so that no other file is needed.
func NewPredictor(device samples.Fingerprint, roof []calibrate.Reached, calibration *calibrate.Calibration) (*Predictor, error) {
	model, err := models.Parse(calibration.Origin.ModelFile, []byte(calibration.Definition))
	if err != nil {
		return nil, fmt.Errorf("model %s of the profile: %w", calibration.Fit.Model, err)
	}
	p := &Predictor{Device: device, Facts: facts.Of(device), Model: model, Fit: &calibration.Fit, Cache: samples.Mode(calibration.Origin.Cache)}
	p.measured = peaks(roof)
	p.launches = p.Facts
	if launch, ok := p.measured[machine.Launching]; ok {
		p.launches = p.Facts.With(facts.LaunchSeconds, 1/launch.Rate, launch.Source)
	}
	if p.ids, err = featuresOf(model); err != nil {
		return nil, err
	}
	if p.Rows, err = calibrate.NewPredictor(model, p.Fit); err != nil {
		return nil, err
	}
	if p.Static() {
		p.Rows.AllowAbove()
	}
	return p, nil
}

// Static reports whether all features of the model are made from static features.
func (p *Predictor) Static() bool {
	return !slices.ContainsFunc(p.ids, func(id features.ID) bool { return id.Class != features.StaticClass })
}

// Prediction is the predicted time of a case, and perhaps the measured one.
type Prediction struct {
	*workload.Case
	*calibrate.Prediction
	Fit      *calibrate.Fit    // with the parameters that count for this kernel
	Unpriced workload.Unpriced // work without a cost in the model
	Measured *samples.Record   // nil where not measured
	FromIR   string            // why it is not with the binary, where that was asked for
	Code     string            // where the code comes from that was emulated in place of the model; "" is by the model

	values   map[string]float64 // of the model's features
	model    *models.Model      // that predicted it
	roofline *roofline.Roofline // nil where nobody asked, or it is not known
}

// Emulator is the name that outputs give in place of that of a model.
const Emulator = "emulator"

// Emulated takes what emulation predicts in place of the model.
func (p *Prediction) Emulated(code string, by *calibrate.Prediction) {
	p.Prediction, p.Code, p.Unpriced, p.values = by, code, workload.Unpriced{}, nil
}

// Applies reports whether the model has costs for the main part of the work, or the time is by emulation. If not, the predicted time is a lower bound.
func (p *Prediction) Applies() bool { return p.Code != "" || !p.Unpriced.Main() && !inPart(p.Case) }

// Rooflines finds the rooflines of predictions, by measured times where there are any, and names those that are known.
func (p *Predictor) Rooflines(all []*Prediction) (known []roofline.Named, err error) {
	for _, one := range all {
		seconds, caches := one.Seconds, p.Cache
		if m := one.MeasuredSeconds(); m > 0 {
			seconds, caches = m, one.Measured.Mode
		}
		if one.roofline, err = roofline.Of(one.Case, p.Facts, caches, seconds); err != nil {
			return nil, err
		}
		if one.roofline != nil {
			known = append(known, roofline.Named{Name: one.Label + " " + format.Sizes(one.Sizes), Roofline: one.roofline})
		}
	}
	return known, nil
}

// MeasuredSeconds is the measured time, NaN where there is none.
func (p *Prediction) MeasuredSeconds() float64 {
	if p.Measured == nil || p.Measured.Status != samples.OK {
		return math.NaN()
	}
	return p.Measured.Seconds()
}

// RelativeError is signed, NaN where nothing was measured, or where the model has no cost at all.
func (p *Prediction) RelativeError() float64 {
	if p.Seconds == 0 {
		return math.NaN()
	}
	measured := p.MeasuredSeconds()
	return (p.Seconds - measured) / measured
}

// byRows evaluates the model for the features of a case: the time, how it grows with each feature, and the fit that counts.
func (p *Predictor) byRows(c *workload.Case, values, part map[string]float64) (*calibrate.Prediction, []float64, *calibrate.Fit, error) {
	p.turn.Lock()
	defer p.turn.Unlock()
	p.Rows.CallBy(func(name string) string { return called(p, c, values, name) })
	result, err := p.Rows.PredictWith(values, part)
	if err != nil {
		return nil, nil, nil, err
	}
	return result, p.Rows.Growth(values), p.Rows.FitWith(values, part), nil
}

// Predict predicts the time of a case. Work without a cost in the model is a warning. Where that is a main part of all work, the model
// does not apply, and the interval has no upper end.
func (p *Predictor) Predict(c *workload.Case) (*Prediction, error) {
	one, err := p.predict(c)
	if err != nil || p.coded == nil {
		return one, err
	}
	if one, err = p.withBinary(one, p.coded[c.Identity.Key()]); err == nil && one.FromIR != "" {
		warnings := slices.Clone(one.Warnings)
		with := *one.Prediction
		with.Warnings = append(warnings, warning.NoBinary.About("", "predicted from the IR, not with the binary: %s", one.FromIR))
		one.Prediction = &with
	}
	return one, err
}

func (p *Predictor) predict(c *workload.Case) (*Prediction, error) {
	if own := p.For(c); own != p {
		return own.predict(c)
	}
	values, part, err := p.values(c)
	if err != nil {
		return nil, err
	}
	result, growth, fit, err := p.byRows(c, values, part)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	unpriced, err := c.Unpriced(p.launches, p.ids, growth, int(p.Device.SubgroupSize), p.Cache)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	switch kinds := format.First(kindsOf(unpriced.Records), 2); {
	case unpriced.Main():
		result.Open()
		result.Warnings = slices.Insert(result.Warnings, 0, warning.DoesNotApply.About(
			"model "+p.Model.Name, "does not apply, having no cost for a main part of the work (%s); the time is a lower bound", kinds))
	case unpriced.Noticeable():
		result.Warnings = append(result.Warnings, warning.NoCost.About("", "the model has no cost for %s", kinds))
	}
	if waitsForGrid(c) {
		result.Open()
		result.Warnings = append(result.Warnings, warning.NoCost.About("", "the model has no cost for barriers of all work-groups"))
	}
	if inPart(c) {
		result.Open()
	}
	if err := p.crowded(c, result); err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	doubts, err := assumed(p, c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	result.Warnings = append(append(result.Warnings, doubts...), undefined(c)...)
	if roof, ok := roofOf(c, p.Facts, p.measured, p.Cache); ok {
		result.Under(roof)
	}
	return &Prediction{Case: c, Prediction: result, Fit: fit, Unpriced: unpriced, values: values, model: p.Model}, nil
}

// waitsForGrid reports that a kernel has a barrier of all work-groups.
func waitsForGrid(c *workload.Case) bool {
	if c.Kernel.IR == nil {
		return false
	}
	for _, f := range c.Kernel.IR.Functions {
		for _, operations := range f.Counts {
			if operations["func:grid_sync"] > 0 {
				return true
			}
		}
	}
	return false
}

// crowded is the time of a case that mostly waits for atomic operations on few places, for which models have no cost. The estimate is rough, so that the interval has no
// upper end.
func (p *Predictor) crowded(c *workload.Case, result *calibrate.Prediction) (err error) {
	defer throw.Catch(&err)
	if p.Facts == nil {
		return nil
	}
	nest, err := c.Nest()
	if err != nil || len(c.Sizes) == 0 {
		return nil
	}
	program := throw.Get(programOf(p, c))
	arrays := throw.Get(remedy.Addressed(program, nest.Kernel, c.Sizes))
	if len(arrays) > 0 {
		result.Open()
		result.Warnings = append(result.Warnings, warning.NoCost.About("", "the model has no cost for private arrays in memory, as those with an index that is no constant of the code are (%s); "+
			"where they take more than 5 %% of the time, perf explain says about how much", format.First(arrays, 3)))
	}
	seconds, text, err := remedy.Crowd(program, nest.Kernel, c.Sizes, p.Facts)
	if err != nil || seconds <= result.Seconds {
		return err
	}
	result.Open()
	result.Warnings = slices.Insert(result.Warnings, 0, warning.DoesNotApply.About("model "+p.Model.Name,
		"has no cost for atomic operations on few places: %s, which does them one after the other; the time is what that takes, and %s without it", text, format.Rough(result.Seconds, "s")))
	result.Seconds, result.Lacking = seconds, seconds-result.Seconds
	return nil
}

// Doubts are what is to be known of a measurement beside a prediction.
func (p *Predictor) Doubts(r *samples.Record) (warnings []string) {
	if r.Unverified != "" {
		warnings = append(warnings, warning.Unverified.About("", "its measured results are not verified, %s", r.Unverified))
	}
	return warnings
}

// Elsewhere warns of times of another device than a profile is for; "" where there is nothing to warn of.
func Elsewhere(profile, on samples.Fingerprint) string {
	if profile.Covers(on) {
		return ""
	}
	return warning.OtherDevice.About("", "the profile is for %s, but the times are from %s: %s", profile, on, profile.Difference(on))
}

// Elsewhere is that of the profile that predictions are by.
func (p *Predictor) Elsewhere(on samples.Fingerprint) string { return Elsewhere(p.Device, on) }

// PredictAll predicts the times of cases, on all processors.
func (p *Predictor) PredictAll(cases []*workload.Case) ([]*Prediction, error) {
	all := make([]*Prediction, len(cases))
	err := parallel.Try(len(cases), runtime.GOMAXPROCS(0), func(i int) (err error) {
		all[i], err = p.Predict(cases[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// CasesOf are the cases of predictions.
func CasesOf(all []*Prediction) (cases []*workload.Case) {
	return lists.Map(all, func(one *Prediction) *workload.Case { return one.Case })
}

// kindsOf names the work of records, accesses by their arrays.
func kindsOf(records []features.Record) (out []string) {
	for _, r := range records {
		var text string
		if m, ok := r.Key.(features.Mem); ok {
			text = string(m.Space) + " " + string(m.DType) + " " + string(m.Direction) + "s of " + m.Variable
		} else {
			text = r.Key.String()
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// Refused is a case that a device would refuse: it exceeds a limit, or does what is undefined.
type Refused struct {
	Label  string           `json:"-"` // of the case
	Script string           `json:"script,omitempty"`
	Kernel string           `json:"kernel"`
	At     map[string]int64 `json:"at,omitempty"`
	Status samples.Status   `json:"status"`
	Reason string           `json:"reason"`

	// Verdict is the same as an error, with the line of the source that it is about.
	Verdict *device.Error `json:"-"`
}

// Runnable separates the cases that the model's device runs from those that it would refuse (see [workload.Case.Refused]).
func (p *Predictor) Runnable(cases []*workload.Case) (run []*workload.Case, refused []Refused, err error) {
	return p.runnable(cases, false)
}

// Predictable is Runnable of what is only predicted: a launch that nobody can make, as its arguments are not said, may run. One that a launch
// file says wrongly, such as a grid that its cluster does not divide, is an error.
func (p *Predictor) Predictable(cases []*workload.Case) (run []*workload.Case, refused []Refused, err error) {
	return p.runnable(cases, true)
}

// refused is why the model's device does not run a case, nil where nothing speaks against it. With unmade, it may be one that nobody can launch.
func (p *Predictor) refused(c *workload.Case, unmade bool) (*device.Error, error) {
	verdict, err := c.On(p.Device.Interface).Refused(facts.Limits(device.Info{Fingerprint: p.Device}), p.Facts)
	if placed := (*source.Error)(nil); verdict != nil || unmade && !errors.As(err, &placed) {
		return verdict, nil
	}
	return nil, err
}

func (p *Predictor) runnable(cases []*workload.Case, unmade bool) (run []*workload.Case, refused []Refused, err error) {
	verdicts := make([]*device.Error, len(cases))
	err = parallel.Try(len(cases), runtime.GOMAXPROCS(0), func(i int) (err error) {
		verdicts[i], err = p.refused(cases[i], unmade)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for i, c := range cases {
		if verdict := verdicts[i]; verdict != nil {
			refused = append(refused, Refused{c.Label, c.Script, c.Name, c.Sizes, verdict.Status, verdict.Msg, verdict})
			continue
		}
		run = append(run, c)
	}
	return run, refused, nil
}

// Purpose says which kernels a model was made for.
type Purpose int

// The purposes, the best for given kernels last.
const (
	ForOthers Purpose = iota // kernels with the accesses that the model names
	ForAny                   // any: it knows static features alone, which count all work whatever its accesses and types
	ForThese                 // these: what it measures is derived from each of them
)

// String says it of a kernel, "" where there is nothing to say.
func (p Purpose) String() string { return []string{"", "for any kernel", "made for this script"}[p] }

// Suitability has the criteria by which a model of a profile is chosen for kernels.
type Suitability struct {
	*Predictor
	Applies  bool    // it has costs for the main part of the work of every case
	For      Purpose // which kernels it was made for
	Unpriced int     // kinds of work without a cost, counted in each case
	Doubts   int     // warnings of its predictions
	Error    float64 // relative, of the fit
	HeldOut  bool    // the error is that on kernels left out of the fit
}

// Rank orders the models of a profile for the cases: first those that apply, of these the ones that were made for the kernels, then those
// for any kernel, then the one that leaves the least of their work without a cost, then the one that predicts with the fewest warnings,
// then the one with the smallest error on kernels left out of its calibration. Models that cannot predict the cases are left out, unless
// none can.
func Rank(profile *calibrate.Profile, cases []*workload.Case) ([]Suitability, error) {
	var all []Suitability
	var failed error
	for i := range profile.Models {
		fit := &profile.Models[i].Fit
		if profile.Find(fit.Refines) != nil || profile.Find(fit.BinaryOf) != nil {
			continue // the model that it belongs to is with it
		}
		p, err := PredictorOf(profile, &profile.Models[i])
		if err != nil {
			return nil, err
		}
		s := Suitability{Predictor: p, Applies: true, For: p.purpose(cases), Error: fit.GeomeanRelErr}
		if fit.Cross != nil && !math.IsNaN(fit.Cross.GeomeanRelErr) {
			s.Error, s.HeldOut = fit.Cross.GeomeanRelErr, true
		}
		predictions, err := p.PredictAll(cases)
		if err != nil {
			failed = cmp.Or(failed, err)
			continue
		}
		for _, predicted := range predictions {
			s.Applies = s.Applies && predicted.Applies()
			s.Unpriced += len(kindsOf(predicted.Unpriced.Records))
			s.Doubts += len(predicted.Warnings)
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, failed
	}
	slices.SortStableFunc(all, func(a, b Suitability) int {
		return cmp.Or(trueFirst(a.Applies, b.Applies), cmp.Compare(b.For, a.For),
			cmp.Compare(a.Unpriced, b.Unpriced), cmp.Compare(a.Doubts, b.Doubts), cmp.Compare(a.Error, b.Error))
	})
	return all, nil
}

// NoModel is the error that no model of a profile applies to a kernel, of those that may be chosen.
func NoModel(c *workload.Case, choices string) error {
	return fmt.Errorf("no model of the profile has costs for the main part of the work of %s\n"+
		"    make one: perf calibrate --for %s -p %s --own-model, or name one for a lower bound: --model %s", c.Name, c.Identity.Source, format.Sizes(c.Sizes), choices)
}

// Clear reports whether the first of ranked models applies, and is the only such one that was made for the kernels, or for any.
func Clear(ranked []Suitability) bool {
	first := ranked[0]
	return first.Applies && first.For != ForOthers &&
		!slices.ContainsFunc(ranked[1:], func(s Suitability) bool { return s.Applies && s.For == first.For })
}

func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// purpose says which kernels the model was made for, as seen from those of the cases.
func (p *Predictor) purpose(cases []*workload.Case) Purpose {
	switch {
	case len(cases) > 0 && (p.madeFor(cases) || !slices.ContainsFunc(cases, func(c *workload.Case) bool { return p.For(c) == p })):
		return ForThese
	case p.Static():
		return ForAny
	}
	return ForOthers
}

// madeFor reports whether the model was made for the kernels of the cases: whether what it measures is derived from each of them.
func (p *Predictor) madeFor(cases []*workload.Case) bool {
	return !slices.ContainsFunc(cases, func(c *workload.Case) bool {
		return !slices.ContainsFunc(p.Model.Measure, func(m models.Measurement) bool {
			return m.Script != "" && filepath.Base(m.Script) == c.Identity.Source && (m.Kernel == "" || m.Kernel == cmp.Or(c.Identity.Variant, c.Name))
		})
	})
}
