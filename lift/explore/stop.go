package explore

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// A search by a ranker may end before its budget, where the scores leave little hope.

// gain is how much faster a point must be to count as better.
const gain = 0.02

// leastForecast is the least number of runs from which a forecast is made.
const leastForecast = 12

// forecast is the probability that one of so many further runs is faster than the best so far by 2 %.
type forecast struct {
	runs        int
	probability float64
}

// newForecast takes the scores that points had when they were chosen, with the logarithms of their times, and the scores of the points that come next. A
// line is fitted to the former, by least squares; the time of a point has Student's t-distribution around it (as for a prediction by any linear
// regression). Errors of several points are taken as independent, which makes the probability too large where they are alike. ok is false for too
// few runs.
func newForecast(scores, logs, next []float64) (f forecast, ok bool) {
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
	return forecast{len(next), 1 - none}, true
}

// forecast is that of as many of the ordered points as have run.
func (o *ranked) forecast(run []outcome, ordered []*Point, scores map[*Point]float64) (forecast, bool) {
	var before, logs, next []float64
	for _, r := range run {
		if x, known := o.scored[r.point]; known && !math.IsInf(r.seconds, 1) {
			before, logs = append(before, x), append(logs, math.Log(r.seconds))
		}
	}
	for _, p := range ordered[:min(len(ordered), len(run))] {
		next = append(next, scores[p])
	}
	return newForecast(before, logs, next)
}

// hopeless is why a search by a ranker ends before the next round; "" if it goes on.
func (r *rounds) hopeless() string {
	if r.ranked == nil || r.ranked.hope == nil || r.ranked.hope.probability >= r.graph.Enough {
		return ""
	}
	return fmt.Sprintf("%d more runs find a point that is 2 %% faster with a probability of %.2g, by what the scores of those that ran were worth", r.ranked.hope.runs, r.ranked.hope.probability)
}
