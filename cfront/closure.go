package cfront

import (
	"fmt"

	"gpuperf/cfront/cpp"
)

// A closure, [=](int i) { … }, is a record without members, whose operator () is a function of the block where it stands. The body names variables of the
// function around it; one that it holds a copy of is a variable of its own, to which the expression assigns the value where it stands.

// closureNamed reads a closure after the name of the variable that holds it. One without copies needs no variable.
func (p *parser) closureNamed(d declarator) []*Var {
	p.next()
	v := p.closure(d.at, d.name)
	p.scope.set(d.name, v.t.record.scope.names[callOperator])
	list, copies := v.e.(*List)
	if !copies {
		return nil
	}
	x := &Var{Name: d.name, Pos: d.at, Class: Local, Init: list}
	p.describe(x, v.t)
	return []*Var{x}
}

// closure reads a closure, whose value it is, for a name of its function.
func (p *parser) closure(at Pos, name string) value {
	inner := &scope{outer: p.scope}
	copies, all := p.captures(inner)
	if p.within != nil {
		name = p.within.name + "." + name
	}
	for i := 2; p.instanceNames[name]; i++ {
		name = fmt.Sprintf("%s.%d", name, i)
	}
	p.instanceNames[name] = true
	t := newRecord(name, false)
	t.record.known = true
	t.record.scope = &scope{outer: inner, class: true, self: t}
	o := &overloads{name: name, closure: t}
	t.record.scope.set(callOperator, o)
	p.attributesOfClosure()
	body := p.i
	if g := p.generic(name, inner); g != nil {
		o.templates = append(o.templates, g)
	} else {
		c := &callable{name: name, at: at, start: p.i, scope: inner, device: true, auto: true, result: otherType, plusPlus: true}
		if p.is("(") {
			c.params = p.signature().params
		}
		p.attributesOfClosure()
		p.trailing(c)
		if c.body = p.i; !p.is("{") {
			p.unexpected(`"{"`)
		}
		p.pass()
		o.list = append(o.list, c)
	}
	if all {
		copies = append(copies, p.capturedIn(body, p.i, inner)...)
	}
	var e Expr = &Make{t.typed(at), "", nil}
	if len(copies) > 0 {
		e = &List{t.typed(at), append(copies, e)}
	}
	return value{e, t}
}

// generic is the template of the functions of a closure with parameters of any type, each of which is a parameter of the template; nil for other closures.
func (p *parser) generic(name string, inner *scope) *template {
	g := &template{name: name, scope: inner, instances: map[string]*callable{}}
	if p.is("<") {
		g.params = p.templateParams()
	}
	start := p.i
	if !p.is("(") {
		return nil
	}
	p.pass()
	text := []cpp.Token{{Kind: cpp.Name, Text: "auto", At: p.tokens[start].At}, {Kind: cpp.Name, Text: name, At: p.tokens[start].At}}
	for i, t := range p.tokens[start:p.i] {
		if t.Is("auto") {
			t.Text = fmt.Sprint("auto ", len(g.params))
			g.params = append(g.params, templateParam{name: t.Text, isType: true, pack: p.tokens[start+i+1].Is("...")})
		}
		text = append(text, t)
	}
	if len(g.params) == 0 {
		p.i = start
		return nil
	}
	p.attributesOfClosure()
	rest := p.i
	for !p.is("{") && p.tok().Kind != cpp.End {
		p.next()
	}
	p.pass()
	g.start = len(p.tokens)
	p.tokens = append(append(append(p.tokens, text...), p.tokens[rest:p.i]...), cpp.Token{At: p.tokens[start].At})
	return g
}

// attributesOfClosure passes what may stand around the parameters of a closure.
func (p *cursor) attributesOfClosure() {
	for p.is("mutable") || p.is("noexcept") || p.is("constexpr") || p.is("__device__") || p.is("__host__") {
		p.next()
	}
}

// captures reads what a closure names of the function around it: the copies that it holds, with all that its body names where it says so.
func (p *parser) captures(inner *scope) (copies []Expr, all bool) {
	p.expect("[")
	for !p.accept("]") {
		t := p.next()
		switch {
		case t.Is("="):
			all = true
		case t.Is("&") && p.tok().Kind == cpp.Name:
			p.next()
		case t.Is("&"), t.Is("*"), t.Is("this"):
		case t.Kind == cpp.Name && p.accept("="):
			v := p.assignment()
			copies = append(copies, p.copied(inner, t.Text, value{v.e, v.t.pointed()}))
		case t.Kind == cpp.Name && !p.unchanging(t.Text):
			x, ok := p.scope.find(t.Text).(*variable)
			if !ok {
				p.fail(Pos(t.At), "%s is no variable", t.Text)
			}
			copies = append(copies, p.copied(inner, t.Text, p.valueOf(Pos(t.At), x)))
		}
		if !p.accept(",") && !p.is("]") {
			p.unexpected(`"," or "]"`)
		}
	}
	return copies, all
}

// capturedIn are copies of the variables of the function around a closure that its body names, which stands between two tokens.
func (p *parser) capturedIn(from, to int, inner *scope) (copies []Expr) {
	for i, t := range p.tokens[from:to] {
		if before := p.tokens[from+i-1]; t.Kind != cpp.Name || before.Is(".") || before.Is("->") || before.Is("::") || p.unchanging(t.Text) || inner.names[t.Text] != nil {
			continue
		}
		x, ok := p.scope.find(t.Text).(*variable)
		if !ok || x.v == nil || t.Text == "this" || x.v.Class != Local && x.v.Class != Param || x.v.Space == LocalSpace || x.value != nil || x.real != nil {
			continue
		}
		copies = append(copies, p.copied(inner, t.Text, p.valueOf(Pos(t.At), x)))
	}
	return copies
}

// copied is an assignment of a value to a new variable of a closure.
func (p *parser) copied(inner *scope, name string, of value) Expr {
	at := of.e.Place()
	t := of.t.with(func(t *ctype) { t.alias = false })
	if t.form == arrayForm {
		p.fail(at, "an array is copied into a function without a name")
	}
	v := &Var{Name: name, Pos: at, Class: Local}
	p.describe(v, t)
	inner.set(name, &variable{v: v, t: t})
	return &Assign{typed: t.typed(at), To: &Ref{t.typed(at), v}, Value: of.e}
}

// unchanging reports whether a copy of a variable is as good as the variable.
func (p *lookup) unchanging(name string) bool {
	x, ok := p.scope.find(name).(*variable)
	return ok && (x.t.form == groupForm || x.t.constant && x.t.form != recordForm)
}
