package campaign

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/calibrate"
	"gpuperf/samples"
	"gpuperf/workload"
)

// TestPlaces: launch files stand by their measured times among predictions, and last where they have none; once scripts are measured,
// ratios and measured ranks are of measured times.
func TestPlaces(t *testing.T) {
	record := func(status samples.Status, seconds float64) samples.Record {
		return samples.Record{Status: status, Trials: []float64{seconds}, Summary: &samples.Summary{Median: seconds, Lo: seconds, Hi: seconds}}
	}
	predict := func(seconds float64) *Prediction {
		return &Prediction{
			Case:       &workload.Case{},
			Prediction: &calibrate.Prediction{Seconds: seconds, Interval: calibrate.Interval{0.75 * seconds, seconds / 0.75}},
		}
	}
	fast, slow := predict(1), predict(4)
	r := Ranking{
		Predictions: []*Prediction{slow, fast},
		Launched:    []samples.Record{record(samples.Refused, 0), record(samples.OK, 2), record(samples.OK, 1.2)},
	}
	check := func(want []Place) {
		t.Helper()
		if diff := cmp.Diff(want, places(r.entries())); diff != "" {
			t.Error(diff)
		}
	}
	check([]Place{
		{Rank: 1, By: "predicted", Ratio: 1, TiedWith: []Ranks{{2, 2}}},
		{Rank: 2, By: "measured", Ratio: 1.2, TiedWith: []Ranks{{1, 1}}},
		{Rank: 3, By: "measured", Ratio: 2},
		{Rank: 4, By: "predicted", Ratio: 4},
		{Rank: 5, By: "measured"},
	})
	for p, seconds := range map[*Prediction]float64{fast: 2.4, slow: 3} {
		measured := record(samples.OK, seconds)
		p.Measured = &measured
	}
	check([]Place{
		{Rank: 1, By: "predicted", Ratio: 2, MeasuredRank: 3, TiedWith: []Ranks{{2, 2}}},
		{Rank: 2, By: "measured", Ratio: 1, MeasuredRank: 1, TiedWith: []Ranks{{1, 1}}},
		{Rank: 3, By: "measured", Ratio: 2 / 1.2, MeasuredRank: 2},
		{Rank: 4, By: "predicted", Ratio: 2.5, MeasuredRank: 4},
		{Rank: 5, By: "measured"},
	})
}
