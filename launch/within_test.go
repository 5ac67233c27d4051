package launch

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/internal/golden"
	"gpuperf/kernel/linear"
)

// What a walk tells without a look into caches holds with one: no total is below the least value or above the greatest. testdata/totals.txt has the totals.
func TestTotalsWithin(t *testing.T) {
	var ids []string
	for _, total := range Totals() {
		if !total.Code {
			ids = append(ids, total.Feature())
		}
	}
	checked := 0
	var said strings.Builder
	files := map[string]map[string]int64{
		"matmul/matmul_prefetch.star":          {"n": 1024},
		"transpose/transpose.star":             {"n": 4096},
		"stencil/finite_diff.star":             {"n": 8064},
		"counters/patterns.star":               {"n": 777},
		"evaluation/general/volumes.star":      {"n": 251},
		"evaluation/unseen/kernels.star":       {"n": 4096},
		"evaluation/general/triangular.star":   {"n": 4096},
		"evaluation/general/permutations.star": {"n": 512},
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		sizes := files[file]
		for _, v := range scriptVariants(t, file) {
			n, err := linear.New(v.Kernel)
			if err != nil {
				t.Fatal(err)
			}
			p, err := New(n, Options{Device: h200, Compiled: true, Values: true})
			if err != nil {
				t.Fatal(err)
			}
			values, err := p.Totals(sizes, ids)
			if err != nil {
				continue // it needs other sizes
			}
			least, most, err := p.TotalsWithin(sizes, ids)
			if err != nil {
				t.Fatal(err)
			}
			checked++
			fmt.Fprintf(&said, "%s %v\n", n.Kernel.Name, sizes)
			for i, v := range values {
				if v != 0 {
					fmt.Fprintf(&said, "  %s %.6g\n", strings.TrimPrefix(ids[i], "f_static_"), v)
				}
				if v < least[i]*(1-1e-12) || v > most[i]*(1+1e-12) {
					t.Errorf("%s: %s is %g, not from %g to %g", n.Kernel.Name, ids[i], v, least[i], most[i])
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("%d kernels checked", checked)
	}
	golden.Check(t, filepath.Join("testdata", "totals.txt"), said.String())
}
