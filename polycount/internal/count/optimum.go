package count

import (
	"slices"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
	"gpuperf/polycount/internal/quasi"
)

// Optima are the lexicographically least points (dir = 1), or the greatest ones (dir = −1), of a union for each value
// of its first np variables.
func Optima(w *linear.Work, cs []*linear.Conj, np int, dir int64) []*linear.Conj {
	if len(cs) == 0 {
		return nil
	}
	nd := cs[0].N - np
	// Each member's own optimum first, by steps or by projection, whichever has fewer members.
	var own []*linear.Conj
	finite := true
	for _, c := range cs {
		var stepped, projected []*linear.Conj
		ends := false
		bySteps := w.Within(w.Left/8, func(w *linear.Work) { stepped, ends = LexBySteps(w, c, np, dir) })
		finite = finite && bySteps && ends
		if bySteps && len(stepped) <= 1 {
			own = append(own, stepped...)
			continue
		}
		byProjection := w.Within(w.Left/64, func(w *linear.Work) { projected = unbeaten(w, []*linear.Conj{c}, []*linear.Conj{c}, np, nd, dir) })
		switch {
		case bySteps && (!byProjection || len(stepped) < len(projected)):
			own = append(own, stepped...)
		case byProjection:
			own = append(own, projected...)
		default:
			own = append(own, unbeaten(w, []*linear.Conj{c}, []*linear.Conj{c}, np, nd, dir)...)
		}
	}
	best := own
	switch {
	case len(cs) == 1:
	case !finite: // a member without an optimum still precedes the others
		best = unbeaten(w, own, cs, np, nd, dir)
	case !w.Within(w.Left/2, func(w *linear.Work) { best = unbeaten(w, own, own, np, nd, dir) }):
		best = unbeaten(w, cs, cs, np, nd, dir)
	}
	w.Within(w.Left/2, func(w *linear.Work) { best = quasi.Coalesce(w, best) }) // shorter, or as it is
	return best
}

// unbeaten removes from cs every point that a point of members precedes: for each k, one with equal coordinates before
// the k-th and a smaller k-th coordinate (greater for dir = −1). It projects.
func unbeaten(w *linear.Work, cs, members []*linear.Conj, np, nd int, dir int64) []*linear.Conj {
	for k := range nd {
		// t: the first k+1 coordinates of points, over parameters and dims; the k-th then becomes existential.
		var beaten []*linear.Conj
		for _, c := range members {
			for _, t := range w.Project(c, c.After(np+k+1)) {
				// Columns: parameters, dims 0…k−1, y (the k-th of the other point), x (ours).
				by := linear.IdentityRows(np + k + 1)
				y := t.Substitute(np+k+2, by)
				r := make(linear.Row, y.Width())
				r[0], r[np+k+1], r[np+k+2] = -1, -dir, dir
				y.AddGE(r)
				gone := make([]bool, np+k+2)
				gone[np+k] = true
				for _, u := range w.Project(y, gone) {
					beaten = linear.AddMember(beaten, u.Substitute(np+nd, linear.IdentityRows(np+k+1)))
				}
			}
		}
		cs = w.Subtract(cs, beaten)
	}
	return cs
}

// LexBySteps removes from c, over np parameters and dimensions, every point z such that z − t is in c for one of the
// steps t of a test set for the lexicographic order (dir = −1: the reverse order). It does not project: the parameters
// only change right-hand sides, and a test set serves for all of them. If c has no optimum for any parameter for which
// it has points, ends is false.
func LexBySteps(w *linear.Work, c *linear.Conj, np int, dir int64) (best []*linear.Conj, ends bool) {
	whole, place := c.Quantify(c.After(np))
	f := &fibres{c: whole}
	f.basis = w.Kernel(whole.Existentials(), whole.Eq)
	f.classify()
	r := len(f.basis)
	if r == 0 {
		return []*linear.Conj{c}, true
	}
	// The slacks in c's own columns, as quantify writes them: the inequalities, then the definitions of floors.
	slacks := linear.CloneRows(c.Ge)
	for k := range c.Divs {
		if whole.Free(place[1+c.N+k]) {
			lo, hi := c.Definition(k)
			slacks = append(slacks, lo, hi)
		}
	}
	var o order
	for i := np + 1; i <= c.N; i++ {
		x := make(linear.Row, r)
		for j, b := range f.basis {
			x[j] = dir * b[place[i]]
		}
		o = append(o, x)
	}
	// Steps for ever down: lexicographically negative ones that lower no slack.
	for k := range o {
		s := &linear.System{Width: 1 + r}
		for _, x := range f.rows {
			s.Ge = append(s.Ge, append(linear.Row{0}, x...))
		}
		for _, x := range o[:k] {
			s.Eq = append(s.Eq, append(linear.Row{0}, x...))
		}
		s.Ge = append(s.Ge, append(linear.Row{-1}, linear.NegRow(o[k])...))
		if w.Feasible(s) {
			return nil, false
		}
	}
	m := &moves{w, f.rows, r}
	out := []*linear.Conj{c}
	for _, x := range m.find(m.generators(), o) {
		from := &linear.Conj{N: c.N, Divs: c.Divs}
		for i, k := range f.class {
			if k >= 0 && x.u[k] > 0 {
				above := slices.Clone(slacks[i])
				above[0] = arith.Sub(above[0], x.u[k])
				from.AddGE(above)
			}
		}
		out = w.Subtract(out, []*linear.Conj{from})
	}
	return out, true
}
