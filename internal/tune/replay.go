package tune

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"gpuperf/internal/format"
	"gpuperf/internal/jsonvalue"
	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/samples"
	"gpuperf/search"
)

// Replay is a comparison of strategies on what searches have recorded.
type Replay struct {
	File  string     `json:"file"`
	Seeds int        `json:"seeds"`
	Of    []ReplayOf `json:"programs"`
}

// ReplayOf is that of one program.
type ReplayOf struct {
	Program        string     `json:"program"`
	Configurations int        `json:"configurations"`
	Best           float64    `json:"best_seconds"`
	Strategies     []replayed `json:"strategies"`
}

// replayed is a strategy as other programs read it.
type replayed struct {
	Strategy string `json:"strategy"`
	Model    bool   `json:"model"`
	Seeded   bool   `json:"seeded"`
	Runs     band   `json:"runs"`
	Missed   int    `json:"missed"`
	Curve    []band `json:"curve"`
}

// band is a search.Band. Infinite numbers, of seeds that have found nothing that runs, are null.
type band search.Band

// MarshalJSON writes the four numbers.
func (b band) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Mean   *float64 `json:"mean"`
		Low    *float64 `json:"low"`
		High   *float64 `json:"high"`
		Median *float64 `json:"median"`
	}{jsonvalue.Finite(b.Mean), jsonvalue.Finite(b.Low), jsonvalue.Finite(b.High), jsonvalue.Finite(b.Median)})
}

// NewReplay replays all strategies on each program that a samples file has searches of, with so many seeds. Curves have as many points as asked for. Where some strategies are named, it is these alone.
func NewReplay(ctx context.Context, path string, seeds, points int, only ...string) (_ *Replay, err error) {
	defer throw.Catch(&err)
	set := throw.Get(samples.Load(path))
	defer set.Close()
	runs := throw.Get(runsOf(set, func(r *samples.Record) bool { return !r.IsSentinel() }))
	if len(runs) == 0 {
		return nil, source.At(path, "", source.Pos{}, "has no samples of perf tune")
	}
	out := &Replay{File: path, Seeds: seeds}
	for _, p := range problemsOf(runs) {
		recorded, err := search.NewRecorded(p.trials)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, p.name, err)
		}
		all := throw.Get(recorded.Compare(ctx, seeds, recorded.Len(), min(points, recorded.Len()), only...))
		one := ReplayOf{Program: p.name, Configurations: recorded.Len(), Best: search.Best(p.trials).Result.Seconds}
		for _, c := range all {
			r := replayed{Strategy: c.Strategy, Model: c.Model, Seeded: c.Seeded, Runs: band(c.Runs), Missed: c.Missed}
			for _, b := range c.Curve {
				r.Curve = append(r.Curve, band(b))
			}
			one.Strategies = append(one.Strategies, r)
		}
		out.Of = append(out.Of, one)
	}
	return out, nil
}

// Write prints a table for each program.
func (r *Replay) Write(w io.Writer) error {
	for i, p := range r.Of {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s, the best takes %s; %s\n", p.Program, format.Count(p.Configurations, "configuration"), format.Seconds(p.Best), format.Count(r.Seeds, "seed"))
		header := []string{"strategy", "model", ">runs to 95 %", ">median"}
		at := shown(len(p.Strategies[0].Curve))
		for _, n := range at {
			header = append(header, fmt.Sprintf(">after %d", n))
		}
		t := format.NewTable(header...)
		for _, s := range p.Strategies {
			row := []string{s.Strategy, s.model(), s.Runs.text("%.1f"), fmt.Sprintf("%.0f", s.Runs.Median)}
			for _, n := range at {
				row = append(row, s.Curve[n-1].text("%.2f"))
			}
			t.Row(row...)
		}
		if err := t.Write(w); err != nil {
			return err
		}
	}
	return nil
}

// model says what a strategy has of the predictions.
func (r replayed) model() string {
	switch {
	case r.Model:
		return "yes"
	case r.Seeded:
		return "first runs"
	}
	return "no"
}

// shown are the numbers of runs for which curves are printed.
func shown(points int) (out []int) {
	return lists.Where([]int{5, 10, 20, 50}, func(n int) bool { return n <= points })
}

// text is the mean with half of its interval; a dash where some seeds have found nothing that runs.
func (b band) text(form string) string {
	if math.IsInf(b.Mean, 0) {
		return "-"
	}
	return fmt.Sprintf(form+" ± "+form, b.Mean, b.High-b.Mean)
}
