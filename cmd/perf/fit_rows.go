package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"gpuperf/calibrate"
	"gpuperf/internal/format"
	"gpuperf/models"
)

// fittedRow is a row of a fit beside what the fitted model says of it.
type fittedRow struct {
	Label         string               `json:"label"`
	Measured      float64              `json:"measured"`
	Fitted        float64              `json:"fitted"`
	RelativeError float64              `json:"relative_error"` // (fitted - measured) / measured
	Terms         calibrate.TermValues `json:"terms"`
}

// fittedRows evaluates the fitted model on its own rows, the worst fitted first.
func fittedRows(model *models.Model, fit *calibrate.Fit, rows []calibrate.Row) ([]fittedRow, error) {
	p, err := calibrate.NewPredictor(model, fit)
	if err != nil {
		return nil, err
	}
	out := make([]fittedRow, len(rows))
	for i, r := range rows {
		at, err := p.Predict(r.Features)
		if err != nil {
			return nil, err
		}
		out[i] = fittedRow{r.Label, r.Output, at.Seconds, (at.Seconds - r.Output) / r.Output, at.Terms}
		if r.Label == "" {
			out[i].Label = fmt.Sprintf("row %d", i+1)
		}
	}
	slices.SortStableFunc(out, func(a, b fittedRow) int {
		return cmp.Compare(math.Abs(b.RelativeError), math.Abs(a.RelativeError))
	})
	return out, nil
}

// printRows prints the rows of a fit, with the terms of the fitted time.
func printRows(w io.Writer, rows []fittedRow) {
	head := []string{">measured", ">fitted", ">error"}
	for _, term := range rows[0].Terms {
		head = append(head, ">"+term.Name)
	}
	t := format.NewTable(append(head, "row")...)
	for _, r := range rows {
		cells := []string{format.Seconds(r.Measured), format.Seconds(r.Fitted), format.SignedPercent(r.RelativeError)}
		for _, term := range r.Terms {
			cells = append(cells, format.Seconds(term.Value))
		}
		t.Row(append(cells, r.Label)...)
	}
	t.Write(w)
	fmt.Fprintln(w)
}

// withRows is the object of a fit with its rows.
func withRows(fit *calibrate.Fit, rows []fittedRow) (map[string]any, error) {
	text, err := json.Marshal(fit)
	if err != nil {
		return nil, err
	}
	object := map[string]any{}
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, err
	}
	object["fitted_rows"] = rows
	return object, nil
}
