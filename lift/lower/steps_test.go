package lower_test

import (
	"os"
	"strings"
	"testing"

	"gpuperf/lift/explore"
)

// TestTimeTiles: several steps in a tile compute what the steps compute one after the other.
func TestTimeTiles(t *testing.T) {
	diffuse, err := os.ReadFile("../../examples/lift/diffuse.lift")
	if err != nil {
		t.Fatal(err)
	}
	const line = `program drift
size n
fun(xs: [float32]n =>
    iterate(4, fun(y => map(fun(w => at(0, w) + 0.5f * at(3, w) - at(1, w))) o slide(4, 1) o pad(2, 1, wrap) $ y)) $ xs)
`
	for _, c := range []struct {
		text  string
		sizes map[string]int64
		names []string
	}{
		{strings.Replace(string(diffuse), "iterate(8", "iterate(4", 1), map[string]int64{"h": 8, "w": 16}, []string{"time tiles of t by k, b steps, wrg1 wrg0 lcl1 lcl0", "time tiles of t by k, b steps, wrg1 wrg0 lcl1 lcl0, local copy"}},
		{line, map[string]int64{"n": 128}, []string{"time tiles of t, b steps, wrg0 lcl0", "time tiles of t, b steps, wrg0 lcl0, local copy"}},
	} {
		list := points(t, parse(t, c.text), c.sizes, explore.Options{Variants: 4, Ranges: 2, Seed: 3, Recipes: c.names})
		for _, name := range c.names {
			if !strings.Contains(recipesOf(list), name) {
				t.Errorf("no variant of %s", name)
			}
		}
		checkPoints(t, list, c.sizes, nil)
	}
}

func recipesOf(list []*explore.Point) string {
	var all []string
	for _, x := range list {
		all = append(all, x.Variant.Recipe+"\n")
	}
	return strings.Join(all, "")
}
