package features

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gpuperf/kernel/script"
)

// The paper's eight kernels, from the transformed kernel to all symbolic counts: without footprints, the footprints and the
// ratios to them alone, and what lines and sectors add at a size that was not evaluated before.
func BenchmarkCount(b *testing.B) {
	sizes := map[string]int64{"n": 2240, "nelements": 65536}
	for _, file := range []string{"matmul/matmul.star", "matmul/matmul_prefetch.star", "dg/dg.star", "stencil/finite_diff.star"} {
		text, err := os.ReadFile(filepath.Join("..", "examples", filepath.FromSlash(file)))
		if err != nil {
			b.Fatal(err)
		}
		variants, err := script.Exec(file, string(text))
		if err != nil {
			b.Fatal(err)
		}
		for _, v := range variants {
			name := filepath.Base(file) + "/" + v.Name
			count := func(b *testing.B) *Statistics {
				s, err := Count(v.Kernel, Options{})
				if err != nil {
					b.Fatal(err)
				}
				return s
			}
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					count(b)
				}
			})
			b.Run(name+"/footprints", func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					s := count(b)
					b.StartTimer()
					if _, failed := s.c.countFootprints(); len(failed) > 0 {
						b.Fatal(failed[0].err)
					}
				}
			})
			for _, class := range []Class{LinesClass, SectorsClass} {
				id, err := ParseID("f_" + string(class))
				if err != nil {
					b.Fatal(err)
				}
				b.Run(name+"/"+string(class), func(b *testing.B) {
					for b.Loop() {
						b.StopTimer()
						s := count(b)
						b.StartTimer()
						if _, err := s.Value(id, sizes); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// Evaluation of a feature at a new size.
func BenchmarkValue(b *testing.B) {
	s, err := Count(tiledMatmul(b), Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, feature := range []string{
		"f_op_float32_madd", "f_mem_access_local_float32", "f_mem_access_tag:aLD_lstrides:{1:<n}_afr:>1",
		"f_mem_access_global_float32_load_lstrides:{0:1;1:>15}_gstrides:{0:16}", "f_thread_groups",
	} {
		id, err := ParseID(feature)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(feature, func(b *testing.B) {
			sizes := map[string]int64{"n": 16}
			for b.Loop() {
				sizes["n"] = sizes["n"]%8192 + 16
				if _, err := s.Value(id, sizes); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParseID(b *testing.B) {
	for b.Loop() {
		if _, err := ParseID("f_mem_access_global_float32_load_lstrides:{0:1;1:>15}_gstrides:{0:16}_afr:>1"); err != nil {
			b.Fatal(err)
		}
	}
}

// Guarded tiles, whose symbolic counts take seconds: numbers for a kernel that was never seen, with the distinct elements of all accesses
// to global memory, and for the same at another size.
func BenchmarkCountAt(b *testing.B) {
	sizes := map[string]int64{"n": 4096}
	for _, of := range []struct{ file, variant string }{
		{"volumes.star", "odd_tile"}, {"timesteps.star", "plane_2_wide"}, {"permutations.star", "digits"}, {"strided.star", "pool_tile"},
	} {
		text, err := os.ReadFile(filepath.Join("..", "examples", "evaluation", "general", of.file))
		if err != nil {
			b.Fatal(err)
		}
		variants, err := script.Exec(of.file, string(text))
		if err != nil {
			b.Fatal(err)
		}
		k := variants[slices.IndexFunc(variants, func(v script.Variant) bool { return v.Name == of.variant })].Kernel
		id, err := ParseID("f_mem_footprint_global")
		if err != nil {
			b.Fatal(err)
		}
		find := func(b *testing.B, opt Options) *Occurrences {
			o, err := Find(k, opt)
			if err != nil {
				b.Fatal(err)
			}
			return o
		}
		count := func(b *testing.B, o *Occurrences) {
			s, err := o.CountAt(sizes)
			if err == nil {
				_, err = s.Value(id, sizes)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		for name, opt := range map[string]Options{"": {}, "/least": {Least: true}} {
			b.Run(of.variant+name, func(b *testing.B) {
				for b.Loop() {
					count(b, find(b, opt))
				}
			})
			b.Run(of.variant+name+"/again", func(b *testing.B) {
				o := find(b, opt)
				for b.Loop() {
					count(b, o)
				}
			})
		}
	}
}
