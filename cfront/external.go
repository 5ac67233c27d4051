package cfront

import (
	"cmp"
	"slices"
	"strings"

	"gpuperf/cfront/cpp"
)

// run reads all declarations, then the bodies of kernels and of what they call. Of C all bodies are read, each in its place.
func (p *parser) run(instance, kernel string) {
	p.one = instance != ""
	for p.tok().Kind != cpp.End {
		p.scope = p.global
		if strings.HasPrefix(p.tok().At.File, ownHeaders) { // programs may have names of their own that libraries have in namespaces
			p.scope = p.global.outer
		}
		if p.lang.plusPlus && closes(p.tok()) {
			p.fail(p.here(), "%q closes no bracket", p.tok().Text)
		}
		p.external()
	}
	p.scope = p.global
	var wanted []*callable
	switch {
	case instance != "":
		wanted = []*callable{p.instance(instance)}
	default:
		for _, c := range p.declared {
			if c.body > 0 && c.fn == nil && (c.kernel || !p.lang.plusPlus) {
				wanted = append(wanted, c)
			}
		}
	}
	for _, c := range wanted {
		p.need(c)
	}
	for len(p.queue) > 0 {
		c := p.queue[0]
		p.queue = p.queue[1:]
		p.define(c)
	}
	if instance != "" && wanted[0].fn == nil {
		p.fail(wanted[0].at, "%s has no body", wanted[0].name)
	}
	if instance != "" && wanted[0].fn.Err != nil {
		panic(fault{err: wanted[0].fn.Err})
	}
	slices.SortStableFunc(p.defined, func(a, b *callable) int { return cmp.Or(a.start-b.start, a.body-b.body) })
	for _, c := range p.defined {
		p.file.Functions = append(p.file.Functions, c.fn)
	}
	(&proposer{parser: p, wanted: kernel}).propose()
}

// external reads a declaration of the file. What C++ declares for the host is passed where it cannot be read.
func (p *parser) external() {
	start := p.i
	if !p.lang.plusPlus {
		p.outer()
		return
	}
	err := p.attempt(p.outer)
	if err == nil {
		return
	}
	end := p.declarationEnd(start)
	p.broken(start, end, err)
	p.i = max(end, start+1)
}

// broken enters a function for the device whose declaration cannot be read: it is an error to use it.
func (p *parser) broken(start, end int, err error) {
	has := func(word string) bool {
		return slices.ContainsFunc(p.tokens[start:end], func(t cpp.Token) bool { return t.Is(word) })
	}
	kernel := has("__global__")
	name, operator := p.functionName(start, end)
	if name == 0 || operator || !kernel && !has("__device__") {
		return
	}
	t := p.tokens[name]
	if isIntrinsic(t.Text) && p.foreign(name+2) {
		return
	}
	o := p.overloaded(t.Text)
	o.err = err
	if kernel && !p.one {
		at := Pos(t.At)
		fn := &Function{Name: t.Text, Pos: at, Kernel: true, Body: &Block{Pos: at, Last: at.Line}, Err: err}
		p.defined = append(p.defined, &callable{name: t.Text, start: start, fn: fn})
	}
}

// foreign reports that a parameter begins at a token whose type is one of a namespace that is not known: a function of the language that is declared for it, too, is
// as it was for numbers.
func (p *lookup) foreign(i int) bool {
	for p.tokens[i].Is("const") || p.tokens[i].Is("::") {
		i++
	}
	name := p.tokens[i]
	return name.Kind == cpp.Name && p.tokens[i+1].Is("::") && p.scope.find(name.Text) == nil && !slices.Contains(cudaSpaces, name.Text)
}

// cudaSpaces are namespaces of libraries, some of whose names are types of numbers.
var cudaSpaces = []string{"std", "cuda", "thrust"}

// declarationEnd is the token after the declaration that begins at one.
func (p *cursor) declarationEnd(start int) int {
	record, function := false, false
	members, value := false, false // the members that a constructor gives values, and one that braces do
	depth := 0
	for i := p.templateHead(start); i < len(p.tokens)-1; i++ {
		t := p.tokens[i]
		if t.Is("operator") && p.tokens[i+1].Is("=") { // which begins no value
			i++
			continue
		}
		if t.Kind == cpp.Name && depth == 0 && slices.Contains([]string{"struct", "class", "union", "enum", "typedef"}, t.Text) && !function {
			record = true
		}
		if t.Kind != cpp.Symbol {
			continue
		}
		switch t.Text {
		case "(", "[", "{":
			function = function || t.Text == "(" && depth == 0 && !record
			if depth == 0 && i > 0 {
				before := p.tokens[i-1]
				value = members && t.Text == "{" && (before.Kind == cpp.Name || before.Is(">"))
			}
			depth++
		case ")", "]", "}":
			if depth--; depth < 0 {
				return i
			}
			if depth == 0 && t.Text == "}" && function && !value {
				return i + 1
			}
		case ":":
			members = members || depth == 0 && function
		case "=":
			record = record || depth == 0
		case ";":
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(p.tokens) - 1
}

// templateHead is the token after template<...>, if that stands at a token.
func (p *cursor) templateHead(start int) int {
	if !p.tokens[start].Is("template") {
		return start
	}
	angle, open := 0, 0
	for i := start + 1; i < len(p.tokens)-1; i++ {
		switch t := p.tokens[i]; {
		case t.Is("("):
			open++
		case t.Is(")"):
			open--
		case open > 0:
		case t.Is("<"):
			angle++
		case t.Is(">"):
			angle--
		case t.Is(">>"):
			angle -= 2
		case t.Is(";"), t.Is("{"):
			return i
		}
		if angle <= 0 {
			return i + 1
		}
	}
	return start
}

// assertions are checked by compilers.
var assertions = map[string]bool{"static_assert": true, "_Static_assert": true}

func (p *parser) outer() {
	t := p.tok()
	switch {
	case t.Kind == cpp.Pragma:
		p.next()
	case p.accept(";"), !p.lang.plusPlus && p.accept("__extension__"):
	case assertions[t.Text], p.is("asm"), p.is("__asm__"), p.is("__asm"):
		p.i = p.declarationEnd(p.i)
	case p.is("extern") && p.peek(1).Kind == cpp.String:
		p.next()
		p.next()
		if p.accept("{") {
			p.inside(t)
		} else {
			p.external()
		}
	case !p.lang.plusPlus:
		p.declaration(true)
	case p.is("namespace"), p.is("inline") && p.peek(1).Is("namespace"):
		p.namespace()
	case p.is("using"):
		p.using()
	case p.is("template"):
		p.template()
	default:
		end := p.declarationEnd(p.i)
		if at, operator := p.functionName(p.i, end); operator {
			defer func() { p.i = end }()
			if p.tokens[at-1].Is("::") {
				p.outside(at, end)
				return
			}
			p.operatorFunction(nil, p.i, at, end)
			return
		} else if at > 1 && p.tokens[at-1].Is("::") && isRecord(p.scope.find(p.tokens[at-2].Text)) {
			p.outside(at, end)
			p.i = end
			return
		}
		p.declaration(true)
	}
}

// inside reads declarations up to a closing brace.
func (p *parser) inside(open cpp.Token) {
	defer p.nest()()
	for !p.accept("}") {
		if p.tok().Kind == cpp.End {
			p.fail(Pos(open.At), "the brace is not closed")
		}
		p.external()
	}
}

// namespace reads a namespace. Its names are those of the file.
func (p *parser) namespace() {
	open := p.tok()
	p.accept("inline")
	p.next()
	name := ""
	for p.tok().Kind == cpp.Name || p.is("::") {
		if t := p.next(); t.Kind == cpp.Name {
			name = t.Text
			p.spaces[name] = true
		}
	}
	if p.accept("=") {
		for !p.accept(";") {
			if p.mentions(p.next()) {
				p.groups[name] = true
			}
		}
		return
	}
	p.expect("{")
	p.inside(open)
}

// using reads an alias of a type; other names are known without their namespace.
func (p *parser) using() {
	p.next()
	if p.tok().Kind == cpp.Name && p.peek(1).Is("=") {
		name := p.next().Text
		p.next()
		p.scope.set(name, p.typeName())
		p.expect(";")
		return
	}
	for !p.accept(";") {
		p.opened = p.mentions(p.next()) || p.opened
	}
}

// declaration reads declared variables, functions and types; of the file, or of a block, whose variables it returns.
func (p *parser) declaration(external bool) []*Var {
	start := p.i
	s := p.specifiers()
	var vars []*Var
	for first := true; ; first = false {
		if p.accept(";") {
			return vars
		}
		d := p.declarator(s.t)
		if d.name == "" {
			p.unexpected("a name")
		}
		switch {
		case s.typedef:
			if d.t.form == recordForm && !strings.Contains(d.t.name, " ") && d.t.record.of == nil { // it has no other name
				d.t.name = d.name
			}
			if d.function != nil {
				d.t = &ctype{form: functionForm, elem: d.t}
			}
			p.scope.set(d.name, d.t)
		case d.function != nil:
			if first && external && p.lang.hosted {
				p.oldParameters(d.function)
			}
			c := p.declare(s, d, start)
			if p.is("{") && first {
				if !external {
					p.fail(p.here(), "a function in a function is not read")
				}
				c.body, c.start, c.scope = p.i, start, p.scope
				p.pass()
				if p.lang.hosted {
					p.whole(c)
				}
				return nil
			}
		case s.auto && p.is("=") && p.peek(1).Is("["):
			vars = append(vars, p.closureNamed(d)...)
		default:
			if v := p.variable(s, d, external); v != nil {
				vars = append(vars, v)
			}
		}
		if !p.accept(",") {
			p.expect(";")
			return vars
		}
	}
}

// enumeration reads an enum after that word; its names are constants.
func (p *parser) enumeration() *ctype {
	scoped := p.lang.plusPlus && (p.accept("class") || p.accept("struct"))
	p.attributes(&specifiers{})
	t := number(intType.dtype)
	if p.lang.plusPlus {
		t.values = &scope{}
	}
	if p.tok().Kind == cpp.Name {
		p.enter(p.next().Text, t)
	}
	if p.accept(":") {
		if of := p.specifiers().t; of.form == numberForm {
			t.dtype, t.name = of.dtype, of.name
		}
	}
	if !p.accept("{") {
		return t
	}
	if outer := p.scope; scoped { // the names are known to each other
		p.scope = &scope{outer: outer}
		defer func() { p.scope = outer }()
	}
	value := int64(0)
	for !p.accept("}") {
		name := p.name()
		p.attributes(&specifiers{})
		if p.accept("=") {
			value = p.constant("the value of an enumerator")
		}
		p.scope.set(name.Text, &Int{t.typed(Pos(name.At)), value})
		if t.values != nil {
			t.values.set(name.Text, p.scope.names[name.Text])
		}
		value++
		if !p.accept(",") && !p.is("}") {
			p.unexpected(`"," or "}"`)
		}
	}
	return t
}

// kernelTemplate notes the template of a kernel, whose name is the token at i, and where it has a body.
func (p *parser) kernelTemplate(name string, params []templateParam, i int, tokens []cpp.Token) {
	d := p.drafted(name)
	if d == nil {
		d = &draft{name: name, params: params, text: tokens}
		p.file.Templates = append(p.file.Templates, name)
		p.drafts = append(p.drafts, d)
	}
	if tokens[len(tokens)-1].Is("}") {
		p.file.defined[name] = Pos(p.tokens[i].At)
		keepDefaults(params, d.params)
		d.params, d.text = params, tokens
	}
}
