package linear

import (
	"slices"

	"gpuperf/polycount/internal/arith"
)

// Div is ⌊num/den⌋ with num over the columns before its own. den = 0 marks, inside a projection, an existential
// that has no definition yet, and den = gone one that was eliminated; a conj in a Set has neither.
type Div struct {
	Num Row
	Den int64
}

const Gone = -1

// Conj is a quantifier-free conjunction: eq = 0 and ge ≥ 0 over n variables and the floors divs.
// All rows have width 1+n+len(divs).
type Conj struct {
	N      int
	Eq, Ge []Row
	Divs   []Div
}

func (c *Conj) Width() int { return 1 + c.N + len(c.Divs) }

// Clone copies everything but the numerators of floors, which are never changed in place.
func (c *Conj) Clone() *Conj {
	return &Conj{c.N, CloneRows(c.Eq), CloneRows(c.Ge), slices.Clone(c.Divs)}
}

// Fit pads a row with zeros to the width of c.
func (c *Conj) Fit(r Row) Row {
	for len(r) < c.Width() {
		r = append(r, 0)
	}
	return r
}

func (c *Conj) AddGE(r Row) { c.Ge = append(c.Ge, c.Fit(r)) }

func (c *Conj) AddEQ(r Row) { c.Eq = append(c.Eq, c.Fit(r)) }

// addColumn appends a floor column and returns its index.
func (c *Conj) addColumn(d Div) int {
	c.Divs = append(c.Divs, d)
	for i := range c.Eq {
		c.Eq[i] = append(c.Eq[i], 0)
	}
	for i := range c.Ge {
		c.Ge[i] = append(c.Ge[i], 0)
	}
	return c.Width() - 1
}

// Flat is c as a system of plain columns: floors become variables pinned by their definitions.
func (c *Conj) Flat() *System {
	s := &System{Eq: CloneRows(c.Eq), Ge: make([]Row, 0, len(c.Ge)+2*len(c.Divs)), Width: c.Width()}
	s.Ge = append(s.Ge, CloneRows(c.Ge)...)
	for k, d := range c.Divs {
		if d.Den > 0 {
			lo, hi := c.Definition(k)
			s.Ge = append(s.Ge, lo, hi)
		}
	}
	return s
}

// Simplify brings c to a normal form, cheaply: rows tightened over the integers, one row per direction, floors that
// equalities determine replaced, unused floors dropped, rows sorted. It reports false when that shows c to be empty.
func (c *Conj) Simplify() bool {
	for {
		if !NormalizeRows(&c.Eq, &c.Ge) {
			return false
		}
		if !c.solveFloor() && !c.unfloor() {
			break
		}
	}
	c.dropUnused()
	sortRows(c.Eq)
	sortRows(c.Ge)
	return true
}

func (c *Conj) UsedInDivs(at int) bool {
	for _, d := range c.Divs {
		if at < len(d.Num) && d.Num[at] != 0 {
			return true
		}
	}
	return false
}

func (c *Conj) UsedInRows(at int) bool {
	for _, rows := range [][]Row{c.Eq, c.Ge} {
		for _, r := range rows {
			if r[at] != 0 {
				return true
			}
		}
	}
	return false
}

// Substitute returns c with variable i replaced by the row by[i−1] over m new variables.
func (c *Conj) Substitute(m int, by []Row) *Conj { return c.SubstituteRows(&Conj{N: m}, by) }

// SubstituteRows is substitute with rows that may use the floors of table.
func (c *Conj) SubstituteRows(table *Conj, by []Row) *Conj {
	out := &Conj{N: table.N, Divs: slices.Clone(table.Divs)}
	rows := make([]Row, 1, c.Width())
	rows[0] = Row{1}
	rows = append(rows, by...)
	apply := func(r Row) Row {
		v := make(Row, out.Width())
		for i, k := range r {
			if k != 0 {
				AddTimes(v, k, rows[i])
			}
		}
		return v
	}
	for _, d := range c.Divs {
		if d.Den <= 0 { // an existential stays one
			at := out.addColumn(Div{Den: d.Den})
			e := make(Row, at+1)
			e[at] = 1
			rows = append(rows, e)
			continue
		}
		rows = append(rows, out.FloorRow(apply(d.Num), d.Den))
	}
	for _, r := range c.Eq {
		out.AddEQ(apply(r))
	}
	for _, r := range c.Ge {
		out.AddGE(apply(r))
	}
	return out
}

// Moved is c, which has no floors, over n variables, with variable i in column place[i−1].
func (c *Conj) Moved(n int, place []int) *Conj {
	width := n + 1
	flat := make(Row, (len(c.Eq)+len(c.Ge))*width)
	rows := make([]Row, len(c.Eq)+len(c.Ge))
	for i := range rows {
		r := flat[i*width : (i+1)*width : (i+1)*width]
		from := Row(nil)
		if i < len(c.Eq) {
			from = c.Eq[i]
		} else {
			from = c.Ge[i-len(c.Eq)]
		}
		r[0] = from[0]
		for j, at := range place {
			r[at] = from[1+j]
		}
		rows[i] = r
	}
	return &Conj{N: n, Eq: rows[:len(c.Eq):len(c.Eq)], Ge: rows[len(c.Eq):]}
}

// Conjunction returns a ∧ b over the same variables.
func Conjunction(a, b *Conj) *Conj {
	out := a.Clone()
	out.absorb(b)
	return out
}

// absorb adds the constraints of b to c.
func (c *Conj) absorb(b *Conj) {
	apply := c.Importer(b)
	for _, r := range b.Eq {
		c.AddEQ(apply(r))
	}
	for _, r := range b.Ge {
		c.AddGE(apply(r))
	}
}

// Importer adds the floors of b to c and returns the translation of rows over b to rows over c.
func (c *Conj) Importer(b *Conj) func(Row) Row {
	divRows := make([]Row, 0, len(b.Divs))
	apply := func(r Row) Row {
		v := make(Row, c.Width())
		copy(v, r[:min(len(r), 1+c.N)])
		for i := 1 + c.N; i < len(r); i++ {
			if r[i] != 0 {
				AddTimes(v, r[i], divRows[i-1-c.N])
			}
		}
		return v
	}
	for _, d := range b.Divs {
		if d.Den <= 0 { // an existential of its own
			at := c.addColumn(Div{Den: d.Den})
			e := make(Row, at+1)
			e[at] = 1
			divRows = append(divRows, e)
			continue
		}
		divRows = append(divRows, c.FloorRow(apply(d.Num), d.Den))
	}
	return apply
}

// Translate writes a row over table's columns, whose variables are those of c, over c's, adding the floors in it.
func (c *Conj) Translate(table *Conj, r Row) Row {
	out := make(Row, c.Width())
	copy(out, r[:min(len(r), 1+c.N)])
	for i := 1 + c.N; i < len(r); i++ {
		if r[i] == 0 {
			continue
		}
		d := table.Divs[i-1-c.N]
		f := c.FloorRow(c.Translate(table, d.Num), d.Den)
		out = c.Fit(out)
		AddTimes(out, r[i], f)
	}
	return out
}

// Holds evaluates c at a point, given as [1, variables…].
func (c *Conj) Holds(point Row) bool {
	full := append(make(Row, 0, c.Width()), point...)
	for _, d := range c.Divs {
		full = append(full, arith.FloorDiv(Dot(d.Num, full), d.Den))
	}
	for _, r := range c.Eq {
		if Dot(r, full) != 0 {
			return false
		}
	}
	for _, r := range c.Ge {
		if Dot(r, full) < 0 {
			return false
		}
	}
	return true
}

// Solved writes the variables of c in terms of each other as far as its equalities without floors, having a
// coefficient ±1, allow. any is false when there is no such equality.
func (c *Conj) Solved() (by []Row, any bool) {
	by = IdentityRows(c.N)
	for _, e := range c.Eq {
		if !IsZero(e[1+c.N:]) {
			continue
		}
		r := make(Row, 1+c.N)
		r[0] = e[0]
		for i := 1; i <= c.N; i++ {
			if e[i] != 0 {
				AddTimes(r, e[i], by[i-1])
			}
		}
		at := 0
		for i := 1; i <= c.N; i++ {
			if r[i] == 1 || r[i] == -1 {
				at = i
			}
		}
		if at == 0 {
			continue
		}
		any = true
		for k := range by {
			by[k] = append(slices.Clone(by[k]), make(Row, 1+c.N-len(by[k]))...)
		}
		Substitute(at, SolvedFor(at, r), by)
	}
	return by, any
}
