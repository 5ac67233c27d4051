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
//
// The trees see which term of the model decides: the terms' shares of the time tell what kind of launch it is better than counts do.
func correct(model learner) func(*Set) (Scorer, error) {
	return func(train *Set) (Scorer, error) {
		train = train.Where(func(p *Point) bool { return !math.IsNaN(p.Seconds) && !math.IsInf(p.Seconds, 1) })
		base, err := model(train)
		if err != nil {
			return nil, err
		}
		return newCorrected(base, train)
	}
}

// learner learns the times of points.
type learner func(train *Set) (*timed, error)

// timed is a cost model that has learnt: score is the negative logarithm of the time. shares are, for each point, numbers that tell how the time
// comes about; nil where the model has none.
type timed struct {
	score  Scorer
	shares func(*Set) ([][]float64, error)
}

// scores leaves a learner's model as it is.
func scores(l learner) func(*Set) (Scorer, error) {
	return func(train *Set) (Scorer, error) {
		model, err := l(train)
		if err != nil {
			return nil, err
		}
		return model.score, nil
	}
}

// untermed is a learner of times whose trees see no shares.
func untermed(of func(*Set) (Scorer, error)) learner {
	return func(train *Set) (*timed, error) {
		s, err := of(train)
		return &timed{score: s}, err
	}
}

// rows are those of the trees.
func (m *timed) rows(s *Set, names []string) ([][]float64, error) {
	if m.shares == nil {
		return placedRows(s, names, nil)
	}
	shares, err := m.shares(s)
	if err != nil {
		return nil, err
	}
	return placedRows(s, names, shares)
}

func newCorrected(base *timed, train *Set) (Scorer, error) {
	rates, err := base.score(train)
	if err != nil {
		return nil, err
	}
	names := train.Names
	t := &training{values: make([]float64, len(train.Points))}
	if t.rows, err = base.rows(train, names); err != nil {
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
		out, err := base.score(s)
		if err != nil {
			return nil, err
		}
		rows, err := base.rows(s, names)
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
