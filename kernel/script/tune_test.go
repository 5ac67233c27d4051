package script_test

import (
	"errors"
	"strings"
	"testing"

	"gpuperf/kernel/script"
)

const tuned = `
bm = lp.tunable("bm", [16, 32])
kind = lp.tunable("kind", ["plain", "wide"])
wide = lp.tunable("lanes", [2, 4]) if kind == "wide" else 1
deep = lp.tunable("deep", [False, True])
lp.constraint("bm < 32 or not deep > 0")
knl = lp.make_kernel("{ [i]: 0 <= i < 64 }", "b[i] = 2*a[i]", [lp.GlobalArg("a, b", "float32", shape="64")])
knl = lp.split_iname(knl, "i", bm, outer_tag="g.0", inner_tag="l.0")
`

// Choices of a script are found one after the other, those behind conditions only where these hold.
func TestOpen(t *testing.T) {
	for _, c := range []struct{ chosen, want string }{
		{"", "bm: 16 32"},
		{"bm=16", "kind: plain wide"},
		{"bm=16 kind=plain", "deep: False True"},
		{"bm=16 kind=wide", "lanes: 2 4"},
		{"bm=16 kind=wide lanes=4 deep=True", ""},
		{"bm=32 kind=plain deep=True", "the values do not go together"},
		{"bm=8", "bm cannot be 8"},
	} {
		chosen := map[string]string{}
		for _, word := range strings.Fields(c.chosen) {
			name, value, _ := strings.Cut(word, "=")
			chosen[name] = value
		}
		open, _, err := script.Options{Tuned: chosen}.Open(t.Context(), "k.star", tuned)
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case open != nil:
			got = open.Name + ": " + strings.Join(open.Values, " ")
		}
		if !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %s, want %s", c.chosen, got, c.want)
		}
	}
	if _, _, err := (script.Options{Tuned: map[string]string{"bm": "32", "deep": "True"}}).Open(t.Context(), "k.star", strings.Replace(tuned, `kind = `, `kind = "plain" or `, 1)); !errors.Is(err, script.ErrUnfit) {
		t.Errorf("%v, want ErrUnfit", err)
	}
}

// A script has its first values where nothing is chosen, and others where they are.
func TestTuned(t *testing.T) {
	key := func(o script.Options, text string) string {
		variants, err := o.Exec(t.Context(), "k.star", text)
		if err != nil {
			t.Fatal(err)
		}
		return variants[0].Kernel.Key()
	}
	for value, chosen := range map[string]map[string]string{"16": nil, "32": {"bm": "32"}} {
		text := strings.Replace(tuned, `lp.tunable("bm", [16, 32])`, value, 1)
		text = strings.Replace(text, `lp.constraint("bm < 32 or not deep > 0")`, "", 1)
		if got, want := key(script.Options{Tuned: chosen}, tuned), key(script.Options{}, text); got != want {
			t.Errorf("%v is not the kernel with bm = %s", chosen, value)
		}
	}
}

func TestTuningMistakes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`x = lp.tunable("x y", [1])`, `k.star:1:16: tunable: "x y" cannot be the name of a tunable`},
		{`x = lp.tunable("x", [])`, "at least one value"},
		{`x = lp.tunable("x", [1, 1])`, "1 is given twice"},
		{`x = lp.tunable("x", [1.5])`, "values are integers, True, False or words, found float 1.5"},
		{`x = lp.tunable("x", 3)`, "expected a list of values, found int 3"},
		{"x = lp.tunable(\"x\", [1])\nx = lp.tunable(\"x\", [1])", "there is a tunable x already"},
		{"x = lp.tunable(\"x\", [1])\nlp.constraint(\"y < 2\")", "there is no tunable y before this"},
		{"x = lp.tunable(\"x\", [\"a\"])\nlp.constraint(\"x < 2\")", "x is no number"},
		{"x = lp.tunable(\"x\", [1])\nlp.constraint(\"x + 2\")", "a condition is needed here"},
		{"x = lp.tunable(\"x\", [1])\nlp.constraint(\"x <\")", "k.star:2:"},
		{"x = lp.tunable(\"x\", [3])\nlp.constraint(\"x < 2\")", "the values do not go together: x < 2 does not hold"},
	} {
		_, err := script.Options{}.Module(t.Context(), "k.star", c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}
