package tune

import (
	"math"
	"testing"

	"gpuperf/search"
)

// TestUniformTile: what random search draws of a kernel script with constraints is as frequent as it is in the space: two in nine of the configurations of the product have a tile of
// 128 rows, which more than a quarter of the paths would end at that are drawn choice by choice.
func TestUniformTile(t *testing.T) {
	s, err := openScript(t.Context(), "../../examples/tune/product.star", map[string]int64{"n": 128})
	if err != nil {
		t.Fatal(err)
	}
	has := func(c search.Config) bool { return c.Option("bm") == "128" }
	all, some := 0, 0
	for c := range search.All(s.space) {
		if all++; has(c) {
			some++
		}
	}
	random, err := search.New("random", s.space, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	const draws = 20_000
	drawn := 0
	for range draws {
		if has(random.Ask()) {
			drawn++
		}
	}
	want := float64(some) / float64(all)
	if got := float64(drawn) / draws; math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/draws) {
		t.Errorf("%.1f %% of the draws have a tile of 128, and %.1f %% of the %d configurations", 100*got, 100*want, all)
	} else {
		t.Logf("%.1f %% of the draws, %.1f %% of %d", 100*got, 100*want, all)
	}
}
