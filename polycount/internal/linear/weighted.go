package linear

import (
	"errors"
	"gpuperf/polycount/internal/arith"
	"slices"
)

// sumOver is Σ p over the variables after the first params of a union of conjunctions, by the others.
func (w *Work) SumOver(cs []*Conj, p *Piecewise, params int) (out *Piecewise, err error) {
	out = NewPiecewise(params)
	for _, c := range w.Disjoint(cs) {
		for _, x := range p.Pieces {
			d := Conjunction(c, x.Dom)
			if !d.Simplify() || !w.Solvable(d.Question()) {
				continue
			}
			part, err := w.sumConj(d, p.Table, x.Q, d.after(params))
			if errors.Is(err, errUnbounded) {
				err = &UnboundedError{d}
			}
			if err != nil {
				return nil, err
			}
			out = w.Sum(out, part)
		}
	}
	w.Tidy(out)
	return out, nil
}

// sumConj sums q, over the columns of table, over the variables of c for which drop is set.
func (w *Work) sumConj(c *Conj, table *Conj, q Quasi, drop []bool) (p *Piecewise, err error) {
	defer arith.Rescue(&err)
	rows := make([]Row, table.Width())
	for i := 1; i < table.Width(); i++ {
		e := make(Row, i+1)
		e[i] = 1
		if q.uses(i) {
			rows[i] = c.translate(table, e)
		}
	}
	whole, place := c.Quantify(drop)
	atoms := make([]Quasi, table.Width())
	for i, r := range rows {
		moved := make(Row, whole.Width())
		for j, v := range r {
			if v != 0 {
				moved[place[j]] = v // column 0 stays
			}
		}
		if atoms[i] = Linear(moved); atoms[i] == nil {
			atoms[i] = Quasi{}
		}
	}
	k := &counter{Work: w, table: &Conj{N: whole.N, Divs: slices.Clone(whole.Divs)}}
	r := region{eq: whole.Eq, ge: whole.Ge, q: q.rename(atoms)}
	for i, d := range whole.Divs {
		if d.Den == 0 {
			r.left = append(r.left, 1+whole.N+i)
		}
	}
	k.Sum(r)
	return k.piecewise(), nil
}
