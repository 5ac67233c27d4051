package quasi

import (
	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// unifyFloors shortens polynomials in which floors of one expression e with different constants stand together, as in
// ⌊n/4⌋ and ⌊(n+3)/4⌋. It reports whether it changed something.
func unifyFloors(w *linear.Work, p *Piecewise) bool {
	changed := false
	used := make([][]bool, len(p.Pieces))
	for k, x := range p.Pieces {
		used[k] = x.Q.multiplied(p.Table.Width())
	}
	for i := range p.Table.Divs {
		for j := range p.Table.Divs {
			a, b := p.Table.Divs[i], p.Table.Divs[j]
			if i == j || !oneFamily(a, b) {
				continue
			}
			for k, x := range p.Pieces {
				if at := 1 + p.Table.N; !used[k][at+i] && !used[k][at+j] || !x.Q.Uses(at+i) || !x.Q.Uses(at+j) {
					continue
				}
				w.Spend(8 * len(x.Q))
				q := Unified(p.Table, x.Q, i, j)
				if len(q) < len(x.Q) || len(q) == len(x.Q) && q.size() < x.Q.size() {
					p.Pieces[k].Q, changed = q, true
					used[k] = q.multiplied(p.Table.Width())
				}
			}
		}
	}
	return changed
}

// multiplied marks the atoms of p, among the first n, that occur in a product.
func (p Quasi) multiplied(n int) []bool {
	var products Quasi
	for _, t := range p {
		if len(t.Factors) > 2 {
			products = append(products, t)
		}
	}
	return products.atoms(n)
}

// size is the number of factors.
func (p Quasi) size() int {
	n := 0
	for _, t := range p {
		n += len(t.Factors)
	}
	return n
}

// Unified writes floor i of table in terms of floor j. With e + s and e + h, s < h, under floors of divisor d, their
// difference δ is 0 or 1, so δ² = δ; it is 1 where e mod d is one of h − s residues. Where one residue ρ gives one of
// its values, e is d·E + ρ there, which removes a variable v of e from the terms with δ, or those with 1 − δ.
func Unified(c *linear.Conj, q Quasi, i, j int) Quasi {
	gone, keep, delta := 1+c.N+i, 1+c.N+j, c.Width()
	num, d := c.Divs[j].Num, c.Divs[j].Den
	low, high := c.Divs[i].Num[0], num[0]
	sgn := int64(-1) // gone = keep + sgn·δ
	if low > high {
		low, high, sgn = high, low, 1
	}
	atom := func(at int, k int64) Quasi { return Quasi{{AtomKey(at), arith.RatInt(k)}} }
	coeffs := q.Replace(gone, atom(keep, 1).Add(atom(delta, sgn))).byPower(delta)
	var a, b Quasi // q = a + b·δ
	for k, x := range coeffs {
		if k == 0 {
			a = x
		} else {
			b = b.Add(x)
		}
	}
	v := 0
	for at := 1; at < min(len(num), 1+c.N); at++ {
		if num[at] == 1 || num[at] == -1 {
			v = at
		}
	}
	one, zero := high-low == 1, high-low == d-1 // δ has this value for one residue only
	if v > 0 && (one || zero) {
		// v = ±(d·E + ρ − the rest of e): E is the lower floor where δ = 1, both where δ = 0
		rest := append(linear.Row{}, num...)
		rest[0], rest[v] = 0, 0
		value := atom(keep, d).Sub(Linear(rest))
		if one {
			value = value.Add(Constant(arith.RatInt(d - high)))
			if sgn < 0 { // keep is the higher floor
				value = value.Add(Constant(arith.RatInt(-d)))
			}
		}
		value = value.Scale(arith.RatInt(num[v]))
		without := b.Replace(v, value)
		if !one {
			a = a.Add(b).Sub(without)
		}
		b = without
	}
	return a.Add(b.Mul(atom(keep, -sgn).Add(atom(gone, sgn))))
}
