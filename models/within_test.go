package models

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The values of an expression, and how it grows, are in the ranges that those of its features give.
func TestWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := modelOf(t, drawExpr(t, 4).String())
		c, err := m.Compile()
		if err != nil {
			t.Fatal(err)
		}
		values := drawValues(t)
		var params, x []float64
		var features []Range
		for _, name := range c.Parameters {
			params = append(params, values[name])
		}
		for _, name := range c.Features {
			r := Range{values[name], values[name] * rapid.SampledFrom([]float64{1, 1.5, 20, math.Inf(1)}).Draw(t, "up to")}
			features, x = append(features, r), append(x, min(r[0]+rapid.Float64Range(0, 40).Draw(t, "more"), r[1]))
		}
		holds := func(what string, v float64, r Range) {
			if slack := 1e-9 * math.Abs(v); v < r[0]-slack || v > r[1]+slack {
				t.Fatalf("%s of %s at %v is %v, not in %v for features in %v", what, m.Expr(), x, v, r, features)
			}
		}
		holds("the value", c.Eval(x, params), c.Within(features, params))
		within := m.GrowthWithin()(features, params)
		for i, v := range m.Growth()(x, params) {
			holds("the growth", v, within[i])
		}
	})
}

// modelOf is the model of an expression.
func modelOf(t interface{ Fatal(...any) }, expression string) *Model {
	m, err := Parse("m.yaml", []byte("version: 1\nname: m\noutput: f_t\nexpression: \""+expression+"\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Of costs that only grow with their features the range is exact.
func TestWithinExact(t *testing.T) {
	for _, c := range []struct {
		expression string
		want       Range // for f_x from 1 to 3 and f_y of 2 or more
	}{
		{"p_a * f_x + 1", Range{3, 7}},
		{"max(p_a * f_x, f_y)", Range{2, math.Inf(1)}},
		{"pnorm(3 * f_x, 2 * f_y, 2)", Range{5, math.Inf(1)}},
		{"min(f_x, f_y)", Range{1, 3}},
		{"f_x / f_y", Range{0, 1.5}},
		{"ceil(f_x / 2) ** 2", Range{1, 4}},
		{"f_y - f_x", Range{-1, math.Inf(1)}},
		{"sin(f_x)", anything},
		{"1 / (f_x - 2)", anything},
	} {
		m := modelOf(t, c.expression)
		compiled, err := m.Compile()
		if err != nil {
			t.Fatal(err)
		}
		ranges := map[string]Range{"f_x": {1, 3}, "f_y": {2, math.Inf(1)}}
		var features []Range
		for _, name := range compiled.Features {
			features = append(features, ranges[name])
		}
		var params []float64
		if slices.Contains(compiled.Parameters, "p_a") {
			params = []float64{2}
		}
		got := compiled.Within(features, params)
		for i := range got {
			if got[i] != c.want[i] && math.Abs(got[i]-c.want[i]) > 1e-12 {
				t.Errorf("%s: %v, want %v", c.expression, got, c.want)
			}
		}
	}
}
