package evaluate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/calibrate"
	"gpuperf/models"
)

// TestVary: errors fall with the number of kernels and of trials, points that the kernels chosen do not determine are told, and the same
// seed gives the same table.
func TestVary(t *testing.T) {
	m, err := models.Parse("m.yaml", []byte("version: 1\nname: m\noutput: f_t\nexpression: p_a * f_x + p_b * f_y + p_c * f_z\nfit: {scale_by_output: true, nonnegative: true}\n"))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(71, 72))
	truth := func(f map[string]float64) float64 { return 2*f["f_x"] + 3*f["f_y"] + 5*f["f_z"] }
	draw := func(z float64) map[string]float64 {
		return map[string]float64{"f_x": 1 + 9*rng.Float64(), "f_y": 1 + 9*rng.Float64(), "f_z": z * rng.Float64()}
	}
	c := Calibrated{Model: m}
	for i := range 40 {
		z := 0.0
		if i < 3 { // few kernels know of z
			z = 10
		}
		r := calibrate.Row{Kernel: fmt.Sprint(i), Features: draw(z)}
		for range 20 {
			r.Trials = append(r.Trials, truth(r.Features)*(1+0.2*rng.NormFloat64()))
		}
		all := make([]int, len(r.Trials))
		for k := range all {
			all[k] = k
		}
		r.Output = medianOf(r.Trials, all)
		c.Rows = append(c.Rows, r)
	}
	for range 12 {
		f := draw(10)
		c.Targets = append(c.Targets, calibrate.Known{Features: f, Measured: truth(f)})
	}
	if c.Fit, err = calibrate.FitRows(context.Background(), m, c.Rows, calibrate.Options{}); err != nil {
		t.Fatal(err)
	}
	s, err := Vary(context.Background(), []Calibrated{c}, 1)
	if err != nil {
		t.Fatal(err)
	}
	first, last := s.Kernels[0], s.Kernels[len(s.Kernels)-1]
	if first.Of != 40 || first.Draws != 1 || last.Of != 6 || last.Draws != draws || first.Unpredicted != 0 || last.Unpredicted == 0 || last.Median <= first.Median {
		t.Errorf("kernels: %+v", s.Kernels)
	}
	if n := len(s.Trials); n != 5 || s.Trials[0].Of != 1 || s.Trials[n-1].Of != 30 || s.Trials[0].Median < 1.5*s.Trials[n-1].Median || s.Trials[n-1].Least != s.Trials[n-1].Largest {
		t.Errorf("trials: %+v", s.Trials)
	}
	if s.Trials[len(s.Trials)-1].Median != first.Median {
		t.Errorf("all trials of all kernels are %g and %g", s.Trials[len(s.Trials)-1].Median, first.Median)
	}
	again, err := Vary(context.Background(), []Calibrated{c}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, again); diff != "" {
		t.Errorf("the same seed gives another table:\n%s", diff)
	}
}
