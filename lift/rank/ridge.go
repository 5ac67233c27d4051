package rank

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// penalties are the weights of the squared coefficients that ridge regression chooses among, per row.
var penalties = []float64{1e-4, 1e-3, 1e-2, 1e-1, 1, 10}

// gram are the sums that a least-squares fit is made from.
type gram struct {
	xx *mat.SymDense
	xy []float64
	n  float64
}

func newGram(d int) *gram { return &gram{xx: mat.NewSymDense(d, nil), xy: make([]float64, d)} }

func (g *gram) add(row []float64, y float64) {
	for i, v := range row {
		if v == 0 {
			continue
		}
		g.xy[i] += v * y
		for j := i; j < len(row); j++ {
			g.xx.SetSym(i, j, g.xx.At(i, j)+v*row[j])
		}
	}
	g.n++
}

// plus adds times·h.
func (g *gram) plus(h *gram, times float64) *gram {
	out := newGram(len(g.xy))
	for i := range g.xy {
		out.xy[i] = g.xy[i] + times*h.xy[i]
		for j := i; j < len(g.xy); j++ {
			out.xx.SetSym(i, j, g.xx.At(i, j)+times*h.xx.At(i, j))
		}
	}
	out.n = g.n + times*h.n
	return out
}

// solve minimizes |y - X·w|² + penalty·n·|w|².
func (g *gram) solve(penalty float64) ([]float64, error) {
	d := len(g.xy)
	a := mat.NewSymDense(d, nil)
	a.CopySym(g.xx)
	for i := range d {
		a.SetSym(i, i, a.At(i, i)+penalty*max(g.n, 1)+1e-9)
	}
	var c mat.Cholesky
	if !c.Factorize(a) {
		return nil, fmt.Errorf("the normal equations of %d features are singular", d)
	}
	w := mat.NewVecDense(d, nil)
	if err := c.SolveVecTo(w, mat.NewVecDense(d, g.xy)); err != nil {
		return nil, fmt.Errorf("ridge regression: %w", err)
	}
	return w.RawVector().Data, nil
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// fitRidge fits coefficients of scaled rows, with the penalty that ranks benchmarks best when each is left out in turn.
func fitRidge(t *training) (predictor, error) {
	scale, err := NewScale(t.rows)
	if err != nil {
		return nil, err
	}
	mean := 0.0
	for _, y := range t.values {
		mean += y / float64(len(t.values))
	}
	d := len(scale.Mean)
	byBenchmark := map[string]*gram{}
	all := newGram(d)
	scaled := make([][]float64, len(t.rows))
	for i, row := range t.rows {
		scaled[i] = scale.Apply(row)
		g := byBenchmark[t.benchmarks[i]]
		if g == nil {
			g = newGram(d)
			byBenchmark[t.benchmarks[i]] = g
		}
		g.add(scaled[i], t.values[i]-mean)
		all.add(scaled[i], t.values[i]-mean)
	}
	best, penalty := math.Inf(-1), penalties[len(penalties)/2]
	if len(byBenchmark) > 1 {
		for _, p := range penalties {
			fits := map[string][]float64{}
			for name, g := range byBenchmark {
				if fits[name], err = all.plus(g, -1).solve(p); err != nil {
					return nil, err
				}
			}
			sum := 0.0
			for _, group := range t.groups {
				var got, want []float64
				for _, i := range group {
					got, want = append(got, dot(fits[t.benchmarks[i]], scaled[i])), append(want, t.values[i])
				}
				if r := Spearman(got, want); !math.IsNaN(r) {
					sum += r
				}
			}
			if sum > best+1e-12 {
				best, penalty = sum, p
			}
		}
	}
	w, err := all.solve(penalty)
	if err != nil {
		return nil, err
	}
	return func(row []float64) float64 { return mean + dot(w, scale.Apply(row)) }, nil
}
