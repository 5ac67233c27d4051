package polycount

import (
	"fmt"
	"strings"

	"gpuperf/polycount/internal/quasi"
)

// LaTeX typesets p: one polynomial, or a cases environment with a last line for "otherwise".
func (p *Poly) LaTeX() string {
	names := make([]string, 1, p.of.Table.Width())
	for _, n := range p.params {
		names = append(names, latexName(n))
	}
	for _, d := range p.of.Table.Divs {
		names = append(names, latexFloor(affineOf(p.of.Table, d.Num, p.params), d.Den))
	}
	if len(p.of.Pieces) == 0 {
		return "0"
	}
	if len(p.of.Pieces) == 1 && len(p.of.Pieces[0].Dom.Eq)+len(p.of.Pieces[0].Dom.Ge) == 0 {
		return latexQuasi(p.of.Pieces[0].Q, names)
	}
	var b strings.Builder
	b.WriteString("\\begin{cases}\n")
	for _, c := range p.of.Pieces {
		var conds []string
		for _, r := range c.Dom.Eq {
			conds = append(conds, latexAffine(affineOf(c.Dom, r, p.params))+" = 0")
		}
		for _, r := range c.Dom.Ge {
			conds = append(conds, latexAffine(affineOf(c.Dom, r, p.params))+" \\ge 0")
		}
		fmt.Fprintf(&b, "%s & %s \\\\\n", latexQuasi(c.Q, names), strings.Join(conds, ",\\ "))
	}
	b.WriteString("0 & \\text{otherwise}\n\\end{cases}")
	return b.String()
}

func latexQuasi(q quasi.Quasi, names []string) string {
	var b strings.Builder
	for i, t := range q {
		c := t.C
		switch {
		case c.Sign() < 0:
			b.WriteString("-")
			c = c.Neg()
		case i > 0:
			b.WriteString("+")
		}
		r := c.Big()
		switch {
		case r.IsInt() && c.IsOne() && t.Factors != "":
		case r.IsInt():
			b.WriteString(r.Num().String())
		default:
			fmt.Fprintf(&b, "\\frac{%v}{%v}", r.Num(), r.Denom())
		}
		for k := 0; k < len(t.Factors); {
			at, n := quasi.AtomAt(t.Factors, k), 0
			for ; k < len(t.Factors) && quasi.AtomAt(t.Factors, k) == at; k += 2 {
				n++
			}
			b.WriteString(" " + names[at])
			if n > 1 {
				fmt.Fprintf(&b, "^{%d}", n)
			}
		}
	}
	return b.String()
}

func latexAffine(a Affine) string {
	var b strings.Builder
	for _, t := range a.terms {
		text := latexName(t.Name)
		if t.Floor != nil {
			text = latexFloor(t.Floor.Num, t.Floor.Den)
		}
		switch {
		case t.Coeff == -1:
			b.WriteString("-")
		case t.Coeff < 0:
			fmt.Fprintf(&b, "%d", t.Coeff)
		case b.Len() > 0:
			b.WriteString("+")
			fallthrough
		default:
			if t.Coeff != 1 {
				fmt.Fprintf(&b, "%d", t.Coeff)
			}
		}
		b.WriteString(" " + text)
	}
	if a.c != 0 || b.Len() == 0 {
		fmt.Fprintf(&b, "%+d", a.c)
	}
	return strings.TrimPrefix(strings.TrimSpace(b.String()), "+")
}

func latexFloor(num Affine, den int64) string {
	return fmt.Sprintf("\\left\\lfloor \\frac{%s}{%d} \\right\\rfloor", latexAffine(num), den)
}

// latexName writes names of several letters upright.
func latexName(n string) string {
	if len(n) == 1 {
		return n
	}
	return "\\mathrm{" + strings.ReplaceAll(n, "_", "\\_") + "}"
}
