package campaign

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/calibrate"
	"gpuperf/device/facts"
	"gpuperf/internal/evaluate"
	"gpuperf/internal/format"
	"gpuperf/internal/frontend"
	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/models"
	"gpuperf/samples"
	"gpuperf/workload"
)

// EvaluateOptions say how suites are evaluated. The zero value is the default.
type EvaluateOptions struct {
	Selection   Selection
	Within      TimeRange          // of the measurement kernels
	Profile     *calibrate.Profile // of the fitted models; nil: they are calibrated
	WorkRemoved bool               // also time each variant with its work removed
	Refine      bool               // models for any kernel are refined for each variant
	Sensitivity bool               // also calibrate with fewer kernels and fewer trials
	Learn       string             // path of a profile to which the models are added, with intervals by their errors here; "": none
}

// Evaluation is the outcome of suites in one state of the caches.
type Evaluation struct {
	Report   *evaluate.Report
	Device   samples.Fingerprint // that the models are of
	Models   []*Fitted           // in the order of first use
	Records  []samples.Record    // of the variants, as measured
	Warnings []string
}

// Fitted is a model that an evaluation used.
type Fitted struct {
	*Calibrated
	Predictor *Predictor
	Costs     []evaluate.Cost   // against the peaks of the device
	Binary    *Fitted           // the model as it is with the binary; nil where it has no such form
	known     []calibrate.Known // the variants with their times
}

// know keeps the features of a point of a suite with its time.
func (m *Fitted) know(suite string, p *Prediction, seconds float64) {
	m.known = append(m.known, calibrate.Known{Kernel: suite, Set: suite + " " + format.Sizes(p.Sizes), Features: p.values, Measured: seconds})
}

// sensitivitySeed makes the tables of sensitivity the same in every run.
const sensitivitySeed = 1

// evaluation is a run in progress.
type evaluation struct {
	*Campaign
	o      EvaluateOptions
	out    *Evaluation
	mode   samples.Mode
	models map[string]*Fitted // by the path of the model file
}

// Evaluate predicts and measures the variants of suites, in one state of the caches. Each model is calibrated once, or taken from the
// profile. An error comes with the results up to there.
func (c *Campaign) Evaluate(ctx context.Context, mode samples.Mode, files []*evaluate.File, o EvaluateOptions) (*Evaluation, error) {
	out := &Evaluation{Report: &evaluate.Report{Cache: mode}, Device: c.Device.Info().Fingerprint}
	if o.Profile != nil {
		out.Device = o.Profile.Device
	}
	out.Report.Device = out.Device.Name
	e := &evaluation{Campaign: c, o: o, out: out, mode: mode, models: map[string]*Fitted{}}
	for _, file := range files {
		for _, suite := range file.Suites {
			s := evaluate.SuiteReport{Name: suite.Name}
			for _, variant := range suite.Variants {
				v, err := e.variant(ctx, file, suite, variant)
				if err != nil {
					return out, err
				}
				s.Variants = append(s.Variants, *v)
			}
			out.Report.Suites = append(out.Report.Suites, s)
		}
	}
	out.Report.Summarize()
	if o.Sensitivity {
		var all []evaluate.Calibrated
		for _, m := range e.out.Models {
			all = append(all, evaluate.Calibrated{Model: m.Predictor.Model, Fit: &m.Fit, Rows: m.Rows.Rows, Targets: m.known})
		}
		var err error
		if out.Report.Sensitivity, err = evaluate.Vary(ctx, all, sensitivitySeed); err != nil {
			return out, fmt.Errorf("sensitivity: %w", err)
		}
	}
	if o.Learn != "" {
		if err := out.learn(o.Learn, files); err != nil {
			return out, err
		}
	}
	out.Report.Conditions = evaluate.Conditions(c.Used(mode))
	return out, e.judge(ctx)
}

// learn takes the intervals of the models from their errors on the variants, and adds the models to the profile at path. The suites are
// named in it by their files.
func (e *Evaluation) learn(path string, files []*evaluate.File) error {
	from := lists.Map(files, func(f *evaluate.File) string { return filepath.Base(f.Path) })
	for _, m := range e.Models {
		for ; m != nil; m = m.Binary {
			if err := m.Fit.Learn(m.Predictor.Model, strings.Join(from, ", "), m.known); err != nil {
				return err
			}
			if err := AddToProfile(path, e.Device, []calibrate.Calibration{*m.Calibration}, m.Roof...); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *evaluation) note(k warning.Kind, about, format string, args ...any) {
	e.out.Warnings = append(e.out.Warnings, k.About(about, format, args...))
}

// take measures cases of a variant.
func (e *evaluation) take(ctx context.Context, cases []*workload.Case) ([]samples.Record, error) {
	result, err := e.Measure(ctx, e.mode, cases)
	if err != nil {
		return nil, err
	}
	e.out.Warnings = append(e.out.Warnings, result.Warnings...)
	return result.Records, nil
}

// measured measures the launch file of a variant at the sizes of the suite, or the cases where it has none.
func (e *evaluation) measured(ctx context.Context, file *evaluate.File, suite evaluate.Suite, variant evaluate.Variant, cases []*workload.Case) (records []samples.Record, err error) {
	if variant.Launch == "" {
		records, err = e.take(ctx, cases)
	} else {
		records, err = e.launch(ctx, file, suite, variant)
	}
	e.out.Records = append(e.out.Records, records...)
	return records, err
}

func (e *evaluation) launch(ctx context.Context, file *evaluate.File, suite evaluate.Suite, variant evaluate.Variant) ([]samples.Record, error) {
	launches, err := LoadLaunches(ctx, []string{resolve(file, variant.Launch)}, "", suite.Sizes)
	if err != nil {
		return nil, placed(file.ErrorAt, variant.Pos, err)
	}
	result, err := e.MeasureLaunches(ctx, e.mode, launches)
	if err != nil {
		return nil, err
	}
	e.out.Warnings = append(e.out.Warnings, result.Warnings...)
	return result.Records, nil
}

// skips notes that a variant has no time at some size.
func (e *evaluation) skips(v *evaluate.VariantReport, at map[string]int64, r samples.Record) bool {
	if r.Status == samples.OK {
		return false
	}
	e.note(warning.LeftOut, v.Name+" "+format.Sizes(at), "skipped, %s: %s", r.Status, r.Error)
	v.Skipped = append(v.Skipped, evaluate.Skip{At: at, Status: r.Status, Reason: r.Error})
	return true
}

func (e *evaluation) variant(ctx context.Context, file *evaluate.File, suite evaluate.Suite, variant evaluate.Variant) (_ *evaluate.VariantReport, err error) {
	defer throw.Catch(&err)
	v := &evaluate.VariantReport{Name: variant.Name, Launch: variant.Launch}
	if !variant.Predicted() {
		records, err := e.measured(ctx, file, suite, variant, nil)
		for i, r := range records {
			if at := suite.Sizes[i]; !e.skips(v, at, r) {
				v.Times = append(v.Times, evaluate.Time{At: at, Measured: r.Seconds()})
			}
		}
		return v, err
	}
	m := e.model(ctx, file, variant)
	general := m
	if e.o.Refine {
		m = e.refined(ctx, m, file, suite, variant)
	}
	v.Model = m.Predictor.Model.Name
	cases := throw.Get(e.cases(ctx, file, suite, variant))
	// Predicted before anything of the variant is measured.
	predictions := throw.Get(m.Predictor.PredictAll(cases))
	records := throw.Get(e.measured(ctx, file, suite, variant, cases))
	removed := e.workRemoved(ctx, cases)
	for i, p := range predictions {
		r := records[i]
		if e.skips(v, p.Sizes, r) {
			continue
		}
		point := evaluate.Point{At: p.Sizes, Predicted: p.Seconds, Interval: p.Interval, Measured: r.Seconds(), Warnings: p.Warnings, Prediction: p.Prediction}
		if removed != nil && removed[i].Status == samples.OK {
			point.WorkRemoved = removed[i].Seconds()
		}
		point.Binary = general.withBinary(suite.Name, p, &r)
		v.Points = append(v.Points, point)
		general.know(suite.Name, p, point.Measured)
	}
	return v, nil
}

// workRemoved measures the trivial prediction, which a model must beat; nothing where it is not asked for.
func (e *evaluation) workRemoved(ctx context.Context, cases []*workload.Case) []samples.Record {
	if !e.o.WorkRemoved {
		return nil
	}
	left := throw.Get(workload.WorkRemoved(cases))
	return throw.Get(e.take(ctx, left))
}

// model calibrates the model of a variant, or takes it from the profile, once for each model file.
func (e *evaluation) model(ctx context.Context, file *evaluate.File, variant evaluate.Variant) *Fitted {
	path := variant.Model
	if near := resolve(file, path); !isName(path) || exists(near) {
		path = near
	}
	if m := e.models[path]; m != nil {
		return m
	}
	model, err := LoadModel(path)
	if err != nil {
		throw.If(placed(file.ErrorAt, variant.Pos, err))
		return nil
	}
	m := &Fitted{}
	if e.o.Profile != nil {
		m.Calibrated, err = e.fromProfile(model)
	} else {
		m.Calibrated, err = e.calibrated(ctx, model)
	}
	throw.If(err)
	roof := m.Roof
	if e.o.Profile != nil {
		roof = e.o.Profile.Roof
	}
	m.Predictor = throw.Get(NewPredictor(e.out.Device, roof, m.Calibration))
	if m.Calibrated.Binary != nil {
		m.Binary = &Fitted{Calibrated: &Calibrated{Calibration: m.Calibrated.Binary}}
		m.Binary.Predictor = throw.Get(NewPredictor(e.out.Device, roof, m.Calibrated.Binary))
		m.Predictor.binary = m.Binary.Predictor
	}
	e.models[path] = m
	e.out.Models = append(e.out.Models, m)
	return m
}

func (e *evaluation) calibrated(ctx context.Context, model *models.Model) (*Calibrated, error) {
	plan, err := NewPlan(ctx, model, e.o.Selection)
	if err != nil {
		return nil, err
	}
	m, err := e.Calibrate(ctx, e.mode, plan, e.o.Within)
	e.out.Warnings = append(e.out.Warnings, m.Warnings...)
	return m, err
}

func (e *evaluation) fromProfile(model *models.Model) (*Calibrated, error) {
	calibration, err := CalibrationOf(e.o.Profile, model.Name)
	if err != nil {
		return nil, err
	}
	if c := calibration.Origin.Cache; c != "" && c != string(e.mode) {
		e.note(warning.OtherCaches, "model "+model.Name, "the profile has it for %s caches, but the times are with %s caches", c, e.mode)
	}
	return &Calibrated{Calibration: calibration, Binary: binaryIn(e.o.Profile, model.Name)}, nil
}

// resolve resolves a path relative to the suite file.
func resolve(file *evaluate.File, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(file.Path), path)
}

func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// cases returns the variant at each size of the suite.
func (e *evaluation) cases(ctx context.Context, file *evaluate.File, suite evaluate.Suite, variant evaluate.Variant) ([]*workload.Case, error) {
	if variant.Script != "" {
		path := resolve(file, variant.Script)
		if variant.Kernel != "" {
			path += "#" + variant.Kernel
		}
		cases, err := Cases(ctx, frontend.Options{}, []string{path}, suite.Sizes)
		switch {
		case err != nil:
			return nil, placed(file.ErrorAt, variant.Pos, err)
		case len(cases) != len(suite.Sizes):
			return nil, file.ErrorAt(variant.Pos, "script %s defines several kernels", variant.Script).
				WithHint("name the one that variant %s means: script: %s#NAME", variant.Name, variant.Script)
		}
		return cases, nil
	}
	var all []*workload.Case
	for _, at := range suite.Sizes {
		sizes := lists.Map(slices.Sorted(maps.Keys(at)), func(name string) string { return fmt.Sprintf("%s:%d", name, at[name]) })
		cases, err := TagCases(e.o.Selection.Generators, replaceTags(variant.Tags, sizes), "", nil)
		if err != nil {
			return nil, file.ErrorAt(variant.Pos, "variant %s: %s", variant.Name, source.Message(err))
		}
		if len(cases) != 1 {
			return nil, file.ErrorAt(variant.Pos, "the tags of variant %s select %d kernels at %s, not one", variant.Name, len(cases), format.Sizes(at)).
				WithHint("`perf bench show` lists them; give a tag for each argument that differs")
		}
		all = append(all, cases...)
	}
	return all, nil
}

// judge sets the costs of the models against the peaks of the device, and warns of rates above them.
func (e *evaluation) judge(ctx context.Context) error {
	for _, m := range e.out.Models {
		// Kernels to count in, where they are known: a model of a profile may name none.
		var cases []*workload.Case
		plan, err := NewPlan(ctx, m.Predictor.Model, Selection{Generators: e.o.Selection.Generators, Tags: e.o.Selection.Tags})
		switch {
		case err == nil:
			cases = plan.Cases
		case e.o.Profile == nil:
			return err
		}
		on := e.out.Device
		if m.Costs, err = evaluate.Costs(m.Predictor.Model, &m.Fit, facts.Of(on), cases, int(on.SubgroupSize)); err != nil {
			return fmt.Errorf("model %s: %w", m.Fit.Model, err)
		}
		for _, c := range m.Costs {
			if c.Remark != "" {
				e.note(warning.AbovePeak, "model "+m.Fit.Model+", "+c.Name, "implies %s, %s of the peak: %s", format.Rough(c.Rate, c.RateUnit), format.Percent(c.Share()), c.Remark)
			}
		}
	}
	return nil
}
