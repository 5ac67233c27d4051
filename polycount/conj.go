package polycount

import (
	"gpuperf/polycount/internal/arith"
	"slices"
)

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
					v[j] = arith.Add(v[j], arith.Mul(k, x))
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
					v[j] = arith.Add(v[j], arith.Mul(r[i], x))
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
			out[j] = arith.Add(out[j], arith.Mul(r[i], x))
		}
	}
	return out
}

// holds evaluates c at a point, given as [1, variables…].
func (c *conj) holds(point row) bool {
	full := append(make(row, 0, c.width()), point...)
	for _, d := range c.divs {
		full = append(full, arith.FloorDiv(dot(d.num, full), d.den))
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

// solved writes the variables of c in terms of each other as far as its equalities without floors, having a
// coefficient ±1, allow. any is false when there is no such equality.
func (c *conj) solved() (by []row, any bool) {
	by = identityRows(c.n)
	for _, e := range c.eq {
		if !isZero(e[1+c.n:]) {
			continue
		}
		r := make(row, 1+c.n)
		r[0] = e[0]
		for i := 1; i <= c.n; i++ {
			if e[i] != 0 {
				for j, v := range by[i-1] {
					r[j] = arith.Add(r[j], arith.Mul(e[i], v))
				}
			}
		}
		at := 0
		for i := 1; i <= c.n; i++ {
			if r[i] == 1 || r[i] == -1 {
				at = i
			}
		}
		if at == 0 {
			continue
		}
		any = true
		for k := range by {
			x := make(row, 1+c.n)
			copy(x, by[k])
			eliminateWith(x, r, at)
			by[k] = x
		}
	}
	return by, any
}
