package derive

import (
	"math/rand"
	"strings"
	"testing"

	"gpuperf/lift"
	"gpuperf/lift/rules"
)

func parsed(t *testing.T, text string) *lift.Program {
	t.Helper()
	p, err := lift.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Programs that iterate have variants of their iterations written out, which mean the same and replay.
func TestIterations(t *testing.T) {
	sizes := map[string]int64{"n": 64}
	for _, c := range []struct{ body, some string }{
		{"iterate(0, map(fun(x => x * 2.0f))) o map(fun(x => x + 1.0f)) $ xs", "mapGlb(0, fun(x1 => x1 + 1.0f))"},
		{"iterate(3, map(fun(x => x * 2.0f))) $ xs", "mapGlb(0, fun(x1 => x1 * 2.0f * 2.0f * 2.0f))"},
		{"iterate(2, fun(ys => map(fun(w => at(0) o reduce(+, 0) $ w)) o slide(3, 1) o pad(1, 1, clamp) $ ys)) $ xs", "mapGlb(0, at(0) o reduceSeq(+, 0.0f)) o slide(3, 1) o pad(1, 1, clamp) o mapGlb(0"},
		{"iterate(3, fun(ys => join o map(reduce(+, 0)) o split(2) $ ys)) $ xs", "split(2) o join o mapGlb(0"},
	} {
		p := parsed(t, "program it\nsize n\nassume 8 | n\nfun(xs: [float32]n => "+c.body+")")
		result, err := Derive(p, Options{Count: 20, Seed: 1, Sizes: sizes})
		if err != nil {
			t.Fatal(err)
		}
		at, err := p.AtSizes(sizes)
		if err != nil {
			t.Fatal(err)
		}
		inputs := []lift.Value{randomValue(rand.New(rand.NewSource(3)), at.Inputs[0].Type)}
		want, err := lift.Eval(p, sizes, inputs, lift.EvalOptions{})
		if err != nil {
			t.Fatal(err)
		}
		some := false
		for _, v := range result.Variants {
			some = some || strings.Contains(v.Program.BodyText(), c.some)
			if _, err := v.Derivation(p).Replay(rules.Options{At: []map[string]int64{sizes}}); err != nil {
				t.Errorf("%s: %v", v.Recipe, err)
			}
			got, err := lift.Eval(v.Program, sizes, inputs, lift.EvalOptions{})
			if err == nil {
				err = lift.Same(got, want, 0)
			}
			if err != nil || v.Program.Body.Ops().Has(lift.Iterate) {
				t.Errorf("%s, %v: %s\n%v", v.Recipe, v.Numbers, v.Program.BodyText(), err)
			}
		}
		if !some {
			t.Errorf("%s: no variant with %s, but %s", c.body, c.some, result.Variants[0].Program.BodyText())
		}
	}
}

// What is not derived says what is missing.
func TestNoRecipe(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"let(s = reduce(+, 0) $ xs, map(fun(x => x / at(0, s))) $ xs)", "variants of a let around maps are not derived"},
		{"iterate(30, map(fun(x => x * 2.0f))) $ xs", "at most 16 iterations are written out"},
		{"padConst(1, 1, 0.0f) o map(fun(x => x * 2.0f)) $ xs", "variants of padConst around maps are not derived"},
		{"pad(1, 1, wrap) o map(fun(x => x * 2.0f)) $ xs", "variants of pad around maps are not derived"},
		{"gather(reverse) $ xs", "neither maps nor a reduction stand where variants begin"},
	} {
		_, err := Derive(parsed(t, "program p\nsize n\nfun(xs: [float32]n => "+c.body+")"), Options{Sizes: map[string]int64{"n": 64}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.body, err)
		}
	}
}
