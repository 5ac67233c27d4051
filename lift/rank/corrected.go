package rank

import (
	"math"
	"slices"

	"gpuperf/internal/parallel"
)

// corrected is the time by a law, times what a forest has learnt of its errors: one law for all programs, from which times
// follow that were never seen, and trees for what the law leaves out. (Regression kriging and hybrid performance models do so;
// see Didona, Quaglia, Romano and Torre, "Enhancing performance prediction robustness by combining analytical modeling and
// machine learning", 2015, section 3.2.) By how much the law is off for a benchmark as a whole does not matter to its order, and
// is not learnt: errors are by the median of the group.
type corrected struct {
	base   Scorer
	names  []string
	excess predictor // of the logarithm of the rate over that of the law
}

// correct learns the errors of what law fits. A law scores by the negative logarithm of the time.
func correct(law func(*Set) (Scorer, error)) func(*Set) (Scorer, error) {
	return func(train *Set) (Scorer, error) {
		train = train.Where(func(p *Point) bool { return !math.IsNaN(p.Seconds) && !math.IsInf(p.Seconds, 1) })
		base, err := law(train)
		if err != nil {
			return nil, err
		}
		return newCorrected(base, train)
	}
}

func newCorrected(base Scorer, train *Set) (Scorer, error) {
	rates, err := base.Score(train)
	if err != nil {
		return nil, err
	}
	c := &corrected{base: base, names: train.Names}
	t := &training{values: make([]float64, len(train.Points))}
	if t.rows, err = placedRows(train, c.names); err != nil {
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
	c.excess, err = deepForest.fit(t)
	return c, err
}

// median of some values, which it sorts.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// Score gives the logarithm of the rate, 1/s, up to a constant of the group.
func (c *corrected) Score(s *Set) ([]float64, error) {
	out, err := c.base.Score(s)
	if err != nil {
		return nil, err
	}
	rows, err := placedRows(s, c.names)
	if err != nil {
		return nil, err
	}
	parallel.For(len(rows), func(i int) { out[i] += c.excess(rows[i]) })
	return out, nil
}
