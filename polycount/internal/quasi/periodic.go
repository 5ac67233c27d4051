package quasi

import (
	"slices"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// maxSamples is the largest number of values that are computed to shorten a polynomial. Sixteen times as many take 19 %
// more work for 73 characters less.
const maxSamples = 4096

// maxSampleWork is the largest number of values times terms. Without it TestModuliAreShort takes twice as long.
const maxSampleWork = 1 << 20

// Periodic shortens q by its values. On each residue class modulo the common period of its floors, a polynomial in n
// and floors of n is a polynomial of the same degree, determined by its values at degree + 1 points. If these
// polynomials have a coefficient in common for many classes, floors cancel, even those that no rule relates, such as
// floors with divisors 2, 3 and 6.
func Periodic(w *linear.Work, p *Piecewise, q Quasi) Quasi {
	w.Within(w.Left/16, func(w *linear.Work) {
		for v := 1; v <= p.Table.N; v++ {
			w.Spend(8 * len(q))
			if next := periodicIn(w, p, q, v); next != nil {
				q = next
			}
		}
		for _, form := range commonForms(p.Table, q) {
			w.Spend(8 * len(q))
			if next := periodicInForm(w, p, q, form); next != nil {
				q = next
			}
		}
	})
	return q
}

// commonForms are the forms in several variables of which q has three floors or more.
func commonForms(c *linear.Conj, q Quasi) []linear.Row {
	var forms []linear.Row
	var counts []int
	for k, d := range c.Divs {
		several := false
		for i := 1; i < len(d.Num); i++ {
			several = several || d.Num[i] != 0 && !linear.IsZero(d.Num[1:i])
		}
		if !several || !q.Uses(1+c.N+k) {
			continue
		}
		at := slices.IndexFunc(forms, func(f linear.Row) bool { return linear.EqualPadded(f[1:], d.Num[1:]) })
		if at < 0 {
			at = len(forms)
			forms, counts = append(forms, d.Num), append(counts, 0)
		}
		counts[at]++
	}
	out := forms[:0]
	for i, f := range forms {
		if counts[i] > 2 {
			out = append(out, f)
		}
	}
	return out
}

// periodicInForm is periodicIn for a form in several variables, such as n + m, which one of them then represents.
func periodicInForm(w *linear.Work, p *Piecewise, q Quasi, form linear.Row) Quasi {
	n, v, several := p.Table.N, 0, false
	for i := 1; i < len(form); i++ {
		switch {
		case form[i] == 0:
		case i > n:
			return nil
		default:
			several = several || !linear.IsZero(form[1:i])
			if form[i] == 1 || form[i] == -1 {
				v = i
			}
		}
	}
	if !several || v == 0 {
		return nil
	}
	to, back := linear.IdentityRows(n), linear.IdentityRows(n)
	back[v-1] = append(linear.Row{0}, p.Table.Fit(slices.Clone(form))[1:1+n]...)
	solved := linear.NegRow(back[v-1])
	solved[v] = 1
	if form[v] < 0 {
		solved = linear.NegRow(solved)
	}
	to[v-1] = solved
	fresh := &Piecewise{Table: &linear.Conj{N: n}}
	x := q.Rename(fresh.ImportTable(p.Table, to))
	if x = periodicIn(w, fresh, x, v); x == nil {
		return nil
	}
	if x = x.Rename(p.ImportTable(fresh.Table, back)); !shorter(x, q) {
		return nil
	}
	return x
}

// periodicIn is periodic for one variable; nil when it does not help.
func periodicIn(w *linear.Work, p *Piecewise, q Quasi, v int) Quasi {
	own := ownAtoms(p.Table, v)
	type group struct {
		beside string
		q      Quasi
	}
	var groups []group
	floors := 0
	index := map[string]int{}
	for _, t := range q {
		var mine, beside []byte
		for i := 0; i < len(t.Factors); i += 2 {
			at := AtomAt(t.Factors, i)
			if own[at] {
				mine = append(mine, t.Factors[i:i+2]...)
				if at > p.Table.N {
					floors++
				}
			} else {
				beside = append(beside, t.Factors[i:i+2]...)
			}
		}
		i, ok := index[string(beside)]
		if !ok {
			i = len(groups)
			index[string(beside)] = i
			groups = append(groups, group{beside: string(beside)})
		}
		groups[i].q = append(groups[i].q, Mono{string(mine), t.C})
	}
	if floors < 2 {
		return nil
	}
	var out Quasi
	changed := false
	for _, g := range groups {
		x := g.q.Collected()
		if y, ok := byResidues(w, p, x, v); ok && shorter(y, x) {
			x, changed = y, true
		}
		out = append(out, x.Mul(Quasi{{g.beside, arith.RatInt(1)}})...)
	}
	out = out.Collected()
	if !changed || !shorter(out, q) {
		return nil
	}
	return out
}

func shorter(a, b Quasi) bool {
	return 2*len(a)+a.size() < 2*len(b)+b.size()
}

// ownAtoms are column v and the floors of that variable alone.
func ownAtoms(c *linear.Conj, v int) []bool {
	own := make([]bool, c.Width())
	own[v] = true
	for k, d := range c.Divs {
		mine := d.Den > 0
		for i := 1; i < len(d.Num); i++ {
			mine = mine && (d.Num[i] == 0 || own[i])
		}
		own[1+c.N+k] = mine
	}
	return own
}

// byResidues rewrites q, a polynomial in variable v and floors of it.
func byResidues(w *linear.Work, p *Piecewise, q Quasi, v int) (out Quasi, ok bool) {
	if !q.hasFloor(p.Table) {
		return nil, false
	}
	own := ownAtoms(p.Table, v)
	period, degree := commonPeriod(p, q, own), q.degree()
	points := period * int64(degree+1)
	if points > maxSamples || points*int64(len(q)) > maxSampleWork {
		return nil, false
	}
	w.Spend(int(points) * (len(q) + p.Table.Width()))
	values := make([]arith.Rat, points)
	for n := range points {
		values[n] = q.at(valuesOf(p.Table, own, v, n))
	}
	// coeffs[k][r] belongs to n^k on the class of r.
	coeffs := make([][]arith.Rat, degree+1)
	for k := range coeffs {
		coeffs[k] = make([]arith.Rat, period)
	}
	for r := range period {
		xs, ys := make([]int64, degree+1), make([]arith.Rat, degree+1)
		for i := range xs {
			xs[i] = r + int64(i)*period
			ys[i] = values[xs[i]]
		}
		for k, c := range interpolate(xs, ys) {
			coeffs[k][r] = c
		}
	}
	for k, cs := range coeffs {
		power := Quasi{{"", arith.RatInt(1)}}
		for range k {
			power = power.Mul(Quasi{{AtomKey(v), arith.RatInt(1)}})
		}
		part, ok := periodicCoefficient(w, p, cs[:leastPeriod(cs)], v, len(q)-len(out))
		if !ok {
			return nil, false
		}
		out = out.Add(power.Mul(part))
	}
	return out, true
}

// commonPeriod is a number by which the floors of q that are the variable's own grow by integers when it grows by that number; above maxSamples where it is larger than these.
func commonPeriod(p *Piecewise, q Quasi, own []bool) int64 {
	period := int64(1)
	periods := slices.Repeat([]int64{1}, p.Table.Width())
	for k, d := range p.Table.Divs {
		at := 1 + p.Table.N + k
		if !own[at] {
			continue
		}
		l := int64(1)
		slope := int64(0)
		for i := 1; i < len(d.Num); i++ {
			if d.Num[i] != 0 {
				l = lcmUpTo(l, periods[i], maxSamples)
				slope = arith.Gcd(slope, d.Num[i])
			}
		}
		if periods[at] = lcmUpTo(l, l*(d.Den/arith.Gcd(d.Den, slope)), maxSamples); q.Uses(at) {
			period = lcmUpTo(period, periods[at], maxSamples)
		}
	}
	return period
}

// lcmUpTo is the least common multiple, or a number above the limit.
func lcmUpTo(a, b, limit int64) int64 {
	if a > limit || b > limit {
		return limit + 1
	}
	return a / arith.Gcd(a, b) * b
}

// periodicCoefficient writes the function with the value cs[n mod T], T = len(cs), in floors. At n ≡ a it grows by
// cs[a] − cs[a−1]; ⌊(n − a)/d⌋ grows by 1 at n ≡ a (mod d), for any divisor d of T. ok is false where that has most terms or
// more.
func periodicCoefficient(w *linear.Work, p *Piecewise, cs []arith.Rat, v, most int) (out Quasi, ok bool) {
	t := len(cs)
	out = slices.Clone(Constant(cs[0]))
	if t == 1 {
		return out, len(out) < most
	}
	steps := make([]arith.Rat, t)
	for a := range steps {
		steps[a] = cs[a].Add(cs[(a+t-1)%t].Neg())
	}
	all := stairs(w, steps)
	if len(all) >= 2*most { // some floors cancel
		return nil, false
	}
	for _, x := range all {
		num := make(linear.Row, p.Table.Width())
		num[0], num[v] = (x.period-x.at)%x.period, 1 // from 0 up, so that the floor is 0 at n = 0
		out = append(out, Linear(p.Table.FloorRow(num, x.period)).Scale(x.height)...)
	}
	out = out.Collected()
	return out, len(out) < most
}

// stair is a step of a given height at each n ≡ at (mod period).
type stair struct {
	at, period int64
	height     arith.Rat
}

// stairs writes a periodic sequence of steps as a sum of few stairs. It is greedy: the next stair is the one that makes
// most of the remaining steps 0.
func stairs(w *linear.Work, steps []arith.Rat) []stair {
	t := len(steps)
	rest := slices.Clone(steps)
	var out []stair
	for {
		w.Spend(16 * t)
		best, gain := stair{}, 0
		ids, kinds := numbered(rest)
		counts := make([]int, kinds)
		for d := 1; d < t; d++ {
			if t%d != 0 {
				continue
			}
			for a := range d {
				at, n := -1, 0
				for i := a; i < t; i += d {
					counts[ids[i]]++
				}
				for i := a; i < t; i += d {
					if k := ids[i]; k > 0 && counts[k] > n {
						at, n = i, counts[k]
					}
				}
				if n -= counts[0] + 1; n > gain {
					best, gain = stair{int64(a), int64(d), rest[at]}, n
				}
				for i := a; i < t; i += d {
					counts[ids[i]] = 0
				}
			}
		}
		if gain == 0 {
			break
		}
		out = append(out, best)
		for i := best.at; i < int64(t); i += best.period {
			rest[i] = rest[i].Add(best.height.Neg())
		}
	}
	for i, x := range rest {
		if !x.IsZero() {
			out = append(out, stair{int64(i), int64(t), x})
		}
	}
	return out
}

// numbered gives equal values the same number, from 1 up in order of first occurrence; 0 gets 0.
func numbered(values []arith.Rat) (ids []int, kinds int) {
	ids, kinds = make([]int, len(values)), 1
	known := make(map[arith.Rat]int, len(values))
	for i, x := range values {
		if x.IsZero() {
			continue
		}
		id, ok := known[x]
		if !ok {
			id = kinds
			kinds++
			known[x] = id
		}
		ids[i] = id
	}
	return ids, kinds
}
