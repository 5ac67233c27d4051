package polycount

import (
	"math"
	"slices"
	"strconv"

	"gpuperf/internal/lex"
	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// ParseAffine reads isl's notation, as in "16*i + floor((n+1)/2) - (j mod 4)". Errors are *source.Error.
func ParseAffine(text string) (a Affine, err error) {
	defer arith.Rescue(&err)
	p := newParser(text)
	at := p.Tok().At
	e := p.expr()
	if p.Tok().Kind != lex.End {
		p.fail("unexpected %q after the expression", p.Tok().Text)
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
			return choice{nil, b.a.Scale(a.a.c), b.den}.quotient(a.den)
		case b.a.IsConstant():
			return choice{nil, a.a.Scale(b.a.c), a.den}.quotient(b.den)
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
			v = p.extreme(v, p.expr(), t.Text == "max")
		}
		p.expect(")")
		return v
	case t.Kind == lex.Name && !reserved[t.Text]:
		p.I++
		return single(Name(t.Text))
	}
	p.fail("expected an expression, found %q", t.Text)
	return nil
}

// isLeast reports that −2⁶³ comes next, whose digits alone do not fit into 64 bits.
func (p *parser) isLeast() bool {
	return p.Is("-") && p.Peek(1).Kind == lex.Number && p.Peek(1).Text == "9223372036854775808"
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
	toks []lex.Token // what a chain of comparisons, or a definition, was read from: the names in it must be known
}

func (p *parser) formula() formula {
	p.enter()
	defer p.leave()
	f := p.conjunct()
	for p.Is("or") {
		p.I++
		f = formula{op: "or", args: []formula{f, p.conjunct()}}
	}
	if p.Accept("implies") {
		f = formula{op: "or", args: []formula{{op: "not", args: []formula{f}}, p.formula()}}
	}
	return f
}

func (p *parser) conjunct() formula {
	f := formula{op: "and", args: []formula{p.atom()}}
	for p.Accept("and") {
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
	case p.Accept("not"):
		return formula{op: "not", args: []formula{p.atom()}}
	case p.Accept("true"):
		return formula{op: "true"}
	case p.Accept("false"):
		return formula{op: "false"}
	case p.Accept("exists"):
		paren := p.Accept("(")
		f := formula{op: "exists", at: p.Tok().At}
		var defs []formula
		for {
			name := p.name()
			f.vars = append(f.vars, name)
			if p.Accept("=") {
				at, from := p.Tok().At, p.I
				def := p.compare("=", single(Name(name)), p.expr(), at)
				def.toks = p.Tokens[from:p.I]
				defs = append(defs, def)
			}
			if !p.Accept(",") {
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
	case p.Is("("):
		// A parenthesis opens a formula or an expression: what closes it tells.
		mark := p.I
		if f, ok := p.tryFormula(); ok {
			return f
		}
		p.I = mark
	}
	return p.comparison()
}

// tryFormula reads "( formula )" unless the parenthesis belongs to an expression.
func (p *parser) tryFormula() (f formula, ok bool) {
	if p.cases[p.I] {
		return f, false
	}
	end, closed := p.match[p.I]
	if !closed {
		end = len(p.Tokens) - 1
	}
	for i := p.I; i <= end; i++ {
		t := p.Tokens[i]
		if p.cases[i] { // (c ? a : b) compares inside an expression
			if i, closed = p.match[i]; !closed {
				return f, false
			}
			continue
		}
		if comparisons[t.Text] || t.Kind == lex.Name && (t.Text == "exists" || t.Text == "true" || t.Text == "false") {
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
	from := p.I
	left := p.exprList()
	if !comparisons[p.Tok().Text] || p.Tok().Kind != lex.Symbol {
		p.fail("expected a comparison, found %q", p.Tok().Text)
	}
	f := formula{op: "and"}
	for comparisons[p.Tok().Text] && p.Tok().Kind == lex.Symbol {
		op := p.take()
		right := p.exprList()
		if order, ok := lexicographic[op.Text]; ok {
			if len(left) != len(right) {
				p.failAt(op.At, "%q compares tuples of one length, here of %d and %d", op.Text, len(left), len(right))
			}
			if order.flip {
				f.args = append(f.args, p.before(right, left, order.last, op.At))
			} else {
				f.args = append(f.args, p.before(left, right, order.last, op.At))
			}
			left = right
			continue
		}
		for _, a := range left {
			for _, b := range right {
				f.args = append(f.args, p.compare(op.Text, a, b, op.At))
			}
		}
		left = right
	}
	if len(f.args) == 1 {
		f = f.args[0]
	}
	f.toks = p.Tokens[from:p.I]
	return f
}

// exprList is "e, e, …", or "[e, e, …]" as one side of a lexicographic comparison.
func (p *parser) exprList() [][]choice {
	if p.Is("[") {
		end, closed := p.match[p.I]
		after := closed && lexicographic[p.Tokens[end+1].Text].last != ""
		before := p.I > 0 && lexicographic[p.Tokens[p.I-1].Text].last != ""
		if closed && (after || before) {
			p.I++
			out := [][]choice{p.expr()}
			for p.Accept(",") {
				out = append(out, p.expr())
			}
			p.expect("]")
			return out
		}
	}
	out := [][]choice{p.expr()}
	for p.Accept(",") {
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
		if t.Kind == lex.Name && !reserved[t.Text] && !slices.Contains(names, t.Text) {
			p.failAt(t.At, "unknown name %q: it is neither a parameter in the leading brackets nor in the tuple nor under exists", t.Text)
		}
	}
	if len(f.vars) > 0 {
		names = slices.Concat(names, f.vars)
	}
	for _, g := range f.args {
		p.inScope(g, names)
	}
}
