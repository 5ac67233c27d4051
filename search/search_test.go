package search

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// tiles is a space like that of a tiled product: tiles, points of work-items that divide them, and switches of which some only exist with local memory.
func tiles() Space {
	sizes := []string{"4", "8", "16", "32", "64"}
	return Prune(Product{
		{Name: "kernels", Options: []string{"apart", "together"}},
		{Name: "tile x", Options: sizes, Part: "product"},
		{Name: "tile y", Options: sizes, Part: "product"},
		{Name: "points x", Options: []string{"1", "2", "4", "8"}, Part: "product"},
		{Name: "points y", Options: []string{"1", "2", "4", "8"}, Part: "product"},
		{Name: "local memory", Options: []string{"no", "yes"}, Part: "product"},
		{Name: "padding", Options: []string{"0", "1", "4"}, Part: "product"},
		{Name: "block of the sum", Options: []string{"32", "64", "128", "256", "512"}, Part: "sum"},
	}, func(made Config) bool {
		return number(made.Option("points x")) <= number(made.Option("tile x")) && number(made.Option("points y")) <= number(made.Option("tile y")) &&
			(made.Option("local memory") != "no" || made.Option("padding") == "" || made.Option("padding") == "0")
	})
}

func number(s string) float64 {
	n, _ := strconv.ParseFloat(s, 64)
	return n
}

// cost is a made-up time: best are tiles of 32 and 64 with 4 and 8 points, local memory with padding, and blocks of 256.
func cost(c Config) Result {
	off := func(name string, best float64) float64 {
		return math.Abs(math.Log2(max(number(c.Option(name)), 1) / best))
	}
	items := number(c.Option("tile x")) * number(c.Option("tile y")) / max(number(c.Option("points x"))*number(c.Option("points y")), 1)
	if items < 32 || items > 1024 {
		return Result{} // does not run
	}
	product := 1e-3 * (1 + 0.5*off("tile x", 64) + 0.6*off("tile y", 32) + 0.3*off("points x", 8) + 0.4*off("points y", 4))
	if c.Option("local memory") == "no" {
		product *= 1.8
	} else {
		product *= 1 + 0.1*off("padding", 4)
	}
	sum := 1e-3 * (1 + 0.7*off("block of the sum", 256))
	total := product + sum
	if c.Option("kernels") == "apart" {
		total += 1e-4
	}
	return Result{Seconds: total, Parts: map[string]float64{"product": product, "sum": sum}, Metrics: map[string]float64{"throughput": 2e-3 / total}}
}

func evaluate(_ context.Context, list []Config) (out []Result, err error) {
	for _, c := range list {
		out = append(out, cost(c))
	}
	return out, nil
}

// rough is a model that is wrong by up to a factor of 1.5 each way.
func rough(c Config) float64 {
	h := uint64(14695981039346656037)
	for _, b := range []byte(c.String()) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return cost(c).Seconds * math.Pow(1.5, 2*rand.New(rand.NewPCG(h, 1)).Float64()-1)
}

// runsTo are the evaluations of a strategy until it has something within 5 % of the best, or one more than the budget.
func runsTo(t *testing.T, s Strategy, best float64, budget int) int {
	found := errors.New("found")
	all, err := Run(t.Context(), s, nil, Limits{Budget: budget}, func(ctx context.Context, list []Config) ([]Result, error) {
		out, err := evaluate(ctx, list)
		if r := out[0]; r.Valid() && r.Seconds <= 1.05*best {
			err = found
		}
		return out, err
	})
	if !errors.Is(err, found) {
		return budget + 1
	}
	return len(all)
}

// TestStrategies: every strategy but random finds what is fast with less than two thirds of the runs of random, in the median of seeds.
func TestStrategies(t *testing.T) {
	const budget, seeds = 300, 5
	best := math.Inf(1)
	var visit func(made Config)
	s := tiles()
	count := 0
	visit = func(made Config) {
		c := s.Next(made)
		if c == nil {
			count++
			if r := cost(made); r.Valid() {
				best = min(best, r.Seconds)
			}
			return
		}
		for _, o := range c.Options {
			visit(append(made[:len(made):len(made)], Pick{c.Name, o}))
		}
	}
	visit(nil)
	median := func(name string, m Model) int {
		var list []int
		for seed := range seeds {
			s, err := New(name, tiles(), m, uint64(seed))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, runsTo(t, s, best, budget))
		}
		slices.Sort(list)
		return list[seeds/2]
	}
	random := median("random", nil)
	t.Logf("%d configurations; random %d", count, random)
	for _, name := range Names(nil) {
		plain := median(name, nil)
		t.Logf("%-14s %4d", name, plain)
		if name != "random" && name != "model" && plain > 2*random/3 {
			t.Errorf("%s needs %d runs in the median, random search %d", name, plain, random)
		}
	}
	for _, name := range []string{"ants", "bandit", "evolution", "greedy", "model"} {
		n := median(name, rough)
		t.Logf("%-14s %4d with a model", name, n)
		if n > random/4 {
			t.Errorf("%s with a model needs %d runs in the median, random search %d", name, n, random)
		}
	}
}

// TestSame: a seed gives the same search.
func TestSame(t *testing.T) {
	for _, name := range Names(nil) {
		var keys [2][]string
		for i := range keys {
			s, err := New(name, tiles(), rough, 7)
			if err != nil {
				t.Fatal(err)
			}
			all, err := Run(t.Context(), s, nil, Limits{Budget: 60}, evaluate)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range all {
				keys[i] = append(keys[i], x.Config.String())
			}
		}
		if !slices.Equal(keys[0], keys[1]) {
			t.Errorf("%s: two searches of one seed differ", name)
		}
	}
}
