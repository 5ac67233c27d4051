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
