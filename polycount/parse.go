package polycount

import (
	"math"
	"slices"
	"strconv"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// ParseAffine reads isl's notation, as in "16*i + floor((n+1)/2) - (j mod 4)". Errors are *source.Error.
func ParseAffine(text string) (a Affine, err error) {
	defer arith.Rescue(&err)
	p := newParser(text)
	at := p.peek().at
	e := p.expr()
	if p.peek().kind != tokEOF {
		p.fail("unexpected %q after the expression", p.peek().text)
	}
	if len(e) != 1 {
		p.failAt(at, "min and max have no place in an affine expression")
	}
	if e[0].den != 1 {
		p.failAt(at, "the quotient by %d is not an integer everywhere: a division must stand inside floor(…/d), or be written //", e[0].den)
	}
	return e[0].a, nil
}

// choice is a value a/den under conditions; an expression with min or max is several of them. As in isl, quotients are
// rational numbers until a floor rounds them: i <= n/16 is 16i <= n. See before for strict comparisons.
type choice struct {
	when []Constraint
	a    Affine
	den  int64 // > 0, without a factor that all of a has
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
	return choice{nil, combine(den/x.den, x.a, arith.Mul(k, den/y.den), y.a), den}.quotient(1)
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
			out = append(out, c)
		}
	}
	return out
}

func each(x []choice, f func(choice) choice) []choice {
	for i := range x {
		x[i] = f(x[i])
	}
	return x
}

func negative(c choice) choice {
	c.a = c.a.Neg()
	return c
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
	} else if p.accept("-") {
		v = each(p.term(), negative)
	} else {
		p.accept("+")
		v = p.term()
	}
	for {
		switch {
		case p.accept("+"):
			v = p.pairs(v, p.term(), func(a, b choice) choice { return sum(a, 1, b) })
		case p.accept("-"):
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
		t := p.peek()
		switch {
		case p.accept("*"):
			v = p.product(v, p.factor(), t)
		case p.accept("mod"), p.accept("%"):
			d := p.divisor()
			v = each(v, func(c choice) choice { return sum(c, arith.Neg(d), floored(c, d, false)) })
		case p.accept("//"):
			d := p.divisor()
			v = each(v, func(c choice) choice { return floored(c, d, false) })
		case p.accept("/"):
			d, ok := p.constantDivisor()
			if !ok {
				p.failAt(t.at, "a division must be by a positive constant")
			}
			v = each(v, func(c choice) choice { return c.quotient(d) })
		case t.kind == tokName && !reserved[t.text] || t.kind == tokInt || p.is("(") || p.is("floor") || p.is("ceil"):
			if len(v) != 1 || !v[0].a.IsConstant() { // as in 2i, 3(i + 1)
				p.fail("unexpected %q: products with a name need *", t.text)
			}
			v = p.product(v, p.factor(), t)
		default:
			return v
		}
	}
}

func (p *parser) product(x, y []choice, at token) []choice {
	return p.pairs(x, y, func(a, b choice) choice {
		switch {
		case a.a.IsConstant():
			return choice{nil, b.a.Scale(a.a.c), b.den}.quotient(a.den)
		case b.a.IsConstant():
			return choice{nil, a.a.Scale(b.a.c), a.den}.quotient(b.den)
		}
		p.failAt(at.at, "the product of two variables is not affine")
		return a
	})
}

func (p *parser) divisor() int64 {
	at := p.peek().at
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
	t := p.peek()
	switch {
	case t.kind == tokInt:
		p.next++
		return single(Int(p.int(t)))
	case p.isLeast():
		p.next += 2
		return single(Int(math.MinInt64))
	case p.accept("-"):
		return each(p.factor(), negative)
	case p.is("(") && p.cases[p.next]:
		p.next++
		v := p.alternatives()
		p.expect(")")
		return v
	case p.accept("("):
		v := p.expr()
		p.expect(")")
		return v
	case p.is("floor") || p.is("ceil"):
		p.next++
		p.expect("(")
		v := each(p.expr(), func(c choice) choice { return floored(c, 1, t.text == "ceil") })
		p.expect(")")
		return v
	case p.is("[") && p.isTuple(p.next):
		p.fail("a tuple has no place in an expression: nested tuples such as [[i] -> [j]] are written flat, [i, j], which has the same points")
	case p.accept("["): // isl writes floors as [(e)/d]
		v := each(p.expr(), func(c choice) choice { return floored(c, 1, false) })
		p.expect("]")
		return v
	case p.is("floord") || p.is("ceild"):
		p.next++
		p.expect("(")
		v := p.expr()
		p.expect(",")
		d := p.divisor()
		v = each(v, func(c choice) choice { return floored(c, d, t.text == "ceild") })
		p.expect(")")
		return v
	case p.is("min") || p.is("max"):
		p.next++
		p.expect("(")
		v := p.expr()
		for p.accept(",") {
			v = p.extreme(v, p.expr(), t.text == "max")
		}
		p.expect(")")
		return v
	case t.kind == tokName && !reserved[t.text]:
		p.next++
		return single(Name(t.text))
	}
	p.fail("expected an expression, found %q", t.text)
	return nil
}

// isLeast reports that −2⁶³ comes next, whose digits alone do not fit into 64 bits.
func (p *parser) isLeast() bool {
	return p.is("-") && p.peekAfter(1).kind == tokInt && p.peekAfter(1).text == "9223372036854775808"
}

// extreme splits on which of two values is the least or the greatest.
func (p *parser) extreme(x, y []choice, most bool) []choice {
	if len(x)*len(y) > 128 {
		p.fail("too many combinations of min and max")
	}
	var out []choice
	for _, a := range x {
		for _, b := range y {
			first, second := atMost(a, b, 0), atMost(b, a, 1) // a ≤ b, a > b
			if most {
				first, second = atMost(b, a, 0), atMost(a, b, 1)
			}
			when := slices.Concat(a.when, b.when)
			a.when, b.when = append(slices.Clip(when), first), append(slices.Clip(when), second)
			out = append(out, a, b)
		}
	}
	return out
}

// A formula is built as a union of conjunctions of constraints and quantified subformulas.
type formula struct {
	op   string // "and", "or", "not", "exists", "true", "false", "cmp"
	args []formula
	vars []string
	cmp  [][]Constraint // "cmp": a disjunction of conjunctions
	at   int
	toks []token // what a chain of comparisons, or a definition, was read from: the names in it must be known
}

func (p *parser) formula() formula {
	p.enter()
	defer p.leave()
	f := p.conjunct()
	for p.is("or") {
		p.next++
		f = formula{op: "or", args: []formula{f, p.conjunct()}}
	}
	if p.accept("implies") {
		f = formula{op: "or", args: []formula{{op: "not", args: []formula{f}}, p.formula()}}
	}
	return f
}

func (p *parser) conjunct() formula {
	f := formula{op: "and", args: []formula{p.atom()}}
	for p.accept("and") {
		f.args = append(f.args, p.atom())
	}
	if len(f.args) == 1 {
		return f.args[0]
	}
	return f
}

func (p *parser) atom() formula {
	p.enter()
	defer p.leave()
	switch {
	case p.accept("not"):
		return formula{op: "not", args: []formula{p.atom()}}
	case p.accept("true"):
		return formula{op: "true"}
	case p.accept("false"):
		return formula{op: "false"}
	case p.accept("exists"):
		paren := p.accept("(")
		f := formula{op: "exists", at: p.peek().at}
		var defs []formula
		for {
			name := p.name()
			f.vars = append(f.vars, name)
			if p.accept("=") {
				at, from := p.peek().at, p.next
				def := p.compare("=", single(Name(name)), p.expr(), at)
				def.toks = p.toks[from:p.next]
				defs = append(defs, def)
			}
			if !p.accept(",") {
				break
			}
		}
		p.expect(":")
		body := p.formula()
		if paren {
			p.expect(")")
		}
		f.args = []formula{{op: "and", args: append(defs, body)}}
		return f
	case p.is("("):
		// A parenthesis opens a formula or an expression: what closes it tells.
		mark := p.next
		if f, ok := p.tryFormula(); ok {
			return f
		}
		p.next = mark
	}
	return p.comparison()
}

// tryFormula reads "( formula )" unless the parenthesis belongs to an expression.
func (p *parser) tryFormula() (f formula, ok bool) {
	if p.cases[p.next] {
		return f, false
	}
	end, closed := p.match[p.next]
	if !closed {
		end = len(p.toks) - 1
	}
	for i := p.next; i <= end; i++ {
		t := p.toks[i]
		if p.cases[i] { // (c ? a : b) compares inside an expression
			if i, closed = p.match[i]; !closed {
				return f, false
			}
			continue
		}
		if comparisons[t.text] || t.kind == tokName && (t.text == "exists" || t.text == "true" || t.text == "false") {
			p.expect("(")
			f = p.formula()
			p.expect(")")
			return f, true
		}
	}
	return f, false
}

var comparisons = map[string]bool{"<": true, "<=": true, ">": true, ">=": true, "=": true, "!=": true, "<<": true, "<<=": true, ">>": true, ">>=": true}

// comparison is a chain such as 0 <= i,j < n.
func (p *parser) comparison() formula {
	from := p.next
	left := p.exprList()
	if !comparisons[p.peek().text] || p.peek().kind != tokOp {
		p.fail("expected a comparison, found %q", p.peek().text)
	}
	f := formula{op: "and"}
	for comparisons[p.peek().text] && p.peek().kind == tokOp {
		op := p.take()
		right := p.exprList()
		if lex, ok := lexicographic[op.text]; ok {
			if len(left) != len(right) {
				p.failAt(op.at, "%q compares tuples of one length, here of %d and %d", op.text, len(left), len(right))
			}
			if lex.flip {
				f.args = append(f.args, p.before(right, left, lex.last, op.at))
			} else {
				f.args = append(f.args, p.before(left, right, lex.last, op.at))
			}
			left = right
			continue
		}
		for _, a := range left {
			for _, b := range right {
				f.args = append(f.args, p.compare(op.text, a, b, op.at))
			}
		}
		left = right
	}
	if len(f.args) == 1 {
		f = f.args[0]
	}
	f.toks = p.toks[from:p.next]
	return f
}

// exprList is "e, e, …", or "[e, e, …]" as one side of a lexicographic comparison.
func (p *parser) exprList() [][]choice {
	if p.is("[") {
		end, closed := p.match[p.next]
		after := closed && lexicographic[p.toks[end+1].text].last != ""
		before := p.next > 0 && lexicographic[p.toks[p.next-1].text].last != ""
		if closed && (after || before) {
			p.next++
			out := [][]choice{p.expr()}
			for p.accept(",") {
				out = append(out, p.expr())
			}
			p.expect("]")
			return out
		}
	}
	out := [][]choice{p.expr()}
	for p.accept(",") {
		out = append(out, p.expr())
	}
	return out
}

func (p *parser) compare(op string, x, y []choice, at int) formula {
	f := formula{op: "cmp", at: at}
	for _, a := range x {
		for _, b := range y {
			when := slices.Concat(a.when, b.when)
			put := func(c Constraint) { f.cmp = append(f.cmp, append(slices.Clip(when), c)) }
			switch op {
			case "<":
				put(before(a, b))
			case "<=":
				put(atMost(a, b, 0))
			case ">":
				put(before(b, a))
			case ">=":
				put(atMost(b, a, 0))
			case "=":
				put(Constraint{atMost(b, a, 0).Affine, true}) // x − y, as EQ has it
			case "!=":
				put(atMost(a, b, 1))
				put(atMost(b, a, 1))
			}
		}
	}
	return f
}

// lower turns f into a union of conjunctions over the named columns, all conjoined with base.
func (p *parser) lower(w *linear.Work, f formula, base []*linear.Conj, names []string) []*linear.Conj {
	if len(base) == 0 {
		return nil
	}
	switch f.op {
	case "true":
		return base
	case "false":
		return nil
	case "and":
		for _, g := range f.args {
			base = p.lower(w, g, base, names)
		}
		return base
	case "or":
		var out []*linear.Conj
		for _, g := range f.args {
			fresh := make([]*linear.Conj, len(base)) // lower may add to its base in place
			for i, b := range base {
				fresh[i] = b.Clone()
			}
			for _, c := range p.lower(w, g, fresh, names) {
				out = linear.AddMember(out, c)
			}
		}
		return out
	case "not":
		var inner []*linear.Conj
		for _, c := range p.lower(w, f.args[0], []*linear.Conj{{N: len(names)}}, names) {
			inner = append(inner, w.Closed(c)...)
		}
		return w.Subtract(base, inner)
	case "exists":
		all := slices.Clone(names)
		shadowed := map[string]string{}
		for i, v := range f.vars {
			if at := slices.Index(all, v); at >= 0 { // an inner name hides an outer one
				shadowed[v] = all[at]
				all[at] = "\x00" + strconv.Itoa(at)
			}
			if slices.Contains(f.vars[:i], v) {
				p.failAt(f.at, "%q is quantified twice", v)
			}
			all = append(all, v)
		}
		drop := make([]bool, len(all))
		for i := len(names); i < len(all); i++ {
			drop[i] = true
		}
		// The base is carried through the projection: what it knows keeps the elimination exact and small.
		var wide []*linear.Conj
		by := make([]linear.Row, len(names))
		for i := range by {
			by[i] = make(linear.Row, i+2)
			by[i][i+1] = 1
		}
		for _, c := range base {
			wide = append(wide, c.Substitute(len(all), by))
		}
		var out []*linear.Conj
		for _, c := range p.lower(w, f.args[0], wide, all) {
			q, _ := c.Quantify(drop)
			out = append(out, w.OpenUnlessSingle(q)...)
		}
		return out
	}
	column := columns(names)
	var out []*linear.Conj
	for _, b := range base {
		for _, cs := range f.cmp {
			c := b
			if len(base) > 1 || len(f.cmp) > 1 {
				c = b.Clone()
			}
			for _, k := range cs {
				r := affineRow(c, k.Affine, columnOf(column))
				if k.Equality {
					c.AddEQ(r)
				} else {
					c.AddGE(r)
				}
			}
			if len(f.cmp) == 1 || c.Simplify() {
				out = append(out, c)
			}
		}
	}
	return out
}

// inScope fails where f uses a name that is not among names: also where the value of the name does not matter, as in 0*k,
// or the formula is decided before it is met.
func (p *parser) inScope(f formula, names []string) {
	for _, t := range f.toks {
		if t.kind == tokName && !reserved[t.text] && !slices.Contains(names, t.text) {
			p.failAt(t.at, "unknown name %q: it is neither a parameter in the leading brackets nor in the tuple nor under exists", t.text)
		}
	}
	if len(f.vars) > 0 {
		names = slices.Concat(names, f.vars)
	}
	for _, g := range f.args {
		p.inScope(g, names)
	}
}
