package rank

import (
	"math"
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/internal/parallel"
	"gpuperf/internal/throw"
)

// learnCorrected multiplies the time of a cost model, whose score is the negative logarithm of the time, by a correction that trees have
// learnt from the model's errors: the model applies to all programs and extrapolates to times outside the training data; the trees
// learn its systematic errors. (Regression kriging and hybrid performance models do the same; see Didona, Quaglia, Romano and Torre,
// "Enhancing performance prediction robustness by combining analytical modeling and machine learning", 2015, section 3.2.) An error
// common to all points of a benchmark does not affect their order, so errors are taken relative to the median of the group.
//
// The trees see what all models of costModels say that the features suffice for: the time, relative to the group, and the shares of its terms, which
// tell what kind of launch it is better than counts do.
func learnCorrected(train *Set) (_ Scorer, err error) {
	defer throw.Catch(&err)
	train = train.finished()
	c := &corrected{names: train.Names}
	for _, name := range costModels {
		if needsOf(name)(train.Names) != nil {
			continue
		}
		model := fitModel(name, train)
		c.models = append(c.models, model)
	}
	if len(c.models) == 0 {
		return nil, needsOf(costModels[0])(train.Names)
	}
	scores, rows := c.rows(train)
	values := make([]float64, len(train.Points))
	for i, s := range scores {
		values[i] = -math.Log(train.Points[i].Seconds) - s
	}
	excess, err := learnTrees(&training{rows, train.centred(values)}) // of the logarithm of the measured rate over that of the model
	if err != nil {
		return nil, err
	}
	return func(s *Set) (_ []float64, err error) {
		defer throw.Catch(&err)
		out, rows := c.rows(s)
		parallel.For(len(rows), func(i int) { out[i] += excess(rows[i]) })
		return out, nil
	}, nil
}

// corrected are models whose errors are learnt, with the names of the features; the last is the one that is corrected.
type corrected struct {
	names  []string
	models []*fitted
}

// rows are the scores of the last model, and what the trees see.
func (c *corrected) rows(s *Set) (scores []float64, rows [][]float64) {
	more := make([][]float64, len(s.Points))
	for _, m := range c.models {
		var shares [][]float64
		scores, shares = m.predict(s)
		for i, relative := range s.centred(scores) {
			more[i] = append(append(more[i], relative), shares[i]...)
		}
	}
	rows = placedRows(s, c.names, more)
	return scores, rows
}

// finished is the points that ran to their end.
func (s *Set) finished() *Set {
	return s.Where(func(p *Point) bool { return !math.IsNaN(p.Seconds) && !math.IsInf(p.Seconds, 1) })
}

// centred are values of the points less the median of their group.
func (s *Set) centred(values []float64) []float64 {
	out := slices.Clone(values)
	for _, g := range s.Groups() {
		own := lists.Map(g.Index, func(i int) float64 { return values[i] })
		middle := median(own)
		for _, i := range g.Index {
			out[i] -= middle
		}
	}
	return out
}

// median of some values, which it sorts.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
