package calibrate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"gpuperf/internal/format"
	"gpuperf/internal/jsonvalue"
	"gpuperf/models"
)

// FittedRow is a row of a fit with the fitted model's value for it.
type FittedRow struct {
	Label         string     `json:"label"`
	Measured      float64    `json:"measured"`
	Fitted        float64    `json:"fitted"`
	RelativeError *float64   `json:"relative_error"` // (fitted - measured) / measured; nil where the output is 0
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
		out[i] = FittedRow{r.name(i), r.Output, at.Seconds, jsonvalue.Finite((at.Seconds - r.Output) / r.Output), at.Terms}
	}
	slices.SortStableFunc(out, func(a, b FittedRow) int {
		return cmp.Compare(b.size(), a.size())
	})
	return out, nil
}

// size is the size of the relative error, -1 where there is none.
func (r FittedRow) size() float64 {
	if r.RelativeError == nil {
		return -1
	}
	return math.Abs(*r.RelativeError)
}

// WriteRows writes the rows of a fit, with the terms of the fitted time.
func WriteRows(w io.Writer, rows []FittedRow) {
	head := []string{">measured", ">fitted", ">error"}
	for _, term := range rows[0].Terms {
		head = append(head, ">"+term.Name)
	}
	t := format.NewTable(append(head, "row")...)
	for _, r := range rows {
		off := "output is 0"
		if r.RelativeError != nil {
			off = format.SignedPercent(*r.RelativeError)
		}
		cells := []string{format.Seconds(r.Measured), format.Seconds(r.Fitted), off}
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
