package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/device/measure"
	"gpuperf/internal/campaign"
	"gpuperf/internal/parallel"
	"gpuperf/launch"
	"gpuperf/lift/rank"
	"gpuperf/samples"
)

// Search runs points of a space on a device.
type Search struct {
	Space  *Space
	Budget int    // points to run, at most; 0 is 40
	Order  string // of Orders; "" is the first
	Ranker string // of package rank, for the order rank; "" is rank.Default
	Train  *rank.Set
	Seed   int64
	Static launch.Options

	// Campaign builds and runs the points; to resume a search, its device must be live.
	Campaign *campaign.Campaign
	// Vectors is the file to which the vectors of the points are appended; "" for none.
	Vectors string
	// Trials of a point; 0 is 4. The fastest points, as many as Best (0 is 5), are then run again with Final.
	Trials int
	Best   int
	Final  device.Policy
	// Slow is the multiple of the best time so far above which a point is not run again: its first run is its time. 0 is 20.
	Slow float64
	// Round is the number of points that an order selects at once; 0 is a quarter of the budget, at most 10, for orders that
	// learn, and the whole budget for the others.
	Round int
	// For, if not 0, is the time after which no more points are chosen. Enough, if not 0, ends the search where the probability that as many points as
	// have run find a better one is below it; only the order rank tells.
	For    time.Duration
	Enough float64
	// Progress, if not nil, is called after every run.
	Progress func(Event)

	began    time.Time
	warnings []string
	kept     *rank.Kept
}

// Event reports a point that was run.
type Event struct {
	Done, Budget int
	Point        *Point
	Record       samples.Record
	Reused       bool // the answer was in the journal
	Best         bool // it is the fastest so far
}

// Run is a point with its record.
type Run struct {
	Point  *Point
	Record samples.Record
	After  time.Duration // how long the search had taken when the run had ended, deriving aside; 0 where the journal had the answer
}

// Seconds is the time of a run, +Inf if it failed.
func (r Run) Seconds() float64 {
	if r.Record.Status != samples.OK {
		return math.Inf(1)
	}
	return r.Record.Seconds()
}

// Result is the result of a search.
type Result struct {
	Runs      []Run // in the order in which they were run
	Best      []Run // the fastest first, with their times from the final measurement
	Statuses  map[samples.Status]int
	Left      int // selected points that could not be lowered or described
	Reasons   map[string]int
	Reference *Reference
	Verified  map[string]int64 // the sizes at which the reference was compared with the semantics
	Warnings  []string
	Stopped   string    // why the search ended before its budget; "" if it did not
	Forecast  *Forecast // nil where nothing is known

	space  *Space
	device *facts.Device // for roofs
}

// The limit for slow points is adapted after each chunk; the size of chunks grows with the number of runs.
const leastChunk, mostChunk = 10, 200

// Run explores. An interrupted search resumes from the journal: recorded points are not run again.
func (s *Search) Run(ctx context.Context) (*Result, error) {
	s.began = time.Now()
	s.Budget, s.Trials, s.Best, s.Slow = cmp.Or(s.Budget, 40), cmp.Or(s.Trials, 4), cmp.Or(s.Best, 5), cmp.Or(s.Slow, 20)
	result := &Result{space: s.Space, device: s.Static.Device, Statuses: map[samples.Status]int{}, Reasons: map[string]int{}}
	o, err := s.newOrder()
	if err != nil {
		return nil, err
	}
	if result.Reference, err = s.Space.Reference(); err != nil {
		return nil, err
	}
	var expect *device.Expect
	if expect, result.Verified, err = result.Reference.Verified(ctx, s.Campaign.Device, &s.warnings); err != nil {
		return nil, err
	}
	round := s.Round
	if round == 0 {
		round = s.Budget
		if s.Order == "" || s.Order == "rank" || s.Order == "descent" {
			round = min(max(s.Budget/4, 1), 10)
		}
		if s.For > 0 {
			round = min(round, 10) // between which the time is looked at
		}
	}
	var outcomes []outcome
	var first time.Time
	for len(result.Runs) < s.Budget {
		points, err := o.next(outcomes, s.fitting(min(round, s.Budget-len(result.Runs)), len(result.Runs), first))
		if err != nil {
			return result, err
		}
		if r, ok := o.(*ranked); ok {
			result.Forecast = r.hope
		}
		if result.Stopped = s.stops(o, len(result.Runs)); len(points) == 0 || result.Stopped != "" {
			break
		}
		if first.IsZero() {
			first = time.Now()
		}
		runs, err := s.run(ctx, points, expect, result)
		for _, r := range runs {
			outcomes = append(outcomes, outcome{r.Point, r.Seconds()})
		}
		if err != nil {
			return result, err
		}
		// Points that could not be lowered are counted as well, but do not use the budget.
		for _, p := range points {
			if p.Err != nil {
				result.Left++
				result.Reasons[reason(p.Err)]++
			}
		}
	}
	result.Warnings = s.warnings
	return result, s.again(ctx, expect, result)
}

// reason is the text of an error with numbers masked, so that similar errors of points are counted together.
func reason(err error) string {
	text := err.Error()
	for e := errors.Unwrap(err); e != nil; e = errors.Unwrap(e) {
		text = e.Error()
	}
	out := []rune(text)
	for i, r := range out {
		if r >= '0' && r <= '9' {
			out[i] = '#'
		}
	}
	return string(out[:min(len(out), 100)])
}

// run runs points in chunks and records the results.
func (s *Search) run(ctx context.Context, points []*Point, expect *device.Expect, result *Result) (done []Run, err error) {
	s.Space.Prepare(points, s.Static)
	jobs := make([]device.Job, len(points))
	parallel.For(len(points), func(i int) {
		p := points[i]
		if p.Err != nil {
			return
		}
		if jobs[i], p.Err = s.Space.Job(p, device.Policy{}); p.Err == nil {
			jobs[i].Expect = expect
		}
	})
	var ready []int
	var tasks []measure.Task
	vectors := rank.Vectors{Names: s.Space.names}
	for i, p := range points {
		if p.Err != nil {
			continue
		}
		ready = append(ready, i)
		vectors.List = append(vectors.List, *p.Vector)
		tasks = append(tasks, measure.Task{Job: jobs[i], Tags: rank.Tags(p.Variant.Recipe)})
	}
	if s.Vectors != "" && len(vectors.List) > 0 {
		if s.kept == nil {
			s.kept = &rank.Kept{Path: s.Vectors}
		}
		told, err := s.kept.Add(vectors)
		for _, w := range told {
			s.warnings = append(s.warnings, w.Error())
		}
		if err != nil {
			return nil, err
		}
	}
	warnings, err := s.Campaign.Build(ctx, tasks)
	if s.warnings = append(s.warnings, warnings...); err != nil {
		return nil, err
	}
	best := math.Inf(1)
	for _, r := range result.Runs {
		best = min(best, r.Seconds())
	}
	for len(ready) > 0 {
		n := min(len(ready), max(leastChunk, min(len(result.Runs), mostChunk)))
		part, todo := ready[:n], tasks[:n]
		ready, tasks = ready[n:], tasks[n:]
		for i := range todo {
			todo[i].Job.Policy = campaign.Brief(s.Trials, s.Slow, best)
		}
		ran, err := s.Campaign.Run(ctx, todo, func(e measure.Event) {
			if e.Record == nil {
				return
			}
			r := Run{Point: points[part[e.Index]], Record: *e.Record}
			if !e.Reused {
				r.After = time.Since(s.began)
			}
			done = append(done, r)
			result.Runs = append(result.Runs, r)
			result.Statuses[r.Record.Status]++
			t := r.Seconds()
			if s.Progress != nil {
				s.Progress(Event{Done: len(result.Runs), Budget: s.Budget, Point: r.Point, Record: r.Record, Reused: e.Reused, Best: t < best})
			}
			best = min(best, t)
		})
		if s.warnings = append(s.warnings, ran.Warnings...); err != nil {
			return done, err
		}
	}
	return done, nil
}

// again measures the fastest points again with the final policy.
func (s *Search) again(ctx context.Context, expect *device.Expect, result *Result) error {
	good := slices.DeleteFunc(slices.Clone(result.Runs), func(r Run) bool { return r.Record.Status != samples.OK })
	byTime := func(a, b Run) int { return cmp.Compare(a.Seconds(), b.Seconds()) }
	slices.SortStableFunc(good, byTime)
	good = good[:min(len(good), s.Best)]
	var tasks []measure.Task
	var at []int
	for i, r := range good {
		if len(r.Record.Trials) > s.Trials {
			continue // it was already measured with the final policy
		}
		job, err := s.Space.Job(r.Point, s.Final)
		if err != nil {
			return err
		}
		job.Expect = expect
		tasks = append(tasks, measure.Task{Job: job, Tags: r.Record.Tags})
		at = append(at, i)
	}
	if len(tasks) > 0 {
		records, err := s.Campaign.Again(ctx, tasks)
		if err != nil {
			return err
		}
		for i, r := range records {
			good[at[i]].Record = r
		}
	}
	slices.SortStableFunc(good, byTime)
	result.Best = good
	return nil
}

// String is the event as a line of progress.
func (e Event) String() string {
	of := fmt.Sprintf("/%d", e.Budget)
	if e.Budget == math.MaxInt32 { // the time is the limit
		of = ""
	}
	what := fmt.Sprintf("[%d%s] %s, %s", e.Done, of, e.Point.Variant.ID, e.Point.Range)
	if e.Record.Status != samples.OK {
		return fmt.Sprintf("%s  %s: %s", what, e.Record.Status, e.Record.Error)
	}
	return what
}
