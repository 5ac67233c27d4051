package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat"

	"gpuperf/device"
	"gpuperf/internal/campaign"
	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/samples"
	"gpuperf/search"
)

// Over is how a configuration is judged that runs at several sizes.
type Over string

const (
	Worst Over = "worst" // by the size at which it takes the most times what the best takes there
	Mean  Over = "mean"  // by the geometric mean of its times
	Each  Over = "each"  // by the geometric mean, but each range of sizes has a configuration of its own
)

// AllOvers are the ways to judge.
func AllOvers() []string { return []string{string(Worst), string(Mean), string(Each)} }

// several is a file at several sizes: a configuration runs at all of them. While the search goes on, times are compared with those of the first configuration
// that ran, the usual one where it runs, as nobody knows yet what is best at each size.
type several struct {
	Target // at the first size
	at     []Target
	sizes  []map[string]int64
	over   Over
	policy func(best float64) device.Policy // of a run where the best takes so long

	mu       sync.Mutex
	measured []float64 // of the first that ran, at each size
	guessed  []float64 // predicted for the usual one
	ran      map[string][]samples.Record
	best     []float64 // at each size, of all runs so far
}

// OpenSeveral is the target of a file at several sizes, which are all different.
func OpenSeveral(ctx context.Context, path string, sizes []map[string]int64, over Over, o Options) (Target, error) {
	if isProgram(path) {
		return nil, &campaign.InputError{Err: errors.New("variants of functional programs have a launch of their own at each size: give a range, such as n=1000..1000000, which has a recipe for each part")}
	}
	s := &several{sizes: sizes, over: over, ran: map[string][]samples.Record{}}
	for _, at := range sizes {
		t, err := Open(ctx, path, at, o)
		if err != nil {
			return nil, err
		}
		s.at, s.best = append(s.at, t), append(s.best, math.Inf(1))
	}
	s.Target = s.at[0]
	return s, nil
}

// Repeats is never so: what is known is known of one size.
func (s *several) Repeats(context.Context, samples.Interface, Run) bool { return false }

// Counted are the kernels at all sizes.
func (s *several) Counted(ctx context.Context, c search.Config) (all []Counted, err error) {
	for _, t := range s.at {
		one, err := t.Counted(ctx, c)
		if err != nil {
			return nil, err
		}
		all = append(all, one...)
	}
	return all, nil
}

// together is what a search judges times at all sizes by, in seconds: their geometric mean, or that of the base as many times as the worst takes of it.
func (s *several) together(times, base []float64) float64 {
	if s.over != Worst {
		return stat.GeometricMean(times, nil)
	}
	worst := 0.0
	for i, t := range times {
		worst = max(worst, t/base[i])
	}
	return worst * stat.GeometricMean(base, nil)
}

// predict is what the search expects of a configuration, of which one predicts the time at a size; 0 where it does not know.
func (s *several) predict(c search.Config, one func(Target, search.Config) float64) float64 {
	times := func(c search.Config) (list []float64) {
		return lists.Map(s.at, func(t Target) float64 { return one(t, c) })
	}
	s.mu.Lock()
	base := s.guessed
	s.mu.Unlock()
	if base == nil {
		base = times(s.Usual())
		s.mu.Lock()
		s.guessed = base
		s.mu.Unlock()
	}
	list := times(c)
	if slices.Contains(list, 0) || slices.Contains(base, 0) {
		return 0
	}
	return s.together(list, base)
}

// Measure runs configurations at one size after the other. One that fails is not run at further sizes.
func (s *several) Measure(ctx context.Context, on *campaign.Campaign, list []Request, done func(i int, o Outcome)) (warnings []string, err error) {
	records, reused := make([][]samples.Record, len(list)), make([]bool, len(list))
	alive := make([]int, len(list))
	for i := range list {
		alive[i], reused[i] = i, true
	}
	for n, t := range s.at {
		var requests []Request
		for _, i := range alive {
			r := list[i]
			r.Predicted = 0 // it is of all sizes
			if before := s.ran[r.Config.String()]; r.Before != nil {
				r.Before = &before[n]
			} else {
				r.Policy = s.policy(s.best[n])
			}
			requests = append(requests, r)
		}
		if len(requests) == 0 {
			break
		}
		more, err := t.Measure(ctx, on, requests, func(k int, o Outcome) {
			i := alive[k]
			records[i], reused[i] = append(records[i], o.Record), reused[i] && o.Reused
			if seconds := (Run{Record: o.Record}).Seconds(); seconds > 0 {
				s.best[n] = min(s.best[n], seconds)
			}
		})
		if warnings = append(warnings, more...); err != nil {
			return warnings, err
		}
		alive = slices.DeleteFunc(alive, func(i int) bool { return len(records[i]) <= n || records[i][n].Status != samples.OK })
	}
	for i, r := range list {
		done(i, Outcome{Record: s.joined(r.Config, records[i]), Reused: reused[i]})
	}
	return warnings, nil
}

// joined is the record of a configuration from those at each size, of which the last has failed where there are fewer.
func (s *several) joined(c search.Config, list []samples.Record) samples.Record {
	if len(list) == 0 {
		return samples.Record{Status: samples.Refused, Error: "it was not run"}
	}
	out := list[len(list)-1]
	out.Metrics = nil
	times := timesOf(list)
	if len(times) < len(s.at) {
		out.Error += " (" + format.Sizes(s.sizes[len(list)-1]) + ")"
		return out
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ran[c.String()] = list; s.measured == nil {
		s.measured = times
	}
	if i := slices.IndexFunc(list, func(r samples.Record) bool { return r.Unverified != "" }); i >= 0 {
		out.Verified, out.Unverified = list[i].Verified, list[i].Unverified
	}
	out.Trials = []float64{s.together(times, s.measured)}
	sum := samples.Summarize(out.Trials)
	out.Summary = &sum
	return out
}

// timesOf are the times of records that have one.
func timesOf(list []samples.Record) (times []float64) {
	for _, r := range list {
		if t := (Run{Record: r}).Seconds(); t > 0 {
			times = append(times, t)
		}
	}
	return times
}

// times are those of a run at each size; nil where it failed.
func (s *several) times(r Run) []float64 {
	if r.Seconds() == 0 {
		return nil
	}
	return timesOf(s.ran[r.Config.String()])
}

// judged is what a run is judged by once the search has ended: how many times what the best of all takes it takes, at the worst size or in the mean.
func (s *several) judged(r Run) float64 {
	times := s.times(r)
	if times == nil {
		return math.Inf(1)
	}
	for i, best := range s.least() {
		times[i] /= best
	}
	if s.over == Worst {
		return slices.Max(times)
	}
	return stat.GeometricMean(times, nil)
}

// least are the least times at each size, each configuration by its last runs.
func (s *several) least() []float64 {
	list := slices.Repeat([]float64{math.Inf(1)}, len(s.at))
	for _, records := range s.ran {
		for i, t := range timesOf(records) {
			list[i] = min(list[i], t)
		}
	}
	return list
}

// byJudgement is the order of runs by what they are judged by.
func (s *several) byJudgement(a, b Run) int { return cmp.Compare(s.judged(a), s.judged(b)) }

// A stretch is sizes next to each other, in the order given, with one configuration.
type stretch struct {
	From   map[string]int64 `json:"from"`
	To     map[string]int64 `json:"to"`
	Run    runJSON          `json:"run"`
	Regret float64          `json:"regret"` // the geometric mean of its times over those of the best at each size, less 1
	Next   string           `json:"next,omitempty"`

	run      Run
	from, to int
}

// stretches divide the sizes so that what is lost against the best at each is least, where each handover counts as much as it must gain at one size.
func (s *several) stretches(runs []Run) (list []stretch) {
	good := slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return s.times(r) == nil })
	if len(good) == 0 {
		return nil
	}
	n, best := len(s.at), s.least()
	times := lists.Map(good, s.times)
	cost, from, with := make([]float64, n+1), make([]int, n+1), make([]int, n+1)
	for to := 1; to <= n; to++ {
		cost[to] = math.Inf(1)
		for k := range good {
			lost := math.Log(1 + handOver)
			for i := to - 1; i >= 0; i-- {
				lost += math.Log(times[k][i] / best[i])
				if c := cost[i] + lost; c < cost[to] {
					cost[to], from[to], with[to] = c, i, k
				}
			}
		}
	}
	var behind []float64 // times of the configuration of the stretch that follows
	for to := n; to > 0; to = from[to] {
		k, i := with[to], from[to]
		one := stretch{From: s.sizes[i], To: s.sizes[to-1], run: good[k], from: i, to: to, Run: good[k].json()}
		lost := 0.0
		for j := i; j < to; j++ {
			lost += math.Log(times[k][j] / best[j])
		}
		one.Regret = math.Exp(lost/float64(to-i)) - 1
		if to < n {
			one.Next = s.crossing(to, times[k], behind)
		}
		behind = times[k]
		list = append([]stretch{one}, list...)
	}
	return list
}

// crossing is where a configuration hands over to the next one, between the sizes before and at a place: where lines through the logarithms of their times
// over that of the size meet, if one size alone differs.
func (s *several) crossing(place int, own, next []float64) string {
	a, b := s.sizes[place-1], s.sizes[place]
	between := format.Sizes(a) + " and " + format.Sizes(b)
	var differ []string
	for name := range a {
		if a[name] != b[name] {
			differ = append(differ, name)
		}
	}
	before, after := math.Log(own[place-1]/next[place-1]), math.Log(own[place]/next[place])
	if len(differ) != 1 || !(before < 0 && after > 0) {
		return "between " + between
	}
	name := differ[0]
	from, to := math.Log(float64(a[name])), math.Log(float64(b[name]))
	return fmt.Sprintf("between %s, at about %s=%.0f", between, name, math.Exp(from+(to-from)*before/(before-after)))
}

// write prints the fastest with their times at each size.
func (s *several) write(w io.Writer, r *Result) error {
	header := []string{map[Over]string{Worst: ">worst of the best", Mean: ">mean of the best", Each: ">mean of the best"}[s.over]}
	for _, at := range s.sizes {
		header = append(header, ">"+format.Sizes(at))
	}
	t := format.NewTable(append(header, "configuration")...)
	row := func(b Run) {
		row := []string{fmt.Sprintf("%.2f x", s.judged(b))}
		for _, seconds := range s.times(b) {
			row = append(row, format.Seconds(seconds))
		}
		t.Row(append(row, spaced(b.Config))...)
	}
	for _, b := range r.Best {
		row(b)
	}
	least := []string{""}
	for _, seconds := range s.least() {
		least = append(least, format.Seconds(seconds))
	}
	t.Row(append(least, "(the best at each size)")...)
	fmt.Fprintf(w, "\nthe fastest at all sizes together, %s\n", r.measured())
	if err := t.Write(w); err != nil {
		return err
	}
	if r.Usual != nil {
		fmt.Fprintf(w, "the usual configuration takes %.2f times as long as the best\n", s.judged(*r.Usual))
	}
	if s.over != Each {
		return nil
	}
	t = format.NewTable("from", "to", ">mean of the best", "configuration", "hands over")
	for _, one := range s.stretches(r.Runs) {
		t.Row(format.Sizes(one.From), format.Sizes(one.To), fmt.Sprintf("%.2f x", 1+one.Regret), spaced(one.run.Config), one.Next)
	}
	fmt.Fprintln(w, "\na configuration for each range")
	return t.Write(w)
}

// takeEach writes what each range runs into a folder that is named by its first sizes.
func (s *several) takeEach(ctx context.Context, r *Result, dir string) {
	var all []string
	for _, one := range s.stretches(r.Runs) {
		part := *r
		part.Best, part.search = []Run{one.run}, &Search{Target: s.at[one.from], Campaign: r.search.Campaign}
		throw.If(part.Take(ctx, filepath.Join(dir, format.Sizes(one.From))))
		all = append(all, part.Files...)
	}
	r.Files = all
}

// sizeTime is the time of a run at a size, for other programs.
type sizeTime struct {
	Sizes   map[string]int64 `json:"at"`
	Seconds float64          `json:"seconds"`
}

// json adds the times at each size to runs.
func (s *several) json(runs []Run, out []runJSON) {
	for i, r := range runs {
		for n, t := range s.times(r) {
			out[i].Times = append(out[i].Times, sizeTime{maps.Clone(s.sizes[n]), t})
		}
	}
}
