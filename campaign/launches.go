package campaign

import (
	"context"
	"path/filepath"
	"time"

	"gpuperf/device"
	"gpuperf/launchfile"
	"gpuperf/measure"
	"gpuperf/samples"
)

// Launches are those that launch files describe, at sizes. All run under one interface.
type Launches struct {
	Interface samples.Interface
	jobs      []device.Job
	file      string // the first
}

// LoadLaunches loads launch files, each at all sizes.
func LoadLaunches(paths []string, sizes []map[string]int64) (*Launches, error) {
	absolute := make([]string, len(paths))
	for i, path := range paths {
		var err error
		if absolute[i], err = filepath.Abs(path); err != nil {
			return nil, err
		}
	}
	all, labels := &Launches{file: paths[0]}, distinct(absolute)
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
			job, err := f.Job(at)
			if err != nil {
				return nil, err
			}
			job.Identity.Source = labels[i]
			all.jobs = append(all.jobs, job)
		}
	}
	return all, nil
}

// AgainstLast pairs the launches of each file with those of the last, at the same sizes: each two are a pair.
func (l *Launches) AgainstLast(sizes int) *Launches {
	pairs, last := &Launches{Interface: l.Interface, file: l.file}, len(l.jobs)-sizes
	for i := range last {
		pairs.jobs = append(pairs.jobs, l.jobs[i], l.jobs[last+i%sizes])
	}
	return pairs
}

// AgainstLaunches is Against for launches of which each two are a pair.
func (c *Campaign) AgainstLaunches(ctx context.Context, mode samples.Mode, pairs *Launches) ([]Against, *Result, error) {
	return c.inTurns(ctx, mode, pairs.jobs, func() (*Result, error) { return c.MeasureLaunches(ctx, mode, pairs) })
}

// Len is the number of launches.
func (l *Launches) Len() int { return len(l.jobs) }

// MeasureLaunches is Measure for launch files.
func (c *Campaign) MeasureLaunches(ctx context.Context, mode samples.Mode, launches *Launches) (*Result, error) {
	if on := c.Device.Info().Interface; on != launches.Interface {
		return nil, inputf("%s runs under %s, and the device is driven by %s", launches.file, launches.Interface, on)
	}
	tasks := make([]measure.Task, len(launches.jobs))
	for i, job := range launches.jobs {
		job.Policy.Trials, job.Mode = c.options.Trials, mode
		tasks[i] = measure.Task{Job: job}
		if job.Expect == nil {
			tasks[i].Unverified = "its launch file has no expect"
		}
	}
	var warnings []string
	if c.Live() {
		start := time.Now()
		var err error
		if warnings, err = c.Build(ctx, tasks); err != nil {
			return nil, err
		}
		c.Spent.Building += time.Since(start)
	}
	return c.take(ctx, tasks, warnings)
}
