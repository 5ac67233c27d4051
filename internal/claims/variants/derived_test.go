package variants

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/lift"
	"gpuperf/lift/explore"
	"gpuperf/samples"
)

// lasting are programs whose best variants take seconds to find, as the numbers of their recipes have many values.
var lasting = []string{"asum", "dot", "matmul", "scal"}

// TestDerived: the recorded variants that the claims of documents rest on, the fastest of each program at each size by the options of the compiler, are derived today,
// with the source that was measured. Those that take seconds to find are looked for with LONG=1.
func TestDerived(t *testing.T) {
	n := 0
	for _, of := range []struct {
		trials int // that a time must have to count
		files  []string
	}{
		{10, []string{"lift_blas"}},
		{10, []string{"lift_products"}},
		{1, []string{"lift_3d_search"}},
		{1, []string{"lift_layouts", "lift_layouts_4096"}},
		{1, []string{"lift_rows_opencl", "lift_rows_cuda", "lift_rows_gaussian", "lift_rows_further_opencl", "lift_rows_further_cuda", "lift_roof_opencl", "lift_roof_cuda", "lift_division_opencl", "lift_division_cuda"}},
	} {
		best := fastest(t, of.trials, of.files)
		for _, key := range slices.Sorted(maps.Keys(best)) {
			r := best[key]
			name := strings.TrimSuffix(r.Kernel.Source, ".lift")
			if name == "copy" || name == "dot" && of.files[0] == "lift_layouts" || os.Getenv("LONG") == "" && slices.Contains(lasting, name) {
				continue // a copy is no program of the examples, and what is said of dot rests on later records
			}
			n++
			t.Run(key, func(t *testing.T) {
				t.Parallel()
				p, err := lift.Load(filepath.Join("../../../examples/lift", r.Kernel.Source))
				if err != nil {
					t.Fatal(err)
				}
				opt := explore.Options{Variants: 300, Exact: r.Device.Interface == samples.CUDA && r.Options == ""}
				for _, tag := range r.Tags {
					if recipe, ok := strings.CutPrefix(tag, "recipe:"); ok {
						opt.Recipes = []string{recipe}
					}
				}
				if err := explore.Rederive(p, r, opt); err != nil {
					t.Error(err)
				}
			})
		}
	}
	if n < 25 {
		t.Errorf("%d variants", n)
	}
}

// fastest are the fastest records with so many trials of each program at each size by the options of the compiler.
func fastest(t *testing.T, trials int, files []string) map[string]*samples.Record {
	best := map[string]*samples.Record{}
	for _, file := range files {
		for r := range recordedPoints(t, file+".jsonl.gz") {
			key := fmt.Sprintf("%s %s %v %s", files[0], r.Kernel.Source, r.Kernel.Sizes, r.Options)
			if r.Status == samples.OK && len(r.Trials) >= trials && (best[key] == nil || r.Seconds() < best[key].Seconds()) {
				best[key] = r
			}
		}
	}
	return best
}
