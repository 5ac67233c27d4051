package models

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string // term, parameter, work: count, alone, within; every feature is 2, every parameter 3
	}{
		{"terms:\n  a: p_x * f_x + p_y * (f_y + 3 * f_z)\nexpression: a\n", []string{"a p_x f_x: 2 6 6", "a p_y f_y: 2 6 6", "a p_y 3 * f_z: 6 18 18"}},
		{"terms:\n  a: p_x * f_x * f_y\n  b: p_x * f_z\nexpression: a + b\n", []string{"a p_x f_y * f_x: 4 12 12", "b p_x f_z: 2 6 6"}},
		{"features:\n  f_own: f_x - f_y / 2\nterms:\n  a: p_x * f_own\nexpression: a\n", []string{"a p_x f_own: 1 3 3"}},
		{"terms:\n  a: p_x * f_x\n  b: a + p_y * f_y\nexpression: b\n", []string{"a p_x f_x: 2 6 6", "b p_y f_y: 2 6 6"}},
		{"terms:\n  a: p_x * f_x\n  b: p_y * f_y\n  c: max(a, 3 * b)\nexpression: f_w * c\n", []string{"a p_x f_x: 2 12 0", "b p_y f_y: 2 36 36"}},
		{"terms:\n  a: p_x * f_x\n  b: p_y * f_y\nexpression: pnorm(a, b, 2)\n", []string{"a p_x f_x: 2 6 4.243", "b p_y f_y: 2 6 4.243"}},
		{"terms:\n  a: p_x * f_w * (f_x + f_y)\nexpression: a\n", []string{"a p_x f_x * f_w: 4 12 12", "a p_x f_y * f_w: 4 12 12"}},
		{"expression: p_x * f_x\n", []string{"time p_x f_x: 2 6 6"}},
		// The smaller cost of an overlap is hidden.
		{"expression: overlap(p_x * f_x, 2 * p_y * f_y, 9)\n", []string{"time p_x f_x: 2 6 0", "time p_y 2 * f_y: 4 12 11.99"}},
		// No products of a parameter and work.
		{"terms:\n  a: p_x * f_x + 1\nexpression: a\n", []string{"a p_x f_x: 2 6 6", "a  1: 0 1 1"}},
		{"terms:\n  a: p_x * p_y * f_x\nexpression: a\n", []string{"a p_x f_x * p_y: 6 18 18"}},
		{"terms:\n  a: p_x * f_x * min(1, max(0, f_y / p_y - 0.5))\nexpression: a\n", []string{"a p_x min(1, max(0, f_y / p_y - 0.5)) * f_x: 0.3333 1 1"}},
		{"terms:\n  a: f_x\nexpression: a + p_x\n", []string{"a  f_x: 0 2 2", "time p_x 1: 1 3 3"}},
		{"expression: p_x * f_x / (1 + p_x * f_x)\n", []string{"time  p_x * f_x / (1 + p_x * f_x): 0 0.8571 0.8571"}},
	} {
		m, err := Parse("m.yaml", []byte("version: 1\nname: m\noutput: f_t\n"+c.text))
		if err != nil {
			t.Fatal(err)
		}
		values := func(names []string, v float64) map[string]float64 {
			out := map[string]float64{}
			for _, n := range names {
				out[n] = v
			}
			return out
		}
		var got []string
		parts, _ := m.Split(values(m.FeatureNames(), 2), values(m.ParameterNames(), 3))
		for _, k := range parts {
			got = append(got, fmt.Sprintf("%s %s %s: %.4g %.4g %.4g", k.Term, k.Parameter, k.Work, k.Count, k.Alone, k.Within))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.text, diff)
		}
	}
}

// A term without costs is a number by which others are multiplied: no part, no time, and joined by none.
func TestFactors(t *testing.T) {
	m, err := Parse("m.yaml", []byte(`
version: 1
name: m
output: f_cl_wall_time
terms:
  beyond: step((f_x - p_cache) / (f_x + p_cache), p_edge)
  dram: (p_read * f_x + p_write * f_y) * beyond
  wait: p_round * f_y * beyond + p_alone * dram
  fixed: 3.0e-6 * f_y
expression: pnorm(dram, wait, p_norm) + fixed
`))
	if err != nil {
		t.Fatal(err)
	}
	for term, want := range map[string][3]bool{"beyond": {true, false, false}, "dram": {}, "wait": {false, false, true}, "fixed": {}} {
		if got := [3]bool{m.Factor(term), m.Joint(term), len(m.Joins(term)) > 0}; got != want {
			t.Errorf("%s is a factor, joint, joins others: %v, want %v", term, got, want)
		}
	}
	parts, within := m.Split(map[string]float64{"f_x": 3, "f_y": 2},
		map[string]float64{"p_cache": 1, "p_edge": 2, "p_read": 1, "p_write": 2, "p_round": 1, "p_alone": 0.5, "p_norm": 2})
	if _, found := within["beyond"]; found {
		t.Error("beyond has a part of the time")
	}
	for _, p := range parts {
		if p.Term == "beyond" || p.Parameter == "" && p.Term != "fixed" {
			t.Errorf("part of %s, by %q: %s", p.Term, p.Parameter, p.Work)
		}
	}
}

// Under forms that are monotone in their costs, and under overlap, no part is negative, and the parts add up to the value.
func TestPartsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms, parameters := []string{}, 0
		var expression func(depth int) string
		expression = func(depth int) string {
			kind := rapid.IntRange(0, 6).Draw(t, "kind")
			if depth == 0 {
				kind = 0
			}
			two := func(format string) string { return fmt.Sprintf(format, expression(depth-1), expression(depth-1)) }
			switch kind {
			case 1:
				return two("(%s + %s)")
			case 2:
				return two("max(%s, %s)")
			case 3:
				return two("pnorm(%s, %s, 3)")
			case 4:
				return two("overlap(%s, %s, 7)")
			case 5:
				return "f_x * " + expression(depth-1)
			case 6:
				of := expression(depth - 1) // which adds terms of its own first
				name := fmt.Sprintf("t%d", len(terms))
				terms = append(terms, fmt.Sprintf("  %s: %s\n", name, of))
				return name
			}
			parameters++
			return fmt.Sprintf("p_%d * (f_x + %d * f_y)", parameters, parameters)
		}
		text := "expression: " + expression(4) + "\n"
		if len(terms) > 0 {
			text = "terms:\n" + strings.Join(terms, "") + text
		}
		m, err := Parse("m.yaml", []byte("version: 1\nname: m\noutput: f_t\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		c, err := m.Compile()
		if err != nil {
			t.Fatal(err)
		}
		draw := func(names []string) (map[string]float64, []float64) {
			at, list := map[string]float64{}, []float64{}
			for _, n := range names {
				at[n] = rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(1e-30, 10)).Draw(t, n) // whose products are no denormals
				list = append(list, at[n])
			}
			return at, list
		}
		features, x := draw(c.Features)
		params, p := draw(c.Parameters)
		parts, within := m.Split(features, params)
		sum, of := 0.0, map[string]float64{}
		for _, part := range parts {
			if part.Within < 0 || part.Within > part.Alone*(1+1e-9) {
				t.Errorf("%s: %+v", text, part)
			}
			sum += part.Within
			of[part.Term] += part.Within
		}
		if want := c.Eval(x, p); math.Abs(sum-want) > 1e-9*want {
			t.Errorf("%s: the parts are %g of %g", text, sum, want)
		}
		for _, term := range m.Terms {
			if len(m.Joins(term.Name)) == 0 && math.Abs(within[term.Name]-of[term.Name]) > 1e-9*sum {
				t.Errorf("%s: %s has %g, its costs %g", text, term.Name, within[term.Name], of[term.Name])
			}
		}
	})
}

// Of a choice, the side that its condition takes is divided.
func TestSplitChoice(t *testing.T) {
	m := modelOf(t, "p_l + (f_x < 10 ? p_a * f_x : p_b * f_x + p_c * f_y)")
	params := map[string]float64{"p_l": 1, "p_a": 2, "p_b": 3, "p_c": 4}
	for x, want := range map[float64]string{
		5:  "p_l=1 p_a=10",
		20: "p_l=1 p_b=60 p_c=8",
	} {
		parts, _ := m.Split(map[string]float64{"f_x": x, "f_y": 2}, params)
		var got []string
		for _, p := range parts {
			got = append(got, fmt.Sprintf("%s=%g", p.Parameter, p.Within))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("at %g: %v, want %s", x, got, want)
		}
	}
	if !m.Linear() {
		t.Error("a choice by features is not linear in its parameters")
	}
	if modelOf(t, "f_x < p_a ? p_b : 1").Linear() {
		t.Error("a choice by a parameter is linear")
	}
}
