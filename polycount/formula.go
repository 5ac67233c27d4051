package polycount

import (
	"maps"
	"slices"
	"strconv"

	"gpuperf/internal/lex"
	"gpuperf/internal/lists"
	"gpuperf/polycount/internal/linear"
)

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
			p.room(len(f.vars))
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
		// A parenthesis opens a formula or an expression: the token after the closing one decides.
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

// Comparisons lists the comparisons of the notation, sorted.
func Comparisons() []string { return slices.Sorted(maps.Keys(comparisons)) }

// comparison is a chain such as 0 <= i,j < n.
func (p *parser) comparison() formula {
	from := p.I
	left := p.exprList()
	if !comparisons[p.Tok().Text] || p.Tok().Kind != lex.Symbol {
		p.failHint("a condition compares, as in 0 <= i < 8", "expected a comparison, found %s", p.found())
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
	end, bracket := p.match[p.I]
	if bracket = bracket && p.Is("["); bracket {
		after := lexicographic[p.Tokens[end+1].Text].last != ""
		before := p.I > 0 && lexicographic[p.Tokens[p.I-1].Text].last != ""
		if bracket = after || before; bracket {
			p.I++
		}
	}
	out := [][]choice{p.expr()}
	for p.Accept(",") {
		out = append(out, p.expr())
	}
	if bracket {
		p.expect("]")
	}
	return out
}

// compare is x op y. What is at least a maximum, or at most a minimum, is so for each of its choices; elsewhere one case
// is distinguished for each.
func (p *parser) compare(op string, x, y []choice, at int) formula {
	if op == ">" || op == ">=" {
		return p.compare(map[string]string{">": "<", ">=": "<="}[op], y, x, at)
	}
	all := formula{op: "and"}
	for _, xs := range alternatives(x, op, greatest) {
		for _, ys := range alternatives(y, op, least) {
			f := formula{op: "cmp", at: at}
			for _, a := range xs {
				for _, b := range ys {
					when := slices.Concat(a.when, b.when)
					put := func(c Constraint) { f.cmp = append(f.cmp, append(slices.Clip(when), c)) }
					switch op {
					case "<":
						put(before(a, b))
					case "<=":
						put(atMost(a, b, 0))
					case "=":
						put(Constraint{atMost(b, a, 0).Affine, true}) // x − y, as EQ has it
					case "!=":
						put(atMost(a, b, 1))
						put(atMost(b, a, 1))
					}
				}
			}
			all.args = append(all.args, f)
		}
	}
	if len(all.args) == 1 {
		return all.args[0]
	}
	return all
}

// alternatives divides the choices of one side of a comparison into those of which each must hold.
func alternatives(x []choice, op string, kind extreme) [][]choice {
	if len(x) == 1 || x[0].extreme != kind || op != "<" && op != "<=" {
		return [][]choice{x}
	}
	var out [][]choice
	for _, c := range x {
		c.when = nil
		out = append(out, []choice{c})
	}
	return out
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
		inner := lists.Flat(p.lower(w, f.args[0], []*linear.Conj{{N: len(names)}}, names), w.Closed)
		return w.Subtract(base, inner)
	case "exists":
		return p.lowerExists(w, f, base, names)
	}
	return lowerComparison(f, base, names)
}

// lowerExists lowers a quantified formula. The base is carried through the projection: its constraints keep the elimination
// exact and small.
func (p *parser) lowerExists(w *linear.Work, f formula, base []*linear.Conj, names []string) (out []*linear.Conj) {
	all := slices.Clone(names)
	for i, v := range f.vars {
		if at := slices.Index(all, v); at >= 0 { // an inner name hides an outer one
			all[at] = "\x00" + strconv.Itoa(at)
		}
		if slices.Contains(f.vars[:i], v) {
			p.failAt(f.at, "%q is quantified twice", v)
		}
		all = append(all, v)
	}
	wide := lists.Map(base, func(c *linear.Conj) *linear.Conj { return c.Substitute(len(all), linear.IdentityRows(len(names))) })
	for _, c := range p.lower(w, f.args[0], wide, all) {
		q, _ := c.Quantify(c.After(len(names)))
		out = append(out, w.OpenUnlessSingle(q)...)
	}
	return out
}

// lowerComparison adds the alternatives of a comparison to each member of the base.
func lowerComparison(f formula, base []*linear.Conj, names []string) (out []*linear.Conj) {
	column := columns(names)
	for _, b := range base {
		for _, cs := range f.cmp {
			c := b
			if len(base) > 1 || len(f.cmp) > 1 {
				c = b.Clone()
			}
			for _, k := range cs {
				r := affineRow(c, k.Affine, column)
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

// lexicographic are the comparisons of tuples: how their last components compare, and whether the sides change places.
var lexicographic = map[string]struct {
	last string
	flip bool
}{
	"<<": {"<", false}, "<<=": {"<=", false}, ">>": {"<", true}, ">>=": {"<=", true},
}

// before is x ≺ y for tuples of one length: their first components that differ compare so; the last ones by last.
func (p *parser) before(x, y [][]choice, last string, at int) formula {
	out := formula{op: "or"}
	for k := range x {
		f := formula{op: "and"}
		for i := range k {
			f.args = append(f.args, p.compare("=", x[i], y[i], at))
		}
		op := "<"
		if k == len(x)-1 {
			op = last
		}
		f.args = append(f.args, p.compare(op, x[k], y[k], at))
		out.args = append(out.args, f)
	}
	return out
}

// isTuple reports that the bracket at a token holds a tuple, and not the floor of isl's [(e)/d].
func (p *parser) isTuple(at int) bool {
	end, closed := p.match[at]
	if !closed {
		return false
	}
	if p.Tokens[end+1].Text == "->" {
		return true
	}
	for i := at + 1; i < end; i++ {
		switch p.Tokens[i].Text {
		case ",", "->":
			return true
		case "(", "[":
			if p.Tokens[i].Text == "[" && p.isTuple(i) {
				return true
			}
			if inner, ok := p.match[i]; ok {
				i = inner
			}
		}
	}
	return false
}

// alternatives reads "c ? a : b", where b may be such a choice again.
func (p *parser) alternatives() []choice {
	p.enter()
	defer p.leave()
	at := p.Tok().At
	f := p.formula()
	p.expect("?")
	yes := p.branch()
	p.expect(":")
	no := p.branch()
	return append(p.under(f, true, yes, at), p.under(f, false, no, at)...)
}

// branch is one value of alternatives: an expression, or alternatives again, up to ":" or the closing parenthesis.
func (p *parser) branch() []choice {
	for i := p.I; i < len(p.Tokens); i++ {
		switch p.Tokens[i].Text {
		case "(", "[":
			if end, ok := p.match[i]; ok {
				i = end
			}
		case ":", ")", "]":
			return p.expr()
		case "?":
			return p.alternatives()
		}
	}
	return p.expr()
}

// under puts values under the condition that f is so, or is not.
func (p *parser) under(f formula, so bool, values []choice, at int) []choice {
	var out []choice
	for _, c := range p.disjuncts(f, so, at) {
		for _, v := range values {
			v.when, v.extreme = slices.Concat(v.when, c), 0
			out = append(out, v)
		}
	}
	if len(out) > 256 {
		p.failAt(at, "too many cases in the condition of ? :")
	}
	return out
}

// disjuncts is f, or its negation, as a union of conjunctions.
func (p *parser) disjuncts(f formula, so bool, at int) [][]Constraint {
	always := [][]Constraint{nil}
	switch f.op {
	case "true", "false":
		if (f.op == "true") == so {
			return always
		}
		return nil
	case "not":
		return p.disjuncts(f.args[0], !so, at)
	case "and", "or":
		if (f.op == "and") != so { // a union
			return lists.Flat(f.args, func(g formula) [][]Constraint { return p.disjuncts(g, so, at) })
		}
		out := always
		for _, g := range f.args {
			out = p.crossed(out, p.disjuncts(g, so, at), at)
		}
		return out
	case "cmp":
		if so {
			return f.cmp
		}
		out := always
		for _, conjunct := range f.cmp {
			var negation [][]Constraint
			for _, c := range conjunct {
				for _, n := range c.Negate() {
					negation = append(negation, []Constraint{n})
				}
			}
			out = p.crossed(out, negation, at)
		}
		return out
	}
	p.failAt(at, "exists has no place in the condition of ? :")
	return nil
}

// crossed are the conjunctions of one of a with one of b.
func (p *parser) crossed(a, b [][]Constraint, at int) [][]Constraint {
	if len(a)*len(b) > 256 {
		p.failAt(at, "too many cases in the condition of ? :")
	}
	var out [][]Constraint
	for _, x := range a {
		for _, y := range b {
			out = append(out, slices.Concat(x, y))
		}
	}
	return out
}
