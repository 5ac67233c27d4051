package polycount

import (
	"gpuperf/polycount/internal/arith"
	"slices"
)

// simplifyUnder rewrites p under assumptions, a union ctx: pieces and conditions that ctx decides go, floors of which ctx
// fixes the remainder become quotients, and pieces become one where ctx makes one polynomial serve for both. Where ctx
// holds the result has the values of p.
func (w *work) simplifyUnder(p *piecewise, ctx []*conj) *piecewise {
	out := &piecewise{&conj{n: p.table.n, divs: slices.Clone(p.table.divs)}, nil}
	for _, x := range p.pieces {
		dom := w.gist(x.dom, ctx)
		if dom == nil {
			continue
		}
		if len(ctx) == 1 {
			x.q = w.resolveFloors(p.table, x.q, conjunction(x.dom, ctx[0]))
		}
		if len(x.q) > 0 {
			out.pieces = append(out.pieces, piece{dom, x.q})
		}
	}
	if len(out.pieces) > 0 && len(ctx) > 0 {
		w.within(w.left/2, func(w *work) { out.pieces = w.mergeUnder(out.table, out.pieces, ctx) })
	}
	w.tidy(out)
	return out
}

// mergeUnder joins pieces on which, where ctx holds, one polynomial has the values of both: all into one without a
// condition if there is such a polynomial, otherwise pairs of which the union is a conjunction under a ctx of one.
func (w *work) mergeUnder(table *conj, ps []piece, ctx []*conj) []piece {
	under := make([]piece, 0, len(ps)*len(ctx)) // what is left of the pieces in ctx
	for _, x := range ps {
		for _, c := range ctx {
			if d := conjunction(x.dom, c); d.simplify() && w.solvable(d.question()) {
				under = append(under, piece{d, x.q})
			}
		}
	}
	for _, x := range ps {
		serves := false
		w.within(joinLimit, func(w *work) {
			rest := ctx
			for _, y := range under {
				if !w.sameOn(table, x.q, y.q, y.dom) {
					return
				}
				rest = w.subtract(rest, []*conj{y.dom})
			}
			for _, c := range rest {
				if !w.sameOn(table, x.q, nil, c) {
					return
				}
			}
			serves = true
		})
		if serves {
			return []piece{{&conj{n: table.n}, x.q}}
		}
	}
	if len(ctx) > 1 || len(ps) < 2 {
		return ps
	}
	// Pieces within ctx have a hull within ctx; there the general merging applies, with the exact test of agreement.
	merged := w.mergePiecesBy(table, under, true, (*work).sameOn)
	if len(merged) >= len(ps) {
		return ps
	}
	out := ps[:0:0]
	for _, x := range merged {
		if d := w.gist(x.dom, ctx); d != nil {
			out = append(out, piece{d, x.q})
		}
	}
	return out
}

// sameOn decides whether p and q have the same value on dom.
func (w *work) sameOn(table *conj, p, q quasi, dom *conj) bool {
	return p.equal(q) || w.vanishes(table, p.sub(q), dom)
}

// used marks the columns of the parameters that stand in p.
func (p *piecewise) used() []bool {
	used := make([]bool, p.table.width())
	mark := func(n int, r row) {
		for i := 1; i < min(len(r), 1+n); i++ {
			used[i] = used[i] || r[i] != 0
		}
	}
	for _, x := range p.pieces {
		for _, r := range slices.Concat(x.dom.eq, x.dom.ge) {
			mark(x.dom.n, r)
		}
		for _, d := range x.dom.divs {
			mark(x.dom.n, d.num)
		}
		for i := 1; i < len(used); i++ {
			used[i] = used[i] || x.q.uses(i)
		}
	}
	for k := len(p.table.divs) - 1; k >= 0; k-- {
		if used[1+p.table.n+k] {
			mark(p.table.width()-1, p.table.divs[k].num)
		}
	}
	return used
}

// resolveFloors replaces the floors of q of which known fixes the remainder, by (e − r)/d, or the value.
func (w *work) resolveFloors(table *conj, q quasi, known *conj) quasi {
	by := make([]quasi, table.width())
	changed := false
	for k, d := range table.divs {
		at := 1 + table.n + k
		e := known.translate(table, d.num)
		r, ok := residue(known, e, d.den)
		if !ok {
			continue
		}
		num := linear(d.num).add(constant(arith.RatInt(-r)))
		by[at] = num.scale(arith.RatOf(1, d.den)).rename(by)
		if by[at] == nil {
			by[at] = quasi{}
		}
		changed = true
	}
	if !changed {
		return q
	}
	return q.rename(by)
}

// residue finds r with e ≡ r (mod d) on every solution of c's equalities.
func residue(c *conj, e row, d int64) (r int64, ok bool) {
	s := &system{eq: cloneRows(c.eq), ge: []row{c.fit(append(row{}, e...))}, width: c.width()}
	for i := range s.eq {
		s.eq[i] = c.fit(s.eq[i])
	}
	for len(s.eq) > 0 {
		var none []row
		if !normalizeRows(&s.eq, &none) {
			return 0, false
		}
		if len(s.eq) > 0 {
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
