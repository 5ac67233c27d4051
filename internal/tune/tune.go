// Package tune searches configurations of programs for fast ones, on a device.
//
// A [Target] is what is tuned: a space (package search), and what its configurations are as jobs that are verified. There are those of kernel scripts
// with tunables (script.go), of launch files with parameters (cases.go), of loop nests in C (nest.go) and of functional programs (lift.go); Open chooses by the file. A [Search] has a
// strategy propose configurations, runs them as a campaign, and reports (report.go). A model's predictions order candidates where there is a profile.
// What a journal has of earlier searches can be replayed by all strategies, to compare them (replay.go). Of functional programs, recipes are chosen for ranges of a size (ranges.go).
package tune

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"gpuperf/device"
	"gpuperf/internal/bounded"
	"gpuperf/internal/campaign"
	"gpuperf/internal/parallel"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/samples"
	"gpuperf/search"
)

// Target is what is tuned.
type Target interface {
	// Name is what reports and samples call it.
	Name() string
	Space() search.Space
	// Usual is the configuration without a search.
	Usual() search.Config
	// Problem is the part of the identity of samples that its configurations share.
	Problem() samples.Identity
	// Repeats reports that a run of an earlier search would be the same today: that its file says what it said then.
	Repeats(ctx context.Context, on samples.Interface, r Run) bool
	// Counted are the kernels of a configuration, for predictions. An error says why there are none.
	Counted(ctx context.Context, c search.Config) ([]Counted, error)
	// Measure runs configurations and tells what came of each; one that cannot run has a record that says so. Warnings may come with an error.
	Measure(ctx context.Context, on *campaign.Campaign, list []Request, done func(i int, o Outcome)) (warnings []string, err error)
	// Write writes the files of a configuration into a folder, and names them.
	Write(ctx context.Context, on *campaign.Campaign, dir string, c search.Config) ([]string, error)
}

// Counted is a kernel that is launched so many times.
type Counted = campaign.Repeated

// Request is a configuration to measure.
type Request struct {
	Config    search.Config
	Predicted float64 // seconds, for its record; 0 is not known
	Policy    device.Policy
	// Before is its record, where it is measured again whatever is known of it; nil elsewhere.
	Before *samples.Record
}

// Outcome is the record of a configuration.
type Outcome struct {
	Record samples.Record
	Reused bool // it was known: from the journal, or from another configuration that launches the same
}

// Search runs configurations of a target.
type Search struct {
	Target   Target
	Campaign *campaign.Campaign
	Strategy string // of search.Names
	Seed     uint64
	// Part of so many Parts of the space is searched, from 0 on; 0 parts are 1.
	Part, Parts int
	Budget      int       // configurations to run, at most
	Until       time.Time // the search ends then, or after its first run, and leaves what is under way; the zero time is never
	// First are configurations that are run before the strategy is asked, the usual one always.
	First []search.Config
	// Resume: what the journal has of the target is known from the start, and not counted.
	Resume bool
	// Predictor orders candidates; nil is none.
	Predictor *campaign.Predictor
	// Trials of a configuration; 0 is 5. The fastest, as many as Best (0 is 3), are then measured again with the policy Final, whose limit of time is 2 s by default.
	Trials int
	Best   int
	Final  device.Policy
	// Objective orders the fastest: by their times, or by the energy that the device uses for a run, where it tells.
	Objective Objective
	// Slow is the multiple of the best time so far above which a configuration is not run again: its first run is its time. 0 is 5.
	Slow float64
	// Progress, if not nil, is called after every run.
	Progress func(Event)

	began     time.Time
	measuring sync.Mutex // held while the device is used
	stop      func()     // ends the search
	mu        sync.Mutex
	ended     bool // what still comes is of no use
	runs      []Run
	warnings  []string
}

// Objective is what the fastest configurations are ordered by.
type Objective string

const (
	Time   Objective = "time"
	Energy Objective = "energy"
)

// AllObjectives are the objectives.
func AllObjectives() []string { return []string{string(Time), string(Energy)} }

// Joules is the energy of a run; 0 where nobody has asked for it, or the device does not tell.
func (r Run) Joules() float64 { return r.Record.Metrics[samples.EnergyMetric].Value }

// byEnergy is the order by energy, then by time; what has none comes last.
func byEnergy(a, b Run) int {
	none := func(r Run) int { return map[bool]int{true: 1}[r.Joules() == 0] }
	return cmp.Or(none(a)-none(b), cmp.Compare(a.Joules(), b.Joules()), byTime(a, b))
}

// longEnough is how long energy is measured: a counter that moves ten times a second is then known to some per cent.
const longEnough = time.Second

// Run is a configuration with its record.
type Run struct {
	Config    search.Config
	Record    samples.Record
	Predicted float64 // seconds; 0 is not known
	Reused    bool    // as that of an Outcome
	Known     bool    // from an earlier search
	// After is how long the search had taken when the run had ended, building and waiting included; 0 where it is Known.
	After time.Duration
	// Achieved is what the kernels did per second: of the best.
	Achieved campaign.Achieved
}

// Event reports a run.
type Event struct {
	Run
	Done, Budget int
	Best         bool // it is the fastest so far
}

// predictedMetric is the metric of a sample with what was predicted.
const predictedMetric = "predicted_seconds"

// Run searches. An error may come with a result: what was found before it.
func (s *Search) Run(ctx context.Context) (_ *Result, err error) {
	defer throw.Catch(&err)
	s.began = time.Now()
	s.Trials, s.Best, s.Slow = cmp.Or(s.Trials, 5), cmp.Or(s.Best, 3), cmp.Or(s.Slow, 5)
	s.Final.TimeLimit = cmp.Or(s.Final.TimeLimit, 2*time.Second)
	s.Campaign.InParts()
	many, _ := s.Target.(*several)
	if many != nil {
		many.policy = func(best float64) device.Policy { return campaign.Brief(s.Trials, s.Slow, best) }
	}
	var model search.Model
	if s.Predictor != nil {
		if p, ok := s.Target.(*program); ok {
			p.predictBy(s.Predictor)
		}
		model = func(c search.Config) float64 { return s.predict(ctx, c) }
	}
	space, first := throw.Get2(s.share())
	strategy := throw.Get(search.New(s.Strategy, space, model, s.Seed+uint64(s.Part)))
	var known []search.Trial
	if s.Resume {
		known = throw.Get(s.recorded(ctx, space))
	}
	limits := search.Limits{
		Budget: s.Budget, Together: search.Together(s.Strategy), Space: space,
		First: first,
		Stop:  s.enough,
	}
	inTime, err := s.ask(ctx, strategy, known, limits)
	stopped := ""
	if s.over() {
		stopped = fmt.Sprintf("the time was over after %v", time.Since(s.began).Round(time.Millisecond))
	}
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	result := &Result{search: s, Runs: s.runs, Stopped: stopped}
	if told, ok := strategy.(reporting); ok && inTime { // otherwise it may still be choosing
		s.warnings, result.Stopped = append(s.warnings, told.Warnings()...), cmp.Or(told.Ended(), stopped)
	}
	if err == nil {
		err = s.again(ctx, result, many)
	}
	result.Configurations, result.More = s.count(ctx, space)
	result.Warnings = s.warnings
	result.finish()
	return result, err
}

// ask runs what the strategy asks for, and reports whether the strategy came to its end. That the time was over before is no error.
func (s *Search) ask(ctx context.Context, strategy search.Strategy, known []search.Trial, limits search.Limits) (inTime bool, err error) {
	searching, stop := context.WithCancel(ctx)
	defer stop()
	s.stop = stop
	if !s.Until.IsZero() {
		defer time.AfterFunc(time.Until(s.Until), s.endInTime).Stop()
	}
	// When the context ends the search is left alone, whatever it computes.
	err = bounded.Do(searching, bounded.Limits{}, func(ctx context.Context, _ func() int) error {
		_, err := search.Run(ctx, strategy, known, limits, s.evaluate)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case searching.Err() != nil: // the time is over
		return false, nil
	}
	return true, err
}

// share is the part of the space that is searched, and what is run first of it: where the usual configuration is in another part, its own first one.
func (s *Search) share() (space search.Space, first []search.Config, err error) {
	all := append([]search.Config{s.Target.Usual()}, s.First...)
	if s.Parts <= 1 {
		return s.Target.Space(), all, nil
	}
	if space = search.Share(s.Target.Space(), s.Part, s.Parts); space == nil {
		return nil, nil, &campaign.InputError{Err: fmt.Errorf("part %d/%d has no configurations: there are fewer than %d", s.Part, s.Parts, s.Parts)}
	}
	for _, c := range all {
		if _, err := search.Path(space, c); err == nil {
			first = append(first, c)
		}
	}
	if len(first) == 0 {
		first = []search.Config{search.Usual(space)}
	}
	return space, first, nil
}

// reporting is a strategy that tells what is to be known of its choices, and why it has ended.
type reporting interface {
	Warnings() []string
	Ended() string
}

// mostCounted is how many configurations are counted for the report at most.
const mostCounted = 20_000

// count counts the configurations of the space, and tells whether there are more. Where that takes long, or the time is over, it is what has run.
func (s *Search) count(ctx context.Context, space search.Space) (n int, more bool) {
	if n = len(s.runs); ctx.Err() != nil || s.over() {
		return n, true
	}
	if c, ok := space.(search.Costly); ok && c.Costly() {
		return n, true
	}
	counted, more := search.Count(space, mostCounted)
	return max(n, counted), more
}

// endInTime ends the search where the time is over and something has run.
func (s *Search) endInTime() {
	if s.enough() {
		s.stop()
	}
}

// enough reports that the time is over and something has run.
func (s *Search) enough() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over() && len(s.runs) > 0
}

// over reports that no configuration is to be begun any more.
func (s *Search) over() bool { return !s.Until.IsZero() && time.Now().After(s.Until) }

// predict is the sum of the predicted times of the kernels of a configuration; 0 where one has none.
func (s *Search) predict(ctx context.Context, c search.Config) float64 {
	if ctx.Err() != nil || s.over() { // it will not run
		return 0
	}
	one := func(t Target, c search.Config) float64 { return s.predictOne(ctx, t, c) }
	if many, ok := s.Target.(*several); ok {
		return many.predict(c, one)
	}
	return one(s.Target, c)
}

// predictOne is what predict says of a target at one size.
func (s *Search) predictOne(ctx context.Context, t Target, c search.Config) (sum float64) {
	counted, err := t.Counted(ctx, c)
	if err != nil {
		return 0
	}
	for _, one := range counted {
		p, err := s.Predictor.Predict(one.Case)
		if err != nil {
			return 0
		}
		sum += one.Times * p.Seconds
	}
	return sum
}

// evaluate runs configurations.
func (s *Search) evaluate(ctx context.Context, list []search.Config) (out []search.Result, err error) {
	requests := make([]Request, len(list))
	parallel.For(len(list), func(i int) {
		requests[i] = Request{Config: list[i], Policy: campaign.Brief(s.Trials, s.Slow, s.best())}
		if s.Predictor != nil {
			requests[i].Predicted = s.predict(ctx, list[i])
		}
	})
	outcomes := make([]*Outcome, len(list))
	s.measuring.Lock()
	defer s.measuring.Unlock()
	warnings, err := s.Target.Measure(ctx, s.Campaign, requests, func(i int, o Outcome) {
		outcomes[i] = &o
		s.add(requests[i], o)
		s.endInTime()
	})
	s.mu.Lock()
	if !s.ended {
		s.warnings = append(s.warnings, warnings...)
	}
	s.mu.Unlock()
	for _, o := range outcomes {
		if o == nil {
			break
		}
		out = append(out, result(o.Record))
	}
	return out, err
}

// add enters a run, and tells of it.
func (s *Search) add(r Request, o Outcome) {
	run := Run{Config: r.Config, Record: o.Record, Predicted: cmp.Or(r.Predicted, o.Record.Metrics[predictedMetric].Value), Reused: o.Reused, After: time.Since(s.began)}
	best := s.best()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.runs = append(s.runs, run)
	if s.Progress != nil {
		s.Progress(Event{Run: run, Done: len(s.runs), Budget: s.Budget, Best: run.Seconds() > 0 && run.Seconds() < best})
	}
}

// best is the least time so far, infinite where there is none.
func (s *Search) best() float64 {
	best := math.Inf(1)
	for _, r := range s.runs {
		if t := r.Seconds(); t > 0 {
			best = min(best, t)
		}
	}
	return best
}

// partMetric begins the metrics of a sample that have the seconds of parts.
const partMetric = "seconds of "

// recorded are the configurations of the target that the journal has.
func (s *Search) recorded(ctx context.Context, space search.Space) (known []search.Trial, err error) {
	set, err := samples.Load(s.Campaign.SamplesFile())
	if err != nil {
		return nil, err
	}
	defer set.Close()
	own, on := s.Target.Problem().Key(), s.Campaign.Device.Info().Fingerprint
	runs, err := runsOf(set, func(r *samples.Record) bool { return problem(r.Kernel).Key() == own && r.Device.Same(on) })
	if err != nil {
		return nil, err
	}
	runs = slices.DeleteFunc(runs, func(r Run) bool {
		_, err := search.Path(space, r.Config) // the space may be another one now
		return err != nil
	})
	same := make([]bool, len(runs))
	parallel.For(len(runs), func(i int) { same[i] = s.Target.Repeats(ctx, on.Interface, runs[i]) })
	for i, r := range runs {
		if !same[i] {
			continue
		}
		r.Known = true
		s.runs = append(s.runs, r)
		known = append(known, search.Trial{Config: r.Config, Result: result(r.Record)})
	}
	return known, nil
}

// mostKernels is how many kernels of a configuration are counted at most, to tell what it does per second: each takes milliseconds, and nests may have thousands.
const mostKernels = 100

// again measures the fastest configurations again; many is the target where it has several sizes.
func (s *Search) again(ctx context.Context, result *Result, many *several) error {
	s.measuring.Lock() // what the search has left may still be ending
	defer s.measuring.Unlock()
	good := slices.DeleteFunc(slices.Clone(s.runs), func(r Run) bool { return r.Seconds() == 0 })
	order := s.order()
	slices.SortStableFunc(good, order)
	fastest := good[:min(len(good), s.Best)]
	usual := s.Target.Usual().String()
	isUsual := func(r Run) bool { return r.Config.String() == usual }
	if i := slices.IndexFunc(good, isUsual); i >= len(fastest) { // it is compared with them
		fastest = append(slices.Clone(fastest), good[i])
	}
	if good = fastest; len(good) == 0 {
		return nil
	}
	if s.Objective == Energy {
		s.Final.Energy = longEnough
	}
	var list []Request
	for i := range good {
		list = append(list, Request{Config: good[i].Config, Predicted: good[i].Predicted, Policy: s.Final, Before: &good[i].Record})
	}
	again := make([]samples.Record, len(good))
	if _, err := s.Target.Measure(ctx, s.Campaign, list, func(i int, o Outcome) { again[i] = o.Record }); err != nil {
		return err
	}
	for i, r := range again {
		good[i].Record = r
		if counted, err := s.Target.Counted(ctx, good[i].Config); err == nil && many == nil && len(counted) <= mostKernels {
			if good[i].Achieved, err = s.Campaign.AchievedTogether(counted, r); err != nil {
				return err
			}
		}
	}
	good = slices.DeleteFunc(good, func(r Run) bool { return r.Seconds() == 0 })
	if s.Objective == Energy {
		order = byEnergy
		for _, r := range good { // how far it is that of runs
			s.warnings = append(s.warnings, r.Record.Warnings...)
		}
		if !slices.ContainsFunc(good, func(r Run) bool { return r.Joules() > 0 }) {
			s.warnings = append(s.warnings, warning.LeftOut.About("energy", "%s does not tell what energy it uses: the fastest are ordered by their times", s.Campaign.Device.Info().Name))
			order = byTime
		}
	}
	slices.SortStableFunc(good, order)
	if i := slices.IndexFunc(good, isUsual); i >= 0 {
		result.Usual = &good[i]
	}
	result.Best, result.Final = good[:min(len(good), s.Best)], true
	return nil
}

// order is that of configurations by their times, at all sizes together where there are several.
func (s *Search) order() func(a, b Run) int {
	if many, ok := s.Target.(*several); ok {
		return many.byJudgement
	}
	return byTime
}
