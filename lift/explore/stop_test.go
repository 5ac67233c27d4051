package explore

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// Of searches of which a forecast says that they improve with some probability, about that share does.
func TestForecastIsCalibrated(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var predicted, seen [4]float64
	var count [4]int
	for range 4000 {
		noise, better := 0.02+0.3*r.Float64(), 0.3*r.Float64() // of times, and by how much the points that ran were said to be better
		draw := func(n int, shift float64) (scores, logs []float64) {
			for range n {
				x := r.NormFloat64() + shift
				scores, logs = append(scores, x), append(logs, 0.5-0.3*x+noise*r.NormFloat64())
			}
			return scores, logs
		}
		scores, logs := draw(25, 5*better)
		next, after := draw(10, 0)
		f, ok := newForecast(scores, logs, next)
		if !ok || f.runs != 10 {
			t.Fatal(f, ok)
		}
		k := min(3, int(4*f.probability))
		count[k]++
		predicted[k] += f.probability
		best := math.Inf(1)
		for _, x := range logs {
			best = min(best, x)
		}
		for _, x := range after {
			if x < best+math.Log(1-gain) {
				seen[k]++
				break
			}
		}
	}
	for k, n := range count {
		if p, q := predicted[k]/float64(n), seen[k]/float64(n); n < 100 || math.Abs(p-q) > 0.06 {
			t.Errorf("of %d searches with a probability of %.2f on average %.2f improve", n, p, q)
		}
	}
}

// Few runs tell nothing, and a score that tells nothing leaves the mean of the times.
func TestForecastOfLittle(t *testing.T) {
	if _, ok := newForecast(make([]float64, 5), make([]float64, 5), []float64{1}); ok {
		t.Error("a forecast of five runs")
	}
	scores, logs := make([]float64, 20), make([]float64, 20)
	for i := range logs {
		logs[i] = float64(i % 2)
	}
	if f, ok := newForecast(scores, logs, []float64{100}); !ok || f.probability < 0.1 || f.probability > 0.4 {
		t.Errorf("%v, %v", f, ok)
	}
}

func TestHopeless(t *testing.T) {
	o := &ranked{hope: &forecast{20, 0.03}}
	for _, c := range []struct {
		enough float64
		o      *ranked
		want   string
	}{
		{0, o, ""},
		{0.05, o, "20 more runs find a point that is 2 % faster with a probability of 0.03"},
		{0.02, o, ""},
		{0.05, &ranked{}, ""},
		{0.05, nil, ""},
	} {
		r := &rounds{graph: &Graph{Learning: Learning{Enough: c.enough}}, ranked: c.o}
		if got := r.hopeless(); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%+v: %q, want %q", c, got, c.want)
		}
	}
}
