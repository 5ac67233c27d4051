package tune

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"gpuperf/internal/campaign"
	"gpuperf/workload"
)

var sizesOfTransposition = map[string]int64{"n": 4096}

// transposition is a target of 100 configurations, and what predicts them.
func transposition(t *testing.T) (Target, *campaign.Predictor) {
	t.Helper()
	target, err := Open(t.Context(), "../../examples/tune/transpose.star", sizesOfTransposition, Options{})
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
	return target, predictor
}

// The fastest configurations are those of a ranking that predicts all, in the same order, and most others are not predicted.
func TestRankingByBounds(t *testing.T) {
	target, predictor := transposition(t)
	rank := func(top int, all bool) *Ranked {
		out, err := Ranking{Target: target, Sizes: sizesOfTransposition, Predictor: predictor, Top: top, All: all}.Run(t.Context())
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

// Finalists are in the order of the times that are told of them, those without one apart, and no other configuration is asked for.
func TestFinalists(t *testing.T) {
	target, predictor := transposition(t)
	asked := 0
	var turn sync.Mutex
	out, err := Ranking{Target: target, Sizes: sizesOfTransposition, Predictor: predictor, Top: 3, Final: &Final{
		Name: "turned", Device: "D", Time: func(_ context.Context, c *workload.Case) (float64, [2]float64, error) {
			turn.Lock()
			defer turn.Unlock()
			if asked++; asked == 1 {
				return 0, [2]float64{}, errors.New("not today")
			}
			p, err := predictor.Predict(c)
			if err != nil {
				return 0, [2]float64{}, err
			}
			return 1 / p.Seconds, [2]float64{0, math.Inf(1)}, nil
		},
	}}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all, err := Ranking{Target: target, Sizes: sizesOfTransposition, Predictor: predictor, Top: 100}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, l := range all.Best {
		if l.Seconds <= canWin*all.Best[2].Seconds {
			want++
		}
	}
	want = min(want, mostFinalists)
	if asked != want || out.Finalists != want || want < 4 {
		t.Errorf("%d configurations are asked for, %d finalists, want %d", asked, out.Finalists, want)
	}
	if len(out.Timeless) != 1 || len(out.Best) != 3 || out.Final != "turned" || out.Device != "D" {
		t.Fatalf("the fastest are %v, without a time are %v", out.Best, out.Timeless)
	}
	if slowest := 1 / all.Best[want-1].Seconds; out.Best[0].Seconds > 1/all.Best[want-2].Seconds || out.Best[0].Seconds < slowest || out.Best[0].Hi != 0 {
		t.Errorf("the fastest are %v, want first %g", out.Best, slowest)
	}
}
