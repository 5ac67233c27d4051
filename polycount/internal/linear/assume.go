package linear

import (
	"gpuperf/polycount/internal/arith"
	"slices"
)

// simplifyUnder rewrites p under assumptions, a union ctx: pieces and conditions that ctx decides go, floors of which ctx
// fixes the remainder become quotients, and pieces become one where ctx makes one polynomial serve for both. Where ctx
// holds the result has the values of p.
func (w *Work) SimplifyUnder(p *Piecewise, ctx []*Conj) *Piecewise {
	out := &Piecewise{&Conj{N: p.Table.N, Divs: slices.Clone(p.Table.Divs)}, nil}
	for _, x := range p.Pieces {
		dom := w.Gist(x.Dom, ctx)
		if dom == nil {
			continue
		}
		if len(ctx) == 1 {
			x.Q = w.resolveFloors(p.Table, x.Q, Conjunction(x.Dom, ctx[0]))
		}
		if len(x.Q) > 0 {
			out.Pieces = append(out.Pieces, Piece{dom, x.Q})
		}
	}
	if len(out.Pieces) > 0 && len(ctx) > 0 {
		w.Within(w.Left/2, func(w *Work) { out.Pieces = w.mergeUnder(out.Table, out.Pieces, ctx) })
	}
	w.Tidy(out)
	return out
}

// mergeUnder joins pieces on which, where ctx holds, one polynomial has the values of both: all into one without a
// condition if there is such a polynomial, otherwise pairs of which the union is a conjunction under a ctx of one.
func (w *Work) mergeUnder(table *Conj, ps []Piece, ctx []*Conj) []Piece {
	under := make([]Piece, 0, len(ps)*len(ctx)) // what is left of the pieces in ctx
	for _, x := range ps {
		for _, c := range ctx {
			if d := Conjunction(x.Dom, c); d.Simplify() && w.Solvable(d.Question()) {
				under = append(under, Piece{d, x.Q})
			}
		}
	}
	for _, x := range ps {
		serves := false
		w.Within(joinLimit, func(w *Work) {
			rest := ctx
			for _, y := range under {
				if !w.sameOn(table, x.Q, y.Q, y.Dom) {
					return
				}
				rest = w.Subtract(rest, []*Conj{y.Dom})
			}
			for _, c := range rest {
				if !w.sameOn(table, x.Q, nil, c) {
					return
				}
			}
			serves = true
		})
		if serves {
			return []Piece{{&Conj{N: table.N}, x.Q}}
		}
	}
	if len(ctx) > 1 || len(ps) < 2 {
		return ps
	}
	// Pieces within ctx have a hull within ctx; there the general merging applies, with the exact test of agreement.
	merged := w.mergePiecesBy(table, under, true, (*Work).sameOn)
	if len(merged) >= len(ps) {
		return ps
	}
	out := ps[:0:0]
	for _, x := range merged {
		if d := w.Gist(x.Dom, ctx); d != nil {
			out = append(out, Piece{d, x.Q})
		}
	}
	return out
}

// sameOn decides whether p and q have the same value on dom.
func (w *Work) sameOn(table *Conj, p, q Quasi, dom *Conj) bool {
	return p.Equal(q) || w.vanishes(table, p.Sub(q), dom)
}

// used marks the columns of the parameters that stand in p.
func (p *Piecewise) Used() []bool {
	used := make([]bool, p.Table.Width())
	mark := func(n int, r Row) {
		for i := 1; i < min(len(r), 1+n); i++ {
			used[i] = used[i] || r[i] != 0
		}
	}
	for _, x := range p.Pieces {
		for _, r := range slices.Concat(x.Dom.Eq, x.Dom.Ge) {
			mark(x.Dom.N, r)
		}
		for _, d := range x.Dom.Divs {
			mark(x.Dom.N, d.Num)
		}
		for i := 1; i < len(used); i++ {
			used[i] = used[i] || x.Q.uses(i)
		}
	}
	for k := len(p.Table.Divs) - 1; k >= 0; k-- {
		if used[1+p.Table.N+k] {
			mark(p.Table.Width()-1, p.Table.Divs[k].Num)
		}
	}
	return used
}

// resolveFloors replaces the floors of q of which known fixes the remainder, by (e − r)/d, or the value.
func (w *Work) resolveFloors(table *Conj, q Quasi, known *Conj) Quasi {
	by := make([]Quasi, table.Width())
	changed := false
	for k, d := range table.Divs {
		at := 1 + table.N + k
		e := known.translate(table, d.Num)
		r, ok := residue(known, e, d.Den)
		if !ok {
			continue
		}
		num := Linear(d.Num).Add(Constant(arith.RatInt(-r)))
		by[at] = num.Scale(arith.RatOf(1, d.Den)).rename(by)
		if by[at] == nil {
			by[at] = Quasi{}
		}
		changed = true
	}
	if !changed {
		return q
	}
	return q.rename(by)
}

// residue finds r with e ≡ r (mod d) on every solution of c's equalities.
func residue(c *Conj, e Row, d int64) (r int64, ok bool) {
	s := &system{Eq: cloneRows(c.Eq), ge: []Row{c.Fit(append(Row{}, e...))}, Width: c.Width()}
	for i := range s.Eq {
		s.Eq[i] = c.Fit(s.Eq[i])
	}
	for len(s.Eq) > 0 {
		var none []Row
		if !NormalizeRows(&s.Eq, &none) {
			return 0, false
		}
		if len(s.Eq) > 0 {
			s.solveEquality(nil, nil)
		}
	}
	for _, v := range s.ge[0][1:] {
		if v%d != 0 {
			return 0, false
		}
	}
	return arith.Mod(s.ge[0][0], d), true
}
