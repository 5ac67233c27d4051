package campaign

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/calibrate"
	"gpuperf/device"
	"gpuperf/device/machine"
	"gpuperf/features"
	"gpuperf/internal/microbench"
	"gpuperf/internal/modelgen"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/kernel/script"
	"gpuperf/models"
	"gpuperf/models/library"
	"gpuperf/workload"
)

// Selection changes which measurement kernels are taken for a model, and in which form it is fitted. The zero value changes nothing.
type Selection struct {
	Generators string           // a folder of generators in addition to the built-in ones
	Tags       []string         // variant tags that replace those of the same argument in the model file
	On         *machine.Machine // whose multiprocessors sizes are multiples of; nil is the usual one
	Form       string           // linear, overlap or pnorm in place of the model's own form, or [calibrate.Auto]
}

// Plan is a model with its measurement kernels.
type Plan struct {
	Model *models.Model
	Form  string           // as that of a Selection
	Cases []*workload.Case // the measurement kernels, each once

	ids    []features.ID // of the model's features
	binary *withBinary   // nil where the model has no such form
}

// Plans are those of models, files or names of such that come with the program; without any that of the model for any kernel.
func Plans(ctx context.Context, paths []string, s Selection) (plans []*Plan, err error) {
	if len(paths) == 0 {
		paths = []string{library.General}
	}
	for _, path := range paths {
		model, err := LoadModel(path)
		if err != nil {
			return nil, err
		}
		plan, err := NewPlan(ctx, model, s)
		if err != nil {
			return nil, err
		}
		plans = append(plans, plan)
	}
	return plans, nil
}

// NewPlan finds the measurement kernels that a model names, as the selection changes them. Errors are at their places in the
// model file.
func NewPlan(ctx context.Context, model *models.Model, s Selection) (_ *Plan, err error) {
	defer throw.Catch(&err)
	p := &Plan{Model: model, Form: s.Form}

	p.ids = throw.Get(featuresOf(model))
	if err := calibrate.CheckForm(model, s.Form); err != nil {
		return nil, &InputError{err}
	}
	p.binary = newWithBinary(model)
	if len(model.Measure) == 0 {
		return nil, model.ErrorAt(model.Place("name"), "model %s names no kernels to measure", model.Name).
			WithHint("add a measure: section with the tags of measurement kernels; `perf bench list` shows them")
	}
	seen := map[string]bool{}
	used := map[string]bool{} // of the tags given
	for _, m := range model.Measure {
		cases := throw.Get(s.cases(ctx, model, m, used))
		for _, c := range cases {
			if key := c.Identity.Key(); !seen[key] {
				seen[key] = true
				p.Cases = append(p.Cases, c)
			}
		}
	}
	for _, tag := range s.Tags {
		if !used[tag] {
			return nil, inputf("--tag %s: no measurement kernel of model %s has such an argument", tag, model.Name)
		}
	}
	return p, nil
}

// cases returns the kernels of one item of the model's measure section, and notes which of the selection's tags are used.
func (s Selection) cases(ctx context.Context, model *models.Model, m models.Measurement, used map[string]bool) (cases []*workload.Case, err error) {
	if m.Script != "" {
		path := m.Script // relative to the model file
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(model.File), path)
		}
		variants, err := script.Options{}.Load(ctx, path)
		if err != nil {
			return nil, placed(model.ErrorAt, m.Places[0], err)
		}
		cases, err = modelgen.Cases(variants, m)
		if err != nil {
			return nil, placed(model.ErrorAt, m.Places[0], err)
		}
		return cases, nil
	}
	own, err := s.tagsFor(m, used)
	if err == nil {
		cases, err = TagCases(s.Generators, replaceTags(m.Tags, own), string(m.Match), s.On)
	}
	if err != nil {
		return nil, model.ErrorAt(m.Places[0], "%s", source.Message(err))
	}
	return cases, nil
}

// tagsFor returns those of the selection's tags that are about an argument of the generators that a measurement set selects.
func (s Selection) tagsFor(m models.Measurement, used map[string]bool) (own []string, err error) {
	if len(s.Tags) == 0 {
		return nil, nil
	}
	filter, err := parseFilter(m.Tags, string(m.Match))
	if err != nil {
		return nil, err
	}
	collection, err := LoadGenerators(s.Generators)
	if err != nil {
		return nil, err
	}
	generators, err := collection.Match(filter)
	if err != nil {
		return nil, err
	}
	for _, tag := range s.Tags {
		name, _, _ := strings.Cut(tag, ":")
		if slices.ContainsFunc(generators, func(g *microbench.Generator) bool {
			return slices.ContainsFunc(g.Args, func(a microbench.Arg) bool { return a.Name == name })
		}) {
			own = append(own, tag)
			used[tag] = true
		}
	}
	return own, nil
}

// replaceTags puts each variant tag of by in the place of the tag with the same argument, or at the end.
func replaceTags(tags, by []string) []string {
	tags = slices.Clone(tags)
	for _, tag := range by {
		arg, _, _ := strings.Cut(tag, ":")
		i := slices.IndexFunc(tags, func(t string) bool { return strings.HasPrefix(t, arg+":") })
		if i < 0 {
			tags = append(tags, tag)
			continue
		}
		tags[i] = tag
	}
	return tags
}

// LoadModel reads a model file, or a model that comes with the program by its name. A file of that name goes first.
func LoadModel(path string) (*models.Model, error) {
	m, err := models.Load(path)
	if errors.Is(err, fs.ErrNotExist) && isName(path) {
		if library.All.Has(path) {
			return library.Load(path)
		}
		return nil, inputf("no file %s, and no model of that name comes with the program; there are: %s", path, strings.Join(library.All.Names(), ", "))
	}
	return m, err
}

// placed is an error about what a file names, at the place where it names it. An error that has a place in another file keeps it.
func placed(errorAt func(source.Pos, string, ...any) *source.Error, pos source.Pos, err error) error {
	var said *source.Error
	if !errors.As(err, &said) {
		return errorAt(pos, "%s", source.Message(err))
	}
	if said.File != "" {
		return err
	}
	return errorAt(pos, "%s", said.Msg).WithHint("%s", said.Hint)
}

// isName reports whether text is the name of a model, not a path.
func isName(path string) bool { return filepath.Base(path) == path && filepath.Ext(path) == "" }

// featuresOf resolves the features that a model needs. An unknown one is an error at its place in the model file.
func featuresOf(model *models.Model) ([]features.ID, error) {
	var ids []features.ID
	for _, name := range model.FeatureNames() {
		id, err := features.ParseID(name)
		if err != nil {
			at := model.ErrorAt(model.Place(name), "%s", source.Message(err))
			var inner *source.Error
			if errors.As(err, &inner) {
				at.Hint = inner.Hint
			}
			return nil, at
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// checkOutput refuses a model whose output is not the run time, or is pinned to another device
// (f_cl_wall_time_<platform>_<device>).
func checkOutput(model *models.Model, info device.Info) error {
	const wallTime = "f_cl_wall_time"
	pin, ok := strings.CutPrefix(model.Output, wallTime)
	if !ok {
		return model.ErrorAt(model.Place("output"), "only %s can be measured, not %s", wallTime, model.Output).
			WithHint("with another output, fit to a table: perf fit %s --data table.csv", model.File)
	}
	for _, word := range strings.FieldsFunc(strings.ToLower(pin), func(r rune) bool { return r == '_' }) {
		if !strings.Contains(strings.ToLower(info.Platform+" "+info.Vendor+" "+info.Name), word) {
			return model.ErrorAt(model.Place("output"), "%s pins the model to a device that is not %s", model.Output, info.Name).
				WithHint("write %s to calibrate on any device, or choose the device with --device", wallTime)
		}
	}
	return nil
}
