package models

import (
	"fmt"
	"testing"
)

// TestGrowth: with which of f_x and f_y the time grows, at f_x = 100, f_y = 1, p_a = 2, p_b = 1e-6, p_zero = 0.
func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		expression string
		x, y       bool
	}{
		{"p_a * f_x + p_zero * f_y", true, false},
		{"p_a * min(1, f_x) + p_b * f_y", false, true},
		{"overlap(p_a * f_x, p_b * f_y, 100)", true, true}, // hidden entirely, and a cost all the same
		{"pnorm(p_a * f_x, p_b * f_y, 64)", true, true},
		{"max(p_a * f_x, p_b * f_y)", true, true},
		{"max(p_a * f_x, 1) + f_y * 1e-9", true, true},
		{"p_a * max(0, f_y - f_x)", false, false},
		{"p_a * max(f_x, 1) * f_y", true, true},
		{"p_a * (f_x + f_y) - p_a * f_y", true, false},
		{"p_a * f_x - p_b * f_y", true, false},
		{"-(p_a * f_x) + f_y ** 0.5 * p_b", false, true},
		{"3 * pnorm(overlap(p_a * f_x, p_zero * f_y, 9), p_b * f_y, 2)", true, true},
		{"p_a * ceil(f_x / 32) + p_b * f_y / f_x", true, true},
		{"p_a * step(f_x - f_y, 100)", false, false}, // far from the edge
		{"p_a + p_b", false, false},
	} {
		m, err := Parse("m.yaml", []byte("version: 1\nname: m\noutput: f_t\nexpression: \""+c.expression+"\"\n"))
		if err != nil {
			t.Fatal(err)
		}
		values := map[string]float64{"f_x": 100, "f_y": 1, "p_a": 2, "p_b": 1e-6, "p_zero": 0}
		var x, p []float64
		for _, name := range m.FeatureNames() {
			x = append(x, values[name])
		}
		for _, name := range m.ParameterNames() {
			p = append(p, values[name])
		}
		got := map[string]bool{"f_x": false, "f_y": false}
		for i, g := range m.Growth()(x, p) {
			got[m.FeatureNames()[i]] = g > 0
		}
		if want := map[string]bool{"f_x": c.x, "f_y": c.y}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: grows with %v, want %v", c.expression, got, want)
		}
	}
}
