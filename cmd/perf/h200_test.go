package main

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"gpuperf/evaluate"
)

// TestPaperSection22OnTheH200 holds what docs/evaluation.md says of the recorded run: Figure 1's kind of prediction within 3 %
// where no size was calibrated, and a rate of multiply-adds near the device's peak, 132 SMs x 128 lanes x 1980 MHz.
func TestPaperSection22OnTheH200(t *testing.T) {
	t.Parallel()
	samples := "../../testdata/h200/matmul_2_2.jsonl"
	var report evaluate.Report
	replayJSON(t, &report, "evaluate", "../../examples/matmul/paper_2_2.yaml", "--replay", samples)
	var beyond []float64
	for _, p := range report.Suites[0].Variants[0].Points {
		if p.At["n"] >= 4096 {
			beyond = append(beyond, p.RelativeError)
		}
	}
	if g := evaluate.Geomean(beyond); len(beyond) != 3 || g >= 0.03 {
		t.Errorf("geometric mean relative error over n = 4096, 6144, 8192 is %.2f %%, want under 3 %%", 100*g)
	}

	var fit struct {
		Parameters map[string]struct{ Value float64 }
	}
	replayJSON(t, &fit, "fit", "../../examples/matmul/peak_madd.yaml", "--data", samples)
	const peak = 132 * 128 * 1.98e9
	if share := 32 / fit.Parameters["p_madd"].Value / peak; math.Abs(share-0.95) > 0.05 {
		t.Errorf("the rate of multiply-adds is %.1f %% of the peak", 100*share)
	}
}

func replayJSON(t *testing.T, into any, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := run(t.Context(), append(args, "--json"), strings.NewReader(""), &stdout, &stderr); status != exitDone {
		t.Fatalf("perf %s: status %d\n%s", strings.Join(args, " "), status, &stderr)
	}
	if err := json.Unmarshal(stdout.Bytes(), into); err != nil {
		t.Fatal(err)
	}
}

// TestApplicationsOnTheH200 holds what docs/evaluation.md says of the evaluation of Stevens and Klöckner, section 8, with models written
// by hand and with those that calibrate --for made: no worse than the paper's errors, with warm and with cold caches.
func TestApplicationsOnTheH200(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		suites string
		cache  string
		limits []float64 // of the geometric means: matrix multiplication, DG, finite differences
		ranked int       // verdicts that are right, of 15
	}{
		{"applications.yaml", "warm", []float64{0.043, 0.075, 0.067}, 13}, // two stencils of 15 µs are 4 % apart
		{"applications.yaml", "cold", []float64{0.043, 0.075, 0.067}, 15},
		{"tailored/applications.yaml", "warm", []float64{0.043, 0.075, 0.067}, 15},
	} {
		var report evaluate.Report
		replayJSON(t, &report, "evaluate", "../../examples/evaluation/"+c.suites, "--replay", "../../testdata/h200/applications.jsonl.gz", "--cache", c.cache)
		right := 0
		for i, s := range report.Suites {
			limit := c.limits[i]
			if s.GeomeanRelativeError > limit || s.Points().Mean() > 1.5*limit || s.Points().Worst() > 3*limit {
				t.Errorf("%s, %s: %s: geometric mean %.4f, mean %.4f, worst %.4f", c.suites, c.cache, s.Name, s.GeomeanRelativeError, s.Points().Mean(), s.Points().Worst())
			}
			right += s.Ranking.Right
		}
		if report.GeomeanRelativeError > 0.064 || right < c.ranked || len(report.Suites) != 3 || len(report.Points()) != 40 {
			t.Errorf("%s, %s: geometric mean %.4f over %d points, %d rankings right", c.suites, c.cache, report.GeomeanRelativeError, len(report.Points()), right)
		}
	}
}

// TestFurtherKernelsOnTheH200 holds what docs/evaluation.md says of six kernels predicted by the models that calibrate --for made for them:
// at first, and with terms for what too few work-items wait for.
func TestFurtherKernelsOnTheH200(t *testing.T) {
	t.Parallel()
	for suites, limit := range map[string]float64{"further": 0.12, "waiting": 0.05} {
		var report evaluate.Report
		replayJSON(t, &report, "evaluate", "../../examples/evaluation/"+suites+"/kernels.yaml", "--replay", "../../testdata/h200/"+suites+".jsonl.gz")
		if report.GeomeanRelativeError > limit || len(report.Points()) != 18 {
			t.Errorf("%s: geometric mean %.4f over %d points", suites, report.GeomeanRelativeError, len(report.Points()))
		}
	}
}

func fraction(part, of int) float64 { return float64(part) / float64(of) }

// TestRefinedOnTheH200 holds what docs/evaluation.md says of the general model refined for kernels of many kinds.
func TestRefinedOnTheH200(t *testing.T) {
	t.Parallel()
	var report evaluate.Report
	replayJSON(t, &report, "evaluate", "../../examples/evaluation/refined.yaml", "--refine", "--replay", "../../testdata/h200/general.jsonl.gz")
	points := report.Points()
	if len(points) != 304 || report.GeomeanRelativeError > 0.032 || points.Mean() > 0.072 || points.Worst() > 0.45 {
		t.Errorf("geometric mean %.4f, mean %.4f, worst %.4f over %d points", report.GeomeanRelativeError, points.Mean(), points.Worst(), len(points))
	}
	if c := report.Choice; fraction(c.Apart.Right, c.Apart.Of) < 0.92 || fraction(c.FarApart.Right, c.FarApart.Of) < 0.95 || c.Loss > 0.02 {
		t.Errorf("pairs in the right order: %d of %d, far apart %d of %d; a loss of %.4f", c.Apart.Right, c.Apart.Of, c.FarApart.Right, c.FarApart.Of, c.Loss)
	}
	if i := report.Intervals; fraction(i.Inside, i.Points) < 0.82 || i.HalfWidth > 0.13 {
		t.Errorf("intervals hold %s, half-width %.4f", i, i.HalfWidth)
	}
}

// TestGeneralWithColdCaches holds what docs/evaluation.md says of the general model calibrated with cold caches, for kernels of all kinds.
func TestGeneralWithColdCaches(t *testing.T) {
	if testing.Short() {
		t.Skip("it fits two models, which takes about 20 s")
	}
	t.Parallel()
	var report evaluate.Report
	replayJSON(t, &report, "evaluate", "../../examples/evaluation/cold.yaml", "--cache", "cold", "--replay", "../../testdata/h200/general_cold.jsonl.gz")
	points := report.Points()
	if len(points) != 291 || report.GeomeanRelativeError > 0.065 || points.Mean() > 0.115 || points.Worst() > 1 {
		t.Errorf("geometric mean %.4f, mean %.4f, worst %.4f over %d points", report.GeomeanRelativeError, points.Mean(), points.Worst(), len(points))
	}
	if c := report.Choice; fraction(c.Apart.Right, c.Apart.Of) < 0.93 || fraction(c.FarApart.Right, c.FarApart.Of) < 0.95 || c.Loss > 0.025 {
		t.Errorf("pairs in the right order: %+v, far apart %+v; a loss of %.4f", c.Apart, c.FarApart, c.Loss)
	}
	if i := report.Intervals; fraction(i.Inside, i.Points) < 0.8 || i.HalfWidth > 0.25 {
		t.Errorf("intervals hold %s, half-width %.4f", i, i.HalfWidth)
	}
}

// TestGeneralOnACPU holds what docs/evaluation.md says of the general model calibrated on a CPU: a rough guess that ranks, with intervals that say so.
func TestGeneralOnACPU(t *testing.T) {
	t.Parallel()
	var report evaluate.Report
	replayJSON(t, &report, "evaluate", "../../examples/evaluation/cpu.yaml", "--replay", "../../testdata/pocl/general.jsonl.gz")
	if points := report.Points(); len(points) != 100 || report.GeomeanRelativeError > 0.55 {
		t.Errorf("geometric mean %.4f over %d points", report.GeomeanRelativeError, len(points))
	}
	if c := report.Choice; fraction(c.Apart.Right, c.Apart.Of) < 0.7 || fraction(c.FarApart.Right, c.FarApart.Of) < 0.7 {
		t.Errorf("pairs in the right order: %+v, far apart %+v", c.Apart, c.FarApart)
	}
	if i := report.Intervals; fraction(i.Inside, i.Points) < 0.75 {
		t.Errorf("intervals hold %s", i)
	}
}
