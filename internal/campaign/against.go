package campaign

import (
	"cmp"
	"context"
	"path/filepath"
	"time"

	"gpuperf/device"
	"gpuperf/internal/format"
	"gpuperf/internal/frontend"
	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/samples"
	"gpuperf/workload"
)

// Pair is a kernel and the one that it is compared with.
type Pair struct{ Case, Other *workload.Case }

// Pairs finds for each case the one of others at its sizes: that with the same value of each parameter that both have.
func Pairs(cases, others []*workload.Case) ([]Pair, error) {
	var pairs []Pair
	for _, one := range cases {
		found := lists.Where(others, func(other *workload.Case) bool { return compatible(one.Sizes, other.Sizes) })
		switch {
		case len(found) == 0:
			return nil, inputf("%s: nothing to compare it with, --against names kernels at other sizes: %s", one, others[0])
		case len(found) > 1:
			return nil, inputf("--against must name one kernel, and these are several: %s, %s; name one as FILE.star#KERNEL, or with more tags", found[0], found[1])
		}
		pairs = append(pairs, Pair{one, found[0]})
	}
	return pairs, nil
}

// compatible reports whether sizes have the same value for each parameter that both have.
func compatible(a, b map[string]int64) bool {
	for name, v := range a {
		if w, ok := b[name]; ok && v != w {
			return false
		}
	}
	return true
}

// filePairs is Pairs for the kernels of two files, each with those of the sizes that it has a parameter for.
func filePairs(ctx context.Context, o frontend.Options, path, other string, sizes []map[string]int64) []Pair {
	all := throw.Get(Cases(ctx, o, []string{path, other}, sizes))
	of := func(path string) (cases []*workload.Case) {
		file, name, one := source.CutName(path)
		return lists.Where(all, func(c *workload.Case) bool { return sameFile(c.Script, file) && (!one || c.Name == name) })
	}
	return throw.Get(Pairs(of(path), of(other)))
}

func sameFile(a, b string) bool {
	a, errA := filepath.Abs(a)
	b, errB := filepath.Abs(b)
	return a == b && errA == nil && errB == nil
}

// Against is how a kernel compares with another.
type Against struct {
	Kernel  samples.Identity `json:"kernel"`
	Against samples.Identity `json:"against"`
	Mode    samples.Mode     `json:"mode"`
	samples.Ratio
	Verdict string    `json:"verdict"`
	Trials  []float64 `json:"trials"`         // of the kernel, in seconds
	Others  []float64 `json:"against_trials"` // of the other, each right before or right after the one of the same number
}

// The trials of a comparison are as many as were asked for, whatever they show: to stop when an interval looks good would make it wrong.
const (
	defaultPairs = 60                    // a ratio is then known to about a tenth of the spread of a trial
	mostPairs    = 1000                  // beyond which a comparison takes minutes
	rising       = 20 * time.Millisecond // of runs before the first trial, for clocks to rise
	settle       = time.Millisecond      // of runs that do not count, for the caches to hold the data of this kernel again: at least two
)

// Against measures the kernels of each pair as Measure does, and then both in turn: one trial of each, whose order changes from one time
// to the next. Where one cannot be measured, there is no comparison but the record that says why.
func (c *Campaign) Against(ctx context.Context, mode samples.Mode, pairs []Pair) ([]Against, *Result, error) {
	var cases []*workload.Case
	for _, p := range pairs {
		cases = append(cases, p.Case, p.Other)
	}
	jobs := make([]device.Job, len(cases))
	for i, one := range cases {
		var err error
		if jobs[i], err = one.On(c.Device.Info().Interface).Job(device.Policy{}); err != nil {
			return nil, nil, err
		}
	}
	return c.inTurns(ctx, mode, jobs, func() (*Result, error) { return c.Measure(ctx, mode, cases) })
}

// inTurns measures jobs, of which each two are a pair, and then both of each pair in turn.
func (c *Campaign) inTurns(ctx context.Context, mode samples.Mode, jobs []device.Job, measure func() (*Result, error)) (compared []Against, result *Result, err error) {
	if !c.Live() {
		return nil, nil, inputf("to compare kernels both must run in turn, and recorded samples cannot: name a device")
	}
	n := cmp.Or(c.options.Trials, defaultPairs)
	if n < samples.LeastPairs || n > mostPairs {
		return nil, nil, inputf("--trials %d: a comparison takes %d to %d of each kernel", n, samples.LeastPairs, mostPairs)
	}
	if result, err = measure(); err != nil {
		return nil, result, err
	}
	for i := 0; i < len(jobs); i += 2 {
		if result.Records[i].Status != samples.OK || result.Records[i+1].Status != samples.OK {
			continue
		}
		a := Against{Kernel: jobs[i].Identity, Against: jobs[i+1].Identity, Mode: mode}
		if a.Trials, a.Others, err = c.inTurn(ctx, mode, jobs[i], jobs[i+1], n); err != nil {
			return compared, result, err
		}
		a.Ratio = samples.RatioOf(a.Trials, a.Others)
		a.Verdict = a.Ratio.String()
		compared = append(compared, a)
	}
	return compared, result, nil
}

// inTurn takes trials of two jobs. The time limit of the policy holds for each. Their results have been compared before.
func (c *Campaign) inTurn(ctx context.Context, mode samples.Mode, one, other device.Job, n int) (times, others []float64, err error) {
	once := device.Policy{Trials: 1, MinWarmUp: settle, MaxWarmUp: settle}
	run := func(job device.Job, policy device.Policy) (float64, error) {
		job.Mode, job.Reuse, job.Policy, job.Expect = mode, true, policy, nil
		r, err := c.Device.Run(ctx, job)
		if err != nil {
			return 0, err
		}
		return r.Trials[0], nil
	}
	for _, job := range []device.Job{one, other} {
		if _, err := run(job, device.Policy{Trials: 1, MinWarmUp: rising, MaxWarmUp: time.Second}); err != nil { // warms up
			return nil, nil, err
		}
	}
	limit := 2 * once.WithDefaults().TimeLimit
	for start := time.Now(); len(times) < n && (len(times) < samples.LeastPairs || time.Since(start) < limit); {
		first, second := one, other
		swapped := len(times)%2 == 1
		if swapped {
			first, second = second, first
		}
		a, err := run(first, once)
		if err != nil {
			return nil, nil, err
		}
		b, err := run(second, once)
		if err != nil {
			return nil, nil, err
		}
		if swapped {
			a, b = b, a
		}
		times, others = append(times, a), append(others, b)
	}
	return times, others, nil
}

// AgainstHeader names the columns of Cells.
var AgainstHeader = []string{"kernel", "against", "caches", ">median", ">against", "verdict (95 %)", ">pairs"}

// Cells are the columns of AgainstHeader.
func (a Against) Cells() []string {
	median := func(trials []float64) string { return format.Seconds(samples.Summarize(trials).Median) }
	return []string{a.Kernel.Key(), a.Against.Key(), string(a.Mode), median(a.Trials), median(a.Others), a.Verdict, format.Rough(float64(a.Pairs), "")}
}
