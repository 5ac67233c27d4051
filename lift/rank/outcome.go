package rank

import (
	"cmp"
	"math"
	"slices"
)

// OutcomeOptions are the criteria by which rankers are evaluated. The zero value is the default.
type OutcomeOptions struct {
	// Share is the share of the best throughput to reach; 0 is 0.9, as in the paper.
	Share float64
	// Limit is the multiple of the group's best time at which runs are stopped, for the times called limited; 0 is 10.
	Limit float64
	// MinBest leaves out groups whose best time, in seconds, is less: these are dominated by the cost of launching.
	MinBest float64
	// MinPoints leaves out groups of fewer measured points; 0 is 10.
	MinPoints int
}

// Outcome is the result of a ranker in a group, compared with random order, for which all values are expected values.
type Outcome struct {
	Benchmark string  `json:"benchmark"`
	Size      string  `json:"size"`
	Points    int     `json:"points"`
	Best      float64 `json:"best_seconds"`
	Good      int     `json:"good"` // points that reach the share
	// Spearman is the rank correlation of scores and throughput, 0 where scores do not differ.
	Spearman float64 `json:"spearman"`
	// Runs until one reaches the share of the best.
	Runs       int     `json:"runs"`
	RandomRuns float64 `json:"random_runs"`
	// Time of these runs, in seconds; limited: with slow runs stopped at the limit.
	Time              float64 `json:"time_seconds"`
	TimeLimited       float64 `json:"time_limited_seconds"`
	RandomTime        float64 `json:"random_time_seconds"`
	RandomTimeLimited float64 `json:"random_time_limited_seconds"`
	// Curve is the best throughput after 1, 2, … runs; RandomCurve the same in random order.
	Curve       []float64 `json:"curve,omitempty"`
	RandomCurve []float64 `json:"random_curve,omitempty"`
}

// Outcomes are those of one ranker on benchmarks that it has not learnt from, with their summary.
type Outcomes struct {
	Ranker string `json:"ranker"`
	// Families of benchmarks, each of which was left out as a whole; none where the ranker learnt from other samples.
	Families [][]string `json:"families,omitempty"`
	// Seen is the points left out because their kind is in the training set.
	Seen         int       `json:"seen"`
	Groups       []Outcome `json:"groups"`
	MeanSpearman float64   `json:"mean_spearman"`
	MinSpearman  float64   `json:"min_spearman"`
	MeanRuns     float64   `json:"mean_runs"`
	MedianRuns   float64   `json:"median_runs"`
	ModeRuns     int       `json:"mode_runs"` // the most frequent; of several the least
	MaxRuns      int       `json:"max_runs"`
	RandomRuns   float64   `json:"mean_random_runs"`
	// Factors against random order, geometric means over the groups.
	RunFactor         float64 `json:"run_factor"`
	TimeFactor        float64 `json:"time_factor"`
	TimeFactorLimited float64 `json:"time_factor_limited"`
}

func (o OutcomeOptions) minPoints() int { return cmp.Or(o.MinPoints, 10) }

// Try ranks the points of a set and compares the ranking with their times.
func Try(s *Set, scorer Scorer, opt OutcomeOptions) ([]Outcome, error) {
	scores, err := scorer(s)
	if err != nil {
		return nil, err
	}
	throughput := s.Throughput()
	var out []Outcome
	for _, g := range s.Groups() {
		best := s.best(g)
		if len(g.Index) < opt.minPoints() || best < opt.MinBest || math.IsInf(best, 1) {
			continue
		}
		out = append(out, outcomeOf(s, g, scores, throughput, best, opt))
	}
	return out, nil
}

func outcomeOf(s *Set, g Group, scores, throughput []float64, best float64, opt OutcomeOptions) Outcome {
	share, limit := cmp.Or(opt.Share, 0.9), cmp.Or(opt.Limit, 10)*best
	o := Outcome{Benchmark: g.Benchmark, Size: g.Size, Points: len(g.Index), Best: best}
	var inGroup, values []float64
	for _, i := range g.Index {
		inGroup, values = append(inGroup, scores[i]), append(values, throughput[i])
	}
	if o.Spearman = Spearman(inGroup, values); math.IsNaN(o.Spearman) {
		o.Spearman = 0
	}
	reached, seen := false, 0.0
	for n, i := range Order(scores, g) {
		seen = max(seen, throughput[i])
		o.Curve = append(o.Curve, seen)
		if reached {
			continue
		}
		o.Runs = n + 1
		t := s.Points[i].Seconds
		o.TimeLimited += min(t, limit)
		if math.IsInf(t, 1) {
			t = limit // it was stopped; its time is unknown
		}
		o.Time += t
		reached = throughput[i] >= share
	}
	var goodTime, otherTime, goodLimited, otherLimited float64
	for _, i := range g.Index {
		t := s.Points[i].Seconds
		limited := min(t, limit)
		if math.IsInf(t, 1) {
			t = limit
		}
		if throughput[i] >= share {
			o.Good++
			goodTime, goodLimited = goodTime+t, goodLimited+limited
		} else {
			otherTime, otherLimited = otherTime+t, otherLimited+limited
		}
	}
	n, good := float64(len(g.Index)), float64(o.Good)
	o.RandomRuns = RandomRuns(len(g.Index), o.Good)
	// In random order each point that is not good comes before the first good one with probability 1/(good+1), and each good one
	// is the first with probability 1/good.
	o.RandomTime = goodTime/good + otherTime/(good+1)
	o.RandomTimeLimited = goodLimited/good + otherLimited/(good+1)
	o.RandomCurve = randomCurve(values, int(n))
	return o
}

// RandomRuns is the expected number of runs, in random order without repetition, until the first of the good points among n:
// (n+1)/(good+1).
func RandomRuns(n, good int) float64 { return float64(n+1) / float64(good+1) }

// randomCurve is the expected greatest of the first 1, 2, … runs values in random order: the j-th least value of n is the
// greatest of r with probability C(j-1, r-1)/C(n, r).
func randomCurve(values []float64, runs int) []float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	n := len(sorted)
	out := make([]float64, min(runs, n))
	for r := 1; r <= len(out); r++ {
		p := float64(r) / float64(n) // of j = n
		sum := 0.0
		for j := n; j >= r; j-- {
			sum += p * sorted[j-1]
			if j > r {
				p *= float64(j-r) / float64(j-1)
			}
			if p < 1e-16 {
				break
			}
		}
		out[r-1] = sum
	}
	return out
}

func (o *Outcomes) summarize() {
	n := float64(len(o.Groups))
	times := map[int]int{}
	var runs, time, limited float64
	var counts []float64
	o.MinSpearman = math.Inf(1)
	for _, g := range o.Groups {
		o.MeanSpearman += g.Spearman / n
		o.MinSpearman = min(o.MinSpearman, g.Spearman)
		o.MeanRuns += float64(g.Runs) / n
		o.MaxRuns = max(o.MaxRuns, g.Runs)
		o.RandomRuns += g.RandomRuns / n
		times[g.Runs]++
		counts = append(counts, float64(g.Runs))
		runs += math.Log(g.RandomRuns/float64(g.Runs)) / n
		time += math.Log(g.RandomTime/g.Time) / n
		limited += math.Log(g.RandomTimeLimited/g.TimeLimited) / n
	}
	o.MedianRuns = median(counts)
	for r, count := range times {
		if best := times[o.ModeRuns]; count > best || count == best && r < o.ModeRuns {
			o.ModeRuns = r
		}
	}
	o.RunFactor, o.TimeFactor, o.TimeFactorLimited = math.Exp(runs), math.Exp(time), math.Exp(limited)
}
