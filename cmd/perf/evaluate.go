package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"gpuperf/device/facts"
	"gpuperf/device/replay"
	"gpuperf/internal/campaign"
	"gpuperf/internal/evaluate"
	"gpuperf/internal/throw"
)

func evaluateCommand() *cobra.Command {
	var on measureFlags
	var o campaign.EvaluateOptions
	var profile, recorded, report string
	cmd := &cobra.Command{
		Use:   "evaluate SUITE.yaml... [--replay samples.jsonl | --profile PROFILE.yaml] [--report DIR]",
		Short: "Compare predicted with measured times over a suite",
		Long: `evaluate calibrates the models of a suite, predicts its variants at its sizes, measures them, and reports the relative
errors and whether the variants were ranked right. With --profile the models come from a profile instead of a calibration;
with --replay all times come from recorded samples, and no device is needed. --report writes a web page with pictures,
report.html, and the pictures of the suites as SVG files. --learn adds the models to a profile, where the intervals of predictions then come from the
errors on these suites: they are right for kernels of such kinds, where those from measurement kernels may be too narrow.

Caches are warm, or with --cache cold, cold; --cache both evaluates and calibrates for each and compares them side by
side. A variant that the device refuses at some size is skipped with the reason. A variant may name a launch file (perf help suite launch),
which is measured in place of the kernel that is predicted, or alone.`,
		Example: `  perf evaluate examples/matmul/paper_2_2.yaml \
      --replay testdata/h200/matmul_2_2.jsonl --report page`,
		Args: minArgs(1, "at least one suite file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case profile != "" && o.Selection.Form != "":
				return usagef("--model: the models of a profile are already fitted; leave out --profile to choose a form")
			case profile != "" && o.Sensitivity:
				return usagef("--sensitivity fits the models again, and a profile holds no rows to fit; leave out --profile")
			}
			files := throw.Get(evaluate.LoadAll(args))
			if recorded != "" {
				on.device = replay.Prefix + recorded
			}
			modes := throw.Get(on.modes())
			if profile != "" {
				if len(modes) > 1 {
					return usagef("--cache both: the models of a profile are for one state of the caches; evaluate twice, or leave out --profile")
				}
				o.Profile = throw.Get(campaign.LoadProfile(profile))
				warn(cmd, o.Profile.Warnings())
			}
			o.Within = throw.Get(campaign.ParseTimeRange(on.within))
			c := throw.Get(on.open(cmd))
			defer finish(cmd, c)
			if o.Profile != nil {
				warnNow(cmd, campaign.Elsewhere(o.Profile.Device, c.Device.Info().Fingerprint))
			}
			var reports []*evaluate.Report
			for i, mode := range modes {
				e, err := c.Evaluate(cmd.Context(), mode, files, o)
				tellEvaluation(cmd, o, e)
				if err != nil {
					return err
				}
				if report != "" {
					dir, other := report, (*evaluate.Link)(nil)
					switch {
					case i > 0: // the second of both
						dir, other = filepath.Join(report, string(mode)), evaluate.LinkTo("..", modes[0])
					case len(modes) > 1:
						other = evaluate.LinkTo(string(modes[1]), modes[1])
					}
					writeReport(cmd, c, files, e, profile, dir, other)
				}
				if !wantJSON(cmd) {
					warn(cmd, e.Report.Doubts())
					throw.If(wrapped(e.Report.Write)(cmd.OutOrStdout()))
				}
				reports = append(reports, e.Report)
			}
			if len(reports) > 1 {
				reports[0].Cold = reports[1]
			}
			throw.If(show(cmd, reports[0], reports[0].WriteBoth))
			return evaluate.Outcome(reports)
		},
	}
	on.add(cmd)
	on.addTimeRange(cmd)
	addSelection(cmd, &o.Selection)
	cmd.Flags().StringVar(&profile, "profile", "", "take the fitted models from this profile"+shipped())
	cmd.Flags().BoolVar(&o.WorkRemoved, "work-removed", false, "also time each variant with its work removed, as a simple prediction to compare with")
	cmd.Flags().BoolVar(&o.Refine, "refine", false, "refine models for any kernel for each variant, as calibrate --for does, at sizes around the suite's")
	cmd.Flags().BoolVar(&o.Sensitivity, "sensitivity", false, "also calibrate with fewer kernels and trials, and show how the error changes")
	cmd.Flags().StringVar(&recorded, "replay", "", "take all times from this samples file")
	cmd.Flags().StringVar(&o.Learn, "learn", "", "add the models to this profile, with intervals by their errors here")
	cmd.Flags().StringVar(&report, "report", "", "write a web page with pictures into this folder")
	return cmd
}

// tellEvaluation prints the fits of an evaluation, and what is to be known of it.
func tellEvaluation(cmd *cobra.Command, o campaign.EvaluateOptions, e *campaign.Evaluation) {
	for _, m := range e.Models {
		tellRanged(cmd, o.Within, m.Ranged)
		if o.Profile == nil && !wantJSON(cmd) {
			printFit(cmd, &m.Fit, false)
			fmt.Fprintln(cmd.OutOrStdout())
		}
	}
	warn(cmd, e.Warnings)
}

// writeReport writes the web page of an evaluation.
func writeReport(cmd *cobra.Command, c *campaign.Campaign, files []*evaluate.File, e *campaign.Evaluation, profile, dir string, other *evaluate.Link) {
	page := &evaluate.Page{
		Report:      e.Report,
		Device:      c.Device.Info().Fingerprint,
		Facts:       facts.Of(e.Device),
		Profile:     profile,
		SamplesFile: c.SamplesFile(),
		SamplesHash: campaign.HashOfFile(c.SamplesFile()),
		Records:     e.Records,
		Other:       other,
	}
	for _, m := range e.Models {
		page.Models = append(page.Models, evaluate.Model{Calibration: m.Calibration, Costs: m.Costs})
	}
	for _, f := range files {
		page.SuiteFiles = append(page.SuiteFiles, f.Path)
	}
	paths, err := page.Write(dir)
	for _, p := range paths {
		note(cmd, "report: %s", p)
	}
	throw.If(err)
}
