package polycount

import (
	"errors"
	"slices"
)

// Sum returns Σ p over the points of s, as a function of the remaining parameters: p may use dimensions and
// parameters of s. Where p has no piece it is 0. Errors are those of Count.
func (s *Set) Sum(p *Poly, opts ...Option) (out *Poly, err error) {
	defer Rescue(&err)
	w := workOf(opts)
	params := s.params
	for _, n := range p.params {
		if !slices.Contains(s.dims, n) {
			params = unionNames(params, []string{n})
		}
	}
	s = s.respace(params, s.dims)
	p = p.respace(s.names())
	out = newPoly(params)
	drop := make([]bool, len(params)+len(s.dims))
	for i := range s.dims {
		drop[len(params)+i] = true
	}
	for _, c := range w.disjoint(w.members(s)) {
		for _, x := range p.pieces {
			d := conjunction(c, x.dom)
			if !d.simplify() || !w.solvable(d.question()) {
				continue
			}
			part, err := w.sumConj(d, p.table, x.q, drop, params)
			if errors.Is(err, errUnbounded) {
				err = w.unbounded(d, s)
			}
			if err != nil {
				return nil, err
			}
			a, b := alignPolys(out, part)
			a.pieces = w.sumPieces(a.pieces, b.pieces)
			out = a
		}
	}
	w.tidy(out)
	return out, nil
}

// sumConj sums q, over the columns of table, over the variables of c for which drop is set.
func (w *work) sumConj(c *conj, table *conj, q quasi, drop []bool, params []string) (p *Poly, err error) {
	defer Rescue(&err)
	rows := make([]row, table.width())
	for i := 1; i < table.width(); i++ {
		e := make(row, i+1)
		e[i] = 1
		if q.uses(i) {
			rows[i] = c.translate(table, e)
		}
	}
	whole, place := c.quantify(drop)
	atoms := make([]quasi, table.width())
	for i, r := range rows {
		moved := make(row, whole.width())
		for j, v := range r {
			if v != 0 {
				moved[place[j]] = v // column 0 stays
			}
		}
		if atoms[i] = linear(moved); atoms[i] == nil {
			atoms[i] = quasi{}
		}
	}
	k := &counter{work: w, table: &conj{n: whole.n, divs: slices.Clone(whole.divs)}}
	r := region{eq: whole.eq, ge: whole.ge, q: q.rename(atoms)}
	for i, d := range whole.divs {
		if d.den == 0 {
			r.left = append(r.left, 1+whole.n+i)
		}
	}
	k.sum(r)
	return k.poly(params), nil
}
