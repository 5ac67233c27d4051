package polycount

import (
	"fmt"
	"slices"

	"gpuperf/internal/lex"
	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/linear"
)

// ParseSet reads a set in isl's notation, as in
//
//	[n] -> { [i,j] : 0 <= i < n and (i + j) mod 2 = 0; [i,j] : exists (k : i = 3k and j = 0) }
//
// A quotient e/d by a constant is a rational number, unless a floor rounds it, and a < b is a + 1 <= b, also between
// rational numbers: i < n/16 is 16i <= n − 16, so that i stays below ⌊n/16⌋, whereas 16i < n lets it reach one more
// where 16 does not divide n. So isl counts it (Loopy's statistics for a domain with i < n/16 have ⌊n/16⌋); the two
// agree where the quotient is an integer.
//
// Errors are *source.Error with the column.
func ParseSet(text string) (s *Set, err error) {
	defer throw.Catch(&err)
	return newParser(text).set(), nil
}

func (p *parser) set() *Set {
	r := p.relation()
	if r.isMap {
		p.failAt(r.arrow, "a set is needed here, this is a map")
	}
	return r.set()
}

// ParseDomain reads a set whose text declares only its dimensions: names that neither the tuple nor exists declares are
// parameters, in the order of first use and before those in leading brackets. The braces may be left out, as in
// "[i, j]: 0 <= i, j < n".
func ParseDomain(text string) (*Set, error) { return parseUndeclared(text, "{") }

// ParseConditions reads conditions on parameters, as in "n >= 1 and n mod 16 = 0": a set without dimensions. As for
// ParseDomain, the parameters need not be declared; the braces and the colon may be left out.
func ParseConditions(text string) (*Set, error) { return parseUndeclared(text, "{", ":") }

// parseUndeclared is ParseSet for a text with undeclared parameters; opening precedes a text without braces.
func parseUndeclared(text string, opening ...string) (s *Set, err error) {
	defer throw.Catch(&err)
	p := newParser(text)
	if !slices.ContainsFunc(p.Tokens, func(t lex.Token) bool { return t.Text == "{" }) {
		toks := lists.Map(opening, func(o string) lex.Token { return lex.Token{Kind: lex.Symbol, Text: o} })
		end := len(p.Tokens) - 1
		p.Tokens = slices.Concat(toks, p.Tokens[:end], []lex.Token{{Kind: lex.Symbol, Text: "}", At: len(text)}}, p.Tokens[end:])
		p.matchBrackets()
	}
	p.free = p.undeclared()
	return p.set(), nil
}

// undeclared lists the names of a set that are declared neither in leading brackets nor in the tuple nor after exists, in
// the order of first use.
func (p *parser) undeclared() []string {
	var declared, used []string
	inBrackets, condition := false, false
	for i := 0; i < len(p.Tokens); i++ {
		switch t := p.Tokens[i]; {
		case t.Text == "[" || t.Text == "]":
			inBrackets = t.Text == "["
		case t.Text == ":" || t.Text == ";":
			condition = t.Text == ":"
		case t.Kind != lex.Name:
		case t.Text == "exists":
			for i++; i < len(p.Tokens) && p.Tokens[i].Text != ":"; i++ {
				if p.Tokens[i].Kind == lex.Name {
					declared = append(declared, p.Tokens[i].Text)
				}
			}
		case reserved[t.Text]:
		case condition && !slices.Contains(used, t.Text):
			used = append(used, t.Text)
		case !condition && inBrackets:
			declared = append(declared, t.Text)
		}
	}
	return slices.DeleteFunc(used, func(name string) bool { return slices.Contains(declared, name) })
}

// ParseMap reads a map in isl's notation, as in "[n] -> { [i,j] -> [2i + j] : 0 <= i,j < n }".
func ParseMap(text string) (m *Map, err error) {
	defer throw.Catch(&err)
	p := newParser(text)
	r := p.relation()
	if !r.isMap {
		p.failAt(0, "a map is needed here, this is a set")
	}
	return r.relationMap(), nil
}

type relation struct {
	params, in, out   []string
	inTuple, outTuple string
	isMap, nothing    bool
	arrow             int
	cs                []*linear.Conj
}

// entry of a tuple: a new name, an expression over earlier ones, or both.
type entry struct {
	name string
	e    []choice // nil: no expression
	at   int
	toks []lex.Token
}

func (r *relation) set() *Set {
	return (&Set{params: r.params, dims: r.out, tuple: r.outTuple}).quantified(linear.AnyWork(), r.cs)
}

func (r *relation) relationMap() *Map {
	graph := &Set{params: r.params, dims: slices.Concat(r.in, r.out), tuple: r.outTuple}
	return &Map{in: r.in, out: r.out, inTuple: r.inTuple, set: graph.quantified(linear.AnyWork(), r.cs)}
}

// relation reads a set or map of which all disjuncts have the same tuples.
func (p *parser) relation() *relation {
	_, rs := p.braces(func(old, r *relation, at int) bool {
		if r.outTuple != old.outTuple || r.inTuple != old.inTuple {
			p.failAt(at, "disjuncts of different tuple names: %q and %q", old.outTuple, r.outTuple)
		}
		if len(r.out) != len(old.out) || len(r.in) != len(old.in) {
			p.failAt(at, "disjuncts of different dimension")
		}
		return true
	})
	return rs[0]
}

// relations reads a union, its parts by their tuples.
func (p *parser) relations() (params []string, rs []*relation) {
	params, rs = p.braces(func(old, r *relation, at int) bool {
		return r.outTuple == old.outTuple && r.inTuple == old.inTuple && len(r.out) == len(old.out) && len(r.in) == len(old.in)
	})
	if len(rs) == 1 && rs[0].nothing {
		return params, nil
	}
	return params, rs
}

// braces reads parameters and disjuncts; joins says which belong to one relation.
func (p *parser) braces(joins func(old, r *relation, at int) bool) (params []string, rs []*relation) {
	head := &relation{}
	if p.Is("[") {
		p.params(head)
	}
	head.params = append(p.free, head.params...)
	p.expect("{")
	w := linear.AnyWork()
next:
	for !p.Is("}") {
		at := p.Tok().At
		r := &relation{params: head.params}
		p.disjunct(w, r)
		if len(rs) > 0 && r.isMap != rs[0].isMap {
			p.failAt(at, "sets and maps are mixed")
		}
		for i, old := range rs {
			if joins(old, r, at) {
				for _, c := range r.cs {
					rs[i].cs = linear.AddMember(rs[i].cs, c)
				}
				if !p.Accept(";") {
					break next
				}
				continue next
			}
		}
		rs = append(rs, r)
		if !p.Accept(";") {
			break
		}
	}
	p.expect("}")
	if p.Tok().Kind != lex.End {
		p.fail("unexpected %q after the closing brace", p.Tok().Text)
	}
	if len(rs) == 0 { // { }: nothing, of no dimension
		head.nothing = true
		rs = append(rs, head)
	}
	return head.params, rs
}

func (p *parser) params(r *relation) {
	p.expect("[")
	for !p.Is("]") {
		p.room(len(r.params) - len(p.free))
		at := p.Tok().At
		n := p.name()
		if slices.Contains(r.params, n) {
			p.failAt(at, "parameter %q stands twice", n)
		}
		r.params = append(r.params, n)
		if !p.Accept(",") {
			break
		}
	}
	p.expect("]")
	p.expect("->")
}

func (p *parser) disjunct(w *linear.Work, r *relation) {
	var tuples [][]entry
	var names []string
	if !p.Is(":") {
		name, t := p.tuple()
		tuples, names = append(tuples, t), append(names, name)
		if p.Is("->") {
			r.isMap, r.arrow = true, p.take().At
			name, t := p.tuple()
			tuples, names = append(tuples, t), append(names, name)
		}
	} else {
		tuples, names = [][]entry{nil}, []string{""}
	}
	r.outTuple = names[len(names)-1]
	if r.isMap {
		r.inTuple = names[0]
	}
	// Local names of this disjunct, by position; entries that are expressions constrain their position.
	local := slices.Clone(r.params)
	var dims [][]string
	var given []formula
	for k, t := range tuples {
		var ds []string
		for i, e := range t {
			name := e.name
			if name == "" || slices.Contains(local, name) {
				if name != "" {
					e.e = single(Name(name))
				}
				name = fmt.Sprintf("%s%d", [...]string{"i", "o"}[k], i)
				for slices.Contains(local, name) || mentions(tuples, name) {
					name += "_"
				}
			}
			local = append(local, name)
			ds = append(ds, name)
			if e.e != nil {
				is := p.compare("=", single(Name(name)), e.e, e.at)
				is.toks = e.toks
				given = append(given, is)
			}
		}
		dims = append(dims, ds)
	}
	f := formula{op: "and", args: given}
	if p.Accept(":") && !p.Is("}") && !p.Is(";") {
		f.args = append(f.args, p.formula())
	}
	r.out = dims[len(dims)-1]
	if r.isMap {
		r.in = dims[0]
	}
	p.inScope(f, local)
	for _, c := range p.lower(w, f, []*linear.Conj{{N: len(local)}}, local) {
		if c.Simplify() {
			r.cs = linear.AddMember(r.cs, c)
		}
	}
}

func mentions(tuples [][]entry, name string) bool {
	for _, t := range tuples {
		for _, e := range t {
			if e.name == name {
				return true
			}
		}
	}
	return false
}

func (p *parser) tuple() (name string, entries []entry) {
	if p.Tok().Kind == lex.Name {
		name = p.name()
	}
	p.expect("[")
	for !p.Is("]") {
		if p.Is("[") && p.isTuple(p.I) || p.Tok().Kind == lex.Name && !reserved[p.Tok().Text] && p.Peek(1).Text == "[" {
			p.fail("nested tuples are not known here: write them flat, [i, j] for [[i] -> [j]], which has the same points")
		}
		p.room(len(entries))
		e, from := entry{at: p.Tok().At}, p.I
		t, after := p.Tok(), p.Peek(1).Text
		switch {
		case t.Kind == lex.Name && !reserved[t.Text] && (after == "," || after == "]"):
			e.name = p.name()
		case t.Kind == lex.Name && !reserved[t.Text] && after == "=":
			e.name = p.name()
			p.expect("=")
			e.e = p.expr()
		default:
			e.e = p.expr()
		}
		e.toks = p.Tokens[from:p.I]
		entries = append(entries, e)
		if !p.Accept(",") {
			break
		}
	}
	p.expect("]")
	return name, entries
}
