package lower_test

import (
	"os"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/device/devicetest"
	"gpuperf/lift/explore"
)

// TestAligned: blocks whose results begin in front of a border that is not written compute what their programs mean, and write nothing else. The
// first and the last vector of a row are in part border.
func TestAligned(t *testing.T) {
	dev := devicetest.Open(t)
	list := []struct {
		name, recipe string
		sizes        map[string]int64
	}{
		{"jacobi2d_5pt", "aligned, tiles of t by v, glb1 glb0, rows in vectors of 2, results in vectors", map[string]int64{"h": 10, "w": 14}},
		{"jacobi2d_5pt", "aligned, tiles of t by v, glb1 glb0, rows in vectors of 4, results in vectors", map[string]int64{"h": 6, "w": 8}},
		{"jacobi2d_5pt", "aligned, tiles of t by v, glb1 glb0, rows in vectors of 4", map[string]int64{"h": 6, "w": 4}},
		{"gaussian", "aligned, tiles of t by v, glb1 glb0, rows in vectors of 4, results in vectors", map[string]int64{"h": 8, "w": 12}},
		{"gaussian", "aligned, tiles of t by v, glb1 glb0, rows in vectors of 2, results in vectors of 4", map[string]int64{"h": 12, "w": 16}},
		{"heat3d", "aligned, tiles of t by u by v, glb2 glb1 glb0, rows in vectors of 2, results in vectors", map[string]int64{"d": 4, "h": 6, "w": 10}},
	}
	devicetest.Together(dev, len(list), func(i int, dev device.Device) {
		c := list[i]
		t.Run(c.name, func(t *testing.T) {
			text, err := os.ReadFile("../../examples/lift/" + c.name + ".lift")
			if err != nil {
				t.Fatal(err)
			}
			list := points(t, parse(t, string(text)), c.sizes, explore.Options{Variants: 6, Ranges: 1, Seed: 3, Recipes: []string{c.recipe}})
			if len(list) == 0 || !strings.HasPrefix(list[0].Variant.Recipe, "aligned") {
				t.Fatalf("%d points", len(list))
			}
			checkPoints(t, list, c.sizes, dev)
		})
	})
}
