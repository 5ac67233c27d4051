package campaign

import (
	"cmp"
	"maps"
	"slices"

	"gpuperf/workload"
)

// Ranking has the kernels at one size, the fastest first.
type Ranking struct {
	At          map[string]int64
	Predictions []*Prediction
	Skipped     []Refused // what the device would refuse
}

// Rankings ranks the cases once for each of the sizes that they were made for. Of top > 0 it keeps that many of each size.
func (p *Predictor) Rankings(cases []*workload.Case, sizes []map[string]int64, top int) (rankings []Ranking, err error) {
	runnable, refused, err := p.Runnable(cases)
	if err != nil {
		return nil, err
	}
	all, err := p.PredictAll(runnable)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b *Prediction) int { return cmp.Compare(a.Seconds, b.Seconds) })
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
			r.Predictions = r.Predictions[:min(top, len(r.Predictions))]
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
