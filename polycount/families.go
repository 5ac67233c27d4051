package polycount

import (
	"gpuperf/polycount/internal/arith"
	"slices"
)

// maxFamily is the largest divisor of a family of floors that is looked at.
const maxFamily = 64

// familiesJoined shortens q by ⌊e/d⌋ + ⌊(e+1)/d⌋ + … + ⌊(e+d−1)/d⌋ = e (Hermite): beside one cofactor, floors of such a
// family that have the same coefficient for the most part become a multiple of e and the rest.
func (p *piecewise) familiesJoined(w *work, q quasi) quasi {
	for again := true; again; {
		again = false
		for k := range p.table.divs {
			if p.table.divs[k].den > maxFamily {
				continue
			}
			w.spend(2*len(q) + p.table.width())
			if next, ok := p.familyJoined(q, p.table.divs[k]); ok {
				q, again = next, true
			}
		}
	}
	return q
}

// familyJoined is familiesJoined for the family of one floor, beside one cofactor.
func (p *piecewise) familyJoined(q quasi, of div) (out quasi, ok bool) {
	member := map[int]int64{}
	for k, d := range p.table.divs {
		if d.den == of.den && equalPadded(d.num[1:], of.num[1:]) {
			member[1+p.table.n+k] = d.num[0]
		}
	}
	type line struct {
		beside string
		coeffs []arith.Rat
	}
	var lines []line
	index := map[string]int{}
	for _, t := range q {
		at := -1
		for i := 0; i < len(t.factors); i += 2 {
			if _, in := member[atomAt(t.factors, i)]; in {
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
		beside := t.factors[:at] + t.factors[at+2:]
		i, known := index[beside]
		if !known {
			i = len(lines)
			index[beside] = i
			coeffs := make([]arith.Rat, of.den)
			for j := range coeffs {
				coeffs[j] = arith.RatInt(0)
			}
			lines = append(lines, line{beside, coeffs})
		}
		lines[i].coeffs[member[atomAt(t.factors, at)]] = t.c
	}
	e := p.table.fit(slices.Clone(of.num))
	e[0] = 0
	for _, x := range lines {
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
		form := linear(e)
		if n <= counts[0]+len(form) {
			continue
		}
		change := form
		for j := range of.den {
			num := slices.Clone(e)
			num[0] = j
			change = change.sub(linear(p.table.floorRow(num, of.den)))
		}
		return q.add(change.scale(height).mul(quasi{{x.beside, arith.RatInt(1)}})), true
	}
	return nil, false
}
