package derive

import (
	"slices"
	"testing"
	"time"
)

// large are the sizes at which kernels are explored.
var large = map[string]map[string]int64{
	"scal": {"n": 1 << 24}, "asum": {"n": 1 << 24}, "dot": {"n": 1 << 24}, "gemv": {"n": 4096, "m": 4096}, "matmul": {"m": 1024, "k": 1024, "n": 1024},
	"blackscholes": {"n": 1 << 22}, "md": {"n": 12288, "k": 128}, "stencil2d": {"h": 4096, "w": 4096}, "jacobi2d_5pt": {"h": 4098, "w": 4098},
	"jacobi2d_9pt": {"h": 4098, "w": 4098}, "gaussian": {"h": 4100, "w": 4100}, "gradient": {"h": 4098, "w": 4098}, "hotspot2d": {"h": 4096, "w": 4096},
	"srad1": {"h": 4096, "w": 4096}, "srad2": {"h": 4096, "w": 4096}, "heat3d": {"d": 258, "h": 258, "w": 258}, "hotspot3d": {"d": 8, "h": 512, "w": 512},
}

// The stencils of 000 Table 2 have a thousand variants at 4096 by 4096, of at least 30 skeletons; so have the reductions. (LONG=1 derives a thousand
// of each, otherwise they are of one, and 300 of two more.)
func TestCounts(t *testing.T) {
	for _, name := range []string{
		"stencil2d", "srad1", "srad2", "hotspot2d", "gradient", "jacobi2d_5pt", "jacobi2d_9pt", "gaussian", "asum", "dot", "gemv",
	} {
		opt := Options{Count: 1000, Seed: 1, Sizes: large[name]}
		start := time.Now()
		if !many && name != "hotspot2d" {
			if opt.Count = 300; name != "asum" && name != "gemv" {
				continue
			}
		}
		result, err := Derive(example(t, name), opt)
		if err != nil {
			t.Fatal(err)
		}
		skeletons := map[string]bool{}
		for _, v := range result.Variants {
			skeletons[v.Skeleton] = true
		}
		if len(result.Variants) != opt.Count || len(skeletons) < 30 {
			t.Errorf("%s: %d variants of %d skeletons", name, len(result.Variants), len(skeletons))
		}
		t.Logf("%s: %d variants, %d skeletons, %d recipes in %v%s", name, len(result.Variants), len(skeletons), result.Recipes, time.Since(start), counts(result.Refused))
	}
}

// The same seed gives the same variants, another seed others.
func TestSeeds(t *testing.T) {
	ids := func(seed int64) (list []string) {
		result, err := Derive(example(t, "asum"), Options{Count: 50, Seed: seed, Sizes: large["asum"]})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range result.Variants {
			list = append(list, v.ID)
		}
		return list
	}
	if !slices.Equal(ids(1), ids(1)) {
		t.Error("one seed gives two lists")
	}
	if slices.Equal(ids(1), ids(2)) {
		t.Error("two seeds give one list")
	}
}

func BenchmarkDerive(b *testing.B) {
	for _, name := range []string{"asum", "jacobi2d_5pt", "srad2"} {
		b.Run(name, func(b *testing.B) {
			p := example(b, name)
			seed := int64(0)
			for b.Loop() {
				seed++ // another thousand: terms that were made before are found at once
				if _, err := Derive(p, Options{Count: 1000, Seed: seed, Sizes: large[name]}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
