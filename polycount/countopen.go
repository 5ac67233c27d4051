package polycount

import (
	"encoding/binary"
	"slices"
)

// maxCorners bounds the number of counts that are added up for one shadow.
const maxCorners = 2000

// countOpen counts the shadow of c, a conjunction over the parameters and dimensions of s with existentials, without
// eliminating them: a signed sum of counts of conjunctions with the constraints of c, moved. ok is false when it would
// not end within the budget, or be unbounded.
func (w *work) countOpen(c *conj, s *Set) (p *Poly, ok bool) {
	w.within(w.left/2, func(w *work) {
		c, plain := w.reduceOpen(c)
		if c == nil {
			p, ok = newPoly(s.params), true
			return
		}
		if plain {
			q, err := w.countConj(c, s)
			p, ok = q, err == nil
			return
		}
		f := w.newFibres(c)
		if len(f.basis) == 0 {
			q, err := w.countQuantified(f.c, s)
			p, ok = q, err == nil
			return
		}
		cs := w.corners(f)
		if len(cs) > maxCorners {
			return
		}
		total := &gathered{p: newPoly(s.params), index: map[string]int{}}
		for _, x := range cs {
			q, err := w.countQuantified(f.above(x.at), s)
			if err != nil {
				return
			}
			total.add(w, q, x.k)
		}
		p, ok = total.disjoint(w), true
		w.tidy(p)
	})
	return p, ok
}

// reduceOpen does what can be done without branching: plain when no existential is left, nil when c is plainly empty.
// Equalities with existentials stay in the result unless existentials could be eliminated exactly after solving them,
// since the variables of the original constraints count more simply.
func (w *work) reduceOpen(c *conj) (out *conj, plain bool) {
	c = c.clone()
	for c.dropDigit(true) {
		w.spend((len(c.eq) + len(c.ge) + 1) * c.width())
	}
	if !normalizeRows(&c.eq, &c.ge) {
		return nil, false
	}
	left := w.eliminateUntil(c.clone(), true)
	if len(left) == 0 {
		return nil, false
	}
	solved := left[0]
	free := 0
	for k, d := range solved.divs {
		if d.den == 0 && solved.usedInRows(1+solved.n+k) {
			free++
		}
	}
	if free == 0 {
		return solved, solved.simplify()
	}
	if len(w.kernel(c.existentials(), c.eq)) == free {
		return c, false
	}
	return solved, false
}

// gathered adds polynomials up, those on one domain first.
type gathered struct {
	p     *Poly // pieces overlap
	index map[string]int
}

// add adds k·q.
func (g *gathered) add(w *work, q *Poly, k int64) {
	atoms := g.p.importTable(q.table, identityRows(q.table.n))
	for _, x := range q.pieces {
		poly := x.q.rename(atoms).scale(ratInt(k))
		key := x.dom.key()
		w.spend(len(key) + 4*len(poly))
		if i, ok := g.index[key]; ok {
			g.p.pieces[i].q = g.p.pieces[i].q.add(poly)
			continue
		}
		g.index[key] = len(g.p.pieces)
		g.p.pieces = append(g.p.pieces, piece{x.dom, poly})
	}
}

// disjoint is the sum.
func (g *gathered) disjoint(w *work) *Poly {
	g.p.pieces = slices.DeleteFunc(g.p.pieces, func(x piece) bool { return len(x.q) == 0 })
	g.p.pieces = w.makeDisjoint(g.p.pieces)
	return g.p
}

// key tells conjunctions in normal form apart.
func (c *conj) key() string {
	var b []byte
	put := func(rows []row) {
		b = binary.AppendVarint(b, int64(len(rows)))
		for _, r := range rows {
			for _, v := range r {
				b = binary.AppendVarint(b, v)
			}
		}
	}
	put(c.eq)
	put(c.ge)
	for _, d := range c.divs {
		b = binary.AppendVarint(b, d.den)
		b = binary.AppendVarint(b, int64(len(d.num)))
		put([]row{d.num})
	}
	return string(b)
}
