package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gpuperf/samples"
)

// problemTimes are the best recorded time of each program at each size, and the number of points that ran.
func problemTimes(t *testing.T, files ...string) (best map[string]float64, run map[string]map[string]bool) {
	best, run = map[string]float64{}, map[string]map[string]bool{}
	for _, file := range files {
		set, err := samples.Load("../../testdata/h200/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for r, err := range set.All() {
			if err != nil {
				t.Fatal(err)
			}
			if r.IsSentinel() {
				continue
			}
			of := strings.TrimSuffix(r.Kernel.Source, ".lift")
			for _, name := range slices.Sorted(maps.Keys(r.Kernel.Sizes)) {
				of += fmt.Sprintf(" %s=%d", name, r.Kernel.Sizes[name])
			}
			if run[of] == nil {
				run[of] = map[string]bool{}
			}
			run[of][r.Kernel.Key()] = true
			if r.Status == samples.OK && (best[of] == 0 || r.Seconds() < best[of]) {
				best[of] = r.Seconds()
			}
		}
	}
	return best, run
}

// TestRecordedRows holds what docs/functional.md says of stencils whose rows are read in vectors, as a share of the time in which 4.16 TB/s
// move every array once, of time tiles, and of sizes that nothing divides.
func TestRecordedRows(t *testing.T) {
	best, run := problemTimes(t, "lift_rows_opencl.jsonl.gz", "lift_rows_cuda.jsonl.gz", "lift_rows_gaussian.jsonl.gz",
		"lift_rows_further_opencl.jsonl.gz", "lift_rows_further_cuda.jsonl.gz", "lift_roof_opencl.jsonl.gz", "lift_roof_cuda.jsonl.gz")
	for _, c := range []struct {
		of      string
		numbers float64 // that must move
		least   float64 // share
	}{
		{"stencil2d h=8192 w=8192", 2 << 26, 0.97},
		{"hotspot2d h=8192 w=8192", 3 << 26, 1},
		{"gaussian h=8196 w=8196", 2 << 26, 0.91},
		{"srad1 h=8192 w=8192", 2 << 26, 0.85},
		{"hotspot3d d=256 h=256 w=256", 3 << 24, 0.91},
		{"gradient h=8194 w=8194", 2 << 26, 0.93},
		{"jacobi2d_5pt h=8194 w=8194", 2 << 26, 0.95},
		{"heat3d d=514 h=514 w=514", 2 << 27, 0.82},
		{"stencil2d h=4096 w=4096", 2 << 24, 0.88},
		{"hotspot2d h=4096 w=4096", 3 << 24, 0.97},
		{"gradient h=4098 w=4098", 2 << 24, 0.85},
		{"gaussian h=4100 w=4100", 2 << 24, 0.75},
		{"srad1 h=4096 w=4096", 2 << 24, 0.74},
		{"jacobi2d_5pt h=4098 w=4098", 2 << 24, 0.87},
	} {
		if share := 4 * c.numbers / 4.16e12 / best[c.of]; !(share >= c.least) || share > 1.1 || len(run[c.of]) > 200 {
			t.Errorf("%s: %.3g of the roof after %d points", c.of, share, len(run[c.of]))
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
	if steps := best["diffuse h=8192 w=8192"]; steps == 0 || steps > 0.95e-3 {
		t.Errorf("eight steps take %g s", steps)
	}
}
