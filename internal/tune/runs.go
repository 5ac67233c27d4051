package tune

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/lift/explore"
	"gpuperf/samples"
	"gpuperf/search"
)

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
