package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/device/replay"
	"gpuperf/samples"
)

// TestH200Files: every file of samples is of one device, has its place in the table of their README, and replays.
func TestH200Files(t *testing.T) {
	table, err := os.ReadFile("../../testdata/h200/README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("../../testdata/h200/*.jsonl*")
	for _, file := range files {
		name := filepath.Base(file)
		if strings.Contains(name, ".vectors.") {
			continue
		}
		if !strings.Contains(string(table), "`"+name+"`") {
			t.Errorf("README.md does not name %s", name)
		}
		if name == "cublas.jsonl" || strings.HasPrefix(name, "counters") || strings.HasPrefix(name, "listings") || strings.HasPrefix(name, "triton") || strings.HasPrefix(name, "transformer") {
			continue // of another program, or no samples
		}
		dev, err := replay.Open(file)
		if err != nil {
			t.Error(err)
			continue
		}
		dev.Close()
	}
	if len(files) < 20 {
		t.Errorf("%d files", len(files))
	}
}

// TestLiftReplays runs variants of 3-D stencils from their recordings, as the README of the recordings says.
func TestLiftReplays(t *testing.T) {
	for _, c := range []struct {
		file, program, sizes, variant, local, global string
		seconds                                      float64
	}{
		{"lift_3d_variants", "hotspot3d", "d=8,h=512,w=512", "9f3baa434955", "128x1x4", "512x1x512", 8.736e-6},
		{"lift_3d_search", "heat3d", "d=514,h=514,w=514", "00545a428645", "256", "512x128x256", 339.6e-6},
	} {
		var r samples.Record
		replayJSON(t, &r, "lift", "run", "../../examples/lift/"+c.program+".lift", "-s", c.sizes, "--variant", c.variant, "--local", c.local,
			"--global", c.global, "--device", "replay:../../testdata/h200/"+c.file+".jsonl.gz")
		if r.Status != samples.OK || math.Abs(r.Seconds()/c.seconds-1) > 1e-3 {
			t.Errorf("%s: %s, %g s", c.program, r.Status, r.Seconds())
		}
	}
}

// problem is a routine with its sizes: rows by columns for gemv.
type problem struct {
	routine string
	n, m    int64
}

// cublasTimes are seconds that scripts/cublas.cu recorded.
func cublasTimes(t *testing.T) map[problem]float64 {
	t.Helper()
	f, err := os.Open("../../testdata/h200/cublas.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	reference := map[problem]float64{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r struct {
			Routine string
			N, M    int64
			Seconds float64
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if r.Routine == "gemv" {
			r.N, r.M = r.M, r.N // rows times columns there
		}
		reference[problem{r.Routine, r.N, r.M}] = r.Seconds
	}
	return reference
}

// TestRecordedBest holds the table of docs/evaluation.md: how many times as fast as the recorded times of cuBLAS the recorded best variants of
// at most 40 are. The large ones reach 90 % of the bandwidth of a copy. Nothing is run.
func TestRecordedBest(t *testing.T) {
	reference := cublasTimes(t)
	best, run := map[problem]float64{}, map[problem]map[string]bool{}
	for r := range recordedPoints(t, "lift_blas.jsonl.gz") {
		p := problem{r.Kernel.Source, r.Kernel.Sizes["n"], max(r.Kernel.Sizes["m"], 1)}
		p.routine = p.routine[:len(p.routine)-len(".lift")]
		if run[p] == nil {
			run[p] = map[string]bool{}
		}
		run[p][r.Kernel.Key()] = true
		if r.Status != samples.OK {
			t.Errorf("%s: %s", r.Kernel, r.Status)
			continue
		}
		if len(r.Trials) >= 10 && (best[p] == 0 || r.Seconds() < best[p]) {
			best[p] = r.Seconds()
		}
	}
	const copied = 8.0 * (1 << 27)
	bandwidth := copied / reference[problem{"copy", 1 << 27, 1}]
	table := map[problem]float64{
		{"scal", 1 << 24, 1}: 1.53, {"asum", 1 << 24, 1}: 1.47, {"dot", 1 << 24, 1}: 1.06, {"gemv", 4096, 4096}: 1.37,
		{"scal", 1 << 27, 1}: 1.58, {"asum", 1 << 27, 1}: 1.66, {"dot", 1 << 27, 1}: 1.02, {"gemv", 16384, 8192}: 1.06,
	}
	compared := 0
	for p, cublas := range reference {
		if p.routine == "copy" || p.routine == "gemm" || p.routine == "" {
			continue
		}
		compared++
		if len(run[p]) > 40 || math.Abs(cublas/best[p]-table[p]) > 0.006 {
			t.Errorf("%+v: %d variants run, the best takes %.4g s, cuBLAS %.4g s", p, len(run[p]), best[p], cublas)
		}
		bytes := map[string]float64{"scal": 8, "asum": 4, "dot": 8, "gemv": 4}[p.routine] * float64(p.n*p.m)
		if rate := bytes / best[p]; p.n*p.m == 1<<27 && rate < 0.9*bandwidth {
			t.Errorf("%+v: %.4g B/s, a copy reaches %.4g", p, rate, bandwidth)
		}
		t.Logf("%s %d×%d: %.4g times as fast as cuBLAS, %.4g B/s", p.routine, p.n, p.m, cublas/best[p], bytes/best[p])
	}
	if compared != 8 {
		t.Errorf("%d problems compared: %v", compared, slices.Collect(maps.Keys(reference)))
	}
}

// TestRecordedProducts holds what docs/evaluation.md says of matrix products: the recorded best variants of at most 120 reach more than
// 56 % of what cuBLAS does without tensor cores.
func TestRecordedProducts(t *testing.T) {
	best, points := map[int64]float64{}, map[int64]map[string]bool{}
	for r := range recordedPoints(t, "lift_products.jsonl.gz") {
		n := r.Kernel.Sizes["n"]
		if points[n] == nil {
			points[n] = map[string]bool{}
		}
		points[n][r.Kernel.Key()] = true
		if r.Status == samples.OK && len(r.Trials) >= 10 && (best[n] == 0 || r.Seconds() < best[n]) {
			best[n] = r.Seconds()
		}
	}
	compared := 0
	for p, cublas := range cublasTimes(t) {
		if p.routine != "gemm" {
			continue
		}
		compared++
		t.Logf("%d: %.4g of cuBLAS, %.4g FLOP/s", p.n, cublas/best[p.n], 2*float64(p.n*p.n*p.n)/best[p.n])
		if len(points[p.n]) > 120 || best[p.n] == 0 || cublas/best[p.n] < 0.56 {
			t.Errorf("%d: %d variants run, the best takes %.4g s, cuBLAS %.4g s", p.n, len(points[p.n]), best[p.n], cublas)
		}
	}
	if compared != 3 {
		t.Errorf("%d sizes compared", compared)
	}
}

// TestRecordedLayouts holds what docs/functional.md says of products with layouts of local copies, in few runs, and of a size that nothing
// divides.
func TestRecordedLayouts(t *testing.T) {
	best, run := map[string]float64{}, map[string]map[string]bool{}
	for r := range recordedPoints(t, "lift_layouts.jsonl.gz", "lift_layouts_4096.jsonl.gz") {
		of := fmt.Sprintf("%s %d", strings.TrimSuffix(r.Kernel.Source, ".lift"), r.Kernel.Sizes["n"])
		if run[of] == nil {
			run[of] = map[string]bool{}
		}
		run[of][r.Kernel.Key()] = true
		if r.Status == samples.OK && (best[of] == 0 || r.Seconds() < best[of]) {
			best[of] = r.Seconds()
		}
	}
	for n, least := range map[int64]float64{1024: 29.8e12, 2048: 44.3e12, 4096: 45.9e12} {
		of := fmt.Sprintf("matmul %d", n)
		if rate := 2 * float64(n*n*n) / best[of]; rate < least || len(run[of]) > 60 {
			t.Errorf("%s: %.4g FLOP/s after %d variants", of, rate, len(run[of]))
		}
	}
	if even, odd := best["dot 16777216"], best["dot 16777259"]; even == 0 || odd == 0 || odd > 1.06*even {
		t.Errorf("dot takes %g s at a size that divides, and %g s at one that does not", even, odd)
	}
}

// TestLiftRankings holds what docs/evaluation.md says of rankers on families of stencils and variants that they have not seen: the default, and
// models calibrated on measurement kernels alone.
func TestLiftRankings(t *testing.T) {
	t.Parallel()
	profile := filepath.Join(t.TempDir(), "profile.yaml")
	replayJSON(t, new(any), "calibrate", "parts", "--device", "replay:../../testdata/h200/parts.jsonl.gz", "--profile", profile)
	type outcome struct {
		Ranker       string
		Groups       []struct{ Points int }
		MeanSpearman float64 `json:"mean_spearman"`
		MinSpearman  float64 `json:"min_spearman"`
		MeanRuns     float64 `json:"mean_runs"`
		ModeRuns     int     `json:"mode_runs"`
	}
	type limit struct {
		mean, least, runs float64
		mode              int
	}
	limits := map[string]limit{
		"corrected": {0.91, 0.87, 1.5, 1},
		"model":     {0.7, 0.6, 20, 0},
		"general":   {0.9, 0.84, 6, 0},
	}
	evaluate := func(args ...string) []outcome {
		var all struct{ Rankers []outcome }
		replayJSON(t, &all, append([]string{"lift", "evaluate", "../../testdata/h200/lift_stencils.jsonl.gz", "--min-best", "21.5e-6"}, args...)...)
		return all.Rankers
	}
	rankers := evaluate("--ranker", "model", "--profile", profile)
	general := evaluate("--ranker", "model", "--profile", "h200", "--model", "general")
	general[0].Ranker = "general"
	rankers = append(rankers, general...)
	rankers = append(rankers, evaluate("--ranker", "corrected", "--train", "../../testdata/h200/lift_varied.jsonl.gz")...)
	for _, r := range rankers {
		t.Logf("%s: rank correlation %.3f, at least %.3f; %.3g runs, mode %d", r.Ranker, r.MeanSpearman, r.MinSpearman, r.MeanRuns, r.ModeRuns)
		points := 0
		for _, g := range r.Groups {
			points += g.Points
		}
		l := limits[r.Ranker]
		if r.MeanSpearman < l.mean || r.MinSpearman < l.least || r.MeanRuns > l.runs || l.mode > 0 && r.ModeRuns != l.mode || points < 14000 {
			t.Errorf("%s: want %+v", r.Ranker, l)
		}
	}
	if len(rankers) != len(limits) {
		t.Errorf("%d rankers", len(rankers))
	}
}

// TestLiftTransfer holds what docs/evaluation.md says of the default ranker for programs of other kinds.
func TestLiftTransfer(t *testing.T) {
	t.Parallel()
	type limit struct {
		mean, runs float64
		train      []string
	}
	cases := map[string]limit{"lift_drawn_further": {0.96, 1.5, []string{"lift_varied", "lift_3d_variants", "lift_products", "lift_blas"}}}
	if os.Getenv("LONG") != "" {
		cases["lift_3d_variants"] = limit{0.77, 4, []string{"lift_varied", "lift_stencils"}}
	}
	for file, want := range cases {
		args := []string{"lift", "evaluate", "../../testdata/h200/" + file + ".jsonl.gz", "--ranker", "corrected"}
		for _, train := range want.train {
			args = append(args, "--train", "../../testdata/h200/"+train+".jsonl.gz")
		}
		var all struct {
			Rankers []struct {
				MeanSpearman float64 `json:"mean_spearman"`
				MeanRuns     float64 `json:"mean_runs"`
			}
		}
		replayJSON(t, &all, args...)
		if len(all.Rankers) != 1 || all.Rankers[0].MeanSpearman < want.mean || all.Rankers[0].MeanRuns > want.runs {
			t.Errorf("%s: %+v, want %+v", file, all.Rankers, want)
		}
	}
}
