package rank

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Ranks are the positions of the values in ascending order, from 1; equal values share their mean position.
func Ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from + 1 // NaN equals no value
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+1+to) / 2
		}
		from = to
	}
	return out
}

// Spearman is the rank correlation of two lists: 1 for the same order, -1 for the opposite order, NaN if one of them is
// constant.
func Spearman(a, b []float64) float64 { return stat.Correlation(Ranks(a), Ranks(b), nil) }
