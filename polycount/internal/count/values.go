package count

import (
	"slices"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
	"gpuperf/polycount/internal/quasi"
)

// byValues counts a group value by value of those variables that have only a few, such as i mod 7, if that leaves each
// other variable between two bounds in parameters. Nested sums and cones raise the degree of such a group by one for
// each modulus; here it stays the number of the dimensions. It gives up if there are more than maxClasses combinations
// of values, since the result would be longer than the one to be shortened.
func byValues(w *linear.Work, g *linear.Conj, maxClasses int64) (p *quasi.Piecewise, ok bool) {
	ge := linear.CloneRows(g.Ge)
	for isolateDigit(g, ge) {
		w.Spend(len(ge) * g.Width())
	}
	digits, rest, classes := digitsOf(g, ge, maxClasses)
	if classes > maxClasses || len(digits) == 0 || len(rest) == 0 {
		return nil, false
	}
	p = quasi.NewPiecewise(g.N)
	table := &linear.Conj{N: g.N, Divs: slices.Clone(g.Divs)}
	var dom *linear.Conj
	var total quasi.Quasi
	for class := range classes {
		rows := linear.CloneRows(ge)
		for _, d := range digits {
			v := d.lo + class%d.size
			class /= d.size
			for _, r := range rows {
				r[0] = arith.Add(r[0], arith.Mul(v, r[d.at]))
				r[d.at] = 0
			}
		}
		w.Spend(len(rows) * g.Width())
		if rows, ok = tightest(rows); !ok {
			continue
		}
		bounds, q, ok := boxCount(table, rows, rest)
		if !ok {
			return nil, false
		}
		if !bounds.Simplify() {
			continue
		}
		if dom != nil && quasi.CompareConj(dom, bounds) != 0 {
			return nil, false // a piece for each would be longer
		}
		dom, total = bounds, append(total, q...)
	}
	if dom == nil {
		return p, true
	}
	atoms := p.ImportTable(table, linear.IdentityRows(table.N))
	q := p.FamiliesJoined(w, total.Collected().Rename(atoms))
	if len(q) > 0 {
		p.Pieces = []quasi.Piece{{Dom: dom, Q: q}}
	}
	return p, true
}

// digit is an existential variable with few values.
type digit struct {
	at       int
	lo, size int64
}

// digitsOf are the existential variables with few values, the others, and how many combinations those have: above the limit these are not all.
func digitsOf(g *linear.Conj, ge []linear.Row, limit int64) (digits []digit, rest []int, classes int64) {
	classes = 1
	for k, d := range g.Divs {
		at := 1 + g.N + k
		if d.Den != 0 || !slices.ContainsFunc(ge, func(r linear.Row) bool { return r[at] != 0 }) {
			continue
		}
		v := linear.RangeOf(ge, at)
		if !v.HasLo || !v.HasHi || v.Hi-v.Lo >= quasi.MaxValues {
			rest = append(rest, at)
			continue
		}
		digits = append(digits, digit{at, v.Lo, v.Hi - v.Lo + 1})
		if classes = arith.Mul(classes, v.Hi-v.Lo+1); classes > limit {
			break
		}
	}
	return digits, rest, classes
}

// tightest keeps one row of each direction; ok is false where a row is a negative constant. Rows are not divided by
// common factors as elsewhere: boxCount wants the bounds of a variable with one coefficient.
func tightest(rows []linear.Row) (out []linear.Row, ok bool) {
	for _, r := range rows {
		if linear.IsZero(r[1:]) {
			if r[0] < 0 {
				return nil, false
			}
			continue
		}
		if at := slices.IndexFunc(out, func(o linear.Row) bool { return linear.Parallel(o, r, false) }); at >= 0 {
			out[at][0] = min(out[at][0], r[0])
			continue
		}
		out = append(out, r)
	}
	return out, true
}

// isolateDigit finds a form with few values, such as i − 7q from 0 to 6, and lets a variable with the coefficient ±1 in
// it, here i, stand for the form. It reports whether there was one.
func isolateDigit(c *linear.Conj, ge []linear.Row) bool {
	for i, x := range ge {
		at, variables := 0, 0
		for k := 1; k < len(x); k++ {
			if x[k] == 0 {
				continue
			}
			variables++
			if at == 0 && c.Free(k) && (x[k] == 1 || x[k] == -1) {
				if v := linear.RangeOf(ge, k); !v.HasLo || !v.HasHi {
					at = k
				}
			}
		}
		if at == 0 || variables < 2 {
			continue
		}
		for _, y := range ge[i+1:] {
			if !linear.Parallel(x, y, true) || arith.Add(x[0], y[0]) < 0 || arith.Add(x[0], y[0]) >= quasi.MaxValues {
				continue
			}
			// t = x − x[0] becomes column at: x_at = ±(t − the rest)
			form := slices.Clone(x)
			form[0] = 0
			by := linear.NegRow(form)
			by[at] = 1
			if form[at] < 0 {
				by = linear.NegRow(by)
			}
			linear.Substitute(at, by, ge)
			return true
		}
	}
	return false
}

// boxCount is the number of points where each variable of at has a lower and an upper bound with one coefficient a, in
// parameters: L ≤ a·x ≤ U for ⌊U/a⌋ − ⌈L/a⌉ + 1 values, which holds from U = L − 1 on, where it is 0. It is over the
// columns of table, which gains floors; dom are the conditions U ≥ L − 1.
func boxCount(table *linear.Conj, ge []linear.Row, at []int) (dom *linear.Conj, q quasi.Quasi, ok bool) {
	dom = &linear.Conj{N: table.N, Divs: slices.Clone(table.Divs)}
	lower, upper := make([]linear.Row, len(at)), make([]linear.Row, len(at))
	for _, r := range ge {
		found := -1
		for i, c := range at {
			if r[c] != 0 {
				if found >= 0 {
					return nil, nil, false
				}
				found = i
			}
		}
		if found < 0 {
			dom.AddGE(slices.Clone(r))
			continue
		}
		side := &lower[found]
		if r[at[found]] < 0 {
			side = &upper[found]
		}
		if *side != nil {
			return nil, nil, false
		}
		*side = r
	}
	q = quasi.Constant(arith.RatInt(1))
	for i, c := range at {
		lo, hi := lower[i], upper[i]
		if lo == nil || hi == nil || lo[c] != -hi[c] {
			return nil, nil, false
		}
		a := lo[c]
		span := linear.CombineRows(1, lo, 1, hi) // U − L
		span[0] = arith.Add(span[0], 1)
		dom.AddGE(span)
		factor := quasi.Constant(arith.RatInt(1))
		for _, r := range []linear.Row{lo, hi} {
			x := slices.Clone(r)
			x[c] = 0
			factor = factor.Add(quasi.Linear(table.FloorRow(x, a)))
		}
		q = q.Mul(factor)
	}
	return dom.Clone(), q, true
}
