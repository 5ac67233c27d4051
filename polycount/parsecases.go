package polycount

import "slices"

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
			v.when = slices.Concat(v.when, c)
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
			var out [][]Constraint
			for _, g := range f.args {
				out = append(out, p.disjuncts(g, so, at)...)
			}
			return out
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
