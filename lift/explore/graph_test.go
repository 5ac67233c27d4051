package explore

import (
	"context"
	"slices"
	"strings"
	"testing"

	"gpuperf/launch"
	"gpuperf/search"
)

// TestGraph: each point of a space has a configuration that leads to it, and the strategies of a graph propose each once, those of the descent too, until there are no more.
func TestGraph(t *testing.T) {
	g, err := NewGraph(space(t, "scal", map[string]int64{"n": 1 << 12}, Options{Variants: 20, Ranges: 2}))
	if err != nil {
		t.Fatal(err)
	}
	g.Static = launch.Options{Device: h200}
	for c := range search.All(g) {
		if !g.Do(c, func(p *Point) {
			if got := g.Config(p).String(); got != c.String() {
				t.Errorf("%s leads to %s", c, got)
			}
		}) {
			t.Errorf("%s leads nowhere", c)
		}
	}
	all, _ := search.Count(g, 1000)
	for _, c := range []struct {
		name   string
		budget int
		want   int
	}{{"rank", 7, 7}, {"rank", 1000, all}, {"descent", 30, 30}, {"random", 10, 10}} {
		s, err := search.New(c.name, g, nil, 3)
		if err != nil {
			t.Fatal(err)
		}
		first := search.Usual(g)
		evaluate := func(_ context.Context, list []search.Config) (out []search.Result, err error) {
			for _, config := range list {
				if !g.Do(config, func(p *Point) {
					r := search.Result{Seconds: 1e-3 / float64(p.Local[0])}
					if _, err := g.Lower(p); err != nil { // some of the descent's cannot
						r = search.Result{}
					}
					out = append(out, r)
				}) {
					t.Fatalf("%s leads nowhere", config)
				}
			}
			return out, nil
		}
		limits := search.Limits{Budget: c.budget, Together: search.Together(c.name), First: []search.Config{first}}
		runs, err := search.Run(t.Context(), s, nil, limits, evaluate)
		if err != nil || len(runs) != c.want || runs[0].Config.String() != first.String() {
			t.Errorf("%s: %d runs, %v, want %d", c.name, len(runs), err, c.want)
		}
		if c.name == "descent" && !slices.ContainsFunc(runs, func(x search.Trial) bool { return strings.HasPrefix(x.Config.String(), "recipe=Monte Carlo,variant=") }) {
			t.Errorf("the descent has made no variants: %v", runs)
		}
	}
	g.Enough = 0.9999999
	s, err := search.New("rank", g, nil, 3)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := search.Run(t.Context(), s, nil, search.Limits{Budget: 1000, Together: search.Together("rank")}, func(_ context.Context, list []search.Config) ([]search.Result, error) {
		return slices.Repeat([]search.Result{{Seconds: 1}}, len(list)), nil
	})
	if ended := s.(*rounds).Ended(); err != nil || len(runs) == all || !strings.Contains(ended, "with a probability of") {
		t.Errorf("%d runs of %d, %q, %v", len(runs), all, ended, err)
	}
}
