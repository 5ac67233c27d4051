package count

import (
	"errors"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/linear"
	"gpuperf/polycount/internal/quasi"
)

// Sum is the sum of p over all but the first params variables of a union of conjunctions, by these.
func Sum(w *linear.Work, cs []*linear.Conj, p *quasi.Piecewise, params int) (out *quasi.Piecewise, err error) {
	out = quasi.NewPiecewise(params)
	for _, c := range w.Disjoint(cs) {
		for _, x := range p.Pieces {
			d := linear.Conjunction(c, x.Dom)
			if !d.Simplify() || !w.Solvable(d.Question()) {
				continue
			}
			part, err := sumConj(w, d, p.Table, x.Q, d.After(params))
			if errors.Is(err, errUnbounded) {
				err = &UnboundedError{d}
			}
			if err != nil {
				return nil, err
			}
			out = quasi.Sum(w, out, part)
		}
	}
	quasi.Simplify(w, out)
	return out, nil
}

// sumConj sums q, over the columns of table, over the variables of c for which drop is set.
func sumConj(w *linear.Work, c *linear.Conj, table *linear.Conj, q quasi.Quasi, drop []bool) (p *quasi.Piecewise, err error) {
	defer throw.Catch(&err)
	rows := make([]linear.Row, table.Width())
	for i := 1; i < table.Width(); i++ {
		if q.Uses(i) {
			rows[i] = c.Translate(table, linear.Plus(i+1, 0, 1, i))
		}
	}
	whole, place := c.Quantify(drop)
	atoms := make([]quasi.Quasi, table.Width())
	for i, r := range rows {
		moved := make(linear.Row, whole.Width())
		for j, v := range r {
			if v != 0 {
				moved[place[j]] = v // column 0 stays
			}
		}
		atoms[i] = quasi.Linear(moved)
	}
	k := &counter{Work: w, table: &linear.Conj{N: whole.N, Divs: slices.Clone(whole.Divs)}}
	r := region{eq: whole.Eq, ge: whole.Ge, q: q.Rename(atoms)}
	for i, d := range whole.Divs {
		if d.Den == 0 {
			r.left = append(r.left, 1+whole.N+i)
		}
	}
	k.sum(r)
	return k.piecewise(), nil
}
