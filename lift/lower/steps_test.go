package lower_test

import (
	"os"
	"strings"
	"testing"

	"gpuperf/lift/explore"
)

// TestTimeTiles: several steps, or stages, in a tile compute what they compute one after the other.
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
	const separable = `program separable
size h, w
def third(a: float32, b: float32, c: float32): float32 = (a + b + c) * 0.25f
fun(grid: [[float32]w]h =>
    map(map(fun(n => third(at(0, n), at(1, n), at(2, n))))) o map(transpose) o slide(3, 1) o pad(1, 1, clamp)
    o map(map(fun(n => third(at(0, n), at(1, n), at(2, n)))) o slide(3, 1) o pad(1, 1, clamp)) $ grid)
`
	const three = `program three
size n
fun(xs: [float32](n + 3) => map(fun(w => at(0, w) - at(1, w))) o slide(2, 1) o map(fun(w => at(0, w) + 0.5f * at(2, w))) o slide(3, 1) o map(fun(x => x * x)) $ xs)
`
	for _, c := range []struct {
		text  string
		sizes map[string]int64
		names []string
	}{
		{strings.Replace(string(diffuse), "iterate(8", "iterate(4", 1), map[string]int64{"h": 8, "w": 16}, []string{"time tiles of t by k, b steps, wrg1 wrg0 lcl1 lcl0", "time tiles of t by k, b steps, wrg1 wrg0 lcl1 lcl0, local copy"}},
		{line, map[string]int64{"n": 128}, []string{"time tiles of t, b steps, wrg0 lcl0", "time tiles of t, b steps, wrg0 lcl0, local copy"}},
		{separable, map[string]int64{"h": 8, "w": 16}, []string{"stages in tiles of t by k, wrg1 wrg0 lcl1 lcl0", "stages in tiles of t by k, wrg1 wrg0 lcl1 lcl0, local copy"}},
		{three, map[string]int64{"n": 128}, []string{"stages in tiles of t, wrg0 lcl0", "stages in tiles of t, wrg0 lcl0, local copy"}},
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
