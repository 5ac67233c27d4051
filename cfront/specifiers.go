package cfront

import (
	"slices"
	"strings"

	"gpuperf/cfront/cpp"
	"gpuperf/kernel/expr"
)

// specifiers are what a declaration begins with.
type specifiers struct {
	t                              *ctype
	typedef, extern, static, fixed bool // fixed: constexpr
	kernel, device                 bool
	space                          Space
	spaced                         bool // an address space is given
	group                          []int64
	most                           int64 // work-items of a work-group
	unroll                         int
	auto                           bool
	packed                         bool // an attribute leaves no gaps between members of a record
	align                          int64
	unaligned                      bool // an alignment is not known
	summary                        string
}

// numbers are the types that words make: the words sorted, int left out beside others.
var numbers = map[string]*ctype{
	"char": number(expr.Int8), "char signed": number(expr.Int8), "char unsigned": number(expr.Uint8), "short": number(expr.Int16),
	"short signed": number(expr.Int16), "short unsigned": number(expr.Uint16), "int": intType, "": intType, "signed": intType,
	"unsigned": number(expr.Uint32), "long": number(expr.Int64), "long signed": number(expr.Int64), "long unsigned": number(expr.Uint64),
	"long long": number(expr.Int64), "long long signed": number(expr.Int64), "long long unsigned": number(expr.Uint64),
	"float": number(expr.Float32), "double": number(expr.Float64), "double long": longDouble,
	"int128": int128, "int128 signed": int128, "int128 unsigned": int128,
	"Complex": complexType, "Complex float": complexType, "Complex double": complexType, "Complex double long": complexType,
}

// Types of numbers that kernels have not.
var (
	longDouble  = &ctype{form: otherForm, name: "long double"}
	int128      = &ctype{form: otherForm, name: "__int128"}
	complexType = &ctype{form: otherForm, name: "_Complex"}
)

var intType = number(expr.Int32)

// basic are the words of types of numbers.
var basic = strings.Fields("char short int long signed unsigned float double __signed__ __signed __int128 _Complex")

// specifiers reads what a declaration begins with. There must be a type.
func (p *parser) specifiers() *specifiers {
	s := &specifiers{}
	var words []string
	constant := false
	for {
		for p.lang.plusPlus && p.is("[") && p.peek(1).Is("[") {
			p.pass()
		}
		t := p.tok()
		if t.Kind != cpp.Name && !(p.lang.plusPlus && p.is("::") && s.t == nil && len(words) == 0) {
			break
		}
		space, isSpace := p.lang.spaces[t.Text]
		switch {
		case slices.Contains(basic, t.Text):
			if s.t != nil {
				p.fail(p.here(), "a second type stands here")
			}
			words = append(words, strings.Trim(p.next().Text, "_"))
		case t.Text == "const" || t.Text == "__const":
			p.next()
			constant = true
		case p.lang.plusPlus && slices.Contains(evaluated, t.Text):
			p.next()
			s.fixed, constant = true, true
		case t.Text == "__extension__":
			p.next()
		case t.Text == "typedef":
			p.next()
			s.typedef = true
		case t.Text == "extern":
			p.next()
			s.extern = true
			if p.tok().Kind == cpp.String {
				p.next()
			}
		case t.Text == "static":
			p.next()
			s.static = true
		case slices.Contains(p.lang.kernels, t.Text):
			p.next()
			s.kernel = true
		case isSpace:
			p.next()
			s.space, s.spaced = space, true
			s.device = s.device || t.Text == "__device__"
			constant = constant || space == ConstantSpace
		case slices.Contains(p.lang.ignored, t.Text):
			p.next()
		case p.attributes(s):
		case s.t == nil && len(words) == 0:
			if t.Text == "auto" && p.lang.plusPlus {
				p.next()
				s.t, s.auto = otherType, true
				continue
			}
			if s.t = p.typeHere(); s.t == nil && p.untyped(constant || s.static || s.extern) {
				s.t = intType
				return p.specified(s, words, constant)
			}
			if s.t == nil {
				p.noType()
			}
		default:
			return p.specified(s, words, constant)
		}
	}
	return p.specified(s, words, constant)
}

func (p *cursor) specified(s *specifiers, words []string, constant bool) *specifiers {
	if s.t == nil {
		if len(words) == 0 && !s.spaced && !constant && !s.static && !s.extern && !s.kernel {
			p.noType()
		}
		if len(words) > 1 {
			words = slices.DeleteFunc(words, func(w string) bool { return w == "int" })
		}
		slices.Sort(words)
		t := numbers[strings.Join(words, " ")]
		if t == nil {
			p.fail(p.here(), "%s is no type", strings.Join(words, " "))
		}
		s.t = t
	}
	if (s.packed || s.align > 0) && s.t.form == recordForm && s.t.record.layout == nil {
		s.t.record.packed, s.t.record.aligned = s.t.record.packed || s.packed, max(s.t.record.aligned, s.align)
	}
	if constant || s.space != "" {
		s.t = s.t.with(func(t *ctype) {
			t.constant = t.constant || constant
			if !p.lang.plusPlus { // there it is that of the variable, whatever it points to
				t.space = s.space
			}
		})
	}
	return s
}

// typeOf are words for the type of an expression or of a type.
var typeOf = map[string]bool{"typeof": true, "__typeof__": true, "__typeof": true}

// typeOf reads such a word with its operand.
func (p *parser) typeOf() *ctype {
	p.next()
	p.expect("(")
	var t *ctype
	if p.startsType() {
		t = p.typeName()
	} else {
		t = p.withAngle(0, p.value).t.named()
	}
	p.expect(")")
	return t
}

// noType refuses a name that is no type.
func (p *cursor) noType() {
	t := p.tok()
	if t.Kind != cpp.Name {
		p.unexpected("a type")
	}
	p.unknown(t, "%s is no type that is known here")
}

// typeHere reads the name of a type other than a basic one, or a record; nil where none stands.
func (p *parser) typeHere() *ctype {
	t := p.tok()
	switch {
	case t.Kind != cpp.Name && !p.is("::"):
		return nil
	case p.is("void"):
		p.next()
		return voidType
	case p.is("struct"), p.is("class") && p.lang.plusPlus, p.is("union"), p.is("enum"):
		return p.record()
	case typeOf[t.Text], p.is("decltype") && p.lang.plusPlus:
		return p.nestedType(p.typeOf())
	case p.lang.plusPlus && textures[t.Text] && p.peek(1).Is("<"):
		return p.texture(p.next().Text)
	}
	n := p.qualifiers()
	t = p.peek(n)
	switch x := p.meant(n).(type) {
	case *ctype:
		p.i += n + 1
		if p.is("<") && x.form == recordForm && x.record.of != nil { // the name of a class template within it
			x = p.classInstance(x.record.of, Pos(t.At))
		}
		return p.nestedType(x)
	case *class:
		if !p.peek(n + 1).Is("<") {
			return nil
		}
		p.i += n + 1
		return p.nestedType(p.classInstance(x, Pos(t.At)))
	case *aliasTemplate:
		if !p.peek(n + 1).Is("<") {
			return nil
		}
		p.i += n + 1
		return p.nestedType(p.alias(x, Pos(t.At)))
	case tileTemplate:
		p.i += n + 1
		return p.tileType(Pos(t.At))
	case unreadGroup:
		p.failGroup(Pos(t.At), x.name)
	case nil:
		if p.enables(n) {
			return p.enabled(n)
		}
	}
	return nil
}

// qualifiers is the number of tokens of namespaces before a name.
func (p *lookup) qualifiers() int {
	n := 0
	if p.is("::") {
		n = 1
	}
	for p.lang.plusPlus && p.spaces[p.peek(n).Text] && p.peek(n+1).Is("::") {
		n += 2
	}
	return n
}

// meaning is what a name means here, declared or built in.
func (p *lookup) meaning(name string) any {
	if x := p.scope.find(name); x != nil {
		return x
	}
	if t, ok := p.lang.types[name]; ok {
		return t
	}
	if t, ok := p.lang.variables[name]; ok {
		v := &variable{v: &Var{Name: name, Class: Builtin}, t: t}
		p.global.set(name, v)
		return v
	}
	if p.opened {
		return groupNames[name]
	}
	return nil
}

// startsType reports whether a type, or what else begins a declaration, stands here.
func (p *lookup) startsType() bool {
	t := p.tok()
	if t.Kind != cpp.Name && !(p.lang.plusPlus && p.is("::")) {
		return false
	}
	if _, ok := p.lang.spaces[t.Text]; ok || slices.Contains(basic, t.Text) || slices.Contains(p.lang.ignored, t.Text) {
		return true
	}
	switch t.Text {
	case "const", "__const", "static", "extern", "typedef", "void", "struct", "union", "enum", "__attribute__", "_Alignas":
		return true
	case "typeof", "__typeof__", "__typeof":
		return !p.lang.plusPlus
	case "decltype":
		return p.lang.plusPlus && !p.peek(1).Is("auto")
	case "constexpr", "auto", "class", "alignas", "__align__":
		return p.lang.plusPlus
	}
	if p.lang.plusPlus && textures[t.Text] && p.peek(1).Is("<") {
		return true
	}
	n := p.qualifiers()
	switch p.meant(n).(type) {
	case *ctype:
		return true
	case *class, tileTemplate, *aliasTemplate:
		return p.peek(n + 1).Is("<")
	}
	return p.enables(n)
}

// nestedType is a type, or one that is declared in it where :: and its name follow. Of a record of which a parameter that stands for itself is an argument, it is
// one that is not known.
func (p *parser) nestedType(t *ctype) *ctype {
	for p.is("::") && t.form == recordForm && t.record.scope != nil {
		n := 1
		if p.peek(n).Is("template") {
			n++
		}
		if p.holed && t.record.of != nil && t.record.scope.names[p.peek(n).Text] == nil && p.peek(n).Kind == cpp.Name {
			p.i += n + 1
			return otherType
		}
		switch inner := t.record.scope.names[p.peek(n).Text].(type) {
		case *ctype:
			p.i += n + 1
			t = inner
		case *class:
			if !p.peek(n + 1).Is("<") {
				return t
			}
			at := Pos(p.peek(n).At)
			p.i += n + 1
			t = p.classInstance(inner, at)
		case *aliasTemplate:
			if !p.peek(n + 1).Is("<") {
				return t
			}
			at := Pos(p.peek(n).At)
			p.i += n + 1
			t = p.alias(inner, at)
		default:
			return t
		}
	}
	return t
}

// typeName reads a type without a name, as in a cast.
func (p *parser) typeName() *ctype {
	s := p.specifiers()
	d := p.declarator(s.t)
	if d.name != "" || d.function != nil {
		p.fail(p.here(), "a type without a name should stand here")
	}
	return d.t
}

// attributes passes an attribute, and notes those that matter.
func (p *parser) attributes(s *specifiers) bool {
	any := false
	for {
		switch {
		case p.is("__attribute__"), p.is("__attribute"):
			p.next()
			p.expect("(")
			p.expect("(")
			for !p.accept(")") {
				p.attribute(s)
			}
			p.expect(")")
		case p.is("[") && p.peek(1).Is("[") && p.lang.plusPlus:
			p.pass()
		case p.is("__launch_bounds__"):
			p.next()
			p.launchBounds(s)
		case p.is("__align__"), p.is("alignas"), p.is("_Alignas"):
			p.next()
			p.alignment(s)
		case p.is("__declspec"), p.is("__cluster_dims__"), p.is("__maxnreg__"):
			p.next()
			if !p.is("(") {
				p.unexpected(`"("`)
			}
			p.pass()
		default:
			return any
		}
		any = true
	}
}

// alignment reads how objects are aligned, in brackets: a number, or that of a type.
func (p *parser) alignment(s *specifiers) {
	if !p.is("(") {
		p.unexpected(`"("`)
	}
	start := p.i
	if err := p.attempt(func() {
		p.expect("(")
		if p.startsType() {
			s.align = max(s.align, p.typeName().align())
		} else {
			s.align = max(s.align, p.constant("an alignment"))
		}
	}); err != nil {
		s.unaligned = true
	}
	p.i = start
	p.pass()
}

// launchBounds reads how many work-items a work-group has at most, where that is a number that is known here: parameters of templates are not.
func (p *parser) launchBounds(s *specifiers) {
	if !p.is("(") {
		p.unexpected(`"("`)
	}
	start := *p
	err := p.attempt(func() {
		p.expect("(")
		s.most = max(p.constant("a number of work-items"), 0)
	})
	if p.i = start.i; err != nil {
		s.most = 0
	}
	p.pass()
}

// attribute reads one of GNU's attributes.
func (p *parser) attribute(s *specifiers) {
	if p.accept(",") {
		return
	}
	if p.tok().Kind != cpp.Name {
		p.unexpected("an attribute")
	}
	name := strings.Trim(p.next().Text, "_")
	switch {
	case name == "reqd_work_group_size" && p.accept("("):
		for range 3 {
			at := p.here()
			n := p.constant("an extent of a work-group")
			if n < 1 {
				p.fail(at, "an extent of a work-group is positive")
			}
			s.group = append(s.group, n)
			if !p.accept(",") {
				break
			}
		}
		p.expect(")")
		if len(s.group) != 3 {
			p.fail(p.here(), "reqd_work_group_size has three extents")
		}
	case name == "opencl_unroll_hint":
		s.unroll = -1
		if p.accept("(") {
			if !p.is(")") {
				s.unroll = int(min(p.constant("a number of iterations"), 1<<20))
			}
			p.expect(")")
		}
	case name == "pencil_access" && p.accept("("):
		s.summary = p.name().Text
		p.expect(")")
	case name == "packed":
		s.packed = true
	case name == "aligned" && p.is("("):
		p.alignment(s)
	case name == "aligned":
		s.align = 16
	case p.is("("):
		p.pass()
	}
}
