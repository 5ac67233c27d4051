package cfront

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/cfront/cpp"
)

// template is a template of functions. It is read again for each instance, with what its parameters mean there.
type template struct {
	name      string
	params    []templateParam
	start     int // the token after the parameters
	scope     *scope
	instances map[string]*callable
	self      *ctype            // of functions of a record
	open      int               // parameters that take an argument of any type
	arity     int               // parameters of the function
	makes     bool              // of constructors
	written   map[int]*template // of one with a pack: the template for so many elements
}

// class is a template of records.
type class struct {
	name      string
	params    []templateParam
	start     int
	scope     *scope
	instances map[string]*ctype
	special   []*pattern
	members   []outsideMember
}

// templateParam is a type, an integer constant or a function, or a class template.
type templateParam struct {
	name            string
	isType, isClass bool
	pack            bool            // it stands for any number of arguments
	def             int             // the token where its default begins; 0 without one
	of              *ctype          // the type of a constant
	enable          int             // the token where the condition begins under which it has a type; 0 without one
	params          []templateParam // of a class template
}

// argument is what a parameter of a template means: one of the four is set.
type argument struct {
	t     *ctype
	value *Int
	class *class
	f     *overloads
	hole  *Var // a parameter that is open, in patterns
}

// meaning is what the parameter's name means.
func (a argument) meaning() any {
	switch {
	case a.t != nil:
		return a.t
	case a.value != nil:
		return a.value
	case a.class != nil:
		return a.class
	case a.f != nil:
		return a.f
	case a.hole != nil:
		return &variable{v: a.hole, t: intType}
	}
	return nil
}

// fits reports whether an argument is of the kind of a parameter.
func (a argument) fits(x templateParam) bool {
	return a.meaning() != nil && x.isType == (a.t != nil) && x.isClass == (a.class != nil)
}

func (a argument) String() string {
	switch {
	case a.t != nil:
		return a.t.String()
	case a.class != nil:
		return a.class.name
	case a.f != nil:
		return a.f.name
	case a.hole != nil:
		return a.hole.Name
	}
	if a.value.DType == boolType.dtype {
		return fmt.Sprint(a.value.Value != 0)
	}
	return fmt.Sprint(a.value.Value)
}

func spelled(name string, args []argument) string {
	var out []string
	for _, a := range args {
		out = append(out, a.String())
	}
	return name + "<" + strings.Join(out, ", ") + ">"
}

// template reads the head of a template, and notes where it stands.
func (p *parser) template() {
	whole := p.i
	end := p.declarationEnd(whole)
	p.next()
	if !p.is("<") { // an instance is asked for, which is made where it is needed
		p.asked(p.tokens[p.i:end])
		p.i = end
		return
	}
	params := p.templateParams()
	start := p.i
	defer func() { p.i = end }()
	if p.is("template") { // a member of a class template
		return
	}
	if p.is("using") {
		p.next()
		if name := p.name().Text; p.is("=") {
			p.scope.set(name, &aliasTemplate{name: name, params: params, start: p.i + 1, scope: p.scope})
		}
		return
	}
	if p.is("struct") || p.is("class") || p.is("union") {
		p.classTemplate(params, start, end)
		return
	}
	i, operator := p.functionName(start, end)
	switch {
	case i > 0 && p.scope.class && !operator && p.tokens[i].Text == bareName(p.scope.self):
		t := p.newTemplate(p.tokens[i].Text, params, i)
		t.makes = true
		o := p.overloaded(constructorName)
		o.templates = append(o.templates, t)
	case i > 1 && p.tokens[i-1].Is("::") && !p.spaces[p.tokens[i-2].Text]:
		p.outsideTemplate(params, i, end)
	case operator:
		p.lift(i, end)
		p.i = i
		o := p.overloaded(p.operatorName())
		o.templates = append(o.templates, p.newTemplate(o.name, params, start))
	case i == 0:
		p.variableTemplate(params, start, end)
	case i == start && isClass(p.scope.find(p.tokens[i].Text)): // a guide for what its arguments are
	case len(params) == 0:
		p.specialization(start)
	default:
		name := p.tokens[i].Text
		if slices.ContainsFunc(p.tokens[start:i], func(t cpp.Token) bool { return t.Is("__global__") }) {
			p.kernelTemplate(name, params, i, p.tokens[start:end])
		}
		o := p.overloaded(name)
		for _, t := range o.templates {
			if len(t.params) == len(params) {
				keepDefaults(params, t.params)
			}
		}
		o.templates = append(o.templates, p.newTemplate(name, params, start))
	}
}

func (p *lookup) newTemplate(name string, params []templateParam, start int) *template {
	return &template{name: name, params: params, start: start, scope: p.scope, instances: map[string]*callable{}, self: p.scope.self}
}

// classTemplate notes a template of records, or a specialization of one, which is declared from start to end.
func (p *parser) classTemplate(params []templateParam, start, end int) {
	p.next()
	p.attributes(&specifiers{})
	name := p.name()
	known, _ := p.scope.find(name.Text).(*class)
	if known != nil && known.scope == p.global.outer && p.scope != known.scope && !p.is("<") { // of a library
		known = nil
	}
	switch {
	case p.is("<") && known == nil:
		p.fail(Pos(name.At), "%s is no template of which this is a specialization", name.Text)
	case p.is("<"):
		known.special = append(known.special, &pattern{params, start, p.i, p.scope})
	case known != nil: // it was declared
		keepDefaults(params, known.params)
		if !p.tokens[end-1].Is(";") || p.defines(start, end) {
			known.params, known.start = params, start
		}
	default:
		p.scope.set(name.Text, &class{name: name.Text, params: params, start: start, scope: p.scope, instances: map[string]*ctype{}})
	}
}

// defines reports whether the declaration of a class between two tokens has its members.
func (p *cursor) defines(start, end int) bool {
	return slices.ContainsFunc(p.tokens[start:end], func(t cpp.Token) bool { return t.Is("{") })
}

// templateParams reads the parameters of a template, from < to >.
func (p *parser) templateParams() (out []templateParam) {
	p.expect("<")
	outer := p.scope
	p.scope = &scope{outer: outer} // later parameters may have earlier ones for their type
	defer func() { p.scope = outer }()
	for !p.accept(">") {
		var x templateParam
		x.enable = p.enabler()
		switch {
		case x.enable > 0:
		case p.is("typename"), p.is("class"):
			p.next()
			x.isType = true
		case p.is("template"):
			p.next()
			x.params = p.templateParams()
			p.next()
			x.isClass = true
		default:
			x.of = p.specifiers().t
			p.accept("*")
		}
		function := p.is("(") && p.peek(1).Is("*") // a pointer to one
		if function {
			p.next()
			p.next()
		}
		x.pack = p.accept("...")
		if p.tok().Kind == cpp.Name {
			if x.name = p.next().Text; x.isType {
				p.scope.set(x.name, &ctype{form: otherForm, name: x.name})
			}
		}
		if function {
			p.expect(")")
			p.pass()
		}
		if p.accept("=") {
			x.def = p.i
			p.passArgument()
		}
		out = append(out, x)
		if !p.accept(",") && !p.is(">") {
			p.unexpected(`"," or ">"`)
		}
	}
	return out
}

// passArgument passes tokens up to the comma or > that ends an argument of a template.
func (p *cursor) passArgument() {
	for angle := 0; ; {
		switch {
		case p.tok().Kind == cpp.End:
			p.unexpected(`">"`)
		case p.is("("), p.is("["), p.is("{"):
			p.pass()
			continue
		case p.is("<"):
			angle++
		case p.is(">>") && angle > 0:
			p.split = true
			angle--
			continue
		case p.is(">") && angle > 0:
			angle--
		case p.is(">"), p.is(",") && angle == 0:
			return
		}
		p.next()
	}
}

// functionName finds the name that a function is declared by: the one before its parameters. Of an operator it is that word.
func (p *lookup) functionName(start, end int) (at int, operator bool) {
	for i := start; i+1 < end; i++ {
		t := p.tokens[i]
		switch {
		case t.Is("operator"):
			return i, true
		case t.Is("["), t.Is("__launch_bounds__"), t.Is("__attribute__"), t.Is("__align__"), t.Is("alignas"), t.Is("decltype"):
			if !t.Is("[") {
				i++
			}
			p.at(i, p.scope, func() {
				p.pass()
				i = p.i - 1
			})
		case t.Is("="), t.Is("{"):
			return 0, false
		case t.Kind == cpp.Name && p.tokens[i+1].Is("<") && !isOverloads(p.scope.find(t.Text)): // a type
			p.at(i+2, p.scope, func() {
				for p.passArgument(); p.accept(","); p.passArgument() {
				}
				i = p.i
			})
		case t.Kind == cpp.Name && (p.tokens[i+1].Is("(") || p.tokens[i+1].Is("<") && isOverloads(p.scope.find(t.Text))):
			return i, false
		}
	}
	return 0, false
}

func isOverloads(x any) bool { _, ok := x.(*overloads); return ok }

// templateArguments reads arguments from < to >.
func (p *parser) templateArguments() []argument {
	defer p.nest()()
	p.expect("<")
	out := []argument{}
	for !p.is(">") && !p.is(">>") {
		out = append(out, p.templateArgument())
		if !p.accept(",") && !p.is(">") && !p.is(">>") {
			p.unexpected(`"," or ">"`)
		}
	}
	p.closeAngle()
	return out
}

func (p *parser) templateArgument() argument {
	if p.startsType() && !p.convertsInAngle() {
		return argument{t: p.typeName()}
	}
	at := p.here()
	if p.accept("&") {
		at = p.here()
	}
	n := p.qualifiers()
	if x, is := p.meant(n).(*overloads); is && len(x.templates) > 0 && p.peek(n+1).Is("<") {
		if a, ok := p.functionInstance(x, n); ok {
			return a
		}
	}
	if after := p.peek(n + 1); after.Is(",") || after.Is(">") || after.Is(">>") {
		switch x := p.meant(n).(type) {
		case *class:
			p.i += n + 1
			return argument{class: x}
		case *overloads:
			p.i += n + 1
			return argument{f: x}
		}
	}
	v := p.evaluated(p.withAngle(1, p.conditional))
	if ref, ok := v.e.(*Ref); ok && ref.Var.Class == hole {
		return argument{hole: ref.Var}
	}
	n64, ok := v.e.(*Int)
	if !ok {
		p.fail(at, "an argument of a template is a type or an integer constant")
	}
	return argument{value: n64}
}

// convertsInAngle reports whether the type here begins a constant: one of its members, or a conversion.
func (p *parser) convertsInAngle() (is bool) {
	err := p.attempt(func() {
		p.at(p.i, p.scope, func() {
			if p.is("const") || p.is("volatile") {
				return
			}
			p.specifiers()
			is = p.is("::") || p.is("(") && !p.nested() && !p.peek(1).Is(")") && !p.parameters() || p.is("{")
		})
	})
	return err == nil && is
}

// instanceOf reads the arguments of a template, and binds its parameters to them. The name is that of the instance.
func (p *parser) instanceOf(template string, params []templateParam, outer *scope, at Pos) (s *scope, all []argument, name string) {
	args := p.templateArguments()
	s, all, ok := p.bound(unpacked(params, len(args)+1-len(params)), outer, args)
	if !ok {
		p.fail(at, "the arguments are not those of the template %s", template)
	}
	return s, all, spelled(template, all)
}

// bound is the scope in which the parameters of a template mean arguments; those that are not given have their default.
func (p *parser) bound(params []templateParam, outer *scope, args []argument) (s *scope, all []argument, ok bool) {
	if len(args) > len(params) {
		return nil, nil, false
	}
	s = &scope{outer: outer}
	for i, x := range params {
		if p.disabled(x.enable, s, func() { p.typeHere() }) {
			return nil, nil, false
		}
		var a argument
		switch {
		case i < len(args) && args[i].meaning() != nil:
			a = args[i]
		case x.def > 0:
			if p.disabled(x.def, s, func() { a = p.templateArgument() }) {
				return nil, nil, false
			}
		default:
			return nil, nil, false
		}
		if !a.fits(x) {
			return nil, nil, false
		}
		all = append(all, a)
		s.set(x.name, a.meaning())
	}
	return s, all, true
}

// instantiate is the instance of a template for arguments that are given and those that the arguments of a call tell; nil if it has none.
func (p *parser) instantiate(t *template, explicit []argument, args []value, at Pos) *callable {
	if packOf(t.params) >= 0 {
		return p.instantiateWritten(t, explicit, args, at)
	}
	given := slices.Clone(explicit)
	if args != nil && len(given) < len(t.params) {
		given = p.deduced(t, given, args, nil)
	}
	s, all, ok := p.bound(t.params, t.scope, given)
	if !ok {
		return nil
	}
	name := spelled(t.name, all)
	if c := t.instances[name]; c != nil {
		if _, ok := c.takes(args); args != nil && !ok {
			return nil
		}
		return c
	}
	p.copy(at)
	var c *callable
	err := p.instantiated(func() {
		c = p.declaredInstance(t, name, s)
	}, t.start, s)
	if err != nil { // of the types of other arguments, there may be no such function
		if args == nil && !isDisabled(err) {
			panic(fault{err: err})
		}
		return nil
	}
	t.instances[name] = c
	if p.instanceNames[c.name] { // another template of the name has such an instance
		c.name += "(" + types(c.params) + ")"
	}
	p.instanceNames[c.name] = true
	if args != nil {
		if _, ok := c.takes(args); !ok {
			return nil
		}
	}
	return c
}

// declaredInstance reads the declaration of a function of a template, where its parameters mean what they do in s.
func (p *parser) declaredInstance(t *template, name string, s *scope) *callable {
	sp, d := p.head(t)
	if d.function == nil {
		p.fail(d.at, "%s is no function", t.name)
	}
	c := &callable{
		name: name, at: d.at, params: d.function.params, result: d.t, start: t.start, scope: s, kernel: sp.kernel, device: sp.device,
		auto: sp.auto && d.t.form == otherForm, group: sp.group, most: sp.most, constant: sp.fixed, plusPlus: true, makes: t.makes,
	}
	if t.scope.class {
		c.self, c.scope = t.self, s
		if sp.static {
			c.self = nil
		}
		if t.self != nil {
			c.name = fullName(t.self) + "::" + c.name
		}
	}
	p.bodyOf(c, p.declarationEnd(t.start))
	return c
}

// head reads the declaration of a function of a template after the parameters of that.
func (p *parser) head(t *template) (*specifiers, declarator) {
	if t.makes {
		name := p.next()
		return &specifiers{t: voidType, device: true}, declarator{name.Text, Pos(name.At), voidType, p.signature()}
	}
	s := p.specifiers()
	return s, p.declarator(s.t)
}

// copy counts the instances of templates.
func (p *parser) copy(at Pos) {
	if p.copies++; p.copies > maxCopies {
		panic(fault{p.file.Errorf(at, "templates have more than %d instances", maxCopies), true})
	}
}
