package cfront

import (
	"slices"

	"gpuperf/cfront/cpp"
	"gpuperf/kernel/expr"
)

// value is an expression with its type; the type of a list in braces is nil.
type value struct {
	e Expr
	t *ctype
}

var boolType = number(expr.Bool)

// value reads an expression.
func (p *parser) value() value {
	at := p.here()
	v := p.assignment()
	if !p.is(",") {
		return v
	}
	items := []Expr{v.e}
	for p.accept(",") {
		v = p.assignment()
		items = append(items, v.e)
	}
	return value{&List{v.t.typed(at), items}, v.t}
}

// assigning are the operators of assignments, with the operation that they make.
var assigning = map[string]string{
	"=": "", "+=": "+", "-=": "-", "*=": "*", "/=": "/", "%=": "%", "<<=": "<<", ">>=": ">>", "&=": "&", "^=": "^", "|=": "|",
}

func (p *parser) assignment() value {
	defer p.nest()()
	at := p.here()
	to := p.conditional()
	op, ok := assigning[p.tok().Text]
	if !ok || p.tok().Kind != cpp.Symbol {
		return to
	}
	sign := Pos(p.next().At)
	v := p.initializer(to.t)
	if to.t.form != recordForm { // whose own operator takes it as it is
		v = p.coerced(to.t, v)
	}
	if of, ok := to.e.(*Call); ok && len(of.Args) == 1 && isBits(of) { // *(T *)&x = v
		if op != "" {
			v = p.operation(at, op, to, v)
		}
		x := value{of.Args[0], numberOf(of.Args[0].Type())}
		return value{&Assign{typed: x.t.typed(at), To: x.e, Value: p.bits(at, p.castTo(at, to.t, v), x.t).e}, x.t}
	}
	if of, ok := p.operatorCall(sign, op+"=", to, v); ok {
		return of
	}
	if op != "" {
		to = p.plain(to)
	}
	if to.t.form != recordForm {
		v = p.plain(v)
	}
	if p.takes(at, to.t, v); op != "" && levels[op] != 8 {
		p.sameVectors(at, to.t, v.t)
	}
	return value{&Assign{typed: to.t.typed(at), Op: op, To: to.e, Value: v.e}, to.t}
}

func (p *parser) conditional() value {
	at := p.here()
	cond := p.binary(1)
	if !p.accept("?") {
		return cond
	}
	if p.accept(":") {
		other := p.assignment()
		t := chosenType(p.lang, cond.t.pointed(), other.t.pointed())
		return value{&Unknown{t.typed(at), "?: without a middle operand", []Expr{cond.e, other.e}}, t}
	}
	then := p.withAngle(0, p.value)
	p.expect(":")
	other := p.assignment()
	t := chosenType(p.lang, then.t.pointed(), other.t.pointed())
	if lanes := cond.t.dtype.Lanes(); cond.t.form == numberForm && lanes > 1 && t.form == numberForm && !t.dtype.IsVector() { // a choice for each lane
		t = number(t.dtype.Vector(lanes))
		then, other = p.castTo(at, t, then), p.castTo(at, t, other)
	}
	return p.folded(value{&Select{t.typed(at), cond.e, then.e, other.e}, t})
}

// chosenType is the type of a choice between values of two types.
func chosenType(lang *dialect, x, y *ctype) *ctype {
	switch {
	case x.form == numberForm && y.form == pointerForm: // a null pointer
		return y
	case x.form != numberForm || y.form != numberForm || lang.plusPlus && x.dtype == y.dtype:
		return x
	}
	return arithmetic(x, y)
}

// levels are the binary operators, from the weakest.
var levels = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9,
	"*": 10, "/": 10, "%": 10,
}

// integral are the operators of integers alone.
var integral = map[string]bool{"%": true, "|": true, "^": true, "&": true, "<<": true, ">>": true}

// binary reads operations that bind at least as strongly as a level.
func (p *parser) binary(least int) value {
	at := p.here()
	x := p.unary()
	for {
		op := p.tok()
		level := levels[op.Text]
		if op.Kind != cpp.Symbol || level < least || level == 0 || p.angle > 0 && (op.Text == ">" || op.Text == ">>") {
			return x
		}
		p.next()
		y := p.binary(level + 1)
		if of, ok := p.operatorCall(Pos(op.At), op.Text, x, y); ok {
			x = of
			continue
		}
		x = p.operation(at, op.Text, p.plain(x), p.plain(y))
	}
}

// subscript is a value that is a subscript: an integer.
func (p *typer) subscript(i value) value {
	if i.t.form == numberForm && i.t.dtype.IsFloat() {
		p.fail(i.e.Place(), "a subscript is an integer, and this is of type %s", i.t)
	}
	return i
}

// operation is x op y.
func (p *typer) operation(at Pos, op string, x, y value) value {
	t := resultType(op, x.t.pointed(), y.t.pointed())
	if of := []*ctype{x.t.pointed(), y.t.pointed()}; integral[op] && slices.ContainsFunc(of, func(t *ctype) bool { return t.form == numberForm && t.dtype.IsFloat() }) {
		p.fail(at, "the operator %s takes integers, and stands between %s and %s", op, of[0], of[1])
	}
	if levels[op] != 8 {
		p.sameVectors(at, x.t, y.t)
	}
	return p.folded(value{&Binary{typed: t.typed(at), Op: op, X: x.e, Y: y.e}, t})
}

// resultType is the type of x op y.
func resultType(op string, x, y *ctype) *ctype {
	level := levels[op]
	switch {
	case level <= 2 || level == 6 || level == 7:
		if v := arithmetic(x, y); v.dtype.IsVector() {
			return number(signed(v.dtype.Base()).Vector(v.dtype.Lanes()))
		}
		return intType
	case x.form == pointerForm && y.form == pointerForm:
		return number(expr.Int64)
	case x.form == pointerForm:
		return x
	case y.form == pointerForm:
		return y
	case level == 8:
		return promoted(x)
	}
	return arithmetic(x, y)
}

// signed is the integer type of as many bytes, which comparisons of vectors have.
func signed(t expr.DType) expr.DType {
	return map[int64]expr.DType{1: expr.Int8, 2: expr.Int16, 4: expr.Int32, 8: expr.Int64}[t.Size()]
}

// arithmetic is the type of arithmetic on two types. A number beside a vector is taken for all lanes.
func arithmetic(x, y *ctype) *ctype {
	switch {
	case x.form == recordForm && x.record.vector:
		return x
	case y.form == recordForm && y.record.vector:
		return y
	case x.form != numberForm || y.form != numberForm:
		return otherType
	case x.dtype.IsVector():
		return x
	case y.dtype.IsVector():
		return y
	}
	return number(common(x.dtype, y.dtype))
}

// promoted is the type that an integer is computed in.
func promoted(t *ctype) *ctype {
	if t.form == recordForm && t.record.vector {
		return t
	}
	if t.form != numberForm {
		return otherType
	}
	if t.dtype.IsVector() || t.dtype.IsFloat() {
		return t
	}
	return number(common(t.dtype, expr.Int32))
}

// folded is the constant that an operation on integer constants makes.
func (p *typer) folded(v value) value {
	if !v.t.dtype.IsInteger() && v.t.dtype != expr.Bool {
		return v
	}
	n, ok := constantOf(v.e)
	if !ok || p.lang.hosted && v.t.dtype == expr.Uint64 && n < 0 { // it is above what an Int holds
		return v
	}
	return value{&Int{typed{Pos: v.e.Place(), DType: v.t.dtype}, v.t.dtype.Wrap(n)}, v.t}
}

// constantOf is the value of an operation on constants.
func constantOf(e Expr) (int64, bool) {
	var args []int64
	for _, o := range Operands(e) {
		n, ok := o.(*Int)
		if !ok {
			return 0, false
		}
		args = append(args, n.Value)
	}
	switch x := e.(type) {
	case *Unary:
		switch x.Op {
		case "-":
			return -args[0], true
		case "~":
			return ^args[0], true
		case "!":
			return truth(args[0] == 0), true
		case "+":
			return args[0], true
		}
	case *Cast:
		return args[0], x.DType != ""
	case *Select:
		if args[0] != 0 {
			return args[1], true
		}
		return args[2], true
	case *Binary:
		t := x.X.Type() // in which C computes
		switch {
		case x.Op == "<<" || x.Op == ">>":
			t = common(t, expr.Int32)
		case x.Op != "&&" && x.Op != "||":
			t = common(t, x.Y.Type())
			args[0], args[1] = t.Wrap(args[0]), t.Wrap(args[1])
		}
		return Computed(x.Op, args[0], args[1], t == expr.Uint64)
	}
	return 0, false
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Computed is x op y; see [cpp.Computed].
func Computed(op string, x, y int64, unsigned bool) (int64, bool) {
	return cpp.Computed(op, x, y, unsigned)
}

// constant reads an integer constant.
func (p *parser) constant(what string) int64 {
	at := p.here()
	v := p.evaluated(p.conditional())
	n, ok := v.e.(*Int)
	if !ok {
		p.fail(at, "%s is an integer constant", what)
	}
	return n.Value
}

// unary reads an expression that begins with an operator, a cast, or what binds more strongly.
func (p *parser) unary() value {
	defer p.nest()()
	at := p.here()
	t := p.tok()
	if t.Kind == cpp.Symbol {
		switch t.Text {
		case "++", "--":
			p.next()
			x := p.unary()
			if of, ok := p.operatorCall(at, t.Text, x); ok {
				return of
			}
			return p.step(at, x, t.Text[:1], false)
		case "-", "+", "~", "!":
			p.next()
			x := p.unary()
			if of, ok := p.operatorCall(at, t.Text, x); ok {
				return of
			}
			return p.sign(at, t.Text, p.plain(x))
		case "*":
			p.next()
			x := p.unary()
			if of, ok := p.operatorCall(at, "*", x); ok {
				return of
			}
			return p.element(at, x, value{&Int{intType.typed(at), 0}, intType})
		case "&":
			p.next()
			return p.address(at, p.unary())
		case "&&":
			p.next()
			p.name()
			return value{&Unknown{typed{Pos: at}, "the address of a label", nil}, pointerTo(voidType)}
		case "(":
			if v, ok := p.cast(); ok {
				return v
			}
		}
	}
	switch {
	case p.is("sizeof"), p.is("alignof"), p.is("__alignof__"), p.is("_Alignof"):
		return p.sizeOf(at)
	case p.is("__extension__"):
		p.next()
		return p.unary()
	}
	return p.postfix()
}

func (p *typer) sign(at Pos, op string, x value) value {
	t := promoted(x.t)
	if op == "!" {
		t = resultType("==", x.t.pointed(), intType)
	}
	return p.folded(value{&Unary{t.typed(at), op, x.e}, t})
}

// step is x++ and its like.
func (p *typer) step(at Pos, to value, op string, after bool) value {
	one := &Int{intType.typed(at), 1}
	return value{&Assign{typed: to.t.typed(at), Op: op, To: to.e, Value: one, Step: true, After: after}, to.t}
}

// address is &x.
func (p *typer) address(at Pos, x value) value {
	t := pointerTo(x.t)
	return value{&Address{t.typed(at), x.e}, t}
}

func (p *parser) sizeOf(at Pos) value {
	size := p.next().Text == "sizeof"
	var t *ctype
	if p.is("(") {
		p.at(p.i+1, p.scope, func() {
			if p.startsType() {
				t = p.typeName()
			}
		})
	}
	if t != nil {
		p.pass()
	} else {
		v := p.unary()
		if t = v.t; isParam(v.e) { // which is a pointer, however it is declared
			t = t.pointed()
		}
	}
	result := number(expr.Uint64)
	n, ok := t.size()
	if !size {
		n, ok = t.innermost().align(), true
	}
	if !ok {
		return value{&Unknown{result.typed(at), "the size of " + t.String(), nil}, result}
	}
	return value{&Int{result.typed(at), n}, result}
}

func isParam(e Expr) bool {
	r, ok := e.(*Ref)
	return ok && r.Var.Class == Param && !r.Var.Reference
}

// element is x[i].
func (p *typer) element(at Pos, x, i value) value {
	if x.t.form == functionForm { // *f is f
		return x
	}
	if n, ok := i.e.(*Int); ok && n.Value == 0 && x.t.form == pointerForm { // *&x is x
		if a, ok := x.e.(*Address); ok {
			return value{a.X, x.t.elem}
		}
		if v, ok := p.reread(at, x); ok {
			return v
		}
	}
	if x.t.form == otherForm && p.lang.hosted {
		return value{&Index{otherType.typed(at), x.e, []Expr{i.e}}, otherType}
	}
	if x.t.form == numberForm && i.t.form == pointerForm { // i[x]
		x, i = i, x
	}
	switch {
	case x.t.form == numberForm && x.t.dtype.IsVector():
		if n, ok := i.e.(*Int); ok && n.Value >= 0 && n.Value < x.t.dtype.Lanes() {
			return p.lanes(at, x, []int{int(n.Value)})
		}
		t := number(x.t.dtype.Base())
		return value{&Unknown{t.typed(at), "a lane that is not known", []Expr{x.e, i.e}}, t}
	case x.t.form != pointerForm && x.t.form != arrayForm:
		p.fail(at, "%s has no elements", x.t)
	}
	if of, ok := x.e.(*Index); ok && x.t.form == arrayForm {
		return value{&Index{x.t.elem.typed(of.Pos), of.Of, append(of.Subs[:len(of.Subs):len(of.Subs)], i.e)}, x.t.elem}
	}
	return value{&Index{x.t.elem.typed(at), x.e, []Expr{i.e}}, x.t.elem}
}

// lanes are lanes of a vector. Those of lanes of a vector are lanes of that.
func (p *typer) lanes(at Pos, x value, lanes []int) value {
	t := number(x.t.dtype.Base().Vector(int64(len(lanes))))
	if inner, ok := x.e.(*Lane); ok {
		for i := range lanes {
			lanes[i] = inner.Lanes[lanes[i]]
		}
		return value{&Lane{t.typed(at), inner.X, lanes}, t}
	}
	return value{&Lane{t.typed(at), x.e, lanes}, t}
}
