package tune

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/samples"
	"gpuperf/search"
)

// timed is a record that took so long.
func timed(seconds float64) samples.Record {
	return samples.Record{Status: samples.OK, Summary: &samples.Summary{Median: seconds}}
}

// TestStretchesOfSizes compares the division of sizes with the best of all divisions, each of which is judged by the definition.
func TestStretchesOfSizes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, configs := rapid.IntRange(1, 4).Draw(t, "sizes"), rapid.IntRange(1, 4).Draw(t, "configurations")
		s := &several{at: make([]Target, n), over: Each, ran: map[string][]samples.Record{}}
		for i := range n {
			s.sizes = append(s.sizes, map[string]int64{"n": 1 << i})
		}
		times, runs := make([][]float64, configs), []Run{}
		for k := range configs {
			r := Run{Config: search.Config{{Choice: "c", Option: fmt.Sprint(k)}}, Record: timed(1)}
			times[k] = rapid.SliceOfN(rapid.Float64Range(1, 2), n, n).Draw(t, "times")
			for _, seconds := range times[k] {
				s.ran[r.Config.String()] = append(s.ran[r.Config.String()], timed(seconds))
			}
			runs = append(runs, r)
		}
		least := slices.Clone(times[0])
		for _, list := range times {
			for i, one := range list {
				least[i] = min(least[i], one)
			}
		}
		lost := func(chosen []int) (sum float64) { // of a configuration for each size
			for i, k := range chosen {
				sum += math.Log(times[k][i] / least[i])
				if i > 0 && chosen[i-1] != k {
					sum += math.Log(1 + handOver)
				}
			}
			return sum
		}
		best := math.Inf(1)
		total := int(math.Pow(float64(configs), float64(n)))
		for code := range total {
			chosen := make([]int, n)
			for i := range chosen {
				chosen[i], code = code%configs, code/configs
			}
			best = min(best, lost(chosen))
		}
		var got []int
		for _, one := range s.stretches(runs) {
			k := slices.IndexFunc(runs, func(r Run) bool { return r.Config.String() == one.run.Config.String() })
			got = append(got, slices.Repeat([]int{k}, one.to-one.from)...)
		}
		if len(got) != n || lost(got) > best+1e-9 {
			t.Fatalf("%v loses %v, the best %v", got, lost(got), best)
		}
	})
}

// TestJudged: the worst size and the mean choose different configurations, and lines through times cross where they do.
func TestJudged(t *testing.T) {
	s := &several{at: make([]Target, 2), sizes: []map[string]int64{{"n": 100}, {"n": 10000}}, ran: map[string][]samples.Record{
		"c=0": {timed(1), timed(4)}, "c=1": {timed(2), timed(1)}, "c=2": {timed(1.9), timed(1.9)},
	}}
	run := func(k int) Run {
		return Run{Config: search.Config{{Choice: "c", Option: fmt.Sprint(k)}}, Record: timed(1)}
	}
	for _, tt := range []struct {
		over Over
		want []float64
	}{{Worst, []float64{4, 2, 1.9}}, {Mean, []float64{2, math.Sqrt2, 1.9}}} {
		s.over = tt.over
		for k, want := range tt.want {
			if got := s.judged(run(k)); math.Abs(got-want) > 1e-9 {
				t.Errorf("%s of %d: %v, want %v", tt.over, k, got, want)
			}
		}
	}
	if got := s.crossing(1, []float64{1, 4}, []float64{2, 2}); !strings.HasSuffix(got, "at about n=1000") {
		t.Error(got)
	}
	if got := s.crossing(1, []float64{1, 1}, []float64{1, 1}); got != "between n=100 and n=10000" {
		t.Error(got)
	}
}
