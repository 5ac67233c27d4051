// Package variants holds what documents say of recorded variants of functional programs, and of rankers of them, to the recordings.
//
// Like package predictions it is run again when a recording changes or what it rests on, and not when a command does.
package variants

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/calibrate"
	"gpuperf/calibrate/profiles"
	"gpuperf/device/replay"
	"gpuperf/internal/campaign"
	"gpuperf/lift/rank"
	"gpuperf/samples"
)

// recordings are those of an H200.
const recordings = "../../../testdata/h200/"

// TestH200Files: every file of samples is of one device, has its place in the table of their README, and replays.
func TestH200Files(t *testing.T) {
	table, err := os.ReadFile(recordings + "README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(recordings + "*.jsonl*")
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

// problem is a routine with its sizes: rows by columns for gemv.
type problem struct {
	routine string
	n, m    int64
}

// cublasTimes are seconds that scripts/cublas.cu recorded.
func cublasTimes(t *testing.T) map[problem]float64 {
	t.Helper()
	f, err := os.Open(recordings + "cublas.jsonl")
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
// at most 40 are. The large ones reach 90 % of the bandwidth of a copy.
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
	compared := 0
	gain, rates := map[problem]string{}, map[problem]string{}
	for p, cublas := range reference {
		if p.routine == "copy" || p.routine == "gemm" || p.routine == "" {
			continue
		}
		compared++
		if len(run[p]) > 40 || !(best[p] > 0) {
			t.Errorf("%+v: %d variants run, the best takes %.4g s, cuBLAS %.4g s", p, len(run[p]), best[p], cublas)
		}
		bytes := map[string]float64{"scal": 8, "asum": 4, "dot": 8, "gemv": 4}[p.routine] * float64(p.n*p.m)
		if rate := bytes / best[p]; p.n*p.m == 1<<27 && rate < 0.9*bandwidth {
			t.Errorf("%+v: %.4g B/s, a copy reaches %.4g", p, rate, bandwidth)
		}
		gain[p], rates[p] = fmt.Sprintf("%.2f", cublas/best[p]), fmt.Sprintf("%.2f", bytes/best[p]/1e12)
	}
	small := []problem{{"scal", 1 << 24, 1}, {"asum", 1 << 24, 1}, {"dot", 1 << 24, 1}, {"gemv", 4096, 4096}}
	large := []problem{{"scal", 1 << 27, 1}, {"asum", 1 << 27, 1}, {"dot", 1 << 27, 1}, {"gemv", 16384, 8192}}
	page := pageOf(t, "evaluation.md")
	for _, row := range []struct {
		what  string
		of    []problem
		cells map[problem]string
	}{
		{"16 M elements (gemv 4096×4096), times as fast as cuBLAS", small, gain},
		{"128 M elements (gemv 8192×16384)", large, gain},
		{fmt.Sprintf("the latter, TB/s (a copy: %.2f)", bandwidth/1e12), large, rates},
	} {
		text := "| " + row.what + " |"
		for _, p := range row.of {
			text += " " + row.cells[p] + " |"
		}
		page.says(t, text)
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
	gemm := func(n int64) float64 { return cublasTimes(t)[problem{"gemm", n, n}] }
	pageOf(t, "functional.md").says(t, fmt.Sprintf("cuBLAS takes %s, %s and %s for the three products", threeDigits(gemm(1024)), threeDigits(gemm(2048)), threeDigits(gemm(4096))))
}

// TestRecordedLayouts holds what docs/functional.md says of products with layouts of local copies, in few runs.
func TestRecordedLayouts(t *testing.T) {
	page := pageOf(t, "functional.md")
	for n, c := range map[int64]struct {
		file  string
		least float64
	}{1024: {"lift_layouts", 29.8e12}, 2048: {"lift_layouts", 44.3e12}, 4096: {"lift_layouts_4096", 45.9e12}} {
		best, run := problemTimes(t, c.file+".jsonl.gz")
		of := fmt.Sprintf("matmul k=%d m=%d n=%d", n, n, n)
		rate := 2 * float64(n*n*n) / best[of]
		if !(rate >= c.least) || len(run[of]) > 60 {
			t.Errorf("%s: %.4g FLOP/s after %d variants", of, rate, len(run[of]))
		}
		page.says(t, fmt.Sprintf("| %d² | %d | %s, %.1f TFLOP/s |", n, len(run[of]), threeDigits(best[of]), rate/1e12))
	}
}

// TestLiftRankings holds what docs/evaluation.md says of rankers on families of stencils and variants that they have not seen: models calibrated
// on measurement kernels alone, and, with LONG=1, the default.
func TestLiftRankings(t *testing.T) {
	t.Parallel()
	set := loaded(t, "lift_stencils")
	for _, c := range []struct {
		name              string
		profile           func() (*calibrate.Profile, error) // nil for the ranker that needs no model
		train             []string
		long              bool
		mean, least, runs float64
		mode              int
	}{
		{name: "corrected", train: []string{"lift_varied"}, long: true, mean: 0.91, least: 0.87, runs: 1.5, mode: 1},
		{name: "parts", profile: func() (*calibrate.Profile, error) { return calibrated(t, "parts"), nil }, long: true, mean: 0.7, least: 0.6, runs: 20},
		{name: "general", profile: func() (*calibrate.Profile, error) { return profiles.Load("h200") }, mean: 0.9, least: 0.84, runs: 6},
	} {
		if c.long && os.Getenv("LONG") == "" {
			continue
		}
		ranker := c.name
		if c.profile != nil {
			ranker = "model"
			profile, err := c.profile()
			if err == nil {
				err = priced(set, profile, c.name)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		r := compared(t, set, c.train, ranker, rank.OutcomeOptions{MinBest: 21.5e-6})
		t.Logf("%s: rank correlation %.3f, at least %.3f; %.3g runs, mode %d", c.name, r.MeanSpearman, r.MinSpearman, r.MeanRuns, r.ModeRuns)
		points := 0
		for _, g := range r.Groups {
			points += g.Points
		}
		if r.MeanSpearman < c.mean || r.MinSpearman < c.least || r.MeanRuns > c.runs || c.mode > 0 && r.ModeRuns != c.mode || points < 14000 {
			t.Errorf("%s: %d points; a mean of %g, %g at least, %g runs, mode %d are wanted", c.name, points, c.mean, c.least, c.runs, c.mode)
		}
	}
}

// TestLiftTransfer holds what docs/evaluation.md says of the default ranker for programs of other kinds.
func TestLiftTransfer(t *testing.T) {
	if os.Getenv("LONG") == "" {
		t.Skip("LONG=1 learns from thousands of variants")
	}
	t.Parallel()
	type limit struct {
		mean, runs float64
		train      []string
	}
	cases := map[string]limit{
		"lift_drawn_further": {0.96, 1.5, []string{"lift_varied", "lift_3d_variants", "lift_products", "lift_blas"}},
		"lift_3d_variants":   {0.77, 4, []string{"lift_varied", "lift_stencils"}},
	}
	for file, want := range cases {
		r := compared(t, loaded(t, file), want.train, "corrected", rank.OutcomeOptions{})
		if r.MeanSpearman < want.mean || r.MeanRuns > want.runs {
			t.Errorf("%s: %.3f, %.3g runs, want %+v", file, r.MeanSpearman, r.MeanRuns, want)
		}
	}
}

// calibrated is a profile with a model that comes with the program, fitted to its recording.
func calibrated(t *testing.T, model string) *calibrate.Profile {
	t.Helper()
	plans, err := campaign.Plans(t.Context(), []string{model}, campaign.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := campaign.Open(t.Context(), replay.Prefix+recordings+model+".jsonl.gz", campaign.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	m, err := c.Calibrate(t.Context(), samples.Warm, plans[0], campaign.TimeRange{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "profile.yaml")
	if err := m.AddTo(path, c.Device.Info().Fingerprint); err != nil {
		t.Fatal(err)
	}
	p, err := campaign.LoadProfile(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// priced sets the times of points that a model predicts from their vectors.
func priced(s *rank.Set, profile *calibrate.Profile, model string) error {
	calibration, err := campaign.CalibrationOf(profile, model)
	if err != nil {
		return err
	}
	p, err := campaign.PredictorOf(profile, calibration)
	if err != nil {
		return err
	}
	cost, err := rank.NewCostModel(s.Names, p.Model, p.Fit)
	if err != nil {
		return err
	}
	cost.Predict(s)
	return nil
}

// loaded are the recorded variants of some files, with their vectors.
func loaded(t *testing.T, files ...string) *rank.Set {
	t.Helper()
	var paths []string
	for _, file := range files {
		paths = append(paths, recordings+file+".jsonl.gz")
	}
	db, err := rank.Load(paths, "", true)
	if err != nil {
		t.Fatal(err)
	}
	return db.Set
}

// compared is what comes of a ranker on variants, after learning from files of others.
func compared(t *testing.T, set *rank.Set, train []string, ranker string, o rank.OutcomeOptions) *rank.Outcomes {
	t.Helper()
	var learnt *rank.Set
	if len(train) > 0 {
		learnt = loaded(t, train...).Common(set.Names)
		set = set.Common(learnt.Names)
	}
	all, err := rank.Compare(set, learnt, []string{ranker}, o)
	if err != nil || len(all) != 1 {
		t.Fatal(len(all), err)
	}
	return all[0]
}
