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

// BenchmarkTotals derives all totals that need no machine code of a kernel that was not seen before, and those of another size of one that was.
func BenchmarkTotals(b *testing.B) {
	var ids []string
	for _, t := range Totals() {
		if !t.Code { // of no compiled kernel
			ids = append(ids, t.Feature())
		}
	}
	opt := Options{Device: h200, Compiled: true, Values: true}
	for _, test := range []struct {
		file, kernel string
		sizes        map[string]int64
	}{
		{"matmul/matmul_prefetch.star", "knl", map[string]int64{"n": 4096}},
		{"evaluation/general/volumes.star", "odd_tile", map[string]int64{"n": 251}},
		{"evaluation/general/triangular.star", "pairs", map[string]int64{"n": 65536}},
		{"evaluation/general/sparse.star", "compressed_lines_8", map[string]int64{"n": 262144, "nnz": 8388608}},
	} {
		for _, v := range scriptVariants(b, test.file) {
			if v.Name != test.kernel {
				continue
			}
			fresh := func() *Program {
				n, err := linear.New(v.Kernel)
				if err != nil {
					b.Fatal(err)
				}
				p, err := New(n, opt)
				if err != nil {
					b.Fatal(err)
				}
				return p
			}
			totals := func(p *Program) {
				if _, err := p.Totals(test.sizes, ids); err != nil {
					b.Fatal(err)
				}
			}
			b.Run(test.kernel+"/fresh", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					totals(fresh())
				}
			})
			b.Run(test.kernel+"/size", func(b *testing.B) {
				p := fresh()
				b.ReportAllocs()
				for b.Loop() {
					totals(p)
				}
			})
		}
	}
}
