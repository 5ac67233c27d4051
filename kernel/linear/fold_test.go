package linear

import (
	"testing"

	"pgregory.net/rapid"

	"gpuperf/internal/intmath"
	"gpuperf/polycount"
)

func parsedAffine(t *testing.T, text string) polycount.Affine {
	t.Helper()
	a, err := polycount.ParseAffine(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestFold(t *testing.T) {
	r := ranges{"one": {0, 0}, "x": {0, 15}, "i": {0, 3}, "j": {2, 2}}
	for _, c := range [][2]string{
		{"n + one", "n"},
		{"n + 8*j", "n + 16"},
		{"floor((15 - x)/16)", "0"},
		{"floor((17 - x)/16)", "floor((17 - x)/16)"},
		{"x - 16*floor(x/16)", "x"},
		{"floor((4*y + i)/16)", "floor(y/4)"},
		{"floor((4*x + i)/64)", "0"},
		{"floor((4*y + x)/16)", "floor((4*y + x)/16)"},
		{"floor((n + floor(x/16))/2)", "floor(n/2)"},
		{"4611686018427387904*x + one", "4611686018427387904*x"},
	} {
		if got, want := r.fold(parsedAffine(t, c[0])), parsedAffine(t, c[1]); !got.Equal(want) {
			t.Errorf("%s folds to %s, want %s", c[0], got, want)
		}
	}
}

func TestFoldedBounds(t *testing.T) {
	r := ranges{"one": {0, 0}, "x": {0, 1}}
	for _, c := range []struct {
		num     string
		den     int64
		up      bool
		wantNum string
		wantDen int64
	}{
		{"1 - x", 2, false, "0", 1},
		{"1 + x", 2, true, "1", 1},
		{"2 - x", 2, false, "2 - x", 2}, // 1 - x has the same values
		{"2*n + one", 2, false, "2*n", 2},
		{"x + one", 1, false, "x", 1},
	} {
		got := r.bound(polycount.Bound{Num: parsedAffine(t, c.num), Den: c.den}, c.up)
		if !got.Num.Equal(parsedAffine(t, c.wantNum)) || got.Den != c.wantDen {
			t.Errorf("(%s)/%d folds to (%s)/%d, want (%s)/%d", c.num, c.den, got.Num, got.Den, c.wantNum, c.wantDen)
		}
	}
}

// Folded expressions and bounds have the values of the original ones everywhere in the ranges.
func TestFoldedValues(t *testing.T) {
	names := []string{"x", "y", "z"}
	var expression func(t *rapid.T, depth int) polycount.Affine
	expression = func(t *rapid.T, depth int) polycount.Affine {
		a := polycount.Int(rapid.Int64Range(-20, 20).Draw(t, "constant"))
		for _, name := range names {
			a = a.AddScaled(rapid.SampledFrom([]int64{-5, -4, -1, 0, 0, 1, 2, 4, 8, 16}).Draw(t, "coefficient"), polycount.Name(name))
		}
		if depth > 0 && rapid.Bool().Draw(t, "floor") {
			den := rapid.SampledFrom([]int64{2, 3, 4, 8, 16}).Draw(t, "divisor")
			a = a.AddScaled(rapid.Int64Range(-3, 3).Draw(t, "of"), expression(t, depth-1).FloorDiv(den))
		}
		return a
	}
	rapid.Check(t, func(t *rapid.T) {
		known, all := ranges{}, ranges{}
		for _, name := range names {
			lo := rapid.Int64Range(-3, 3).Draw(t, "first")
			all[name] = interval{lo, lo + rapid.SampledFrom([]int64{0, 1, 3, 7}).Draw(t, "more")}
			if rapid.IntRange(0, 3).Draw(t, "known") > 0 {
				known[name] = all[name]
			}
		}
		a := expression(t, 2)
		bound := polycount.Bound{Num: a, Den: rapid.SampledFrom([]int64{1, 2, 4, 16}).Draw(t, "divisor")}
		folded, low, high := known.fold(a), known.bound(bound, true), known.bound(bound, false)
		x, ranged := known.of(a)
		at := map[string]int64{}
		value := func(a polycount.Affine) int64 {
			v, err := a.Eval(at)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		var visit func(rest []string)
		visit = func(rest []string) {
			if len(rest) > 0 {
				for at[rest[0]] = all[rest[0]].lo; at[rest[0]] <= all[rest[0]].hi; at[rest[0]]++ {
					visit(rest[1:])
				}
				return
			}
			v := value(a)
			if got := value(folded); got != v {
				t.Fatalf("%s is %d at %v, folded %s is %d", a, v, at, folded, got)
			}
			if ranged && (v < x.lo || v > x.hi) {
				t.Fatalf("%s is %d at %v, outside %v", a, v, at, x)
			}
			if got, want := intmath.CeilDiv(value(low.Num), low.Den), intmath.CeilDiv(v, bound.Den); got != want {
				t.Fatalf("lower bound %v is %d at %v, folded %v is %d", bound, want, at, low, got)
			}
			if got, want := intmath.FloorDiv(value(high.Num), high.Den), intmath.FloorDiv(v, bound.Den); got != want {
				t.Fatalf("upper bound %v is %d at %v, folded %v is %d", bound, want, at, high, got)
			}
		}
		visit(names)
	})
}
