package derive

import (
	"math/rand"
	"slices"
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

// checkVariants derives some variants, all of which mean the same as the program on the first inputs and replay.
func checkVariants(t *testing.T, p *lift.Program, sizes map[string]int64) *Result {
	t.Helper()
	result, err := Derive(p, Options{Count: 20, Seed: 1, Sizes: sizes})
	if err != nil {
		t.Fatal(err)
	}
	at, err := p.AtSizes(sizes)
	if err != nil {
		t.Fatal(err)
	}
	var inputs []lift.Value
	for _, in := range at.Inputs {
		inputs = append(inputs, randomValue(rand.New(rand.NewSource(3)), in.Type))
	}
	want, err := lift.Eval(p, sizes, inputs, lift.EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range result.Variants {
		if _, err := v.Derivation(p).Replay(rules.Options{At: []map[string]int64{sizes}}); err != nil {
			t.Errorf("%s: %v", v.Recipe, err)
		}
		got, err := lift.Eval(v.Program, sizes, inputs, lift.EvalOptions{})
		if err == nil {
			err = lift.Same(got, want, 0)
		}
		if err != nil {
			t.Errorf("%s, %v: %s\n%v", v.Recipe, v.Numbers, v.Program.BodyText(), err)
		}
	}
	return result
}

// Results of several parts, and those that nothing computes, have variants of all parts.
func TestWhole(t *testing.T) {
	const after = "def after(f: (float32, float32), g: (float32, float32)): (float32, float32) = f[0] * g[0], g[0] * f[1] + g[1]\n associative\n neutral tuple(1.0f, 0.0f)\n"
	for _, c := range []struct{ body, some string }{
		{"let(s = reduce(+, 0) $ xs, map(fun(x => x - at(0, s))) $ xs)", "let(x1 = "},
		{"tuple(map(neg) $ xs, reduce(+, 0) $ xs)", "tuple("},
		{"tuple(map(neg) $ xs, map(abs) $ xs)", "unzip o "},
		{"padConst(1, 1, 0.0f) o map(neg) $ xs", "let(x1 = "},
		{"pad(1, 1, wrap) o map(neg) $ xs", "o pad(1, 1, wrap) $ xs"},
		{"slide(4, 2) o pad(1, 1, clamp) o map(neg) $ xs", "o slide(4, 2) o pad(1, 1, clamp) $ xs"},
		{"transpose o split(8) $ xs", "transpose o "},
		{"map(sqrt) o reduce(+, 0) o map(fun(x => x * x)) $ xs", "let(x1 = reduceSeq(+, 0.0f) o join o mapGlb(0, "},
		{"map(fun(x => x * 2.0f)) o scan(+, 0) $ xs", "let(x1 = join o mapGlb(0, "},
		{"map(fun(x => x * 2.0f)) o drop(1) o scan(+, 0) $ xs", ") o drop(1) $ x1)"},
		{"take(n - 1) o map(get(1)) o scan(after, tuple(1.0f, 0.0f)) $ zip(xs, xs)", " o take(n - 1) o map(get(1)) $ x1)"},
		{"get(1) o unzip o scan(after, tuple(1.0f, 0.0f)) $ zip(xs, xs)", " o get(1) o unzip $ x1)"},
		{"join $ generate(n, fun(j => reduce(+, 0) o map(fun(x => x * at(j, xs))) $ xs))", "mapGlb(0, fun(x1 => reduceSeq("},
		{"gather(reverse) $ xs", "gather(reverse) o "},
	} {
		result := checkVariants(t, parsed(t, "program it\nsize n\nassume 8 | n\n"+after+"fun(xs: [float32]n => "+c.body+")"), map[string]int64{"n": 64})
		if len(result.Variants) < 20 || !slices.ContainsFunc(result.Variants, func(v *Variant) bool { return strings.Contains(v.Program.BodyText(), c.some) }) {
			t.Errorf("%s: %d variants, none with %s; the first is %s", c.body, len(result.Variants), c.some, result.Variants[0].Program.BodyText())
		}
	}
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
		result := checkVariants(t, p, sizes)
		some := slices.ContainsFunc(result.Variants, func(v *Variant) bool { return strings.Contains(v.Program.BodyText(), c.some) })
		if slices.ContainsFunc(result.Variants, func(v *Variant) bool { return v.Program.Body.Ops().Has(lift.Iterate) }) {
			t.Errorf("%s: an iterate is left", c.body)
		}
		if !some {
			t.Errorf("%s: no variant with %s, but %s", c.body, c.some, result.Variants[0].Program.BodyText())
		}
	}
}

// What is not derived says what is missing.
func TestNoRecipe(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"iterate(30, map(fun(x => x * 2.0f))) $ xs", "at most 16 iterations are written out"},
		{"at(0) o reduce(+, 0) $ xs", "neither maps nor a reduction stand where variants begin"},
	} {
		_, err := Derive(parsed(t, "program p\nsize n\nfun(xs: [float32]n => "+c.body+")"), Options{Sizes: map[string]int64{"n": 64}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.body, err)
		}
	}
}
