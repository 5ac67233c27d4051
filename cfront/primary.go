package cfront

import (
	"math"
	"strconv"
	"strings"

	"gpuperf/cfront/cpp"
	"gpuperf/kernel/expr"
)

// cast reads a cast, or a vector of values; ok is false if the bracket holds no type.
func (p *parser) cast() (v value, ok bool) {
	at := p.here()
	p.at(p.i+1, p.scope, func() { ok = p.startsType() && !p.converts() })
	if !ok {
		return v, false
	}
	p.next()
	t := p.withAngleType(p.typeName)
	p.expect(")")
	switch {
	case p.is("{"):
		v := p.initializer(t)
		if v.t == nil {
			v = value{&Unknown{t.typed(at), "a compound literal", Operands(v.e)}, t}
		}
		return p.postfixed(at, v), true
	case p.is("(") && t.dtype.IsVector() && !p.lang.plusPlus:
		p.next()
		return p.make(at, t, p.arguments()), true
	}
	v = p.unary()
	if t.refers() && p.lang.plusPlus && v.t != nil && !v.t.same(t.named()) && isObject(v.e) {
		return p.seenAs(at, t.named(), v), true
	}
	return p.castTo(at, t, p.coerced(t, v)), true
}

// withAngleType reads a type where > has its usual meaning.
func (p *cursor) withAngleType(f func() *ctype) *ctype {
	saved := p.angle
	p.angle = 0
	t := f()
	p.angle = saved
	return t
}

// make is a value that a type makes of values: float4(a, b, c, d), int(x).
func (p *typer) make(at Pos, t *ctype, args []value) value {
	var items []Expr
	for _, a := range args {
		items = append(items, a.e)
	}
	switch {
	case t.form == numberForm && len(args) == 0:
		return p.castTo(at, t, value{&Int{intType.typed(at), 0}, intType})
	case t.form == numberForm && len(args) == 1, t.form == pointerForm && len(args) == 1, t.form == voidForm && len(args) == 1:
		return p.castTo(at, t, args[0])
	case t.form == numberForm && t.dtype.IsVector():
		lanes := int64(0)
		for _, a := range args {
			lanes += a.t.dtype.Lanes()
		}
		if lanes != t.dtype.Lanes() {
			p.fail(at, "%d values for %s", lanes, t)
		}
		return value{&Vector{t.typed(at), items}, t}
	case t.form == groupForm && len(args) == 1:
		return groupValue(at, p.groupOf(at, t, args[0]))
	case t.form == recordForm && !p.lang.hosted:
		return value{&Make{t.typed(at), "", items}, t}
	case t.form == recordForm, t.form == otherForm:
		return value{&Unknown{t.typed(at), "a value of type " + t.String(), items}, t}
	}
	p.fail(at, "%d values for %s", len(args), t)
	return value{}
}

// arguments reads values up to a closing bracket, after the opening one.
func (p *parser) arguments() (out []value) {
	saved := p.angle
	p.angle = 0
	for !p.accept(")") {
		v := p.initializer(otherType)
		if v.t == nil {
			v.t = otherType
		}
		out = append(out, v)
		if !p.accept(",") && !p.is(")") {
			p.unexpected(`"," or ")"`)
		} else if p.tokens[p.i-1].Is(",") && p.is(")") {
			p.unexpected(anExpression)
		}
	}
	p.angle = saved
	return out
}

func (p *parser) postfix() value {
	at := p.here()
	return p.postfixed(at, p.primary())
}

// postfixed reads what follows a value: subscripts, members, calls, ++ and --.
func (p *parser) postfixed(at Pos, v value) value {
	for {
		switch {
		case p.is("["):
			sign := Pos(p.next().At)
			i := p.withAngle(0, p.value)
			p.expect("]")
			if of, ok := p.operatorCall(sign, "[]", v, i); ok {
				v = of
				continue
			}
			v = p.element(at, p.plain(v), p.subscript(p.plain(i)))
		case p.accept("."):
			v = p.member(at, v)
		case p.accept("->"):
			if of, ok := p.arrow(at, v); ok {
				v = p.member(at, of)
				continue
			}
			v = p.member(at, p.element(at, v, value{&Int{intType.typed(at), 0}, intType}))
		case p.is("++"), p.is("--"):
			sign := p.next().Text
			if of, ok := p.operatorCall(at, sign, v, value{&Int{intType.typed(at), 0}, intType}); ok {
				v = of
				continue
			}
			v = p.step(at, v, sign[:1], true)
		case p.is("("):
			sign := Pos(p.next().At)
			args := p.arguments()
			if of, ok := p.operatorCall(sign, "()", append([]value{v}, args...)...); ok {
				v = of
				continue
			}
			if of, ok := p.throughPointer(sign, v, args); ok {
				v = of
				continue
			}
			v = p.indirect(at, v, args)
		default:
			return v
		}
	}
}

// arrow is what the operator -> of a record points to.
func (p *parser) arrow(at Pos, v value) (value, bool) {
	if v.t.form != recordForm {
		return v, false
	}
	of, ok := p.operatorCall(at, "->", v)
	if ok {
		of = p.element(at, of, value{&Int{intType.typed(at), 0}, intType})
	}
	return of, ok
}

// member is a member of a record, or lanes of a vector.
func (p *parser) member(at Pos, x value) value {
	name := p.tok()
	if name.Kind != cpp.Name {
		p.unexpected("the name of a member")
	}
	p.next()
	if name.Text == "template" {
		name = p.name()
	}
	if name.Text == "operator" && p.lang.plusPlus {
		p.i--
		name.Text = p.operatorName()
	}
	if x.t.form == groupForm {
		return p.groupMember(at, x, name.Text)
	}
	if v, ok := p.memberOf(at, x, name); ok {
		return v
	}
	if x.t.form == numberForm && x.t.dtype.Known() {
		lanes := lanesOf(name.Text, int(x.t.dtype.Lanes()))
		if lanes == nil || !x.t.dtype.IsVector() {
			p.fail(Pos(name.At), "%s has no member %s", x.t, name.Text)
		}
		return p.lanes(at, x, lanes)
	}
	t := x.t.field(name.Text)
	if t == nil && x.t.form == recordForm && x.t.record.known {
		p.fail(Pos(name.At), "%s has no member %s", x.t, name.Text)
	}
	if t == nil {
		t = otherType
	}
	if t.refers() {
		return deref(at, value{&Member{t.kept().typed(at), x.e, name.Text}, t})
	}
	return value{&Member{t.typed(at), x.e, name.Text}, t}
}

// lanesOf are the lanes that a name selects of a vector: x, yzw, s0F, lo, hi, even, odd (OpenCL C, 6.1.7); nil for others.
func lanesOf(name string, n int) (out []int) {
	half := map[string][2]int{"lo": {0, 1}, "hi": {n / 2, 1}, "even": {0, 2}, "odd": {1, 2}}
	if h, ok := half[name]; ok {
		for i := range n / 2 {
			out = append(out, h[0]+i*h[1])
		}
		return out
	}
	digits, letters := "xyzw", name
	if len(name) > 1 && (name[0] == 's' || name[0] == 'S') {
		digits, letters = "0123456789abcdef", strings.ToLower(name[1:])
	}
	for _, c := range letters {
		lane := strings.IndexRune(digits, c)
		if lane < 0 || lane >= n {
			return nil
		}
		out = append(out, lane)
	}
	if !expr.AreLanes(int64(len(out))) && len(out) != 1 {
		return nil
	}
	return out
}

func (p *parser) primary() value {
	at := p.here()
	t := p.tok()
	switch t.Kind {
	case cpp.Number:
		p.next()
		return p.number(at, t.Text)
	case cpp.Char:
		p.next()
		n, ok := characterOf(t.Text)
		if !ok {
			p.fail(at, "a character that is not known")
		}
		return value{&Int{intType.typed(at), n}, intType}
	case cpp.String:
		return p.text(at)
	case cpp.Name:
		return p.named(at)
	}
	switch {
	case p.accept("("):
		if p.is("{") {
			return p.unread(at, "statements in expressions")
		}
		v := p.withAngle(0, p.value)
		p.expect(")")
		return v
	case p.lang.plusPlus && p.is("::"):
		return p.named(at)
	case p.lang.plusPlus && p.is("["):
		if p.within == nil {
			p.fail(at, "a function without a name stands outside of functions")
		}
		return p.closure(at, "closure")
	}
	p.unexpected(anExpression)
	return value{}
}

// casts of C++.
var casts = map[string]bool{"static_cast": true, "reinterpret_cast": true, "const_cast": true, "dynamic_cast": true}

// words with a value.
var words = map[string]func(Pos) value{
	"true":      func(at Pos) value { return value{&Int{boolType.typed(at), 1}, boolType} },
	"false":     func(at Pos) value { return value{&Int{boolType.typed(at), 0}, boolType} },
	"INFINITY":  func(at Pos) value { return floatValue(at, math.Inf(1), expr.Float32) },
	"HUGE_VALF": func(at Pos) value { return floatValue(at, math.Inf(1), expr.Float32) },
	"HUGE_VAL":  func(at Pos) value { return floatValue(at, math.Inf(1), expr.Float64) },
	"NAN":       func(at Pos) value { return floatValue(at, math.NaN(), expr.Float32) },
	"warpSize":  func(at Pos) value { return value{&Int{intType.typed(at), 32}, intType} },
	"nullptr": func(at Pos) value {
		t := pointerTo(voidType)
		return value{&Cast{t.typed(at), &Int{intType.typed(at), 0}}, t}
	},
}

func floatValue(at Pos, v float64, t expr.DType) value {
	n := number(t)
	if t == expr.Float32 {
		v = float64(float32(v))
	}
	return value{&Float{n.typed(at), v}, n}
}

// namedCast reads a cast of C++ by its name.
func (p *parser) namedCast(at Pos) value {
	looks := p.next().Is("reinterpret_cast")
	p.expect("<")
	t := p.withAngleType(p.typeName)
	p.closeAngle()
	p.expect("(")
	v := p.withAngle(0, p.value)
	p.expect(")")
	if looks && t.refers() && !v.t.same(t.named()) {
		return p.seenAs(at, t.named(), v)
	}
	return p.castTo(at, t, p.coerced(t, v))
}

// named reads an expression that begins with a name.
func (p *parser) named(at Pos) value {
	switch {
	case p.lang.plusPlus && casts[p.tok().Text]:
		return p.namedCast(at)
	case statements[p.tok().Text] != nil, p.is("else"):
		p.unexpected(anExpression)
	case p.lang.plusPlus && cppExpressions[p.tok().Text] != "":
		p.fail(at, "%s", cppExpressions[p.tok().Text])
	case p.startsType():
		return p.ofType(at)
	}
	n := p.qualifiers()
	what := p.meant(n)
	p.i += n
	name := p.tok()
	if name.Kind != cpp.Name {
		p.unexpected("a name")
	}
	switch x := what.(type) {
	case groupFunction:
		p.next()
		return x(p, at)
	case unreadGroup:
		p.failGroup(at, x.name)
	case *variable:
		p.next()
		return p.valueOf(at, x)
	case *member:
		p.next()
		return p.ownMember(at, x)
	case *variableTemplate:
		p.next()
		return p.valueOf(at, p.variableInstance(x, at))
	case *Int:
		p.next()
		return value{&Int{typed{Pos: at, DType: x.DType}, x.Value}, number(x.DType)}
	case *overloads:
		p.next()
		if x.closure != nil && !p.is("(") {
			return value{&Make{x.closure.typed(at), "", nil}, x.closure}
		}
		if !p.lang.hosted && !p.is("(") && !p.is("<") && len(x.templates) == 0 && len(x.list) > 0 {
			t := &ctype{form: functionForm, elem: x.list[0].result, name: x.name, callees: x}
			return value{&Unknown{t.typed(at), "a function", nil}, t}
		}
		if p.lang.hosted {
			return p.function(at, name.Text, x.list[0].result)
		}
		return p.calls(at, name.Text, x)
	}
	return p.predeclared(at, name)
}

// ofType is an expression that begins with a type: a value made of it, or what its scope has.
func (p *parser) ofType(at Pos) value {
	t := p.specifiers().t
	switch {
	case p.accept("("):
		args := p.arguments()
		if len(args) == 1 {
			args[0] = p.coerced(t, args[0])
		}
		return p.construct(at, t, args)
	case p.is("::"):
		return p.scoped(at, t)
	case p.is("{"):
		v := p.initializer(t)
		if v.t == nil {
			v = value{&Unknown{t.typed(at), "a value of type " + t.String(), Operands(v.e)}, t}
		}
		return v
	}
	p.fail(at, "a type stands where a value should stand")
	return value{}
}

// predeclared is an expression that begins with a name which no declaration in the file gives: those of the language.
func (p *parser) predeclared(at Pos, name cpp.Token) value {
	if functionNames[name.Text] {
		return p.nameOfFunction(at)
	}
	if p.lang.hosted {
		return p.undeclared(at, name)
	}
	if p.lang.plusPlus && name.Text == "numeric_limits" && p.peek(1).Is("<") {
		p.next()
		return p.limit(at)
	}
	if p.lang.plusPlus && traits[strings.TrimSuffix(name.Text, "_v")] != nil && p.peek(1).Is("<") {
		p.next()
		return p.trait(at, name.Text)
	}
	if w := words[name.Text]; w != nil {
		p.next()
		return w(at)
	}
	if p.peek(1).Is("(") || p.peek(1).Is("<") {
		p.next()
		return p.calls(at, name.Text, nil)
	}
	p.unknown(name, "%s is not declared")
	return value{}
}

// cppExpressions are words of C++ that begin expressions that are not read.
var cppExpressions = map[string]string{
	"new": "new is not read", "throw": "exceptions are not read", "typeid": "typeid is not read",
	"operator": "operators of C++ are not read",
}

func (p *typer) number(at Pos, text string) value {
	digits := strings.ToLower(strings.ReplaceAll(text, "'", ""))
	hex := strings.HasPrefix(digits, "0x")
	if p.lang.hosted && strings.HasSuffix(digits, "i") {
		return value{&Unknown{typed{Pos: at}, "an imaginary number", nil}, complexType}
	}
	if strings.Contains(digits, ".") || !hex && strings.ContainsAny(digits, "e") || hex && strings.Contains(digits, "p") || !hex && strings.HasSuffix(digits, "f") {
		return p.float(at, text, digits, hex)
	}
	body := strings.TrimRight(digits, "ul")
	suffix := digits[len(body):]
	if len(body) > 1 && body[0] == '0' && strings.Trim(body, "01234567") == "" {
		body = "0o" + body[1:]
	}
	n, err := strconv.ParseUint(body, 0, 64)
	if err != nil {
		p.fail(at, "%s is no number", text)
	}
	t := literalType(n, strings.Contains(suffix, "u"), strings.Contains(suffix, "l"), body[0] != '0' || len(body) == 1)
	if p.lang.hosted && n > math.MaxInt64 {
		return value{&Unknown{t.typed(at), "a number above the largest long", nil}, t}
	}
	return value{&Int{t.typed(at), int64(n)}, t}
}

// literalType is the type of an integer literal (C11, 6.4.4.1).
func literalType(n uint64, unsigned, long, decimal bool) *ctype {
	switch {
	case !unsigned && !long && n <= math.MaxInt32:
		return intType
	case !long && n <= math.MaxUint32 && (unsigned || !decimal):
		return number(expr.Uint32)
	case !unsigned && n <= math.MaxInt64:
		return number(expr.Int64)
	}
	return number(expr.Uint64)
}

func (p *typer) float(at Pos, text, digits string, hex bool) value {
	t := expr.Float64
	body := digits
	switch last := digits[len(digits)-1]; {
	case last == 'f' && (!hex || strings.Contains(digits, "p")):
		t, body = expr.Float32, digits[:len(digits)-1]
	case last == 'h':
		t, body = expr.Float16, digits[:len(digits)-1]
	case last == 'l':
		body = digits[:len(digits)-1]
	}
	v, err := strconv.ParseFloat(body, 64)
	if err != nil && !math.IsInf(v, 0) {
		p.fail(at, "%s is no number", text)
	}
	if p.lang.hosted && digits[len(digits)-1] == 'l' {
		return value{&Unknown{typed{Pos: at}, "a long double", nil}, longDouble}
	}
	return floatValue(at, v, t)
}
