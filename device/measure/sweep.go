package measure

import (
	"context"
	"fmt"
	"slices"
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
			return nil, fmt.Errorf("%s holds samples of %v, and the device is %v (%s): keep one file for each device",
				s.Journal.Path, have, dev, have.Difference(dev))
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
	if err == nil && state == samples.Fresh && comparedOtherwise(t.Job, r) {
		return samples.Record{}, samples.Missing, nil
	}
	if err == nil && state == samples.Fresh && s.Again != nil && s.Again(r) {
		return samples.Record{}, samples.Missing, err
	}
	return r, state, err
}

// comparedOtherwise reports that a sample does not tell whether the results of the job are right: it was compared with other results that a user gave. What
// a job's content covers is of other work.
func comparedOtherwise(job device.Job, r samples.Record) bool {
	e := job.Expect
	switch {
	case e == nil || job.Content != "":
		return false
	case r.Status == samples.WrongResult:
		return r.Unverified != againstGiven(e)
	case r.Status == samples.OK && len(e.Given) > 0:
		return !slices.ContainsFunc(r.Verified, func(c samples.Comparison) bool { return c.Reference == e.Job.Identity.Key() })
	}
	return false
}

// againstGiven says of wrong results that they differ from what a user gave, and need not be wrong; "" where a kernel gave the right ones.
func againstGiven(e *device.Expect) string {
	if e == nil || len(e.Given) == 0 {
		return ""
	}
	return "its results are others than those of " + e.Job.Identity.Key()
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
		if r.Status, r.Error, r.Log = e.Status, e.Message(), e.Log; r.Status == samples.WrongResult {
			r.Unverified = againstGiven(t.Job.Expect)
		}
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
	if result.Energy > 0 {
		r.SetMetric(samples.EnergyMetric, samples.Metric{Value: result.Energy, Unit: "J"})
		r.SetMetric(samples.PowerMetric, samples.Metric{Value: result.Power, Unit: "W"})
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
