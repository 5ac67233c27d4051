package expr_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/internal/source"
	"gpuperf/kernel/expr"
)

func TestParseSizes(t *testing.T) {
	at := map[string]int64{"n": 100, "m": 7, "max_n": 3}
	for text, want := range map[string]string{
		"n // 16 * 16":                   "96",
		"cdiv(n, 16)":                    "7",
		"n > 64 ? n // 64 : 1":           "1",
		"n>64 and m != 7 ? 1 : m==7?2:3": "2",
		"max(n, m, 200) - min(n, m)":     "193",
		"maximum(n, m) % max_n":          "1",
		"-7 // 2":                        "-4",
		"-(7) % 4":                       "1",
		"1_000 + 0x10 - -5":              "1021",
		"not n > 100 ? 1 : 0":            "1",
		"1 < m < 8 == 8 ? 1 : 0":         "1",
		"n ^ 2":                          "unexpected ^\n    n ^ 2\n      ^\n    powers are written a ** b",
		"ceil(n / 16)":                   "unknown function ceil\n    ceil(n / 16)\n    ^\n    cdiv(a, b) is a quotient rounded up",
		"cdiv(n)":                        "cdiv takes 2 operands, not 1\n    cdiv(n)\n    ^",
		"n if n > 1 else 2":              "an operator is missing between \"n\" and \"if\"\n    n if n > 1 else 2\n      ^\n    operators are + - * / ** < <= > >= == != and or, and c ? a : b",
		"end + 1":                        "end has a meaning of its own in kernels\n    end + 1\n    ^\n    a choice is written c ? a : b",
		"99999999999999999999":           "integer literal 99999999999999999999 does not fit in 64 bits\n    99999999999999999999\n    ^",
		"n + (n > 1)":                    "a number is needed here, and this is a condition\n    n + (n > 1)\n         ^\n    a condition chooses between numbers: a < b ? 1 : 0",
	} {
		got := ""
		if e, err := expr.ParseSizes(text); err != nil {
			_, got, _ = strings.Cut(err.Error(), ": ")
		} else if v, err := expr.EvalInt(e, at); err != nil {
			got = source.Message(err)
		} else {
			got = v.String()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// sizeText draws the text of an expression in sizes that instructions may have too, and of a condition.
func sizeText(t *rapid.T, depth int, condition bool) string {
	sub := func() string { return sizeText(t, depth-1, false) }
	blank := rapid.SampledFrom([]string{"", " "}).Draw(t, "blank")
	among := func(list ...string) string { return blank + rapid.SampledFrom(list).Draw(t, "one") + blank }
	switch {
	case condition && depth > 1:
		two := func() string { return sizeText(t, depth-1, true) }
		switch rapid.IntRange(0, 4).Draw(t, "condition") {
		case 0:
			return two() + " and " + two()
		case 1:
			return two() + " or " + two()
		case 2:
			return "not " + two()
		case 3:
			return "(" + two() + ")"
		}
		return sub() + among("<", "<=", ">", ">=", "==", "!=") + sub() + among("<", "==") + sub()
	case condition:
		return sub() + among("<", "<=", ">", ">=", "==", "!=") + sub()
	case depth <= 0:
		return strings.TrimSpace(among("n", "m", "k", "1", "2", "17"))
	}
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		return "(" + sub() + ")"
	case 1:
		return "-" + blank + sub()
	case 2:
		return among("min", "max", "minimum", "maximum") + "(" + sub() + "," + blank + sub() + ")"
	}
	return sub() + among("+", "-", "*", "//", "%") + sub()
}

// The same text means the same in a launch file and in a kernel.
func TestSizesAsInstructions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		condition := rapid.Bool().Draw(t, "holds")
		text := sizeText(t, 4, condition)
		in, err := expr.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		parse := expr.ParseSizes
		if condition {
			parse = expr.ParseCondition
		}
		of, err := parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		value := func(e expr.Expr, at map[string]int64) string {
			if condition {
				v, err := expr.Holds(e, at)
				return fmt.Sprint(v, err != nil)
			}
			v, err := expr.EvalInt(e, at)
			return fmt.Sprint(v, err != nil)
		}
		in = expr.Rewrite(in, expr.Extremes)
		for range 5 {
			at := map[string]int64{}
			for _, name := range []string{"n", "m", "k"} {
				at[name] = rapid.Int64Range(-20, 20).Draw(t, name)
			}
			if a, b := value(in, at), value(of, at); a != b {
				t.Fatalf("%s at %v: %s in a kernel, %s in a file", text, at, a, b)
			}
		}
		if back, err := expr.Parse(of.String()); err != nil || value(expr.Rewrite(back, expr.Extremes), map[string]int64{"n": 5, "m": 3, "k": 2}) != value(of, map[string]int64{"n": 5, "m": 3, "k": 2}) {
			t.Fatalf("%s is printed %s: %v", text, of, err)
		}
	})
}
