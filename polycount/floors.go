package polycount

import "gpuperf/polycount/internal/arith"

// unifyFloors shortens polynomials in which floors of one expression e with different constants stand together, as in
// ⌊n/4⌋ and ⌊(n+3)/4⌋. It reports whether it changed something.
func (w *work) unifyFloors(p *piecewise) bool {
	changed := false
	for i := range p.table.divs {
		for j := range p.table.divs {
			a, b := p.table.divs[i], p.table.divs[j]
			if i == j || a.den != b.den || !equalPadded(a.num[1:], b.num[1:]) {
				continue
			}
			for k, x := range p.pieces {
				w.spend(len(x.q))
				if at := 1 + p.table.n; !x.q.uses(at+i) || !x.q.uses(at+j) {
					continue
				}
				w.spend(8 * len(x.q))
				q := p.table.unified(x.q, i, j)
				if len(q) < len(x.q) || len(q) == len(x.q) && q.size() < x.q.size() {
					p.pieces[k].q, changed = q, true
				}
			}
		}
	}
	return changed
}

// size is the number of factors.
func (p quasi) size() int {
	n := 0
	for _, t := range p {
		n += len(t.factors)
	}
	return n
}

// unified writes floor i of table in terms of floor j. With e + s and e + h, s < h, under floors of divisor d, their
// difference δ is 0 or 1, so δ² = δ; it is 1 where e mod d is one of h − s residues. Where one residue ρ gives one of
// its values, e is d·E + ρ there, which removes a variable v of e from the terms with δ, or those with 1 − δ.
func (c *conj) unified(q quasi, i, j int) quasi {
	gone, keep, delta := 1+c.n+i, 1+c.n+j, c.width()
	num, d := c.divs[j].num, c.divs[j].den
	low, high := c.divs[i].num[0], num[0]
	sgn := int64(-1) // gone = keep + sgn·δ
	if low > high {
		low, high, sgn = high, low, 1
	}
	atom := func(at int, k int64) quasi { return quasi{{atomKey(at), arith.RatInt(k)}} }
	coeffs := q.replace(gone, atom(keep, 1).add(atom(delta, sgn))).byPower(delta)
	var a, b quasi // q = a + b·δ
	for k, x := range coeffs {
		if k == 0 {
			a = x
		} else {
			b = b.add(x)
		}
	}
	v := 0
	for at := 1; at < min(len(num), 1+c.n); at++ {
		if num[at] == 1 || num[at] == -1 {
			v = at
		}
	}
	one, zero := high-low == 1, high-low == d-1 // δ has this value for one residue only
	if v > 0 && (one || zero) {
		// v = ±(d·E + ρ − the rest of e): E is the lower floor where δ = 1, both where δ = 0
		rest := append(row{}, num...)
		rest[0], rest[v] = 0, 0
		value := atom(keep, d).sub(linear(rest))
		if one {
			value = value.add(constant(arith.RatInt(d - high)))
			if sgn < 0 { // keep is the higher floor
				value = value.add(constant(arith.RatInt(-d)))
			}
		}
		value = value.scale(arith.RatInt(num[v]))
		without := b.replace(v, value)
		if !one {
			a = a.add(b).sub(without)
		}
		b = without
	}
	return a.add(b.mul(atom(keep, -sgn).add(atom(gone, sgn))))
}
