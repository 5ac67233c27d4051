package polycount

import (
	"fmt"
	"strings"
)

// String prints p in isl's notation, as in "[n] -> { 1/2*n + 1/2*n^2 : n > 0 }"; ParsePoly reads it back.
func (p *Poly) String() string {
	var b strings.Builder
	if len(p.params) > 0 {
		b.WriteString("[" + strings.Join(p.params, ", ") + "] -> ")
	}
	b.WriteString("{ ")
	if len(p.pieces) == 0 {
		b.WriteString("0")
	}
	names := p.atomNames()
	for i, c := range p.pieces {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(c.q.text(names))
		if t := c.dom.text(p.params); t != "" {
			b.WriteString(" : " + t)
		}
	}
	b.WriteString(" }")
	return b.String()
}

// atomNames are the texts of the table's columns.
func (p *Poly) atomNames() []string {
	names := make([]string, 1, p.table.width())
	names = append(names, p.params...)
	for _, d := range p.table.divs {
		names = append(names, (&Floor{p.table.affine(d.num, p.params), d.den}).String())
	}
	return names
}

func (q quasi) text(names []string) string {
	if len(q) == 0 {
		return "0"
	}
	var b strings.Builder
	for i, t := range q {
		c := t.c
		if i > 0 {
			if c.sign() < 0 {
				b.WriteString(" - ")
				c = c.neg()
			} else {
				b.WriteString(" + ")
			}
		} else if c.sign() < 0 {
			b.WriteString("-")
			c = c.neg()
		}
		parts := []string{}
		if !c.isOne() || t.factors == "" {
			parts = append(parts, c.String())
		}
		for k := 0; k < len(t.factors); {
			at, n := atomAt(t.factors, k), 0
			for ; k < len(t.factors) && atomAt(t.factors, k) == at; k += 2 {
				n++
			}
			if n == 1 {
				parts = append(parts, names[at])
			} else {
				parts = append(parts, fmt.Sprintf("%s^%d", names[at], n))
			}
		}
		b.WriteString(strings.Join(parts, "*"))
	}
	return b.String()
}
