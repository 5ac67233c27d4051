package linear

import (
	"slices"

	"gpuperf/polycount/internal/arith"
)

// FloorRow returns a row that equals ⌊num/den⌋, in the canonical form of polycount.Affine, and adds a floor to c if
// needed.
func (c *Conj) FloorRow(num Row, den int64) Row {
	num = c.Fit(slices.Clone(num))
	for i := 1 + c.N; i < len(num); i++ {
		if num[i] == 1 && c.Divs[i-1-c.N].Den > 0 {
			inner := c.Divs[i-1-c.N]
			num[i] = 0
			scaleRow(num, inner.Den)
			AddTimes(num, 1, inner.Num)
			return c.FloorRow(num, arith.Mul(den, inner.Den))
		}
	}
	whole := make(Row, len(num))
	first, g := int64(0), den
	for i := 1; i < len(num); i++ {
		r := arith.Centred(num[i], den)
		whole[i] = (num[i] - r) / den
		num[i] = r
		if first == 0 && 2*r != den {
			first = r
		}
		g = arith.Gcd(g, r)
	}
	whole[0] = arith.FloorDiv(num[0], den)
	num[0] = arith.Mod(num[0], den)
	plus := func(sign int64, num Row, den int64) Row {
		part := c.FloorRow(num, den)
		whole = c.Fit(whole)
		AddTimes(whole, sign, part)
		return whole
	}
	switch {
	case g == den: // nothing but the constant is left
		return whole
	case !IsZero(whole[1:]): // a floor may have got the coefficient 1
		return plus(1, num, den)
	case first < 0:
		for i := range num {
			num[i] = -num[i]
		}
		num[0] = arith.Add(num[0], den-1)
		return plus(-1, num, den)
	case g > 1:
		for i := range num {
			num[i] = arith.FloorDiv(num[i], g)
		}
		return plus(1, num, den/g)
	}
	for len(num) > 1+c.N && num[len(num)-1] == 0 {
		num = num[:len(num)-1]
	}
	at := c.column(Div{num, den})
	whole = c.Fit(whole)
	whole[at] = arith.Add(whole[at], 1)
	return whole
}

// column is that of a floor, which is added where it is new.
func (c *Conj) column(of Div) int {
	for i, d := range slices.Backward(c.Divs) {
		if d.Den == of.Den && EqualPadded(d.Num, of.Num) {
			return 1 + c.N + i
		}
	}
	return c.addColumn(of)
}

// Definition is the pair of rows num − den·q ≥ 0 and den − 1 − num + den·q ≥ 0 that determines floor k.
func (c *Conj) Definition(k int) (lo, hi Row) {
	d := c.Divs[k]
	lo = make(Row, c.Width())
	copy(lo, d.Num)
	lo[1+c.N+k] = -d.Den
	hi = NegRow(lo)
	hi[0] = arith.Add(hi[0], d.Den-1)
	return lo, hi
}

// solveFloor solves an equality for a floor with coefficient ±1, whose definition becomes two inequalities. It reports
// whether there was one.
func (c *Conj) solveFloor() bool {
	for i, e := range c.Eq {
		for k := len(c.Divs) - 1; k >= 0; k-- {
			at := 1 + c.N + k
			if c.Divs[k].Den <= 0 || (e[at] != 1 && e[at] != -1) || c.UsedInDivs(at) {
				continue
			}
			lo, hi := c.Definition(k)
			c.Ge = append(c.Ge, lo, hi)
			c.Eq = slices.Delete(c.Eq, i, i+1)
			Substitute(at, SolvedFor(at, e), c.Eq, c.Ge)
			c.removeColumn(k)
			return true
		}
	}
	return false
}

// unfloor rewrites bounds of single floors: ⌊e/d⌋ + f ≥ 0 is e + d·f ≥ 0, and f − ⌊e/d⌋ ≥ 0 is d·f + d − 1 − e ≥ 0.
// (That holds for any integer f, but is kept to constants: elsewhere it would take unit coefficients from variables.)
// It reports whether there was one.
func (c *Conj) unfloor() bool {
	any := false
	for _, r := range c.Ge {
		for k := len(c.Divs) - 1; k >= 0; k-- {
			d, at := c.Divs[k], 1+c.N+k
			if d.Den <= 0 || r[at] != 1 && r[at] != -1 {
				continue
			}
			s := r[at]
			r[at] = 0
			if !IsZero(r[1:]) {
				r[at] = s
				continue
			}
			unfloorRow(r, s, d)
			any = true
		}
	}
	return any
}

// unfloorRow rewrites r + s·⌊num/den⌋ ≥ 0, s = ±1, given r without the floor, as an inequality without it.
func unfloorRow(r Row, s int64, d Div) {
	scaleRow(r, d.Den)
	AddTimes(r, s, d.Num)
	if s < 0 {
		r[0] = arith.Add(r[0], d.Den-1)
	}
}

// UnfloorBounds removes floors that occur only in inequalities, with coefficient ±1, as in ⌊(i+n)/5⌋ ≤ j; unfloor
// explains the rule. It spares counting one variable per floor. Floors of the first variables, the parameters, stay:
// counting treats them as constants.
func (c *Conj) UnfloorBounds(first int) *Conj {
	for k := len(c.Divs) - 1; k >= 0; k-- {
		d, at := c.Divs[k], 1+c.N+k
		if d.Den <= 0 || !c.reaches(d.Num, first) || !c.isBound(at) {
			continue
		}
		c = c.Clone()
		for _, r := range c.Ge {
			s := r[at]
			if s == 0 {
				continue
			}
			r[at] = 0
			unfloorRow(r, s, d)
		}
		c.removeColumn(k)
	}
	return c
}

// reaches reports whether a variable after the first ones occurs in r or in a floor of r.
func (c *Conj) reaches(r Row, first int) bool {
	for i := 1; i < len(r); i++ {
		if r[i] != 0 && (i > c.N || i > first) && (i <= c.N || c.Divs[i-1-c.N].Den <= 0 || c.reaches(c.Divs[i-1-c.N].Num, first)) {
			return true
		}
	}
	return false
}

// isBound reports that the floor in column at occurs in inequalities only, always with coefficient ±1.
func (c *Conj) isBound(at int) bool {
	used := false
	for _, r := range c.Eq {
		if r[at] != 0 {
			return false
		}
	}
	for _, r := range c.Ge {
		if r[at] != 0 && r[at] != 1 && r[at] != -1 {
			return false
		}
		used = used || r[at] != 0
	}
	return used && !c.UsedInDivs(at)
}

// dropUnused removes the floors that occur in no constraint and in no other floor.
func (c *Conj) dropUnused() {
	for k := len(c.Divs) - 1; k >= 0; k-- {
		at := 1 + c.N + k
		if !c.UsedInRows(at) && !c.UsedInDivs(at) {
			c.removeColumn(k)
		}
	}
}

// removeColumn deletes floor k, which nothing refers to.
func (c *Conj) removeColumn(k int) {
	at := 1 + c.N + k
	for i, r := range c.Eq {
		c.Eq[i] = slices.Delete(r, at, at+1)
	}
	for i, r := range c.Ge {
		c.Ge[i] = slices.Delete(r, at, at+1)
	}
	c.Divs = slices.Delete(slices.Clone(c.Divs), k, k+1)
	for i, d := range c.Divs {
		if at < len(d.Num) {
			c.Divs[i].Num = slices.Delete(slices.Clone(d.Num), at, at+1)
		}
	}
}

// DependsOn reports that floor k contains the variable of column at.
func (c *Conj) DependsOn(k, at int) bool {
	for i, v := range c.Divs[k].Num {
		if v != 0 && (i == at || i > c.N && c.DependsOn(i-1-c.N, at)) {
			return true
		}
	}
	return false
}
