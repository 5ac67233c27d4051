package count

import (
	"encoding/binary"
	"errors"
	"slices"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
	"gpuperf/polycount/internal/quasi"
)

// MaxTerms is the largest number of intersections for which a union with existentials is counted by inclusion and
// exclusion.
const MaxTerms = 31

// ByInclusion counts a union by inclusion and exclusion: it neither makes members disjoint nor eliminates quantifiers, but
// counts each intersection by its fibres. ok is false if there are more than most intersections, or if that takes more
// than a fifth of the work that is left.
func ByInclusion(w *linear.Work, members []*linear.Conj, params, most int) (p *quasi.Piecewise, ok bool, err error) {
	w.Within(w.Left/5, func(w *linear.Work) {
		terms := intersections(w, members, most)
		if len(terms) > most {
			return
		}
		total := &gathered{p: quasi.NewPiecewise(params), index: map[string]int{}}
		for _, x := range terms {
			if bad := countShadow(w, total, x.of, params, x.sign); bad != nil {
				var unbounded *UnboundedError
				if errors.As(bad, &unbounded) {
					err = bad
				}
				return
			}
		}
		p, ok = total.Disjoint(w), true
		quasi.Simplify(w, p)
	})
	return p, ok, err
}

// term is the intersection of some members: an odd number of them for the sign 1, an even one for −1.
type term struct {
	of   *linear.Conj
	sign int64
}

// intersections are those that have points; it stops after most of them.
func intersections(w *linear.Work, members []*linear.Conj, most int) (out []term) {
	var visit func(from int, met *linear.Conj, sign int64)
	visit = func(from int, met *linear.Conj, sign int64) {
		for i, c := range members[from:] {
			if len(out) > most {
				return
			}
			if met != nil {
				if c = linear.Conjunction(met, c); !c.Simplify() {
					continue
				}
			}
			if w.Solvable(c.Question()) {
				out = append(out, term{c, sign})
				visit(from+i+1, c, -sign)
			}
		}
	}
	visit(0, nil, 1)
	return out
}

// countShadow adds k times the number of points of the projection of c onto its variables: a signed sum of counts of
// translated copies of c. c must not be empty.
func countShadow(w *linear.Work, total *gathered, c *linear.Conj, params int, k int64) error {
	c, plain := reduceOpen(w, c)
	if c == nil {
		return nil
	}
	copies := []*linear.Conj{c}
	signs := []int64{k}
	if !plain {
		f := newFibres(w, c)
		if copies[0] = f.c; !f.single(w) {
			copies, signs = nil, nil
			for _, x := range moved(w, f, corners(w, f), params) {
				copies, signs = append(copies, f.above(x.at)), append(signs, k*x.k)
			}
		}
	}
	for i, x := range copies {
		q, err := countConj(w, x, params)
		if err != nil {
			return err
		}
		total.Add(w, q, signs[i])
	}
	return nil
}

// reduceOpen eliminates what can be eliminated without splitting. plain reports that no existential is left; out is nil
// if c is evidently empty. If existentials are left that equalities determine, c is returned as it was, since its
// variables are easier to count.
func reduceOpen(w *linear.Work, c *linear.Conj) (out *linear.Conj, plain bool) {
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

// gathered adds up functions, those on equal domains first.
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

// Disjoint is the sum, with disjoint pieces.
func (g *gathered) Disjoint(w *linear.Work) *quasi.Piecewise {
	for i, x := range g.p.Pieces {
		g.p.Pieces[i].Q = quasi.Periodic(w, g.p, x.Q)
	}
	g.p.Pieces = slices.DeleteFunc(g.p.Pieces, func(x quasi.Piece) bool { return len(x.Q) == 0 })
	slices.SortStableFunc(g.p.Pieces, func(a, b quasi.Piece) int { return len(a.Dom.Ge) - len(b.Dom.Ge) })
	g.p.Pieces = quasi.MakeDisjoint(w, g.p.Pieces)
	return g.p
}

// key is the same for equal conjunctions in normal form only.
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
