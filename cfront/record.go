package cfront

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/cfront/cpp"
	"gpuperf/kernel/expr"
)

// record reads struct, class, union and enum from the word on, and returns the type.
func (p *parser) record() *ctype {
	word := p.next().Text
	if word == "enum" {
		return p.enumeration()
	}
	s := &specifiers{}
	p.attributes(s)
	if p.lang.plusPlus && p.qualifiers() > 0 { // class space::Name
		return p.typeHere()
	}
	name := ""
	if p.tok().Kind == cpp.Name {
		name = p.next().Text
	}
	if p.is("<") { // an instance of a class template, or a specialization
		if c, ok := p.scope.find(name).(*class); ok {
			return p.classInstance(c, p.here())
		}
		p.fail(p.here(), "%s is no template", name)
	}
	p.attributes(s)
	var known *ctype
	if name != "" {
		known, _ = p.scope.find("struct " + name).(*ctype)
	}
	final := p.accept("final")
	if !p.is("{") && !(p.lang.plusPlus && p.is(":")) {
		if known != nil {
			return known
		}
		if built := p.lang.types[name]; built != nil { // struct float2, as headers of the toolkit name it
			return built
		}
		return p.enter(name, newRecord(word+" "+name, word == "union"))
	}
	if built := p.lang.types[name]; built != nil && !final { // the program brings a type of its own in place of the built-in one
		for !p.is("{") {
			p.next()
		}
		p.pass()
		return built
	}
	t := newRecord(strings.TrimSpace(word+" "+name), word == "union")
	if known != nil && known.form == recordForm && len(known.record.fields) == 0 {
		t = known
	}
	t.record.packed, t.record.aligned = s.packed, s.align
	p.enter(name, t)
	p.bases(t)
	p.members(t)
	return t
}

// enter gives a record its name.
func (p *lookup) enter(name string, t *ctype) *ctype {
	if name != "" {
		p.scope.set("struct "+name, t)
		if p.lang.plusPlus {
			p.scope.set(name, t)
		}
	}
	return t
}

// members reads the members of a record.
func (p *parser) members(t *ctype) {
	defer p.nest()()
	open := p.here()
	p.expect("{")
	if outer := p.scope; p.lang.plusPlus { // in C, the names that it declares are those of the scope around it
		p.scope = t.record.scope
		defer func() { p.scope = outer }()
	}
	for !p.accept("}") {
		if p.tok().Kind == cpp.End {
			p.fail(open, "the brace is not closed")
		}
		if p.peek(1).Is(":") && (p.is("public") || p.is("private") || p.is("protected")) {
			p.next()
			p.next()
			continue
		}
		start := p.i
		err := p.attempt(func() { p.readMember(t) })
		if err != nil && !p.lang.plusPlus {
			panic(fault{err: err})
		}
		if err != nil {
			end := p.declarationEnd(start)
			if name, operator := p.functionName(start, end); name == 0 && !operator && !p.noData(start, end) && t.record.why == "" {
				t.record.why = "a member is not read"
			}
			p.i = max(end, start+1)
		}
	}
	t.record.known = true
}

// noData reports whether a member between two tokens is none that a record holds: a name for a type, or one of all records.
func (p *cursor) noData(start, end int) bool {
	return oneOf(p.tokens[start], "using", "typedef", "friend", "template") || slices.ContainsFunc(p.tokens[start:min(start+3, end)], func(t cpp.Token) bool { return t.Is("static") })
}

func (p *parser) readMember(t *ctype) {
	switch {
	case p.accept(";"):
		return
	case assertions[p.tok().Text]:
		p.i = p.declarationEnd(p.i)
		return
	case p.lang.plusPlus && p.is("template"):
		p.template()
		return
	case p.lang.plusPlus && p.is("using"):
		p.using()
		return
	case p.lang.plusPlus && p.method(t):
		return
	}
	s := p.specifiers()
	r := t.record
	if p.is(";") && s.t.form == recordForm && !strings.Contains(s.t.name, " ") && s.t.record.of == nil {
		r.fields = append(r.fields, field{"", s.t})
	}
	for !p.accept(";") {
		d := p.declarator(s.t)
		switch {
		case d.name == "" && !p.is(":"):
			p.unexpected("the name of a member")
		case s.typedef:
			p.scope.set(d.name, d.t)
		case d.function != nil:
			p.fail(p.here(), "functions of records are not read")
		case p.lang.plusPlus && (s.static || s.fixed):
			p.variable(s, d, true)
			p.accept(",")
			continue
		case d.name != "":
			if p.is(":") {
				d.t = ofBits(d.t)
			}
			f := field{d.name, d.t}
			r.fields = append(r.fields, f)
			if p.lang.plusPlus {
				p.scope.set(d.name, &member{f})
			}
		}
		if p.accept(":") {
			p.constant("the number of bits of a member")
			r.packed, r.why = true, "it has members of some bits"
		}
		p.initialMember(r, d)
		p.accept(",")
	}
}

// ofBits is the type that stands for some bits of an integer: one that is narrower than an int, to which it is promoted, and whose values nothing follows.
func ofBits(t *ctype) *ctype {
	if t.form != numberForm || t.dtype == expr.Bool {
		return t
	}
	if t.dtype.IsSigned() {
		return number(expr.Int16)
	}
	return number(expr.Uint16)
}

// initialMember notes the value that a member has from the beginning.
func (p *parser) initialMember(r *record, d declarator) {
	if !p.is("=") && !p.is("{") {
		return
	}
	equals := p.accept("=")
	if r.initial == nil {
		r.initial = map[string]int{}
	}
	r.initial[d.name] = p.i
	switch {
	case p.is("{"):
		p.pass()
	case equals:
		p.assignment()
	}
}

// member is the meaning of the name of a member in functions of its record.
type member struct{ field }

// method reads a function of a record, and reports whether one stands here.
func (p *parser) method(t *ctype) bool {
	start := p.i
	end := p.declarationEnd(start)
	at, operator := p.functionName(start, end)
	if at == 0 {
		return false
	}
	destroys := slices.ContainsFunc(p.tokens[start:at], func(t cpp.Token) bool { return t.Is("~") })
	if destroys {
		p.i = end
		return true
	}
	is := func(word string) bool {
		return slices.ContainsFunc(p.tokens[start:at], func(t cpp.Token) bool { return t.Is(word) })
	}
	if is("virtual") {
		t.record.why = "it has virtual functions"
	}
	self, in := t, p.scope
	of := t // whose name is part of that of the function
	if is("friend") {
		self, of, in = nil, nil, p.scope.outer
	}
	before := p.scope
	if p.scope = in; is("static") {
		self = nil
	}
	defer func() { p.scope = before }()
	name := p.tokens[at].Text
	switch {
	case operator:
		p.operatorFunction(self, start, at, end)
	case name == bareName(t):
		p.constructor(t, start, at, end)
	default:
		s := p.specifiers()
		d := p.declarator(s.t)
		if d.function == nil {
			p.fail(d.at, "%s is no function", d.name)
		}
		c := p.declare(s, d, start)
		if self == nil && of != nil {
			c.name = fullName(of) + "::" + c.name
		}
		p.declareMember(c, self, end)
	}
	p.i = end
	return true
}

// bareName is the name of a record without that word and the arguments of a template.
func bareName(t *ctype) string {
	name := t.name
	if i := strings.LastIndexByte(name, ' '); i >= 0 && !strings.Contains(name, "<") {
		name = name[i+1:]
	}
	name, _, _ = strings.Cut(name, "<")
	return name
}

// fullName is the name of a record with the arguments of a template.
func fullName(t *ctype) string {
	if _, name, cut := strings.Cut(t.name, " "); cut && t.record.of == nil {
		return name
	}
	return t.name
}

// declareMember completes a function of a record after its parameters.
func (p *parser) declareMember(c *callable, self *ctype, end int) {
	c.self, c.scope = self, p.scope
	if c.name = strings.TrimPrefix(c.name, " "); self != nil && !strings.Contains(c.name, "::") {
		c.name = fullName(self) + "::" + c.name
	}
	p.bodyOf(c, end)
}

// bodyOf notes where the body of a function begins, after its parameters.
func (p *parser) bodyOf(c *callable, end int) {
	p.trailing(c)
	if p.is(":") {
		c.inits = p.i
		for p.i < end && !p.is("{") {
			if p.is("(") {
				p.pass()
				continue
			}
			if p.next().Kind == cpp.Name && p.is("{") {
				p.pass()
			}
		}
	}
	if p.is("{") {
		c.body = p.i
	}
}

// constructorName is the name that the constructors of a record have in its scope.
const constructorName = "constructor "

// constructor reads a constructor of a record, whose name stands at a token.
func (p *parser) constructor(t *ctype, start, at, end int) {
	name := p.tokens[at]
	p.i = at + 1
	params := p.signature().params
	if p.is("=") { // by default, or none
		return
	}
	o := p.overloaded(constructorName)
	c := &callable{name: fullName(t) + "::" + name.Text, at: Pos(name.At), params: params, result: voidType, start: start, device: true, makes: true}
	if len(o.list) > 0 {
		c.name += "(" + types(params) + ")"
	}
	o.list = append(o.list, c)
	p.declareMember(c, t, end)
}

// operatorFunction reads a function that is an operator, of a record or with operands that are records; others are left out, as vectors have their operators
// anyhow.
func (p *parser) operatorFunction(self *ctype, start, at, end int) {
	if self != nil && p.conversion(self, start, at, end) {
		return
	}
	p.i = start
	s := p.specifiers()
	t := p.pointers(s.t)
	if p.i != at {
		p.fail(p.here(), "this operator is not read")
	}
	name := p.operatorName()
	params := p.signature().params
	records := self != nil && self.form == recordForm
	for _, x := range params {
		records = records || x.t.form == recordForm
	}
	if !records {
		return
	}
	d := declarator{name: name, at: Pos(p.tokens[at].At), t: t, function: &signature{params}}
	p.declareMember(p.declare(s, d, start), self, end)
}

// conversionName is the name that the functions which convert a record have in its scope.
const conversionName = "conversion "

// conversion reads a function that converts a record, where the operator at a token is one.
func (p *parser) conversion(self *ctype, start, at, end int) bool {
	after := p.tokens[at+1]
	if after.Kind != cpp.Name || after.Is("new") || after.Is("delete") {
		return false
	}
	p.i = at + 1
	t := p.pointers(p.specifiers().t)
	p.signature()
	o := p.overloaded(conversionName)
	c := &callable{name: "operator " + t.String(), at: Pos(after.At), result: t, start: start, device: true}
	o.list = append(o.list, c)
	p.declareMember(c, self, end)
	return true
}

func isRecord(x any) bool {
	t, ok := x.(*ctype)
	return ok && t.form == recordForm && t.record.scope != nil
}

// outside reads a function of a record whose body stands outside of it, with the name of the record before its own, which stands at a token.
func (p *parser) outside(at, end int) {
	if t, ok := p.scope.find(p.tokens[at-2].Text).(*ctype); ok && isRecord(t) {
		p.bodyOutside(t, t.record.scope, at, end)
	}
}

// outsideMember is a function of a class template whose body stands outside of it, with the parameters that it names there.
type outsideMember struct {
	params  []templateParam
	at, end int
}

// outsideTemplate notes a function of a class template, whose name stands at a token: each instance gets the body.
func (p *parser) outsideTemplate(params []templateParam, at, end int) {
	i := at - 2
	for angle := 0; i > 0 && (angle > 0 || p.tokens[i].Is(">") || p.tokens[i].Is(">>")); i-- { // the arguments of the class
		angle += map[string]int{">": 1, ">>": 2, "<": -1}[p.tokens[i].Text]
	}
	c, ok := p.scope.find(p.tokens[i].Text).(*class)
	if !ok {
		return
	}
	m := outsideMember{params, at, end}
	c.members = append(c.members, m)
	for _, t := range c.instances {
		p.outsideMember(t, m)
	}
}

// outsideMember gives an instance of a class template the body of one of its functions.
func (p *parser) outsideMember(t *ctype, m outsideMember) {
	if !isRecord(t) || len(m.params) > len(t.record.args) {
		return
	}
	s := &scope{outer: t.record.scope}
	for i, x := range m.params {
		s.set(x.name, t.record.args[i].meaning())
	}
	_ = p.attempt(func() { // what is not read has no body
		p.at(m.at, s, func() { p.bodyOutside(t, s, m.at, m.end) })
	})
}

// bodyOutside reads a function of a record from its name on, where names mean what they do in a scope.
func (p *parser) bodyOutside(t *ctype, in *scope, at, end int) {
	name, key := p.tokens[at].Text, p.tokens[at].Text
	p.i = at
	if p.is("operator") {
		name = p.operatorName()
		key = name
	} else {
		p.next()
	}
	if name == bareName(t) {
		key = constructorName
	}
	outer := p.scope
	p.scope = in
	defer func() { p.scope = outer }()
	params := p.signature().params
	o, _ := t.record.scope.names[key].(*overloads)
	if o == nil {
		return
	}
	for _, c := range o.list {
		if c.body == 0 && sameParams(c.params, params) {
			c.params = params
			p.declareMember(c, c.self, end)
			return
		}
	}
}

// called is the operator of a call whose brackets begin a text, with the number of its arguments behind it.
func called(tokens []cpp.Token) string {
	depth, n := 0, 0
	for i, t := range tokens {
		switch {
		case oneOf(t, "(", "[", "{"):
			depth++
		case oneOf(t, ")", "]", "}"):
			depth--
		}
		if depth == 0 {
			if i > 1 {
				n++
			}
			break
		}
		if depth == 1 && t.Is(",") {
			n++
		}
	}
	return fmt.Sprint(callOperator, n)
}

const callOperator = "operator()"

// has reports whether a record has a member: a name, or the operator of a call with so many arguments.
func (r *record) has(member string) bool {
	n, call := strings.CutPrefix(member, callOperator)
	if !call {
		return r.scope.names[member] != nil
	}
	o, _ := r.scope.names[callOperator].(*overloads)
	return o != nil && slices.ContainsFunc(o.list, func(c *callable) bool { return fmt.Sprint(len(c.params)) == n })
}
