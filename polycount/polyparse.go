package polycount

import (
	"gpuperf/polycount/internal/arith"
	"maps"
	"math/big"
	"slices"
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
	w := anyWork()
	column := columns(r.params)
	p.expect("{")
	for !p.is("}") {
		at := p.peek().at
		v := p.polySum(q.of.table, column)
		doms := []*conj{{n: len(r.params)}}
		if p.accept(":") && !p.is("}") && !p.is(";") {
			f := p.formula()
			p.inScope(f, r.params)
			doms = w.disjoint(p.lower(w, f, doms, r.params))
		}
		for _, d := range doms {
			if !d.simplify() {
				continue
			}
			for _, x := range q.of.pieces {
				if len(w.intersect([]*conj{d}, []*conj{x.dom})) > 0 && w.solvable(conjunction(d, x.dom).question()) {
					p.failAt(at, "this piece overlaps an earlier one")
				}
			}
			if len(v) > 0 {
				q.of.pieces = append(q.of.pieces, piece{d, v})
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
	q.of.compact()
	return q, nil
}

func (p *parser) polySum(table *conj, column map[string]int) quasi {
	p.enter()
	defer p.leave()
	minus := p.accept("-")
	if !minus {
		p.accept("+")
	}
	sum := p.polyProduct(table, column)
	if minus {
		sum = sum.scale(arith.RatInt(-1))
	}
	for {
		switch {
		case p.accept("+"):
			sum = sum.add(p.polyProduct(table, column))
		case p.accept("-"):
			sum = sum.sub(p.polyProduct(table, column))
		default:
			return sum
		}
	}
}

func (p *parser) polyProduct(table *conj, column map[string]int) quasi {
	v := p.polyPower(table, column)
	for {
		t := p.peek()
		switch {
		case p.accept("*"):
			v = v.mul(p.polyPower(table, column))
		case p.accept("/"):
			at := p.peek().at
			d := p.polyPower(table, column)
			if len(d) != 1 || d[0].factors != "" {
				p.failAt(at, "the divisor must be a constant other than 0")
			}
			v = v.scale(arith.RatBig(new(big.Rat).Inv(d[0].c.Big())))
		case p.accept("mod"), p.accept("%"):
			d := p.divisor()
			e := p.affineOf(v, table, t)
			f := table.floorRow(e, d)
			v = v.sub(linear(f).scale(arith.RatInt(d)))
		case t.kind == tokName && !reserved[t.text] || p.is("(") || p.is("floor"):
			v = v.mul(p.polyPower(table, column))
		default:
			return v
		}
	}
}

// affineOf is v as a row, if it is one.
func (p *parser) affineOf(v quasi, table *conj, at token) row {
	out := make(row, table.width())
	for _, t := range v {
		if len(t.factors) > 2 || t.c.B != nil || t.c.D != 1 {
			p.failAt(at.at, "only an affine expression with integer coefficients has a remainder")
		}
		if t.factors == "" {
			out[0] = t.c.N
		} else {
			out[atomAt(t.factors, 0)] = t.c.N
		}
	}
	return out
}

func (p *parser) polyPower(table *conj, column map[string]int) quasi {
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
		v = constant(arith.RatInt(1))
		for range n {
			v = v.mul(base)
			if len(v) > 1<<14 {
				p.failAt(t.at, "the power has too many terms")
			}
		}
	}
	return v
}

func (p *parser) polyAtom(table *conj, column map[string]int) quasi {
	t := p.peek()
	switch {
	case t.kind == tokInt:
		p.next++
		n, _ := new(big.Int).SetString(t.text, 10)
		return constant(arith.RatBig(new(big.Rat).SetInt(n)))
	case p.accept("-"):
		return p.polyPower(table, column).scale(arith.RatInt(-1))
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
		return linear(slices.Clone(affineRow(table, e[0].a, columnOf(column))))
	case t.kind == tokName && !reserved[t.text]:
		p.next++
		at, ok := column[t.text]
		if !ok {
			p.failAt(t.at, "unknown parameter %q", t.text)
		}
		return quasi{{atomKey(at), arith.RatInt(1)}}
	}
	p.fail("expected a term, found %q", t.text)
	return nil
}
