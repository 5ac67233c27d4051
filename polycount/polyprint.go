package polycount

import (
	"fmt"
	"gpuperf/polycount/internal/arith"
	"math/big"
	"strings"
)

// String prints p in isl's notation, as in "[n] -> { 1/2*n + 1/2*n^2 : n > 0 }"; ParsePoly reads it back.
func (p *Poly) String() string {
	var b strings.Builder
	if len(p.params) > 0 {
		b.WriteString("[" + strings.Join(p.params, ", ") + "] -> ")
	}
	b.WriteString("{ ")
	if len(p.of.pieces) == 0 {
		b.WriteString("0")
	}
	names := p.atomNames()
	for i, c := range p.of.pieces {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(quasiText(c.q, names))
		if t := conjText(c.dom, p.params); t != "" {
			b.WriteString(" : " + t)
		}
	}
	b.WriteString(" }")
	return b.String()
}

// atomNames are the texts of the table's columns.
func (p *Poly) atomNames() []string {
	names := make([]string, 1, p.of.table.width())
	names = append(names, p.params...)
	for _, d := range p.of.table.divs {
		names = append(names, (&Floor{affineOf(p.of.table, d.num, p.params), d.den}).String())
	}
	return names
}

// quasiText is a sum, or its common factors times a sum where that takes at most three quarters of the length.
func quasiText(q quasi, names []string) string {
	plain := sumText(q, names)
	common, rest := commonFactors(q)
	if len(rest) < 2 || len(common[0].factors) == 0 && common[0].c.IsOne() {
		return plain
	}
	short := sumText(common, names) + "*(" + sumText(rest, names) + ")"
	if 4*len(short) <= 3*len(plain) {
		return short
	}
	return plain
}

// commonFactors splits q = common·rest, common one term of those atoms and that positive rational that all terms share.
func commonFactors(q quasi) (common, rest quasi) {
	if len(q) == 0 {
		return nil, nil
	}
	shared := q[0].factors
	num, den := new(big.Int), big.NewInt(1)
	for _, t := range q {
		both, f := "", t.factors // of two ascending sequences
		for a := shared; a != "" && f != ""; {
			switch {
			case a[:2] == f[:2]:
				both, a, f = both+a[:2], a[2:], f[2:]
			case a[:2] < f[:2]:
				a = a[2:]
			default:
				f = f[2:]
			}
		}
		shared = both
		c := t.c.Big()
		num.GCD(nil, nil, num, new(big.Int).Abs(c.Num()))
		den.Mul(den, new(big.Int).Quo(c.Denom(), new(big.Int).GCD(nil, nil, den, c.Denom())))
	}
	content := new(big.Rat).SetFrac(num, den)
	inverse := arith.RatBig(new(big.Rat).Inv(content))
	for _, t := range q {
		f, a := "", t.factors
		for s := shared; a != ""; a = a[2:] {
			if s != "" && s[:2] == a[:2] {
				s = s[2:]
			} else {
				f += a[:2]
			}
		}
		rest = append(rest, mono{f, t.c.Mul(inverse)})
	}
	return quasi{{shared, arith.RatBig(content)}}, rest
}

func sumText(q quasi, names []string) string {
	if len(q) == 0 {
		return "0"
	}
	var b strings.Builder
	for i, t := range q {
		c := t.c
		if i > 0 {
			if c.Sign() < 0 {
				b.WriteString(" - ")
				c = c.Neg()
			} else {
				b.WriteString(" + ")
			}
		} else if c.Sign() < 0 {
			b.WriteString("-")
			c = c.Neg()
		}
		parts := []string{}
		if !c.IsOne() || t.factors == "" {
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
