package modelgen

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gpuperf/features"
	"gpuperf/models"
	"gpuperf/workload"
)

// apart is the least relative distance of a term's column from the span of the other columns, each row relative to the run time of
// its kernel. Below it, measurement noise of one per cent would decide how a cost is divided between terms.
const apart = 0.05

// columns evaluates, for each case and parameter of a linear model, what the parameter multiplies, relative to the time
// that the case is estimated to take.
func columns(m *models.Model, cases []*workload.Case, seconds []float64, lanes int) (params []string, columns [][]float64, err error) {
	compiled, err := m.Compile()
	if err != nil {
		return nil, nil, err
	}
	var ids []features.ID
	for _, name := range compiled.Features {
		id, err := features.ParseID(name)
		if err != nil {
			return nil, nil, err
		}
		ids = append(ids, id)
	}
	columns = make([][]float64, len(compiled.Parameters))
	x, zero, grad := make([]float64, len(ids)), make([]float64, len(columns)), make([]float64, len(columns))
	for i, c := range cases {
		values, err := c.Features(ids, lanes)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", c, err)
		}
		for k, name := range compiled.Features {
			x[k] = values[name]
		}
		compiled.Gradient(x, zero, grad)
		for k, g := range grad {
			columns[k] = append(columns[k], g/seconds[i])
		}
	}
	return compiled.Parameters, columns, nil
}

// leftOver is the relative distance of a column from the span of the others: 1 where it is orthogonal to all of them, 0 where it is
// a linear combination of them. It is 0 for a column of zeros.
func leftOver(column []float64, others [][]float64) float64 {
	length := norm(column)
	if length == 0 {
		return 0
	}
	rest := slices.Clone(column)
	// Gram and Schmidt, twice over for the sake of rounding.
	var basis [][]float64
	for _, o := range others {
		if norm(o) == 0 {
			continue
		}
		v := slices.Clone(o)
		scale(v, 1/norm(v))
		for range 2 {
			for _, b := range basis {
				subtract(v, b)
			}
		}
		if n := norm(v); n > 1e-9 {
			scale(v, 1/n)
			basis = append(basis, v)
		}
	}
	for range 2 {
		for _, b := range basis {
			subtract(rest, b)
		}
	}
	return norm(rest) / length
}

func norm(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum)
}

func scale(v []float64, by float64) {
	for i := range v {
		v[i] *= by
	}
}

// subtract takes from v its part along the unit vector b.
func subtract(v, b []float64) {
	dot := 0.0
	for i := range v {
		dot += v[i] * b[i]
	}
	for i := range v {
		v[i] -= dot * b[i]
	}
}

// prune drops optional terms, the last one first, that the measurements could not distinguish from the others, and adds a note for
// each term that is kept although they cannot.
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
		if t.optional && leftOver(column[t.param], without(t.param)) < apart {
			c.terms = slices.Delete(c.terms, i, i+1)
		}
	}
	for _, t := range c.terms {
		if leftOver(column[t.param], without(t.param)) < apart/3 {
			c.notes = append(c.notes, fmt.Sprintf("these measurements can hardly distinguish %s, the cost %s, from the other costs", t.param, t.why))
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
