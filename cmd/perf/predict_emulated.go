package main

import (
	"cmp"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/calibrate"
	"gpuperf/emulate/launches"
	"gpuperf/internal/campaign"
)

// emulatedSummaries are predictions by emulation as those of models are summed up.
func emulatedSummaries(all []*launches.Report, t times) []campaign.Summary {
	var out []campaign.Summary
	for _, r := range all {
		p := &calibrate.Prediction{Seconds: r.Seconds(), Interval: r.Interval(), Warnings: r.All()}
		if r.One() {
			p.Warnings = slices.Concat(p.Warnings, r.Launches[0].Why())
		}
		out = append(out, campaign.Summary{
			Script: filepath.Base(r.Of.Source), Kernel: r.Longest().Kernel, At: r.Of.Sizes, Model: campaign.Emulator, Counts: "from " + cmp.Or(r.Origin, launches.Binary), Device: r.Device, Prediction: p,
			Status: string(r.Status()), Time: campaign.SecondsOf(p), Measured: t[r],
		})
	}
	return out
}

// showEmulated shows predictions by emulation; ranked, the fastest comes first, and those without a time last. Top is how many of each size are shown, 0 for all.
func showEmulated(cmd *cobra.Command, all []*launches.Report, t times, ranked bool, top int) error {
	if ranked {
		slices.SortStableFunc(all, func(a, b *launches.Report) int { return cmp.Compare(a.Seconds(), b.Seconds()) })
	}
	if top > 0 {
		shown := map[string]int{}
		all = slices.DeleteFunc(all, func(r *launches.Report) bool {
			_, at, _ := strings.Cut(r.Name, " ") // the sizes
			shown[at]++
			return shown[at] > top
		})
	}
	return show(cmd, kernelsJSON(emulatedSummaries(all, t)), func(w io.Writer) error { return writeEmulated(w, all, t, ranked) })
}

// emulate predicts launch files by emulation. It reports false where the model is to predict.
func (o *predictFlags) emulate(cmd *cobra.Command, args []string, ranked bool, top int) (done bool, err error) {
	all, said, err := o.byEmulator(cmd, args, launches.Request{Times: true})
	if err != nil || len(all) > 0 {
		if err == nil {
			var t times
			if o.measured {
				t, err = o.timesOf(cmd, args, all)
			}
			if err == nil {
				err = showEmulated(cmd, all, t, ranked, top)
			}
		}
		return true, err
	}
	if said != "" && !o.roofs { // kernels under roofs are counted, and their times are the nearer ones all the same
		note(cmd, "%s", said)
	}
	return false, nil
}
