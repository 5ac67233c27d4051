package search

import (
	"context"
	"maps"
	"math"
	"runtime"
	"slices"

	"gpuperf/internal/parallel"
)

// Compared is how a strategy does in a recorded space, over many seeds.
type Compared struct {
	Strategy string
	Model    bool   // with the recorded predictions
	Seeded   bool   // without them, but for the first runs: those that they say are fastest
	Runs     Band   // until a time within a twentieth of the best recorded one was found
	Missed   int    // seeds with which it was not found within the budget; these count as one run more than that
	Curve    []Band // the best time so far over the best recorded one, after 1, 2, ... runs
}

// Band is a mean over seeds with its confidence interval of 95 %, and the median.
type Band struct{ Mean, Low, High, Median float64 }

// good is the share of the best recorded speed that is to be reached.
const good = 0.95

// bandOf is the band of what the seeds gave.
func bandOf(list []float64) Band {
	mean, squares := 0.0, 0.0
	for _, x := range list {
		mean += x / float64(len(list))
	}
	for _, x := range list {
		squares += (x - mean) * (x - mean)
	}
	const normal = 1.96 // of a normal distribution: 95 % within
	half := normal * math.Sqrt(squares/float64(max(len(list)-1, 1))/float64(len(list)))
	return Band{mean, mean - half, mean + half, slices.Sorted(slices.Values(list))[len(list)/2]}
}

// Compare replays all strategies, with and without the recorded predictions where there are some, with so many seeds and at most so many runs. Curves have
// as many points as asked for. Where some strategies are named, it is these alone.
func (r *Recorded) Compare(ctx context.Context, seeds, budget, points int, only ...string) (all []Compared, err error) {
	for _, name := range slices.Sorted(maps.Keys(strategies)) {
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		all = append(all, Compared{Strategy: name})
		if !strategies[name].plain && r.predicted() {
			all = append(all, Compared{Strategy: name, Model: true})
			if name == "bandit" { // as Hong and others seed it, section 6
				all = append(all, Compared{Strategy: name, Seeded: true})
			}
		}
	}
	err = parallel.Try(len(all), runtime.GOMAXPROCS(0), func(i int) error { return r.replay(ctx, &all[i], seeds, budget, points) })
	return all, err
}

// predicted reports that there are predictions.
func (r *Recorded) predicted() bool {
	for _, t := range r.trials {
		if t.Predicted > 0 {
			return true
		}
	}
	return false
}

// firstRuns is how many configurations a seeded search starts with.
const firstRuns = 3

// fastest are the configurations that are predicted to be the fastest.
func (r *Recorded) fastest() (list []Config) {
	for _, key := range slices.Sorted(maps.Keys(r.trials)) {
		if t := r.trials[key]; t.Predicted > 0 {
			list = append(list, t.Config)
		}
	}
	sortBy(list, r.predict)
	return list[:min(firstRuns, len(list))]
}

// replay replays a strategy.
func (r *Recorded) replay(ctx context.Context, c *Compared, seeds, budget, points int) error {
	var model Model
	if c.Model {
		model = r.predict
	}
	var first []Config
	if c.Seeded {
		first = r.fastest()
	}
	var runs []float64
	curve := make([][]float64, points)
	for seed := range seeds {
		s, err := New(c.Strategy, r, model, uint64(seed))
		if err != nil {
			return err
		}
		best, at, n := math.Inf(1), budget+1, 0
		look := func(ctx context.Context, list []Config) ([]Result, error) {
			out, err := r.evaluate(ctx, list)
			for _, result := range out {
				if n++; result.Valid() {
					best = min(best, result.Seconds)
				}
				if at > budget && best*good <= r.best.Result.Seconds {
					at = n
				}
				if n <= points {
					curve[n-1] = append(curve[n-1], best/r.best.Result.Seconds)
				}
			}
			return out, err
		}
		if _, err := Run(ctx, s, nil, Limits{Budget: budget, First: first, Space: r, Stop: func() bool { return at <= budget && n >= points }}, look); err != nil {
			return err
		}
		if runs = append(runs, float64(at)); at > budget {
			c.Missed++
		}
		for i := n; i < points; i++ { // it ended early
			curve[i] = append(curve[i], best/r.best.Result.Seconds)
		}
	}
	c.Runs = bandOf(runs)
	for _, list := range curve {
		c.Curve = append(c.Curve, bandOf(list))
	}
	return nil
}
