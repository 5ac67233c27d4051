package main

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/calibrate"
	"gpuperf/device/replay"
	"gpuperf/evaluate"
	"gpuperf/models"
	"gpuperf/samples"
	"gpuperf/workload"
)

func evaluateCommand() *cobra.Command {
	var session sessionOptions
	var kernels selection
	var profile, recorded, report string
	var removed, sensitivity bool
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
			if profile != "" && kernels.form != "" {
				return usagef("--model: the models of a profile are fitted already; leave out --profile to choose a form")
			}
			if profile != "" && sensitivity {
				return usagef("--sensitivity calibrates again and again, and a profile holds no rows; leave out --profile")
			}
			files, err := loadSuites(args)
			if err != nil {
				return err
			}
			if recorded != "" {
				session.device = replay.Prefix + recorded
			}
			modes, err := session.modes()
			if err != nil {
				return err
			}
			var p *calibrate.Profile
			if profile != "" {
				if len(modes) > 1 {
					return usagef("--cache both: the models of a profile are of one state of the caches; evaluate twice, or leave out --profile")
				}
				if p, err = calibrate.LoadProfile(profile); err != nil {
					return err
				}
			}
			s, err := openSession(cmd, session)
			if err != nil {
				return err
			}
			defer s.close()
			var reports []*evaluate.Report
			for _, s.mode = range modes {
				e := &evaluation{cmd: cmd, files: files, session: s, kernels: &kernels, profile: p, removed: removed, sensitivity: sensitivity, predictors: map[string]*predictor{}, targets: map[*predictor][]evaluate.Target{}}
				outcome, err := e.run()
				if err != nil {
					return err
				}
				judged, err := e.judge()
				if err != nil {
					return err
				}
				if report != "" {
					dir := report
					if len(reports) > 0 { // the second of both
						dir = filepath.Join(report, string(s.mode))
					}
					if err := e.writePage(outcome, judged, profile, dir); err != nil {
						return err
					}
				}
				if !wantJSON(cmd) {
					printReport(cmd, outcome)
				}
				reports = append(reports, outcome)
			}
			if len(reports) > 1 {
				reports[0].Cold = reports[1]
				if !wantJSON(cmd) {
					printBoth(cmd, reports[0])
				}
			}
			if wantJSON(cmd) {
				if err := printJSON(cmd.OutOrStdout(), reports[0]); err != nil {
					return err
				}
			}
			return verdictOf(cmd, reports)
		},
	}
	session.addFlags(cmd)
	session.addTimeRange(cmd)
	kernels.addFlags(cmd)
	cmd.Flags().StringVar(&profile, "profile", "", "take the fitted models from this profile")
	cmd.Flags().BoolVar(&removed, "work-removed", false, "also time each variant with its work removed, as a prediction to compare with")
	cmd.Flags().BoolVar(&sensitivity, "sensitivity", false, "also calibrate with fewer kernels and fewer trials, and show how the error changes")
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

// evaluation is one run of suite files.
type evaluation struct {
	cmd        *cobra.Command
	files      []*evaluate.File
	file       *evaluate.File // of the suite at hand
	session    *session
	kernels    *selection
	profile    *calibrate.Profile    // nil: models are calibrated
	removed    bool                  // also time what only accesses global memory
	predictors map[string]*predictor // by path of the model file

	sensitivity bool // also evaluate with fewer kernels and trials
	targets     map[*predictor][]evaluate.Target

	models  []fittedModel    // in the order of first use
	records []samples.Record // of the variants, as measured
}

// fittedModel is a model that an evaluation used.
type fittedModel struct {
	*models.Model
	calibration *calibrate.Calibration
	predictor   *predictor
	rows        []calibrate.Row // that it was fitted to; none where it comes from a profile
}

func (e *evaluation) run() (*evaluate.Report, error) {
	report := &evaluate.Report{Cache: e.session.mode}
	for _, e.file = range e.files {
		for _, suite := range e.file.Suites {
			s, err := e.suite(suite)
			if err != nil {
				return nil, err
			}
			report.Suites = append(report.Suites, *s)
		}
	}
	report.Summarize()
	if e.sensitivity {
		var err error
		if report.Sensitivity, err = e.vary(); err != nil {
			return nil, fmt.Errorf("sensitivity: %w", err)
		}
	}
	report.Conditions = evaluate.Conditions(e.session.taken(e.session.mode))
	return report, nil
}

func (e *evaluation) suite(suite evaluate.Suite) (*evaluate.SuiteReport, error) {
	s := &evaluate.SuiteReport{Name: suite.Name}
	for _, variant := range suite.Variants {
		v, err := e.variant(suite, variant)
		if err != nil {
			return nil, err
		}
		s.Variants = append(s.Variants, *v)
	}
	return s, nil
}

func (e *evaluation) variant(suite evaluate.Suite, variant evaluate.Variant) (*evaluate.VariantReport, error) {
	p, err := e.predictor(variant)
	if err != nil {
		return nil, err
	}
	cases, err := e.cases(suite, variant)
	if err != nil {
		return nil, err
	}
	// Predicted before anything of the variant is measured.
	predictions, err := p.predictAll(cases)
	if err != nil {
		return nil, err
	}
	records, err := e.session.measure(cases)
	if err != nil {
		return nil, err
	}
	e.records = append(e.records, records...)
	var removed []samples.Record
	if e.removed {
		if removed, err = e.workRemoved(cases); err != nil {
			return nil, err
		}
	}
	v := &evaluate.VariantReport{Name: variant.Name, Model: p.model.Name}
	for i, r := range predictions {
		if records[i].Status != samples.OK {
			skip := evaluate.Skip{At: cases[i].Sizes, Status: records[i].Status, Reason: records[i].Error}
			note(e.cmd, "warning: skipped: %s, %s: %s: %s", variant.Name, formatSizes(skip.At), skip.Status, skip.Reason)
			v.Skipped = append(v.Skipped, skip)
			continue
		}
		point := evaluate.Point{
			At: cases[i].Sizes, Predicted: r.Seconds, Interval: r.Interval, Measured: records[i].Seconds(), Warnings: r.Warnings,
		}
		if removed != nil && removed[i].Status == samples.OK {
			point.WorkRemoved = removed[i].Seconds()
		}
		v.Points = append(v.Points, point)
		if err := e.aim(p, cases[i], point.Measured); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// workRemoved times the cases with nothing but their accesses to global memory. It is the poor man's prediction that a model has to beat.
func (e *evaluation) workRemoved(cases []*workload.Case) ([]samples.Record, error) {
	left, err := workload.WorkRemoved(cases)
	if err != nil {
		return nil, err
	}
	return e.session.measure(left)
}

// predictor calibrates a model, or takes it from the profile, once for each model file.
func (e *evaluation) predictor(variant evaluate.Variant) (*predictor, error) {
	path := variant.Model
	if beside := e.beside(path); !isName(path) || fileExists(beside) {
		path = beside
	}
	if p := e.predictors[path]; p != nil {
		return p, nil
	}
	model, err := loadModel(path)
	if err != nil {
		return nil, err
	}
	device := e.session.device.Info().Fingerprint
	var calibration *calibrate.Calibration
	var p *predictor
	if e.profile != nil {
		if !e.profile.Device.Same(device) {
			note(e.cmd, "warning: the profile is of %s, the times are of %s", e.profile.Device, device)
		}
		calibration = e.profile.Find(model.Name)
		if calibration == nil {
			return nil, usagef("the profile has no model %q; it holds: %s", model.Name, strings.Join(e.profile.Names(), ", "))
		}
		if c := calibration.Origin.Cache; c != "" && c != string(e.session.mode) {
			note(e.cmd, "warning: model %s of the profile was calibrated with %s caches, the times are with %s ones", model.Name, c, e.session.mode)
		}
		p, err = newPredictor(e.profile.Device, calibration)
	} else {
		if calibration, err = e.session.calibrate(model, e.kernels); err != nil {
			return nil, err
		}
		if !wantJSON(e.cmd) {
			printFit(e.cmd, &calibration.Fit, false)
			fmt.Fprintln(e.cmd.OutOrStdout())
		}
		p, err = newPredictor(device, calibration)
	}
	if err != nil {
		return nil, err
	}
	e.predictors[path] = p
	m := fittedModel{Model: p.model, calibration: calibration, predictor: p}
	if e.profile == nil {
		m.rows = e.session.fitted
	}
	e.models = append(e.models, m)
	return p, nil
}

// beside resolves a path relative to the suite file.
func (e *evaluation) beside(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(e.file.Path), path)
}

// cases returns the variant at each size of the suite.
func (e *evaluation) cases(suite evaluate.Suite, variant evaluate.Variant) ([]*workload.Case, error) {
	if variant.Script != "" {
		path := e.beside(variant.Script)
		if variant.Kernel != "" {
			path += "#" + variant.Kernel
		}
		var sizes []string
		for _, at := range suite.Sizes {
			sizes = append(sizes, formatSizes(at))
		}
		cases, err := scriptCases(e.cmd, path, sizes)
		if err != nil {
			return nil, err
		}
		if len(cases) != len(suite.Sizes) {
			return nil, e.file.ErrorAt(variant.Pos, "script %s defines several kernels", variant.Script).
				WithHint("name the one that variant %s means with kernel:", variant.Name)
		}
		return cases, nil
	}
	var all []*workload.Case
	for _, at := range suite.Sizes {
		var sizes []string
		for _, name := range slices.Sorted(maps.Keys(at)) {
			sizes = append(sizes, fmt.Sprintf("%s:%d", name, at[name]))
		}
		cases, err := selectCases(e.kernels.generators, replaceTags(variant.Tags, sizes), "")
		if err != nil {
			return nil, e.file.ErrorAt(variant.Pos, "variant %s: %s", variant.Name, firstLine(err))
		}
		if len(cases) != 1 {
			return nil, e.file.ErrorAt(variant.Pos, "the tags of variant %s select %d kernels at %s, not one", variant.Name, len(cases), formatSizes(at)).
				WithHint("`perf bench show` lists them; give a tag for each argument that differs")
		}
		all = append(all, cases...)
	}
	return all, nil
}

// warnPoints says how many predictions of a variant carry warnings, and shows the first; JSON has them all.
func warnPoints(cmd *cobra.Command, v evaluate.VariantReport) {
	count, first := 0, ""
	for _, p := range v.Points {
		if len(p.Warnings) == 0 {
			continue
		}
		if count++; count == 1 {
			first = formatSizes(p.At) + ": " + p.Warnings[0]
		}
	}
	if count > 0 {
		note(cmd, "warning: %d of %d predictions of %s have warnings; the first: %s", count, len(v.Points), v.Name, first)
	}
}

func printReport(cmd *cobra.Command, report *evaluate.Report) {
	out := cmd.OutOrStdout()
	for _, s := range report.Suites {
		t := newTable("variant", "sizes", ">predicted", ">measured", ">error")
		for _, v := range s.Variants {
			for _, p := range v.Points {
				t.row(v.Name, formatSizes(p.At), seconds(p.Predicted), seconds(p.Measured), fmt.Sprintf("%+.2f %%", 100*p.RelativeError))
			}
			for _, k := range v.Skipped {
				t.row(v.Name, formatSizes(k.At), "", string(k.Status), "")
			}
			warnPoints(cmd, v)
		}
		fmt.Fprintf(out, "suite %s\n", s.Name)
		t.write(out)
		for _, skip := range s.Skips() {
			fmt.Fprintf(out, "skipped %s\n", skip)
		}
		for _, v := range s.Variants {
			if len(v.Points) == 0 {
				fmt.Fprintf(out, "%s: not measured\n", v.Name)
				continue
			}
			fmt.Fprintf(out, "%s: geometric mean relative error %s (model %s)", v.Name, percent(v.GeomeanRelativeError), v.Model)
			if v.WorkRemoved != nil {
				fmt.Fprintf(out, ", with its work removed %s", percent(*v.WorkRemoved))
			}
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "%s: geometric mean relative error %s, arithmetic mean %s, worst %s\n",
			s.Name, percent(s.GeomeanRelativeError), percent(s.Mean()), percent(s.Worst()))
		printRankingVerdicts(out, s.Ranking)
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "overall: geometric mean relative error %s, arithmetic mean %s, worst %s (caches %s)\n",
		percent(report.GeomeanRelativeError), percent(report.Mean()), percent(report.Worst()), report.Cache)
	if report.WorkRemoved != nil {
		fmt.Fprintf(out, "taking the time with the work removed: geometric mean relative error %s\n", percent(*report.WorkRemoved))
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
		fmt.Fprintf(out, "  %s: %s, measured %s", formatSizes(v.At), verdict, strings.Join(v.Measured, " < "))
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
func printBoth(cmd *cobra.Command, warm *evaluate.Report) {
	type key struct{ suite, variant, at string }
	cold := map[key]evaluate.Point{}
	for _, s := range warm.Cold.Suites {
		for _, v := range s.Variants {
			for _, p := range v.Points {
				cold[key{s.Name, v.Name, formatSizes(p.At)}] = p
			}
		}
	}
	t := newTable("suite", "variant", "sizes", ">warm", ">cold", ">cold / warm", ">error warm", ">error cold")
	for _, s := range warm.Suites {
		for _, v := range s.Variants {
			for _, p := range v.Points {
				at := formatSizes(p.At)
				c, ok := cold[key{s.Name, v.Name, at}]
				if !ok {
					continue
				}
				t.row(s.Name, v.Name, at, seconds(p.Measured), seconds(c.Measured), fmt.Sprintf("%.3f", c.Measured/p.Measured),
					fmt.Sprintf("%+.2f %%", 100*p.RelativeError), fmt.Sprintf("%+.2f %%", 100*c.RelativeError))
			}
		}
	}
	fmt.Fprintln(cmd.OutOrStdout())
	t.write(cmd.OutOrStdout())
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
		note(cmd, "warning: the device refused %d kernels; they are not in the means", skipped)
	}
	return nil
}
