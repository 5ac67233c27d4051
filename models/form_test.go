package models

import (
	"math"
	"strings"
	"testing"
)

func TestForms(t *testing.T) {
	const terms = "terms:\n  overhead: p_l * f_l\n  gmem: p_g * f_g\n  onchip: p_o * f_o\n"
	parse := func(rest string) *Model {
		m, err := Parse("m.yaml", []byte("version: 1\nname: m\noutput: f_t\n"+rest))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	value := func(m *Model) float64 {
		c, err := m.Compile()
		if err != nil {
			t.Fatal(err)
		}
		at := map[string]float64{"f_l": 1, "f_g": 2, "f_o": 5, "p_l": 1, "p_g": 3, "p_o": 1, "p_edge": 50, "p_norm": 2, "p_s": 50, "p_edge_": 50}
		x, p := make([]float64, len(c.Features)), make([]float64, len(c.Parameters))
		for i, n := range c.Features {
			x[i] = at[n]
		}
		for i, n := range c.Parameters {
			p[i] = at[n]
		}
		return c.Eval(x, p)
	}
	want := map[Form]float64{LinearForm: 12, OverlapForm: 7, PNormForm: 1 + math.Sqrt(61)}
	for _, c := range []struct {
		text string
		form Form // "": none
	}{
		{terms + "expression: overhead + gmem + onchip\n", LinearForm},
		{terms + "expression: onchip + overhead + gmem\n", LinearForm},
		{terms + "expression: overlap(gmem, onchip, p_s) + overhead\nparameters: {p_s: {min: 0}, p_g: {unit: s/B}}\n", OverlapForm},
		{terms + "expression: overhead + pnorm(onchip, gmem, p_norm)\n", PNormForm},
		{terms + "  work: overlap(gmem, onchip, p_s)\n  wait: 0 * f_o\nexpression: overhead + pnorm(work, wait, p_norm)\n", OverlapForm},
		{terms + "  work: gmem + onchip\nexpression: overhead + max(work, p_l)\n", LinearForm},
		{"terms:\n  memory: p_g * f_g\n  work: p_o * f_o\nexpression: p_l * f_l + overlap(memory, work, p_s)\n", OverlapForm},
		{"terms:\n  gmem: p_g * f_g\nexpression: p_l * f_l + gmem + p_o * f_o\n", ""},
		{terms + "expression: overhead + 2 * gmem + onchip\n", ""},
		{terms + "expression: overhead + overlap(gmem, onchip, 50)\n", ""},
		{"expression: p_g * f_g\n", ""},
	} {
		m := parse(c.text)
		form, a, b, ok := m.Form()
		if ok != (c.form != "") || ok && form != c.form {
			t.Errorf("%s: form %q of %s and %s", c.text, form, a, b)
			continue
		}
		for _, as := range Forms {
			n, err := m.As(as)
			if !ok {
				if err == nil || !strings.Contains(err.Error(), "does not combine two terms") {
					t.Errorf("%s as %s: %v", c.text, as, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s as %s: %v", c.text, as, err)
				continue
			}
			if got, _, _, ok := n.Form(); (!ok || got != as) && a == gmemTerm {
				t.Errorf("%s as %s is %s", c.text, as, got)
			}
			if got := value(n); math.Abs(got-want[as]) > 0.01 {
				t.Errorf("%s as %s is %g, want %g:\n%s", c.text, as, got, want[as], n)
			}
			if n.Parameter("p_g").Unit != m.Parameter("p_g").Unit {
				t.Errorf("%s as %s: the unit is lost", c.text, as)
			}
		}
	}
	if _, err := parse(terms + "expression: overhead + gmem + onchip\n").As("cubic"); err == nil || !strings.Contains(err.Error(), "linear, overlap, pnorm") {
		t.Errorf("got %v", err)
	}
	// A parameter of the form's name that is a cost is left alone.
	n, err := parse("terms:\n  gmem: p_edge * f_g\n  onchip: p_o * f_o\nexpression: gmem + onchip\n").As(OverlapForm)
	if err != nil || n.Expression != "overlap(gmem, onchip, p_edge_)" {
		t.Errorf("%v, %v", n, err)
	}
}
