package rank

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Scale centres values and divides them by their standard deviation. Columns that do not vary become 0.
type Scale struct {
	Mean, Deviation []float64
}

// NewScale computes the means and deviations of the columns.
func NewScale(rows [][]float64) (*Scale, error) {
	if len(rows) == 0 {
		return nil, errors.New("scaling features needs at least one row")
	}
	d := len(rows[0])
	s := &Scale{make([]float64, d), make([]float64, d)}
	n := float64(len(rows))
	for _, row := range rows {
		for j, v := range row {
			s.Mean[j] += v / n
		}
	}
	for _, row := range rows {
		for j, v := range row {
			s.Deviation[j] += (v - s.Mean[j]) * (v - s.Mean[j]) / n
		}
	}
	for j, v := range s.Deviation {
		if s.Deviation[j] = math.Sqrt(v); s.Deviation[j] <= 1e-12*math.Abs(s.Mean[j]) {
			s.Deviation[j] = 0
		}
	}
	return s, nil
}

// Apply returns the scaled row.
func (s *Scale) Apply(row []float64) []float64 {
	out := make([]float64, len(row))
	for j, v := range row {
		if s.Deviation[j] > 0 {
			out[j] = (v - s.Mean[j]) / s.Deviation[j]
		}
	}
	return out
}

// PCA are principal components of scaled features (section 5.2 of the paper).
type PCA struct {
	*Scale
	// Components has a row for each, the one with the greatest variance first: unit vectors, each with the entry of greatest
	// magnitude positive.
	Components [][]float64
	// Variance of all components, kept or not, as shares of the total.
	Variance []float64
}

// NewPCA finds the first components that together explain at least the given share of the variance of the rows.
func NewPCA(rows [][]float64, share float64) (*PCA, error) {
	scale, err := NewScale(rows)
	if err != nil {
		return nil, err
	}
	d := len(scale.Mean)
	cov := mat.NewSymDense(d, nil)
	for _, row := range rows {
		z := scale.Apply(row)
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
	p := &PCA{Scale: scale}
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
