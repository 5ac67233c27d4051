package modelgen

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"gpuperf/features"
	"gpuperf/internal/warning"
	"gpuperf/models"
)

// leastDistance is the least relative distance of a term's column from the span of the other columns, each row relative to the run time
// of its kernel. Below it, measurement noise of one per cent would decide how a cost is divided between terms.
const leastDistance = 0.05

// columns evaluates, for each parameter of a linear model and each case, the factor of the parameter, divided by the estimated time of
// the case.
func columns(m *models.Model, cases []Planned, lanes int) (params []string, columns [][]float64, err error) {
	compiled, err := m.Compile()
	if err != nil {
		return nil, nil, err
	}
	ids, err := features.ParseIDs(compiled.Features)
	if err != nil {
		return nil, nil, err
	}
	columns = make([][]float64, len(compiled.Parameters))
	x, zero, grad := make([]float64, len(ids)), make([]float64, len(columns)), make([]float64, len(columns))
	for _, c := range cases {
		values, err := c.Features(nil, ids, lanes)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", c, err)
		}
		for k, name := range compiled.Features {
			x[k] = values[name]
		}
		compiled.Gradient(x, zero, grad)
		for k, g := range grad {
			columns[k] = append(columns[k], g/c.Seconds)
		}
	}
	return compiled.Parameters, columns, nil
}

// distance is the relative distance of a column from the span of the others: 1 where it is orthogonal to all of them, 0 where it is
// a linear combination of them. It is 0 for a column of zeros.
func distance(column []float64, others [][]float64) float64 {
	var basis [][]float64 // orthonormal, by the method of Gram and Schmidt
	// residual returns a column scaled to length 1 without its projection on the basis, taken off twice because of rounding.
	residual := func(v []float64) []float64 {
		v = slices.Clone(v)
		length := floats.Norm(v, 2)
		if length == 0 {
			return v
		}
		floats.Scale(1/length, v)
		for range 2 {
			for _, b := range basis {
				floats.AddScaled(v, -floats.Dot(v, b), b)
			}
		}
		return v
	}
	for _, o := range others {
		v := residual(o)
		if n := floats.Norm(v, 2); n > 1e-9 {
			floats.Scale(1/n, v)
			basis = append(basis, v)
		}
	}
	return floats.Norm(residual(column), 2)
}

// prune drops the optional terms that the measurements could not distinguish from the others, the last one first, and adds a note for
// each other term that they could hardly distinguish.
func (c *content) prune(params []string, columns [][]float64) {
	column := map[string][]float64{}
	for i, p := range params {
		column[p] = columns[i]
	}
	without := func(param string) (out [][]float64) {
		for _, t := range c.terms {
			if t.param != param {
				out = append(out, column[t.param])
			}
		}
		return out
	}
	for i := len(c.terms) - 1; i >= 0; i-- {
		t := c.terms[i]
		if t.optional && distance(column[t.param], without(t.param)) < leastDistance {
			c.terms = slices.Delete(c.terms, i, i+1)
		}
	}
	for _, t := range c.terms {
		if distance(column[t.param], without(t.param)) < leastDistance/3 {
			c.notes = append(c.notes, warning.Correlated.About(t.param, "these measurements can hardly distinguish it, the cost %s, from the other costs", t.why))
		}
	}
}

// uses reports that a term needs one of the model's own features.
func (c *content) uses(name string) bool {
	for _, prefix := range []string{bodyFeature, exposedFeature} {
		if loop, ok := strings.CutPrefix(name, prefix); ok {
			return strings.Contains(strings.Join(c.latencySum(models.LinearForm), " "), exposedFeature+loop+" ")
		}
	}
	if name == wavesFeature {
		return true
	}
	return slices.ContainsFunc(c.terms, func(t term) bool {
		return t.factor == name || slices.Contains(t.features, name) || name == bytesFeature && t.factor == farFeature
	})
}
