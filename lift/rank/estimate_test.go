package rank

import (
	"os"
	"slices"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/device/machine"
)

// TestEstimateOrdersRecorded: the estimate, whose constants are fitted to loop nests of C (device/machine), orders variants of functional programs that ran on an H200.
// These are the rank correlations and the times of the first over the best, means of the groups.
func TestEstimateOrdersRecorded(t *testing.T) {
	for file, want := range map[string]struct{ correlation, first float64 }{
		"lift_stencils": {0.80, 1.35},
		"lift_varied":   {0.82, 1.60},
		"lift_drawn":    {0.88, 1.35},
		"lift_products": {0.50, 1.70},
		"lift_blas":     {0.32, 1.40},
	} {
		if os.Getenv("LONG") == "" && file != "lift_products" && file != "lift_blas" {
			continue
		}
		db, err := Load([]string{"../../testdata/h200/" + file + ".jsonl.gz"}, "", true)
		if err != nil {
			t.Fatal(err)
		}
		seconds, err := Estimate(db.Names, db.Device)
		if err != nil {
			t.Fatal(err)
		}
		var correlation, first, n float64
		set := db.finished()
		for _, g := range set.Groups() {
			var measured, estimated []float64
			for _, i := range g.Index {
				p := set.Points[i]
				measured, estimated = append(measured, p.Seconds), append(estimated, seconds(p.Features))
			}
			if len(measured) < 5 {
				continue
			}
			correlation += Spearman(measured, estimated)
			first += measured[slices.Index(estimated, slices.Min(estimated))] / slices.Min(measured)
			n++
		}
		if got := correlation / n; !(got >= want.correlation) {
			t.Errorf("%s: a rank correlation of %.3f, want %.2f", file, got, want.correlation)
		}
		if got := first / n; !(got <= want.first) {
			t.Errorf("%s: the first takes %.3f of the best, want %.2f", file, got, want.first)
		}
	}
}

// An estimate for a smaller device is longer.
func TestEstimateOnMachines(t *testing.T) {
	db, err := Load([]string{"../../testdata/h200/lift_varied.jsonl.gz"}, "", true)
	if err != nil {
		t.Fatal(err)
	}
	small, err := facts.Sheet("../../device/machine/testdata/small.yaml")
	if err != nil {
		t.Fatal(err)
	}
	usual, _ := facts.Named(machine.Usual)
	var of [2]func([]float64) float64
	for i, d := range []*facts.Device{usual, small} {
		if of[i], err = Estimate(db.Names, d); err != nil {
			t.Fatal(err)
		}
	}
	longer := 0
	for _, p := range db.Points {
		if of[1](p.Features) > 2*of[0](p.Features) {
			longer++
		}
	}
	if part := float64(longer) / float64(len(db.Points)); part < 0.5 {
		t.Errorf("%.0f %% of the points take longer on a small device", 100*part)
	}
}
