package evaluate

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"gpuperf/internal/format"
	"gpuperf/workload"
)

// Measured times of pairs that differ by more than these are compared with the order of their predictions.
const (
	apart    = 0.05
	farApart = 0.15
)

// Choice tells what predictions are worth where variants are to be chosen from, over suites and sizes with at least two.
type Choice struct {
	Apart    Pairs   `json:"apart"`      // whose times differ by more than 5 %
	FarApart Pairs   `json:"far_apart"`  // by more than 15 %
	Told     Pairs   `json:"told_apart"` // whose ratio of times has an interval without 1
	Pairs    int     `json:"pairs"`      // that have such an interval
	Loss     float64 `json:"loss"`       // how much slower than the fastest the one with the least prediction is, in the mean
	Of       int     `json:"of"`         // choices
}

// Pairs counts pairs of variants at one size that predictions put in the measured order.
type Pairs struct {
	Right int `json:"right"`
	Of    int `json:"of"`
}

func (p *Pairs) add(right bool) {
	p.Of++
	if right {
		p.Right++
	}
}

// choice judges the predictions of suites; nil where there is nothing to choose from.
func choice(suites []SuiteReport) *Choice {
	var c Choice
	for _, s := range suites {
		for _, entries := range bySize(s.Variants) {
			if len(entries) > 1 {
				c.add(entries)
			}
		}
	}
	if c.Of == 0 {
		return nil
	}
	c.Loss /= float64(c.Of)
	return &c
}

// add judges the variants at one size.
func (c *Choice) add(entries []entry) {
	least := func(time func(Point) float64) entry {
		return slices.MinFunc(entries, func(a, b entry) int { return cmp.Compare(time(a.Point), time(b.Point)) })
	}
	measured := func(p Point) float64 { return p.Measured }
	c.Of++
	c.Loss += least(func(p Point) float64 { return p.Predicted }).Measured/least(measured).Measured - 1
	for i, a := range entries {
		for _, b := range entries[i+1:] {
			right := cmp.Compare(a.Measured, b.Measured) == cmp.Compare(a.Predicted, b.Predicted)
			difference := max(a.Measured, b.Measured)/min(a.Measured, b.Measured) - 1
			c.tell(a.Point, b.Point, right)
			if difference > apart {
				c.Apart.add(right)
			}
			if difference > farApart {
				c.FarApart.add(right)
			}
		}
	}
}

// tell judges whether the predictions of two variants say which one is faster, where they are compared by an interval.
func (c *Choice) tell(a, b Point, right bool) {
	if a.Prediction == nil || b.Prediction == nil {
		return
	}
	ratio := a.Prediction.Against(b.Prediction)
	if !ratio.Known() {
		return
	}
	c.Pairs++
	if !ratio.Holds(1) {
		c.Told.add(right)
	}
}

func (c *Choice) write(w io.Writer) {
	if c == nil {
		return
	}
	fmt.Fprintf(w, "pairs of variants that differ by more than 5 %%: %d of %d in the right order; by more than 15 %%: %d of %d\n",
		c.Apart.Right, c.Apart.Of, c.FarApart.Right, c.FarApart.Of)
	if c.Pairs > 0 {
		fmt.Fprintf(w, "predictions tell %d of %d pairs apart, and %d of these are in the right order\n", c.Told.Of, c.Pairs, c.Told.Right)
	}
	fmt.Fprintf(w, "the variant that is predicted to be the fastest is %s slower than the fastest, in the mean of %s\n",
		format.Percent(c.Loss), format.Count(c.Of, "choice"))
}

// bySize are the variants at each size, in the order in which sizes first occur. What is measured alone is its own prediction.
func bySize(variants []VariantReport) (all [][]entry) {
	at := map[string]int{}
	for _, v := range variants {
		points := slices.Clone(v.Points)
		for _, t := range v.Times {
			points = append(points, Point{At: t.At, Predicted: t.Measured, Measured: t.Measured})
		}
		for _, p := range points {
			key := workload.FormatSizes(p.At)
			i, ok := at[key]
			if !ok {
				i = len(all)
				at[key], all = i, append(all, nil)
			}
			all[i] = append(all[i], entry{v.Name, p})
		}
	}
	return all
}
