package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/calibrate"
	"gpuperf/campaign"
	"gpuperf/device/facts"
	"gpuperf/device/replay"
	"gpuperf/evaluate"
	"gpuperf/internal/format"
	"gpuperf/samples"
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
report.html, and the pictures of the suites as SVG files.

Times are with warm caches, or with --cache cold; --cache both evaluates both, calibrating for each, and sets them side by
side. A variant that the device refuses at a size is skipped, with the reason; the rest is evaluated.`,
		Args: minArgs(1, "at least one suite file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case profile != "" && o.Selection.Form != "":
				return usagef("--model: the models of a profile are fitted already; leave out --profile to choose a form")
			case profile != "" && o.Sensitivity:
				return usagef("--sensitivity calibrates again and again, and a profile holds no rows; leave out --profile")
			}
			files, err := loadSuites(args)
			if err != nil {
				return err
			}
			if recorded != "" {
				on.device = replay.Prefix + recorded
			}
			modes, err := on.modes()
			if err != nil {
				return err
			}
			if profile != "" {
				if len(modes) > 1 {
					return usagef("--cache both: the models of a profile are of one state of the caches; evaluate twice, or leave out --profile")
				}
				if o.Profile, err = calibrate.LoadProfile(profile); err != nil {
					return err
				}
			}
			if o.Within, err = campaign.ParseTimeRange(on.within); err != nil {
				return err
			}
			c, err := on.open(cmd)
			if err != nil {
				return err
			}
			defer finish(cmd, c)
			var reports []*evaluate.Report
			for i, mode := range modes {
				e, err := c.Evaluate(cmd.Context(), mode, files, o)
				tellEvaluation(cmd, o, e)
				if err != nil {
					return err
				}
				if report != "" {
					dir := report
					if i > 0 { // the second of both
						dir = filepath.Join(report, string(mode))
					}
					if err := writeReport(cmd, c, files, e, profile, dir); err != nil {
						return err
					}
				}
				if !wantJSON(cmd) {
					printReport(cmd, e.Report)
				}
				reports = append(reports, e.Report)
			}
			if len(reports) > 1 {
				reports[0].Cold = reports[1]
			}
			err = show(cmd, reports[0], func(w io.Writer) error { return printBoth(w, reports[0]) })
			return errors.Join(err, verdictOf(cmd, reports))
		},
	}
	on.add(cmd)
	on.addTimeRange(cmd)
	addSelection(cmd, &o.Selection)
	cmd.Flags().StringVar(&profile, "profile", "", "take the fitted models from this profile")
	cmd.Flags().BoolVar(&o.WorkRemoved, "work-removed", false, "also time each variant with its work removed, as a prediction to compare with")
	cmd.Flags().BoolVar(&o.Sensitivity, "sensitivity", false, "also calibrate with fewer kernels and fewer trials, and show how the error changes")
	cmd.Flags().StringVar(&recorded, "replay", "", "take all times from this samples file")
	cmd.Flags().StringVar(&report, "report", "", "write a web page with pictures into this folder")
	return cmd
}

// loadSuites reads suite files. A suite's name says which one is meant, so that no two files may have one of the same name.
func loadSuites(paths []string) ([]*evaluate.File, error) {
	var files []*evaluate.File
	from := map[string]string{}
	for _, path := range paths {
		file, err := evaluate.Load(path)
		if err != nil {
			return nil, err
		}
		for _, s := range file.Suites {
			if from[s.Name] != "" {
				return nil, usagef("a suite named %q is in %s and in %s", s.Name, from[s.Name], path)
			}
			from[s.Name] = path
		}
		files = append(files, file)
	}
	return files, nil
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
func writeReport(cmd *cobra.Command, c *campaign.Campaign, files []*evaluate.File, e *campaign.Evaluation, profile, dir string) error {
	page := &evaluate.Page{
		Report:      e.Report,
		Device:      c.Device.Info().Fingerprint,
		Facts:       facts.Of(e.Device),
		Profile:     profile,
		SamplesFile: c.SamplesFile(),
		SamplesHash: campaign.HashOfFile(c.SamplesFile()),
		Records:     e.Records,
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
	return err
}

// warnPoints says how many predictions of a variant carry warnings, and shows the first; JSON has them all.
func warnPoints(cmd *cobra.Command, v evaluate.VariantReport) {
	count, first := 0, ""
	for _, p := range v.Points {
		if len(p.Warnings) == 0 {
			continue
		}
		if count++; count == 1 {
			first = format.Sizes(p.At) + ": " + p.Warnings[0]
		}
	}
	if count > 0 {
		warnf(cmd, "%d of %d predictions of %s have warnings; the first: %s", count, len(v.Points), v.Name, first)
	}
}

func printReport(cmd *cobra.Command, report *evaluate.Report) {
	out := cmd.OutOrStdout()
	for _, s := range report.Suites {
		t := format.NewTable("variant", "sizes", ">predicted", ">measured", ">error")
		for _, v := range s.Variants {
			for _, p := range v.Points {
				t.Row(v.Name, format.Sizes(p.At), format.Seconds(p.Predicted), format.Seconds(p.Measured), format.SignedPercent(p.RelativeError))
			}
			for _, k := range v.Skipped {
				t.Row(v.Name, format.Sizes(k.At), "", string(k.Status), "")
			}
			warnPoints(cmd, v)
		}
		fmt.Fprintf(out, "suite %s\n", s.Name)
		t.Write(out)
		for _, skip := range s.Skips() {
			fmt.Fprintf(out, "skipped %s\n", skip)
		}
		for _, v := range s.Variants {
			if len(v.Points) == 0 {
				fmt.Fprintf(out, "%s: not measured\n", v.Name)
				continue
			}
			fmt.Fprintf(out, "%s: geometric mean relative error %s (model %s)", v.Name, format.Percent(v.GeomeanRelativeError), v.Model)
			if v.WorkRemoved != nil {
				fmt.Fprintf(out, ", with its work removed %s", format.Percent(*v.WorkRemoved))
			}
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "%s: geometric mean relative error %s, arithmetic mean %s, worst %s\n",
			s.Name, format.Percent(s.GeomeanRelativeError), format.Percent(s.Mean()), format.Percent(s.Worst()))
		printRankingVerdicts(out, s.Ranking)
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "overall: geometric mean relative error %s, arithmetic mean %s, worst %s (caches %s)\n",
		format.Percent(report.GeomeanRelativeError), format.Percent(report.Mean()), format.Percent(report.Worst()), report.Cache)
	if report.WorkRemoved != nil {
		fmt.Fprintf(out, "taking the time with the work removed: geometric mean relative error %s\n", format.Percent(*report.WorkRemoved))
	}
	if report.Intervals > 0 {
		fmt.Fprintf(out, "%d of %d measured times lie within the 95 %% intervals of their predictions\n", report.Inside, report.Intervals)
	}
	if report.Sensitivity != nil {
		printSensitivity(out, report.Sensitivity)
	}
	for _, c := range report.Conditions {
		fmt.Fprintf(out, "conditions: %s\n", c)
	}
}

// printRankingVerdicts prints the order at each size: the measured one, and the predicted one where it is wrong.
func printRankingVerdicts(out io.Writer, r evaluate.Ranking) {
	if r.Of == 0 {
		return
	}
	fmt.Fprintf(out, "ranking right at %d of %d sizes\n", r.Right, r.Of)
	for _, v := range r.Sizes {
		verdict := "right"
		if !v.Right {
			verdict = "wrong"
		}
		fmt.Fprintf(out, "  %s: %s, measured %s", format.Sizes(v.At), verdict, strings.Join(v.Measured, " < "))
		if !v.Right {
			fmt.Fprintf(out, ", predicted %s", strings.Join(v.Predicted, " < "))
		}
		if ties := v.TiesText(); ties != "" {
			fmt.Fprintf(out, " (%s)", ties)
		}
		fmt.Fprintln(out)
	}
}

// printBoth sets the times with warm and with cold caches side by side.
func printBoth(w io.Writer, warm *evaluate.Report) error {
	if warm.Cold == nil {
		return nil
	}
	type key struct{ suite, variant, at string }
	cold := map[key]evaluate.Point{}
	for _, s := range warm.Cold.Suites {
		for _, v := range s.Variants {
			for _, p := range v.Points {
				cold[key{s.Name, v.Name, format.Sizes(p.At)}] = p
			}
		}
	}
	t := format.NewTable("suite", "variant", "sizes", ">warm", ">cold", ">cold / warm", ">error warm", ">error cold")
	for _, s := range warm.Suites {
		for _, v := range s.Variants {
			for _, p := range v.Points {
				at := format.Sizes(p.At)
				c, ok := cold[key{s.Name, v.Name, at}]
				if !ok {
					continue
				}
				t.Row(s.Name, v.Name, at, format.Seconds(p.Measured), format.Seconds(c.Measured), fmt.Sprintf("%.3f", c.Measured/p.Measured),
					format.SignedPercent(p.RelativeError), format.SignedPercent(c.RelativeError))
			}
		}
	}
	fmt.Fprintln(w)
	return t.Write(w)
}

// verdictOf makes the exit status. What a device refuses does not fail an evaluation, unless nothing is left; what crashes, hangs or
// computes something else does.
func verdictOf(cmd *cobra.Command, reports []*evaluate.Report) error {
	harmless := map[samples.Status]bool{samples.Refused: true, samples.OutOfMemory: true}
	failed, skipped := 0, 0
	for _, r := range reports {
		if r.Points() == 0 {
			return fmt.Errorf("nothing could be measured with %s caches", r.Cache)
		}
		for _, s := range r.Suites {
			for _, v := range s.Variants {
				for _, k := range v.Skipped {
					skipped++
					if !harmless[k.Status] {
						failed++
					}
				}
			}
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d kernels failed, and are not in the means", failed)
	}
	if skipped > 0 {
		warnf(cmd, "the device refused %d kernels; they are not in the means", skipped)
	}
	return nil
}

func printSensitivity(w io.Writer, s *evaluate.Sensitivity) {
	for _, part := range []struct {
		title string
		rows  []evaluate.Sample
	}{{"measurement kernels", s.Kernels}, {"trials of each", s.Trials}} {
		fmt.Fprintf(w, "\nerror by the number of %s\n", part.title)
		t := format.NewTable(">"+part.title, ">error", ">least", ">largest", ">draws", ">not determined")
		for _, r := range part.rows {
			median, least, largest := format.Percent(r.Median), format.Percent(r.Least), format.Percent(r.Largest)
			if r.Unpredicted == 1 {
				median, least, largest = "-", "-", "-"
			}
			t.Row(fmt.Sprint(r.Of), median, least, largest, fmt.Sprint(r.Draws), fmt.Sprintf("%.1f %%", 100*r.Unpredicted))
		}
		t.Write(w)
	}
}
