package quasi

import (
	"slices"
	"strings"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// at is the value of p where its atoms have the given ones.
func (p Quasi) at(atoms linear.Row) arith.Rat {
	v := arith.RatInt(0)
	for _, t := range p {
		x := t.C
		for i := 0; i < len(t.Factors); i += 2 {
			x = x.Mul(arith.RatInt(atoms[AtomAt(t.Factors, i)]))
		}
		v = v.Add(x)
	}
	return v
}

// interpolate returns the coefficients of the polynomial with values ys at xs (Newton's divided differences).
func interpolate(xs []int64, ys []arith.Rat) []arith.Rat {
	d := slices.Clone(ys)
	for k := 1; k < len(d); k++ {
		for i := len(d) - 1; i >= k; i-- {
			d[i] = d[i].Add(d[i-1].Neg()).Mul(arith.RatOf(1, xs[i]-xs[i-k]))
		}
	}
	out := arith.Zeros(len(d))
	for k := len(d) - 1; k >= 0; k-- { // out = out·(x − xs[k]) + d[k]
		for i := len(out) - 1; i >= 0; i-- {
			v := out[i].Mul(arith.RatInt(-xs[k]))
			if i > 0 {
				v = v.Add(out[i-1])
			}
			out[i] = v
		}
		out[0] = out[0].Add(d[k])
	}
	return out
}

// fewPoints is the largest number of values of a parameter for which a polynomial is replaced by one through its
// values.
const fewPoints = 8

// interpolated is the polynomial of x, or a shorter one through its values, where the domain leaves one parameter only
// a few values.
func interpolated(w *linear.Work, p *Piecewise, x Piece) Quasi {
	v := 0
	var own []bool
	used := x.Q.atoms(p.Table.Width())
	for i := 1; i <= p.Table.N; i++ {
		mine, all := ownAtoms(p.Table, i), true
		for at := 1; at < len(used); at++ {
			all = all && (mine[at] || !used[at])
		}
		if all {
			v, own = i, mine
		}
	}
	if v == 0 {
		return x.Q
	}
	at := linear.RangeOf(x.Dom.Ge, v)
	if !at.HasLo || !at.HasHi || at.Hi < at.Lo || at.Hi-at.Lo >= fewPoints {
		return x.Q
	}
	var xs []int64
	var ys []arith.Rat
	for n := at.Lo; n <= at.Hi; n++ {
		w.Spend(len(x.Q) + p.Table.Width())
		xs, ys = append(xs, n), append(ys, x.Q.at(valuesOf(p.Table, own, v, n)))
	}
	var out Quasi
	for k, c := range interpolate(xs, ys) {
		if !c.IsZero() {
			out = append(out, Mono{strings.Repeat(AtomKey(v), k), c})
		}
	}
	if !shorter(out, x.Q) {
		return x.Q
	}
	return out
}

// hasFloor reports that p uses a floor of table.
func (p Quasi) hasFloor(table *linear.Conj) bool {
	return slices.ContainsFunc(p, func(t Mono) bool { // whose factors ascend
		return t.Factors != "" && AtomAt(t.Factors, len(t.Factors)-2) > table.N
	})
}

// valuesOf are the values of the atoms where variable v is n; those that are not its own are 0.
func valuesOf(c *linear.Conj, own []bool, v int, n int64) linear.Row {
	atoms := make(linear.Row, c.Width())
	atoms[0], atoms[v] = 1, n
	for k, d := range c.Divs {
		if at := 1 + c.N + k; own[at] {
			atoms[at] = arith.FloorDiv(linear.Dot(d.Num, atoms), d.Den)
		}
	}
	return atoms
}

// leastPeriod is the period of the sequence that repeats cs.
func leastPeriod(cs []arith.Rat) int {
next:
	for d := 1; d < len(cs); d++ {
		if len(cs)%d != 0 {
			continue
		}
		for i := d; i < len(cs); i++ {
			if !cs[i].Equal(cs[i-d]) {
				continue next
			}
		}
		return d
	}
	return len(cs)
}
