package rank

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// twins are two benchmarks with the same kinds of points, whose times nothing but the kind tells, and a third of kinds of its own.
// The features number the kinds.
func twins() *Set {
	s := &Set{Names: []string{"global_loads", "cache_lines"}}
	rng := rand.New(rand.NewPCG(4, 2))
	for kind := range 60 {
		seconds := 1 + rng.Float64()
		for b, name := range []string{"left", "right", "other"} {
			p := Point{
				ID: fmt.Sprint(name, kind), Benchmark: name, Kind: fmt.Sprintf("recipe %d", kind), Features: []float64{float64(kind), 0},
				Seconds: seconds * (1 + 0.01*rng.Float64()), Predicted: math.NaN(),
			}
			if b == 2 {
				p.Kind, p.Seconds = "other "+p.Kind, 1+rng.Float64()
			}
			s.Points = append(s.Points, p)
		}
	}
	return s
}

// A twin's times give a benchmark away. The twins are a family, which is left out as a whole: what is left tells nothing.
func TestFamiliesDoNotLeak(t *testing.T) {
	s := twins()
	if got := fmt.Sprint(s.Families()); got != "[[left right] [other]]" {
		t.Errorf("families %s", got)
	}
	r, err := Find("trees")
	if err != nil {
		t.Fatal(err)
	}
	correlation := func(s *Set) float64 {
		o, err := LeaveFamiliesOut(s, nil, r, OutcomeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return (o.Groups[0].Spearman + o.Groups[1].Spearman) / 2
	}
	if c := correlation(s); math.Abs(c) > 0.3 {
		t.Errorf("correlation %.2f with noise", c)
	}
	known := s.Where(func(p *Point) bool { return p.Benchmark != "other" })
	for i := range known.Points {
		known.Points[i].Kind = ""
	}
	if c := correlation(known); c < 0.6 {
		t.Errorf("correlation %.2f: the twin should give the times away where kinds are not known", c)
	}
}

// Points of a kind that is learnt from are not ranked; a set of one family cannot be evaluated alone, but after other samples.
func TestLearnsFromMore(t *testing.T) {
	s := twins()
	only := func(name string) *Set { return s.Where(func(p *Point) bool { return p.Benchmark == name }) }
	r, err := Find("trees")
	if err != nil {
		t.Fatal(err)
	}
	part := only("left").Where(func(p *Point) bool { return p.Features[0] < 20 })
	o, err := LeaveFamiliesOut(only("right"), part, r, OutcomeOptions{})
	if err != nil || o.Seen != 20 || len(o.Groups) != 1 || o.Groups[0].Points != 40 {
		t.Errorf("%+v, %v", o, err)
	}
	if _, err := LeaveFamiliesOut(only("right"), s, r, OutcomeOptions{}); err == nil || !strings.Contains(err.Error(), "no group has") {
		t.Errorf("all are seen: %v", err)
	}
	if _, err := LeaveFamiliesOut(only("right"), only("right"), r, OutcomeOptions{}); err == nil {
		t.Error("learnt from the points that it ranks")
	}
	both := s.Where(func(p *Point) bool { return p.Benchmark != "other" })
	if _, err := LeaveFamiliesOut(both, nil, r, OutcomeOptions{}); err == nil || !strings.Contains(err.Error(), "one family (left, right)") {
		t.Error(err)
	}
}
