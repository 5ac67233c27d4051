package polycount

import (
	"math"
	"slices"

	"gpuperf/internal/lex"
	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/arith"
)

// ParseAffine reads isl's notation, as in "16*i + floor((n+1)/2) - (j mod 4)". Errors are *source.Error.
func ParseAffine(text string) (a Affine, err error) {
	defer throw.Catch(&err)
	p := newParser(text)
	at := p.Tok().At
	e := p.expr()
	if p.Tok().Kind != lex.End {
		p.fail("unexpected %s after the expression", p.found())
	}
	if len(e) != 1 {
		p.failAt(at, "min and max have no place in an affine expression")
	}
	if e[0].den != 1 {
		p.failAt(at, "the quotient by %d is not an integer everywhere: a division must stand inside floor(…/d), or be written //", e[0].den)
	}
	return e[0].a, e[0].a.Err()
}

// choice is a value a/den under conditions; an expression with min or max is several of them. As in isl, quotients are
// rational numbers until a floor rounds them: i <= n/16 is 16i <= n. See before for strict comparisons.
type choice struct {
	when    []Constraint
	a       Affine
	den     int64   // > 0, without a factor that all of a has
	extreme extreme // of all choices together, if when says no more than which of them it is
}

// extreme says that a value is the greatest or the least of its choices, or neither.
type extreme int8

const (
	greatest extreme = 1
	least    extreme = -1
)

// of is the extreme that a sum of choices is.
func (x choice) of(y choice) extreme {
	switch {
	case len(y.when) == 0:
		return x.extreme
	case len(x.when) == 0 || x.extreme == y.extreme:
		return y.extreme
	}
	return 0
}

// scaling is the product of a constant and c.
func (k choice) scaling(c choice) choice {
	out := choice{nil, c.a.Scale(k.a.c), c.den, 0}
	if len(k.when) == 0 {
		out.extreme = c.times(k.a.c).extreme
	}
	return out.quotient(k.den)
}

// times is c with the extreme that it is times k.
func (c choice) times(k int64) choice {
	c.extreme *= extreme(arith.Sign(k))
	return c
}

func single(a Affine) []choice { return []choice{{a: a, den: 1}} }

// quotient divides a choice by d > 0.
func (c choice) quotient(d int64) choice {
	c.den = arith.Mul(c.den, d)
	g := arith.Gcd(c.den, c.a.c)
	for _, t := range c.a.terms {
		g = arith.Gcd(g, t.Coeff)
	}
	if g > 1 {
		terms := slices.Clone(c.a.terms)
		for i := range terms {
			terms[i].Coeff /= g
		}
		c.a, c.den = Affine{c.a.c / g, terms}, c.den/g
	}
	return c
}

// sum is x + k·y.
func sum(x choice, k int64, y choice) choice {
	den := arith.Lcm(x.den, y.den)
	return choice{nil, combine(den/x.den, x.a, arith.Mul(k, den/y.den), y.a), den, x.of(y.times(k))}.quotient(1)
}

// before is the constraint of x < y, which is x + 1 ≤ y as isl has it, also where x and y are not integers.
func before(x, y choice) Constraint {
	return GE(y.a.Scale(x.den), x.a.Scale(y.den).AddInt(arith.Mul(x.den, y.den)))
}

// atMost is the constraint x + gap ≤ y for integers x·den and y·den, gap being 0 or the least positive difference.
func atMost(x, y choice, gap int64) Constraint {
	return GE(y.a.Scale(x.den), x.a.Scale(y.den).AddInt(gap))
}

// pairs applies f to every combination of choices.
func (p *parser) pairs(x, y []choice, f func(a, b choice) choice) []choice {
	if len(x)*len(y) > 256 {
		p.fail("too many combinations of min and max")
	}
	out := make([]choice, 0, len(x)*len(y))
	for _, a := range x {
		for _, b := range y {
			when := a.when
			if len(b.when) > 0 {
				when = slices.Concat(a.when, b.when)
			}
			c := f(a, b)
			c.when = when
			out = append(out, fitting(c))
		}
	}
	return out
}

func each(x []choice, f func(choice) choice) []choice {
	for i, c := range x {
		x[i] = fitting(f(c))
		x[i].when = c.when
	}
	return x
}

// fitting is c, of which all coefficients must fit into 64 bits.
func fitting(c choice) choice {
	if err := c.a.Err(); err != nil {
		panic(throw.Of(err))
	}
	return c
}

func negative(c choice) choice {
	c.a = c.a.Neg()
	return c.times(-1)
}

// floored is ⌊c/d⌋, or ⌈c/d⌉.
func floored(c choice, d int64, up bool) choice {
	c = c.quotient(d)
	if up {
		c.a = c.a.AddInt(c.den - 1)
	}
	if c.den > 1 {
		c.a, c.den = c.a.FloorDiv(c.den), 1
	}
	return c
}

// expr is a sum of terms.
func (p *parser) expr() []choice {
	p.enter()
	defer p.leave()
	var v []choice
	if p.isLeast() {
		v = p.term()
	} else if p.Accept("-") {
		v = each(p.term(), negative)
	} else {
		p.Accept("+")
		v = p.term()
	}
	for {
		switch {
		case p.Accept("+"):
			v = p.pairs(v, p.term(), func(a, b choice) choice { return sum(a, 1, b) })
		case p.Accept("-"):
			v = p.pairs(v, p.term(), func(a, b choice) choice { return sum(a, -1, b) })
		default:
			return v
		}
	}
}

// term is a product with at most one factor that is not a constant, possibly followed by divisions: mod, %, // or /.
func (p *parser) term() []choice {
	v := p.factor()
	for {
		t := p.Tok()
		switch {
		case p.Accept("*"):
			v = p.product(v, p.factor(), t)
		case p.Accept("mod"), p.Accept("%"):
			d := p.divisor()
			v = each(v, func(c choice) choice { return sum(c, arith.Neg(d), floored(c, d, false)) })
		case p.Accept("//"):
			d := p.divisor()
			v = each(v, func(c choice) choice { return floored(c, d, false) })
		case p.Accept("/"):
			d, ok := p.constantDivisor()
			if !ok {
				p.failAt(t.At, "a division must be by a positive constant")
			}
			v = each(v, func(c choice) choice { return c.quotient(d) })
		case t.Kind == lex.Name && !reserved[t.Text] || t.Kind == lex.Number || p.Is("(") || p.Is("floor") || p.Is("ceil"):
			if len(v) != 1 || !v[0].a.IsConstant() { // as in 2i, 3(i + 1)
				p.fail("unexpected %q: products with a name need *", t.Text)
			}
			v = p.product(v, p.factor(), t)
		default:
			return v
		}
	}
}

func (p *parser) product(x, y []choice, at lex.Token) []choice {
	return p.pairs(x, y, func(a, b choice) choice {
		switch {
		case a.a.IsConstant():
			return a.scaling(b)
		case b.a.IsConstant():
			return b.scaling(a)
		}
		p.failAt(at.At, "the product of two variables is not affine")
		return a
	})
}

func (p *parser) divisor() int64 {
	at := p.Tok().At
	d, ok := p.constantDivisor()
	if !ok {
		p.failAt(at, "the divisor must be a positive constant")
	}
	return d
}

func (p *parser) constantDivisor() (d int64, ok bool) {
	e := p.factor()
	return e[0].a.c, len(e) == 1 && e[0].a.IsConstant() && e[0].a.c > 0 && e[0].den == 1
}

func (p *parser) factor() []choice {
	p.enter()
	defer p.leave()
	t := p.Tok()
	switch {
	case t.Kind == lex.Number:
		p.I++
		return single(Int(p.int(t)))
	case p.isLeast():
		p.I += 2
		return single(Int(math.MinInt64))
	case p.Accept("-"):
		return each(p.factor(), negative)
	case p.Is("(") && p.cases[p.I]:
		p.I++
		v := p.alternatives()
		p.expect(")")
		return v
	case p.Accept("("):
		v := p.expr()
		p.expect(")")
		return v
	case p.Is("floor") || p.Is("ceil"):
		p.I++
		p.expect("(")
		v := each(p.expr(), func(c choice) choice { return floored(c, 1, t.Text == "ceil") })
		p.expect(")")
		return v
	case p.Is("[") && p.isTuple(p.I):
		p.fail("a tuple has no place in an expression: nested tuples such as [[i] -> [j]] are written flat, [i, j], which has the same points")
	case p.Accept("["): // isl writes floors as [(e)/d]
		v := each(p.expr(), func(c choice) choice { return floored(c, 1, false) })
		p.expect("]")
		return v
	case p.Is("floord") || p.Is("ceild"):
		p.I++
		p.expect("(")
		v := p.expr()
		p.expect(",")
		d := p.divisor()
		v = each(v, func(c choice) choice { return floored(c, d, t.Text == "ceild") })
		p.expect(")")
		return v
	case p.Is("min") || p.Is("max"):
		p.I++
		p.expect("(")
		v := p.expr()
		for p.Accept(",") {
			v = p.extremes(v, p.expr(), t.Text == "max")
		}
		p.expect(")")
		return v
	case t.Kind == lex.Name && !reserved[t.Text]:
		p.I++
		return single(Name(t.Text))
	}
	p.fail("%s", p.Missing("a value"))
	return nil
}

// isLeast reports that −2⁶³ comes next, whose digits alone do not fit into 64 bits.
func (p *parser) isLeast() bool {
	return p.Is("-") && p.Peek(1).Kind == lex.Number && p.Peek(1).Text == "9223372036854775808"
}

// extremes splits on which of two values is the least or the greatest.
func (p *parser) extremes(x, y []choice, most bool) []choice {
	if len(x)*len(y) > 128 {
		p.fail("too many combinations of min and max")
	}
	kind := least
	if most {
		kind = greatest
	}
	var out []choice
	for _, a := range x {
		for _, b := range y {
			first, second := atMost(a, b, 0), atMost(b, a, 1) // a ≤ b, a > b
			if most {
				first, second = atMost(b, a, 0), atMost(a, b, 1)
			}
			var both extreme
			if (len(a.when) == 0 || a.extreme == kind) && (len(b.when) == 0 || b.extreme == kind) {
				both = kind
			}
			when := slices.Clip(slices.Concat(a.when, b.when))
			out = append(out, choice{append(when, first), a.a, a.den, both}, choice{append(when, second), b.a, b.den, both})
		}
	}
	return out
}
