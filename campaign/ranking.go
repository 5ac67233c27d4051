package campaign

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gpuperf/workload"
)

// Ranking has the kernels at one size, the fastest by prediction first, and last those to which the model does not apply.
type Ranking struct {
	At          map[string]int64
	Predictions []*Prediction
	Skipped     []Refused // what the device would refuse
}

// Place is where a kernel stands in a ranking.
type Place struct {
	Rank         int     `json:"rank"` // by predicted time
	Tied         bool    `json:"tied"` // with the one before: their intervals overlap
	MeasuredRank int     `json:"measured_rank,omitempty"`
	Ratio        float64 `json:"ratio,omitempty"` // of its time to that of the fastest, measured times where there are any; 0 is not known
}

// Places are those of the predictions of a ranking.
func (r *Ranking) Places() []Place {
	places := make([]Place, len(r.Predictions))
	measured, predicted := make([]float64, len(places)), make([]float64, len(places))
	for i, one := range r.Predictions {
		places[i] = Place{Rank: i + 1, Tied: i > 0 && one.Interval.Overlaps(r.Predictions[i-1].Interval)}
		measured[i], predicted[i] = one.MeasuredSeconds(), math.NaN()
		if one.Seconds > 0 && one.Applies() == r.Predictions[0].Applies() { // lower bounds compare with each other alone
			predicted[i] = one.Seconds
		}
	}
	times := measured
	if !slices.ContainsFunc(measured, isKnown) {
		times = predicted
	}
	known := slices.DeleteFunc(slices.Sorted(slices.Values(times)), func(t float64) bool { return !isKnown(t) })
	for i, t := range times {
		if !isKnown(t) {
			continue
		}
		places[i].Ratio = t / known[0]
		if isKnown(measured[i]) {
			places[i].MeasuredRank = 1 + slices.Index(known, t)
		}
	}
	return places
}

func isKnown(seconds float64) bool { return !math.IsNaN(seconds) }

// Rankings ranks the cases once for each of the sizes that they were made for. Of top > 0 it keeps that many of each size, and all to
// which the model does not apply: any of them may be the fastest.
func (p *Predictor) Rankings(cases []*workload.Case, sizes []map[string]int64, top int) (rankings []Ranking, err error) {
	runnable, refused, err := p.Runnable(cases)
	if err != nil {
		return nil, err
	}
	all, err := p.PredictAll(runnable)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b *Prediction) int {
		return cmp.Or(trueFirst(a.Applies(), b.Applies()), cmp.Compare(a.Seconds, b.Seconds))
	})
	for i, at := range sizes {
		if slices.ContainsFunc(sizes[:i], func(before map[string]int64) bool { return maps.Equal(before, at) }) {
			continue
		}
		r := Ranking{At: at}
		for _, one := range all {
			if agree(one.Sizes, at) {
				r.Predictions = append(r.Predictions, one)
			}
		}
		for _, one := range refused {
			if agree(one.At, at) {
				r.Skipped = append(r.Skipped, one)
			}
		}
		if top > 0 {
			i := 0
			r.Predictions = slices.DeleteFunc(r.Predictions, func(p *Prediction) bool { i++; return i > top && p.Applies() })
		}
		rankings = append(rankings, r)
	}
	return rankings, nil
}

// agree reports whether a kernel's own sizes are among those asked for.
func agree(own, asked map[string]int64) bool {
	for name, size := range own {
		if asked[name] != size {
			return false
		}
	}
	return true
}
