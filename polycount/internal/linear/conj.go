package linear

import (
	"slices"

	"gpuperf/polycount/internal/arith"
)

// Div is the floor ⌊Num/Den⌋, with Num over the columns before its own. Den = 0 marks an existentially quantified
// variable, and Den = Gone one that was eliminated.
type Div struct {
	Num Row
	Den int64
}

const Gone = -1

// Conj is a conjunction of equalities Eq = 0 and inequalities Ge ≥ 0 over N variables and the floors Divs. All rows
// have width 1 + N + len(Divs).
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

// Flat is c as a system without floors: each floor is a variable that its definition determines.
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

// Simplify brings c to a normal form at little cost: it tightens rows over the integers, keeps one row per direction,
// replaces floors that equalities determine, drops unused floors and sorts rows. It reports false where that proves c
// empty.
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

// Substitute returns c over m new variables, with variable i replaced by the row by[i−1].
func (c *Conj) Substitute(m int, by []Row) *Conj { return c.SubstituteRows(&Conj{N: m}, by) }

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
	out.add(b, out.Importer(b, nil))
	return out
}

// SubstituteRows is Substitute with rows that may use the floors of table.
func (c *Conj) SubstituteRows(table *Conj, by []Row) *Conj {
	out := &Conj{N: table.N, Divs: slices.Clone(table.Divs)}
	out.add(c, out.Importer(c, by))
	return out
}

// Importer adds the floors and existentials of b to c and returns the translation of rows over b into rows over c.
// Variable i of b becomes by[i−1], or variable i of c where by is nil.
func (c *Conj) Importer(b *Conj, by []Row) func(Row) Row {
	t := &translator{c, b, by, make([]Row, len(b.Divs))}
	for k := range b.Divs {
		t.div(k)
	}
	return t.row
}

// Translate turns a row over table, which has the variables of c, into a row over c, and adds the floors in it to c.
func (c *Conj) Translate(table *Conj, r Row) Row {
	t := translator{c, table, nil, make([]Row, len(table.Divs))}
	return t.row(r)
}

// translator turns rows over b into rows over c. It adds a floor of b to c when a row that uses it is translated.
type translator struct {
	c, b *Conj
	by   []Row // of the variables of b; nil: the same of c
	divs []Row // of the floors and existentials of b that c has by now
}

func (t *translator) row(r Row) Row {
	out := make(Row, t.c.Width())
	own := min(len(r), 1+t.b.N)
	if t.by == nil {
		copy(out, r[:own])
	} else {
		out[0] = r[0]
		for i := 1; i < own; i++ {
			AddTimes(out, r[i], t.by[i-1])
		}
	}
	for i := own; i < len(r); i++ {
		if r[i] != 0 {
			e := t.div(i - own)
			out = t.c.Fit(out)
			AddTimes(out, r[i], e)
		}
	}
	return out
}

// div translates the column of a floor or existential.
func (t *translator) div(k int) Row {
	switch d := t.b.Divs[k]; {
	case t.divs[k] != nil:
	case d.Den > 0:
		t.divs[k] = t.c.FloorRow(t.row(d.Num), d.Den)
	default: // an existential of its own
		t.divs[k] = make(Row, t.c.Width()+1)
		t.divs[k][t.c.addColumn(Div{Den: d.Den})] = 1
	}
	return t.divs[k]
}

// add adds the constraints of b, translated.
func (c *Conj) add(b *Conj, translate func(Row) Row) {
	for _, r := range b.Eq {
		c.AddEQ(translate(r))
	}
	for _, r := range b.Ge {
		c.AddGE(translate(r))
	}
}

// WithFloors copies a point [1, variables…] and appends the values of the floors.
func (c *Conj) WithFloors(point Row) Row {
	full := append(make(Row, 0, c.Width()), point...)
	for _, d := range c.Divs {
		full = append(full, arith.FloorDiv(Dot(d.Num, full), d.Den))
	}
	return full
}

// Holds evaluates c at a point, given as [1, variables…].
func (c *Conj) Holds(point Row) bool {
	full := c.WithFloors(point)
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

// Solved expresses the variables of c by each other, using the equalities without floors that have a coefficient ±1;
// any is false where there is none.
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
