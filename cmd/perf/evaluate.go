package main

import (
	"fmt"
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
	cmd := &cobra.Command{
		Use:   "evaluate SUITE.yaml... [--replay samples.jsonl | --profile PROFILE.yaml] [--report DIR]",
		Short: "Compare predicted with measured times over a suite",
		Long: `evaluate calibrates the models of a suite, predicts its variants at its sizes, measures them, and reports the relative
errors and whether the variants were ranked right. With --profile the models come from a profile instead of a calibration;
with --replay all times come from recorded samples, and no device is needed. --report writes a web page with pictures,
report.html, and the pictures of the suites as SVG files.`,
		Args: minArgs(1, "at least one suite file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := loadSuites(args)
			if err != nil {
				return err
			}
			if recorded != "" {
				session.device = replay.Prefix + recorded
			}
			e := &evaluation{cmd: cmd, files: files, kernels: &kernels, predictors: map[string]*predictor{}}
			if profile != "" {
				if e.profile, err = calibrate.LoadProfile(profile); err != nil {
					return err
				}
			}
			if e.session, err = openSession(cmd, session); err != nil {
				return err
			}
			defer e.session.close()
			outcome, err := e.run()
			if err != nil {
				return err
			}
			judged, err := e.judge()
			if err != nil {
				return err
			}
			if report != "" {
				if err := e.writePage(outcome, judged, profile, report); err != nil {
					return err
				}
			}
			if wantJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), outcome)
			}
			printReport(cmd, outcome)
			return nil
		},
	}
	session.addFlags(cmd)
	kernels.addFlags(cmd)
	cmd.Flags().StringVar(&profile, "profile", "", "take the fitted models from this profile")
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
	predictors map[string]*predictor // by path of the model file

	models  []fittedModel    // in the order of first use
	records []samples.Record // of the variants, as measured
}

// fittedModel is a model that an evaluation used.
type fittedModel struct {
	*models.Model
	calibration *calibrate.Calibration
}

func (e *evaluation) run() (*evaluate.Report, error) {
	report := &evaluate.Report{}
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
	v := &evaluate.VariantReport{Name: variant.Name, Model: p.model.Name}
	for i, r := range predictions {
		if records[i].Status != samples.OK {
			return nil, fmt.Errorf("%s: %s: %s", cases[i], records[i].Status, records[i].Error)
		}
		v.Points = append(v.Points, evaluate.Point{
			At: cases[i].Sizes, Predicted: r.Seconds, Interval: r.Interval, Measured: records[i].Seconds(), Warnings: r.Warnings,
		})
	}
	return v, nil
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
	e.models = append(e.models, fittedModel{p.model, calibration})
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
			warnPoints(cmd, v)
		}
		fmt.Fprintf(out, "suite %s\n", s.Name)
		t.write(out)
		for _, v := range s.Variants {
			fmt.Fprintf(out, "%s: geometric mean relative error %s (model %s)\n", v.Name, percent(v.GeomeanRelativeError), v.Model)
		}
		if s.Ranking.Of > 0 {
			fmt.Fprintf(out, "ranking right at %d of %d sizes\n", s.Ranking.Right, s.Ranking.Of)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "overall: geometric mean relative error %s\n", percent(report.GeomeanRelativeError))
}
