package rank

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"gpuperf/internal/lists"
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
	column := make([]float64, len(rows))
	for j := range d {
		for i, row := range rows {
			column[i] = row[j]
		}
		mean, deviation := stat.PopMeanStdDev(column, nil)
		if p.Mean[j] = mean; deviation > 1e-12*math.Abs(mean) {
			p.Deviation[j] = deviation
		}
	}
	scaled := mat.NewDense(len(rows), d, nil)
	for i, row := range rows {
		scaled.SetRow(i, p.Apply(row))
	}
	var pc stat.PC
	if !pc.PrincipalComponents(scaled, nil) {
		return nil, fmt.Errorf("the principal components of %d features do not converge", d)
	}
	variances := pc.VarsTo(nil)
	total := floats.Sum(variances)
	if !(total > 0) {
		return p, nil // no feature varies: all points are equal
	}
	var vectors mat.Dense
	pc.VectorsTo(&vectors)
	sum := 0.0
	for k, v := range variances {
		p.Variance = append(p.Variance, v/total)
		if sum < share && v > 0 {
			sum += v / total
			p.Components = append(p.Components, upright(mat.Col(nil, k, &vectors)))
		}
	}
	return p, nil
}

// upright is v or its opposite, whichever has its entry of greatest magnitude positive.
func upright(v []float64) []float64 {
	most := 0
	for j, x := range v {
		if math.Abs(x) > math.Abs(v[most])+1e-12 {
			most = j
		}
	}
	if v[most] < 0 {
		floats.Scale(-1, v)
	}
	return v
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
	return lists.Map(p.Components, func(c []float64) float64 { return floats.Dot(c, z) })
}
