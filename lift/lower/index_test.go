package lower

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/internal/intmath"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// TestIndexArithmetic: quotients, remainders and clamps of random indices are what they are at every point, within the
// range that is stated, also after variables are replaced by what they stand for.
func TestIndexArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &indexer{spans: map[string]span{"a": {0, 3}, "b": {0, 5}, "g": {0, 1}, "l": {0, 2}}}
		stands := map[string]polycount.Affine{"b": polycount.Name("g").Scale(3).Add(polycount.Name("l"))}
		at := map[string]int64{"a": 0, "g": 0, "l": 0}
		type testCase struct {
			i    index
			eval func() int64
		}
		b := func() int64 { return 3*at["g"] + at["l"] }
		list := []testCase{
			{r.affine(polycount.Name("a")), func() int64 { return at["a"] }},
			{r.affine(polycount.Name("b")), b},
		}
		for n := range 6 {
			x := list[rapid.IntRange(0, len(list)-1).Draw(t, fmt.Sprint("x", n))]
			y := list[rapid.IntRange(0, len(list)-1).Draw(t, fmt.Sprint("y", n))]
			c := int64(rapid.IntRange(1, 12).Draw(t, fmt.Sprint("c", n)))
			var e testCase
			switch rapid.SampledFrom([]string{"add", "scale", "int", "div", "mod", "clamp", "div", "mod"}).Draw(t, fmt.Sprint("op", n)) {
			case "add":
				e = testCase{r.add(x.i, y.i), func() int64 { return x.eval() + y.eval() }}
			case "scale":
				e = testCase{r.scale(x.i, c-4), func() int64 { return (c - 4) * x.eval() }}
			case "int":
				e = testCase{r.addInt(x.i, c-6), func() int64 { return x.eval() + c - 6 }}
			case "div":
				e = testCase{r.div(x.i, c), func() int64 { return intmath.FloorDiv(x.eval(), c) }}
			case "mod":
				e = testCase{r.mod(x.i, c), func() int64 { return x.eval() - c*intmath.FloorDiv(x.eval(), c) }}
			case "clamp":
				e = testCase{r.clamp(x.i, 0, c), func() int64 { return min(max(x.eval(), 0), c) }}
			}
			list = append(list, e)
		}
		last := list[len(list)-1]
		for at["a"] = range int64(4) {
			for at["g"] = range int64(2) {
				for at["l"] = range int64(3) {
					point := map[string]int64{"a": at["a"], "g": at["g"], "l": at["l"], "b": b()}
					v, err := expr.EvalInt(last.i.expr(), point)
					if err != nil {
						t.Fatal(err)
					}
					want := last.eval()
					if v.Int64() != want || want < last.i.lo || want > last.i.hi {
						t.Fatalf("%s is %d in %d .. %d at %v, want %d", last.i.expr(), v, last.i.lo, last.i.hi, point, want)
					}
					if last.i.e != nil {
						continue
					}
					if got, err := r.resolve(last.i.a, stands).Eval(point); err != nil || got != want {
						t.Fatalf("%s resolved is %d (%v) at %v, want %d", last.i.a, got, err, point, want)
					}
				}
			}
		}
	})
}

// TestCancelled: split and join leave nothing behind.
func TestCancelled(t *testing.T) {
	r := &indexer{spans: map[string]span{"i": {0, 99}, "j": {0, 3}}}
	i, j := r.affine(polycount.Name("i")), r.affine(polycount.Name("j"))
	both := r.add(r.scale(i, 4), j)
	for want, x := range map[string]index{
		"i":              r.div(both, 4),
		"j":              r.mod(both, 4),
		"4*i + j":        r.add(r.scale(r.div(both, 4), 4), r.mod(both, 4)),
		"i // 8":         r.div(both, 32),
		"i - 5*(i // 5)": r.mod(r.div(both, 4), 5),
		"0":              r.div(both, 400),
	} {
		if got := x.expr().String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
