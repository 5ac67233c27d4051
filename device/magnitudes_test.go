package device

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestUsualMagnitude(t *testing.T) {
	for _, tt := range []struct {
		name string
		of   []float64
		want float64
	}{
		{"none", nil, 0},
		{"zeros and what is not finite", []float64{0, math.Inf(1), math.NaN(), math.Inf(-1)}, 0},
		{"one", []float64{-3}, 3},
		{"a huge one", []float64{2, 2, -2, 2, 2, 2, 1e38}, 2},
		{"mostly huge ones", []float64{2, 2, 1e38, 1e38, 1e38, 1e300}, 2},
		{"mostly zeros", []float64{0, 0, 0, 0, 0, 5}, 5},
		{"small ones", []float64{1e-300, 1e-300}, 1e-300},
	} {
		var m Magnitudes
		for _, v := range tt.of {
			m.Add(v)
		}
		if got := m.Usual(); got > tt.want || got < 0.9*tt.want {
			t.Errorf("%s: %g, want %g", tt.name, got, tt.want)
		}
	}
}

// At least three quarters of the elements other than 0 are as large as the usual magnitude, and one of them is at most 0.4 % larger.
func TestUsualMagnitudeIsQuartile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e30, 1e30), 1, 50).Draw(t, "values")
		var m Magnitudes
		for _, v := range values {
			m.Add(v)
		}
		usual, all, above, near := m.Usual(), 0, 0, false
		for _, v := range values {
			if v = math.Abs(v); v == 0 {
				continue
			}
			all++
			if v >= usual {
				above++
			}
			near = near || v >= usual && v <= 1.004*usual
		}
		if all > 0 && (4*above < 3*all || !near) {
			t.Errorf("usual %g: %d of %d are as large, one is near: %v", usual, above, all, near)
		}
	})
}
