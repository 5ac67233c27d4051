package launch

import (
	"testing"

	"gpuperf/kernel/linear"
)

// What a walk tells without a look into caches holds with one: no total is below the least value or above the greatest.
func TestTotalsWithin(t *testing.T) {
	var ids []string
	for _, total := range Totals() {
		if !total.Code {
			ids = append(ids, total.Feature())
		}
	}
	checked := 0
	for file, sizes := range map[string]map[string]int64{
		"matmul/matmul_prefetch.star":          {"n": 1024},
		"transpose/transpose.star":             {"n": 4096},
		"stencil/finite_diff.star":             {"n": 8064},
		"counters/patterns.star":               {"n": 777},
		"evaluation/general/volumes.star":      {"n": 251},
		"evaluation/unseen/kernels.star":       {"n": 4096},
		"evaluation/general/triangular.star":   {"n": 4096},
		"evaluation/general/permutations.star": {"n": 512},
	} {
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
			for i, v := range values {
				if v < least[i]*(1-1e-12) || v > most[i]*(1+1e-12) {
					t.Errorf("%s: %s is %g, not from %g to %g", n.Kernel.Name, ids[i], v, least[i], most[i])
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("%d kernels checked", checked)
	}
}
