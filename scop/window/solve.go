package window

import (
	"slices"

	"gpuperf/polycount"
)

// Solve finds x of rows·x = values, by elimination; rows that are not needed may contradict it. A quotient of the solution is exact at
// points that exist.
func Solve(rows [][]int64, values []polycount.Affine, width int) (x []polycount.Affine, ok bool) {
	rows, values = slices.Clone(rows), slices.Clone(values)
	for i := range rows {
		rows[i] = slices.Clone(rows[i])
	}
	var pivots []int
	for col := range width {
		best := -1
		for i := len(pivots); i < len(rows); i++ {
			if v := magnitude(rows[i][col]); v != 0 && (best < 0 || v < magnitude(rows[best][col])) {
				best = i
			}
		}
		if best < 0 {
			return nil, false
		}
		at := len(pivots)
		rows[at], rows[best] = rows[best], rows[at]
		values[at], values[best] = values[best], values[at]
		p := rows[at][col]
		for i := range rows {
			if f := rows[i][col]; i != at && f != 0 {
				for j := range width {
					rows[i][j] = rows[i][j]*p - rows[at][j]*f
				}
				values[i] = values[i].Scale(p).AddScaled(-f, values[at])
			}
		}
		pivots = append(pivots, col)
	}
	x = make([]polycount.Affine, width)
	for i, col := range pivots {
		v, p := values[i], rows[i][col]
		if p < 0 {
			v, p = v.Neg(), -p
		}
		if p > 1 {
			v = v.FloorDiv(p)
		}
		x[col] = v
	}
	return x, true
}

func magnitude(v int64) int64 { return max(v, -v) }
