package calibrate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"gpuperf/internal/format"
	"gpuperf/models"
)

// FittedRow is a row of a fit with the fitted model's value for it.
type FittedRow struct {
	Label         string     `json:"label"`
	Measured      float64    `json:"measured"`
	Fitted        float64    `json:"fitted"`
	RelativeError float64    `json:"relative_error"` // (fitted - measured) / measured
	Terms         TermValues `json:"terms"`
}

// FittedRows evaluates the fitted model on its own rows, the worst fitted first.
func FittedRows(model *models.Model, fit *Fit, rows []Row) ([]FittedRow, error) {
	p, err := NewPredictor(model, fit)
	if err != nil {
		return nil, err
	}
	out := make([]FittedRow, len(rows))
	for i, r := range rows {
		at, err := p.Predict(r.Features)
		if err != nil {
			return nil, err
		}
		out[i] = FittedRow{r.name(i), r.Output, at.Seconds, (at.Seconds - r.Output) / r.Output, at.Terms}
	}
	slices.SortStableFunc(out, func(a, b FittedRow) int {
		return cmp.Compare(math.Abs(b.RelativeError), math.Abs(a.RelativeError))
	})
	return out, nil
}

// WriteRows writes the rows of a fit, with the terms of the fitted time.
func WriteRows(w io.Writer, rows []FittedRow) {
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

// WithRows is the object of a fit with its rows.
func (f *Fit) WithRows(rows []FittedRow) (map[string]any, error) {
	text, err := json.Marshal(f)
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
