package explore

import (
	"fmt"
	"testing"

	"gpuperf/lift"
	"gpuperf/lift/derive"
)

// TestPlainest: variants that are kept are those of the same program with the same options, whatever was asked for in between.
func TestPlainest(t *testing.T) {
	const text = "fun(xs: [float32]n => map(fun(x => x * %s)) $ xs)"
	first := func(factor string, n int64, opt Options) *derive.Variant {
		p, err := lift.Parse("program p\nsize n\n" + fmt.Sprintf(text, factor))
		if err != nil {
			t.Fatal(err)
		}
		opt.Variants = 1
		s, err := NewSpace(p, "p.lift", map[string]int64{"n": n}, opt)
		if err != nil {
			t.Fatal(err)
		}
		list, err := s.plainest()
		if err != nil {
			t.Fatal(err)
		}
		return list[0]
	}
	again := first("2.0f", 64, Options{})
	seen := map[*derive.Variant]bool{again: true}
	for _, v := range []*derive.Variant{
		first("3.0f", 64, Options{}), first("2.0f", 61, Options{}), first("2.0f", 64, Options{MaxGroup: 16}), first("2.0f", 64, Options{MaxLocal: 64}),
		first("2.0f", 64, Options{Seed: 1}),
	} {
		if seen[v] {
			t.Errorf("the variants of one program with some options are those of another: %s", v.Program)
		}
		seen[v] = true
	}
	if first("2.0f", 64, Options{Recipes: []string{again.Recipe}}) != again {
		t.Error("variants that were derived are derived again, or depend on the recipes that are asked for")
	}
	first("4.0f", 64, Options{})
	if first("2.0f", 64, Options{}) == again || len(sorted.lists) > 6 {
		t.Errorf("the seventh list is kept, of %d", len(sorted.lists))
	}
}
