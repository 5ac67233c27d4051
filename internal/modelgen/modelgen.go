package modelgen

import (
	"fmt"
	"slices"

	"gpuperf/device/facts"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/kernel/script"
	"gpuperf/models"
	"gpuperf/workload"
)

// Set is a model file for some kernels, with its contents and its measurement kernels.
type Set struct {
	Text     string        // of the model file
	Model    *models.Model // that the text parses to
	Patterns []*Pattern    // with a cost of their own
	Minor    []*Pattern    // without one: their shares of their kernels are too small
	Planned  []Planned     // the kernels that are measured
	Notes    []string      // what the model leaves out, and why
}

// Planned is a kernel that is measured.
type Planned struct {
	*workload.Case
	Seconds float64 // of a run, estimated
}

// Make chooses a model and its measurements for kernels. Selected returns the measurement kernels that tags select, as the
// reader of the model file will. If a kernel has accesses that cannot be isolated, the error names the kernel, and the script and line
// where it is defined.
func Make(targets []Target, opt Options, selected func(models.Measurement) ([]*workload.Case, error)) (_ *Set, err error) {
	defer throw.Catch(&err)
	if len(targets) == 0 {
		return nil, fmt.Errorf("no kernel to predict")
	}
	subjects := examineAll(targets, opt)
	major, small := throw.Get2(findPatterns(subjects, opt.Device))
	ops, opNotes := findOperations(subjects, waits(subjects, opt))
	local, localNotes := findLocal(subjects, opt.Device)
	c := compose(subjects, major, small, ops, local, opt)
	own, isolateNotes := isolate(subjects, major, c.plain(), opt)
	c.together = slices.ContainsFunc(own, func(p planned) bool { return len(p.RemoveWork.Keep) == 0 })
	var notes []string
	for _, s := range subjects {
		notes = slices.Concat(notes, s.notes, s.outside)
	}
	c.notes = addOnce(nil, slices.Concat(notes, isolateNotes, opNotes, localNotes)...)
	if c.stream != nil && !slices.ContainsFunc(local, func(l localClass) bool { return l.dtype == "float32" && l.measure == 1 }) && opt.overlaps() {
		local = append(local, localClass{dtype: "float32", strides: []int64{1}, measure: 1})
	}
	measure := slices.Concat(own, generated(subjects, ops, local, opt, c.stream))
	if c.wait != nil {
		measure = append(measure, c.latencyKernels(ops, opt)...)
	}

	set := &Set{Patterns: major, Minor: small}
	set.Planned = plan(measure, opt, selected)
	linear := throw.Get(models.Parse(opt.Name, []byte(c.text(opt, models.LinearForm, subjects, major, small, measure))))
	params, table := throw.Get2(columns(linear, set.Planned, int(opt.lanes())))
	c.prune(params, table)
	set.Text = c.text(opt, opt.form(), subjects, major, small, measure)
	set.Notes = c.notes
	if err := opt.Device.Need(needed...); err != nil {
		set.Notes = append([]string{unknownNote(opt, err)}, set.Notes...)
	}
	set.Model = throw.Get(models.Parse(opt.Name, []byte(set.Text)))
	return set, nil
}

// examineAll examines targets, and chooses the sizes at which each is measured.
func examineAll(targets []Target, opt Options) []*subject {
	var subjects []*subject
	for _, t := range targets {
		s := throw.Get(examine(t, opt))
		if err := s.chooseSizes(opt, false); err != nil {
			panic(throw.Of(t.Variant.Error(err)))
		}
		subjects = append(subjects, s)
	}
	return subjects
}

// plan lists the kernels that are measured, each once.
func plan(measure []planned, opt Options, selected func(models.Measurement) ([]*workload.Case, error)) (out []Planned) {
	seen := map[string]bool{}
	for _, m := range measure {
		var list []*workload.Case
		var err error
		if m.subject != nil {
			list, err = Cases([]script.Variant{m.subject.Variant}, m.Measurement)
		} else {
			list, err = selected(m.Measurement)
		}
		if err != nil {
			panic(throw.Errorf("%s: %w", m.why, err))
		}
		for _, k := range list {
			if seen[k.Identity.Key()] {
				continue
			}
			seen[k.Identity.Key()] = true
			t := throw.Get(Estimate(opt.Device, k))
			out = append(out, Planned{k, t})
		}
	}
	return out
}

// needed are the facts of a device that estimates of times and terms of the model use.
var needed = []facts.Key{
	facts.Multiprocessors, facts.L2Bytes, facts.ClockMHz, facts.Float32MaddsPerClock, facts.LocalBytesPerClock, facts.MemoryBandwidth,
}

// unknownNote says how unknown facts of the device change the model.
func unknownNote(opt Options, unknown error) string {
	text := unknown.Error() + "; kernels are chosen by the rates of a typical device"
	if !opt.Device.Known(facts.L2Bytes) {
		text += ", and the model has no terms for what exceeds the cache"
	}
	return warning.UnknownFacts.About("", "%s", text)
}
