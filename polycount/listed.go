package polycount

import "gpuperf/polycount/internal/arith"

// fewPointsLimit is the work that goes into finding that a piece holds for a few values of the parameters only.
const fewPointsLimit = 20_000

// listed writes the conditions of x, where only few values of the parameters meet them, as these values: as n = −2 for
// one, and as 3 ≤ n ≤ 6 for a run of values of one parameter.
func (w *work) listed(p *piecewise, x piece) piece {
	c := x.dom
	left := c.n - len(c.eq) // a polyhedron of so many dimensions is bounded by more inequalities only
	if c.n == 0 || len(c.divs) == 0 && (c.n == 1 || left <= 0 || len(c.ge) <= left) {
		return x
	}
	var first, last row
	n := int64(0)
	if err := w.enumerate(c, func(at []int64) bool {
		if n++; n == 1 {
			first = append(row{1}, at...)
		}
		last = append(row{1}, at...)
		return n <= fewPoints
	}); err != nil || n == 0 || n > fewPoints {
		return x
	}
	dom := &conj{n: c.n}
	switch {
	case n == 1:
		for i := 1; i <= c.n; i++ {
			e := make(row, 1+c.n)
			e[0], e[i] = arith.Neg(first[i]), 1
			dom.addEQ(e)
		}
		atoms := first
		for _, d := range p.table.divs {
			atoms = append(atoms, arith.FloorDiv(dot(d.num, atoms), d.den))
		}
		return piece{dom, constant(x.q.at(atoms))}
	case c.n == 1 && last[1]-first[1] == n-1:
		dom.addGE(row{arith.Neg(first[1]), 1})
		dom.addGE(row{last[1], -1})
		return piece{dom, x.q}
	}
	return x
}
