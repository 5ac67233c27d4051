package polycount

import "slices"

// row is an affine form over columns: [constant, variables…, floors…].
type row = []int64

// div is ⌊num/den⌋ with num over the columns before its own. den = 0 marks, inside a projection, an existential
// that has no definition yet, and den = gone one that was eliminated; a conj in a Set has neither.
type div struct {
	num row
	den int64
}

const gone = -1

// conj is a quantifier-free conjunction: eq = 0 and ge ≥ 0 over n variables and the floors divs.
// All rows have width 1+n+len(divs).
type conj struct {
	n      int
	eq, ge []row
	divs   []div
}

func (c *conj) width() int { return 1 + c.n + len(c.divs) }

func cloneRows(rows []row) []row {
	out := make([]row, len(rows))
	total := 0
	for _, r := range rows {
		total += len(r)
	}
	flat := make([]int64, 0, total)
	for i, r := range rows {
		k := len(flat)
		flat = append(flat, r...)
		out[i] = flat[k:len(flat):len(flat)]
	}
	return out
}

// clone copies everything but the numerators of floors, which are never changed in place.
func (c *conj) clone() *conj {
	return &conj{c.n, cloneRows(c.eq), cloneRows(c.ge), slices.Clone(c.divs)}
}

// fit pads a row with zeros to the width of c.
func (c *conj) fit(r row) row {
	for len(r) < c.width() {
		r = append(r, 0)
	}
	return r
}

func (c *conj) addGE(r row) { c.ge = append(c.ge, c.fit(r)) }
func (c *conj) addEQ(r row) { c.eq = append(c.eq, c.fit(r)) }

// addColumn appends a floor column and returns its index.
func (c *conj) addColumn(d div) int {
	c.divs = append(c.divs, d)
	for i := range c.eq {
		c.eq[i] = append(c.eq[i], 0)
	}
	for i := range c.ge {
		c.ge[i] = append(c.ge[i], 0)
	}
	return c.width() - 1
}

// floorRow returns a row equal to ⌊num/den⌋, in the canonical form of Affine.FloorDiv, adding a floor if needed.
func (c *conj) floorRow(num row, den int64) row {
	num = c.fit(slices.Clone(num))
	for i := 1 + c.n; i < len(num); i++ {
		if num[i] == 1 && c.divs[i-1-c.n].den > 0 {
			inner := c.divs[i-1-c.n]
			num[i] = 0
			scaleRow(num, inner.den)
			for j, v := range inner.num {
				num[j] = add(num[j], v)
			}
			return c.floorRow(num, mul(den, inner.den))
		}
	}
	whole := make(row, len(num))
	first, g := int64(0), den
	for i := 1; i < len(num); i++ {
		r := centred(num[i], den)
		whole[i] = (num[i] - r) / den
		num[i] = r
		if first == 0 && 2*r != den {
			first = r
		}
		g = gcd(g, r)
	}
	whole[0] = floorDiv(num[0], den)
	num[0] = mod(num[0], den)
	switch {
	case g == den: // nothing but the constant is left
		return whole
	case !isZero(whole[1:]): // a floor may have got the coefficient 1
		part := c.floorRow(num, den)
		whole = c.fit(whole)
		for i, v := range part {
			whole[i] = add(whole[i], v)
		}
		return whole
	case first < 0:
		for i := range num {
			num[i] = -num[i]
		}
		num[0] = add(num[0], den-1)
		part := c.floorRow(num, den)
		whole = c.fit(whole)
		for i, v := range part {
			whole[i] = sub(whole[i], v)
		}
		return whole
	case g > 1:
		for i := range num {
			num[i] = floorDiv(num[i], g)
		}
		part := c.floorRow(num, den/g)
		whole = c.fit(whole)
		for i, v := range part {
			whole[i] = add(whole[i], v)
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
	whole[at] = add(whole[at], 1)
	return whole
}

// equalPadded compares rows as if both ended in zeros.
func equalPadded(a, b row) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return isZero(b[len(a):])
}

func isZero(r row) bool {
	for _, v := range r {
		if v != 0 {
			return false
		}
	}
	return true
}

func scaleRow(r row, k int64) {
	for i := range r {
		r[i] = mul(r[i], k)
	}
}

func negRow(r row) row {
	out := make(row, len(r))
	for i, v := range r {
		out[i] = neg(v)
	}
	return out
}

// negated is the row of ¬(r ≥ 0): −r − 1 ≥ 0.
func negated(r row) row {
	out := negRow(r)
	out[0] = sub(out[0], 1)
	return out
}

// combineRows returns k·a + l·b for rows of one width.
func combineRows(k int64, a row, l int64, b row) row {
	out := make(row, len(a))
	for i := range a {
		out[i] = add(mul(k, a[i]), mul(l, b[i]))
	}
	return out
}

// definition is the pair num − den·q ≥ 0 and den − 1 − num + den·q ≥ 0 that pins floor k, over full-width rows.
func (c *conj) definition(k int) (lo, hi row) {
	d := c.divs[k]
	lo = make(row, c.width())
	copy(lo, d.num)
	lo[1+c.n+k] = -d.den
	hi = negRow(lo)
	hi[0] = add(hi[0], d.den-1)
	return lo, hi
}

// flat is c as a system of plain columns: floors become variables pinned by their definitions.
func (c *conj) flat() *system {
	s := &system{eq: cloneRows(c.eq), ge: make([]row, 0, len(c.ge)+2*len(c.divs)), width: c.width()}
	s.ge = append(s.ge, cloneRows(c.ge)...)
	for k, d := range c.divs {
		if d.den > 0 {
			lo, hi := c.definition(k)
			s.ge = append(s.ge, lo, hi)
		}
	}
	return s
}

// simplify brings c to a normal form, cheaply: rows tightened over the integers, one row per direction, floors that
// equalities determine replaced, unused floors dropped, rows sorted. It reports false when that shows c to be empty.
func (c *conj) simplify() bool {
	for {
		if !normalizeRows(&c.eq, &c.ge) {
			return false
		}
		if !c.solveFloor() && !c.unfloor() {
			break
		}
	}
	c.dropUnused()
	sortRows(c.eq)
	sortRows(c.ge)
	return true
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
				r[i] = add(r[i], mul(s, v))
			}
			if s < 0 {
				r[0] = add(r[0], d.den-1)
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
				r[i] = add(r[i], mul(s, v))
			}
			if s < 0 {
				r[0] = add(r[0], d.den-1)
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

// eliminateWith adds a multiple of e, whose coefficient at column at is ±1, to r so that column at of r becomes 0.
func eliminateWith(r, e row, at int) {
	if r[at] == 0 {
		return
	}
	k := neg(mul(r[at], e[at]))
	for j, v := range e {
		if v != 0 {
			r[j] = add(r[j], mul(k, v))
		}
	}
}

func (c *conj) usedInDivs(at int) bool {
	for _, d := range c.divs {
		if at < len(d.num) && d.num[at] != 0 {
			return true
		}
	}
	return false
}

func (c *conj) usedInRows(at int) bool {
	for _, rows := range [][]row{c.eq, c.ge} {
		for _, r := range rows {
			if r[at] != 0 {
				return true
			}
		}
	}
	return false
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

// substitute returns c with variable i replaced by the row by[i−1] over m new variables.
func (c *conj) substitute(m int, by []row) *conj { return c.substituteRows(&conj{n: m}, by) }

// substituteRows is substitute with rows that may use the floors of table.
func (c *conj) substituteRows(table *conj, by []row) *conj {
	out := &conj{n: table.n, divs: slices.Clone(table.divs)}
	rows := make([]row, 1, c.width())
	rows[0] = row{1}
	rows = append(rows, by...)
	apply := func(r row) row {
		v := make(row, out.width())
		for i, k := range r {
			if k != 0 {
				for j, x := range rows[i] {
					v[j] = add(v[j], mul(k, x))
				}
			}
		}
		return v
	}
	for _, d := range c.divs {
		if d.den <= 0 { // an existential stays one
			at := out.addColumn(div{den: d.den})
			e := make(row, at+1)
			e[at] = 1
			rows = append(rows, e)
			continue
		}
		rows = append(rows, out.floorRow(apply(d.num), d.den))
	}
	for _, r := range c.eq {
		out.addEQ(apply(r))
	}
	for _, r := range c.ge {
		out.addGE(apply(r))
	}
	return out
}

// moved is c, which has no floors, over n variables, with variable i in column place[i−1].
func (c *conj) moved(n int, place []int) *conj {
	width := n + 1
	flat := make(row, (len(c.eq)+len(c.ge))*width)
	rows := make([]row, len(c.eq)+len(c.ge))
	for i := range rows {
		r := flat[i*width : (i+1)*width : (i+1)*width]
		from := row(nil)
		if i < len(c.eq) {
			from = c.eq[i]
		} else {
			from = c.ge[i-len(c.eq)]
		}
		r[0] = from[0]
		for j, at := range place {
			r[at] = from[1+j]
		}
		rows[i] = r
	}
	return &conj{n: n, eq: rows[:len(c.eq):len(c.eq)], ge: rows[len(c.eq):]}
}

// conjunction returns a ∧ b over the same variables.
func conjunction(a, b *conj) *conj {
	out := a.clone()
	out.absorb(b)
	return out
}

// absorb adds the constraints of b to c.
func (c *conj) absorb(b *conj) {
	apply := c.importer(b)
	for _, r := range b.eq {
		c.addEQ(apply(r))
	}
	for _, r := range b.ge {
		c.addGE(apply(r))
	}
}

// importer adds the floors of b to c and returns the translation of rows over b to rows over c.
func (c *conj) importer(b *conj) func(row) row {
	divRows := make([]row, 0, len(b.divs))
	apply := func(r row) row {
		v := make(row, c.width())
		copy(v, r[:min(len(r), 1+c.n)])
		for i := 1 + c.n; i < len(r); i++ {
			if r[i] != 0 {
				for j, x := range divRows[i-1-c.n] {
					v[j] = add(v[j], mul(r[i], x))
				}
			}
		}
		return v
	}
	for _, d := range b.divs {
		if d.den <= 0 { // an existential of its own
			at := c.addColumn(div{den: d.den})
			e := make(row, at+1)
			e[at] = 1
			divRows = append(divRows, e)
			continue
		}
		divRows = append(divRows, c.floorRow(apply(d.num), d.den))
	}
	return apply
}

// translate writes a row over table's columns, whose variables are those of c, over c's, adding the floors in it.
func (c *conj) translate(table *conj, r row) row {
	out := make(row, c.width())
	copy(out, r[:min(len(r), 1+c.n)])
	for i := 1 + c.n; i < len(r); i++ {
		if r[i] == 0 {
			continue
		}
		d := table.divs[i-1-c.n]
		f := c.floorRow(c.translate(table, d.num), d.den)
		out = c.fit(out)
		for j, x := range f {
			out[j] = add(out[j], mul(r[i], x))
		}
	}
	return out
}

// holds evaluates c at a point, given as [1, variables…].
func (c *conj) holds(point row) bool {
	full := append(make(row, 0, c.width()), point...)
	for _, d := range c.divs {
		full = append(full, floorDiv(dot(d.num, full), d.den))
	}
	for _, r := range c.eq {
		if dot(r, full) != 0 {
			return false
		}
	}
	for _, r := range c.ge {
		if dot(r, full) < 0 {
			return false
		}
	}
	return true
}

func dot(a, b row) int64 {
	var s int64
	for i, v := range a[:min(len(a), len(b))] {
		if v != 0 {
			s = add(s, mul(v, b[i]))
		}
	}
	return s
}

func sortRows(rows []row) {
	slices.SortFunc(rows, func(a, b row) int { return slices.Compare(a[1:], b[1:]) })
}

func identityRows(n int) []row {
	by := make([]row, n)
	for i := range by {
		by[i] = make(row, i+2)
		by[i][i+1] = 1
	}
	return by
}
