package launch

import (
	"testing"

	"gpuperf/kernel/linear"
)

// BenchmarkTraffic estimates the traffic of kernels whose launches divide into one box, a few and many.
func BenchmarkTraffic(b *testing.B) {
	for _, test := range []struct {
		file, kernel string
		sizes        map[string]int64
	}{
		{"matmul/matmul_prefetch.star", "knl", map[string]int64{"n": 4096}},
		{"stencil/finite_diff.star", "finite_diff_18x18", map[string]int64{"n": 8064}},
		{"dg/dg.star", "dg_basic", map[string]int64{"nelements": 65536}},
		{"counters/patterns.star", "column_stencil", map[string]int64{"n": 250}},
		{"counters/patterns.star", "triangle", map[string]int64{"n": 777}},
		{"evaluation/general/volumes.star", "odd_tile", map[string]int64{"n": 251}},
	} {
		b.Run(test.kernel, func(b *testing.B) {
			for _, v := range scriptVariants(b, test.file) {
				if v.Name != test.kernel {
					continue
				}
				n, err := linear.New(v.Kernel)
				if err != nil {
					b.Fatal(err)
				}
				p, err := New(n, Options{Device: h200})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := p.Traffic(test.sizes); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
