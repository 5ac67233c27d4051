package quasi

import (
	"slices"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// MaxValues is the largest number of values, of a variable or of a remainder, that is gone through one by one. Limits
// from 16 to 1000 give the same counts with the same work.
const MaxValues = 64

// FamiliesJoined shortens q by Hermite's identity ⌊e/d⌋ + ⌊(e+1)/d⌋ + … + ⌊(e+d−1)/d⌋ = e: where most floors of such a
// family have the same coefficient and one cofactor, they become a multiple of e and a few floors.
func (p *Piecewise) FamiliesJoined(w *linear.Work, q Quasi) Quasi {
	for {
		best := q
		for k, d := range slices.Clone(p.Table.Divs) {
			if d.Den > MaxValues || slices.ContainsFunc(p.Table.Divs[:k], func(o linear.Div) bool { return oneFamily(o, d) }) {
				continue
			}
			w.Spend(2*len(q) + p.Table.Width())
			if next, ok := p.familyJoined(q, d); ok && len(next) < len(best) {
				best = next
			}
		}
		if len(best) == len(q) {
			return q
		}
		q = best
	}
}

// familyJoined applies FamiliesJoined to the family of one floor and one cofactor.
func (p *Piecewise) familyJoined(q Quasi, of linear.Div) (out Quasi, ok bool) {
	e := p.Table.Fit(slices.Clone(of.Num))
	e[0] = 0
	for _, x := range p.family(q, of) {
		ids, kinds := numbered(x.coeffs)
		counts := make([]int, kinds)
		for _, k := range ids {
			counts[k]++
		}
		height, n := arith.RatInt(0), 0
		for i, k := range ids {
			if k > 0 && counts[k] > n {
				height, n = x.coeffs[i], counts[k]
			}
		}
		form := Linear(e)
		if n <= counts[0]+len(form) {
			continue
		}
		change := form
		for j := range of.Den {
			num := slices.Clone(e)
			num[0] = j
			change = change.Sub(Linear(p.Table.FloorRow(num, of.Den)))
		}
		return q.Add(change.Scale(height).Mul(Quasi{{x.beside, arith.RatInt(1)}})), true
	}
	return nil, false
}

// line are the coefficients of terms that have one floor of a family each, by its number there, and the same factors beside it.
type line struct {
	beside string
	coeffs []arith.Rat
}

// family lists the terms of q with one floor of a family, by their other factors.
func (p *Piecewise) family(q Quasi, of linear.Div) (lines []line) {
	member := map[int]int64{}
	for k, d := range p.Table.Divs {
		if oneFamily(d, of) {
			member[1+p.Table.N+k] = d.Num[0]
		}
	}
	index := map[string]int{}
	for _, t := range q {
		at := -1
		for i := 0; i < len(t.Factors); i += 2 {
			if _, in := member[AtomAt(t.Factors, i)]; in {
				if at >= 0 {
					at = -1
					break
				}
				at = i
			}
		}
		if at < 0 {
			continue
		}
		beside := t.Factors[:at] + t.Factors[at+2:]
		i, known := index[beside]
		if !known {
			i = len(lines)
			index[beside] = i
			lines = append(lines, line{beside, arith.Zeros(int(of.Den))})
		}
		lines[i].coeffs[member[AtomAt(t.Factors, at)]] = t.C
	}
	return lines
}

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
