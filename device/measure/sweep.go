package measure

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"gpuperf/device"
	"gpuperf/internal/warning"
	"gpuperf/samples"
)

// Task is a job, and what belongs to its sample.
type Task struct {
	Job  device.Job
	Tags []string
	// Check compares the outputs that Job.Keep names, as they are after one run on the seeded data, with a reference; an
	// error makes the sample a wrong result. It may be nil.
	Check func(outputs map[string][]byte) error
	// Metrics reads numbers of the sample from these outputs. It may be nil.
	Metrics func(outputs map[string][]byte) (map[string]samples.Metric, error)
	// Verdict, if not nil, is the answer: the job is not run, as it is known to be at fault.
	Verdict *device.Error
	// Verified and Unverified are those of the sample, where Check does not find its outputs wrong.
	Verified   []samples.Comparison
	Unverified string
}

// Sweep takes tasks through a device and keeps the answers.
type Sweep struct {
	Device  device.Device
	Journal *samples.Journal // where answers are looked up and kept; nil is nowhere
	// Again chooses samples of the journal that are measured again; nil is none.
	Again    func(samples.Record) bool
	Perf     string      // version of this program, for the records
	Progress func(Event) // called before and after each task; nil is not at all
	// Sentinel watches the device between the tasks that are measured; nil is not at all, and neither without a journal.
	Sentinel *Sentinel
	Watch    func(samples.Record) // called with the record of each sentinel run; nil is not at all
}

// Event tells of a task's progress.
type Event struct {
	Index  int // of the task
	Total  int // of tasks
	Task   Task
	Record *samples.Record // the answer; nil when the task is about to run
	Reused bool            // the answer was in the journal
	Stale  bool            // the journal's answer is of another source, and is measured anew
}

// Run returns a record for each task, in order. A task that fails is a record with its status, and the next one is taken
// up. Run ends early, with the records up to there, when ctx ends, when the journal cannot be
// written, or when there is no device any more. What an ended ctx interrupts leaves no record.
func (s Sweep) Run(ctx context.Context, tasks []Task) ([]samples.Record, error) {
	dev := s.Device.Info().Fingerprint
	if s.Journal != nil {
		if have, ok := s.Journal.Device(); ok && !have.Same(dev) {
			return nil, fmt.Errorf("%s holds samples of %v, and the device is %v: keep one file for each device",
				s.Journal.Path, have, dev)
		}
	}
	progress := s.Progress
	if progress == nil {
		progress = func(Event) {}
	}
	records := make([]samples.Record, 0, len(tasks))
	watching := s.Sentinel != nil && s.Journal != nil
	for i, t := range tasks {
		old, state, err := s.find(t)
		if err != nil {
			return records, err
		}
		e := Event{Index: i, Total: len(tasks), Task: t, Stale: state == samples.Stale}
		if state == samples.Fresh {
			e.Record, e.Reused = &old, true
			records = append(records, old)
			progress(e)
			continue
		}
		if ctx.Err() != nil {
			return records, context.Cause(ctx)
		}
		watched := watching && t.Verdict == nil
		if watched && s.Sentinel.due(time.Now()) {
			if err := s.runSentinel(ctx); err != nil {
				return records, err
			}
		}
		progress(e)
		r, err := s.measure(ctx, t)
		if err != nil {
			return records, err
		}
		if r.Status == samples.Interrupted {
			return records, stopped(ctx)
		}
		if watched {
			s.Sentinel.mark(&r)
		}
		if s.Journal != nil {
			if err := s.Journal.Append(r); err != nil {
				return records, err
			}
		}
		records = append(records, r)
		e.Record = &r
		progress(e)
	}
	if watching && !s.Sentinel.Later && s.Sentinel.since > 0 && !s.Sentinel.failed {
		return records, s.runSentinel(ctx)
	}
	return records, nil
}

func stopped(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("the device stopped the run")
}

// Pending reports whether Run would measure the task, and not find its answer in the journal. An error of the journal is left to Run.
func (s Sweep) Pending(t Task) bool {
	_, state, err := s.find(t)
	return err != nil || state != samples.Fresh
}

func (s Sweep) find(t Task) (samples.Record, samples.Freshness, error) {
	if s.Journal == nil {
		return samples.Record{}, samples.Missing, nil
	}
	r, state, err := s.Journal.Find(t.Job.Record())
	if err == nil && state == samples.Fresh && s.Again != nil && s.Again(r) {
		return samples.Record{}, samples.Missing, err
	}
	return r, state, err
}

// measure runs a task. The error is only of what ends the sweep.
func (s Sweep) measure(ctx context.Context, t Task) (samples.Record, error) {
	r := t.Job.Record()
	r.Tags, r.Perf, r.Device = t.Tags, s.Perf, s.Device.Info().Fingerprint
	var result *device.Result
	var err error
	if t.Verdict != nil {
		err = t.Verdict
	} else {
		result, err = s.Device.Run(ctx, t.Job)
	}
	r.Time = time.Now().UTC().Truncate(time.Millisecond)
	if e, ok := device.AsError(err); ok {
		r.Status, r.Error, r.Log = e.Status, e.Message(), e.Log
		return r, nil
	}
	if err != nil {
		return r, err
	}
	if result.Recorded != nil {
		old := *result.Recorded
		old.Warnings = result.Warnings
		return old, nil
	}
	r.Status = samples.OK
	r.Clocks = result.Clocks
	r.Trials, r.Compiled, r.BuildTime = result.Trials, result.Compiled, result.BuildTime.Seconds()
	summary := samples.Summarize(r.Trials)
	r.Summary = &summary
	r.Warnings = append(result.Warnings, doubts(summary, len(r.Trials))...)
	if t.Check != nil {
		if err := t.Check(result.Outputs); err != nil {
			r.Status, r.Error = samples.WrongResult, err.Error()
			if e, ok := device.AsError(err); ok {
				r.Error = e.Msg
			}
			return r, nil
		}
	}
	if t.Metrics != nil {
		if r.Metrics, err = t.Metrics(result.Outputs); err != nil {
			r.Status, r.Error = samples.WrongResult, err.Error()
			return r, nil
		}
	}
	r.Verified, r.Unverified = t.Verified, t.Unverified
	switch e := t.Job.Expect; {
	case result.Unverified != "":
		r.Unverified = result.Unverified
	case e != nil:
		r.Verified = append(r.Verified, samples.Comparison{Sizes: t.Job.Identity.Sizes, Tolerance: e.Tolerance, Reference: e.Job.Identity.Key()})
	}
	return r, nil
}

// doubts says what of a summary should be known to those who use its median.
func doubts(s samples.Summary, trials int) (out []string) {
	const wide, many = 0.05, 0.1 // of the median, and of the trials: more than quiet devices show
	if s.Width() > wide {
		out = append(out, warning.Noisy.About("", "the median is known only to %.0f %%", 100*s.Width()))
	}
	if float64(s.Outliers) > many*float64(trials) {
		out = append(out, warning.Noisy.About("", "%d of %d trials are outliers", s.Outliers, trials))
	}
	return out
}

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
var sentinelSources = map[samples.Interface]string{
	samples.OpenCL: `
__kernel void sentinel(__global const float4 *x, __global float4 *y) {
  size_t i = get_global_id(0);
  float4 a = x[i], s = a;
  for (int k = 0; k < 256; k++) s = s * 0.5f + a;
  y[i] = s;
}
`,
	samples.CUDA: `
extern "C" __global__ void sentinel(const float4 *x, float4 *y) {
  size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x;
  float4 a = x[i], s = a;
  for (int k = 0; k < 256; k++) s = make_float4(s.x * 0.5f + a.x, s.y * 0.5f + a.y, s.z * 0.5f + a.z, s.w * 0.5f + a.w);
  y[i] = s;
}
`,
}

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
	groups := int64(sentinelGroups)
	if dev.Type == "cpu" {
		groups = sentinelGroupsCPU
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
		Policy: device.Policy{Trials: 15, MinTrials: 5, MaxWarmUp: 200 * time.Millisecond, TimeLimit: 2 * time.Second},
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
