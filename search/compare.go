package search

import (
	"context"
	"fmt"
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

// Recorded is a space whose configurations were all measured: searches are replayed in it, many times and without a device.
type Recorded struct {
	Listed
	trials map[string]Trial
	best   Trial
}

// NewRecorded makes the space of trials.
func NewRecorded(all []Trial) (*Recorded, error) {
	r := &Recorded{trials: map[string]Trial{}, best: Best(all)}
	if !r.best.Result.Valid() {
		return nil, fmt.Errorf("no configuration ran with a right result")
	}
	var list []Config
	for _, t := range all {
		if _, again := r.trials[t.Config.String()]; !again {
			list = append(list, t.Config)
		}
		r.trials[t.Config.String()] = t
	}
	var err error
	r.Listed, err = NewListed(list)
	return r, err
}

// Listed is the space of different configurations that are listed, by the choices that are made.
type Listed map[string]*Choice

// NewListed makes a space, numbers among options in their order. All configurations of one beginning go on with the same choice.
func NewListed(all []Config) (Listed, error) {
	nodes := Listed{}
	for _, config := range all {
		for i, p := range config {
			at := config[:i].String()
			c := nodes[at]
			if c == nil {
				c = &Choice{Name: p.Choice}
				nodes[at] = c
			}
			if c.Name != p.Choice {
				return nil, fmt.Errorf("after the same picks one configuration chooses %s and another %s", c.Name, p.Choice)
			}
			if !slices.Contains(c.Options, p.Option) {
				c.Options = append(c.Options, p.Option)
			}
		}
	}
	for _, c := range nodes {
		slices.SortFunc(c.Options, ordered)
		c.Weights = make([]float64, len(c.Options))
	}
	for _, config := range all {
		for i, p := range config {
			c := nodes[config[:i].String()]
			c.Weights[slices.Index(c.Options, p.Option)]++
		}
	}
	return nodes, nil
}

// Next is a choice that some configuration makes there.
func (l Listed) Next(made Config) *Choice { return l[made.String()] }

func (r *Recorded) evaluate(_ context.Context, list []Config) (out []Result, err error) {
	for _, c := range list {
		out = append(out, r.trials[c.String()].Result)
	}
	return out, nil
}

// predict is what was predicted when it was recorded, a Model.
func (r *Recorded) predict(c Config) float64 { return r.trials[c.String()].Predicted }

// Len is how many configurations there are.
func (r *Recorded) Len() int { return len(r.trials) }
