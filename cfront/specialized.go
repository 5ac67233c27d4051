package cfront

import (
	"strings"

	"gpuperf/cfront/cpp"
)

// pattern is a specialization of a class template: for arguments of the form that stands after its name.
type pattern struct {
	params    []templateParam
	start, at int // the tokens of the record, and of the arguments
	scope     *scope
}

// specialization reads the function that a template is for some arguments, from its declaration on.
func (p *parser) specialization(start int) {
	p.at(start, p.scope, func() {
		s := p.specifiers()
		t := p.pointers(s.t)
		name := p.name()
		o, _ := p.scope.find(name.Text).(*overloads)
		if o == nil || len(o.templates) == 0 {
			p.fail(Pos(name.At), "%s is no template of which this is a specialization", name.Text)
		}
		var explicit []argument
		if p.is("<") {
			explicit = p.templateArguments()
		}
		c := &callable{
			name: name.Text, at: Pos(name.At), params: p.signature().params, result: t, start: start, scope: p.scope, kernel: s.kernel, device: s.device,
			constant: s.fixed, plusPlus: true,
		}
		if p.is("{") {
			c.body = p.i
		}
		var like []value
		for _, x := range c.params {
			like = append(like, value{&Unknown{x.t.typed(x.at), "an argument", nil}, x.t})
		}
		for _, of := range o.templates {
			given := p.deduced(of, explicit, like, t)
			if _, all, ok := p.bound(of.params, of.scope, given); ok {
				c.name = spelled(of.name, all)
				of.instances[c.name] = c
			}
		}
	})
}

// aliasTemplate is a template of names for types.
type aliasTemplate struct {
	name   string
	params []templateParam
	start  int
	scope  *scope
}

// alias reads the arguments of a template of names, and is the type.
func (p *parser) alias(a *aliasTemplate, at Pos) (t *ctype) {
	s, _, ok := p.bound(a.params, a.scope, p.templateArguments())
	if !ok {
		p.fail(at, "the arguments are not those of the template %s", a.name)
	}
	p.at(a.start, s, func() { t = p.typeName() })
	return t
}

// variableTemplate is a template of variables.
type variableTemplate struct {
	name       string
	params     []templateParam
	start, end int
	scope      *scope
	instances  map[string]*variable
}

// variableTemplate enters a template of variables under the name that is declared between two tokens.
func (p *parser) variableTemplate(params []templateParam, start, end int) {
	for i := start; i+1 < end; i++ {
		if t := p.tokens[i]; t.Kind == cpp.Name && (p.tokens[i+1].Is("=") || p.tokens[i+1].Is(";") || p.tokens[i+1].Is("[") || p.tokens[i+1].Is("{")) {
			p.scope.set(t.Text, &variableTemplate{t.Text, params, start, end, p.scope, map[string]*variable{}})
			return
		}
	}
}

// variableInstance reads the arguments of a template of variables, and is the variable.
func (p *parser) variableInstance(x *variableTemplate, at Pos) *variable {
	s, _, name := p.instanceOf(x.name, x.params, x.scope, at)
	if v := x.instances[name]; v != nil {
		return v
	}
	p.copy(at)
	p.at(x.start, s, func() { p.declaration(true) })
	v, _ := s.names[x.name].(*variable)
	if v == nil {
		p.fail(at, "%s is no variable", x.name)
	}
	x.instances[name] = v
	return v
}

// matching is the specialization of a class template for arguments, with what its parameters mean: the one with the fewest parameters of those that fit.
func (p *parser) matching(c *class, args []argument) (found *pattern, in *scope) {
	for _, x := range c.special {
		if found != nil && len(x.params) >= len(found.params) {
			continue
		}
		if s, ok := p.fitting(x, args); ok {
			found, in = x, s
		}
	}
	return found, in
}

// fitting tells whether arguments have the form of those of a specialization, and what its parameters mean then.
func (p *parser) fitting(x *pattern, args []argument) (in *scope, ok bool) {
	open, s := p.holes(x.params, nil, x.scope)
	all := make([]argument, len(x.params))
	var form []argument
	err := p.attempt(func() { p.at(x.at, s, func() { form = p.patternArguments() }) })
	if err != nil || len(form) > len(args) {
		return nil, false
	}
	for i, f := range form {
		switch {
		case f.t != nil && args[i].t != nil:
			p.match(f.t, args[i].t, open, all)
		case f.hole != nil && args[i].value != nil:
			if n, isOpen := open[f.hole.Name]; isOpen {
				all[n].value = args[i].value
			}
		}
	}
	in, _, ok = p.bound(x.params, x.scope, all)
	if !ok {
		return nil, false
	}
	same := true
	err = p.attempt(func() {
		p.at(x.at, in, func() {
			for i, a := range p.templateArguments() {
				same = same && i < len(args) && a.equal(args[i])
			}
		})
	})
	return in, err == nil && same
}

func (a argument) equal(b argument) bool {
	switch {
	case a.t != nil && b.t != nil:
		return a.t.same(b.t) && a.t.constant == b.t.constant
	case a.value != nil && b.value != nil:
		return a.value.Value == b.value.Value
	}
	return a.class == b.class && a.f == b.f && a.class != nil
}

// patternArguments reads arguments that may name parameters which are open.
func (p *parser) patternArguments() (out []argument) {
	p.expect("<")
	for !p.is(">") && !p.is(">>") {
		if p.startsType() {
			out = append(out, argument{t: p.typeName()})
		} else {
			v := p.withAngle(1, p.conditional)
			a := argument{}
			switch x := v.e.(type) {
			case *Int:
				a.value = x
			case *Ref:
				a.hole = x.Var
			}
			out = append(out, a)
		}
		if !p.accept(",") && !p.is(">") && !p.is(">>") {
			p.unexpected(`"," or ">"`)
		}
	}
	p.closeAngle()
	return out
}

// hole is the class of what stands for a parameter of a template that is open.
const hole Class = 255

// holes is the scope in which parameters of a template without an argument stand for themselves, with their indices by what stands for them.
func (p *lookup) holes(params []templateParam, given []argument, outer *scope) (open map[string]int, s *scope) {
	open, s = map[string]int{}, &scope{outer: outer}
	for i, x := range params {
		switch {
		case i < len(given) && given[i].meaning() != nil:
			s.set(x.name, given[i].meaning())
		case x.isClass:
		case x.isType:
			open[x.name] = i
			s.set(x.name, &ctype{form: otherForm, name: x.name})
		default:
			v := &Var{Name: x.name, DType: intType.dtype, Class: hole}
			open[v.Name] = i
			s.set(x.name, &variable{v: v, t: intType})
		}
	}
	return open, s
}

// propose notes an instance of the template of a kernel: of float, and of 16 as an integer.
func (p *lookup) propose(name string, params []templateParam) {
	var args []string
	for _, x := range params {
		switch {
		case x.def > 0 || x.isClass:
		case x.isType:
			args = append(args, "float")
		default:
			args = append(args, "16")
		}
	}
	if p.file.Proposed == nil {
		p.file.Proposed = map[string]string{}
	}
	p.file.Proposed[name] = name + "<" + strings.Join(args, ", ") + ">"
}
