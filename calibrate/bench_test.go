package calibrate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gpuperf/models"
)

// tenParameters is a nonlinear model with ten parameters and 200 rows of it.
func tenParameters(b *testing.B) (*models.Model, []Row) {
	b.Helper()
	m, err := models.Parse("", []byte(`version: 1
name: ten
output: f_t
terms:
  overhead: p_launch * f_launch + p_group * f_groups + p_barrier * f_barrier
  gmem: p_ga * f_ga + p_gb * f_gb + p_gc * f_gc
  onchip: p_madd * f_madd + p_add * f_add + p_l * f_lmem
expression: overhead + overlap(gmem, onchip, p_edge)
parameters: {p_edge: {min: 0}}
fit: {scale_by_output: true, nonnegative: true}
`))
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(31, 32))
	truth := map[string]float64{"p_edge": 20, "p_launch": 8e-6}
	for i, n := range []string{"p_group", "p_barrier", "p_ga", "p_gb", "p_gc", "p_madd", "p_add", "p_l"} {
		truth[n] = 1e-12 * float64(i+1)
	}
	var kernels []string
	var features []map[string]float64
	for i := range 200 {
		f := map[string]float64{"f_launch": 1}
		for _, n := range []string{"f_groups", "f_barrier", "f_ga", "f_gb", "f_gc", "f_madd", "f_add", "f_lmem"} {
			f[n] = math.Pow(10, 5+4*rng.Float64())
		}
		kernels, features = append(kernels, fmt.Sprint(i%20)), append(features, f)
	}
	return m, rowsOf(b, m, truth, 0.02, rng, kernels, features)
}

func BenchmarkFit10Parameters200Rows(b *testing.B) {
	m, rows := tenParameters(b)
	for _, c := range []struct {
		name string
		opt  Options
	}{
		{"one start", Options{Starts: 1, NoCrossValidation: true}},
		{"24 starts", Options{NoCrossValidation: true}},
		{"24 starts, 20 kernels cross-validated", Options{}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := FitRows(context.Background(), m, rows, c.opt); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPredict(b *testing.B) {
	m, rows := tenParameters(b)
	fit, err := FitRows(context.Background(), m, rows, Options{Starts: 1, NoCrossValidation: true})
	if err != nil {
		b.Fatal(err)
	}
	p, err := NewPredictor(m, fit)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := p.Predict(rows[0].Features); err != nil {
			b.Fatal(err)
		}
	}
}
