package derive

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/internal/golden"
)

// TestRecipes: the recipes of each example, by kinds (the words before the first comma), with how many there are and in how many ways the numbers that they
// leave open can be chosen.
func TestRecipes(t *testing.T) {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(large)) {
		p := example(t, name)
		opt := Options{Sizes: large[name]}.withDefaults()
		at, err := p.AtSizes(opt.Sizes)
		if err != nil {
			t.Fatal(err)
		}
		type kind struct{ recipes, refused, points int }
		kinds := map[string]*kind{}
		for _, r := range newExplorer(p, at, opt).recipes() {
			of, _, _ := strings.Cut(r.name, ",")
			if kinds[of] == nil {
				kinds[of] = &kind{}
			}
			k, points := kinds[of], 1
			for _, n := range r.numbers {
				points *= len(n.values)
			}
			k.recipes, k.points = k.recipes+1, k.points+points
			if r.refused != nil {
				k.refused++
			}
		}
		fmt.Fprintf(&out, "%s %v\n", name, opt.Sizes)
		for _, of := range slices.Sorted(maps.Keys(kinds)) {
			fmt.Fprintf(&out, "  %-40s %5d recipes, %d refused, %d points\n", of, kinds[of].recipes, kinds[of].refused, kinds[of].points)
		}
	}
	golden.Check(t, filepath.Join("testdata", "recipes.txt"), out.String())
}
