package campaign

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/device/measure"
	"gpuperf/internal/parallel"
	"gpuperf/internal/warning"
	"gpuperf/samples"
	"gpuperf/workload"
)

// Result has a record for each of a list of tasks or kernels, in their order, and warnings about them.
type Result struct {
	Records  []samples.Record
	Warnings []string
}

// leastAhead is the number of programs from which on they are built ahead, by several workers.
const leastAhead = 8

// Measure returns a record for each case in one state of the caches. A case that fails is a record with its status. Parallel work is done
// before anything is timed: generating sources, building programs, comparing results with the reference. Cases that the journal has
// need none of it.
func (c *Campaign) Measure(ctx context.Context, mode samples.Mode, cases []*workload.Case) (*Result, error) {
	tasks, warnings, err := c.Tasks(ctx, mode, cases)
	if err != nil {
		return nil, err
	}
	return c.Take(ctx, tasks, warnings)
}

// Tasks are cases as they run in one state of the caches, prepared: their programs are built, and it is known what their results are compared with.
func (c *Campaign) Tasks(ctx context.Context, mode samples.Mode, cases []*workload.Case) (tasks []measure.Task, warnings []string, err error) {
	tasks = make([]measure.Task, len(cases))
	err = parallel.Try(len(cases), c.options.Jobs, func(i int) error {
		if err := cases[i].CheckInterface(c.Device.Info().Interface); err != nil {
			return inputf("%w: try --interface %s", err, cases[i].Own.Interface)
		}
		job, err := cases[i].On(c.Device.Info().Interface).Job(c.policy())
		job.Mode = mode
		tasks[i] = measure.Task{Job: job, Tags: cases[i].Tags}
		if verdict, ok := device.AsError(err); ok {
			tasks[i].Verdict = verdict
			return nil
		}
		if err == nil && c.Live() {
			tasks[i].Verdict = cases[i].Undefined()
		}
		return err
	})
	if err == nil && c.Live() {
		warnings, err = c.prepare(ctx, cases, tasks)
	}
	return tasks, warnings, err
}

// policy is how often a case runs: as options say; on a CPU for a moment, as each trial there is off by percents, whose median a few dozen make no better.
func (c *Campaign) policy() device.Policy {
	p := device.Policy{Trials: c.options.Trials, WarmUps: c.options.WarmUps, MinTime: c.options.MinTime}
	if c.Device.Info().Type == "cpu" && p == (device.Policy{}) {
		p.MinTrials, p.RelCI, p.MaxWarmUp, p.TimeLimit, p.Cutoff = 5, 0.02, 20*time.Millisecond, 80*time.Millisecond, time.Second
	}
	return p
}

// Take runs tasks that are prepared, and tells the monitor.
func (c *Campaign) Take(ctx context.Context, tasks []measure.Task, warnings []string) (*Result, error) {
	var progress func(measure.Event)
	if m := c.options.Monitor; m != nil {
		progress = m.Measuring
		defer m.Done()
	}
	start, before := time.Now(), c.waited()
	result, err := c.Run(ctx, tasks, progress)
	waited := c.waited() - before
	c.Spent.Waiting += waited
	c.Spent.Measuring += time.Since(start) - waited
	c.used = append(c.used, result.Records...)
	result.Warnings = append(warnings, result.Warnings...)
	return result, err
}

// waited is how long jobs have waited for other processes that had the device.
func (c *Campaign) waited() time.Duration {
	if remote, ok := c.Device.(*measure.Remote); ok {
		return remote.Waited()
	}
	return 0
}

// Run takes tasks through the device, and keeps the answers in the journal. When ctx ends, or the device is gone, the result holds
// the records up to there.
func (c *Campaign) Run(ctx context.Context, tasks []measure.Task, progress func(measure.Event)) (*Result, error) {
	result := &Result{}
	sweep := c.sweep()
	sweep.Progress = func(e measure.Event) {
		if e.Record != nil && !e.Reused {
			c.measured(*e.Record)
		}
		if progress != nil {
			progress(e)
		}
	}
	sweep.Watch = func(now samples.Record) { result.Warnings = append(result.Warnings, c.watch(now)...) }
	var err error
	result.Records, err = sweep.Run(ctx, tasks)
	return result, err
}

// InParts says that what is measured comes in many short calls of Run, after which the device is not watched each time.
func (c *Campaign) InParts() { c.sentinel.Later = true }

// Brief is how a search times what it tries: few trials, three of what takes long, and only one of what takes more than slow times the best time so far, in seconds, or, where
// there is none yet (+Inf), a second. What would take several times that is abandoned between two launches.
func Brief(trials int, slow, best float64) device.Policy {
	const several = 4 // so that a run which is slow by chance is not abandoned
	p := device.Policy{Trials: trials, MinTrials: trials, RelCI: -1, MinWarmUp: -1, MaxWarmUp: 1, TimeLimit: 100 * time.Millisecond, Cutoff: time.Second}
	if !math.IsInf(best, 1) {
		p.Cutoff = max(time.Duration(slow*best*1e9), 200*time.Microsecond)
	}
	p.Abandon = several * p.Cutoff
	return p
}

// Again measures tasks whatever the journal has of them, and adds the records to it when all are done.
func (c *Campaign) Again(ctx context.Context, tasks []measure.Task) ([]samples.Record, error) {
	sweep := c.sweep()
	sweep.Journal, sweep.Sentinel = nil, nil
	records, err := sweep.Run(ctx, tasks)
	if err != nil || !c.Live() {
		return records, err
	}
	for _, r := range records {
		if err := c.journal.Append(r); err != nil {
			return records, err
		}
	}
	return records, nil
}

func (c *Campaign) sweep() measure.Sweep {
	return measure.Sweep{Device: c.Device, Journal: c.journal, Again: c.again, Perf: c.options.Version, Sentinel: &c.sentinel}
}

// Build builds the programs of the tasks that Run would not find in the journal, where they are many, by several workers at once. A
// task whose program is not built within the limit gets that verdict, so that the limit is spent on it once.
func (c *Campaign) Build(ctx context.Context, tasks []measure.Task) (warnings []string, err error) {
	if !c.ahead {
		return nil, nil
	}
	var jobs []device.Job
	sweep := c.sweep()
	for _, t := range tasks {
		if sweep.Pending(t) {
			jobs = append(jobs, t.Job)
		}
	}
	ahead := measure.Ahead{Options: c.workers, Jobs: c.options.Jobs, Least: leastAhead, Keep: &c.builders}
	if m := c.options.Monitor; m != nil {
		ahead.Progress = m.Building
		defer m.Done()
	}
	ahead.Hung = func(job device.Job, verdict *device.Error) {
		for i, t := range tasks {
			if t.Job.Source == job.Source && t.Job.Options == job.Options {
				tasks[i].Verdict = verdict
			}
		}
	}
	err = ahead.Run(ctx, c.Device.Info(), jobs)
	if err != nil && ctx.Err() == nil {
		return []string{warning.SlowBuild.About("programs", "built one at a time: %v", err)}, nil
	}
	return nil, err
}

// prepare does the parallel work for tasks before they run. A kernel whose results are wrong fails its tasks.
func (c *Campaign) prepare(ctx context.Context, cases []*workload.Case, tasks []measure.Task) (warnings []string, err error) {
	sweep := c.sweep()
	start := time.Now()
	if warnings, err = c.Build(ctx, tasks); err != nil {
		return nil, err
	}
	c.Spent.Building += time.Since(start)
	start = time.Now()
	var pending []int
	for i, t := range tasks {
		if t.Verdict == nil && sweep.Pending(t) {
			pending = append(pending, i)
		}
	}
	refer := func(pending []int) {
		parallel.For(len(pending), func(i int) { c.refer(cases[pending[i]], &tasks[pending[i]]) })
	}
	small := pending
	if c.Device.Info().Type == "cpu" { // a launch of its own, for which a CPU compiles, is for kernels alone whose timed runs are not compared
		refer(pending)
		small = slices.DeleteFunc(slices.Clone(pending), func(i int) bool { return tasks[i].Check != nil || tasks[i].Verdict != nil })
	}
	if err := c.verify(ctx, small, cases); err != nil {
		return nil, err
	}
	refer(small)
	c.Spent.Verifying += time.Since(start)
	return append(warnings, unverified(pending, cases, tasks)...), nil
}

// unverified are warnings, one a kernel, about kernels that were to be compared with the interpreter and were compared at no size.
func unverified(pending []int, cases []*workload.Case, tasks []measure.Task) (warnings []string) {
	told := map[*workload.Kernel]bool{}
	for _, i := range pending {
		one, t := cases[i], tasks[i]
		if !one.Verify || told[one.Kernel] || t.Verdict != nil || len(t.Verified) > 0 || t.Unverified == "" {
			continue
		}
		told[one.Kernel] = true
		warnings = append(warnings, warning.Unverified.About(one.Program(), "results are not verified: %s", t.Unverified))
	}
	return warnings
}

// outcome is what came of verifying a kernel at a small size.
type outcome struct {
	verified   []samples.Comparison
	unverified string
	verdict    *device.Error // what is wrong with the kernel
}

// verify compares the results of the kernels of the cases with the reference interpreter, each once, at a small size. The error
// is that of a device that is gone.
func (c *Campaign) verify(ctx context.Context, pending []int, cases []*workload.Case) error {
	var todo []*workload.Case
	for _, i := range pending {
		one := cases[i]
		if _, done := c.verified[one.Kernel]; one.Verify && !done {
			c.verified[one.Kernel] = outcome{}
			todo = append(todo, one)
		}
	}
	outcomes := make([]outcome, len(todo))
	dev := &shared{Device: c.Device}
	err := parallel.Try(len(todo), c.options.Jobs, func(i int) error {
		compared, err := workload.Verify(ctx, dev, todo[i])
		switch verdict, ok := device.AsError(err); {
		case ok:
			outcomes[i].verdict = verdict
		case errors.Is(err, workload.ErrUnverified):
			outcomes[i].unverified = reason(err)
		case err != nil:
			return err
		default:
			outcomes[i].verified = []samples.Comparison{compared}
		}
		return nil
	})
	for i, one := range todo {
		c.verified[one.Kernel] = outcomes[i]
	}
	return err
}

// reason is why something is not verified.
func reason(err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), workload.ErrUnverified.Error()+": "), workload.ErrUnverified.Error()+" ")
}

// refer gives a task what verifying its kernel has shown, and has its own results compared with the reference, too: those of some
// work-groups.
func (c *Campaign) refer(one *workload.Case, t *measure.Task) {
	if !one.Verify {
		if t.Job.Expect == nil {
			t.Unverified = one.WhyUnverified()
		}
		return
	}
	small := c.verified[one.Kernel]
	t.Verdict, t.Verified, t.Unverified = small.verdict, slices.Clone(small.verified), small.unverified
	there := func(done samples.Comparison) bool { return maps.Equal(done.Sizes, one.Sizes) }
	if t.Verdict != nil || slices.ContainsFunc(t.Verified, there) || t.Job.Check(facts.Limits(c.Device.Info())) != nil {
		return
	}
	ref, err := one.TimedReference(t.Job)
	switch verdict, ok := device.AsError(err); {
	case ok:
		t.Verdict = verdict
	case err != nil && t.Unverified == "":
		t.Unverified = reason(err)
	case err == nil:
		t.Verified, t.Unverified = append(t.Verified, ref.Comparison), ""
		ref.Ask(&t.Job)
		t.Check = ref.Check
	}
}

// shared is a device for several goroutines. They wait for each other; nothing is timed.
type shared struct {
	mu sync.Mutex
	device.Device
}

func (d *shared) Run(ctx context.Context, job device.Job) (*device.Result, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.Device.Run(ctx, job)
}

// watch returns warnings from a run of the sentinel: about drift in this campaign, and about a difference from the first samples of the
// journal.
func (c *Campaign) watch(now samples.Record) (warnings []string) {
	if d := c.sentinel.Drift(); d != "" {
		warnings = append(warnings, d)
	}
	if now.Status != samples.OK {
		return append(warnings, warning.NoSentinel.About("sentinel kernel", "cannot run, so samples do not carry its time, %s: %s", now.Status, now.Error))
	}
	if now.Sentinel.Ratio != 1 || c.compared {
		return warnings
	}
	c.compared = true
	for r, err := range c.journal.Like(now.Kernel, now.Mode) {
		if err != nil {
			return append(warnings, err.Error())
		}
		if r.Status != samples.OK || !r.SameWork(now) {
			continue
		}
		const limit = 0.02 // more than a device that is as it was differs by
		if ratio := now.Seconds() / r.Seconds(); math.Abs(ratio-1) > limit {
			warnings = append(warnings, warning.Drift.About("sentinel kernel", "takes %.4g times as long as on %s, when the first samples of this file were measured",
				ratio, r.Time.Format(time.DateTime)))
		}
		break
	}
	return warnings
}

// Pending is how many of the tasks Take would measure.
func (c *Campaign) Pending(tasks []measure.Task) (n int) {
	sweep := c.sweep()
	for _, t := range tasks {
		if sweep.Pending(t) {
			n++
		}
	}
	return n
}
