package polycount

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// String prints a in isl's notation; ParseAffine reads it back. Pairs k·e − k·d·⌊e/d⌋ print as k*((e) mod d).
func (a Affine) String() string {
	if a.overflows() {
		return "(overflow)"
	}
	var b strings.Builder
	rest, mods := splitMods(a)
	writeTerms(&b, rest.terms)
	for _, m := range mods {
		writeTerm(&b, m.Coeff, fmt.Sprintf("((%v) mod %d)", m.Floor.Num, m.Floor.Den))
	}
	if rest.c != 0 || b.Len() == 0 {
		writeTerm(&b, rest.c, "")
	}
	return b.String()
}

// splitMods takes the multiples of e mod d out of a, where e mod d is shorter than its definition. Each has
// Coeff the factor and Floor the e and d.
func splitMods(a Affine) (rest Affine, mods []Term) {
	rest = a
	for _, t := range a.terms {
		if t.Floor == nil || t.Coeff%t.Floor.Den != 0 {
			continue
		}
		k := -t.Coeff / t.Floor.Den
		without := rest.Sub(Affine{terms: []Term{t}})
		without = combine(1, without, -k, t.Floor.Num)
		if without.overflows() {
			continue
		}
		if len(without.terms) < len(rest.terms)-1 || len(without.terms) == len(rest.terms)-1 && len(t.Floor.Num.terms) == 1 {
			rest, mods = without, append(mods, Term{Coeff: k, Floor: t.Floor})
		}
	}
	return rest, mods
}

func writeTerms(b *strings.Builder, terms []Term) {
	for _, t := range terms {
		text := t.Name
		if t.Floor != nil {
			text = t.Floor.String()
		}
		writeTerm(b, t.Coeff, text)
	}
}

// writeTerm appends k*text with the sign as an operator; text "" is the constant k.
func writeTerm(b *strings.Builder, k int64, text string) {
	m := strconv.FormatUint(arith.Magnitude(k), 10)
	switch {
	case b.Len() > 0 && k < 0:
		b.WriteString(" - ")
	case b.Len() > 0:
		b.WriteString(" + ")
	case k < 0:
		b.WriteString("-")
	}
	switch {
	case text == "":
		b.WriteString(m)
	case m == "1":
		b.WriteString(text)
	default:
		b.WriteString(m + "*" + text)
	}
}

// String prints c as a comparison with positive terms on both sides, as in "i < n".
func (c Constraint) String() string { return c.text(nil) }

// text orders the comparison so that the last of the names that occurs is on the left.
func (c Constraint) text(names []string) string {
	a, op := c.Affine, ">="
	if c.Equality {
		op = "="
	}
	if a.Neg().overflows() { // no term can change sides
		return a.String() + " " + op + " 0"
	}
	if a.lead(names) < 0 {
		a = a.Neg()
		if !c.Equality {
			op = "<="
		}
	}
	rest, mods := splitMods(a)
	if rest.Neg().overflows() {
		rest, mods = a, nil
	}
	left, right := Affine{}, Int(-rest.c)
	for _, t := range rest.terms {
		if t.Coeff > 0 {
			left.terms = append(left.terms, t)
		} else {
			t.Coeff = -t.Coeff
			right.terms = append(right.terms, t)
		}
	}
	var l, r strings.Builder
	writeTerms(&l, left.terms)
	writeTerms(&r, right.terms)
	for _, m := range mods {
		side := &l
		if m.Coeff < 0 {
			side = &r
		}
		writeMod(side, m)
	}
	// x ≥ k + 1 prints as x > k, x ≤ k − 1 as x < k, where that drops a constant.
	k := right.c
	switch {
	case op == ">=" && k == 1:
		op, k = ">", 0
	case op == "<=" && k == -1:
		op, k = "<", 0
	}
	switch {
	case l.Len() == 0 && r.Len() > 0 && k != 0:
		writeTerm(&l, -k, "")
	case k != 0 || r.Len() == 0:
		writeTerm(&r, k, "")
	}
	if l.Len() == 0 {
		l.WriteString("0")
	}
	return l.String() + " " + op + " " + r.String()
}

// lead is the coefficient of the last of the names, or of the first term where there are floors alone: it is to be positive in a text.
func (a Affine) lead(names []string) int64 {
	lead, at := int64(0), -1
	for _, t := range a.terms {
		if i := slices.Index(names, t.Name); t.Floor == nil && (i > at || lead == 0) {
			lead, at = t.Coeff, i
		}
	}
	if lead == 0 && len(a.terms) > 0 {
		lead = a.terms[0].Coeff
	}
	return lead
}

// writeMod adds a term e mod d to a side, with a positive coefficient.
func writeMod(side *strings.Builder, m Term) {
	text := fmt.Sprintf("(%v) mod %d", m.Floor.Num, m.Floor.Den)
	if m.Floor.Num.IsName() {
		text = fmt.Sprintf("%v mod %d", m.Floor.Num, m.Floor.Den)
	}
	if arith.Magnitude(m.Coeff) != 1 || side.Len() > 0 {
		text = "(" + text + ")"
	}
	writeTerm(side, max(m.Coeff, -m.Coeff), text)
}

// IsName reports that a is one name with coefficient 1.
func (a Affine) IsName() bool {
	return a.c == 0 && len(a.terms) == 1 && a.terms[0].Floor == nil && a.terms[0].Coeff == 1
}

// String prints s in isl's notation; ParseSet reads it back.
func (s *Set) String() string {
	head := s.tuple + "[" + strings.Join(s.dims, ", ") + "]"
	if len(s.dims) == 0 && s.tuple == "" {
		head = ""
	}
	return relationText(s.params, s.names(), head, s.printed())
}

func relationText(params, names []string, head string, cs []*linear.Conj) string {
	var b strings.Builder
	if len(params) > 0 {
		b.WriteString("[" + strings.Join(params, ", ") + "] -> ")
	}
	b.WriteString("{ ")
	if len(cs) == 0 {
		b.WriteString(strings.TrimSpace(head + " : false"))
	}
	for i, c := range cs {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(head)
		text := conjText(c, names)
		switch {
		case text == "" && head == "":
			b.WriteString(":")
		case head == "":
			b.WriteString(": " + text)
		case text != "":
			b.WriteString(" : " + text)
		}
	}
	b.WriteString(" }")
	return b.String()
}

// conjText prints the constraints of c joined by and; a lower and an upper bound of one name become a chain.
func conjText(c *linear.Conj, names []string) string {
	if c.IsOpen() {
		wide, k := c.Widened()
		var fresh []string
		for i := 0; len(fresh) < k; i++ {
			if e := "e" + strconv.Itoa(i); !slices.Contains(names, e) {
				fresh = append(fresh, e)
			}
		}
		return "exists (" + strings.Join(fresh, ", ") + " : " + conjText(wide, slices.Concat(names, fresh)) + ")"
	}
	parts := lists.Map(c.Eq, func(r linear.Row) string { return Constraint{affineOf(c, r, names), true}.text(names) })
	used := make([]bool, len(c.Ge))
	for at := 1; at <= c.N; at++ { // by name, the inner ones last
		for i, r := range c.Ge {
			if used[i] || lastName(r, c.N) != at {
				continue
			}
			used[i] = true
			if j := partner(c, r, at, used); j >= 0 {
				used[j] = true
				lo, hi := r, c.Ge[j]
				if lo[at] < 0 {
					lo, hi = hi, lo
				}
				parts = append(parts, chain(c, lo, hi, at, names))
				continue
			}
			parts = append(parts, Constraint{Affine: affineOf(c, r, names)}.text(names))
		}
	}
	for i, r := range c.Ge {
		if !used[i] {
			parts = append(parts, Constraint{Affine: affineOf(c, r, names)}.text(names))
		}
	}
	return strings.Join(parts, " and ")
}

func lastName(r linear.Row, n int) int {
	for i := n; i > 0; i-- {
		if r[i] != 0 {
			return i
		}
	}
	return 0
}

// partner finds an unused opposite bound for the unit bound r of column at.
func partner(c *linear.Conj, r linear.Row, at int, used []bool) int {
	if r[at] != 1 && r[at] != -1 || slices.Contains(r, math.MinInt64) { // which has no negative
		return -1
	}
	for j, o := range c.Ge {
		if !used[j] && o[at] == -r[at] && lastName(o, c.N) == at && !slices.Contains(o, math.MinInt64) {
			return j
		}
	}
	return -1
}

func chain(c *linear.Conj, lo, hi linear.Row, at int, names []string) string {
	l, h := linear.NegRow(lo), slices.Clone(hi)
	l[at], h[at] = 0, 0
	low, high := affineOf(c, l, names), affineOf(c, h, names)
	op := " <= "
	if high.c == -1 && len(high.terms) > 0 {
		high, op = high.AddInt(1), " < "
	}
	lop := " <= "
	if low.c == 1 && len(low.terms) > 0 {
		low, lop = low.AddInt(-1), " < "
	}
	return low.String() + lop + names[at-1] + op + high.String()
}

func (f *Floor) String() string {
	num := f.Num.String()
	if t := f.Num.terms; len(t) != 1 || f.Num.c != 0 || t[0].Coeff != 1 {
		num = "(" + num + ")"
	}
	return fmt.Sprintf("floor(%s/%d)", num, f.Den)
}
