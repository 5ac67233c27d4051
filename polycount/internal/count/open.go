package count

import (
	"encoding/binary"
	"errors"
	"slices"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
	"gpuperf/polycount/internal/quasi"
)

// maxCorners bounds the number of counts that are added up for one shadow.
const maxCorners = 2000

// maxOpen bounds the members of a union that are counted by inclusion and exclusion.
const maxOpen = 5

// Open counts a union in its quantified form: members by inclusion and exclusion, each intersection by fibres. ok is
// false when that would not end within a fifth of the budget.
func Open(w *linear.Work, open []*linear.Conj, params int) (p *quasi.Piecewise, ok bool, err error) {
	if len(open) > maxOpen {
		return nil, false, nil
	}
	w.Within(w.Left/5, func(w *linear.Work) {
		total := &gathered{p: quasi.NewPiecewise(params), index: map[string]int{}}
		var visit func(from int, met *linear.Conj, k int64) bool
		visit = func(from int, met *linear.Conj, k int64) bool {
			for i, c := range open[from:] {
				if met != nil {
					if c = linear.Conjunction(met, c); !c.Simplify() {
						continue
					}
				}
				if !w.Solvable(c.Question()) {
					continue
				}
				done, bad := countShadow(w, total, c, params, k)
				var unbounded *UnboundedError
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
			p, ok = total.Disjoint(w), true
			quasi.Tidy(w, p)
		}
	})
	return p, ok, err
}

// countShadow adds k times the number of points of the shadow of c, a conjunction over parameters and dimensions with
// existentials, without eliminating these: a signed sum of counts of conjunctions with the constraints of c,
// moved. It reports false when there would be too many. c has points.
func countShadow(w *linear.Work, total *gathered, c *linear.Conj, params int, k int64) (ok bool, err error) {
	c, plain := reduceOpen(w, c, params)
	if c == nil {
		return true, nil
	}
	if plain {
		q, err := countConj(w, c, params)
		if err == nil {
			total.Add(w, q, k)
		}
		return err == nil, err
	}
	f := newFibres(w, c)
	cs := []corner{{1, make(linear.Row, len(f.class))}}
	if len(f.basis) > 0 {
		cs = moved(w, f, corners(w, f), params)
	}
	if len(cs) > maxCorners {
		return false, nil
	}
	for _, x := range cs {
		q, err := countConj(w, f.above(x.at), params)
		if err != nil {
			return false, err
		}
		total.Add(w, q, k*x.k)
	}
	return true, nil
}

// reduceOpen does what can be done without branching: plain when no existential is left, nil when c is plainly empty.
// Equalities with existentials stay in the result unless existentials could be eliminated exactly after solving them,
// since the variables of the original constraints count more simply.
func reduceOpen(w *linear.Work, c *linear.Conj, params int) (out *linear.Conj, plain bool) {
	c = c.Clone()
	if !linear.NormalizeRows(&c.Eq, &c.Ge) {
		return nil, false
	}
	left := w.EliminateUntil(c.Clone(), true)
	if len(left) == 0 {
		return nil, false
	}
	solved := left[0]
	free := 0
	for k, d := range solved.Divs {
		if d.Den == 0 && solved.UsedInRows(1+solved.N+k) {
			free++
		}
	}
	if free == 0 {
		return solved, solved.Simplify()
	}
	if len(w.Kernel(c.Existentials(), c.Eq)) == free {
		return c, false
	}
	return solved, false
}

// gathered adds polynomials up, those on one domain first.
type gathered struct {
	p     *quasi.Piecewise // pieces overlap
	index map[string]int
}

// Add adds k·q.
func (g *gathered) Add(w *linear.Work, q *quasi.Piecewise, k int64) {
	atoms := g.p.ImportTable(q.Table, linear.IdentityRows(q.Table.N))
	for _, x := range q.Pieces {
		poly := x.Q.Rename(atoms).Scale(arith.RatInt(k))
		key := key(x.Dom)
		w.Spend(len(key) + 4*len(poly))
		if i, ok := g.index[key]; ok {
			g.p.Pieces[i].Q = g.p.Pieces[i].Q.Add(poly)
			continue
		}
		g.index[key] = len(g.p.Pieces)
		g.p.Pieces = append(g.p.Pieces, quasi.Piece{Dom: x.Dom, Q: poly})
	}
}

// Disjoint is the sum.
func (g *gathered) Disjoint(w *linear.Work) *quasi.Piecewise {
	for i, x := range g.p.Pieces {
		g.p.Pieces[i].Q = quasi.Periodic(w, g.p, x.Q)
	}
	g.p.Pieces = slices.DeleteFunc(g.p.Pieces, func(x quasi.Piece) bool { return len(x.Q) == 0 })
	g.p.Pieces = quasi.MakeDisjoint(w, g.p.Pieces)
	return g.p
}

// key tells conjunctions in normal form apart.
func key(c *linear.Conj) string {
	var b []byte
	put := func(rows []linear.Row) {
		b = binary.AppendVarint(b, int64(len(rows)))
		for _, r := range rows {
			for _, v := range r {
				b = binary.AppendVarint(b, v)
			}
		}
	}
	put(c.Eq)
	put(c.Ge)
	for _, d := range c.Divs {
		b = binary.AppendVarint(b, d.Den)
		b = binary.AppendVarint(b, int64(len(d.Num)))
		put([]linear.Row{d.Num})
	}
	return string(b)
}
