package quasi

import (
	"slices"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// SimplifyUnder rewrites p under assumptions, a union ctx: it drops pieces and conditions that ctx decides, replaces
// floors with a remainder that ctx fixes, and joins pieces that one polynomial serves. The result has the values of p
// where ctx holds.
func SimplifyUnder(w *linear.Work, p *Piecewise, ctx []*linear.Conj) *Piecewise {
	out := &Piecewise{&linear.Conj{N: p.Table.N, Divs: slices.Clone(p.Table.Divs)}, nil}
	for _, x := range p.Pieces {
		dom := w.Gist(x.Dom, ctx)
		if dom == nil {
			continue
		}
		if len(ctx) == 1 {
			x.Q = resolveFloors(p.Table, x.Q, linear.Conjunction(x.Dom, ctx[0]))
		}
		if len(x.Q) > 0 {
			out.Pieces = append(out.Pieces, Piece{dom, x.Q})
		}
	}
	if len(out.Pieces) > 0 && len(ctx) > 0 {
		w.Within(w.Left/2, func(w *linear.Work) { out.Pieces = mergeUnder(w, out.Table, out.Pieces, ctx) })
	}
	Simplify(w, out)
	return out
}

// mergeUnder joins pieces for which, where ctx holds, one polynomial has the values of both: all of them into one
// without a condition if possible, otherwise pairs with a conjunction as their union.
func mergeUnder(w *linear.Work, table *linear.Conj, ps []Piece, ctx []*linear.Conj) []Piece {
	under := make([]Piece, 0, len(ps)*len(ctx)) // the parts of the pieces inside ctx
	for _, x := range ps {
		for _, c := range ctx {
			if d := linear.Conjunction(x.Dom, c); d.Simplify() && w.Solvable(d.Question()) {
				under = append(under, Piece{d, x.Q})
			}
		}
	}
	for _, x := range ps {
		serves := false
		w.Within(attemptLimit, func(w *linear.Work) {
			rest := ctx
			for _, y := range under {
				if !sameOn(w, table, x.Q, y.Q, y.Dom) {
					return
				}
				rest = w.Subtract(rest, []*linear.Conj{y.Dom})
			}
			for _, c := range rest {
				if !sameOn(w, table, x.Q, nil, c) {
					return
				}
			}
			serves = true
		})
		if serves {
			return []Piece{{&linear.Conj{N: table.N}, x.Q}}
		}
	}
	if len(ctx) > 1 || len(ps) < 2 {
		return ps
	}
	// Pieces within ctx have a hull within ctx; there the general merging applies, with the exact test of agreement.
	merged := MergePieces(w, table, under)
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

// Used marks the columns of the variables that occur in p.
func (p *Piecewise) Used() []bool {
	used := make([]bool, p.Table.Width())
	mark := func(n int, r linear.Row) {
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
			used[i] = used[i] || x.Q.Uses(i)
		}
	}
	for k := len(p.Table.Divs) - 1; k >= 0; k-- {
		if used[1+p.Table.N+k] {
			mark(p.Table.Width()-1, p.Table.Divs[k].Num)
		}
	}
	return used
}

// resolveFloors replaces the floors ⌊e/d⌋ of q with a remainder r of e that known fixes, by (e − r)/d.
func resolveFloors(table *linear.Conj, q Quasi, known *linear.Conj) Quasi {
	by := make([]Quasi, table.Width())
	changed := false
	for k, d := range table.Divs {
		at := 1 + table.N + k
		e := known.Translate(table, d.Num)
		r, ok := remainder(known, e, d.Den)
		if !ok {
			continue
		}
		num := Linear(d.Num).Add(Constant(arith.RatInt(-r)))
		by[at], changed = num.Scale(arith.RatOf(1, d.Den)).Rename(by), true
	}
	if !changed {
		return q
	}
	return q.Rename(by)
}

// remainder finds r such that e ≡ r (mod d) on every solution of the equalities of c.
func remainder(c *linear.Conj, e linear.Row, d int64) (r int64, ok bool) {
	s := &linear.System{Eq: linear.CloneRows(c.Eq), Ge: []linear.Row{c.Fit(append(linear.Row{}, e...))}, Width: c.Width()}
	for i := range s.Eq {
		s.Eq[i] = c.Fit(s.Eq[i])
	}
	for len(s.Eq) > 0 {
		var none []linear.Row
		if !linear.NormalizeRows(&s.Eq, &none) {
			return 0, false
		}
		if len(s.Eq) > 0 {
			s.Solve()
		}
	}
	for _, v := range s.Ge[0][1:] {
		if v%d != 0 {
			return 0, false
		}
	}
	return arith.Mod(s.Ge[0][0], d), true
}
