package polycount

import "slices"

// Lexmin returns, for each value of the parameters, the lexicographically least point of s where there is one.
func (s *Set) Lexmin() (*Set, error) { return s.lexopt(1) }

// Lexmax returns, for each value of the parameters, the lexicographically greatest point of s where there is one.
func (s *Set) Lexmax() (*Set, error) { return s.lexopt(-1) }

// lexopt removes every point that another one precedes: for each k, those to which a point of s exists with equal
// first k−1 coordinates and a smaller (dir = 1) k-th.
func (s *Set) lexopt(dir int64) (out *Set, err error) {
	defer Rescue(&err)
	w := anyWork()
	np, nd := len(s.params), len(s.dims)
	cs := w.members(s)
	for k := range s.dims {
		// t: the first k+1 coordinates of points, over parameters and dims; the k-th then becomes existential.
		var beaten []*conj
		drop := make([]bool, np+nd)
		for i := k + 1; i < nd; i++ {
			drop[np+i] = true
		}
		for _, c := range w.members(s) {
			for _, t := range w.project(c, drop) {
				// Columns: parameters, dims 0…k−1, y (the k-th of the other point), x (ours).
				by := identityRows(np + k + 1)
				y := t.substitute(np+k+2, by)
				r := make(row, y.width())
				r[0], r[np+k+1], r[np+k+2] = -1, -dir, dir
				y.addGE(r)
				gone := make([]bool, np+k+2)
				gone[np+k] = true
				for _, u := range w.project(y, gone) {
					beaten = addMember(beaten, u.substitute(np+nd, identityRows(np+k+1)))
				}
			}
		}
		cs = w.subtract(cs, beaten)
	}
	out = s.with(slices.Clip(cs))
	return out.Coalesce()
}

// Coalesce merges members of the union whose union is one conjunction, and drops those that others cover.
func (s *Set) Coalesce() (out *Set, err error) {
	defer Rescue(&err)
	w := anyWork()
	var ps []piece
	one := constant(ratInt(1))
	for _, c := range w.members(s) {
		if w.feasible(c.flat()) {
			ps = append(ps, piece{c, one})
		}
	}
	out = s.with(nil)
	for i := 0; i < len(ps); i++ { // covered by one other
		for j := range ps {
			if i != j && len(w.subtractOne(ps[i].dom, ps[j].dom)) == 0 {
				ps = slices.Delete(ps, i, i+1)
				i--
				break
			}
		}
	}
	for _, x := range w.mergePieces(&conj{n: len(s.params) + len(s.dims)}, ps, false) {
		c := w.irredundant(x.dom, 0)
		if c.simplify() {
			out.cs = append(out.cs, c)
		}
	}
	return out, nil
}

// Sample returns a point of s with parameter values, by name, small where that is easy; ok is false when s is empty.
func (s *Set) Sample() (point map[string]int64, ok bool, err error) {
	defer Rescue(&err)
	w := anyWork()
	for _, c := range s.sources() {
		if at, found := w.sample(c.flat()); found {
			point = map[string]int64{}
			for i, n := range s.names() {
				point[n] = at[1+i]
			}
			return point, true, nil
		}
	}
	return nil, false, nil
}
