package campaign

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuperf/device"
	"gpuperf/device/measure"
	"gpuperf/internal/frontend"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/launchfile"
	"gpuperf/samples"
	"gpuperf/sass"
	"gpuperf/workload"
)

// listed is what the machine code of a launch file holds where a listing of it lies beside it: a disassembler takes longer than measuring.
func listed(f *launchfile.File, job device.Job) *samples.Code {
	if f.Program() == "" {
		return nil
	}
	l := sass.Beside(f.Program(), job.Image, job.Entry)
	if l == nil {
		return nil
	}
	return l.Functions[0].Code(job.Arrays())
}

// Launches are those that launch files describe, at sizes. All run under one interface.
type Launches struct {
	Interface samples.Interface
	jobs      []device.Job
	verdicts  map[string]*device.Error // on jobs that cannot run on any device, by their identities
	sizes     int                      // of each file, one after the other in jobs
	file      string                   // the first
}

// Jobs are the launches as jobs.
func (l *Launches) Jobs() (jobs []device.Job) {
	if l != nil {
		jobs = slices.Clone(l.jobs)
	}
	return jobs
}

// AreLaunches reports whether arguments, or what they are to be compared with, are launch files and neither scripts nor tags.
func AreLaunches(args []string, against string) bool {
	return slices.ContainsFunc(append(slices.Clone(args), against), isLaunch)
}

// SplitLaunches tells launch files whose kernels have no counts from files with kernels. Notes say why.
func SplitLaunches(ctx context.Context, o frontend.Options, args []string) (files, launches, notes []string) {
	for _, arg := range args {
		if isLaunch(arg) {
			_, err := o.Load(ctx, arg, args...)
			if _, refused := device.AsError(err); err != nil && !refused { // what cannot run has no measured time either
				launches = append(launches, arg)
				notes = append(notes, warning.NotCounted.About(arg, "ranked by its measured time: %s", firstLine(err)))
				continue
			}
		}
		files = append(files, arg)
	}
	return files, launches, notes
}

// Interfaces are those that launches and cases whose sources exist run under, in their order.
func (l *Launches) Interfaces(cases []*workload.Case) (all []samples.Interface) {
	if l.Any() {
		all = append(all, l.Interface)
	}
	for _, c := range cases {
		if c.Own != nil {
			all = append(all, c.Own.Interface)
		}
	}
	return all
}

// Any reports whether there are launches.
func (l *Launches) Any() bool { return l != nil && len(l.jobs) > 0 }

// Compare fills in how the samples of several files compare with the fastest at the same sizes and in the same state of the caches.
func (l *Launches) Compare(list []Sample) {
	if len(l.jobs) == l.sizes {
		return
	}
	modes, fastest := len(list)/len(l.jobs), map[[2]int]float64{}
	group := func(i int) [2]int { return [2]int{i / modes % l.sizes, i % modes} }
	for i, s := range list {
		if before, ok := fastest[group(i)]; s.Status == samples.OK && (!ok || s.Seconds() < before) {
			fastest[group(i)] = s.Seconds()
		}
	}
	for i := range list {
		if s := &list[i]; s.Status == samples.OK {
			s.OfFastest = s.Seconds() / fastest[group(i)]
		}
	}
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

func isLaunch(arg string) bool { return slices.Contains(launchfile.Extensions, filepath.Ext(arg)) }

// LoadLaunches loads launch files, each at all sizes. Where they are to be compared with another, each two launches are a pair: one of
// them, and the other's at its sizes.
func LoadLaunches(ctx context.Context, paths []string, against string, sizes []map[string]int64) (_ *Launches, err error) {
	defer throw.Catch(&err)
	if against != "" {
		paths = append(slices.Clone(paths), against)
	}
	all := &Launches{verdicts: map[string]*device.Error{}}
	if len(paths) == 0 {
		return all, nil
	}
	if i := slices.IndexFunc(paths, func(path string) bool { return !isLaunch(path) }); i >= 0 {
		return nil, inputf("%s is no launch file, and the others are: measure them one after the other", paths[i])
	}
	absolute := make([]string, len(paths))
	for i, path := range paths {
		absolute[i] = throw.Get(filepath.Abs(path))
	}
	all.file, all.sizes = paths[0], len(sizes)
	labels := distinct(absolute)
	for i, path := range paths {
		f, err := launchfile.Load(path)
		switch {
		case err != nil:
			return nil, err
		case i == 0:
			all.Interface = f.Interface
		case f.Interface != all.Interface:
			return nil, inputf("%s runs under %s, and %s under %s: measure them one after the other", all.file, all.Interface, path, f.Interface)
		}
		for _, at := range sizes {
			job := throw.Get(f.Job(at))
			job.Identity.Source, job.Code = labels[i], listed(f, job)
			all.jobs = append(all.jobs, job)
			verdict, _ := throw.Get2(frontend.CheckLaunch(ctx, f, at))
			if verdict != nil {
				all.verdicts[job.Identity.Key()] = verdict
			}
		}
	}
	if against != "" {
		all.jobs = withLast(all.jobs, len(sizes))
	}
	return all, nil
}

// withLast pairs jobs with the last of them, of which there is one for each size.
func withLast(jobs []device.Job, sizes int) (pairs []device.Job) {
	last := len(jobs) - sizes
	for i := range last {
		pairs = append(pairs, jobs[i], jobs[last+i%sizes])
	}
	return pairs
}

// AgainstLaunches is Against for launches of which each two are a pair.
func (c *Campaign) AgainstLaunches(ctx context.Context, mode samples.Mode, pairs *Launches) ([]Against, *Result, error) {
	return c.inTurns(ctx, mode, pairs.jobs, func() (*Result, error) { return c.MeasureLaunches(ctx, mode, pairs) })
}

// MeasureLaunches is Measure for launch files.
func (c *Campaign) MeasureLaunches(ctx context.Context, mode samples.Mode, launches *Launches) (_ *Result, err error) {
	defer throw.Catch(&err)
	tasks := throw.Get(c.launchTasks(mode, launches))
	var warnings []string
	if c.Live() {
		start := time.Now()
		warnings = throw.Get(c.Build(ctx, tasks))
		c.Spent.Building += time.Since(start)
	}
	return c.Take(ctx, tasks, warnings)
}

// RecordedLaunches is MeasureLaunches of what was measured before: it measures nothing.
func (c *Campaign) RecordedLaunches(ctx context.Context, mode samples.Mode, launches *Launches) (*Result, error) {
	tasks, err := c.launchTasks(mode, launches)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(tasks, c.sweep().Pending); c.Live() && i >= 0 {
		return nil, inputf("%s has not been measured with %s caches, and a launch file has no counts to predict its time from: give --measure",
			tasks[i].Job.Identity, mode)
	}
	return c.Take(ctx, tasks, nil)
}

func (c *Campaign) launchTasks(mode samples.Mode, launches *Launches) ([]measure.Task, error) {
	if on := c.Device.Info().Interface; launches.Any() && on != launches.Interface {
		return nil, inputf("%s runs under %s, and the device is driven by %s: try --interface %s", launches.file, launches.Interface, on, launches.Interface)
	}
	tasks := make([]measure.Task, len(launches.jobs))
	for i, job := range launches.jobs {
		o := c.options
		job.Policy.Trials, job.Policy.WarmUps, job.Policy.MinTime, job.Mode = o.Trials, o.WarmUps, o.MinTime, mode
		tasks[i] = measure.Task{Job: job}
		if c.Live() {
			tasks[i].Verdict = launches.verdicts[job.Identity.Key()]
		}
		if job.Expect == nil {
			tasks[i].Unverified = "its launch file has no expect"
		}
	}
	return tasks, nil
}
