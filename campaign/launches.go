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

// Launch is a launch file at sizes.
type Launch struct {
	File  *launchfile.File
	Sizes map[string]int64
	label string // of the samples, where the file's own name is not enough
}

// LoadLaunches loads launch files, each at all sizes. They must run under one interface.
func LoadLaunches(paths []string, sizes []map[string]int64) (launches []Launch, err error) {
	absolute := make([]string, len(paths))
	for i, path := range paths {
		if absolute[i], err = filepath.Abs(path); err != nil {
			return nil, err
		}
	}
	labels := distinct(absolute)
	for i, path := range paths {
		f, err := launchfile.Load(path)
		if err != nil {
			return nil, err
		}
		if len(launches) > 0 && f.Interface != launches[0].File.Interface {
			return nil, inputf("%s runs under %s, and %s under %s: measure them one after the other",
				launches[0].File.Path, launches[0].File.Interface, path, f.Interface)
		}
		for _, at := range sizes {
			launches = append(launches, Launch{f, at, labels[i]})
		}
	}
	return launches, nil
}

// MeasureLaunches is Measure for launch files.
func (c *Campaign) MeasureLaunches(ctx context.Context, mode samples.Mode, launches []Launch) (*Result, error) {
	tasks := make([]measure.Task, len(launches))
	for i, l := range launches {
		if on := c.Device.Info().Interface; on != l.File.Interface {
			return nil, inputf("%s runs under %s, and the device is driven by %s", l.File.SourceFile(), l.File.Interface, on)
		}
		job, err := l.File.Job(l.Sizes, device.Policy{Trials: c.options.Trials})
		if err != nil {
			return nil, err
		}
		job.Identity.Source, job.Mode = l.label, mode
		tasks[i] = measure.Task{Job: job}
		if job.Expect == nil {
			tasks[i].Unverified = "its launch file expects nothing"
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
