package polycount

import (
	"encoding/binary"
	"errors"
	"gpuperf/polycount/internal/arith"
	"slices"
)

// maxCorners bounds the number of counts that are added up for one shadow.
const maxCorners = 2000

// maxOpen bounds the members of a union that are counted by inclusion and exclusion.
const maxOpen = 5

// countOpen counts a union in its quantified form: members by inclusion and exclusion, each intersection by fibres. ok is
// false when that would not end within a fifth of the budget.
func (w *work) countOpen(open []*conj, params int) (p *piecewise, ok bool, err error) {
	if len(open) > maxOpen {
		return nil, false, nil
	}
	w.within(w.left/5, func(w *work) {
		total := &gathered{p: newPiecewise(params), index: map[string]int{}}
		var visit func(from int, met *conj, k int64) bool
		visit = func(from int, met *conj, k int64) bool {
			for i, c := range open[from:] {
				if met != nil {
					if c = conjunction(met, c); !c.simplify() {
						continue
					}
				}
				if !w.solvable(c.question()) {
					continue
				}
				done, bad := w.countShadow(total, c, params, k)
				var unbounded *unboundedError
				if errors.As(bad, &unbounded) {
					err = bad
				}
				if !done || bad != nil || !visit(from+i+1, c, -k) {
					return false
				}
			}
			return true
		}
		if visit(0, nil, 1) {
			p, ok = total.disjoint(w), true
			w.tidy(p)
		}
	})
	return p, ok, err
}

// countShadow adds k times the number of points of the shadow of c, a conjunction over parameters and dimensions with
// existentials, without eliminating these: a signed sum of counts of conjunctions with the constraints of c,
// moved. It reports false when there would be too many. c has points.
func (w *work) countShadow(total *gathered, c *conj, params int, k int64) (ok bool, err error) {
	c, plain := w.reduceOpen(c, params)
	if c == nil {
		return true, nil
	}
	if plain {
		q, err := w.countConj(c, params)
		if err == nil {
			total.add(w, q, k)
		}
		return err == nil, err
	}
	f := w.newFibres(c)
	cs := []corner{{1, make(row, len(f.class))}}
	if len(f.basis) > 0 {
		cs = w.moved(f, w.corners(f), params)
	}
	if len(cs) > maxCorners {
		return false, nil
	}
	for _, x := range cs {
		q, err := w.countConj(f.above(x.at), params)
		if err != nil {
			return false, err
		}
		total.add(w, q, k*x.k)
	}
	return true, nil
}

// reduceOpen does what can be done without branching: plain when no existential is left, nil when c is plainly empty.
// Equalities with existentials stay in the result unless existentials could be eliminated exactly after solving them,
// since the variables of the original constraints count more simply.
func (w *work) reduceOpen(c *conj, params int) (out *conj, plain bool) {
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
	if len(w.kernel(c.existentials(), c.eq)) == free || w.isBox(c, params) {
		return c, false
	}
	return solved, false
}

// isBox reports that no inequality links two of the variables that are counted once the equalities are solved.
func (w *work) isBox(c *conj, params int) bool {
	drop := make([]bool, c.n)
	for i := params; i < c.n; i++ {
		drop[i] = true
	}
	whole, _ := c.quantify(drop)
	_, _, groups, ok := w.preprocess(whole)
	for _, g := range groups {
		n := 0
		for _, e := range g.existentials() {
			if at := slices.Index(e, 1); g.usedInRows(at) {
				n++
			}
		}
		ok = ok && n == 1
	}
	return ok
}

// gathered adds polynomials up, those on one domain first.
type gathered struct {
	p     *piecewise // pieces overlap
	index map[string]int
}

// add adds k·q.
func (g *gathered) add(w *work, q *piecewise, k int64) {
	atoms := g.p.importTable(q.table, identityRows(q.table.n))
	for _, x := range q.pieces {
		poly := x.q.rename(atoms).scale(arith.RatInt(k))
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
func (g *gathered) disjoint(w *work) *piecewise {
	for i, x := range g.p.pieces {
		g.p.pieces[i].q = w.periodic(g.p, x.q)
	}
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
