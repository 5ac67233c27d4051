// Package advise says what would make a launch faster that is emulated: what its source tells, by the model of its device, beside what emulation tells; and emulates the kernel
// with a remedy where that is a kernel.
package advise

import (
	"context"

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
	advice.Prefer(r, lists.Map(e.Remedies, func(x explain.Remedy) emulate.Advice {
		gain, text := x.Of(r.Seconds, e.Model, gain(ctx, report.Device, c, x.Cured))
		return emulate.Advice{Rule: x.Kind, Array: x.Array, Line: x.Line, Defect: x.Defect, Remedy: x.Remedy, Text: text, Gain: gain, Confirmed: gain >= remedy.Worth, Model: e.Model}
	}))
	return nil
}

// gain is how much faster a cured kernel is by emulation, both as they are generated; 0 where that is not known.
func gain(ctx context.Context, device string, c *workload.Case, cured *kernel.Kernel) float64 {
	if cured == nil {
		return 0
	}
	var cases []*workload.Case
	for _, k := range []*kernel.Kernel{c.IR, cured} {
		generated := *c
		generated.Kernel = workload.NewKernel(k)
		cases = append(cases, &generated)
	}
	two := Emulated(ctx, device, cases, launches.Request{Times: true})
	if len(two) != 2 {
		return 0
	}
	return two[0].Seconds() / two[1].Seconds()
}
