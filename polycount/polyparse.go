package polycount

import (
	"math/big"
	"slices"

	"gpuperf/internal/lex"
	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
	"gpuperf/polycount/internal/quasi"
)

// ParsePoly reads a piecewise quasi-polynomial in isl's notation, as in
//
//	[n] -> { 1/2*n + 1/2*n^2 : n > 0; floor((n + 3)/4) : n < 0 and n mod 2 = 0 }
//
// Pieces must not overlap. Errors are *source.Error.
func ParsePoly(text string) (out *Poly, err error) {
	defer throw.Catch(&err)
	p := newParser(text)
	r := &relation{}
	if p.Is("[") {
		p.params(r)
	}
	q := newPoly(r.params)
	w := linear.AnyWork()
	p.expect("{")
	for !p.Is("}") {
		at := p.Tok().At
		v := p.polySum(q.of.Table, r.params)
		doms := []*linear.Conj{{N: len(r.params)}}
		if p.Accept(":") && !p.Is("}") && !p.Is(";") {
			f := p.formula()
			p.inScope(f, r.params)
			doms = w.Disjoint(p.lower(w, f, doms, r.params))
		}
		for _, d := range doms {
			if !d.Simplify() {
				continue
			}
			for _, x := range q.of.Pieces {
				if len(w.Intersect([]*linear.Conj{d}, []*linear.Conj{x.Dom})) > 0 && w.Solvable(linear.Conjunction(d, x.Dom).Question()) {
					p.failAt(at, "this piece overlaps an earlier one")
				}
			}
			if len(v) > 0 {
				q.of.Pieces = append(q.of.Pieces, quasi.Piece{Dom: d, Q: v})
			}
		}
		if !p.Accept(";") {
			break
		}
	}
	p.expect("}")
	if p.Tok().Kind != lex.End {
		p.fail("unexpected %q after the closing brace", p.Tok().Text)
	}
	q.of.Compact()
	return q, nil
}

func (p *parser) polySum(table *linear.Conj, params []string) quasi.Quasi {
	p.enter()
	defer p.leave()
	minus := p.Accept("-")
	if !minus {
		p.Accept("+")
	}
	sum := p.polyProduct(table, params)
	if minus {
		sum = sum.Scale(arith.RatInt(-1))
	}
	for {
		switch {
		case p.Accept("+"):
			sum = sum.Add(p.polyProduct(table, params))
		case p.Accept("-"):
			sum = sum.Sub(p.polyProduct(table, params))
		default:
			return sum
		}
	}
}

func (p *parser) polyProduct(table *linear.Conj, params []string) quasi.Quasi {
	v := p.polyPower(table, params)
	for {
		t := p.Tok()
		switch {
		case p.Accept("*"):
			v = v.Mul(p.polyPower(table, params))
		case p.Accept("/"):
			at := p.Tok().At
			d := p.polyPower(table, params)
			if len(d) != 1 || d[0].Factors != "" {
				p.failAt(at, "the divisor must be a constant other than 0")
			}
			v = v.Scale(arith.RatBig(new(big.Rat).Inv(d[0].C.Big())))
		case p.Accept("mod"), p.Accept("%"):
			d := p.divisor()
			e := p.affineOf(v, table, t)
			v = v.Sub(quasi.Linear(table.FloorRow(e, d)).Scale(arith.RatInt(d)))
		case t.Kind == lex.Name && !reserved[t.Text] || p.Is("(") || p.Is("floor"):
			v = v.Mul(p.polyPower(table, params))
		default:
			return v
		}
	}
}

// affineOf is v as a row, if it is one.
func (p *parser) affineOf(v quasi.Quasi, table *linear.Conj, at lex.Token) linear.Row {
	out, den, ok := v.Affine(table.Width())
	if !ok || den != 1 {
		p.failAt(at.At, "only an affine expression with integer coefficients has a remainder")
	}
	return out
}

func (p *parser) polyPower(table *linear.Conj, params []string) quasi.Quasi {
	v := p.polyAtom(table, params)
	if p.Accept("^") {
		t := p.take()
		if t.Kind != lex.Number {
			p.failAt(t.At, "the exponent must be a number")
		}
		n := p.int(t)
		if n > 64 {
			p.failAt(t.At, "the exponent %d is too large", n)
		}
		base := v
		v = quasi.Constant(arith.RatInt(1))
		for range n {
			v = v.Mul(base)
			if len(v) > 1<<14 {
				p.failAt(t.At, "the power has too many terms")
			}
		}
	}
	return v
}

func (p *parser) polyAtom(table *linear.Conj, params []string) quasi.Quasi {
	t := p.Tok()
	switch {
	case t.Kind == lex.Number:
		p.I++
		n, _ := new(big.Int).SetString(t.Text, 10)
		return quasi.Constant(arith.RatBig(new(big.Rat).SetInt(n)))
	case p.Accept("-"):
		return p.polyPower(table, params).Scale(arith.RatInt(-1))
	case p.Accept("("):
		v := p.polySum(table, params)
		p.expect(")")
		return v
	case p.Is("floor"), p.Is("["), p.Is("ceil"), p.Is("floord"), p.Is("ceild"):
		from := p.I
		e := p.factor()
		if len(e) != 1 {
			p.failAt(t.At, "min and max have no place in a floor")
		}
		p.inScope(formula{toks: p.Tokens[from:p.I]}, params)
		return quasi.Linear(affineRow(table, e[0].a, columns(params)))
	case t.Kind == lex.Name && !reserved[t.Text]:
		p.I++
		at := slices.Index(params, t.Text) + 1
		if at == 0 {
			p.failAt(t.At, "unknown parameter %q", t.Text)
		}
		return quasi.Quasi{{Factors: quasi.AtomKey(at), C: arith.RatInt(1)}}
	}
	p.fail("expected a term, found %q", t.Text)
	return nil
}
