package campaign

import (
	"cmp"
	"math"
	"runtime"
	"slices"

	"gpuperf/device/facts"
	"gpuperf/features"
	"gpuperf/internal/parallel"
	"gpuperf/models"
	"gpuperf/workload"
)

// Least is a time that the prediction of a case is not below, from what costs little to find out: the model with the least that memory can have to move.
// It is 0 where nothing is known: only the features of any kernel have least values, and where the model may not apply the time says nothing.
func (p *Predictor) Least(c *workload.Case) float64 {
	if own := p.For(c); own != p {
		return own.Least(c)
	}
	if p.coded != nil || !p.Static() {
		return 0
	}
	least, most, err := c.FeaturesWithin(p.Facts, p.ids, int(p.Facts.Int(facts.SubgroupSize)))
	if err != nil {
		return 0
	}
	values := map[string]models.Range{}
	for i, id := range p.ids {
		values[id.String()] = models.Range{least[i], most[i]}
	}
	seconds, growth, ok := p.leastByRows(values)
	if !ok || !features.Covers(p.ids, growth) {
		return 0
	}
	return max(seconds, 0)
}

// leastByRows is the least time for features in ranges, and how it grows at least with each.
func (p *Predictor) leastByRows(values map[string]models.Range) (float64, []float64, bool) {
	p.turn.Lock()
	defer p.turn.Unlock()
	return p.Rows.Least(values)
}

// Shortlist finds the fastest of many candidates, and predicts only those that may be among them.
type Shortlist struct {
	Top   int       // how many are wanted; 0 is all
	times []float64 // the fastest that are known, in order, at most Top
}

// together is the number of candidates that are predicted at once, before the others are looked at again.
const together = 8

// Known adds the time of a candidate that was predicted before.
func (s *Shortlist) Known(seconds float64) {
	at, _ := slices.BinarySearch(s.times, seconds)
	if at < s.Top && !math.IsNaN(seconds) {
		s.times = slices.Insert(s.times, at, seconds)
		s.times = s.times[:min(len(s.times), s.Top)]
	}
}

// out reports whether a candidate that takes at least so long is not among the fastest.
func (s *Shortlist) out(least float64) bool {
	return s.Top > 0 && len(s.times) == s.Top && least > s.times[s.Top-1]
}

// Predict calls predict for those of n candidates that may be among the fastest of all that the list has seen, and returns the bounds of the others, 0 for
// those that were predicted. Those with the least bounds come first. least bounds a candidate's time from below, 0 where nothing is known; predict returns
// the time, NaN where it has none. Both are called from several goroutines at once.
func (s *Shortlist) Predict(n int, least func(int) float64, predict func(int) (float64, error)) (bounds []float64, err error) {
	bounds = make([]float64, n)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if s.Top > 0 && s.Top < n+len(s.times) {
		parallel.For(n, func(i int) { bounds[i] = least(i) })
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(bounds[i], bounds[j]) })
	}
	for len(order) > 0 && !s.out(bounds[order[0]]) {
		next := order[:min(together, len(order))]
		if at := slices.IndexFunc(next, func(i int) bool { return s.out(bounds[i]) }); at > 0 {
			next = next[:at]
		}
		order = order[len(next):]
		times := make([]float64, len(next))
		err := parallel.Try(len(next), runtime.GOMAXPROCS(0), func(k int) (err error) {
			times[k], err = predict(next[k])
			return err
		})
		if err != nil {
			return nil, err
		}
		for k, i := range next {
			bounds[i] = 0
			s.Known(times[k])
		}
	}
	return bounds, nil
}
