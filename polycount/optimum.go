package polycount

import (
	"gpuperf/polycount/internal/arith"
	"slices"
)

// optima are, for each value of the first np variables of a union, its lexicographically least point in the others
// (dir = 1), or its greatest one (dir = −1).
func (w *work) optima(cs []*conj, np int, dir int64) []*conj {
	if len(cs) == 0 {
		return nil
	}
	nd := cs[0].n - np
	// Each member's own optimum first, by steps or by projection, whichever has fewer members.
	var own []*conj
	finite := true
	for _, c := range cs {
		var stepped, projected []*conj
		ends := false
		bySteps := w.within(w.left/8, func(w *work) { stepped, ends = w.lexBySteps(c, np, dir) })
		finite = finite && bySteps && ends
		if bySteps && len(stepped) <= 1 {
			own = append(own, stepped...)
			continue
		}
		byProjection := w.within(w.left/64, func(w *work) { projected = w.unbeaten([]*conj{c}, []*conj{c}, np, nd, dir) })
		switch {
		case bySteps && (!byProjection || len(stepped) < len(projected)):
			own = append(own, stepped...)
		case byProjection:
			own = append(own, projected...)
		default:
			own = append(own, w.unbeaten([]*conj{c}, []*conj{c}, np, nd, dir)...)
		}
	}
	best := own
	switch {
	case len(cs) == 1:
	case !finite: // a member without an optimum still precedes the others
		best = w.unbeaten(own, cs, np, nd, dir)
	case !w.within(w.left/2, func(w *work) { best = w.unbeaten(own, own, np, nd, dir) }):
		best = w.unbeaten(cs, cs, np, nd, dir)
	}
	w.within(w.left/2, func(w *work) { best = w.coalesce(best) }) // shorter, or as it is
	return best
}

// unbeaten removes from cs every point that one of members precedes: for each k, those to which a point exists with
// equal first k−1 coordinates and a smaller (dir = 1) k-th. That needs projections.
func (w *work) unbeaten(cs, members []*conj, np, nd int, dir int64) []*conj {
	for k := range nd {
		// t: the first k+1 coordinates of points, over parameters and dims; the k-th then becomes existential.
		var beaten []*conj
		drop := make([]bool, np+nd)
		for i := k + 1; i < nd; i++ {
			drop[np+i] = true
		}
		for _, c := range members {
			for _, t := range w.project(c, drop) {
				// Columns: parameters, dims 0…k−1, y (the k-th of the other point), x (ours).
				by := identityRows(np + k + 1)
				y := t.substitute(np+k+2, by)
				r := make(row, y.width())
				r[0], r[np+k+1], r[np+k+2] = -1, -dir, dir
				y.addGE(r)
				gone := make([]bool, np+k+2)
				gone[np+k] = true
				for _, u := range w.project(y, gone) {
					beaten = addMember(beaten, u.substitute(np+nd, identityRows(np+k+1)))
				}
			}
		}
		cs = w.subtract(cs, beaten)
	}
	return cs
}

// lexBySteps removes from c, over np parameters and dimensions, every point z for which z − t lies in c for one of
// finitely many steps t, a test set for the lexicographic order (dir = −1: for the opposite one). Nothing is projected:
// the parameters only move the right-hand sides, for all of which the test set is good. A c that goes on for ever
// towards its optimum has none for any parameter for which it has points: ends is false.
func (w *work) lexBySteps(c *conj, np int, dir int64) (best []*conj, ends bool) {
	drop := make([]bool, c.n)
	for i := np; i < c.n; i++ {
		drop[i] = true
	}
	whole, place := c.quantify(drop)
	f := &fibres{c: whole}
	f.basis = w.kernel(whole.existentials(), whole.eq)
	f.classify()
	r := len(f.basis)
	if r == 0 {
		return []*conj{c}, true
	}
	// The slacks in c's own columns, as quantify writes them: the inequalities, then the definitions of floors.
	slacks := cloneRows(c.ge)
	for k := range c.divs {
		if whole.free(place[1+c.n+k]) {
			lo, hi := c.definition(k)
			slacks = append(slacks, lo, hi)
		}
	}
	var o order
	for i := np + 1; i <= c.n; i++ {
		x := make(row, r)
		for j, b := range f.basis {
			x[j] = dir * b[place[i]]
		}
		o = append(o, x)
	}
	// Steps for ever down: lexicographically negative ones that lower no slack.
	for k := range o {
		s := &system{width: 1 + r}
		for _, x := range f.rows {
			s.ge = append(s.ge, append(row{0}, x...))
		}
		for _, x := range o[:k] {
			s.eq = append(s.eq, append(row{0}, x...))
		}
		s.ge = append(s.ge, append(row{-1}, negRow(o[k])...))
		if w.feasible(s) {
			return nil, false
		}
	}
	m := &moves{w, f.rows, r}
	out := []*conj{c}
	for _, x := range m.find(m.generators(), o) {
		from := &conj{n: c.n, divs: c.divs}
		for i, k := range f.class {
			if k >= 0 && x.u[k] > 0 {
				above := slices.Clone(slacks[i])
				above[0] = arith.Sub(above[0], x.u[k])
				from.addGE(above)
			}
		}
		out = w.subtract(out, []*conj{from})
	}
	return out, true
}
