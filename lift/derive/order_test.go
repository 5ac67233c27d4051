package derive

import (
	"math"
	"math/rand"
	"testing"

	"gpuperf/kernel/interp"
	"gpuperf/lift"
	"gpuperf/lift/lower"
)

// A reduction whose function is not associative, whose first operand is not neutral, is a fold from the left in one
// work-item: its variants, interpreted, give what a loop does, and what a reduction of parts would not.
func TestReductionsInOrder(t *testing.T) {
	const minus = "def f(a: float32, b: float32): float32 = a - b\n"
	sub := func(a, x float64) float64 { return a - x }
	for _, c := range []struct {
		def, body string
		n         int64
		first     float64
		step      func(a, x float64) float64
	}{
		{def: minus, body: "reduce(f, 0.0f) $ xs", n: 64, step: sub},
		{def: minus, body: "reduce(f, 0.0f) o map(fun(x => x * 2.0f)) $ xs", n: 64, step: func(a, x float64) float64 { return a - 2*x }},
		{body: "reduce(fun(a, x => x - a), 1.0f) $ xs", n: 63, first: 1, step: func(a, x float64) float64 { return x - a }},
		{body: "reduce(fun(a, x => a * 0.5f + x), 0.0f) $ xs", n: 16, step: func(a, x float64) float64 { return a/2 + x }},
		{body: "reduce(+, 1.0f) $ xs", n: 64, first: 1, step: func(a, x float64) float64 { return a + x }},
	} {
		p := parsed(t, "program p\nsize n\n"+c.def+"fun(xs: [float32]n => "+c.body+")")
		sizes := map[string]int64{"n": c.n}
		result, err := Derive(p, Options{Sizes: sizes})
		if err != nil || len(result.Variants) == 0 {
			t.Fatalf("%s: %v, %+v", c.body, err, result)
		}
		rng := rand.New(rand.NewSource(5))
		xs, values, list := interp.NewBuffer("float32", int(c.n)), lift.Values{}, []float64{}
		for i := range int(c.n) {
			k := rng.Intn(64)
			list = append(list, float64(k))
			values = append(values, lift.Exact(int64(k), 1))
			xs.Set(i, list[i])
		}
		fold := func(a float64, list []float64) float64 {
			for _, x := range list {
				a = c.step(a, x)
			}
			return a
		}
		want := fold(c.first, list)
		// Halves folded apart, as parts would be: only for functions such as + is that the same.
		halves := fold(c.first, []float64{fold(c.first, list[:c.n/2]), fold(c.first, list[c.n/2:])})
		if want == halves {
			t.Errorf("%s: halves give the same, %g", c.body, want)
		}
		meaning, err := lift.Eval(p, sizes, []lift.Value{values}, lift.EvalOptions{})
		if err != nil {
			t.Fatal(err)
		}
		expect := lift.Values{lift.Num{Float: want}}
		if err := lift.Same(meaning, expect, 1e-12); err != nil {
			t.Errorf("%s: the program: %v", c.body, err)
		}
		for _, v := range result.Variants {
			l, err := lower.Lower(v.Program, lower.Options{Sizes: sizes})
			if err != nil {
				t.Fatalf("%s: %v", c.body, err)
			}
			out := interp.NewBuffer("float32", 1)
			if _, err := interp.RunProgram(l.Program, nil, map[string]*interp.Buffer{"xs": xs, "out": out}); err != nil {
				t.Fatalf("%s: %v", c.body, err)
			}
			if got := out.At(0); math.Abs(got-want) > 1e-6*math.Abs(want) {
				t.Errorf("%s: %s gives %g, not %g", c.body, v.Program.BodyText(), got, want)
			}
		}
	}
}
