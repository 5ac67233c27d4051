package calibrate

import (
	"context"
	"fmt"

	"gpuperf/models"
)

// Auto selects the best of several forms, or models, in place of a named one.
const Auto = "auto"

// General is the name of a general model once its form has been chosen.
const General = "general"

// CheckForm refuses an unknown form, and a model that cannot be brought into one. "" is the model's own form.
func CheckForm(model *models.Model, form string) error {
	if form == "" {
		return nil
	}
	if form != Auto {
		if _, err := models.ParseForm(form); err != nil {
			return fmt.Errorf("--model: %w, or %s", err, Auto)
		}
	}
	_, err := model.As(models.LinearForm)
	return err
}

// FitAs fits a model in a form: "" is its own, Auto the one that [Choose] finds. It returns the model in that form.
func FitAs(ctx context.Context, model *models.Model, form string, rows []Row, opt Options) (*models.Model, *Fit, error) {
	if err := CheckForm(model, form); err != nil {
		return nil, nil, err
	}
	if form != "" {
		if _, err := models.ParseForm(model.Name); err == nil && model.Name != form {
			named := *model // not the name of a form that it may not have
			named.Name = General
			model = &named
		}
	}
	if form == Auto {
		return Choose(ctx, model, nil, rows, opt)
	}
	if form != "" {
		var err error
		if model, err = model.As(models.Form(form)); err != nil {
			return nil, nil, err
		}
	}
	fit, err := FitRows(ctx, model, rows, opt)
	return model, fit, err
}
