package polycount

import (
	"fmt"
	"slices"
)

// ParseSet reads a set in isl's notation, as in
//
//	[n] -> { [i,j] : 0 <= i < n and (i + j) mod 2 = 0; [i,j] : exists (k : i = 3k and j = 0) }
//
// Errors are *source.Error with the column.
func ParseSet(text string) (s *Set, err error) {
	defer Rescue(&err)
	p := newParser(text)
	r := p.relation()
	if r.isMap {
		p.failAt(r.arrow, "a set is needed here, this is a map")
	}
	return &Set{params: r.params, dims: r.out, tuple: r.outTuple, cs: r.cs}, nil
}

// ParseMap reads a map in isl's notation, as in "[n] -> { [i,j] -> [2i + j] : 0 <= i,j < n }".
func ParseMap(text string) (m *Map, err error) {
	defer Rescue(&err)
	p := newParser(text)
	r := p.relation()
	if !r.isMap {
		p.failAt(0, "a map is needed here, this is a set")
	}
	return &Map{in: r.in, out: r.out, inTuple: r.inTuple, set: &Set{params: r.params, dims: slices.Concat(r.in, r.out), tuple: r.outTuple, cs: r.cs}}, nil
}

type relation struct {
	params, in, out   []string
	inTuple, outTuple string
	isMap             bool
	arrow             int
	cs                []*conj
}

// entry of a tuple: a new name, an expression over earlier ones, or both.
type entry struct {
	name string
	e    []choice // nil: no expression
	at   int
}

func (p *parser) relation() *relation {
	r := &relation{}
	if p.is("[") {
		p.params(r)
	}
	p.expect("{")
	w := anyWork()
	for first := true; ; {
		if p.is("}") && first { // { }: nothing, of no dimension
			break
		}
		p.disjunct(w, r, first)
		first = false
		if !p.accept(";") {
			break
		}
		if p.is("}") {
			break
		}
	}
	p.expect("}")
	if p.peek().kind != tokEOF {
		p.fail("unexpected %q after the closing brace", p.peek().text)
	}
	return r
}

func (p *parser) params(r *relation) {
	p.expect("[")
	for !p.is("]") {
		at := p.peek().at
		n := p.name()
		if slices.Contains(r.params, n) {
			p.failAt(at, "parameter %q stands twice", n)
		}
		r.params = append(r.params, n)
		if !p.accept(",") {
			break
		}
	}
	p.expect("]")
	p.expect("->")
}

func (p *parser) disjunct(w *work, r *relation, first bool) {
	start := p.peek().at
	var tuples [][]entry
	var names []string
	if !p.is(":") {
		name, t := p.tuple()
		tuples, names = append(tuples, t), append(names, name)
		if p.is("->") {
			at := p.take().at
			if first {
				r.isMap, r.arrow = true, at
			}
			name, t := p.tuple()
			tuples, names = append(tuples, t), append(names, name)
		}
	} else {
		tuples, names = [][]entry{nil}, []string{""}
	}
	if first && r.isMap {
		r.inTuple, r.outTuple = names[0], names[1]
	} else if first {
		r.outTuple = names[0]
	}
	if r.isMap != (len(tuples) == 2) {
		p.failAt(start, "sets and maps are mixed")
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
				given = append(given, p.compare("=", single(Name(name)), e.e, e.at))
			}
		}
		dims = append(dims, ds)
	}
	f := formula{op: "and", args: given}
	if p.accept(":") && !p.is("}") && !p.is(";") {
		f.args = append(f.args, p.formula())
	}
	if first {
		r.out = dims[len(dims)-1]
		if r.isMap {
			r.in = dims[0]
		}
	} else {
		if names[len(names)-1] != r.outTuple || r.isMap && names[0] != r.inTuple {
			p.failAt(start, "disjuncts of different tuple names: %q and %q", r.outTuple, names[len(names)-1])
		}
		if len(dims[len(dims)-1]) != len(r.out) || r.isMap && len(dims[0]) != len(r.in) {
			p.failAt(start, "disjuncts of different dimension")
		}
	}
	for _, c := range p.lower(w, f, []*conj{{n: len(local)}}, local) {
		if c.simplify() {
			r.cs = addMember(r.cs, c)
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
	if p.peek().kind == tokName {
		name = p.name()
	}
	p.expect("[")
	for !p.is("]") {
		e := entry{at: p.peek().at}
		t, after := p.peek(), p.peekAfter(1).text
		switch {
		case t.kind == tokName && !reserved[t.text] && (after == "," || after == "]"):
			e.name = p.name()
		case t.kind == tokName && !reserved[t.text] && after == "=":
			e.name = p.name()
			p.expect("=")
			e.e = p.expr()
		default:
			e.e = p.expr()
		}
		entries = append(entries, e)
		if !p.accept(",") {
			break
		}
	}
	p.expect("]")
	return name, entries
}
