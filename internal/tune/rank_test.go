package tune

import (
	"slices"
	"testing"

	"gpuperf/internal/campaign"
)

// The fastest configurations are those of a ranking that predicts all, in the same order, and most others are not predicted.
func TestRankingByBounds(t *testing.T) {
	at := map[string]int64{"n": 4096}
	target, err := Open(t.Context(), "../../examples/tune/transpose.star", at, Options{})
	if err != nil {
		t.Fatal(err)
	}
	profile, err := campaign.LoadProfile("h200")
	if err != nil {
		t.Fatal(err)
	}
	calibration, err := campaign.CalibrationOf(profile, "general")
	if err != nil {
		t.Fatal(err)
	}
	predictor, err := campaign.PredictorOf(profile, calibration)
	if err != nil {
		t.Fatal(err)
	}
	rank := func(top int, all bool) *Ranked {
		out, err := Ranking{Target: target, Sizes: at, Predictor: predictor, Top: top, All: all}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	all := rank(100, true)
	if len(all.Best) != 100 || all.Bounded > 0 {
		t.Fatalf("%d configurations are ranked, %d not", len(all.Best), all.Bounded)
	}
	for _, top := range []int{1, 5, 20} {
		some := rank(top, false)
		if !slices.Equal(some.Best, all.Best[:top]) {
			t.Errorf("the first %d are %v, want %v", top, some.Best, all.Best[:top])
		}
		if some.Bounded < 50 || some.Configurations != 100 {
			t.Errorf("for the first %d, %d of %d configurations are not predicted", top, some.Bounded, some.Configurations)
		}
	}
}
