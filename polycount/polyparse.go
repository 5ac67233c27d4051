package polycount

import (
	"maps"
	"math/big"
	"slices"

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
	defer arith.Rescue(&err)
	p := newParser(text)
	r := &relation{}
	if p.is("[") {
		p.params(r)
	}
	q := newPoly(r.params)
	w := linear.AnyWork()
	column := columns(r.params)
	p.expect("{")
	for !p.is("}") {
		at := p.peek().at
		v := p.polySum(q.of.Table, column)
		doms := []*linear.Conj{{N: len(r.params)}}
		if p.accept(":") && !p.is("}") && !p.is(";") {
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
		if !p.accept(";") {
			break
		}
	}
	p.expect("}")
	if p.peek().kind != tokEOF {
		p.fail("unexpected %q after the closing brace", p.peek().text)
	}
	q.of.Compact()
	return q, nil
}

func (p *parser) polySum(table *linear.Conj, column map[string]int) quasi.Quasi {
	p.enter()
	defer p.leave()
	minus := p.accept("-")
	if !minus {
		p.accept("+")
	}
	sum := p.polyProduct(table, column)
	if minus {
		sum = sum.Scale(arith.RatInt(-1))
	}
	for {
		switch {
		case p.accept("+"):
			sum = sum.Add(p.polyProduct(table, column))
		case p.accept("-"):
			sum = sum.Sub(p.polyProduct(table, column))
		default:
			return sum
		}
	}
}

func (p *parser) polyProduct(table *linear.Conj, column map[string]int) quasi.Quasi {
	v := p.polyPower(table, column)
	for {
		t := p.peek()
		switch {
		case p.accept("*"):
			v = v.Mul(p.polyPower(table, column))
		case p.accept("/"):
			at := p.peek().at
			d := p.polyPower(table, column)
			if len(d) != 1 || d[0].Factors != "" {
				p.failAt(at, "the divisor must be a constant other than 0")
			}
			v = v.Scale(arith.RatBig(new(big.Rat).Inv(d[0].C.Big())))
		case p.accept("mod"), p.accept("%"):
			d := p.divisor()
			e := p.affineOf(v, table, t)
			f := table.FloorRow(e, d)
			v = v.Sub(quasi.Linear(f).Scale(arith.RatInt(d)))
		case t.kind == tokName && !reserved[t.text] || p.is("(") || p.is("floor"):
			v = v.Mul(p.polyPower(table, column))
		default:
			return v
		}
	}
}

// affineOf is v as a row, if it is one.
func (p *parser) affineOf(v quasi.Quasi, table *linear.Conj, at token) linear.Row {
	out := make(linear.Row, table.Width())
	for _, t := range v {
		if len(t.Factors) > 2 || t.C.B != nil || t.C.D != 1 {
			p.failAt(at.at, "only an affine expression with integer coefficients has a remainder")
		}
		if t.Factors == "" {
			out[0] = t.C.N
		} else {
			out[quasi.AtomAt(t.Factors, 0)] = t.C.N
		}
	}
	return out
}

func (p *parser) polyPower(table *linear.Conj, column map[string]int) quasi.Quasi {
	v := p.polyAtom(table, column)
	if p.accept("^") {
		t := p.take()
		if t.kind != tokInt {
			p.failAt(t.at, "the exponent must be a number")
		}
		n := p.int(t)
		if n > 64 {
			p.failAt(t.at, "the exponent %d is too large", n)
		}
		base := v
		v = quasi.Constant(arith.RatInt(1))
		for range n {
			v = v.Mul(base)
			if len(v) > 1<<14 {
				p.failAt(t.at, "the power has too many terms")
			}
		}
	}
	return v
}

func (p *parser) polyAtom(table *linear.Conj, column map[string]int) quasi.Quasi {
	t := p.peek()
	switch {
	case t.kind == tokInt:
		p.next++
		n, _ := new(big.Int).SetString(t.text, 10)
		return quasi.Constant(arith.RatBig(new(big.Rat).SetInt(n)))
	case p.accept("-"):
		return p.polyPower(table, column).Scale(arith.RatInt(-1))
	case p.accept("("):
		v := p.polySum(table, column)
		p.expect(")")
		return v
	case p.is("floor"), p.is("["), p.is("ceil"), p.is("floord"), p.is("ceild"):
		from := p.next
		e := p.factor()
		if len(e) != 1 {
			p.failAt(t.at, "min and max have no place in a floor")
		}
		p.inScope(formula{toks: p.toks[from:p.next]}, slices.Collect(maps.Keys(column)))
		return quasi.Linear(slices.Clone(affineRow(table, e[0].a, columnOf(column))))
	case t.kind == tokName && !reserved[t.text]:
		p.next++
		at, ok := column[t.text]
		if !ok {
			p.failAt(t.at, "unknown parameter %q", t.text)
		}
		return quasi.Quasi{{Factors: quasi.AtomKey(at), C: arith.RatInt(1)}}
	}
	p.fail("expected a term, found %q", t.text)
	return nil
}
