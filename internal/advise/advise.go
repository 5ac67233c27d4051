// Package advise says what would make a launch faster that is emulated: what its source tells, by the model of its device, beside what emulation tells; and emulates the kernel
// with a remedy where that is a kernel.
package advise

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"gpuperf/emulate"
	"gpuperf/emulate/advice"
	"gpuperf/emulate/launches"
	"gpuperf/internal/campaign"
	"gpuperf/internal/explain"
	"gpuperf/internal/lists"
	"gpuperf/internal/remedy"
	"gpuperf/kernel"
	"gpuperf/workload"
)

// SubjectOf is what is explained of a prediction by a model.
func SubjectOf(p *campaign.Predictor, one *campaign.Prediction) explain.Subject {
	return explain.Subject{
		Case: one.Case, Device: p.Device.Name, Model: p.For(one.Case).Model, Fit: one.Fit, Lanes: int(p.Device.SubgroupSize), Facts: p.Facts,
		Prediction: one.Prediction, Unpriced: one.Unpriced, Roof: p.Roof(one.Case, p.Cache), Caches: p.Cache,
	}
}

// Launch gives a report of one emulated launch the remedies of its source: they name the array and the line, and price a cure.
func Launch(ctx context.Context, report *launches.Report, c *workload.Case, p *campaign.Predictor) error {
	one, err := p.Predict(c)
	if err != nil {
		return err
	}
	e, err := explain.New(SubjectOf(p, one))
	if err != nil {
		return err
	}
	r := report.Launches[0].Result
	for i := range e.Remedies {
		if x := &e.Remedies[i]; x.Beyond > 0 { // the model has no cost for what emulation has: neither promises more than the other
			x.Gain = min(x.Gain, r.Seconds/x.Seconds)
		}
	}
	Refine(ctx, report.Device, c, e)
	drawn := func(l explain.Line) bool { return l.Data && l.Space == string(kernel.Global) && l.Share >= much }
	if max(e.Predicted, r.Seconds) > apart*min(e.Predicted, r.Seconds) || slices.ContainsFunc(e.Lines, drawn) {
		trust(r, e)
	}
	advice.Prefer(r, lists.Map(e.Remedies, func(x explain.Remedy) emulate.Advice {
		return emulate.Advice{
			Rule: x.Kind, Array: x.Array, Line: x.Line, Defect: x.Defect, Remedy: x.Remedy, Text: x.Of(r.Seconds, e.Model), Gain: x.Gain, Confirmed: true, Model: e.Model,
		}
	}))
	return nil
}

// apart is from when on the times by emulation and by the model are so far apart that the model has something else in the kernel.
const apart = 1.5

// much is the part of the time with accesses whose places data tell from which on it matters that emulation has the data.
const much = 0.1

// changed are the defects whose remedy emulation has by changing accesses and lanes of what was executed: with what data tell, which the model takes to be anything.
var changed = []string{"coalescing", "bank conflicts", "divergence"}

// trust gives remedies the gain by emulation, where this has the defect, too.
func trust(r *emulate.Result, e *explain.Explanation) {
	for i := range e.Remedies {
		x := &e.Remedies[i]
		at := slices.IndexFunc(r.Advice, func(a emulate.Advice) bool { return a.Rule == x.Kind && a.Confirmed })
		if at >= 0 && slices.Contains(changed, x.Kind) {
			x.Gain = r.Advice[at].Gain
			x.Emulated = x.Gain
		}
	}
	bySize(e)
}

func bySize(e *explain.Explanation) {
	slices.SortStableFunc(e.Remedies, func(a, b explain.Remedy) int { return cmp.Compare(b.Gain, a.Gain) })
}

// Refine emulates a kernel with those remedies that are of the kernel alone, and without them, all as they are generated. Remedies that gain nothing by that go.
func Refine(ctx context.Context, device string, c *workload.Case, e *explain.Explanation) {
	seconds := func(k *kernel.Kernel) float64 {
		generated := *c
		generated.Kernel, generated.Sizes = workload.NewKernel(k), maps.Clone(c.Sizes)
		maps.DeleteFunc(generated.Sizes, func(name string, _ int64) bool { return !k.IsParam(name) }) // a cure may be of these sizes alone
		if all := Emulated(ctx, device, []*workload.Case{&generated}, launches.Request{Times: true}); all != nil {
			return all[0].Seconds()
		}
		return 0
	}
	without := sync.OnceValue(func() float64 { return seconds(c.IR) })
	for i := range e.Remedies {
		r := &e.Remedies[i]
		if r.Cured == nil || without() == 0 {
			continue
		}
		if with := seconds(r.Cured); with > 0 && with != without() { // they are the same where the remedy is nothing that a text has
			r.Refine(without() / with)
		}
	}
	e.Remedies = slices.DeleteFunc(e.Remedies, func(r explain.Remedy) bool { return r.Gain < remedy.Worth }) // who would act on it would lose
	bySize(e)
}
