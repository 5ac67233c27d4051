package polycount

import (
	"errors"
	"gpuperf/polycount/internal/arith"
	"slices"
)

// sumOver is Σ p over the variables after the first params of a union of conjunctions, by the others.
func (w *work) sumOver(cs []*conj, p *piecewise, params int) (out *piecewise, err error) {
	out = newPiecewise(params)
	for _, c := range w.disjoint(cs) {
		for _, x := range p.pieces {
			d := conjunction(c, x.dom)
			if !d.simplify() || !w.solvable(d.question()) {
				continue
			}
			part, err := w.sumConj(d, p.table, x.q, d.after(params))
			if errors.Is(err, errUnbounded) {
				err = &unboundedError{d}
			}
			if err != nil {
				return nil, err
			}
			out = w.sum(out, part)
		}
	}
	w.tidy(out)
	return out, nil
}

// sumConj sums q, over the columns of table, over the variables of c for which drop is set.
func (w *work) sumConj(c *conj, table *conj, q quasi, drop []bool) (p *piecewise, err error) {
	defer arith.Rescue(&err)
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
	return k.piecewise(), nil
}
