package lower_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"gpuperf/lift/explore"
)

// product is the text of the product of matrices with these rows and columns.
func product(rows, columns string) string {
	return fmt.Sprintf("map(fun(row => join o map(fun(column => reduce(+, 0) o map(*) $ zip(row, column))) $ %s)) $ %s", columns, rows)
}

// TestProducts: the variants of products with operands in local memory, of other numbers, of transposed operands, of many at once and of
// three matrices compute what they mean, one of each recipe; without LONG=1 those of three forms.
func TestProducts(t *testing.T) {
	for name, c := range map[string]struct {
		inputs, body string
		recipes      int // at least
	}{
		"float64": {"a: [[float64]k]m, b: [[float64]n]k", product("a", "transpose b"), 3},
		"first":   {"a: [[float32]m]k, b: [[float32]n]k", product("transpose a", "transpose b"), 3},
		"second":  {"a: [[float32]k]m, b: [[float32]k]n", product("a", "b"), 3},
		"batch":   {"a: [[[float32]k]m]3, b: [[[float32]n]k]3", "map(fun((x, y) => " + product("x", "transpose y") + ")) $ zip(a, b)", 3},
		"three":   {"a: [[float32]k]m, b: [[float32]n]k, c: [[float32]32]n", product("("+product("a", "transpose b")+")", "transpose c"), 3},
		"both":    {"a: [[float32]m]k, b: [[float32]k]n", product("transpose a", "b"), 3},
	} {
		t.Run(name, func(t *testing.T) {
			if os.Getenv("LONG") == "" && slices.Contains([]string{"float64", "first", "second"}, name) {
				t.Skip("slow: LONG=1")
			}
			text := strings.NewReplacer("transpose a", "transpose(a)", "transpose b", "transpose(b)", "transpose y", "transpose(y)", "transpose c", "transpose(c)").Replace(c.body)
			p := parse(t, "program product\nsize m, k, n\nfun("+c.inputs+" => "+text+")")
			sizes := map[string]int64{"m": 64, "k": 16, "n": 32}
			list := points(t, p, sizes, explore.Options{Variants: 220, Ranges: 1, Seed: 5})
			first := map[string]bool{}
			var some []*explore.Point
			for _, x := range list {
				if name := x.Variant.Recipe; strings.Contains(name, "copies in vectors") && !first[name] {
					first[name] = true
					some = append(some, x)
				}
			}
			if len(some) < c.recipes {
				t.Errorf("%d recipes", len(some))
			}
			checkPoints(t, some, sizes, nil)
		})
	}
}
