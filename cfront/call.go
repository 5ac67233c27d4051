package cfront

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gpuperf/cfront/cpp"
	"gpuperf/kernel/expr"
)

// calls reads a call of a function by its name, after that.
func (p *parser) calls(at Pos, name string, o *overloads) value {
	var explicit []argument
	if p.is("<") {
		explicit = p.templateArguments()
	}
	if !p.is("(") {
		p.fail(at, "%s is a function, whose value is that of a call", name)
	}
	p.next()
	args := p.arguments()
	var c *callable
	if o != nil {
		if v, ok := p.vectorAccess(at, name, explicit, args); ok {
			return v
		}
		if explicit != nil || !lifted(name, o, args) {
			if c = p.resolve(o, explicit, args, at); c == nil {
				c = p.outward(name, explicit, args, at)
			}
		}
	}
	if c != nil && c == p.within && isIntrinsic(name) { // an overload for another type, which calls the function of the language
		c, o = nil, nil
	}
	switch {
	case c != nil:
		return p.called(at, c, nil, args)
	case o != nil && o.err != nil:
		panic(fault{err: o.err})
	case o != nil && !isIntrinsic(name) && p.lang.types[strings.TrimPrefix(name, "make_")] == nil:
		p.fail(at, "no function %s takes (%s)", name, argumentTypes(args))
	}
	if f, ok := IntrinsicOf(name); ok && f.result == textureResult {
		return p.fetched(at, name, explicit, args)
	}
	v := p.known(at, name, args)
	if len(explicit) > 0 && explicit[0].t != nil && !isIntrinsic(name) { // as tex1Dfetch<float>(t, i)
		return value{&Call{explicit[0].t.typed(at), name, expressions(args)}, explicit[0].t}
	}
	return v
}

func argumentTypes(args []value) string {
	var out []string
	for _, a := range args {
		out = append(out, a.t.String())
	}
	return strings.Join(out, ", ")
}

// lifted reports whether a program brings a function of floats to half precision or to vectors itself, which the language has elsewhere:
// the function is that of the language then.
func lifted(name string, o *overloads, args []value) bool {
	f, known := IntrinsicOf(name)
	if !known {
		return false
	}
	if n, fixed := expr.Arity(f.IR); fixed && n != len(args) {
		return false
	}
	for _, a := range args {
		switch {
		case f.Kind == Math && (a.t.form == pointerForm || a.t.form == arrayForm || a.t.form == recordForm):
			return false
		case a.t.dtype.Base() == expr.Float16:
			return true
		}
	}
	return !slices.ContainsFunc(o.list, func(c *callable) bool {
		score, ok := c.takes(args)
		return ok && score >= 0 && (score == len(args) || len(o.templates) == 0)
	})
}

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

// vectorAccess reads accesses to vectors by the templates vload<N>(p), vstore<N>(v, p) and vwide(p) of generated programs: they are
// vloadN(0, p), vstoreN(v, 0, p) and *p.
func (p *typer) vectorAccess(at Pos, name string, explicit []argument, args []value) (value, bool) {
	zero := value{&Int{intType.typed(at), 0}, intType}
	switch {
	case name == "vwide" && len(args) == 1:
		return p.element(at, args[0], zero), true
	case name == "vload" && len(args) == 1 && len(explicit) == 1 && explicit[0].value != nil:
		return p.known(at, fmt.Sprint(name, explicit[0].value.Value), []value{zero, args[0]}), true
	case name == "vstore" && len(args) == 2 && len(explicit) == 1 && explicit[0].value != nil:
		return p.known(at, fmt.Sprint(name, explicit[0].value.Value), []value{args[0], zero, args[1]}), true
	}
	return value{}, false
}

// called is a call of a function of the file. One of a record is for an object, or without one for that of the function around.
func (p *parser) called(at Pos, c *callable, object Expr, args []value) value {
	given := p.given(at, c, args)
	p.callees[c.name] = c
	if c.self != nil {
		if object == nil {
			this, ok := p.scope.find("this").(*variable)
			if !ok {
				p.fail(at, "%s is a function of a record, and no object is given", c.name)
			}
			given = append([]value{{&Ref{this.t.typed(at), this.v}, this.t}}, given...)
		} else {
			given = append([]value{p.address(at, value{object, c.self})}, given...)
		}
	}
	return deref(at, value{&Call{c.result.kept().typed(at), c.name, expressions(given)}, c.result})
}

// given are the arguments that a function is called with: with those by default, and references.
func (p *parser) given(at Pos, c *callable, args []value) (given []value) {
	for i := len(args); i < len(c.params); i++ {
		p.at(c.params[i].def, cmp.Or(c.defaults, c.scope), func() { args = append(args, p.initializer(c.params[i].t)) })
	}
	if c.auto && c.result.form == otherForm && c.body > 0 && c.fn == nil {
		p.define(c)
	}
	p.need(c)
	for i, x := range c.params {
		if x.t.form == groupForm {
			p.group(at, args[i])
			continue
		}
		if l, is := args[i].e.(*List); is && args[i].t == otherType {
			args[i] = p.listed(x.t.named(), l, args[i])
		}
		args[i] = p.coerced(x.t, args[i])
		if x.t.refers() && !c.kernel {
			args[i].e = p.reference(x.t, args[i])
		}
		given = append(given, args[i])
	}
	return given
}

// listed is an argument that a list in braces gives a parameter.
func (p *parser) listed(t *ctype, l *List, v value) value {
	switch {
	case t.form == numberForm:
		return p.braced(l.Pos, t, l.Items)
	case t.form == recordForm && p.constructors(t) == nil && t.record.known:
		return value{&Make{t.typed(l.Pos), "", p.withInitial(t, l.Items)}, t}
	}
	return v
}

func expressions(args []value) []Expr {
	var out []Expr
	for _, a := range args {
		out = append(out, a.e)
	}
	return out
}

// known is a call of a function of the language, or of one that is not known.
func (p *typer) known(at Pos, name string, args []value) value {
	if of, ok := strings.CutPrefix(name, "make_"); ok {
		if t := p.lang.types[of]; t != nil {
			return p.make(at, t, args)
		}
	}
	t := p.resultOf(name, args)
	if t.dtype.IsInteger() && ofIntegers[name] != "" {
		name = ofIntegers[name]
	}
	e := &Call{t.typed(at), name, expressions(args)}
	f, ok := IntrinsicOf(name)
	if n, constant := oneConstant(args); ok && constant && f.Kind == Reinterpret {
		return reinterpreted(at, n, t)
	}
	switch {
	case !ok:
	case f.Kind == Operator:
		return p.operator(at, f, t, args)
	case f.Kind == Convert && rounds(name) && len(args) == 1 && t.dtype.IsInteger() && args[0].t.dtype.IsFloat(): // no cast does
	case f.Kind == Convert && strings.HasPrefix(name, "__"):
		return p.conversion(at, f, t, args)
	case f.Kind == Convert && len(args) == 1 && t.form == numberForm && !t.dtype.IsVector():
		if _, constant := literal(args[0].e); constant && (t.dtype.IsFloat() || args[0].t.dtype.IsInteger()) {
			return p.castTo(at, t, args[0])
		}
	}
	return value{e, t}
}

// rounds reports whether the name of a conversion of CUDA C says that it rounds otherwise than towards zero.
func rounds(name string) bool {
	return slices.ContainsFunc([]string{"_rn", "_ru", "_rd"}, func(end string) bool { return strings.HasSuffix(name, end) })
}

// ofIntegers are the names of functions of integers that are others than those of numbers in half precision.
var ofIntegers = map[string]string{"__hadd": "hadd"}

// operator is a function that is an operator of the language: __hadd(a, b) is a + b, and hrcp(a) is 1 / a.
func (p *typer) operator(at Pos, f Intrinsic, t *ctype, args []value) value {
	if t.form != numberForm {
		p.fail(at, "%s takes numbers", f.Name)
	}
	number := func(i int) value {
		if f.result == booleanResult { // its arguments are compared in their own type
			return args[i]
		}
		return p.castTo(at, t, args[i])
	}
	one := value{&Int{intType.typed(at), 1}, intType}
	var v value
	switch {
	case len(args) == 2:
		v = p.operation(at, f.IR, number(0), number(1))
	case len(args) == 1 && f.IR == "-":
		return p.sign(at, "-", number(0))
	case len(args) == 1 && f.IR == "/":
		v = p.operation(at, "/", p.castTo(at, t, one), number(0))
	default:
		p.fail(at, "%s does not take %d arguments", f.Name, len(args))
	}
	if b, ok := v.e.(*Binary); ok {
		b.Func = f.Name
	}
	return v
}

// conversion is a function that converts numbers, or puts lanes of vectors together: the IR has the lanes that it takes of each argument.
func (p *typer) conversion(at Pos, f Intrinsic, t *ctype, args []value) value {
	switch lanes := strings.Split(f.IR, ","); {
	case f.IR == "" && len(args) == 1, f.IR == "splat" && len(args) == 1:
		if t.dtype.IsVector() && !args[0].t.dtype.IsVector() {
			args[0] = p.castTo(at, numberOf(t.dtype.Base()), args[0])
		}
		return p.castTo(at, t, args[0])
	case f.IR == "pack" && len(args) == 2:
		for i := range args {
			args[i] = p.castTo(at, numberOf(t.dtype.Base()), args[i])
		}
		return p.make(at, t, args)
	case f.IR != "pack" && len(lanes) == len(args):
		for i := range args {
			chosen := lanesOf(lanes[i], int(args[i].t.dtype.Lanes()))
			if chosen == nil {
				p.fail(at, "%s takes no %s", f.Name, args[i].t)
			}
			args[i] = p.lanes(at, args[i], chosen)
		}
		if len(args) == 1 {
			return p.castTo(at, t, args[0])
		}
		return p.make(at, t, args)
	}
	p.fail(at, "%s does not take %d arguments", f.Name, len(args))
	return value{}
}

// reread is *(T *)&x where x is a variable of another type with as many bytes, in a register: its bits as the other type.
func (p *typer) reread(at Pos, x value) (value, bool) {
	c, ok := x.e.(*Cast)
	if !ok || x.t.elem.form != numberForm {
		return value{}, false
	}
	a, ok := c.X.(*Address)
	if !ok {
		return value{}, false
	}
	r, ok := a.X.(*Ref)
	from := a.X.Type()
	if !ok || r.Var.Class == Global || len(r.Var.Dims) > 0 || r.Var.Space == LocalSpace || from == x.t.elem.dtype || !from.Known() || from.Size() != x.t.elem.dtype.Size() {
		return value{}, false
	}
	return p.bits(at, value{a.X, numberOf(from)}, x.t.elem), true
}

// bits is a value with the same bits as another, of a type that has as many.
func (p *typer) bits(at Pos, v value, t *ctype) value {
	return value{&Call{t.typed(at), bitsPrefix + t.String(), []Expr{v.e}}, t}
}

// bitsPrefix begins the names of functions for the bits of a value as another type.
const bitsPrefix = "bits of "

func isBits(c *Call) bool { return strings.HasPrefix(c.Func, bitsPrefix) }

func oneConstant(args []value) (*Int, bool) {
	if len(args) != 1 {
		return nil, false
	}
	n, ok := args[0].e.(*Int)
	return n, ok
}

// fetched is a read of a texture or a surface, of the type that the call names or the texture has. One whose first argument is an address gives what that
// points to its value.
func (p *typer) fetched(at Pos, name string, explicit []argument, args []value) value {
	if len(args) < 2 {
		p.fail(at, "%s takes a texture and where it is read", name)
	}
	out, isAddress := args[0].e.(*Address)
	if isAddress {
		args = args[1:]
	}
	t := p.resultOf(name, args)
	switch {
	case len(explicit) > 0 && explicit[0].t != nil:
		t = explicit[0].t
	case isAddress:
		t = numberOf(out.X.Type())
	}
	v := value{&Call{t.typed(at), name, expressions(args)}, t}
	if isAddress {
		return value{&Assign{typed: t.typed(at), To: out.X, Value: v.e}, t}
	}
	return v
}

// textures are the templates of textures and surfaces that a file declares.
var textures = map[string]bool{"texture": true, "surface": true}

// texture reads the arguments of the type of a texture, after its name. Of one that is read as fractions elements are in floating point.
func (p *parser) texture(name string) *ctype {
	p.expect("<")
	t := &ctype{form: otherForm, name: name, elem: p.typeName()}
	for p.accept(",") {
		if p.is("cudaReadModeNormalizedFloat") && t.elem.form == numberForm {
			t.elem = number(expr.DType(expr.Float32).Vector(t.elem.dtype.Lanes()))
		}
		p.passArgument()
	}
	p.closeAngle()
	if t.elem.form == voidForm {
		t.elem = nil
	}
	return t
}

// throughPointer is a call of a function by a pointer to it: by its name, or as an element of a table whose values are known, which is a choice between the
// functions that it holds.
func (p *parser) throughPointer(at Pos, of value, args []value) (v value, ok bool) {
	if of.t != nil && of.t.callees != nil {
		c := p.resolve(of.t.callees, nil, args, at)
		if c == nil {
			p.fail(at, "no function %s takes (%s)", of.t.name, argumentTypes(args))
		}
		return p.called(at, c, nil, args), true
	}
	x, ok := of.e.(*Index)
	if !ok || len(x.Subs) != 1 {
		return v, false
	}
	table, ok := x.Of.(*Ref)
	if !ok || table.Var.Class != Global {
		return v, false
	}
	list, ok := table.Var.Init.(*List)
	if !ok || slices.ContainsFunc(args, func(a value) bool { return repeats(a.e) }) || repeats(x.Subs[0]) {
		return v, false
	}
	for i := len(list.Items) - 1; i >= 0; i-- {
		f := p.functions[list.Items[i]]
		if f == nil {
			return v, false
		}
		c := p.resolve(f, nil, args, at)
		if c == nil {
			return v, false
		}
		one := p.called(at, c, nil, slices.Clone(args))
		if v.e == nil {
			v = one
			continue
		}
		here := p.operation(at, "==", value{x.Subs[0], intType}, value{NewInt(at, int64(i)), intType})
		v = p.folded(value{&Select{one.t.typed(at), here.e, one.e, v.e}, one.t})
	}
	return v, v.e != nil
}

// repeats reports whether an expression does something when it is evaluated.
func repeats(e Expr) bool {
	return Any(e, func(e Expr) bool {
		switch e.(type) {
		case *Call, *Assign, *Make:
			return true
		}
		return false
	})
}
