package evaluate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gpuperf/calibrate"
	"gpuperf/internal/lists"
	"gpuperf/models"
	"gpuperf/samples"
)

// Sensitivity says how the error of an evaluation depends on the samples that the models were calibrated with. The measured times that
// predictions are compared with stay the same.
type Sensitivity struct {
	Kernels []Sample `json:"kernels"` // by the number of measurement kernels, a size each, all trials
	Trials  []Sample `json:"trials"`  // by the number of trials of each, all measurement kernels
}

// Sample summarizes the errors of several random choices of as many kernels or trials.
type Sample struct {
	Of          int     `json:"of"`          // kernels, all models together, or trials
	Draws       int     `json:"draws"`       // random choices
	Median      float64 `json:"median"`      // of the geometric mean relative errors of the draws
	Least       float64 `json:"least"`       //
	Largest     float64 `json:"largest"`     //
	Unpredicted float64 `json:"unpredicted"` // share of the points that the chosen kernels did not determine, on average; the errors leave them out
}

// Calibrated is a model with the rows that it was fitted to, and the points that it predicts.
type Calibrated struct {
	Model   *models.Model
	Fit     *calibrate.Fit // to all rows
	Rows    []calibrate.Row
	Targets []calibrate.Known
}

// The tables' rows.
var (
	parts       = []float64{1, 0.75, 0.5, 0.35, 0.25, 0.15} // of the measurement kernels
	trialCounts = []int{1, 2, 5, 10, 30, 60}
)

// draws is the number of random choices of a row.
const draws = 9

// Vary fits the models to random parts of their rows and of the trials of their rows, from a fixed seed, and evaluates each time. Rows
// without trials keep their output.
func Vary(ctx context.Context, all []Calibrated, seed uint64) (*Sensitivity, error) {
	out := &Sensitivity{}
	for i, part := range parts {
		size := func(c Calibrated) int { return max(1, int(math.Round(part*float64(len(c.Rows))))) }
		n := draws
		if part == 1 {
			n = 1
		}
		s, err := sample(ctx, all, n, rand.New(rand.NewPCG(seed, uint64(i))), func(c Calibrated, rng *rand.Rand) []calibrate.Row {
			keep := rng.Perm(len(c.Rows))[:size(c)]
			slices.Sort(keep)
			return lists.Map(keep, func(k int) calibrate.Row { return c.Rows[k] })
		})
		if err != nil {
			return nil, fmt.Errorf("%.0f %% of the kernels: %w", 100*part, err)
		}
		for _, c := range all {
			s.Of += size(c)
		}
		out.Kernels = append(out.Kernels, s)
	}
	most := 0
	for _, c := range all {
		for _, r := range c.Rows {
			most = max(most, len(r.Trials))
		}
	}
	for i, n := range trialCounts {
		if i > 0 && trialCounts[i-1] >= most {
			break // there are no more trials
		}
		s, err := sample(ctx, all, draws, rand.New(rand.NewPCG(seed, uint64(100+i))), func(c Calibrated, rng *rand.Rand) []calibrate.Row {
			rows := slices.Clone(c.Rows)
			for k := range rows {
				if t := rows[k].Trials; len(t) > 0 {
					rows[k].Output = medianOf(t, rng.Perm(len(t))[:min(n, len(t))])
				}
			}
			return rows
		})
		if err != nil {
			return nil, fmt.Errorf("%d trials: %w", n, err)
		}
		s.Of = n
		out.Trials = append(out.Trials, s)
	}
	return out, nil
}

// medianOf is the median of the trials chosen.
func medianOf(trials []float64, chosen []int) float64 {
	x := lists.Map(chosen, func(k int) float64 { return trials[k] })
	return samples.Summarize(x).Median
}

// sample fits and evaluates n times.
func sample(ctx context.Context, all []Calibrated, n int, rng *rand.Rand, choose func(Calibrated, *rand.Rand) []calibrate.Row) (Sample, error) {
	s := Sample{Draws: n}
	var errors []float64
	points, lost := 0, 0
	for range n {
		var relative []float64
		for _, c := range all {
			init := map[string]float64{}
			for _, e := range c.Fit.Parameters {
				init[e.Name] = e.Value
			}
			fit, err := calibrate.FitRows(ctx, c.Model, choose(c, rng), calibrate.Options{Init: init, NoCrossValidation: true})
			if err != nil {
				return s, err
			}
			p, err := calibrate.NewPredictor(c.Model, fit)
			if err != nil {
				return s, err
			}
			for _, t := range c.Targets {
				points++
				got, err := p.Predict(t.Features)
				if err != nil {
					return s, err
				}
				if len(got.Undetermined) > 0 {
					lost++
					continue
				}
				relative = append(relative, (got.Seconds-t.Measured)/t.Measured)
			}
		}
		if len(relative) > 0 {
			errors = append(errors, Geomean(relative))
		}
	}
	s.Unpredicted = float64(lost) / float64(max(points, 1))
	summary := samples.Summarize(errors)
	s.Median, s.Least, s.Largest = summary.Median, summary.Min, summary.Max
	return s, nil
}
