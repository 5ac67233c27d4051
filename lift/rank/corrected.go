package rank

import (
	"math"
	"slices"

	"gpuperf/internal/parallel"
)

// correct multiplies the time of a cost model, whose score is the negative logarithm of the time, by a correction that a forest has
// learnt from the model's errors: the model applies to all programs and extrapolates to times outside the training data; the trees
// learn its systematic errors. (Regression kriging and hybrid performance models do the same; see Didona, Quaglia, Romano and Torre,
// "Enhancing performance prediction robustness by combining analytical modeling and machine learning", 2015, section 3.2.) An error
// common to all points of a benchmark does not affect their order, so errors are taken relative to the median of the group.
func correct(model func(*Set) (Scorer, error)) func(*Set) (Scorer, error) {
	return func(train *Set) (Scorer, error) {
		train = train.Where(func(p *Point) bool { return !math.IsNaN(p.Seconds) && !math.IsInf(p.Seconds, 1) })
		base, err := model(train)
		if err != nil {
			return nil, err
		}
		return newCorrected(base, train)
	}
}

func newCorrected(base Scorer, train *Set) (Scorer, error) {
	rates, err := base(train)
	if err != nil {
		return nil, err
	}
	names := train.Names
	t := &training{values: make([]float64, len(train.Points))}
	if t.rows, err = placedRows(train, names); err != nil {
		return nil, err
	}
	for _, g := range train.Groups() {
		var errs []float64
		for _, i := range g.Index {
			t.values[i] = -math.Log(train.Points[i].Seconds) - rates[i]
			errs = append(errs, t.values[i])
		}
		middle := median(errs)
		for _, i := range g.Index {
			t.values[i] -= middle
		}
	}
	excess, err := learnForest(t) // of the logarithm of the measured rate over that of the model
	if err != nil {
		return nil, err
	}
	return func(s *Set) ([]float64, error) {
		out, err := base(s)
		if err != nil {
			return nil, err
		}
		rows, err := placedRows(s, names)
		if err != nil {
			return nil, err
		}
		parallel.For(len(rows), func(i int) { out[i] += excess(rows[i]) })
		return out, nil
	}, nil
}

// median of some values, which it sorts.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
