package derive

import (
	"testing"
	"time"

	"gpuperf/kernel/linear"
	"gpuperf/lift/lower"
)

func TestVariantsLower(t *testing.T) {
	for _, c := range small {
		t.Run(c.name, func(t *testing.T) {
			p := example(t, c.name)
			start := time.Now()
			result, err := Derive(p, Options{Count: 200, Seed: 1, Sizes: c.sizes})
			if err != nil {
				t.Fatal(err)
			}
			derive := time.Since(start)
			bad := map[string]int{}
			good := 0
			start = time.Now()
			for _, v := range result.Variants {
				k, err := lower.Lower(v.Program, lower.Options{Sizes: c.sizes})
				if err == nil {
					for _, k := range k.Kernels {
						if _, err = linear.New(k); err != nil {
							break
						}
					}
				}
				if err != nil {
					if bad[reason(err)] == 0 {
						t.Logf("%s %v: %v\n%s", v.Recipe, v.Numbers, err, v.Program.BodyText())
					}
					bad[reason(err)]++
				} else {
					good++
				}
			}
			t.Logf("derive %d in %v, lower in %v: %d good%s", len(result.Variants), derive, time.Since(start), good, counts(bad))
		})
	}
}

// large are the sizes at which kernels are explored.
var large = map[string]map[string]int64{
	"scal": {"n": 1 << 24}, "asum": {"n": 1 << 24}, "dot": {"n": 1 << 24}, "gemv": {"n": 4096, "m": 4096}, "matmul": {"m": 1024, "k": 1024, "n": 1024},
	"blackscholes": {"n": 1 << 22}, "md": {"n": 12288, "k": 128}, "stencil2d": {"h": 4096, "w": 4096}, "jacobi2d_5pt": {"h": 4098, "w": 4098},
	"jacobi2d_9pt": {"h": 4098, "w": 4098}, "gaussian": {"h": 4100, "w": 4100}, "gradient": {"h": 4098, "w": 4098}, "hotspot2d": {"h": 4096, "w": 4096},
	"srad1": {"h": 4096, "w": 4096}, "srad2": {"h": 4096, "w": 4096}, "heat3d": {"d": 258, "h": 258, "w": 258}, "hotspot3d": {"d": 8, "h": 512, "w": 512},
}

// Every stencil has a thousand variants at 4096 by 4096, of at least 30 skeletons.
func TestCounts(t *testing.T) {
	for _, c := range small {
		start := time.Now()
		result, err := Derive(example(t, c.name), Options{Count: 1000, Seed: 1, Sizes: large[c.name]})
		if err != nil {
			t.Fatal(err)
		}
		skeletons := map[string]bool{}
		for _, v := range result.Variants {
			skeletons[v.Skeleton] = true
		}
		t.Logf("%s: %d variants, %d skeletons, %d recipes in %v%s", c.name, len(result.Variants), len(skeletons), result.Recipes, time.Since(start), counts(result.Refused))
	}
}

func BenchmarkDerive(b *testing.B) {
	p := example(b, "hotspot2d")
	for b.Loop() {
		if _, err := Derive(p, Options{Count: 1000, Seed: 1, Sizes: large["hotspot2d"]}); err != nil {
			b.Fatal(err)
		}
	}
}
