package quasi

import (
	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// listed writes the condition of a piece that only a few values meet as these values: n = −2 for one value, 3 ≤ n ≤ 6
// for consecutive values of one variable.
func listed(w *linear.Work, p *Piecewise, x Piece) Piece {
	c := x.Dom
	left := c.N - len(c.Eq) // a polyhedron of so many dimensions is bounded by more inequalities only
	if c.N == 0 || len(c.Divs) == 0 && (c.N == 1 || left <= 0 || len(c.Ge) <= left) {
		return x
	}
	var first, last linear.Row
	n := int64(0)
	if err := w.Enumerate(c, func(at []int64) bool {
		if n++; n == 1 {
			first = append(linear.Row{1}, at...)
		}
		last = append(linear.Row{1}, at...)
		return n <= fewPoints
	}); err != nil || n == 0 || n > fewPoints {
		return x
	}
	dom := &linear.Conj{N: c.N}
	switch {
	case n == 1:
		for i := 1; i <= c.N; i++ {
			dom.AddEQ(linear.Plus(1+c.N, arith.Neg(first[i]), 1, i))
		}
		return Piece{dom, Constant(x.Q.at(p.Table.WithFloors(first)))}
	case c.N == 1 && last[1]-first[1] == n-1:
		dom.AddGE(linear.Row{arith.Neg(first[1]), 1})
		dom.AddGE(linear.Row{last[1], -1})
		return Piece{dom, x.Q}
	}
	return x
}
