package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/calibrate"
	"gpuperf/calibrate/profiles"
	"gpuperf/device/facts"
	"gpuperf/device/replay"
	"gpuperf/internal/evaluate"
	"gpuperf/internal/frontend"
	"gpuperf/internal/modelgen"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/models"
	"gpuperf/samples"
	"gpuperf/workload"
)

// Refinement is a kernel with the general model that its own measurements are to correct.
type Refinement struct {
	General *calibrate.Calibration
	Plan    *Plan // the general model, with the kernel's own measurement kernels
	Notes   []string

	measure []models.Measurement
	name    string
	kernel  *workload.Kernel
	device  *facts.Device
}

// PlanRefinement finds what is to be measured of a kernel. A kernel of which nothing can be measured has no cases.
func PlanRefinement(general *calibrate.Calibration, t modelgen.Target, opt modelgen.Options) (_ *Refinement, err error) {
	defer throw.Catch(&err)
	model, err := models.Parse(general.Origin.ModelFile, []byte(general.Definition))
	if err != nil {
		return nil, fmt.Errorf("model %s of the profile: %w", general.Fit.Model, err)
	}
	r := &Refinement{General: general, Plan: &Plan{Model: model}, name: RefinedName(general.Fit.Model, t.Script, t.Variant.Name), device: opt.Device}
	r.kernel = workload.NewKernel(t.Variant.Kernel)
	r.Plan.ids = throw.Get(featuresOf(model))
	r.measure, r.Notes = throw.Get2(modelgen.Own([]modelgen.Target{t}, opt))
	for _, m := range r.measure {
		cases := throw.Get(t.CasesOf(m))
		r.Plan.Cases = append(r.Plan.Cases, cases...)
	}
	return r, nil
}

// RefinedName is the name in a profile of a model refined for a kernel: general@matmul.star#tiled.
func RefinedName(general, file, kernel string) string {
	return general + "@" + filepath.Base(file) + "#" + kernel
}

// RefinedFor reports whether a profile has a model that is refined for a kernel of a file.
func RefinedFor(p *calibrate.Profile, file string) bool {
	return slices.ContainsFunc(p.Models, func(c calibrate.Calibration) bool {
		return c.Fit.Refines != "" && strings.HasPrefix(c.Fit.Model, RefinedName(c.Fit.Refines, file, ""))
	})
}

// Refine measures a kernel's own measurement kernels and fits the general model to them, with the general fit as the prior. An error may
// come with a result, as that of Rows.
func (c *Campaign) Refine(ctx context.Context, mode samples.Mode, r *Refinement, within TimeRange) (*Calibrated, error) {
	rows, err := c.Rows(ctx, mode, r.Plan, within)
	out := &Calibrated{Rows: *rows}
	if err != nil {
		return out, err
	}
	model := *r.Plan.Model
	model.Name, model.Measure = r.name, r.measure
	apart, err := r.meanLogGain()
	if err != nil {
		return out, err
	}
	fit, err := calibrate.Refine(ctx, &model, &r.General.Fit, rows.Rows, calibrate.KernelSpread.Apart(apart))
	if err != nil {
		return out, err
	}
	out.Calibration = c.calibration(&model, fit, mode)
	return out, nil
}

// asItIs reports whether a kernel was measured with all of its work.
func asItIs(measure []models.Measurement) bool {
	return !slices.ContainsFunc(measure, func(m models.Measurement) bool { return m.RemoveWork != nil })
}

// meanLogGain is the mean, over the sizes that are measured, of the logarithm of the kernel's time over that of what is left of it without its work,
// whichever is longer, by the general model.
func (r *Refinement) meanLogGain() (float64, error) {
	if asItIs(r.measure) {
		return 0, nil
	}
	var whole []*workload.Case
	for _, c := range r.Plan.Cases {
		if !slices.ContainsFunc(whole, func(o *workload.Case) bool { return maps.Equal(o.Sizes, c.Sizes) }) {
			of := *c
			of.Kernel = r.kernel
			whole = append(whole, &of)
		}
	}
	left, err := workload.WorkRemoved(whole)
	if err != nil {
		return math.Inf(1), nil //nolint:nilerr // some accesses alone were measured, not all
	}
	general, err := calibrate.NewPredictor(r.Plan.Model, &r.General.Fit)
	if err != nil {
		return 0, err
	}
	logarithm := func(c *workload.Case) float64 {
		values, e := featuresOn(r.device, c, r.Plan.ids)
		if e != nil {
			err = e
			return 0
		}
		p, e := general.Predict(values)
		if e != nil {
			err = e
			return 0
		}
		return math.Log(p.Seconds)
	}
	sum := 0.0
	for i, c := range whole {
		sum += math.Abs(logarithm(c) - logarithm(left[i]))
	}
	return sum / float64(len(whole)), err
}

// RefineIn refines the model for any kernel of a profile, or of one that comes with the program, for a kernel. A kernel of which nothing can
// be measured is an error. An error may come with a result, as that of Rows.
func (c *Campaign) RefineIn(ctx context.Context, mode samples.Mode, profile *calibrate.Profile, t modelgen.Target, opt modelgen.Options, within TimeRange) (*Calibrated, []string, error) {
	general, err := GeneralOf(profile, mode)
	if err != nil {
		return &Calibrated{}, nil, err
	}
	r, err := PlanRefinement(general, t, opt)
	if err != nil {
		return &Calibrated{}, nil, err
	}
	if len(r.Plan.Cases) == 0 {
		return &Calibrated{}, r.Notes, fmt.Errorf("%s", r.nothingMeasured())
	}
	out, err := c.Refine(ctx, mode, r, within)
	out.General = general
	return out, r.Notes, err
}

// GeneralOf finds the model for any kernel in a profile of a device: the one with the least error on kernels left out. If the profile has
// none, it is that of the profile for such devices that comes with the program.
func GeneralOf(profile *calibrate.Profile, mode samples.Mode) (*calibrate.Calibration, error) {
	if c := generalIn(profile, mode); c != nil {
		return c, nil
	}
	for _, name := range profiles.All.Names() {
		p, err := profiles.Load(name)
		if err != nil {
			return nil, err
		}
		if c := generalIn(p, mode); c != nil && p.Device.Alike(profile.Device) && p.Device.Interface == profile.Device.Interface {
			return c, nil
		}
	}
	return nil, inputf("there is no model for any kernel of %s with %s caches that measurements of a kernel could refine\n"+
		"    calibrate one first: perf calibrate\n    or make a model of the kernel's own: --own-model", profile.Device, mode)
}

func generalIn(p *calibrate.Profile, mode samples.Mode) (best *calibrate.Calibration) {
	err := func(c *calibrate.Calibration) float64 {
		if x := c.Fit.Cross; x != nil && !math.IsNaN(x.GeomeanRelErr) {
			return x.GeomeanRelErr
		}
		return c.Fit.GeomeanRelErr
	}
	for i := range p.Models {
		c := &p.Models[i]
		if c.Fit.Refines != "" || c.Fit.BinaryOf != "" || c.Origin.Cache != "" && c.Origin.Cache != string(mode) {
			continue
		}
		q, e := NewPredictor(p.Device, p.Roof, c)
		if e == nil && q.Static() && (best == nil || err(c) < err(best)) {
			best = c
		}
	}
	return best
}

// refinements are the models of a profile that refine another, each for its kernel.
func refinements(p *calibrate.Profile, general string) (all []*Predictor, err error) {
	for i := range p.Models {
		if p.Models[i].Fit.Refines != general {
			continue
		}
		r, err := NewPredictor(p.Device, p.Roof, &p.Models[i])
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// PredictorOf makes a model of a profile ready, with those that refine it for kernels.
func PredictorOf(profile *calibrate.Profile, calibration *calibrate.Calibration) (_ *Predictor, err error) {
	defer throw.Catch(&err)
	p := throw.Get(NewPredictor(profile.Device, profile.Roof, calibration))
	if b := binaryIn(profile, calibration.Fit.Model); b != nil {
		p.binary = throw.Get(NewPredictor(profile.Device, profile.Roof, b))
	}
	p.refined, err = refinements(profile, calibration.Fit.Model)
	return p, err
}

// For is the predictor that refines this one for the kernel of a case, itself where there is none.
func (p *Predictor) For(c *workload.Case) *Predictor {
	if i := slices.IndexFunc(p.refined, func(r *Predictor) bool { return r.madeFor([]*workload.Case{c}) }); i >= 0 {
		return p.refined[i]
	}
	return p
}

// values are those of the model's features for a case, and for what was measured of it, nil where that is the whole or is not known.
func (p *Predictor) values(c *workload.Case) (whole, part map[string]float64, err error) {
	if whole, err = featuresOn(p.Facts, c, p.ids); err != nil || p.Fit.Refines == "" {
		return whole, nil, err
	}
	if asItIs(p.Model.Measure) {
		return whole, nil, nil
	}
	left, err := workload.WorkRemoved([]*workload.Case{c})
	if err != nil {
		return whole, map[string]float64{}, nil //nolint:nilerr // nothing of it was measured
	}
	part, err = featuresOn(p.Facts, left[0], p.ids)
	return whole, part, err
}

// refinedNames are the kernels of cases that a refined model predicts.
func (p *Predictor) refinedNames(all []*Prediction) (names []string) {
	for _, one := range all {
		if r := p.For(one.Case); r != p && !slices.Contains(names, one.Label) {
			names = append(names, cmp.Or(one.Label, one.Name))
		}
	}
	return names
}

// refinedNote says which of the predictions are by a refined model, "" for none.
func (p *Predictor) refinedNote(all []*Prediction) string {
	if names := p.refinedNames(all); len(names) > 0 {
		return ", refined for " + strings.Join(names, ", ")
	}
	return ""
}

// nothingMeasured warns that a kernel keeps the general model.
func (r *Refinement) nothingMeasured() string {
	return warning.NotMeasured.About(r.name, "none of its accesses can be measured alone, so %s stays as it is for it", r.General.Fit.Model)
}

// refined is a model of an evaluation, refined for a variant at sizes around those of the suite; the model itself where nothing was measured.
func (e *evaluation) refined(ctx context.Context, m *Fitted, file *evaluate.File, suite evaluate.Suite, variant evaluate.Variant) *Fitted {
	if variant.Script == "" || !m.Predictor.Static() {
		return m
	}
	path := resolve(file, variant.Script)
	if variant.Kernel != "" {
		path += "#" + variant.Kernel
	}
	kernels, err := frontend.Options{}.Load(ctx, path)
	if err != nil {
		throw.If(placed(file.ErrorAt, variant.Pos, err))
		return nil
	}
	target := modelgen.Target{Script: variant.Script, Variant: kernels[0].Variant, Sizes: suite.Sizes}
	r, err := PlanRefinement(m.Calibration, target, modelgen.Options{Device: facts.Of(e.out.Device)})
	if err != nil {
		throw.If(placed(file.ErrorAt, variant.Pos, err))
		return nil
	}
	if len(r.Plan.Cases) == 0 {
		e.out.Warnings = append(e.out.Warnings, r.nothingMeasured())
		return m
	}
	fitted, err := e.Refine(ctx, e.mode, r, e.o.Within)
	var missing *replay.MissingError
	if errors.As(err, &missing) {
		e.note(warning.NotMeasured, r.name, "%v", err)
		return m
	}
	e.out.Warnings = append(e.out.Warnings, fitted.Warnings...)
	throw.If(err)
	out := &Fitted{Calibrated: fitted}
	out.Predictor, err = m.Predictor.with(fitted.Calibration)
	throw.If(err)
	return out
}

// with is a predictor on the same device by another calibration.
func (p *Predictor) with(c *calibrate.Calibration) (*Predictor, error) {
	other, err := NewPredictor(p.Device, nil, c)
	if err == nil {
		other.measured, other.launches = p.measured, p.launches
	}
	return other, err
}
