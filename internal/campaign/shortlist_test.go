package campaign

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/internal/frontend"
)

// The list finds the same as all predictions, whatever the bounds are, and predicts no candidate whose bound is above the time of the last that it finds.
func TestShortlist(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type candidate struct{ least, seconds float64 }
		all := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) candidate {
			seconds := float64(rapid.IntRange(1, 30).Draw(t, "seconds"))
			least := rapid.SampledFrom([]float64{0, 0.5, 0.9, 1}).Draw(t, "bound") * seconds
			if rapid.IntRange(0, 9).Draw(t, "refused") == 0 {
				seconds = math.NaN()
			}
			return candidate{least, seconds}
		}), 0, 200).Draw(t, "candidates")
		list := Shortlist{Top: rapid.IntRange(0, 12).Draw(t, "top")}
		var want []float64
		for _, c := range all {
			if !math.IsNaN(c.seconds) {
				want = append(want, c.seconds)
			}
		}
		slices.Sort(want)
		if list.Top > 0 {
			want = want[:min(len(want), list.Top)]
		}
		var got []float64
		for part := range slices.Chunk(all, 70) {
			bounds, err := list.Predict(len(part), func(i int) float64 { return part[i].least }, func(i int) (float64, error) { return part[i].seconds, nil })
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range part {
				switch {
				case bounds[i] == 0 && !math.IsNaN(c.seconds):
					got = append(got, c.seconds)
				case bounds[i] > 0 && (bounds[i] != c.least || list.Top == 0 || c.least <= want[len(want)-1]):
					t.Fatalf("%v is left out, of the fastest are %v", c, want)
				}
			}
		}
		slices.Sort(got)
		if list.Top > 0 {
			got = got[:min(len(got), list.Top)]
		}
		if !slices.Equal(got, want) {
			t.Fatalf("the fastest are %v, found %v", want, got)
		}
	})
}

// With bounds, a ranking of a number of kernels begins as that of all of them, and some kernels are not predicted.
func TestBoundedRankings(t *testing.T) {
	profile, err := LoadProfile("h200")
	if err != nil {
		t.Fatal(err)
	}
	calibration, err := CalibrationOf(profile, "general")
	if err != nil {
		t.Fatal(err)
	}
	p, err := PredictorOf(profile, calibration)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, name := range []string{"transpose/transpose.star", "matmul/matmul_prefetch.star", "evaluation/general/transposes.star"} {
		files = append(files, filepath.Join("../../examples", name))
	}
	sizes := []map[string]int64{{"n": 4096, "m": 4096}}
	cases, err := Cases(t.Context(), frontend.Options{}, files, sizes)
	if err != nil {
		t.Fatal(err)
	}
	all, err := p.Rankings(cases, sizes, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all[0].Predictions {
		if least := p.Least(one.Case); least <= 0 || least > one.Seconds {
			t.Errorf("%s takes %g s, and at least %g", one.Label, one.Seconds, least)
		}
	}
	for top := 1; top < 5; top++ {
		some, err := p.Rankings(cases, sizes, top)
		if err != nil {
			t.Fatal(err)
		}
		if some[0].Bounded == 0 {
			t.Errorf("all of %d kernels were predicted for the first %d", len(cases), top)
		}
		for i, one := range some[0].Predictions {
			if want := all[0].Predictions[i]; one.Label != want.Label || one.Seconds != want.Seconds {
				t.Errorf("the first %d: at %d is %s of %g s, want %s of %g s", top, i, one.Label, one.Seconds, want.Label, want.Seconds)
			}
		}
	}
}
