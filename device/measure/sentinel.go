package measure

import (
	"cmp"
	"context"
	_ "embed"
	"math"
	"time"

	"gpuperf/device"
	"gpuperf/internal/warning"
	"gpuperf/samples"
)

// Sentinel watches whether a device stays as fast as it was: a kernel that never changes is timed when a session begins
// to measure, every so often, and when a sweep ends. Every record carries the latest of these times. One Sentinel serves
// all sweeps of a session. Its zero value is the default.
type Sentinel struct {
	Every time.Duration // run again after so long; 0 is 30 s
	Tasks int           // run again after so many measurements; 0 is 50
	Limit float64       // a drift beyond this part of the first time is a doubt; 0 is 0.02
	Later bool          // sweeps do not end with a run, since many short ones follow each other

	first, last *samples.Sentinel
	since       int // measurements since the last run
	failed      bool
}

// sentinelSources load and stores once, and multiply and add in four chains in between, so that the clocks of the
// processors and those of the memory both bear on its time.
var sentinelSources = map[samples.Interface]string{samples.OpenCL: sentinelCL, samples.CUDA: sentinelCU}

var (
	//go:embed sentinel.cl
	sentinelCL string
	//go:embed sentinel.cu
	sentinelCU string
)

// Numbers of work-groups of 256 per compute unit: together they take some 100 µs on a large GPU. A compute unit of a CPU runs one work-item where one
// of a GPU runs tens.
const (
	sentinelGroups    = 128
	sentinelGroupsCPU = 4
)

// SentinelJob is the launch of the sentinel on a device: the same at all times.
func SentinelJob(dev samples.Fingerprint) device.Job {
	group := int64(256)
	if dev.MaxWorkGroup > 0 {
		group = min(group, dev.MaxWorkGroup)
	}
	groups, warmUp := int64(sentinelGroups), 200*time.Millisecond
	if dev.Type == "cpu" { // its clocks have risen while the kernel was compiled, and what makes its times unsteady does not end
		groups, warmUp = sentinelGroupsCPU, 20*time.Millisecond
	}
	items := max(dev.ComputeUnits, 1) * groups * group
	return device.Job{
		Identity: samples.Identity{Source: samples.SentinelSource, Sizes: map[string]int64{"items": items}},
		Source:   sentinelSources[dev.Interface],
		Entry:    "sentinel",
		Global:   []int64{items},
		Local:    []int64{group},
		Reuse:    true, // to fill its buffers takes much longer than to run it
		Args: []device.Arg{
			{Name: "x", Kind: device.Buffer, DType: "float32", Count: 4 * items, Seed: 1, Read: true},
			{Name: "y", Kind: device.Buffer, DType: "float32", Count: 4 * items, Seed: 2, Write: true},
		},
		Policy: device.Policy{Trials: 15, MinTrials: 5, MaxWarmUp: warmUp, TimeLimit: 100 * time.Millisecond},
	}
}

// due reports whether the sentinel is to run before the next measurement.
func (s *Sentinel) due(now time.Time) bool {
	if s.failed || s.last == nil {
		return !s.failed
	}
	return s.since >= cmp.Or(s.Tasks, 50) || now.Sub(s.last.Time) >= cmp.Or(s.Every, 30*time.Second)
}

// Drift warns that times taken since the last run are doubtful; "" is no warning.
func (s *Sentinel) Drift() string {
	if s.last == nil || math.Abs(s.last.Ratio-1) <= cmp.Or(s.Limit, 0.02) {
		return ""
	}
	return warning.Drift.About("", "the sentinel kernel took %.4g times what it took first, the device does not run as it did when the session began", s.last.Ratio)
}

// mark notes a measurement, and says on its record how the device was before it.
func (s *Sentinel) mark(r *samples.Record) {
	s.since++
	r.Sentinel = s.last
	if d := s.Drift(); d != "" && r.Status == samples.OK {
		r.Warnings = append(r.Warnings, d)
	}
}

// runSentinel times the sentinel and keeps its record in the journal. Where it cannot run, samples go without.
func (s Sweep) runSentinel(ctx context.Context) error {
	w := s.Sentinel
	r, err := s.measure(ctx, Task{Job: SentinelJob(s.Device.Info().Fingerprint)})
	switch {
	case err != nil:
		return err
	case r.Status == samples.Interrupted:
		return stopped(ctx)
	}
	if r.Status == samples.OK {
		now := &samples.Sentinel{Seconds: r.Seconds(), Ratio: 1, Time: r.Time}
		if w.first == nil {
			w.first = now
		}
		now.Ratio = now.Seconds / w.first.Seconds
		w.last, w.since = now, 0
	} else {
		w.failed = true
	}
	r.Sentinel = w.last // a run's own record says how it stands to the first
	if d := w.Drift(); d != "" {
		r.Warnings = append(r.Warnings, d)
	}
	if err := s.Journal.Append(r); err != nil {
		return err
	}
	if s.Watch != nil {
		s.Watch(r)
	}
	return nil
}
