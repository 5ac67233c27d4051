package tune

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/internal/format"
	"gpuperf/internal/jsonvalue"
	"gpuperf/internal/source"
	"gpuperf/lift/explore"
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
func NewReplay(ctx context.Context, path string, seeds, points int, only ...string) (*Replay, error) {
	set, err := samples.Load(path)
	if err != nil {
		return nil, err
	}
	defer set.Close()
	runs, err := runsOf(set, func(r *samples.Record) bool { return !r.IsSentinel() })
	if err != nil {
		return nil, err
	}
	if len(runs) == 0 {
		return nil, source.At(path, "", source.Pos{}, "has no samples of perf tune")
	}
	out := &Replay{File: path, Seeds: seeds}
	for _, p := range problemsOf(runs) {
		recorded, err := search.NewRecorded(p.trials)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, p.name, err)
		}
		all, err := recorded.Compare(ctx, seeds, recorded.Len(), min(points, recorded.Len()), only...)
		if err != nil {
			return nil, err
		}
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
	for _, n := range []int{5, 10, 20, 50} {
		if n <= points {
			out = append(out, n)
		}
	}
	return out
}

// text is the mean with half of its interval; a dash where some seeds have found nothing that runs.
func (b band) text(form string) string {
	if math.IsInf(b.Mean, 0) {
		return "-"
	}
	return fmt.Sprintf(form+" ± "+form, b.Mean, b.High-b.Mean)
}

// runsOf are the runs of searches that a samples file has, of those that are wanted the last of each configuration of a problem on a device.
func runsOf(set *samples.Set, of func(*samples.Record) bool) (runs []Run, err error) {
	at := map[string]int{}
	for r, err := range set.All() {
		if err != nil {
			return nil, err
		}
		c, err := configOf(r)
		if err != nil {
			return nil, fmt.Errorf("%s: sample %s: %w", set.Path, r.Kernel, err)
		}
		if c == nil || !of(r) {
			continue
		}
		run := Run{Config: c, Record: *r, Predicted: r.Metrics[predictedMetric].Value}
		key := fmt.Sprintln(problem(r.Kernel), r.Device, c)
		if n, ok := at[key]; ok {
			runs[n] = run
			continue
		}
		at[key] = len(runs)
		runs = append(runs, run)
	}
	return runs, nil
}

// isProgram reports that a file is a functional program.
func isProgram(file string) bool { return filepath.Ext(file) == ".lift" }

// configOf is the configuration that a sample is of; nil where no search has measured it.
func configOf(r *samples.Record) (search.Config, error) {
	if text, tuned := r.Tuned(); tuned {
		return search.ParseConfig(text)
	}
	if isProgram(r.Kernel.Source) {
		return explore.Recalled(r), nil
	}
	return nil, nil
}

// problem is what samples of an identity are of, whatever was chosen: the file, the kernel unless it is a choice, the sizes that are none, and the data of a functional program.
func problem(k samples.Identity) samples.Identity {
	if isProgram(k.Source) {
		return explore.Problem(k)
	}
	out := samples.Identity{Source: k.Source, Variant: k.Variant, Sizes: maps.Clone(k.Sizes)}
	if k.Args[which] != "" {
		out.Variant = ""
	}
	maps.DeleteFunc(out.Sizes, func(name string, _ int64) bool { return k.Args[name] != "" })
	return out
}

// of is the identity of a configuration of a problem of which there is no kernel.
func of(problem samples.Identity, c search.Config) samples.Identity {
	args := c.Options()
	maps.Copy(args, problem.Args)
	problem.Args = args
	return problem
}

// problemRuns are the trials of a problem on a device.
type problemRuns struct {
	name, on string
	problem  samples.Identity
	trials   []search.Trial
}

// problemsOf are the trials of each problem on a device. Each is called by its file, by all of the problem where there are others of the file, and by the device where there is
// another one. Where nothing ran, as of old samples of refused configurations, which do not have sizes, the others of the file have these trials too.
func problemsOf(runs []Run) (ran []*problemRuns) {
	var all []*problemRuns
	for _, r := range runs {
		own, on := problem(r.Record.Kernel), r.Record.Device.String()
		i := slices.IndexFunc(all, func(p *problemRuns) bool { return p.on == on && p.problem.Key() == own.Key() })
		if i < 0 {
			i, all = len(all), append(all, &problemRuns{name: own.Source, on: on, problem: own})
		}
		all[i].trials = append(all[i].trials, search.Trial{Config: r.Config, Result: result(r.Record), Predicted: r.Predicted})
	}
	for _, p := range all {
		var others []*problemRuns
		if !search.Best(p.trials).Result.Valid() {
			others = slices.DeleteFunc(slices.Clone(all), func(o *problemRuns) bool { return o == p || o.on != p.on || o.problem.Source != p.problem.Source })
		}
		for _, o := range others {
			o.trials = append(slices.Clone(p.trials), o.trials...) // of a configuration the last one counts
		}
		if len(others) == 0 {
			ran = append(ran, p)
		}
	}
	for _, p := range ran {
		for _, o := range ran {
			switch {
			case o == p || o.problem.Source != p.problem.Source:
			case o.on != p.on:
				p.name = p.problem.Key() + " on " + p.on
			case p.name == p.problem.Source:
				p.name = p.problem.Key()
			}
		}
	}
	return ran
}

// result is what a strategy is told of a run.
func result(r samples.Record) search.Result {
	out := search.Result{Seconds: Run{Record: r}.Seconds(), Parts: map[string]float64{}}
	for name, m := range r.Metrics {
		if part, ok := strings.CutPrefix(name, partMetric); ok {
			out.Parts[part] = m.Value
		}
	}
	if share := r.Compiled.Occupancy; share > 0 {
		out.Metrics = map[string]float64{"occupancy": share}
	}
	return out
}

// Seconds is the time of a run, 0 where it failed.
func (r Run) Seconds() float64 {
	if r.Record.Status != samples.OK {
		return 0
	}
	return r.Record.Seconds()
}

func byTime(a, b Run) int { return cmp.Compare(a.Seconds(), b.Seconds()) }
