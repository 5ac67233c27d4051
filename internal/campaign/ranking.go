package campaign

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"gpuperf/calibrate"
	"gpuperf/internal/lists"
	"gpuperf/samples"
	"gpuperf/workload"
)

// Ranking has the kernels at one size, the fastest first and last those to which the model does not apply. A launch file has no counts
// to predict its time from: it stands where its measured time puts it among the predicted ones.
type Ranking struct {
	At          map[string]int64
	Predictions []*Prediction
	Launched    []samples.Record // of launch files
	Skipped     []Refused        // what the device would refuse
	Bounded     int              // kernels that were not predicted, as bounds of their times show that they are not among the fastest
}

// Place is where a kernel stands in a ranking.
type Place struct {
	Rank         int     `json:"rank"`
	By           string  `json:"ranked_by"`           // the time that counts: predicted, or of a launch file measured
	TiedWith     []Ranks `json:"tied_with,omitempty"` // those that may be as fast: the interval of the ratio of the two times holds 1
	MeasuredRank int     `json:"measured_rank,omitempty"`
	Ratio        float64 `json:"ratio,omitempty"` // of its time to that of the fastest, measured times where scripts have any; 0 is not known
}

// Ranks are the first and the last of neighbours in a ranking.
type Ranks [2]int

// String writes "3", or "3–5".
func (r Ranks) String() string {
	if r[0] == r[1] {
		return fmt.Sprint(r[0])
	}
	return fmt.Sprintf("%d–%d", r[0], r[1])
}

func ranksText(list []Ranks) string {
	return lists.Join(list, ", ", Ranks.String)
}

// ties are, for each of the entries, the others that may be as fast.
func ties(entries []entry) [][]Ranks {
	out := make([][]Ranks, len(entries))
	all := lists.Map(entries, entry.timed)
	add := func(i, rank int) {
		if last := len(out[i]) - 1; last >= 0 && out[i][last][1] == rank-1 {
			out[i][last][1] = rank
		} else {
			out[i] = append(out[i], Ranks{rank, rank})
		}
	}
	for i, p := range all {
		for j, o := range all {
			if i != j && p.Against(o).Holds(1) {
				add(i, j+1)
			}
		}
	}
	return out
}

// entry is what a ranking orders: a prediction, or the record of a launch file.
type entry struct {
	*Prediction                 // nil of a launch file
	launched    *samples.Record // nil of a prediction
}

// record is what was measured, nil where nothing was.
func (e entry) record() *samples.Record {
	if e.Prediction != nil {
		return e.Measured
	}
	return e.launched
}

// measured is the measured time, NaN where there is none.
func (e entry) measured() float64 {
	if r := e.record(); r != nil && r.Status == samples.OK {
		return r.Seconds()
	}
	return math.NaN()
}

// seconds is the time that it is ranked by, with its interval; one that is no lower bound comes before those that are.
func (e entry) seconds() (t float64, within calibrate.Interval, bound bool) {
	switch {
	case e.Prediction != nil:
		return e.Seconds, e.Interval, !e.Applies()
	case e.launched.Status != samples.OK:
		return math.NaN(), calibrate.Interval{math.NaN(), math.NaN()}, true
	}
	return e.launched.Seconds(), calibrate.Interval{e.launched.Summary.Lo, e.launched.Summary.Hi}, false
}

// timed is the time that it is ranked by, as a prediction.
func (e entry) timed() *calibrate.Prediction {
	if e.Prediction != nil {
		return e.Prediction.Prediction
	}
	t, within, _ := e.seconds()
	return &calibrate.Prediction{Seconds: t, Interval: within}
}

// faster orders entries; those without a time come last.
func faster(a, b entry) int {
	s, _, lower := a.seconds()
	t, _, other := b.seconds()
	return cmp.Or(trueFirst(isKnown(s), isKnown(t)), trueFirst(!lower, !other), cmp.Compare(s, t))
}

// entries are the predictions and the launch files, in their order.
func (r *Ranking) entries() []entry {
	all := lists.Map(r.Predictions, func(p *Prediction) entry { return entry{Prediction: p} })
	for i := range r.Launched {
		all = append(all, entry{launched: &r.Launched[i]})
	}
	slices.SortStableFunc(all, faster)
	return all
}

func places(entries []entry) []Place {
	out, tied := make([]Place, len(entries)), ties(entries)
	measured, ranked := make([]float64, len(out)), make([]float64, len(out))
	for i, e := range entries {
		t, _, bound := e.seconds()
		out[i] = Place{Rank: i + 1, By: "measured", TiedWith: tied[i]}
		if e.Prediction != nil {
			out[i].By = "predicted"
		}
		measured[i], ranked[i] = e.measured(), math.NaN()
		if _, _, first := entries[0].seconds(); t > 0 && bound == first { // lower bounds compare with each other alone
			ranked[i] = t
		}
	}
	times, compare := ranked, slices.ContainsFunc(entries, func(e entry) bool { return e.Prediction != nil && isKnown(e.measured()) })
	if compare {
		times = measured
	}
	known := slices.DeleteFunc(slices.Sorted(slices.Values(times)), func(t float64) bool { return !isKnown(t) })
	for i, t := range times {
		if !isKnown(t) {
			continue
		}
		out[i].Ratio = t / known[0]
		if compare {
			out[i].MeasuredRank = 1 + slices.Index(known, t)
		}
	}
	return out
}

func isKnown(seconds float64) bool { return !math.IsNaN(seconds) }

// Rankings ranks the cases once for each of the sizes that they were made for. Of top > 0 it keeps that many of each size, and all to
// which the model does not apply: any of them may be the fastest.
func (p *Predictor) Rankings(cases []*workload.Case, sizes []map[string]int64, top int) (rankings []Ranking, err error) {
	runnable, refused, err := p.Runnable(cases)
	if err != nil {
		return nil, err
	}
	predicted := make([]*Prediction, len(runnable))
	for i, at := range sizes {
		if slices.ContainsFunc(sizes[:i], func(before map[string]int64) bool { return maps.Equal(before, at) }) {
			continue
		}
		r := Ranking{At: at}
		if err := p.fastest(&r, runnable, predicted, top); err != nil {
			return nil, err
		}
		for _, one := range refused {
			if agree(one.At, at) {
				r.Skipped = append(r.Skipped, one)
			}
		}
		rankings = append(rankings, r)
	}
	return rankings, nil
}

// fastest predicts those of the cases that may be among the fastest of a ranking, unless they are predicted already, and takes the fastest.
func (p *Predictor) fastest(r *Ranking, cases []*workload.Case, predicted []*Prediction, top int) error {
	var at []int
	for i, c := range cases {
		if agree(c.Sizes, r.At) {
			at = append(at, i)
		}
	}
	list := Shortlist{Top: top}
	bounds, err := list.Predict(len(at), func(k int) float64 { return p.Least(cases[at[k]]) }, func(k int) (float64, error) {
		i := at[k]
		if predicted[i] == nil {
			one, err := p.Predict(cases[i])
			if err != nil {
				return 0, err
			}
			predicted[i] = one
		}
		if !predicted[i].Applies() {
			return math.NaN(), nil
		}
		return predicted[i].Seconds, nil
	})
	if err != nil {
		return err
	}
	for k, bound := range bounds {
		if bound > 0 {
			r.Bounded++
		} else {
			r.Predictions = append(r.Predictions, predicted[at[k]])
		}
	}
	slices.SortStableFunc(r.Predictions, func(a, b *Prediction) int { return faster(entry{Prediction: a}, entry{Prediction: b}) })
	if top > 0 {
		i := 0
		r.Predictions = slices.DeleteFunc(r.Predictions, func(p *Prediction) bool { i++; return i > top && p.Applies() })
	}
	return nil
}

// rankingJSON is the form of `perf rank --json`.
type rankingJSON struct {
	At      map[string]int64 `json:"at"`
	Ranking []Ranked         `json:"ranking"`
	Skipped []Refused        `json:"skipped,omitempty"`
	Bounded int              `json:"bounded,omitempty"`
}

// RankingsJSON are rankings as they are printed as JSON: one alone, or a list.
func (p *Predictor) RankingsJSON(rankings []Ranking) any {
	objects := lists.Map(rankings, func(r Ranking) rankingJSON { return rankingJSON{r.At, p.Ranked(r), r.Skipped, r.Bounded} })
	if len(objects) == 1 {
		return objects[0]
	}
	return map[string]any{"rankings": objects}
}

// agree reports whether a kernel's own sizes are those asked for, as far as anyone asked.
func agree(own, asked map[string]int64) bool {
	for name, size := range own {
		if n, ok := asked[name]; ok && n != size {
			return false
		}
	}
	return true
}

// PredictionsOf are the predictions of rankings, each once.
func PredictionsOf(rankings []Ranking) (all []*Prediction) {
	for _, r := range rankings {
		for _, one := range r.Predictions {
			if !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	return all
}

// SkippedOf are the kernels of rankings that the device would refuse.
func SkippedOf(rankings []Ranking) (all []Refused) {
	return lists.Flat(rankings, func(r Ranking) []Refused { return r.Skipped })
}

// SizesOf are the sizes of rankings.
func SizesOf(rankings []Ranking) (sizes []map[string]int64) {
	return lists.Map(rankings, func(r Ranking) map[string]int64 { return r.At })
}

// Launch adds the records of launch files to the rankings at their sizes.
func Launch(rankings []Ranking, records []samples.Record) {
	for i := range rankings {
		for _, r := range records {
			if agree(rankings[i].At, r.Kernel.Sizes) {
				rankings[i].Launched = append(rankings[i].Launched, r)
			}
		}
	}
}
