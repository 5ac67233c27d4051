package cfront

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gpuperf/cfront/cpp"
	"gpuperf/internal/source"
)

// callable is a function of the file, or an instance of a template of functions.
type callable struct {
	name           string
	at             Pos
	params         []param
	result         *ctype
	start, body    int // tokens where the declaration and the body begin; body is 0 without one
	scope          *scope
	defaults       *scope // of the values that parameters have by default; nil: the same
	kernel, device bool
	auto           bool // the result is that of the body
	constant       bool // constexpr
	plusPlus       bool // it is of C++
	// Of a function of a record: the record, nil for a static one; the token where a constructor gives members their values, or 0.
	self    *ctype
	inits   int
	makes   bool // it is a constructor
	group   []int64
	most    int64     // work-items of a work-group
	fn      *Function // once the body is read, or begun
	needed  bool
	calls   []*callable // that its body calls
	special []argument  // of the template that it is a specialization of
	unread  int         // statements of it that are not read
}

// overloads are the functions of a name.
type overloads struct {
	name      string
	list      []*callable
	templates []*template
	err       error // of a declaration that was not read
	closure   *ctype
}

// overloaded are the functions of a name in this scope.
func (p *lookup) overloaded(name string) *overloads {
	o, _ := p.scope.names[name].(*overloads)
	if o == nil {
		o = &overloads{name: name}
		p.scope.set(name, o)
	}
	return o
}

// declare enters a declared function. One that was declared with the same parameters is the same.
func (p *parser) declare(s *specifiers, d declarator, start int) *callable {
	o := p.overloaded(d.name)
	i := slices.IndexFunc(o.list, func(c *callable) bool { return p.lang.hosted || sameParams(c.params, d.function.params) })
	var c *callable
	if i >= 0 {
		c = o.list[i]
		if c.body > 0 && p.is("{") && !p.scope.class {
			p.fail(d.at, "%s has a body already", d.name)
		}
		if c.body == 0 {
			c.params = d.function.params
		}
	}
	if c == nil || c.body > 0 && p.scope.class { // one for const records may stand beside one for others
		c = &callable{name: d.name, at: d.at, params: d.function.params, start: start, plusPlus: p.lang.plusPlus}
		if len(o.list) > 0 || p.lang.plusPlus && isIntrinsic(d.name) { // calls name the language's own by its name
			c.name = fmt.Sprintf("%s(%s)", d.name, types(c.params))
		}
		o.list = append(o.list, c)
		p.declared = append(p.declared, c)
	}
	c.result, c.auto = d.t, s.auto && d.t.form == otherForm
	c.kernel, c.device, c.constant = c.kernel || s.kernel, c.device || s.device, c.constant || s.fixed
	if s.group != nil {
		c.group = s.group
	}
	if s.summary != "" {
		p.file.Summaries[d.name] = s.summary
	}
	c.most = max(c.most, s.most)
	c.at = d.at
	return c
}

func sameParams(a, b []param) bool {
	return slices.EqualFunc(a, b, func(x, y param) bool {
		return x.t.pointed().same(y.t.pointed()) && x.t.alias == y.t.alias && x.t.memory() == y.t.memory()
	})
}

// memory is the space of what a pointer or an array leads to, by which functions of OpenCL C are told apart; "" for others.
func (t *ctype) memory() Space {
	if t.form != pointerForm && t.form != arrayForm {
		return ""
	}
	return t.elem.innermost().space
}

func types(params []param) string {
	var out []string
	for _, x := range params {
		out = append(out, x.t.String())
	}
	return strings.Join(out, ", ")
}

// need has the body of a function read, now or later.
func (p *parser) need(c *callable) {
	if p.within != nil {
		p.within.calls = append(p.within.calls, c)
	}
	if !c.needed && c.body > 0 {
		c.needed = true
		p.queue = append(p.queue, c)
	}
}

// define reads the body of a function.
func (p *parser) define(c *callable) {
	if c.fn != nil {
		return
	}
	c.needed = true
	c.fn = &Function{Name: c.name, Pos: c.at, Kernel: c.kernel, Group: c.group, MostItems: c.most}
	p.defined = append(p.defined, c)
	s := &scope{outer: c.scope}
	if c.self != nil {
		this := newParam("this", c.at, pointerTo(c.self))
		p.describe(this.v, this.t)
		c.fn.Params = append(c.fn.Params, this.v)
		s.set("this", &variable{v: this.v, t: this.t})
	}
	for _, x := range c.params {
		if x.t.form == groupForm && !c.kernel {
			s.set(x.name, &variable{t: x.t})
			continue
		}
		if x.t.form == arrayForm && !x.t.alias && !p.lang.hosted {
			x.t = x.t.pointed()
		}
		if c.kernel { // a reference is no argument of a kernel
			x.t = x.t.with(func(t *ctype) { t.alias = false })
		}
		v := x.v
		p.describe(v, x.t)
		if c.kernel && v.Pointer && v.Space == "" && p.lang.plusPlus {
			v.Space = GlobalSpace
		}
		c.fn.Params = append(c.fn.Params, v)
		if x.name != "" {
			s.set(x.name, &variable{v: v, t: x.t})
		}
	}
	c.fn.Body = &Block{Pos: c.at, Last: c.at.Line}
	c.fn.Err = p.attempt(func() {
		p.at(c.body, s, func() {
			outer := p.within
			p.within = c
			first := p.initialised(c)
			c.fn.Body = p.block()
			c.fn.Body.Items = append(first, c.fn.Body.Items...)
			p.within = outer
		})
	})
	if c.auto && c.result.form == otherForm { // it returns nothing
		c.result = voidType
	}
	kept := c.result.kept()
	c.fn.Result, c.fn.Elem = kept.dtype, kept.pointee()
	c.fn.Record, c.fn.Pointer = kept.inner(), kept.form == pointerForm
}

// instance is the function that a name expression names: "tile<16, float>".
func (p *parser) instance(text string) (c *callable) {
	start := len(p.tokens)
	p.tokens = append(p.tokens, cpp.Lex("", text)...)
	var known, templated bool
	err := p.attempt(func() {
		p.at(start, p.global, func() {
			p.i += p.qualifiers()
			o, _ := p.global.find(p.name().Text).(*overloads)
			if known = o != nil; !known {
				return
			}
			if o.err != nil {
				panic(fault{err: o.err})
			}
			templated = len(o.templates) > 0
			if !p.is("<") && len(o.templates) > 0 && len(p.argTypes) > 0 {
				c = p.resolve(o, nil, p.givenTypes(), p.here())
				return
			}
			if !p.is("<") {
				for _, x := range o.list {
					if x.body > 0 && (c == nil || x.kernel && !c.kernel) {
						c = x
					}
				}
				return
			}
			args := p.templateArguments()
			if c = p.withBody(o, args, p.givenTypes()); c == nil && len(p.argTypes) > 0 { // the types that are given are not those of the parameters
				c = p.withBody(o, args, nil)
			}
			if p.tok().Kind != cpp.End {
				p.unexpected("the end")
			}
		})
	})
	switch {
	case err != nil:
		panic(fault{err: source.InFile(err, "<the function "+text+">")})
	case c == nil && templated && strings.Contains(text, "<"):
		panic(fault{err: fmt.Errorf("%s: the arguments of %s are not those of the template", p.file.Name, text)})
	case c == nil && templated:
		panic(fault{err: fmt.Errorf("%s: %s is a template: name an instance with its arguments, as %s<16, float>", p.file.Name, text, strings.TrimSpace(text))})
	case c == nil:
		panic(fault{err: fmt.Errorf("%s: it has no function %s; it has %s", p.file.Name, text, p.names())})
	}
	if !templated || strings.Contains(text, "<") {
		c.name = text
	}
	return c
}

// withBody is the instance of templates for arguments, one that has a body if there is any.
func (p *parser) withBody(o *overloads, args []argument, given []value) (c *callable) {
	for _, t := range o.templates {
		if x := p.instantiate(t, args, given, p.here()); x != nil && (c == nil || c.body == 0) {
			c = x
		}
	}
	return c
}

// givenTypes are values of the types that the options give.
func (p *parser) givenTypes() (out []value) {
	for _, text := range p.argTypes {
		t := otherType
		start := len(p.tokens)
		p.tokens = append(p.tokens, cpp.Lex("", text)...)
		err := p.attempt(func() { p.at(start, p.global, func() { t = p.typeName() }) })
		if err != nil || text == "" {
			t = otherType
		}
		out = append(out, value{&Unknown{t.typed(Pos{}), "an argument", nil}, t})
	}
	return out
}

// names lists the kernels of the file.
func (p *parser) names() string {
	var out []string
	for _, c := range p.declared {
		if c.kernel && c.body > 0 {
			out = append(out, c.name)
		}
	}
	for _, name := range p.file.Templates {
		out = append(out, name+"<…>")
	}
	if len(out) == 0 {
		return "no kernel"
	}
	return strings.Join(out, ", ")
}

// resolve is the function of a name that takes arguments best; nil if none does.
func (p *parser) resolve(o *overloads, explicit []argument, args []value, at Pos) *callable {
	var best *callable
	most, least := math.MinInt, 0
	for _, c := range o.list {
		if score, ok := c.takes(args); ok && explicit == nil && score > most {
			best, most = c, score
		}
	}
	if most == len(args) { // just the types of the parameters
		return best
	}
	for _, t := range o.templates {
		c := p.instantiate(t, explicit, args, at)
		if c == nil {
			continue
		}
		closer := best != nil && t.open < least // than another template
		if score, _ := c.takes(args); score > most || score == most && closer || best != nil && best.body == 0 && c.body > 0 && score == most {
			best, most, least = c, score, t.open
		}
	}
	return best
}

// userConversion is how much a conversion by a function of the program is worse than one of the language.
const userConversion = 1 << 10

// takes tells how many arguments have just the type of their parameter.
func (c *callable) takes(args []value) (score int, ok bool) {
	if len(args) > len(c.params) {
		return 0, false
	}
	for i, x := range c.params {
		if i >= len(args) {
			if x.def == 0 {
				return 0, false
			}
			continue
		}
		t := args[i].t.pointed()
		switch {
		case x.t.pointed().same(t):
			if x.t.memory() == args[i].t.memory() {
				score++
			}
		case x.t.form == groupForm, t.form == groupForm:
			return 0, false
		case t.form == otherForm:
		case x.t.form == recordForm || t.form == recordForm:
			if t.conversionTo(x.t) == nil && !x.t.named().madeOf(t) {
				return 0, false
			}
			score -= userConversion
		case x.t.form == numberForm && t.form == numberForm && t.dtype.IsVector() != x.t.dtype.IsVector() && (c.plusPlus || t.dtype.IsVector()):
			return 0, false // OpenCL C widens numbers
		case x.t.form == numberForm && t.form != numberForm, x.t.form != numberForm && t.form == numberForm && t.dtype.Size() > 8:
			return 0, false
		}
	}
	return score, true
}

// trailing reads the result of a function that follows its parameters. One that is told by an expression in these is that of the body.
func (p *parser) trailing(c *callable) {
	switch {
	case !p.accept("->"):
	case p.is("decltype"):
		p.next()
		p.pass()
		c.auto, c.result = true, otherType
	default:
		c.result, c.auto = p.typeName(), false
	}
}
