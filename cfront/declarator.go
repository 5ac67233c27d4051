package cfront

import (
	"gpuperf/cfront/cpp"
)

// declarator is a name with its type, as a declaration gives it.
type declarator struct {
	name     string
	at       Pos
	t        *ctype
	function *signature // of a function: t is the type of its result
}

// signature are the parameters of a function.
type signature struct {
	params []param
}

type param struct {
	name string
	at   Pos
	t    *ctype
	v    *Var
	def  int // the token where its default begins; 0 without one
}

func newParam(name string, at Pos, t *ctype) param {
	return param{name: name, at: at, t: t, v: &Var{Name: name, Pos: at, Class: Param}}
}

// declarator reads a declarator, whose name may be missing, upon a type.
func (p *parser) declarator(base *ctype) declarator {
	defer p.nest()()
	t := p.pointers(base)
	d := declarator{at: p.here()}
	switch {
	case p.is("(") && p.nested():
		p.next()
		alias := p.lang.plusPlus && (p.accept("&") || p.accept("&&"))
		hole := &ctype{}
		d = p.declarator(hole)
		p.expect(")")
		var outer declarator
		t = p.suffixes(t, &outer)
		p.labels()
		if outer.function != nil && d.t == hole && d.function == nil { // its name alone stood in the brackets
			d.t, d.function = t, outer.function
			return d
		}
		if outer.function != nil {
			t = &ctype{form: functionForm, elem: t}
		}
		*hole = *t
		if alias {
			d.t = d.t.with(func(t *ctype) { t.alias = true })
		}
		return d
	case p.lang.plusPlus && p.is("operator"):
		d.name = p.operatorName()
	case p.lang.plusPlus && p.qualifiers() > 0 && p.peek(p.qualifiers()+1).Is("("): // of a function that a namespace declares
		p.i += p.qualifiers()
		d.name = p.name().Text
	case p.tok().Kind == cpp.Name && !p.startsType() || p.declares():
		d.name = p.name().Text
	}
	d.t = p.suffixes(t, &d)
	p.labels()
	return d
}

// operatorName reads the name of a function that is an operator, up to its parameters.
func (p *cursor) operatorName() string {
	p.next()
	name := "operator"
	for first := true; first || !p.is("("); first = false {
		if p.tok().Kind == cpp.End {
			p.unexpected("an operator")
		}
		name += p.next().Text
		if first && name == "operator(" {
			return name + p.next().Text
		}
	}
	return name
}

// labels passes what may stand after a declarator: attributes, and the name that assemblers know it by.
func (p *parser) labels() {
	for p.is("asm") || p.is("__asm__") || p.is("__asm") {
		p.next()
		if !p.is("(") {
			p.unexpected(`"("`)
		}
		p.pass()
	}
	p.attributes(&specifiers{})
}

// declares reports whether a name that means a type is declared anew.
func (p *lookup) declares() bool {
	if p.tok().Kind != cpp.Name {
		return false
	}
	if _, ok := p.meaning(p.tok().Text).(*ctype); !ok {
		return false
	}
	after := p.peek(1)
	return after.Is(";") || after.Is("=") || after.Is(",") || after.Is(")") || after.Is("[") || after.Is("(")
}

// nested reports whether a bracket holds a declarator, rather than parameters or values.
func (p *lookup) nested() bool {
	after := p.peek(1)
	if !p.lang.hosted || after.Kind != cpp.Name {
		return after.Is("*") || after.Is("&") || after.Is("(")
	}
	found := after.Is("__attribute__")
	if !found {
		p.at(p.i+1, p.scope, func() { found = !p.startsType() })
	}
	return found
}

// pointers reads stars and references with their qualifiers.
func (p *parser) pointers(t *ctype) *ctype {
	for stars := 0; ; {
		p.attributes(&specifiers{})
		word := p.tok().Text
		space, isSpace := p.lang.spaces[word]
		switch {
		case p.accept("*"):
			if stars++; stars > 16 {
				p.fail(p.here(), "more than 16 pointers to each other")
			}
			t = pointerTo(t)
		case p.lang.plusPlus && (p.is("&") || p.is("&&")):
			p.next()
			t = t.with(func(t *ctype) { t.alias = true })
		case p.is("const"), p.is("__const"):
			p.next()
			t = t.with(func(t *ctype) { t.constant = true })
		case p.is("restrict"), p.is("__restrict"), p.is("__restrict__"):
			p.next()
			t = t.with(func(t *ctype) { t.restrict = true })
		case p.is("volatile"), p.is("__volatile__"), p.is("__volatile"), p.is("_Atomic"):
			p.next()
		case isSpace && t.form == pointerForm && p.tok().Kind == cpp.Name:
			p.next()
			t = t.with(func(t *ctype) { t.space = space })
		default:
			return t
		}
	}
}

// suffixes reads extents and parameters after a name. The innermost comes last.
func (p *parser) suffixes(t *ctype, d *declarator) *ctype {
	if p.is("(") && d.function == nil && (d.name == "" || p.parameters()) {
		d.function = p.signature()
		return t
	}
	type dimension struct{ extent Expr }
	var dims []dimension
	for p.is("[") && !p.peek(1).Is("[") {
		p.next()
		var extent Expr
		for p.accept("const") || p.accept("restrict") || p.accept("__restrict") || p.accept("__restrict__") || p.accept("static") || p.accept("volatile") {
		}
		if p.is("*") && p.peek(1).Is("]") {
			p.next()
		}
		if !p.is("]") {
			extent = p.evaluated(p.withAngle(0, p.value)).e
		}
		p.expect("]")
		dims = append(dims, dimension{extent})
		if len(dims) > 16 {
			p.fail(p.here(), "an array of more than 16 dimensions")
		}
	}
	if len(dims) > 0 && t.alias {
		p.fail(p.here(), "an array of references is none")
	}
	for i := len(dims) - 1; i >= 0; i-- {
		t = &ctype{form: arrayForm, elem: t, extent: dims[i].extent, space: t.space, constant: t.constant}
	}
	return t
}

// parameters reports whether a bracket after a name holds parameters, rather than the values of an object.
func (p *lookup) parameters() bool {
	if p.peek(1).Is(")") || p.peek(1).Is("...") || !p.lang.plusPlus {
		return true
	}
	found := false
	p.at(p.i+1, p.scope, func() {
		found = p.startsType() && (p.within == nil || !p.peek(1).Is("(") || p.peek(2).Is("*") || p.peek(2).Is("&")) || p.tok().Kind == cpp.Name && p.meaning(p.tok().Text) == nil && p.within == nil
	})
	return found
}

// signature reads parameters.
func (p *parser) signature() *signature {
	defer p.nest()()
	s := &signature{}
	p.expect("(")
	outer := p.scope
	p.scope = &scope{outer: outer}
	defer func() { p.scope = outer }()
	if p.is("void") && p.peek(1).Is(")") {
		p.next()
	}
	for !p.accept(")") {
		if p.accept("...") {
			continue
		}
		if p.lang.hosted && p.tok().Kind == cpp.Name && !p.startsType() { // its type follows the brackets
			t := p.name()
			s.params = append(s.params, newParam(t.Text, Pos(t.At), intType))
			p.accept(",")
			continue
		}
		spec := p.specifiers()
		d := p.declarator(spec.t)
		if d.function != nil {
			d.t = pointerTo(&ctype{form: functionForm, elem: d.t})
		}
		x := newParam(d.name, d.at, d.t)
		if x.name != "" { // extents of further parameters may use it
			p.scope.set(x.name, &variable{v: x.v, t: x.t})
		}
		if p.accept("=") {
			x.def = p.i
			p.assignment()
		}
		s.params = append(s.params, x)
		if !p.accept(",") && !p.is(")") {
			p.unexpected(afterParameter)
		}
	}
	p.qualified()
	return s
}

// qualified passes what follows the parameters of a function: const, noexcept(…), &.
func (p *cursor) qualified() {
	for p.accept("const") || p.accept("noexcept") || p.accept("override") || p.accept("final") || p.lang.plusPlus && (p.accept("&") || p.accept("&&")) {
		if p.is("(") && p.tokens[p.i-1].Is("noexcept") {
			p.pass()
		}
	}
}

// withAngle runs f where > has another meaning than around.
func (p *cursor) withAngle(angle int, f func() value) value {
	saved := p.angle
	p.angle = angle
	v := f()
	p.angle = saved
	return v
}

// variable enters a declared variable, and reads its value; nil for a group, which is left out.
func (p *parser) variable(s *specifiers, d declarator, external bool) *Var {
	t := d.t
	v := &Var{Name: d.name, Pos: d.at, Class: Local}
	if external || p.lang.hosted && (s.static || s.extern) {
		v.Class = Global
	}
	if before, ok := p.scope.names[d.name].(*variable); ok && external && p.lang.hosted { // it is declared again
		v = before.v
		*v = Var{Name: d.name, Pos: d.at, Class: Global}
		if t.form == arrayForm && t.extent == nil {
			t = before.t
		}
	}
	entry := &variable{v: v, t: t}
	if !s.auto { // the variable is known in its own value
		p.scope.set(d.name, entry)
	}
	init := p.initial(s, t)
	if init.e == nil && !external && !s.spaced && !s.extern && !s.static {
		if v, ok := p.byDefault(d.at, t); ok {
			init = v
		}
	}
	if s.fixed && init.e != nil {
		init = p.evaluated(init)
	}
	if init.t != nil && init.t.callees != nil && !external && t.form != arrayForm {
		p.scope.set(d.name, init.t.callees) // which assigning to it is refused for
		return nil
	}
	if init.e != nil {
		t = p.initialized(s, entry, init)
		if t.refers() {
			v.Init = p.reference(t, init)
		}
	}
	if t.form == groupForm {
		p.groupOf(d.at, t, init)
		p.scope.set(d.name, entry)
		return nil
	}
	p.scope.set(d.name, entry)
	if in := t.innermost(); !external && !p.lang.hosted && in.form == recordForm && !in.record.known {
		err := p.file.Errorf(d.at, "the members of %s are not known", in)
		err.Lacks = bareName(in)
		panic(fault{err: err})
	}
	p.describe(v, t)
	if s.space == LocalSpace && t.form != pointerForm {
		v.Space, v.Dynamic = LocalSpace, s.extern
	} else if s.spaced && t.form != pointerForm {
		v.Space = s.space
	} else if s.spaced && external && !p.lang.hosted && p.lang.plusPlus {
		v.Kept = s.space
	}
	return v
}

// initialized gives a variable its value, and returns its type.
func (p *typer) initialized(s *specifiers, entry *variable, init value) *ctype {
	v := entry.v
	if s.auto && init.t == nil {
		p.fail(v.Pos, "%s has the type of its value, and that is a list", v.Name)
	}
	if s.auto {
		t := init.t.pointed()
		if entry.t.form == pointerForm { // auto *p
			t = init.t.pointed()
		}
		if entry.t.alias {
			t = init.t
		}
		alias, constant := entry.t.alias, entry.t.constant
		entry.t = t.with(func(t *ctype) { t.alias, t.constant = alias, constant || t.constant && t.form != numberForm })
	}
	p.takes(v.Pos, entry.t, init)
	v.Init = init.e
	v.Listed = init.t == nil
	if entry.t.form == arrayForm && entry.t.extent == nil {
		if n := extentOf(v.Pos, entry.t.elem, init); n != nil {
			entry.t = entry.t.with(func(t *ctype) { t.extent = n })
		}
	}
	if (entry.t.constant && !p.lang.hosted || s.fixed) && entry.t.form == numberForm && (entry.t.dtype.IsInteger() || entry.t.dtype == boolType.dtype) {
		if folded, ok := p.converted(init, entry.t, v.Pos).e.(*Int); ok {
			entry.value = folded
		}
	}
	if constant := entry.t.constant && v.Class == Global && !p.lang.hosted || s.fixed; constant && entry.t.dtype.IsFloat() && !entry.t.dtype.IsVector() && !entry.t.alias {
		if x, ok := realOf(v.Init); ok {
			entry.real, _ = floatValue(v.Pos, x, entry.t.dtype).e.(*Float)
		}
	}
	return entry.t
}

// extentOf is the extent that its values give an array which is declared without one; nil where that is not known.
func extentOf(at Pos, elem *ctype, init value) Expr {
	if init.t != nil && init.t.form == arrayForm && init.t.elem.same(elem) { // a string
		return init.t.extent
	}
	list, ok := init.e.(*List)
	if !ok {
		return nil
	}
	for _, item := range list.Items {
		_, braces := item.(*List)
		text := item.PointsTo() != "" && elem.form == numberForm
		if text || !braces && item.Type() != "" && elem.form != numberForm { // several values make one element
			return nil
		}
	}
	return &Int{intType.typed(at), int64(len(list.Items))}
}

// describe tells a variable's type in the terms of trees.
func (p *typer) describe(v *Var, t *ctype) {
	t = t.kept()
	v.Const = t.constant
	v.Reference = t.alias
	if t.form == pointerForm {
		v.Pointer, v.Restrict, v.Dims = true, t.restrict, []Expr{nil}
		v.Const, v.Space = t.elem.constant, t.elem.innermost().space
		t = t.elem
		if t.form == pointerForm {
			v.TypeName = pointerTo(t).String()
			return
		}
	}
	for ; t.form == arrayForm; t = t.elem {
		v.Dims = append(v.Dims, t.extent)
		v.Const = v.Const || t.constant
	}
	if t.form == pointerForm {
		v.TypeName = t.String()
		return
	}
	v.DType, v.Record = t.dtype, t.inner()
	if t.dtype == "" {
		v.TypeName = t.name
	}
}

// initializer reads the value of a variable. A list in braces is a *List without a type, unless it is one value or makes a vector.
func (p *parser) initializer(t *ctype) value {
	if !p.is("{") {
		return p.assignment()
	}
	defer p.nest()()
	at := p.here()
	p.next()
	var items []Expr
	var types []value
	designated := false
	elem := t
	if t.form == arrayForm {
		elem = t.elem
	}
	for i := 0; !p.accept("}"); i++ {
		designated = p.designators() || designated
		if t.form == recordForm && i < len(t.record.fields) {
			elem = t.record.fields[i].t
		}
		item := p.initializer(elem)
		if item.t != nil && item.t.callees != nil {
			p.functions[item.e] = item.t.callees
		}
		items, types = append(items, item.e), append(types, item)
		if !p.accept(",") && !p.is("}") {
			p.unexpected(`"," or "}"`)
		}
	}
	switch {
	case designated:
		return value{e: &Unknown{typed{Pos: at}, "designated values", items}}
	case t.form == numberForm:
		return p.braced(at, t, items)
	case t.form == recordForm && !p.lang.hosted:
		return p.bracedRecord(at, t, items, types)
	}
	return value{e: &List{typed{Pos: at}, items}}
}

// braced is the value of a number or vector that a list gives. Lanes that are not given are zero.
func (p *typer) braced(at Pos, t *ctype, items []Expr) value {
	lanes := int(t.dtype.Lanes())
	zero := &Int{intType.typed(at), 0}
	switch {
	case lanes == 1 && len(items) == 0:
		return value{zero, intType}
	case lanes == 1 && len(items) == 1:
		return value{items[0], t}
	case len(items) > lanes:
		p.fail(at, "%d values for %s", len(items), t)
	}
	for len(items) < lanes {
		items = append(items, zero)
	}
	return value{&Vector{t.typed(at), items}, t}
}

// constructed reads the values in brackets after the name of a variable.
func (p *parser) constructed(t *ctype) value {
	at := p.here()
	p.next()
	return p.construct(at, t, p.arguments())
}

// bracedRecord is a record that a list gives: by a constructor, or member by member.
func (p *parser) bracedRecord(at Pos, t *ctype, items []Expr, args []value) value {
	if p.constructors(t) != nil && t.record.known {
		for i := range args {
			if args[i].t == nil {
				args[i].t = otherType
			}
		}
		if len(args) == 0 {
			if v, ok := p.byDefault(at, t); ok {
				return v
			}
		} else {
			return p.construct(at, t, args)
		}
	}
	if len(args) == 1 && args[0].t != nil && args[0].t.same(t) {
		return value{items[0], t}
	}
	return value{&Make{t.typed(at), "", p.withInitial(t, items)}, t}
}
