package main

import (
	"context"
	"path/filepath"

	"gpuperf/kernel/script"
	"gpuperf/models"
	"gpuperf/tailor"
	"gpuperf/workload"
)

// scriptMeasurement returns the cases of a measurement set that names a script, which lies relative to the model file.
func scriptMeasurement(model *models.Model, m models.Measurement) ([]*workload.Case, error) {
	path := m.Script
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(model.File), path)
	}
	variants, err := script.Options{}.Load(context.Background(), path)
	if err != nil {
		return nil, err
	}
	cases, err := tailor.Cases(variants, m)
	if err != nil {
		return nil, model.ErrorAt(m.Places[0], "%s", firstLine(err))
	}
	return cases, nil
}
