package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/calibrate"
	"gpuperf/device/replay"
	"gpuperf/internal/campaign"
	"gpuperf/internal/evaluate"
	"gpuperf/internal/format"
	"gpuperf/internal/replace"
	"gpuperf/internal/throw"
	"gpuperf/models"
	"gpuperf/models/library"
	"gpuperf/samples"
)

func fitCommand() *cobra.Command {
	var data, picture string
	var init []string
	var history, byRow bool
	var form string
	cmd := &cobra.Command{
		Use:   "fit MODEL --data table.csv|samples.jsonl",
		Short: "Fit a model to data, without a device",
		Long: `fit finds the parameters of a model (a file, or a name that perf models lists) by Levenberg–Marquardt. The data is a CSV table, whose columns are the model's
features and its output by name (a column kernel groups rows, a column ratio marks the overlap experiment), or a samples file, from which the kernels of the model's measurement set are taken.`,
		Example: `  perf fit examples/matmul/own_kernel.yaml \
      --data testdata/h200/matmul_2_2.jsonl`,
		Args: exactArgs(1, "one model"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if data == "" {
				return usagef("perf fit needs data\n    usage: %s", cmd.UseLine())
			}
			model := throw.Get(campaign.LoadModel(args[0]))
			if err := calibrate.CheckForm(model, form); err != nil {
				return usage(err)
			}
			if form != "" && len(init) > 0 {
				return usagef("--init is for the model's own form, without --model")
			}
			start := parseStart(model, init)
			rows, lanes := throw.Get2(fitRows(cmd, model, data))
			as, fit := throw.Get2(calibrate.FitAs(cmd.Context(), model, form, rows, calibrate.Options{Init: start, Lanes: lanes}))
			if picture != "" {
				drawOverlap(cmd, fit, picture)
			}
			var fitted []calibrate.FittedRow
			result := any(fit)
			if byRow {
				fitted = throw.Get(calibrate.FittedRows(as, fit, rows))
				result = throw.Get(fit.WithRows(fitted))
			}
			return show(cmd, result, func(w io.Writer) error {
				if byRow {
					calibrate.WriteRows(w, fitted)
				}
				printFit(cmd, fit, history)
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "the table (.csv) or the samples (.jsonl) to fit to")
	cmd.Flags().StringArrayVar(&init, "init", nil, "a starting value, for example p_edge=100 (may be repeated)")
	addForm(cmd, &form)
	cmd.Flags().StringVar(&picture, "picture", "", "draw the overlap experiment among the data into this SVG file")
	cmd.Flags().BoolVar(&history, "history", false, "print the iterations")
	cmd.Flags().BoolVar(&byRow, "rows", false, "print every row as measured and as fitted, the worst first")
	return cmd
}

// fitRows reads the rows of a model from a table or from samples, and the size of the device's sub-groups, 0 where the
// data does not tell.
func fitRows(cmd *cobra.Command, model *models.Model, data string) (rows []calibrate.Row, lanes int, err error) {
	if strings.HasSuffix(data, ".csv") {
		table, err := calibrate.LoadTable(data)
		if err != nil {
			return nil, 0, err
		}
		rows, err = table.Rows(model)
		return rows, 0, err
	}
	plan, err := campaign.NewPlan(cmd.Context(), model, campaign.Selection{})
	if err != nil {
		return nil, 0, err
	}
	c, err := (&measureFlags{device: replay.Prefix + data}).open(cmd)
	if err != nil {
		return nil, 0, err
	}
	defer finish(cmd, c)
	out, err := c.Rows(cmd.Context(), samples.Warm, plan, campaign.TimeRange{})
	tellRows(cmd, campaign.TimeRange{}, *out)
	return out.Rows, int(c.Device.Info().SubgroupSize), err
}

// parseStart reads starting values of parameters.
func parseStart(model *models.Model, texts []string) map[string]float64 {
	start := map[string]float64{}
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		v, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			panic(throw.Of(usagef("starting value %q is not of the form p_name=number", text)))
		}
		if names := model.ParameterNames(); !slices.Contains(names, name) {
			panic(throw.Of(usagef("model %s has no parameter %q; it has: %s", model.Name, name, strings.Join(names, ", "))))
		}
		start[name] = v
	}
	return start
}

// printFit prints the parameters with their evidence; warnings go to standard error.
func printFit(cmd *cobra.Command, fit *calibrate.Fit, history bool) {
	wrapped(func(w io.Writer) error {
		fit.Write(w, history)
		return nil
	})(cmd.OutOrStdout())
	warn(cmd, fit.Warnings)
}

// drawOverlap draws the overlap experiment among the rows of a fit.
func drawOverlap(cmd *cobra.Command, fit *calibrate.Fit, path string) {
	if fit.Experiment == nil {
		panic(throw.Of(usagef("--picture: there is no overlap experiment among the data of %s, or the model has no form", fit.Model)))
	}
	throw.If(replace.Picture.Bytes(path, []byte(evaluate.OverlapFigure(fit.Model, fit.Experiment).SVG())))
	note(cmd, "picture: %s", path)
}

func modelsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "models [NAME]",
		Short: "List the model files that come with the program, or print one",
		Long: `models lists the models that come with the program. Where a model file is asked for, the name of one will do:
perf calibrate linear. Given a name it prints the file, to start an own model from: perf models matmul > my-model.yaml.`,
		Example: `  perf models
  perf models linear`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				text, err := library.All.Text(args[0])
				if err != nil {
					return usage(err)
				}
				return showText(cmd, map[string]string{"name": args[0], "text": string(text)}, string(text))
			}
			t := format.NewTable("model", "parameters", "what it is for")
			for _, e := range library.All.Entries {
				m := throw.Get(library.Load(e.Name))
				t.Row(e.Name, fmt.Sprint(len(m.ParameterNames())), e.Doc)
			}
			return show(cmd, map[string]any{"models": library.All.Entries}, t.Write)
		},
	}
}
