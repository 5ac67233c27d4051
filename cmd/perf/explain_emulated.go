package main

import (
	"io"

	"github.com/spf13/cobra"

	"gpuperf/calibrate/profiles"
	"gpuperf/emulate/launches"
	"gpuperf/internal/advise"
	"gpuperf/internal/campaign"
	"gpuperf/workload"
)

// explainEmulated explains by emulation. It reports false where the model is to explain.
func (o *predictFlags) explainEmulated(cmd *cobra.Command, args []string) (done bool, err error) {
	all, said, err := o.byEmulator(cmd, args, launches.Request{Compare: len(args) == 2})
	if said != "" {
		note(cmd, "%s", said)
	}
	if len(all) == 0 || err != nil {
		return len(all) > 0, err
	}
	if len(args) == 2 {
		return true, showDifference(cmd, all)
	}
	o.preferRemedies(cmd, args, all)
	return true, show(cmd, kernelsJSON(all), func(w io.Writer) error { return launches.Write(w, all) })
}

// showDifference shows what differs between two launches.
func showDifference(cmd *cobra.Command, two []*launches.Report) error {
	c := launches.Comparison{Reports: two}
	return show(cmd, c.JSON(), c.Write)
}

// preferRemedies gives an emulated launch the remedies of its source, where its kernel has counts and its device a model: they name the array and the line, and price a cure.
func (o *predictFlags) preferRemedies(cmd *cobra.Command, args []string, all []*launches.Report) {
	if len(all) != 1 || !all[0].One() || !all[0].Status().Finite() {
		return
	}
	sizes, err := parseArguments(o.sizes)
	if err != nil {
		return
	}
	cases, err := campaign.Cases(cmd.Context(), o.files, args, sizes)
	if err != nil || len(cases) != 1 {
		return // what it is emulated with says enough
	}
	p := o.modelOf(cmd, all[0].Device, cases)
	if p != nil {
		_ = advise.Launch(cmd.Context(), all[0], cases[0], p) // the same
	}
}

// modelOf is a model of a device that suits cases, without a word about the choice; nil where nobody has calibrated one.
func (o *predictFlags) modelOf(cmd *cobra.Command, device string, cases []*workload.Case) *campaign.Predictor {
	paths := profiles.All.Names()
	if path, err := o.path(cmd); err == nil {
		paths = []string{path}
	}
	for _, path := range paths {
		profile, err := campaign.LoadProfile(path)
		if err != nil || profile.Device.Name != device {
			continue
		}
		if ranked, err := campaign.Rank(profile, cases); err == nil && len(ranked) > 0 {
			return ranked[0].Predictor
		}
	}
	return nil
}
