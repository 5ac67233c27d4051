package models

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCostsOfTerms(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string // term, parameter, work, value where every feature is 2
	}{
		{"terms:\n  a: p_x * f_x + p_y * (f_y + 3 * f_z)\nexpression: a\n", []string{"a p_x f_x 2", "a p_y f_y 2", "a p_y 3 * f_z 6"}},
		{"terms:\n  a: p_x * f_x * f_y\n  b: p_x * f_z\nexpression: a + b\n", []string{"a p_x f_y * f_x 4", "b p_x f_z 2"}},
		{"features:\n  f_own: f_x - f_y / 2\nterms:\n  a: p_x * f_own\nexpression: a\n", []string{"a p_x f_own 1"}},
		{"terms:\n  a: p_x * f_x\n  b: a + p_y * f_y\nexpression: b\n", []string{"a p_x f_x 2", "b p_y f_y 2"}},
		{"terms:\n  a: p_x * f_x\n  b: p_y * f_y\n  c: pnorm(a, b, p_z)\nexpression: c\n", []string{"a p_x f_x 2", "b p_y f_y 2"}},
		{"expression: p_x * f_x\n", []string{"time p_x f_x 2"}},
		// No sums of costs.
		{"terms:\n  a: p_x * f_x + 1\nexpression: a\n", []string{"a   0"}},
		{"terms:\n  a: p_x * p_y * f_x\nexpression: a\n", []string{"a   0"}},
		{"terms:\n  a: f_x\nexpression: a + p_x\n", []string{"a   0"}},
		{"expression: overlap(p_x * f_x, p_y * f_y, 9)\n", []string{"time   0"}},
	} {
		m, err := Parse("m.yaml", []byte("version: 1\nname: m\noutput: f_t\n"+c.text))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, k := range m.Costs() {
			value := 0.0
			if names, eval := k.Evaluator(); eval != nil {
				values := make([]float64, len(names))
				for i := range values {
					values[i] = 2
				}
				value = eval(values)
			}
			got = append(got, fmt.Sprintf("%s %s %s %g", k.Term, k.Parameter, k.Work, value))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.text, diff)
		}
	}
}

// A term that costs nothing takes what it joins with it, whatever its form.
func TestWithout(t *testing.T) {
	m, err := Parse("m.yaml", []byte("version: 1\nname: m\noutput: f_t\nterms:\n  a: max(p_x * f_x, p_y * f_y)\n  b: p_z * f_z\n  c: a + b\nexpression: c + p_x * f_x\n"))
	if err != nil {
		t.Fatal(err)
	}
	for term, want := range map[string]float64{"": 3*7 + 3*5 + 3*2, "a": 3*5 + 3*2, "b": 3*7 + 3*2, "c": 3 * 2} {
		c, err := m.Without(term).Compile()
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
			t.Errorf("without %q: %g, want %g", term, got, want)
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
		// Costs of something else than the features that stand beside them.
		{"p_a * p_b * f_x", "map[]"},
		{"p_a * f_x * f_y", "map[]"},
		{"(p_a * f_x + p_b) * f_y", "map[]"},
		{"p_a * f_x / f_y", "map[]"},
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
