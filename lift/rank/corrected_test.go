package rank

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gpuperf/calibrate"
	"gpuperf/models/library"
)

// launches makes points of a benchmark whose times are by a cost model with noise: each work-item makes so many loads, some
// by way of local memory.
func launches(law *CostModel, benchmark string, loads float64, points int, noise float64) *Set {
	names := staticNames()
	s := &Set{Names: names}
	rng := rand.New(rand.NewPCG(uint64(loads), 17))
	for i := range points {
		row, set := blank(names)
		items := math.Exp2(float64(16 + rng.IntN(6)))
		each := math.Exp2(22) / items // elements of each work-item
		group := math.Exp2(float64(5 + rng.IntN(6)))
		resident := min(2048/group, 32)
		lines := 1 + 3*rng.Float64()
		for name, v := range map[string]float64{
			"global_size_0": items, "group_size": group, "tile_bytes": 8 * each * group, "global_size_1": 1, "global_size_2": 1, "lanes_used": 1, "launches": 1, "data_bytes": 1 << 25,
			"work_groups": items / group, "groups_resident": resident, "waves": items / group / resident / 132, "occupancy": resident * group / 2048,
			"global_stores": each, "adds": loads * each, "statements": each, "load_rounds": each, "sectors_distinct": 8 * each,
		} {
			set(name, v)
		}
		if rng.IntN(3) == 0 { // through local memory
			set("global_loads_distinct", each)
			set("local_loads_distinct", loads*each)
			set("local_stores", each)
			set("barriers", each)
			set("lines_distinct", (lines+1)/32*each)
			set("wavefronts", (loads+3)/32*each)
		} else {
			set("global_loads_distinct", loads*each)
			set("lines_distinct", (lines*loads+1)/32*each)
			set("wavefronts", (loads+1)/32*each)
		}
		s.Points = append(s.Points, Point{
			ID: fmt.Sprint(benchmark, i), Benchmark: benchmark, Features: row, Predicted: math.NaN(),
			Seconds: law.Seconds(row) * math.Exp(noise*rng.NormFloat64()),
		})
	}
	return s
}

// lawOf is the cost model with the parameters of no device in particular.
func lawOf(norm float64) *CostModel {
	model, err := library.Load(costModels[0])
	if err != nil {
		panic(err)
	}
	fit := &calibrate.Fit{Model: model.Name}
	for _, p := range initial(model).Parameters {
		value := map[string]float64{
			"p_launch": 5e-6, "p_byte": 3e-13, "p_fetch": 6e-14, "p_access": 3e-12, "p_line": 6e-12, "p_wavefront": 5e-12, "p_op": 1e-12,
			"p_round": 2e-7, "p_phase": 2e-7, "p_norm": norm, "p_cache": p.Value, "p_edge": p.Value,
		}[p.Name]
		fit.Parameters = append(fit.Parameters, calibrate.Estimate{Name: p.Name, Value: value})
	}
	law, err := NewCostModel(staticNames(), model, fit)
	if err != nil {
		panic(err)
	}
	return law
}

// Fitted to benchmarks of few loads, the law tells times of one with many: what trees alone cannot. The fastest of that one is of
// a kind that is not the fastest of any other.
func TestCostBeyondTraining(t *testing.T) {
	law := lawOf(4)
	train := &Set{Names: staticNames()}
	for i, loads := range []float64{2, 3, 4, 5, 7} {
		train.Points = append(train.Points, launches(law, fmt.Sprint("b", i), loads, 150, 0.05).Points...)
	}
	test := launches(law, "many", 40, 300, 0)
	fitted, err := learnCost(train)
	if err != nil {
		t.Fatal(err)
	}
	rates, err := fitted(test)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, r := range rates {
		e := -r - math.Log(test.Points[i].Seconds)
		sum += e * e / float64(len(rates))
	}
	if math.Sqrt(sum) > 0.25 {
		t.Errorf("times are off by %.2f, in logarithms", math.Sqrt(sum))
	}
	runs := map[string]Outcome{}
	for _, name := range []string{"trees", "cost", "corrected"} {
		r, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		scorer, err := r.Fit(train)
		if err != nil {
			t.Fatal(err)
		}
		o, err := Try(test, scorer, OutcomeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		runs[name] = o[0]
		t.Logf("%s: spearman %.3f, %d runs", name, o[0].Spearman, o[0].Runs)
	}
	for _, name := range []string{"cost", "corrected"} {
		if runs[name].Runs > 3 || runs[name].Spearman < 0.95 || runs[name].Spearman < runs["trees"].Spearman {
			t.Errorf("%s: spearman %v, %d runs", name, runs[name].Spearman, runs[name].Runs)
		}
	}
}

// The correction finds what the law leaves out.
func TestCorrected(t *testing.T) {
	law := lawOf(4)
	s := &Set{Names: staticNames()}
	for i, loads := range []float64{2, 3, 5, 8} {
		s.Points = append(s.Points, launches(law, fmt.Sprint("b", i), loads, 200, 0.02).Points...)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range s.Points {
		scattered := float64(rng.IntN(2))
		for j, name := range s.Names {
			if name == "scattered" {
				s.Points[i].Features[j] = scattered
			}
		}
		s.Points[i].Seconds *= 1 + 2*scattered
	}
	least := map[string]float64{}
	for _, name := range []string{"cost", "corrected"} {
		r, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		o, err := LeaveFamiliesOut(s, nil, r, OutcomeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		least[name] = o.MinSpearman
	}
	if least["corrected"] < least["cost"]+0.3 {
		t.Error(least)
	}
}

func TestCostErrors(t *testing.T) {
	s := launches(lawOf(2), "b", 3, 5, 0)
	if _, err := learnCost(s.Where(func(*Point) bool { return false })); err == nil || !strings.Contains(err.Error(), "no measured point") {
		t.Error(err)
	}
	if _, err := learnCost(s); err != nil { // fewer points than parameters
		t.Error(err)
	}
	less, err := s.Select(s.Names[1:])
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cost", "corrected"} {
		r, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Missing(less); err == nil || !strings.Contains(err.Error(), "is made from global_size_0") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := r.Fit(less); err == nil {
			t.Errorf("%s learns without global_size_0", name)
		}
	}
}

// What it takes to learn from ten thousand points.
func BenchmarkFit(b *testing.B) {
	law := lawOf(3)
	s := &Set{Names: staticNames()}
	for i := range 10 {
		s.Points = append(s.Points, launches(law, fmt.Sprint("b", i), float64(2+i), 1000, 0.1).Points...)
	}
	for _, name := range []string{"cost", "corrected"} {
		r, err := Find(name)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := r.Fit(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
