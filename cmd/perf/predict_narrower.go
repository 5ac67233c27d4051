package main

import (
	"github.com/spf13/cobra"

	"gpuperf/emulate"
	"gpuperf/emulate/launches"
	"gpuperf/internal/campaign"
	"gpuperf/workload"
)

// narrower takes from the predictions of the model for any kernel those whose intervals emulation from source makes narrower, and emulates them: how wide the intervals
// are is all that tells before a measurement which of the two is nearer.
func (o *predictFlags) narrower(cmd *cobra.Command, p *campaign.Predictor, all []*campaign.Prediction) (kept []*campaign.Prediction, emulated []*launches.Report, err error) {
	if o.from != "" || o.model != "" || o.binary != "" || o.measured {
		return all, nil, nil
	}
	device, profiled, err := o.sheet(cmd)
	if err != nil || device == "" || !profiled {
		return all, nil, nil //nolint:nilerr // it is not emulated
	}
	for _, r := range all {
		wide := r.Interval[1] / r.Interval[0]
		if !p.For(r.Case).Static() || wide <= emulate.WithinFromSource*emulate.WithinFromSource {
			kept = append(kept, r)
			continue
		}
		report := fromSource(cmd, device, r.Case)
		if err := cmd.Context().Err(); err != nil {
			return nil, nil, err
		}
		if report == nil || report.Interval()[1]/report.Interval()[0] >= wide {
			kept = append(kept, r)
			continue
		}
		note(cmd, "%s is emulated from source, whose interval is narrower than that of the model %s; --from model takes this", r.Case, p.For(r.Case).Model.Name)
		emulated = append(emulated, report)
	}
	return kept, emulated, nil
}

// fromSource emulates a case as a compiler of perf's own has it; nil where that does not come to a time.
func fromSource(cmd *cobra.Command, device string, c *workload.Case) *launches.Report {
	sequences, err := sequencesOf([]*workload.Case{c})
	if err != nil {
		return nil
	}
	all, _, err := (launches.Request{On: []string{device}, From: launches.Source, Times: true}).Run(cmd.Context(), sequences)
	if err != nil || all[0].Status() != emulate.Whole {
		return nil
	}
	return all[0]
}
