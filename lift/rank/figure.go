package rank

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gpuperf/internal/chart"
	"gpuperf/internal/lists"
)

// Figures are the figures of section 8 of the paper, for several rankers on the same groups.
type Figures struct {
	// Curves: the best throughput by number of runs (Figure 5).
	Curves *chart.Lines
	// Factors: how many times fewer runs, and less time, than random order until the share of the best is reached (Figure 6).
	Factors *chart.Bars
	// Runs: their number (Figure 7).
	Runs *chart.Bars
}

// NewFigures draws the outcomes of rankers.
func NewFigures(all []*Outcomes) *Figures {
	f := &Figures{
		Curves:  &chart.Lines{Title: "Best throughput found, of the best there is", XLabel: "variants run", YLabel: "share of the best; random order: expected"},
		Factors: &chart.Bars{Title: "Random order against ranked, to 90 % of the best (geometric means)", Series: []string{"runs", "time", "time, slow runs stopped"}, Log: true},
		Runs:    &chart.Bars{Title: "Runs until 90 % of the best", Log: true},
	}
	places := map[string]int{} // of panels and bars
	for k, o := range all {
		f.Factors.Bars = append(f.Factors.Bars, chart.Bar{Name: o.Ranker, Values: []float64{o.RunFactor, o.TimeFactor, o.TimeFactorLimited}})
		f.Runs.Series = append(f.Runs.Series, o.Ranker)
		for _, g := range o.Groups {
			title := g.Benchmark + " " + g.Size
			at, ok := places[title]
			if !ok {
				at = len(places)
				places[title] = at
				f.Curves.Panels = append(f.Curves.Panels, chart.LinePanel{Title: title, Curves: []chart.Curve{{Name: "random", Y: g.RandomCurve}}})
				values := slices.Repeat([]float64{math.NaN()}, len(all)+1)
				values[len(all)] = g.RandomRuns
				f.Runs.Bars = append(f.Runs.Bars, chart.Bar{Name: title, Values: values})
			}
			p := &f.Curves.Panels[at]
			p.Curves = append(p.Curves, chart.Curve{Name: o.Ranker, Y: g.Curve})
			f.Runs.Bars[at].Values[k] = float64(g.Runs)
		}
	}
	f.Runs.Series = append(f.Runs.Series, "random")
	return f
}

// Chart draws the redundancy of each feature with throughput (Figure 4 of the paper).
func (r *Redundancy) Chart() *chart.Bars {
	b := &chart.Bars{Title: "Redundancy of features with throughput", Series: []string{"I(X;Y) / (H(X) + H(Y))"}}
	for _, f := range r.Features {
		b.Bars = append(b.Bars, chart.Bar{Name: f.Feature, Values: []float64{f.Redundancy}})
	}
	return b
}

// Write prints the outcomes: a line for each group, and the summary.
func (o *Outcomes) Write(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%-16s %-14s %6s %5s %8s %5s %8s %9s %9s\n", o.Ranker, "size", "points", "good", "spearman", "runs", "random", "time", "limited"); err != nil {
		return err
	}
	for _, g := range o.Groups {
		if _, err := fmt.Fprintf(w, "%-16s %-14s %6d %5d %8.3f %5d %8.1f %8.1fx %8.1fx\n", g.Benchmark, g.Size, g.Points, g.Good, g.Spearman,
			g.Runs, g.RandomRuns, g.RandomTime/g.Time, g.RandomTimeLimited/g.TimeLimited); err != nil {
			return err
		}
	}
	if len(o.Families) > 0 {
		fmt.Fprintf(w, "left out in turn: %s\n", lists.Join(o.Families, "; ", func(f []string) string { return strings.Join(f, " ") }))
	}
	if o.Seen > 0 {
		fmt.Fprintf(w, "%d points not ranked: points of the same recipe and ND-range are learnt from\n", o.Seen)
	}
	_, err := fmt.Fprintf(w, "spearman mean %.3f, least %.3f; runs mean %.1f, median %g, mode %d, most %d, in random order %.1f; less than random by %.1fx in runs, %.1fx in time, %.1fx with slow runs stopped\n",
		o.MeanSpearman, o.MinSpearman, o.MeanRuns, o.MedianRuns, o.ModeRuns, o.MaxRuns, o.RandomRuns, o.RunFactor, o.TimeFactor, o.TimeFactorLimited)
	return err
}
