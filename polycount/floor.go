package polycount

import (
	"gpuperf/polycount/internal/arith"
	"slices"
)

// floorRow returns a row equal to ⌊num/den⌋, in the canonical form of Affine.FloorDiv, adding a floor if needed.
func (c *conj) floorRow(num row, den int64) row {
	num = c.fit(slices.Clone(num))
	for i := 1 + c.n; i < len(num); i++ {
		if num[i] == 1 && c.divs[i-1-c.n].den > 0 {
			inner := c.divs[i-1-c.n]
			num[i] = 0
			scaleRow(num, inner.den)
			for j, v := range inner.num {
				num[j] = arith.Add(num[j], v)
			}
			return c.floorRow(num, arith.Mul(den, inner.den))
		}
	}
	whole := make(row, len(num))
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
	switch {
	case g == den: // nothing but the constant is left
		return whole
	case !isZero(whole[1:]): // a floor may have got the coefficient 1
		part := c.floorRow(num, den)
		whole = c.fit(whole)
		for i, v := range part {
			whole[i] = arith.Add(whole[i], v)
		}
		return whole
	case first < 0:
		for i := range num {
			num[i] = -num[i]
		}
		num[0] = arith.Add(num[0], den-1)
		part := c.floorRow(num, den)
		whole = c.fit(whole)
		for i, v := range part {
			whole[i] = arith.Sub(whole[i], v)
		}
		return whole
	case g > 1:
		for i := range num {
			num[i] = arith.FloorDiv(num[i], g)
		}
		part := c.floorRow(num, den/g)
		whole = c.fit(whole)
		for i, v := range part {
			whole[i] = arith.Add(whole[i], v)
		}
		return whole
	}
	for len(num) > 1+c.n && num[len(num)-1] == 0 {
		num = num[:len(num)-1]
	}
	at := -1
	for i, d := range c.divs {
		if d.den == den && equalPadded(d.num, num) {
			at = 1 + c.n + i
		}
	}
	if at < 0 {
		at = c.addColumn(div{num, den})
	}
	whole = c.fit(whole)
	whole[at] = arith.Add(whole[at], 1)
	return whole
}

// definition is the pair num − den·q ≥ 0 and den − 1 − num + den·q ≥ 0 that pins floor k, over full-width rows.
func (c *conj) definition(k int) (lo, hi row) {
	d := c.divs[k]
	lo = make(row, c.width())
	copy(lo, d.num)
	lo[1+c.n+k] = -d.den
	hi = negRow(lo)
	hi[0] = arith.Add(hi[0], d.den-1)
	return lo, hi
}

// solveFloor uses an equality with coefficient ±1 on a floor to replace that floor: its definition becomes a pair of
// inequalities. It reports whether it did anything.
func (c *conj) solveFloor() bool {
	for i, e := range c.eq {
		for k := len(c.divs) - 1; k >= 0; k-- {
			at := 1 + c.n + k
			if c.divs[k].den <= 0 || (e[at] != 1 && e[at] != -1) || c.usedInDivs(at) {
				continue
			}
			lo, hi := c.definition(k)
			c.ge = append(c.ge, lo, hi)
			c.eq = slices.Delete(c.eq, i, i+1)
			for _, rows := range [][]row{c.eq, c.ge} {
				for _, r := range rows {
					eliminateWith(r, e, at)
				}
			}
			c.removeColumn(k)
			return true
		}
	}
	return false
}

// unfloor rewrites bounds of single floors: ⌊e/d⌋ + f ≥ 0 is e + d·f ≥ 0, and f − ⌊e/d⌋ ≥ 0 is d·f + d − 1 − e ≥ 0.
// (That holds for any integer f, but is kept to constants: elsewhere it would take unit coefficients from variables.)
// It reports whether there was one.
func (c *conj) unfloor() bool {
	any := false
	for _, r := range c.ge {
		for k := len(c.divs) - 1; k >= 0; k-- {
			d, at := c.divs[k], 1+c.n+k
			if d.den <= 0 || r[at] != 1 && r[at] != -1 {
				continue
			}
			s := r[at]
			r[at] = 0
			if !isZero(r[1:]) {
				r[at] = s
				continue
			}
			scaleRow(r, d.den)
			for i, v := range d.num {
				r[i] = arith.Add(r[i], arith.Mul(s, v))
			}
			if s < 0 {
				r[0] = arith.Add(r[0], d.den-1)
			}
			any = true
		}
	}
	return any
}

// unfloorBounds is c with the floors over the variables from first on that stand, with coefficient ±1, only in inequalities
// between whole rows, as in ⌊(i+n)/5⌋ ≤ j: by the rule of unfloor each such inequality loses its floor, and with the last
// one the floor is gone, and the dimension that counting would make of it. Floors of the variables before first stay: to
// a count they are symbols, and cheaper than coefficients.
func (c *conj) unfloorBounds(first int) *conj {
	for k := len(c.divs) - 1; k >= 0; k-- {
		d, at := c.divs[k], 1+c.n+k
		if d.den <= 0 || !c.reaches(d.num, first) || !c.isBound(at) {
			continue
		}
		c = c.clone()
		for _, r := range c.ge {
			s := r[at]
			if s == 0 {
				continue
			}
			r[at] = 0
			scaleRow(r, d.den)
			for i, v := range d.num {
				r[i] = arith.Add(r[i], arith.Mul(s, v))
			}
			if s < 0 {
				r[0] = arith.Add(r[0], d.den-1)
			}
		}
		c.removeColumn(k)
	}
	return c
}

// reaches reports whether a variable from first on stands in r, also inside its floors.
func (c *conj) reaches(r row, first int) bool {
	for i := 1; i < len(r); i++ {
		if r[i] != 0 && (i > c.n || i > first) && (i <= c.n || c.divs[i-1-c.n].den <= 0 || c.reaches(c.divs[i-1-c.n].num, first)) {
			return true
		}
	}
	return false
}

// isBound reports whether floor column at stands in inequalities only, and in each with coefficient ±1.
func (c *conj) isBound(at int) bool {
	used := false
	for _, r := range c.eq {
		if r[at] != 0 {
			return false
		}
	}
	for _, r := range c.ge {
		if r[at] != 0 && r[at] != 1 && r[at] != -1 {
			return false
		}
		used = used || r[at] != 0
	}
	return used && !c.usedInDivs(at)
}

// dropUnused removes the floors that occur in no constraint and in no other floor.
func (c *conj) dropUnused() {
	for k := len(c.divs) - 1; k >= 0; k-- {
		at := 1 + c.n + k
		if !c.usedInRows(at) && !c.usedInDivs(at) {
			c.removeColumn(k)
		}
	}
}

// removeColumn deletes floor k, which nothing refers to.
func (c *conj) removeColumn(k int) {
	at := 1 + c.n + k
	for i, r := range c.eq {
		c.eq[i] = slices.Delete(r, at, at+1)
	}
	for i, r := range c.ge {
		c.ge[i] = slices.Delete(r, at, at+1)
	}
	c.divs = slices.Delete(slices.Clone(c.divs), k, k+1)
	for i, d := range c.divs {
		if at < len(d.num) {
			c.divs[i].num = slices.Delete(slices.Clone(d.num), at, at+1)
		}
	}
}

// dependsOn reports that floor k contains the variable of column at.
func (c *conj) dependsOn(k, at int) bool {
	for i, v := range c.divs[k].num {
		if v != 0 && (i == at || i > c.n && c.dependsOn(i-1-c.n, at)) {
			return true
		}
	}
	return false
}
