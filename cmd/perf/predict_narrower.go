package main

import (
	"github.com/spf13/cobra"

	"gpuperf/calibrate"
	"gpuperf/emulate"
	"gpuperf/emulate/launches"
	"gpuperf/internal/advise"
	"gpuperf/internal/campaign"
	"gpuperf/internal/throw"
	"gpuperf/workload"
)

// narrowing emulates from source kernels that exist, for which that is nearer than the model for any kernel, and what this predicts with a wider interval: of what is
// generated that is all that tells before a measurement which of the two is nearer.
type narrowing struct {
	p      *campaign.Predictor
	device string // as data sheets name it; "" where the model is to predict all
}

// narrowing is how predictions by a model are taken.
func (o *predictFlags) narrowing(cmd *cobra.Command, p *campaign.Predictor) narrowing {
	if o.from != "" || o.model != "" || o.binary != "" || o.measured || o.only != "" {
		return narrowing{}
	}
	device, profiled, err := o.sheet(cmd, false)
	if err != nil || !profiled {
		return narrowing{} // it is not emulated
	}
	return narrowing{p, device}
}

// wide reports whether emulation from source may have a narrower interval.
func wide(interval [2]float64) bool {
	return interval[1]/interval[0] > emulate.WithinFromSource*emulate.WithinFromSource
}

// of emulates the case of a prediction; nil where the model has the narrower interval, or emulation comes to no time. What is asked for beside times is in r.
func (n narrowing) of(cmd *cobra.Command, one *campaign.Prediction, r launches.Request) *launches.Report {
	if n.device == "" || n.p.For(one.Case) != n.p || !n.p.Static() { // what was measured of a kernel tells more than what was not
		return nil
	}
	written := one.Case.Own != nil
	if !written && !wide(one.Interval) {
		return nil
	}
	all := advise.Emulated(cmd.Context(), n.device, []*workload.Case{one.Case}, r)
	if all == nil || !written && all[0].Interval()[1]/all[0].Interval()[0] >= one.Interval[1]/one.Interval[0] {
		return nil
	}
	if !written {
		note(cmd, "%s is emulated from source, whose interval is narrower than that of the model %s; --from model takes this", one.Case, n.p.For(one.Case).Model.Name)
	}
	return all[0]
}

// split takes from predictions those that are emulated in their place.
func (n narrowing) split(cmd *cobra.Command, all []*campaign.Prediction, r launches.Request) (kept []*campaign.Prediction, emulated []*launches.Report, err error) {
	for _, one := range all {
		if report := n.of(cmd, one, r); report != nil {
			emulated = append(emulated, report)
		} else {
			kept = append(kept, one)
		}
	}
	return kept, emulated, cmd.Context().Err()
}

// replace gives the predictions that are emulated the times of emulation.
func (n narrowing) replace(cmd *cobra.Command, all []*campaign.Prediction) {
	for _, one := range all {
		if report := n.of(cmd, one, launches.Request{Times: true}); report != nil {
			one.Emulated(report.Origin, &calibrate.Prediction{Seconds: report.Seconds(), Interval: report.Interval(), Warnings: report.All()})
		}
	}
	throw.If(cmd.Context().Err())
}
