package cfront

import (
	"fmt"
	"maps"
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
}

// class is a template of records.
type class struct {
	name      string
	params    []templateParam
	start     int
	scope     *scope
	instances map[string]*ctype
}

// templateParam is a type or an integer constant.
type templateParam struct {
	name   string
	isType bool
	def    int // the token where its default begins; 0 without one
}

// argument is what a parameter of a template means: one of the two is set.
type argument struct {
	t     *ctype
	value *Int
}

func (a argument) String() string {
	if a.t != nil {
		return a.t.String()
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
	params := p.templateParams()
	start := p.i
	defer func() { p.i = end }()
	if p.is("template") { // a member of a class template
		return
	}
	if p.is("struct") || p.is("class") || p.is("union") {
		p.next()
		p.attributes(&specifiers{})
		name := p.name().Text
		if len(params) == 0 || p.is("<") {
			p.special[name] = true
			return
		}
		p.scope.set(name, &class{name, params, start, p.scope, map[string]*ctype{}})
		return
	}
	i, operator := p.functionName(start, end)
	switch {
	case operator:
		p.lift(i, end)
	case i == 0:
	case len(params) == 0:
		p.special[p.tokens[i].Text] = true
	default:
		name := p.tokens[i].Text
		if slices.ContainsFunc(p.tokens[start:i], func(t cpp.Token) bool { return t.Is("__global__") }) && !slices.Contains(p.file.Templates, name) {
			p.file.Templates = append(p.file.Templates, name)
		}
		o := p.overloaded(name)
		o.templates = append(o.templates, &template{name, params, start, p.scope, map[string]*callable{}})
	}
}

// templateParams reads the parameters of a template, from < to >.
func (p *parser) templateParams() (out []templateParam) {
	p.expect("<")
	for !p.accept(">") {
		var x templateParam
		switch {
		case p.is("typename"), p.is("class"):
			p.next()
			x.isType = true
		default:
			p.specifiers()
			p.accept("*")
		}
		if p.is("...") {
			p.fail(p.here(), "templates with any number of parameters are not read")
		}
		if p.tok().Kind == cpp.Name {
			x.name = p.next().Text
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
		case t.Is("__launch_bounds__"), t.Is("__attribute__"), t.Is("__align__"), t.Is("alignas"), t.Is("decltype"):
			p.at(i+1, p.scope, func() {
				p.pass()
				i = p.i - 1
			})
		case t.Is("="), t.Is("{"):
			return 0, false
		case t.Kind == cpp.Name && (p.tokens[i+1].Is("(") || p.tokens[i+1].Is("<") && isOverloads(p.scope.find(t.Text))):
			return i, false
		}
	}
	return 0, false
}

func isOverloads(x any) bool { _, ok := x.(*overloads); return ok }

// lift notes for which class templates an operator is declared. If they hold an array of numbers alone, they are vectors.
func (p *lookup) lift(from, end int) {
	for _, t := range p.tokens[from:end] {
		if t.Is("{") {
			return
		}
		if _, ok := p.scope.find(t.Text).(*class); ok && t.Kind == cpp.Name {
			p.lifted[t.Text] = true
		}
	}
}

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
	if p.startsType() {
		return argument{t: p.typeName()}
	}
	at := p.here()
	v := p.withAngle(1, p.conditional)
	n, ok := v.e.(*Int)
	if !ok {
		p.fail(at, "an argument of a template is a type or an integer constant")
	}
	return argument{value: n}
}

// bound is the scope in which the parameters of a template mean arguments; those that are not given have their default.
func (p *parser) bound(params []templateParam, outer *scope, args []argument) (s *scope, all []argument, ok bool) {
	if len(args) > len(params) {
		return nil, nil, false
	}
	s = &scope{outer: outer}
	for i, x := range params {
		var a argument
		switch {
		case i < len(args) && (args[i].t != nil || args[i].value != nil):
			a = args[i]
		case x.def > 0:
			p.at(x.def, s, func() { a = p.templateArgument() })
		default:
			return nil, nil, false
		}
		if x.isType != (a.t != nil) {
			return nil, nil, false
		}
		all = append(all, a)
		if a.t != nil {
			s.set(x.name, a.t)
		} else {
			s.set(x.name, a.value)
		}
	}
	return s, all, true
}

// instantiate is the instance of a template for arguments that are given and those that the arguments of a call tell; nil if it has none.
func (p *parser) instantiate(t *template, explicit []argument, args []value, at Pos) *callable {
	given := slices.Clone(explicit)
	if args != nil && len(given) < len(t.params) {
		given = p.deduced(t, given, args)
	}
	s, all, ok := p.bound(t.params, t.scope, given)
	if !ok {
		return nil
	}
	if p.special[t.name] {
		p.fail(at, "%s has specializations, which are not read", t.name)
	}
	name := spelled(t.name, all)
	if c := t.instances[name]; c != nil {
		return c
	}
	p.copy(at)
	var c *callable
	p.at(t.start, s, func() {
		sp := p.specifiers()
		d := p.declarator(sp.t)
		if d.function == nil {
			p.fail(d.at, "%s is no function", t.name)
		}
		c = &callable{
			name: name, at: d.at, params: d.function.params, result: d.t, start: t.start, scope: s, kernel: sp.kernel, device: sp.device,
			auto: sp.auto && d.t.form == otherForm,
		}
		if p.is("{") {
			c.body = p.i
		}
	})
	t.instances[name] = c
	if args != nil {
		if _, ok := c.takes(args); !ok {
			return nil
		}
	}
	return c
}

// copy counts the instances of templates.
func (p *parser) copy(at Pos) {
	if p.copies++; p.copies > maxCopies {
		panic(fault{p.file.Errorf(at, "templates have more than %d instances", maxCopies), true})
	}
}

// deduced adds to the arguments of a template what the arguments of a call tell of the others.
func (p *parser) deduced(t *template, given []argument, args []value) []argument {
	all := make([]argument, len(t.params))
	copy(all, given)
	open := map[any]int{} // what stands for a parameter, by its index
	s := &scope{outer: t.scope}
	for i, x := range t.params {
		switch {
		case all[i].t != nil:
			s.set(x.name, all[i].t)
		case all[i].value != nil:
			s.set(x.name, all[i].value)
		case x.isType:
			hole := &ctype{form: otherForm, name: x.name}
			open[hole.name] = i
			s.set(x.name, hole)
		default:
			v := &Var{Name: x.name, DType: intType.dtype}
			open[v] = i
			s.set(x.name, &variable{v: v, t: intType})
		}
	}
	copies := maps.Clone(p.lifted)
	err := p.attempt(func() {
		p.at(t.start, s, func() {
			d := p.declarator(p.specifiers().t)
			if d.function == nil {
				return
			}
			for i := range min(len(d.function.params), len(args)) {
				p.match(d.function.params[i].t, args[i].t, open, all)
			}
		})
	})
	p.lifted = copies
	if err != nil {
		return given
	}
	return all
}

// match compares the type of a parameter with that of an argument, and notes what parameters of the template are.
func (p *typer) match(x, t *ctype, open map[any]int, all []argument) {
	if t == nil {
		return
	}
	if x.form == otherForm {
		if i, ok := open[x.name]; ok && all[i].t == nil {
			if !x.alias {
				t = t.pointed()
			}
			all[i].t = t.with(func(t *ctype) { t.alias, t.constant = false, false })
		}
		return
	}
	switch {
	case x.form == pointerForm && (t.form == pointerForm || t.form == arrayForm):
		p.match(x.elem, t.elem, open, all)
	case x.form == arrayForm && t.form == arrayForm:
		if r, ok := x.extent.(*Ref); ok {
			if i, ok := open[r.Var]; ok {
				all[i].value, _ = t.extent.(*Int)
			}
		}
		p.match(x.elem, t.elem, open, all)
	case x.form == groupForm && t.form == groupForm:
		if r, ok := x.extent.(*Ref); ok {
			if i, ok := open[r.Var]; ok {
				all[i].value, _ = t.extent.(*Int)
			}
		}
	case x.form == arrayForm && t.form == pointerForm:
		p.match(x.elem, t.elem, open, all)
	}
}

// classInstance reads the arguments of a class template, and is the record.
func (p *parser) classInstance(c *class, at Pos) *ctype {
	s, all, ok := p.bound(c.params, c.scope, p.templateArguments())
	if !ok {
		p.fail(at, "the arguments are not those of the template %s", c.name)
	}
	name := spelled(c.name, all)
	if t := c.instances[name]; t != nil {
		return t
	}
	if p.special[c.name] {
		p.fail(at, "%s has specializations, which are not read", c.name)
	}
	p.copy(at)
	t := newRecord(name, false)
	c.instances[name] = t
	p.at(c.start, s, func() {
		p.next()
		p.attributes(&specifiers{})
		p.next()
		for !p.is("{") && p.tok().Kind != cpp.End { // classes that it derives from
			p.next()
		}
		p.members(t)
	})
	if fields := t.record.fields; p.lifted[c.name] && len(fields) == 1 && fields[0].t.form == arrayForm {
		array := fields[0].t
		if n, ok := array.extent.(*Int); ok && array.elem.dtype.Vector(n.Value).Known() && n.Value > 1 {
			*t = ctype{form: numberForm, name: name, dtype: array.elem.dtype.Vector(n.Value)}
		}
	}
	return t
}
