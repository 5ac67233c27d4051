package cfront

import (
	"errors"
	"math"
	"slices"
	"strings"

	"gpuperf/internal/source"
	"gpuperf/kernel/expr"
)

// Vectors are not converted silently: neither OpenCL C nor CUDA C gives a variable a vector of another type, or a vector to a number.

// takes refuses a vector for a variable of another type.
func (p *typer) takes(at Pos, to *ctype, v value) {
	if v.t != nil && v.t.form == numberForm && to.form == numberForm && v.t.dtype.IsVector() && v.t.dtype != to.dtype {
		p.failVectors(at, "%s takes no %s", to.named(), v.t.named())
	}
}

// sameVectors refuses an operation on vectors of two types.
func (p *typer) sameVectors(at Pos, x, y *ctype) {
	if y != nil && x.form == numberForm && y.form == numberForm && x.dtype.IsVector() && y.dtype.IsVector() && x.dtype != y.dtype {
		p.failVectors(at, "an operation on %s and %s", x.named(), y.named())
	}
}

func (p *typer) failVectors(at Pos, format string, args ...any) {
	hint := "vectors are converted by functions, such as convert_float4"
	if p.lang.plusPlus {
		hint = "vectors are made of numbers, as make_float4(v.x, v.y, v.z, v.w)"
	}
	p.failHint(at, hint, format, args...)
}

// realOf is the value of a constant expression in floating point, which a compiler computes: that of a variable of the file, or of a constexpr.
func realOf(e Expr) (float64, bool) {
	rounded := func(x float64, t expr.DType) (float64, bool) {
		if t == expr.Float32 {
			x = float64(float32(x))
		}
		return x, t == expr.Float32 || t == expr.Float64
	}
	switch x := e.(type) {
	case *Int, *Float:
		return literal(e)
	case *Cast:
		v, ok := realOf(x.X)
		if !ok || !x.DType.IsFloat() {
			return 0, false
		}
		return rounded(v, x.DType)
	case *Unary:
		v, ok := realOf(x.X)
		return -v, ok && x.Op == "-" && x.DType.IsFloat()
	case *Binary:
		a, first := realOf(x.X)
		b, second := realOf(x.Y)
		if !first || !second || !x.DType.IsFloat() {
			return 0, false
		}
		switch x.Op {
		case "+":
			return rounded(a+b, x.DType)
		case "-":
			return rounded(a-b, x.DType)
		case "*":
			return rounded(a*b, x.DType)
		case "/":
			return rounded(a/b, x.DType)
		}
	}
	return 0, false
}

// Inlined is the value of a call: that of a function which does nothing but return it, with the arguments in the places of the parameters. ok is false
// for other functions, and for expressions that assign or use addresses.
func Inlined(f *Function, call *Call) (e Expr, ok bool) {
	if f.Result == "" || len(f.Params) != len(call.Args) || len(f.Body.Items) != 1 {
		return nil, false
	}
	j, ok := f.Body.Items[0].(*Jump)
	if !ok || j.Value == nil {
		return nil, false
	}
	by := map[*Var]Expr{}
	for i, p := range f.Params {
		if p.DType == "" || len(p.Dims) > 0 {
			return nil, false
		}
		by[p] = call.Args[i]
		if call.Args[i].Type() != p.DType {
			by[p] = &Cast{typed{Pos: call.Args[i].Place(), DType: p.DType}, call.Args[i]}
		}
	}
	e, ok = substituted(j.Value, by)
	if ok && e.Type() != f.Result {
		e = &Cast{typed{Pos: call.Pos, DType: f.Result}, e}
	}
	return e, ok
}

// substituted has expressions in the places of variables.
func substituted(e Expr, by map[*Var]Expr) (out Expr, ok bool) {
	other := func(e Expr) bool {
		switch e.(type) {
		case *Int, *Float, *Ref, *Index, *Unary, *Binary, *Select, *Cast, *Call:
			return false
		}
		return true
	}
	return Rebuilt(e, func(e Expr) (Expr, bool) {
		r, is := e.(*Ref)
		if is && by[r.Var] != nil {
			return by[r.Var], true
		}
		return e, is
	}), !Any(e, other)
}

// Same reports that two expressions are the same text.
func Same(a, b Expr) bool { return exprText(a) == exprText(b) }

// CastTo is an expression as a number of a type.
func CastTo(t expr.DType, e Expr) *Cast { return &Cast{typed{Pos: e.Place(), DType: t}, e} }

// Rebuilt is an expression in which the parts that change replaces are replaced.
func Rebuilt(e Expr, change func(Expr) (Expr, bool)) Expr {
	if e == nil {
		return nil
	}
	if out, ok := change(e); ok {
		return out
	}
	in := func(e Expr) Expr { return Rebuilt(e, change) }
	all := func(list []Expr) []Expr {
		list = slices.Clone(list)
		for i := range list {
			list[i] = in(list[i])
		}
		return list
	}
	switch x := e.(type) {
	case *Index:
		return &Index{x.typed, in(x.Of), all(x.Subs)}
	case *Lane:
		return &Lane{x.typed, in(x.X), x.Lanes}
	case *Member:
		return &Member{x.typed, in(x.X), x.Name}
	case *Address:
		return &Address{x.typed, in(x.X)}
	case *Unary:
		return &Unary{x.typed, x.Op, in(x.X)}
	case *Binary:
		return &Binary{x.typed, x.Op, in(x.X), in(x.Y), x.Func}
	case *Select:
		return &Select{x.typed, in(x.If), in(x.Then), in(x.Else)}
	case *Cast:
		return &Cast{x.typed, in(x.X)}
	case *Vector:
		return &Vector{x.typed, all(x.Elems)}
	case *Call:
		return &Call{x.typed, x.Func, all(x.Args)}
	case *Assign:
		return &Assign{x.typed, x.Op, in(x.To), in(x.Value), x.Step, x.After}
	case *List:
		return &List{x.typed, all(x.Items)}
	case *Make:
		return &Make{x.typed, x.Ctor, all(x.Args)}
	case *Unknown:
		return &Unknown{x.typed, x.What, all(x.Args)}
	}
	return e
}

// A reference to a number, a vector, a record or a pointer is a pointer in trees: T &a = x is T *a = &x, each use of a is *a, and a function that returns a
// reference returns a pointer. An argument or a value that is no object, as i + 1 for a const T &, is the address of that value.

// refers reports whether objects of a type are references that are kept as pointers.
func (t *ctype) refers() bool {
	return t.alias && (t.form == numberForm || t.form == pointerForm || t.form == recordForm)
}

// kept is the type of the variable that a variable of a type is in trees.
func (t *ctype) kept() *ctype {
	if !t.refers() {
		return t
	}
	return pointerTo(t.named())
}

// named is the type of what a reference names.
func (t *ctype) named() *ctype { return t.with(func(t *ctype) { t.alias = false }) }

// deref is what the value of a reference names; other values are as they are.
func deref(at Pos, v value) value {
	if !v.t.refers() {
		return v
	}
	t := v.t.named()
	return value{&Index{t.typed(at), v.e, []Expr{&Int{intType.typed(at), 0}}}, t}
}

// reference is the pointer that a reference of a type to a value is.
func (p *typer) reference(t *ctype, v value) Expr {
	at, to := v.e.Place(), t.named()
	if v.t != nil && v.t.form == numberForm && to.form == numberForm && v.t.dtype != to.dtype {
		if !to.constant && isObject(v.e) {
			p.fail(at, "a reference to %s names no %s", to, v.t)
		}
		v = p.castTo(at, to, v)
	}
	if s, ok := v.e.(*Select); ok && !to.constant && isObject(s.Then) && isObject(s.Else) { // one of two objects, which may be written
		return &Select{pointerTo(to).typed(at), s.If, p.reference(t, value{s.Then, v.t}), p.reference(t, value{s.Else, v.t})}
	}
	return p.address(at, value{v.e, to}).e
}

// isObject reports whether an expression names an object.
func isObject(e Expr) bool {
	switch x := e.(type) {
	case *Ref, *Index:
		return true
	case *Lane:
		return isObject(x.X)
	case *Member:
		return isObject(x.X)
	}
	return false
}

// limit reads a member of std::numeric_limits, after its name.
func (p *parser) limit(at Pos) value {
	args := p.templateArguments()
	if len(args) != 1 || args[0].t == nil || args[0].t.form != numberForm {
		p.fail(at, "numeric_limits takes a type of numbers")
	}
	t := args[0].t
	p.expect("::")
	what := p.name()
	if p.accept("(") {
		p.expect(")")
	}
	if t.dtype.IsInteger() {
		if n, ok := integerLimit(t.dtype, what.Text); ok {
			return value{&Int{t.typed(at), n}, t}
		}
	} else if x, ok := realLimits[t.dtype][what.Text]; ok {
		return floatValue(at, x, t.dtype)
	}
	p.fail(Pos(what.At), "numeric_limits<%s>::%s is not known", t, what.Text)
	return value{}
}

func integerLimit(t expr.DType, what string) (int64, bool) {
	bits := 8 * t.Size()
	least, most := int64(0), int64(-1) // of 64 bits without a sign, the bits of the largest
	switch {
	case t.IsSigned():
		least, most = -1<<(bits-1), 1<<(bits-1)-1
	case bits < 64:
		most = 1<<bits - 1
	}
	switch what {
	case "max":
		return most, true
	case "min", "lowest":
		return least, true
	}
	return 0, false
}

// realLimits are the limits of numbers in floating point (IEEE 754).
var realLimits = map[expr.DType]map[string]float64{
	expr.Float32: {"max": math.MaxFloat32, "lowest": -math.MaxFloat32, "min": 0x1p-126, "epsilon": 0x1p-23, "infinity": math.Inf(1)},
	expr.Float64: {"max": math.MaxFloat64, "lowest": -math.MaxFloat64, "min": 0x1p-1022, "epsilon": 0x1p-52, "infinity": math.Inf(1)},
}

// traits are properties of types that are constants, by the names of the standard library.
var traits = map[string]func(args []argument) bool{
	"is_same":           func(a []argument) bool { return len(a) == 2 && a[0].t != nil && a[1].t != nil && a[0].equal(a[1]) },
	"is_floating_point": func(a []argument) bool { return len(a) == 1 && a[0].t != nil && a[0].t.dtype.IsFloat() },
	"is_integral":       func(a []argument) bool { return len(a) == 1 && a[0].t != nil && a[0].t.dtype.IsInteger() },
	"is_arithmetic":     func(a []argument) bool { return len(a) == 1 && a[0].t != nil && a[0].t.form == numberForm },
	"is_signed": func(a []argument) bool {
		return len(a) == 1 && a[0].t != nil && (a[0].t.dtype.IsFloat() || a[0].t.dtype.IsSigned())
	},
	"is_unsigned": func(a []argument) bool {
		return len(a) == 1 && a[0].t != nil && a[0].t.dtype.IsInteger() && !a[0].t.dtype.IsSigned()
	},
	"is_void":    func(a []argument) bool { return len(a) == 1 && a[0].t != nil && a[0].t.form == voidType.form },
	"is_pointer": func(a []argument) bool { return len(a) == 1 && a[0].t != nil && a[0].t.form == pointerForm },
}

// trait reads the arguments of a property of types, and ::value.
func (p *parser) trait(at Pos, name string) value {
	is := traits[strings.TrimSuffix(name, "_v")](p.templateArguments())
	switch {
	case strings.HasSuffix(name, "_v"):
	case p.accept("::"):
		p.next()
	default:
		p.accept("{")
		p.accept("}")
	}
	return value{&Int{boolType.typed(at), truth(is)}, boolType}
}

// Templates may say for which arguments they are: std::enable_if<condition, T>::type is T where the condition holds, and no type elsewhere. A template that needs
// it is passed over then (C++17, 23.15.7.6).

// disabledError is that of an enable_if whose condition does not hold.
type disabledError struct{ at *source.Error }

func (e *disabledError) Error() string { return e.at.Error() }
func (e *disabledError) Unwrap() error { return e.at }

func isDisabled(err error) bool { return errors.As(err, new(*disabledError)) }

// disabled reports that what is read at a token, if one is given, has no meaning for what the parameters of a template mean in a scope. A parameter that only
// says a condition which is not known does not leave the template out.
func (p *parser) disabled(at int, s *scope, read func()) (is bool) {
	if at == 0 {
		return false
	}
	err := p.instantiated(read, at, s)
	if err != nil && !isDisabled(err) && !p.enablesAt(at) {
		panic(fault{err: err})
	}
	return isDisabled(err)
}

func (p *parser) enablesAt(at int) (is bool) {
	p.at(at, p.scope, func() { is = p.enables(p.qualifiers()) })
	return is
}

// withHoles marks that parameters of templates stand for themselves, until the function that it returns is called.
func (p *parser) withHoles() func() {
	before := p.holed
	p.holed = true
	return func() { p.holed = before }
}

// enables reports that enable_if stands here, behind so many tokens of namespaces.
func (p *lookup) enables(n int) bool {
	name := p.peek(n)
	return p.lang.plusPlus && (name.Is("enable_if") || name.Is("enable_if_t")) && p.peek(n+1).Is("<")
}

// enabled reads enable_if with its arguments, and is the type that it has. While parameters stand for themselves it is one that is not known.
func (p *parser) enabled(n int) *ctype {
	p.i += n
	at := p.here()
	nested := p.next().Text == "enable_if"
	t := voidType
	p.expect("<")
	holds := int64(1)
	if p.holed {
		t = otherType
		p.passArgument()
		for p.accept(",") {
			p.passArgument()
		}
	} else {
		v, ok := p.evaluated(p.withAngle(1, p.conditional)).e.(*Int)
		if !ok {
			p.fail(at, "the condition of enable_if is not known")
		}
		if holds = v.Value; p.accept(",") {
			t = p.typeName()
		}
	}
	p.closeAngle()
	if nested {
		p.expect("::")
		p.expect("type")
	}
	if holds == 0 {
		panic(fault{err: &disabledError{p.file.Errorf(at, "the condition of enable_if does not hold")}})
	}
	return t
}

// enabler passes a parameter whose type only says for which arguments the template is, up to its name or default, and is the token where that begins; 0 for
// others.
func (p *parser) enabler() (at int) {
	i := p.i
	for p.tokens[i].Is("typename") {
		i++
	}
	if !p.enablesAt(i) {
		return 0
	}
	before := p.withHoles()
	defer before()
	p.i = i
	p.typeHere()
	p.accept("*")
	return i
}

// seenAs is an object as one of another type, *(T *)&x.
func (p *parser) seenAs(at Pos, t *ctype, v value) value {
	first := value{&Int{intType.typed(at), 0}, intType}
	if v.t.form == arrayForm {
		v = p.element(at, v, first)
	}
	return p.element(at, p.castTo(at, pointerTo(t), p.address(at, v)), first)
}

// castTo converts a value to a type.
func (p *typer) castTo(at Pos, t *ctype, v value) value {
	t = t.with(func(t *ctype) { t.alias = false })
	switch {
	case t.form == voidForm, v.t.form == numberForm && t.form == numberForm && v.t.dtype == t.dtype:
		return value{v.e, t}
	case t.form == numberForm && t.dtype.IsVector() && !v.t.dtype.IsVector():
		return value{&Vector{t.typed(at), []Expr{v.e}}, t}
	}
	if n, ok := literal(v.e); ok && t.dtype.IsFloat() {
		return floatValue(at, n, t.dtype)
	}
	return p.folded(value{&Cast{t.typed(at), v.e}, t})
}

func literal(e Expr) (float64, bool) {
	switch x := e.(type) {
	case *Int:
		return float64(x.Value), x.DType != expr.Uint64 || x.Value >= 0
	case *Float:
		return x.Value, true
	}
	return 0, false
}

// converted is a constant as a variable of a type holds it.
func (p *typer) converted(v value, t *ctype, at Pos) value {
	if v.t == nil || v.t.form != numberForm {
		return v
	}
	return p.castTo(at, t, v)
}
