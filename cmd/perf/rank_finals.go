package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/calibrate/profiles"
	"gpuperf/emulate/launches"
	"gpuperf/internal/advise"
	"gpuperf/internal/campaign"
	"gpuperf/internal/tune"
	"gpuperf/workload"
)

// finals are the times of the configurations that may be the fastest, by emulation, where that is asked for or the device has no profile, else nil; and by what
// model it is told which these are: where the device has none, that of the device whose numbers emulation is made of.
func (o *predictFlags) finals(cmd *cobra.Command) (guide *predictFlags, final *tune.Final, err error) {
	if o.from != "" && !slices.Contains(append(launches.Origins, byModel), o.from) {
		return nil, nil, usagef("--from is source, binary or %s, not %q", byModel, o.from)
	}
	if o.from == byModel || o.from == "" && (o.profile == "" || campaign.IsProfile(o.profile)) {
		return o, nil, nil
	}
	device, profiled, err := o.sheet(cmd, false)
	if err != nil || device == "" {
		return nil, nil, cmp.Or(err, error(usagef("the device of the profile is none that is emulated: perf emulate names those")))
	}
	guide = o
	if !profiled {
		like := *o
		like.profile = profiles.All.Names()[0]
		guide = &like
		note(cmd, "which configurations may be the fastest is told by the profile %s, as %s has none", like.profile, device)
	}
	r := launches.Request{On: []string{device}, From: cmp.Or(o.from, launches.Source), Times: true}
	return guide, &tune.Final{Name: "emulated, code from " + r.From, Device: device, Time: func(ctx context.Context, c *workload.Case) (seconds float64, interval [2]float64, err error) {
		sequences, err := advise.SequencesOf([]*workload.Case{c})
		if err != nil {
			return 0, interval, err
		}
		all, _, err := r.Run(ctx, sequences)
		if err == nil && !all[0].Status().Finite() {
			err = errors.New(strings.Join(all[0].Launches[0].Why(), "; "))
		}
		if err != nil {
			return 0, interval, err
		}
		return all[0].Seconds(), all[0].Interval(), nil
	}}, nil
}
