package cfront

import (
	"slices"

	"gpuperf/cfront/cpp"
	"gpuperf/kernel/expr"
)

// Functions and operators of records are functions whose first parameter, this, points to the object. A constructor is one without a value; the expression
// that makes an object names it.

// initialised are the statements that give members their values before the body of a constructor, whose brace the parser stands at then.
func (p *parser) initialised(c *callable) (out []Stmt) {
	if !c.makes {
		return nil
	}
	r := c.self.record
	done := map[string]bool{}
	this := func() Expr { return p.implied(c.at) }
	var give func(at Pos, to value, e Expr) // elements of arrays one by one
	give = func(at Pos, to value, e Expr) {
		list, listed := e.(*List)
		extent, _ := to.t.extent.(*Int)
		if to.t.form != arrayForm || !listed || extent == nil || extent.Value > maxSpread {
			out = append(out, &Do{at, &Assign{typed: to.t.kept().typed(at), To: to.e, Value: e}})
			return
		}
		for i := range extent.Value {
			item := Expr(NewInt(at, 0))
			if i < int64(len(list.Items)) {
				item = list.Items[i]
			}
			give(at, p.element(at, to, value{NewInt(at, i), intType}), item)
		}
	}
	assign := func(at Pos, f field, v value) {
		if f.t.refers() && v.e != nil {
			v.e = p.reference(f.t, v)
		}
		give(at, value{&Member{f.t.kept().typed(at), this(), f.name}, f.t}, v.e)
	}
	if c.inits > 0 {
		p.at(c.inits, p.scope, func() {
			for p.next().Text != "{" && !p.is("{") {
				at, name := p.here(), p.name().Text
				t := c.self.field(name)
				if t == nil {
					p.fail(at, "%s is no member of %s", name, c.self)
				}
				var v value
				if p.is("{") {
					v = p.initializer(t)
				} else {
					v = p.constructed(t)
				}
				done[name] = true
				assign(at, field{name, t}, v)
			}
		})
	}
	for _, f := range r.fields {
		if start := r.initial[f.name]; start > 0 && !done[f.name] {
			var v value
			p.at(start, r.scope, func() { v = p.initializer(f.t) })
			assign(p.here(), f, v)
		}
	}
	return out
}

// maxSpread bounds the elements of an array that is a member and has a list for its values.
const maxSpread = 4096

// implied is the object of the function of a record that is read.
func (p *parser) implied(at Pos) Expr {
	this, ok := p.scope.find("this").(*variable)
	if !ok {
		p.fail(at, "a member stands outside of the functions of its record")
	}
	return p.element(at, value{&Ref{this.t.typed(at), this.v}, this.t}, value{&Int{intType.typed(at), 0}, intType}).e
}

// ownMember is a member of the object that a function of its record is called for.
func (p *parser) ownMember(at Pos, x *member) value {
	return deref(at, value{&Member{x.t.kept().typed(at), p.implied(at), x.name}, x.t})
}

// construct is an object of a type that values make.
func (p *parser) construct(at Pos, t *ctype, args []value) value {
	if t.form != recordForm {
		return p.make(at, t, args)
	}
	var items []Expr
	for _, a := range args {
		items = append(items, a.e)
	}
	copied := len(args) == 1 && args[0].t != nil && args[0].t.same(t)
	if o := p.constructors(t); o != nil && !copied {
		c := p.resolve(o, nil, args, at)
		if c == nil {
			p.fail(at, "no constructor of %s takes (%s)", t, argumentTypes(args))
		}
		return value{&Make{t.typed(at), c.name, expressions(p.given(at, c, args))}, t}
	}
	if copied {
		return value{args[0].e, t}
	}
	return value{&Make{t.typed(at), "", p.withInitial(t, items)}, t}
}

// constructors are those of a record; nil where it has none.
func (p *parser) constructors(t *ctype) *overloads {
	if t.record.scope == nil {
		return nil
	}
	o, _ := t.record.scope.names[constructorName].(*overloads)
	return o
}

// withInitial adds to the values of a record those that members have from the beginning.
func (p *parser) withInitial(t *ctype, items []Expr) []Expr {
	r := t.record
	if len(r.initial) == 0 {
		return items
	}
	for i := len(items); i < len(r.fields); i++ {
		f := r.fields[i]
		v := value{&Int{intType.typed(p.here()), 0}, intType}
		if start := r.initial[f.name]; start > 0 {
			p.at(start, r.scope, func() { v = p.initializer(f.t) })
		} else if f.t.form != numberForm {
			p.fail(p.here(), "%s has no value from the beginning, and members behind it have", f.name)
		}
		items = append(items, v.e)
	}
	return items
}

// byDefault is the value that a variable of a type has without one; ok is false where that is none.
func (p *parser) byDefault(at Pos, t *ctype) (v value, ok bool) {
	elem := t.innermost()
	if elem.form != recordForm || !p.lang.plusPlus {
		return v, false
	}
	o := p.constructors(elem)
	switch {
	case o == nil && len(elem.record.initial) == 0:
		return v, false
	case t.form == arrayForm:
		if o != nil {
			c := p.resolve(o, nil, nil, at)
			if c != nil && c.inits == 0 && c.body > 0 && p.tokens[c.body+1].Is("}") && len(elem.record.initial) == 0 {
				return v, false
			}
		}
		p.fail(at, "an array of %s, whose elements have values from the beginning", elem)
	case o == nil:
		return p.construct(at, t, nil), true
	}
	c := p.resolve(o, nil, nil, at)
	if c == nil || c.body == 0 {
		return v, false
	}
	return value{&Make{t.typed(at), c.name, expressions(p.given(at, c, nil))}, t}, true
}

// memberOf reads what stands after a dot: a function of a record with its arguments, or a static member; ok is false for other members.
func (p *parser) memberOf(at Pos, x value, name cpp.Token) (v value, ok bool) {
	if x.t.form != recordForm || x.t.record.scope == nil {
		return v, false
	}
	switch what := x.t.record.scope.names[name.Text].(type) {
	case *overloads:
		return p.methodCall(Pos(name.At), x, name.Text, what), true
	case *variable:
		return p.valueOf(at, what), true
	case *Int:
		return value{&Int{typed{Pos: at, DType: what.DType}, what.Value}, number(what.DType)}, true
	}
	return v, false
}

// methodCall reads the arguments of a function of a record that is called for an object.
func (p *parser) methodCall(at Pos, x value, name string, o *overloads) value {
	var explicit []argument
	if p.is("<") {
		explicit = p.templateArguments()
	}
	p.expect("(")
	args := p.arguments()
	c := p.resolve(o, explicit, args, at)
	if c == nil {
		p.fail(at, "no function %s of %s takes (%s)", name, x.t, argumentTypes(args))
	}
	return p.called(at, c, x.e, args)
}

// operatorCall is an operator that the program defines for records; ok is false where it defines none.
func (p *parser) operatorCall(at Pos, op string, args ...value) (v value, ok bool) {
	records := false
	for _, a := range args {
		records = records || a.t != nil && a.t.form == recordForm
	}
	if !records {
		return v, false
	}
	if x := args[0]; x.t != nil && x.t.form == recordForm && x.t.record.scope != nil {
		if o, is := x.t.record.scope.names["operator"+op].(*overloads); is {
			if c := p.resolve(o, nil, args[1:], at); c != nil && (c.self != nil || op == "()") {
				return p.called(at, c, x.e, args[1:]), true
			}
		}
	}
	if c := p.outward("operator"+op, nil, args, at); c != nil && c.self == nil {
		return p.called(at, c, nil, args), true
	}
	if to := args[0].t; op == "=" {
		v := args[1]
		known := v.t != nil && v.t.form != otherForm && v.e != nil
		if !known || to == nil || to.form != recordForm || to.record.vector || v.t.same(to) {
			return v, false
		}
		if p.constructors(to) == nil || v.t.form == recordForm {
			p.fail(at, "no operator = takes (%s)", argumentTypes(args))
		}
		made := p.construct(at, to, args[1:])
		return value{&Assign{typed: to.typed(at), To: args[0].e, Value: made.e}, to}, true
	}
	for _, a := range args {
		if a.t != nil && a.t.form == recordForm && !a.t.record.vector && a.t.conversionTo(nil) == nil {
			p.fail(at, "no operator %s takes (%s)", op, argumentTypes(args))
		}
	}
	return v, false
}

// outward is the function of a name that takes arguments, of the innermost scope that has one: a program and its libraries may both have some of that name, in namespaces.
func (p *parser) outward(name string, explicit []argument, args []value, at Pos) *callable {
	for s := p.scope; s != nil; s = s.outer {
		if o, is := s.names[name].(*overloads); is {
			if c := p.resolve(o, explicit, args, at); c != nil {
				return c
			}
		}
	}
	return nil
}

// plain is a value that an operator of the language takes: a record that is converted to a number or a pointer is that.
func (p *parser) plain(v value) value {
	if c := v.t.conversionTo(nil); c != nil {
		return p.called(v.e.Place(), c, v.e, nil)
	}
	return v
}

// conversionTo is the function of a record that converts it to a type: the one for just that type, or one for another number where it is a number; with
// nil the one that it has. It is nil where there is none.
func (t *ctype) conversionTo(to *ctype) (found *callable) {
	if t == nil || t.form != recordForm || t.record.scope == nil {
		return nil
	}
	o, _ := t.record.scope.names[conversionName].(*overloads)
	if o == nil {
		return nil
	}
	for _, c := range o.list {
		switch {
		case to != nil && c.result.named().same(to.named()):
			return c
		case to != nil && (to.form != numberForm || c.result.form != numberForm || to.dtype.IsVector()):
		case found == nil:
			found = c
		}
	}
	return found
}

// madeOf reports whether a record has a constructor that takes a value of a type.
func (t *ctype) madeOf(from *ctype) bool {
	if t.form != recordForm || t.record.scope == nil {
		return false
	}
	o, _ := t.record.scope.names[constructorName].(*overloads)
	return o != nil && slices.ContainsFunc(o.list, func(c *callable) bool {
		return len(c.params) > 0 && (len(c.params) == 1 || c.params[1].def > 0) && c.params[0].t.pointed().same(from)
	})
}

// valueOf is the value of a variable.
func (p *parser) valueOf(at Pos, x *variable) value {
	if x.t.form == groupForm {
		return groupValue(at, x.t)
	}
	if x.value != nil {
		return value{&Int{typed{Pos: at, DType: x.t.dtype}, x.value.Value}, x.t}
	}
	if x.real != nil {
		return value{&Float{x.t.typed(at), x.real.Value}, x.t}
	}
	return deref(at, value{&Ref{x.t.kept().typed(at), x.v}, x.t})
}

// scoped reads a member of a record that its name tells, after ::, as a value.
func (p *parser) scoped(at Pos, t *ctype) value {
	p.expect("::")
	p.accept("template")
	name := p.tok()
	if name.Kind != cpp.Name {
		p.unexpected("a name")
	}
	p.next()
	if t.values != nil {
		if x, ok := t.values.names[name.Text].(*Int); ok {
			return value{&Int{typed{Pos: at, DType: x.DType}, x.Value}, t}
		}
	}
	if t.form == recordForm && t.record.scope != nil {
		switch x := t.record.scope.names[name.Text].(type) {
		case *variable:
			return p.valueOf(at, x)
		case *Int:
			return value{&Int{typed{Pos: at, DType: x.DType}, x.Value}, number(x.DType)}
		case *overloads:
			return p.calls(at, name.Text, x)
		case *variableTemplate:
			return p.valueOf(at, p.variableInstance(x, at))
		}
	}
	if this, is := p.scope.find("this").(*variable); is { // a function of its name may stand before it
		if f := t.field(name.Text); f != nil && f == this.t.elem.field(name.Text) {
			return p.ownMember(at, &member{field{name.Text, f}})
		}
	}
	if x, is := p.scope.find(name.Text).(*member); is { // of what the record of a function derives from
		return p.ownMember(at, x)
	}
	p.fail(Pos(name.At), "%s has no static member %s", t, name.Text)
	return value{}
}

// coerced is a value as a variable of a type takes it: a record is converted by its own function, where it has one for that type, and what is none of that type to one by
// a constructor.
func (p *parser) coerced(t *ctype, v value) value {
	if v.t != nil && v.e != nil && t.form == recordForm && (v.t.form == numberForm || v.t.form == recordForm && !v.t.same(t) && !v.t.holds(t)) {
		if o := p.constructors(t); o != nil {
			if c := p.resolve(o, nil, []value{v}, v.e.Place()); c != nil && c.params[0].t.form == v.t.form {
				return p.construct(v.e.Place(), t, []value{v})
			}
		}
		return v
	}
	if v.t == nil || v.e == nil || v.t.form != recordForm || v.t.record.scope == nil || t.form != pointerForm && t.form != numberForm {
		return v
	}
	if c := v.t.conversionTo(t); c != nil {
		return p.called(v.e.Place(), c, v.e, nil)
	}
	return v
}

// bases reads the records that a record of C++ derives from, after its name. Their members are its own.
func (p *parser) bases(t *ctype) {
	t.record.scope = &scope{outer: p.scope, class: true, self: t}
	if !p.lang.plusPlus || !p.accept(":") {
		return
	}
	for !p.is("{") && !p.is(";") && p.tok().Kind != cpp.End {
		switch {
		case p.accept("public"), p.accept("private"), p.accept("protected"), p.accept("virtual"), p.accept(","):
			continue
		}
		base := p.typeHere()
		if base != nil && base.form == numberForm && base.dtype.IsVector() {
			t.record.lanes(base.dtype)
			continue
		}
		if base == nil || base.form != recordForm || base.holds(t) { // which has the name of one of another namespace
			t.record.why = "what it derives from is not known"
			if base == nil {
				p.next()
			}
			continue
		}
		t.record.fields = append(t.record.fields, field{"", base})
		if base.record.scope != nil {
			for name, what := range base.record.scope.names {
				t.record.scope.set(name, what)
			}
		}
	}
}

// lanes makes the lanes of a vector that a record derives from its members.
func (r *record) lanes(v expr.DType) {
	for _, name := range []string{"x", "y", "z", "w"}[:v.Lanes()] {
		f := field{name, number(v.Base())}
		r.fields = append(r.fields, f)
		r.scope.set(name, &member{f})
	}
	r.aligned = max(r.aligned, int64(min(v.Size(), 16)))
}

// holds reports that a record is another, or has its members.
func (t *ctype) holds(of *ctype) bool {
	return t == of || t.record != nil && slices.ContainsFunc(t.record.fields, func(f field) bool { return f.name == "" && f.t.holds(of) })
}

// initial is the value that stands behind the name of a variable, if one does.
func (p *parser) initial(s *specifiers, t *ctype) (init value) {
	switch {
	case p.accept("="):
		init = p.coerced(t, p.initializer(t))
	case s.auto && p.accept("{"):
		init = p.assignment()
		p.expect("}")
	case p.is("{") && p.lang.plusPlus:
		init = p.initializer(t)
	case p.is("(") && p.lang.plusPlus:
		init = p.constructed(t)
	}
	return init
}
