package transform

import (
	"slices"
	"strconv"
	"strings"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// TagDataAxes sets the layout of an array, one item per axis: N0 for the axis that varies fastest, then N1 and so on;
// or c for C order, f for Fortran order; or stride:EXPR for a distance in elements.
func TagDataAxes(k *kernel.Kernel, array, layout string) (*kernel.Kernel, error) {
	a := k.Array(array)
	if a == nil || a.IsValue {
		return nil, k.Errorf("no array %s", array)
	}
	items := strings.Split(strings.ReplaceAll(layout, " ", ""), ",")
	n := len(a.Shape)
	bad := func(what string) error {
		return k.Errorf("layout %q of %s: %s; give one of N0 to N%d to each of the %d axes", layout, array, what, max(0, n-1), n)
	}
	var axes []kernel.Axis
	switch items[0] {
	case "c", "C", "f", "F":
		for _, it := range items {
			if !strings.EqualFold(it, items[0]) {
				return nil, bad("mixes " + items[0] + " and " + it)
			}
		}
		if len(items) != 1 && len(items) != n {
			return nil, bad("has " + strconv.Itoa(len(items)) + " items")
		}
		for i := range n {
			nest := n - 1 - i
			if strings.EqualFold(items[0], "f") {
				nest = i
			}
			axes = append(axes, kernel.Axis{Nest: nest})
		}
	default:
		if len(items) != n {
			return nil, bad("has " + strconv.Itoa(len(items)) + " items")
		}
		var seen []int
		for i, it := range items {
			if text, ok := strings.CutPrefix(it, "stride:"); ok {
				e, err := expr.Parse(text)
				if err != nil {
					return nil, k.Errorf("layout of %s: %w", array, err)
				}
				axes = append(axes, kernel.Axis{Nest: n + i, Stride: e})
				continue
			}
			nest, err := strconv.Atoi(strings.TrimPrefix(it, "N"))
			if !strings.HasPrefix(it, "N") || err != nil || nest < 0 || nest >= n || slices.Contains(seen, nest) {
				return nil, bad("item " + it)
			}
			seen = append(seen, nest)
			axes = append(axes, kernel.Axis{Nest: nest})
		}
		for level := range seen {
			if !slices.Contains(seen, level) {
				return nil, bad("N" + strconv.Itoa(level) + " is missing")
			}
		}
	}
	c := k.Clone()
	c.ChangeArray(array, func(a *kernel.Array) { a.Axes = axes })
	return c, nil
}
