package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"gpuperf/calibrate"
	"gpuperf/evaluate"
	"gpuperf/features"
	"gpuperf/models"
	"gpuperf/workload"
)

// auto stands for the best of several models or forms where one could be named.
const auto = "auto"

// general is the name of a general model once its form has been chosen.
const general = "general"

// formOption says in which form a model is fitted: "" is its own, auto the one that predicts best what it was not fitted to.
type formOption struct{ form string }

func (o *formOption) addFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.form, "model", "",
		"the form of the models: linear, overlap or pnorm instead of their own, or auto, which compares them on rows left out")
}

// check refuses an unknown form, and a model that cannot be brought into one, before anything runs.
func (o formOption) check(model *models.Model) error {
	if o.form == "" {
		return nil
	}
	if o.form != auto {
		if _, err := models.ParseForm(o.form); err != nil {
			return usagef("--model: %v, or auto", err)
		}
	}
	_, err := model.As(models.LinearForm)
	return err
}

// fit fits the model in the form, and returns it so.
func (o formOption) fit(ctx context.Context, model *models.Model, rows []calibrate.Row, options calibrate.Options) (*models.Model, *calibrate.Fit, error) {
	if err := o.check(model); err != nil {
		return nil, nil, err
	}
	if o.form != "" {
		if _, err := models.ParseForm(model.Name); err == nil && model.Name != o.form {
			named := *model // not the name of a form that it may not have
			named.Name = general
			model = &named
		}
	}
	switch o.form {
	case "":
		fit, err := calibrate.FitRows(ctx, model, rows, options)
		return model, fit, err
	case auto:
		return calibrate.Choose(ctx, model, nil, rows, options)
	}
	as, err := model.As(models.Form(o.form))
	if err != nil {
		return nil, nil, err
	}
	fit, err := calibrate.FitRows(ctx, as, rows, options)
	return as, fit, err
}

// overlapTag is the tag of generators of the overlap experiment.
const overlapTag = "overlap_ratio"

// overlapRatio is the number of local for each global access of a kernel of the overlap experiment, work-item by work-item, and 0
// for other kernels.
func overlapRatio(c *workload.Case, lanes int) (float64, error) {
	if !contains(c.Tags, overlapTag) {
		return 0, nil
	}
	var ids []features.ID
	for _, text := range []string{"f_mem_access_local", "f_mem_access_global"} {
		id, err := features.ParseID(text)
		if err != nil {
			return 0, err
		}
		ids = append(ids, id)
	}
	values, err := c.Features(ids, lanes)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", c, err)
	}
	return float64(lanes) * values[ids[0].String()] / values[ids[1].String()], nil
}

// printChoice says how the form of a model was chosen.
func printChoice(cmd *cobra.Command, choice *calibrate.Choice) {
	t := newTable("form", ">kernels left out", ">ratios left out", ">score", ">fit", "")
	text := func(err float64, of int) string {
		if of == 0 {
			return "none"
		}
		return fmt.Sprintf("%s of %d", percent(err), of)
	}
	for _, c := range choice.Candidates {
		mark := ""
		if c.Form == choice.Form {
			mark = "chosen"
		}
		t.row(c.Form, text(c.LeaveKernel, c.Kernels), text(c.LeaveRatio, c.Ratios), fmt.Sprintf("%.4g", c.Score), percent(c.GeomeanRelErr), mark)
	}
	t.write(cmd.OutOrStdout())
	fmt.Fprintf(cmd.OutOrStdout(), "%s\n", choice.Reason)
}

// drawOverlap draws the overlap experiment among the rows of a fit.
func drawOverlap(cmd *cobra.Command, fit *calibrate.Fit, path string) error {
	if fit.Experiment == nil {
		return usagef("--picture: there is no overlap experiment among the data of %s, or the model has no form", fit.Model)
	}
	if err := os.WriteFile(path, []byte(evaluate.OverlapFigure(fit.Model, fit.Experiment).SVG()), 0o644); err != nil {
		return err
	}
	note(cmd, "picture: %s", path)
	return nil
}
