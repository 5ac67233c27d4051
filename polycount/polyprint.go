package polycount

import (
	"fmt"
	"math/big"
	"strings"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/quasi"
)

// String prints p in isl's notation, as in "[n] -> { 1/2*n + 1/2*n^2 : n > 0 }"; ParsePoly reads it back.
func (p *Poly) String() string {
	var b strings.Builder
	if len(p.params) > 0 {
		b.WriteString("[" + strings.Join(p.params, ", ") + "] -> ")
	}
	b.WriteString("{ ")
	if len(p.of.Pieces) == 0 {
		b.WriteString("0")
	}
	names := p.atomNames()
	for i, c := range p.of.Pieces {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(quasiText(c.Q, names))
		if t := conjText(c.Dom, p.params); t != "" {
			b.WriteString(" : " + t)
		}
	}
	b.WriteString(" }")
	return b.String()
}

// atomNames are the texts of the table's columns.
func (p *Poly) atomNames() []string {
	names := make([]string, 1, p.of.Table.Width())
	names = append(names, p.params...)
	for _, d := range p.of.Table.Divs {
		names = append(names, (&Floor{affineOf(p.of.Table, d.Num, p.params), d.Den}).String())
	}
	return names
}

// quasiText is a sum, or its common factors times a sum where that takes at most three quarters of the length.
func quasiText(q quasi.Quasi, names []string) string {
	plain := sumText(q, names)
	common, rest := commonFactors(q)
	if len(rest) < 2 || len(common[0].Factors) == 0 && common[0].C.IsOne() {
		return plain
	}
	short := sumText(common, names) + "*(" + sumText(rest, names) + ")"
	if 4*len(short) <= 3*len(plain) {
		return short
	}
	return plain
}

// commonFactors splits q = common·rest, common one term of those atoms and that positive rational that all terms share.
func commonFactors(q quasi.Quasi) (common, rest quasi.Quasi) {
	if len(q) == 0 {
		return nil, nil
	}
	shared := q[0].Factors
	num, den := new(big.Int), big.NewInt(1)
	for _, t := range q {
		both, f := "", t.Factors // of two ascending sequences
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
		c := t.C.Big()
		num.GCD(nil, nil, num, new(big.Int).Abs(c.Num()))
		den.Mul(den, new(big.Int).Quo(c.Denom(), new(big.Int).GCD(nil, nil, den, c.Denom())))
	}
	content := new(big.Rat).SetFrac(num, den)
	inverse := arith.RatBig(new(big.Rat).Inv(content))
	for _, t := range q {
		f, a := "", t.Factors
		for s := shared; a != ""; a = a[2:] {
			if s != "" && s[:2] == a[:2] {
				s = s[2:]
			} else {
				f += a[:2]
			}
		}
		rest = append(rest, quasi.Mono{Factors: f, C: t.C.Mul(inverse)})
	}
	return quasi.Quasi{{Factors: shared, C: arith.RatBig(content)}}, rest
}

func sumText(q quasi.Quasi, names []string) string {
	if len(q) == 0 {
		return "0"
	}
	var b strings.Builder
	for i, t := range q {
		c := t.C
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
		if !c.IsOne() || t.Factors == "" {
			parts = append(parts, c.String())
		}
		for k := 0; k < len(t.Factors); {
			at, n := quasi.AtomAt(t.Factors, k), 0
			for ; k < len(t.Factors) && quasi.AtomAt(t.Factors, k) == at; k += 2 {
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
