package models

import (
	"fmt"
	"testing"
)

// A term that is scaled takes what it joins with it, whatever its form.
func TestScaled(t *testing.T) {
	m, err := Parse("m.yaml", []byte("version: 1\nname: m\noutput: f_t\nterms:\n  a: max(p_x * f_x, p_y * f_y)\n  b: p_z * f_z\n  c: a + b\nexpression: c + p_x * f_x\n"))
	if err != nil {
		t.Fatal(err)
	}
	for term, want := range map[string]float64{"": 21 + 15 + 6, "a": 10.5 + 15 + 6, "b": 21 + 7.5 + 6, "c": 18 + 6} {
		c, err := m.Scaled(term, 0.5).Compile()
		if err != nil {
			t.Fatal(err)
		}
		x, p := make([]float64, len(c.Features)), make([]float64, len(c.Parameters))
		for i, name := range c.Features {
			x[i] = map[string]float64{"f_x": 2, "f_y": 7, "f_z": 5}[name]
		}
		for i := range p {
			p[i] = 3
		}
		if got := c.Eval(x, p); got != want {
			t.Errorf("half of %q: %g, want %g", term, got, want)
		}
	}
}

func TestCostFeatures(t *testing.T) {
	for _, c := range []struct{ expression, want string }{
		{"p_a * f_x", "map[p_a:[f_x]]"},
		{"f_x * p_a / 32 + p_b", "map[p_a:[f_x]]"},
		{"0.5 * (p_a * f_x + p_b * (f_y + 2 * f_z))", "map[p_a:[f_x] p_b:[f_y f_z]]"},
		{"p_a * f_x + p_a * f_y", "map[p_a:[f_x f_y]]"},
		{"overlap(p_a * f_x, p_b * f_y, p_edge)", "map[p_a:[f_x] p_b:[f_y]]"},
		{"pnorm(p_a * f_x, p_b * f_y, p_a)", "map[p_b:[f_y]]"},
		{"p_a * f_x * (1 + p_b * step(f_y - p_c, p_e))", "map[p_a:[f_x]]"},
		{"p_a * f_x + p_b * tanh(f_y) * (p_a * f_x + p_d * f_z) + p_d * f_z", "map[p_a:[f_x] p_d:[f_z]]"},
		{"p_a * (f_x + p_b * f_y)", "map[p_a:[f_x]]"},
		{"(p_a * f_x + p_b) * f_y", "map[p_b:[f_y]]"},
		// Costs of something else than the features that stand beside them.
		{"p_a * p_b * f_x", "map[]"},
		{"p_a * f_x * f_y", "map[]"},
		{"p_a * f_x / f_y", "map[]"},
		{"p_a * f_x / p_b", "map[]"},
		{"1 / (p_a * f_x)", "map[]"},
		{"p_a * max(f_x, f_y)", "map[]"},
		{"p_a * f_x + p_b * (f_x + 2 * f_y) / 3", "map[p_a:[f_x] p_b:[f_x f_y]]"},
		{"max(p_a * f_x, 2 * p_b * f_y) + p_a * f_y", "map[p_a:[f_x f_y] p_b:[f_y]]"},
		{"pnorm(p_a * f_x, p_b * (f_y + 1), p_n)", "map[p_a:[f_x] p_b:[f_y]]"},
		{"p_a * f_x * step(f_y - p_c, p_e) + p_b * f_x", "map[p_b:[f_x]]"},
		{"p_a * f_x + p_a * f_x * f_y + p_b * f_x ** 2 + p_c", "map[]"},
		{"p_a * f_x + exp(p_a)", "map[]"},
		{"f_x / p_a + p_b * p_c * f_x + 1 / p_d", "map[]"},
		{"p_a * ceil(f_x) + p_b * max(f_x, f_y) + p_c * (f_x - f_y / 2)", "map[p_c:[f_x f_y]]"},
	} {
		m, err := Parse("m.yaml", []byte("version: 1\nname: m\noutput: f_t\nexpression: "+c.expression+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(m.CostFeatures()); got != c.want {
			t.Errorf("%s: %s, want %s", c.expression, got, c.want)
		}
	}
}
