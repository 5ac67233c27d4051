package variants

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"gpuperf/kernel/emit"
	"gpuperf/samples"
)

// cheap are the options of samples by CUDA whose divisions are as exact as OpenCL C promises.
var cheap = " " + emit.AsOpenCL.Options(emit.Language(samples.CUDA))

// problemTimes are the best recorded time of each program at each size by the options of the compiler, and the points that ran. What an exploration has timed again
// at its end, with more trials, counts in place of its first times. Walks in tiles are left out, of which the document speaks apart.
func problemTimes(t *testing.T, files ...string) (best map[string]float64, run map[string]map[string]bool) {
	best, run = map[string]float64{}, map[string]map[string]bool{}
	for _, file := range files {
		first, again := map[string]float64{}, map[string]float64{}
		for r := range recordedPoints(t, file) {
			of := strings.TrimSuffix(r.Kernel.Source, ".lift")
			for _, name := range slices.Sorted(maps.Keys(r.Kernel.Sizes)) {
				of += fmt.Sprintf(" %s=%d", name, r.Kernel.Sizes[name])
			}
			if r.Options != "" {
				of += " " + r.Options
			}
			if slices.ContainsFunc(r.Tags, func(tag string) bool { return strings.Contains(tag, "walks in tiles") }) {
				continue
			}
			if run[of] == nil {
				run[of] = map[string]bool{}
			}
			run[of][r.Kernel.Key()] = true
			times := first
			if r.Sentinel == nil {
				times = again
			}
			if r.Status == samples.OK && (times[of] == 0 || r.Seconds() < times[of]) {
				times[of] = r.Seconds()
			}
		}
		maps.Copy(first, again)
		for of, seconds := range first {
			if best[of] == 0 || seconds < best[of] {
				best[of] = seconds
			}
		}
	}
	return best, run
}

// recordedPoints are the records of files of an H200, sentinels aside.
func recordedPoints(t *testing.T, files ...string) iter.Seq[*samples.Record] {
	return func(yield func(*samples.Record) bool) {
		for _, file := range files {
			set, err := samples.Load(recordings + file)
			if err != nil {
				t.Fatal(err)
			}
			for r, err := range set.All() {
				if err != nil {
					t.Fatal(err)
				}
				if !r.IsSentinel() && !yield(r) {
					return
				}
			}
		}
	}
}

// TestRecordedRows holds what docs/functional.md says of stencils whose rows are read in vectors, as a share of the time in which 4.16 TB/s
// move every array once, of time tiles, and of sizes that nothing divides.
func TestRecordedRows(t *testing.T) {
	best, run := problemTimes(t, "lift_rows_opencl.jsonl.gz", "lift_rows_cuda.jsonl.gz", "lift_rows_gaussian.jsonl.gz",
		"lift_rows_further_opencl.jsonl.gz", "lift_rows_further_cuda.jsonl.gz", "lift_roof_opencl.jsonl.gz", "lift_roof_cuda.jsonl.gz",
		"lift_division_opencl.jsonl.gz", "lift_division_cuda.jsonl.gz")
	page := pageOf(t, "functional.md")
	for _, c := range []struct {
		of      string
		results string  // as the document calls them
		numbers float64 // that must move
		least   float64 // share
	}{
		{"stencil2d h=8192 w=8192", "stencil2d, 8192²", 2 << 26, 0.97},
		{"hotspot2d h=8192 w=8192", "hotspot2d, 8192²", 3 << 26, 1},
		{"gaussian h=8196 w=8196" + cheap, "gaussian, 8192²", 2 << 26, 0.94},
		{"srad1 h=8192 w=8192" + cheap, "srad1, 8192²", 2 << 26, 0.88},
		{"hotspot3d d=256 h=256 w=256", "hotspot3d, 256³", 3 << 24, 0.91},
		{"gradient h=8194 w=8194", "gradient, 8192²", 2 << 26, 0.93},
		{"jacobi2d_5pt h=8194 w=8194", "jacobi2d_5pt, 8192²", 2 << 26, 0.95},
		{"heat3d d=514 h=514 w=514" + cheap, "heat3d, 512³", 2 << 27, 0.83},
		{"stencil2d h=4096 w=4096", "stencil2d, 4096²", 2 << 24, 0.88},
		{"hotspot2d h=4096 w=4096", "hotspot2d, 4096²", 3 << 24, 0.97},
		{"gradient h=4098 w=4098", "gradient, 4096²", 2 << 24, 0.85},
		{"gaussian h=4100 w=4100" + cheap, "gaussian, 4096²", 2 << 24, 0.82},
		{"srad1 h=4096 w=4096" + cheap, "srad1, 4096²", 2 << 24, 0.81},
		{"jacobi2d_5pt h=4098 w=4098", "jacobi2d_5pt, 4096²", 2 << 24, 0.87},
	} {
		if share := 4 * c.numbers / 4.16e12 / best[c.of]; !(share >= c.least) || share > 1.1 || len(run[c.of]) > 350 {
			t.Errorf("%s: %.3g of the roof after %d points", c.of, share, len(run[c.of]))
		} else {
			page.says(t, fmt.Sprintf("| %s (CUDA) | %d | %.1f µs | %.0f %% |", c.results, len(run[c.of]), 1e6*best[c.of], 100*share))
		}
	}
	for _, c := range []struct {
		even, odd string
		most      float64
	}{
		{"dot n=16777216", "dot n=16777259", 1.05},
		{"gemv m=4096 n=4096", "gemv m=4097 n=4099", 1.15},
	} {
		if even, odd := best[c.even], best[c.odd]; even == 0 || odd == 0 || odd > c.most*even {
			t.Errorf("%s takes %g s, %s %g s", c.even, even, c.odd, odd)
		}
	}
	page.says(t, fmt.Sprintf("`dot` takes %.1f µs for 16,777,216 elements and %.1f µs for 16,777,259, `gemv` %.1f µs for a matrix of 4096² and %.1f µs for one of 4097 × 4099",
		1e6*best["dot n=16777216"], 1e6*best["dot n=16777259"], 1e6*best["gemv m=4096 n=4096"], 1e6*best["gemv m=4097 n=4099"]))
	if steps := best["diffuse h=8192 w=8192"]; steps == 0 || steps > 0.95e-3 {
		t.Errorf("eight steps take %g s", steps)
	} else {
		page.says(t, fmt.Sprintf("(`diffuse.lift`) take %.0f µs in time tiles", 1e6*steps))
	}
}

// TestRecordedDivision holds what docs/functional.md says of divisions: the same variants at the same ND-ranges, with exact ones and with those that OpenCL C
// promises. jacobi2d_5pt is slower with the latter.
func TestRecordedDivision(t *testing.T) {
	times := map[string]map[string]float64{} // of a kernel, by its options
	for r := range recordedPoints(t, "lift_roof_cuda.jsonl.gz", "lift_division_cuda.jsonl.gz") {
		key := r.Kernel.Key()
		if times[key] == nil {
			times[key] = map[string]float64{}
		}
		if r.Status == samples.OK {
			times[key][r.Kernel.Source+" "+r.Options] = r.Seconds()
		}
	}
	ratios := map[string][]float64{} // cheap by exact
	for _, of := range times {
		for _, source := range []string{"srad1.lift", "gaussian.lift", "jacobi2d_5pt.lift", "heat3d.lift"} {
			if exact, short := of[source+" "], of[source+cheap]; exact > 0 && short > 0 {
				ratios[source] = append(ratios[source], short/exact)
			}
		}
	}
	for source, want := range map[string][3]float64{ // how many there are, the least and the greatest ratio
		"srad1.lift": {20, 0.73, 0.85}, "gaussian.lift": {13, 0.75, 0.96}, "jacobi2d_5pt.lift": {14, 1.02, 1.35}, "heat3d.lift": {3, 0.99, 1},
	} {
		if list := ratios[source]; float64(len(list)) != want[0] || slices.Min(list) < want[1] || slices.Max(list) > want[2] {
			t.Errorf("%s: %.3f of the time with exact divisions", source, list)
		}
	}
	of := func(source string) [2]float64 {
		return [2]float64{slices.Min(ratios[source]), slices.Max(ratios[source])}
	}
	srad, gaussian, heat, jacobi := of("srad1.lift"), of("gaussian.lift"), of("heat3d.lift"), of("jacobi2d_5pt.lift")
	pageOf(t, "functional.md").says(t, fmt.Sprintf("`srad1` takes %.2f to %.2f of the time, `gaussian` %.2f to %.2f, and `heat3d`, which has no division, %.2f to %.2f; but `jacobi2d_5pt` %.2f to %.2f,",
		srad[0], srad[1], gaussian[0], gaussian[1], heat[0], heat[1], jacobi[0], jacobi[1]))
}
