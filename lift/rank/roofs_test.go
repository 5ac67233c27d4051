package rank

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gpuperf/launch"
)

// blank is a point of a set with all static features, and a function that sets one.
func blank(names []string) ([]float64, func(string, float64)) {
	row := make([]float64, len(names))
	return row, func(name string, v float64) { row[slices.Index(names, name)] = v }
}

func staticNames() (names []string) {
	for _, f := range launch.Features() {
		names = append(names, f.Name)
	}
	return names
}

// Demands counted by hand: 1024 work-items are 32 sub-groups, on 64 lines of data.
func TestDemands(t *testing.T) {
	names := staticNames()
	row, set := blank(names)
	for name, v := range map[string]float64{
		"global_size_0": 64, "global_size_1": 16, "global_size_2": 1, "data_bytes": 64 * 128,
		"global_loads": 3, "cache_lines_load": 2, "global_stores": 1, "cache_lines_store": 4,
		"local_loads": 5, "local_stores": 1, "bank_cycles": 1.5, "barriers": 2, "sectors_item": 0.5,
		"statements": 7, "adds": 10, "waves": 1.25, "occupancy": 0.5,
	} {
		set(name, v)
	}
	want := map[string]float64{
		"wavefronts": 0.5 * (3*2 + 1*4 + 6*1.5), "accesses": 0.5 * 10, "traffic": 0.25, "issue": 0.5 * (10 + 7 + 10),
		"latency": 0.5 * (3 + 5 + 2) * 2 / 1.25 / 0.5, "synchronization": 1, "tail": 1.6,
	}
	got := demands(names)(row)
	for i, r := range roofs {
		if w, ok := want[r.name]; !ok || !near(got[i], w) {
			t.Errorf("%s is %v, want %v", r.name, got[i], w)
		}
	}
	for _, v := range demands(names)(make([]float64, len(names))) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("of nothing: %v", v)
		}
	}
	if demands(names[1:]) != nil {
		t.Error("demands without a size")
	}
}

func TestPlaces(t *testing.T) {
	s := &Set{Names: []string{"x"}, Points: []Point{{Benchmark: "a"}, {Benchmark: "b"}, {Benchmark: "a"}, {Benchmark: "b"}}}
	got := withPlaces(s, [][]float64{{5}, {-1}, {3}, {-1}})
	for i, want := range [][]float64{{1, 5}, {0.75, -1}, {0.5, 3}, {0.75, -1}} {
		if !slices.Equal(got[i], want) {
			t.Errorf("row %d is %v, want %v", i, got[i], want)
		}
	}
}

// Where a product of features is what limits, benchmarks that need different numbers of loads for it: demands tell their order.
func TestForestRoofs(t *testing.T) {
	s := &Set{Names: staticNames()}
	rng := rand.New(rand.NewPCG(5, 8))
	for b := range 5 {
		work := float64(int(2) << b)
		for range 150 {
			row, set := blank(s.Names)
			each := float64(int(1) << rng.IntN(7))
			lines, cycles := 1+3*rng.Float64(), 1+rng.Float64()
			local := work * float64(rng.IntN(2))
			for name, v := range map[string]float64{
				"global_size_0": (1 << 20) / each, "global_size_1": 1, "global_size_2": 1, "lanes_used": 1, "data_bytes": 1 << 23,
				"global_loads": each * (1 + work - local), "cache_lines_load": lines, "global_stores": each, "cache_lines_store": 1,
				"local_loads": each * local, "bank_cycles": cycles, "waves": 4, "occupancy": 1,
			} {
				set(name, v)
			}
			s.Points = append(s.Points, Point{
				ID: "p", Benchmark: string(rune('a' + b)), Features: row, Seconds: 1e-5 + 1e-6*((1+work-local)*lines+1+local*cycles),
			})
		}
	}
	outcome := func(what string, r Ranker) *Outcomes {
		o, err := LeaveFamiliesOut(s, nil, r, OutcomeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: spearman %.3f, least %.3f, runs %.1f", what, o.MeanSpearman, o.MinSpearman, o.MeanRuns)
		return o
	}
	r, err := Find("trees")
	if err != nil {
		t.Fatal(err)
	}
	with := outcome("with demands", r)
	r.rows = func(s *Set, names []string) ([][]float64, error) {
		rows, err := plainRows(s, names)
		return withPlaces(s, rows), err
	}
	without := outcome("without", r)
	if with.MinSpearman < 0.95 || with.MeanSpearman <= without.MeanSpearman {
		t.Errorf("correlation %v at least with demands; mean %v, without them %v", with.MinSpearman, with.MeanSpearman, without.MeanSpearman)
	}
}
