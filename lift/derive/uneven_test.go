package derive

import (
	"testing"
)

// Every size has at least 50 variants, in several recipes that work-items share: primes, 1 and 2, and sizes below those of tiles.
func TestUnevenSizes(t *testing.T) {
	for _, c := range []struct {
		name  string
		sizes map[string]int64
	}{
		{"dot", map[string]int64{"n": 10007}},
		{"dot", map[string]int64{"n": 1}},
		{"asum", map[string]int64{"n": 16777259}},
		{"dot", map[string]int64{"n": 2}},
		{"scal", map[string]int64{"n": 10007}},
		{"scal", map[string]int64{"n": 1}},
		{"scal", map[string]int64{"n": 2}},
		{"blackscholes", map[string]int64{"n": 1009}},
		{"peak", map[string]int64{"n": 997}},
		{"scal", map[string]int64{"n": 16777259}},
		{"prefix", map[string]int64{"n": 10007}},
		{"prefix", map[string]int64{"n": 16777259}},
		{"filter", map[string]int64{"n": 4099}},
		{"gemv", map[string]int64{"n": 1009, "m": 997}},
		{"gemv", map[string]int64{"n": 1, "m": 1}},
		{"matmul", map[string]int64{"m": 1009, "k": 997, "n": 1013}},
		{"matmul", map[string]int64{"m": 1, "k": 1, "n": 1}},
		{"matmul", map[string]int64{"m": 2, "k": 5, "n": 7}},
		{"md", map[string]int64{"n": 101, "k": 7}},
		{"stencil2d", map[string]int64{"h": 1, "w": 1}},
		{"jacobi2d_5pt", map[string]int64{"h": 1009, "w": 997}},
		{"srad1", map[string]int64{"h": 1, "w": 1}},
		{"srad2", map[string]int64{"h": 101, "w": 7}},
		{"hotspot2d", map[string]int64{"h": 2, "w": 3}},
		{"gaussian", map[string]int64{"h": 5, "w": 5}},
		{"gradient", map[string]int64{"h": 103, "w": 4099}},
		{"heat3d", map[string]int64{"d": 3, "h": 3, "w": 3}},
		{"hotspot3d", map[string]int64{"d": 7, "h": 101, "w": 103}},
	} {
		result, err := Derive(example(t, c.name), Options{Count: 50, Seed: 1, Sizes: c.sizes})
		if err != nil {
			t.Errorf("%s %v: %v", c.name, c.sizes, err)
			continue
		}
		recipes := map[string]bool{}
		for _, v := range result.Variants {
			recipes[v.Recipe] = true
		}
		if len(result.Variants) < 50 || len(recipes) < 5 {
			t.Errorf("%s %v: %d variants of %d recipes%s", c.name, c.sizes, len(result.Variants), len(recipes), counts(result.Refused))
		}
	}
}
