package cfront

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"gpuperf/cfront/cpp"
	"gpuperf/cfront/packs"
)

func isClass(x any) bool { _, ok := x.(*class); return ok }

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
			if of.arity != len(c.params) {
				continue
			}
			if in, all, ok := p.bound(of.params, of.scope, given); ok {
				p.defaultsOf(of, in, c)
				name := spelled(of.name, all)
				if c.name = name; p.instanceNames[name] {
					c.name += "(" + types(c.params) + ")"
				}
				p.instanceNames[c.name] = true
				of.instances[name], c.special = c, all
			}
		}
	})
}

// defaultsOf gives the parameters of a specialization the values that the template gives them by default.
func (p *parser) defaultsOf(t *template, in *scope, c *callable) {
	_ = p.instantiated(func() {
		_, d := p.head(t)
		c.defaults = in
		for i, x := range d.function.params {
			c.params[i].def = x.def
		}
	}, t.start, in)
}

// aliasTemplate is a template of names for types.
type aliasTemplate struct {
	name   string
	params []templateParam
	start  int
	scope  *scope
	open   bool // what it stands for is being read
}

// alias reads the arguments of a template of names, and is the type.
func (p *parser) alias(a *aliasTemplate, at Pos) (t *ctype) {
	if c, is := p.global.outer.find(a.name).(*class); a.open && is { // it stands for a template of its name in another namespace
		return p.classInstance(c, at)
	} else if a.open {
		p.fail(at, "%s stands for a template of its own name, which is not known", a.name)
	}
	args := p.templateArguments()
	n := len(args) + 1 - len(a.params)
	s, _, ok := p.bound(unpacked(a.params, n), a.scope, args)
	if !ok {
		p.fail(at, "the arguments are not those of the template %s", a.name)
	}
	a.open = true
	defer func() { a.open = false }()
	p.at(p.writtenOut(a.params, n, a.start, p.declarationEnd(a.start)), s, func() { t = p.typeName() })
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
	s, all, name := p.instanceOf(x.name, x.params, x.scope, at)
	if v := x.instances[name]; v != nil {
		return v
	}
	p.copy(at)
	p.at(p.writtenOut(x.params, len(all)+1-len(x.params), x.start, x.end), s, func() { p.declaration(true) })
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
		if packOf(c.params) >= 0 {
			if x = p.patternFor(x, len(args)); x == nil {
				continue
			}
		}
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
	defer p.withHoles()()
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
		case f.class != nil && args[i].class != nil:
			if n, isOpen := open[f.class.name]; isOpen && f.class.start == 0 {
				all[n].class = args[i].class
			}
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
		if c, ok := p.meant(p.qualifiers()).(*class); ok && !p.peek(p.qualifiers()+1).Is("<") {
			p.i += p.qualifiers() + 1
			out = append(out, argument{class: c})
		} else if p.startsType() {
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
			open[x.name] = i
			s.set(x.name, &class{name: x.name})
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

// instantiated reads at a token, in a scope, and tells its error.
func (p *parser) instantiated(f func(), start int, s *scope) error {
	return p.attempt(func() { p.at(start, s, f) })
}

// deduced adds to the arguments of a template what the arguments of a call tell of the others, and the type of the value of a specialization.
func (p *parser) deduced(t *template, given []argument, args []value, result *ctype) []argument {
	all := make([]argument, len(t.params))
	copy(all, given)
	open, s := p.holes(t.params, all, t.scope)
	copies := maps.Clone(p.lifted)
	defer p.withHoles()()
	err := p.attempt(func() {
		p.at(t.start, s, func() {
			_, d := p.head(t)
			if d.function == nil {
				return
			}
			t.open, t.arity = 0, len(d.function.params)
			for _, x := range d.function.params {
				if _, any := open[x.t.name]; any && x.t.form == otherForm {
					t.open++
				}
			}
			for i := range min(len(d.function.params), len(args)) {
				p.match(d.function.params[i].t, args[i].t, open, all)
			}
			p.match(d.t, result, open, all)
		})
	})
	p.lifted = copies
	if err != nil {
		return given
	}
	return all
}

// match compares the type of a parameter with that of an argument, and notes what parameters of the template are.
func (p *typer) match(x, t *ctype, open map[string]int, all []argument) {
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
			if i, ok := open[r.Var.Name]; ok {
				all[i].value, _ = t.extent.(*Int)
			}
		}
		p.match(x.elem, t.elem, open, all)
	case x.form == groupForm && t.form == groupForm:
		if r, ok := x.extent.(*Ref); ok {
			if i, ok := open[r.Var.Name]; ok {
				all[i].value, _ = t.extent.(*Int)
			}
		}
	case x.form == arrayForm && t.form == pointerForm:
		p.match(x.elem, t.elem, open, all)
	case x.form == recordForm && t.form == recordForm && x.record.of != nil && x.record.of == t.record.of && len(x.record.args) == len(t.record.args):
		for i, a := range x.record.args {
			switch b := t.record.args[i]; {
			case a.t != nil && b.t != nil:
				p.match(a.t, b.t, open, all)
			case a.hole != nil && b.value != nil:
				if n, ok := open[a.hole.Name]; ok {
					all[n].value = b.value
				}
			}
		}
	}
}

// classInstance reads the arguments of a class template, and is the record.
func (p *parser) classInstance(c *class, at Pos) *ctype {
	s, all, name := p.instanceOf(c.name, c.params, c.scope, at)
	if t := c.instances[name]; t != nil {
		return t
	}
	p.copy(at)
	start := c.start
	if found, bound := p.matching(c, all); found != nil {
		start, s = found.start, bound
	} else {
		start = p.writtenOut(c.params, len(all)+1-len(c.params), start, p.declarationEnd(start))
	}
	t := newRecord(name, p.tokens[start].Is("union"))
	t.record.of, t.record.args = c, all
	c.instances[name] = t
	p.at(start, s, func() {
		p.next()
		sp := &specifiers{}
		p.attributes(sp)
		t.record.packed, t.record.aligned = sp.packed, sp.align
		p.next()
		if p.is("<") { // of a specialization
			p.templateArguments()
		}
		s.set(c.name, t) // the name of the template alone is this instance
		p.bases(t)
		if p.is("{") {
			p.members(t)
		}
	})
	for _, m := range c.members {
		p.outsideMember(t, m)
	}
	if fields := t.record.fields; p.lifted[c.name] && len(fields) == 1 && fields[0].t.form == arrayForm {
		array := fields[0].t
		if n, ok := array.extent.(*Int); ok && array.elem.dtype.Vector(n.Value).Known() && n.Value > 1 {
			*t = ctype{form: numberForm, name: name, dtype: array.elem.dtype.Vector(n.Value)}
		}
	}
	return t
}

// functionInstance reads an instance of a template of functions that is an argument itself, behind so many tokens of namespaces; it is none where it is called.
func (p *parser) functionInstance(o *overloads, n int) (a argument, ok bool) {
	start, split := p.i, p.split
	p.i += n + 1
	at := p.here()
	args := p.templateArguments()
	if p.is("(") || p.is("::") {
		p.i, p.split = start, split
		return argument{}, false
	}
	c := p.withBody(o, args, nil)
	if c == nil {
		p.fail(at, "the arguments are not those of the template %s", o.name)
	}
	return argument{f: &overloads{name: spelled(o.name, args), list: []*callable{c}}}, true
}

// keepDefaults gives parameters the defaults that an earlier declaration has.
func keepDefaults(params, before []templateParam) {
	for i := range min(len(params), len(before)) {
		params[i].def = cmp.Or(params[i].def, before[i].def)
	}
}

// packOf is the index of the parameter of a template that stands for any number of arguments; -1 without one.
func packOf(params []templateParam) int {
	return slices.IndexFunc(params, func(x templateParam) bool { return x.pack })
}

// unpacked are the parameters of a template with n elements in the place of its pack.
func unpacked(params []templateParam, n int) []templateParam {
	at := packOf(params)
	if at < 0 {
		return params
	}
	out := slices.Clone(params[:at])
	for k := range n {
		x := params[at]
		x.name, x.pack = packs.Name(x.name, k), false
		out = append(out, x)
	}
	return append(out, params[at+1:]...)
}

// writtenOut is where the text of a template stands, from one token up to another, with n elements in the place of its pack.
func (p *parser) writtenOut(params []templateParam, n, start, end int) int {
	at := packOf(params)
	if at < 0 {
		return start
	}
	text, err := packs.Expand(p.tokens[start:end], map[string]int{params[at].name: n})
	if e := (*packs.Error)(nil); errors.As(err, &e) {
		p.fail(Pos(e.At), "%s", e.Msg)
	}
	p.work += len(text)
	out := len(p.tokens)
	p.tokens = append(append(p.tokens, text...), cpp.Token{At: p.tokens[start].At})
	return out
}

// maxPack is how many elements of a pack are tried where only types of arguments tell.
const maxPack = 64

// instantiateWritten is the instance of a template with a pack: that of the template for as many elements as fit.
func (p *parser) instantiateWritten(t *template, explicit []argument, args []value, at Pos) *callable {
	most := max(len(explicit), len(args))
	for _, x := range args {
		if x.t != nil && x.t.pointed().form == recordForm {
			most = max(most, len(x.t.pointed().record.args))
		}
	}
	for n := range min(most, maxPack) + 1 {
		w := t.written[n]
		if w == nil {
			start := 0
			if err := p.attempt(func() { start = p.writtenOut(t.params, n, t.start, p.declarationEnd(t.start)) }); err != nil { // there is none of so many
				continue
			}
			w = &template{name: t.name, params: unpacked(t.params, n), start: start, scope: t.scope, instances: map[string]*callable{}, self: t.self, makes: t.makes}
			if t.written == nil {
				t.written = map[int]*template{}
			}
			t.written[n] = w
		}
		if c := p.instantiate(w, explicit, args, at); c != nil {
			t.open, t.arity = w.open+1, w.arity
			return c
		}
	}
	return nil
}

// patternFor is a specialization of a template with a pack, with as many elements in the place of its own as there are arguments; nil if it has another number.
func (p *parser) patternFor(x *pattern, args int) *pattern {
	for n := range args + 1 {
		out := x
		if packOf(x.params) >= 0 {
			start := p.writtenOut(x.params, n, x.start, p.declarationEnd(x.start))
			out = &pattern{unpacked(x.params, n), start, start + x.at - x.start, x.scope}
		}
		count := 0
		p.at(out.at+1, x.scope, func() {
			for ; !p.is(">") && !p.is(">>"); p.accept(",") {
				p.passArgument()
				count++
			}
		})
		if count == args {
			return out
		}
		if out == x {
			break
		}
	}
	return nil
}
