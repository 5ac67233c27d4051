package search

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestPart: every configuration is in one part.
func TestPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p Product
		for i := range rapid.IntRange(0, 4).Draw(t, "choices") {
			c := Choice{Name: fmt.Sprint("c", i)}
			for o := range rapid.IntRange(1, 5).Draw(t, "options") {
				c.Options = append(c.Options, fmt.Sprint(o))
			}
			p = append(p, c)
		}
		odd := func(made Config) bool { return made.Option("c0") != "1" || made.Option("c1") != "1" }
		s := Prune(p, odd)
		if s == nil {
			return
		}
		var all, parts []string
		for c := range All(s) {
			all = append(all, c.String())
		}
		n := rapid.IntRange(1, 7).Draw(t, "parts")
		for i := range n {
			before := len(parts)
			for c := range Part(s, i, n) {
				parts = append(parts, c.String())
			}
			share := Share(s, i, n)
			if share == nil {
				if len(parts) > before {
					t.Fatalf("part %d of %d has configurations, and no space", i, n)
				}
				continue
			}
			var own []string
			for c := range All(share) {
				own = append(own, c.String())
			}
			if part := slices.Sorted(slices.Values(parts[before:])); !slices.Equal(slices.Sorted(slices.Values(own)), part) {
				t.Fatalf("the space of part %d of %d has %q, not %q", i, n, own, part)
			}
		}
		if slices.Sort(parts); !slices.Equal(parts, slices.Sorted(slices.Values(all))) {
			t.Fatalf("%q, not %q", parts, all)
		}
		if n, more := Count(s, 1000); n != len(all) || more {
			t.Fatal(n, more)
		}
	})
}
