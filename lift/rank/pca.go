package rank

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// PCA are principal components of scaled features (section 5.2 of the paper).
type PCA struct {
	Mean, Deviation []float64 // of the features
	// Components has a row for each, the one with the greatest variance first: unit vectors, each with the entry of greatest
	// magnitude positive.
	Components [][]float64
	// Variance of all components, kept or not, as shares of the total.
	Variance []float64
}

// NewPCA finds the first components that together explain at least the given share of the variance of the rows.
func NewPCA(rows [][]float64, share float64) (*PCA, error) {
	if len(rows) == 0 {
		return nil, errors.New("scaling features needs at least one row")
	}
	d := len(rows[0])
	p := &PCA{Mean: make([]float64, d), Deviation: make([]float64, d)}
	n := float64(len(rows))
	for _, row := range rows {
		for j, v := range row {
			p.Mean[j] += v / n
		}
	}
	for _, row := range rows {
		for j, v := range row {
			p.Deviation[j] += (v - p.Mean[j]) * (v - p.Mean[j]) / n
		}
	}
	for j, v := range p.Deviation {
		if p.Deviation[j] = math.Sqrt(v); p.Deviation[j] <= 1e-12*math.Abs(p.Mean[j]) {
			p.Deviation[j] = 0
		}
	}
	cov := mat.NewSymDense(d, nil)
	for _, row := range rows {
		z := p.Apply(row)
		for i, v := range z {
			if v == 0 {
				continue
			}
			for j := i; j < d; j++ {
				cov.SetSym(i, j, cov.At(i, j)+v*z[j])
			}
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(cov, true) {
		return nil, fmt.Errorf("the principal components of %d features do not converge", d)
	}
	values := eigen.Values(nil) // ascending
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	total := 0.0
	for _, v := range values {
		total += max(v, 0)
	}
	if total == 0 {
		return p, nil // no feature varies: all points are equal
	}
	sum := 0.0
	for k := d - 1; k >= 0; k-- {
		part := max(values[k], 0) / total
		p.Variance = append(p.Variance, part)
		if sum >= share || part == 0 {
			continue
		}
		sum += part
		row := make([]float64, d)
		mat.Col(row, k, &vectors)
		most := 0
		for j, v := range row {
			if math.Abs(v) > math.Abs(row[most])+1e-12 {
				most = j
			}
		}
		if row[most] < 0 {
			for j := range row {
				row[j] = -row[j]
			}
		}
		p.Components = append(p.Components, row)
	}
	return p, nil
}

// Apply returns the row with values centred and divided by their standard deviation; features that do not vary become 0.
func (p *PCA) Apply(row []float64) []float64 {
	out := make([]float64, len(row))
	for j, v := range row {
		if p.Deviation[j] > 0 {
			out[j] = (v - p.Mean[j]) / p.Deviation[j]
		}
	}
	return out
}

// Project returns the coordinates of a row along the components.
func (p *PCA) Project(row []float64) []float64 {
	z := p.Apply(row)
	out := make([]float64, len(p.Components))
	for k, c := range p.Components {
		for j, v := range c {
			out[k] += v * z[j]
		}
	}
	return out
}
