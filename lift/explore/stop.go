package explore

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/stat/distuv"
)

// A search may end before its budget: at a time, or where the scores of a ranker leave little hope.

// gain is how much faster a point must be to count as better.
const gain = 0.02

// leastForecast is the least number of runs from which a forecast is made.
const leastForecast = 12

// Forecast is the probability that one of so many further runs is faster than the best so far by 2 %.
type Forecast struct {
	Runs        int     `json:"runs"`
	Probability float64 `json:"probability"`
}

// forecast takes the scores that points had when they were chosen, with the logarithms of their times, and the scores of the points that come next. A
// line is fitted to the former, by least squares; the time of a point has Student's t-distribution around it (as for a prediction by any linear
// regression). Errors of several points are taken as independent, which makes the probability too large where they are alike. ok is false for too
// few runs.
func forecast(scores, logs, next []float64) (f Forecast, ok bool) {
	n := float64(len(scores))
	if len(scores) < leastForecast || len(next) == 0 {
		return f, false
	}
	var mx, my, sxx, sxy, rest float64
	best := math.Inf(1)
	for i := range scores {
		mx, my, best = mx+scores[i]/n, my+logs[i]/n, min(best, logs[i])
	}
	for i := range scores {
		sxx += (scores[i] - mx) * (scores[i] - mx)
		sxy += (scores[i] - mx) * (logs[i] - my)
	}
	slope := 0.0
	if sxx > 0 {
		slope = min(0, sxy/sxx) // a greater score never says that a point is slower
	}
	for i := range scores {
		e := logs[i] - my - slope*(scores[i]-mx)
		rest += e * e
	}
	t := distuv.StudentsT{Sigma: 1, Nu: n - 2}
	none := 1.0 // the probability that no point is better
	for _, x := range next {
		spread := 1 + 1/n
		if sxx > 0 {
			spread += (x - mx) * (x - mx) / sxx
		}
		se := math.Sqrt(rest/(n-2)*spread) + 1e-12
		none *= 1 - t.CDF((best+math.Log(1-gain)-my-slope*(x-mx))/se)
	}
	return Forecast{Runs: len(next), Probability: 1 - none}, true
}

// forecast is that of as many of the ordered points as have run.
func (o *ranked) forecast(run []outcome, ordered []*Point, scores map[*Point]float64) (Forecast, bool) {
	var before, logs, next []float64
	for _, r := range run {
		if x, known := o.scored[r.point]; known && !math.IsInf(r.seconds, 1) {
			before, logs = append(before, x), append(logs, math.Log(r.seconds))
		}
	}
	for _, p := range ordered[:min(len(ordered), len(run))] {
		next = append(next, scores[p])
	}
	return forecast(before, logs, next)
}

// stops is why the search ends before the next round; "" if it goes on. A first round is made in any case.
func (s *Search) stops(o order, ran int) string {
	if ran == 0 {
		return ""
	}
	if r, ok := o.(*ranked); ok && r.hope != nil && s.Enough > 0 && r.hope.Probability < s.Enough {
		return fmt.Sprintf("%d more runs find a point that is 2 %% faster with a probability of %.2g, by what the scores of those that ran were worth", r.hope.Runs, r.hope.Probability)
	}
	if s.For > 0 && time.Since(s.began) >= s.For {
		return fmt.Sprintf("%v have passed", s.For)
	}
	return ""
}

// fitting is how many of n points there is time for, at least one, as those that ran took since the first of them was built. What came before, such
// as the features of all points, is done once.
func (s *Search) fitting(n, ran int, first time.Time) int {
	if s.For <= 0 || ran == 0 {
		return n
	}
	each := time.Since(first) / time.Duration(ran)
	return min(n, max(1, int((s.For-time.Since(s.began))/max(each, 1))))
}
