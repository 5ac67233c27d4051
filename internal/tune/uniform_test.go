package tune

import (
	"math"
	"testing"

	"gpuperf/lift/explore"
	"gpuperf/search"
)

// TestUniform: what random search draws is as frequent as it is in the space. Two in nine of the configurations of the product, a kernel script with constraints, have a tile of 128 rows,
// which more than a quarter of the paths would end at that are drawn choice by choice. The variants of a program are more than are listed, and recipes have different numbers of them.
func TestUniform(t *testing.T) {
	s, err := openScript(t.Context(), "../../examples/tune/product.star", map[string]int64{"n": 128})
	if err != nil {
		t.Fatal(err)
	}
	r := explore.Request{Sizes: map[string]int64{"n": 1 << 24}, Variants: 700, Seed: 1}
	variants, err := r.Open("../../examples/lift/asum.lift", nil)
	if err != nil {
		t.Fatal(err)
	}
	program, err := explore.NewGraph(variants)
	if err != nil {
		t.Fatal(err)
	}
	first := func(s search.Space) search.Pick { return search.Usual(s)[0] }
	part, own := search.Share(s.space, 1, 3), search.Share(program, 1, 3)
	for _, c := range []struct {
		name  string
		space search.Space
		pick  search.Pick
	}{
		{"product.star", s.space, search.Pick{Choice: "bm", Option: "128"}},
		{"a part of product.star", part, first(part)},
		{"asum.lift", program, first(program)},
		{"a part of asum.lift", own, first(own)},
	} {
		has := func(x search.Config) bool { return x.Option(c.pick.Choice) == c.pick.Option }
		all, some := 0, 0
		for x := range search.All(c.space) {
			if all++; has(x) {
				some++
			}
		}
		random, err := search.New("random", c.space, nil, 1)
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
			t.Errorf("%s: %.2f %% of the draws have %s=%s, and %.2f %% of the %d configurations", c.name, 100*got, c.pick.Choice, c.pick.Option, 100*want, all)
		} else {
			t.Logf("%s: %.2f %% of the draws have %s=%s, %.2f %% of %d", c.name, 100*got, c.pick.Choice, c.pick.Option, 100*want, all)
		}
	}
}
