package calibrate

import (
	"cmp"
	"math"
	"slices"

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
