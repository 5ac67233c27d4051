package emit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/kernel/expr"
)

// operators that are written between their operands: strength, and whether operands of the same strength on the right need
// parentheses. Sums and products of floats are left as they group.
var infix = map[expr.OpKind]struct {
	text string
	prec int
}{
	expr.Add: {"+", precSum}, expr.Sub: {"-", precSum}, expr.Mul: {"*", precProduct}, expr.Div: {"/", precProduct},
	expr.Shl: {"<<", precShift}, expr.Shr: {">>", precShift},
	expr.BitAnd: {"&", precBitAnd}, expr.BitOr: {"|", precBitOr}, expr.BitXor: {"^", precBitXor},
	expr.Eq: {"==", precEqual}, expr.Ne: {"!=", precEqual},
	expr.Lt: {"<", precLess}, expr.Le: {"<=", precLess}, expr.Gt: {">", precLess}, expr.Ge: {">=", precLess},
	expr.And: {"&&", precAnd}, expr.Or: {"||", precOr},
}

// expr writes e and gives its type, which is that of the C expression too, up to C's promotion of small integers.
func (w *writer) expr(e expr.Expr) (code, expr.DType) {
	t := w.typeOf(e)
	if _, ok := w.types[t]; !ok {
		w.fail("%s has type %s, which kernels are counted with but not generated for", e, t)
		return code{}, t
	}
	w.use(t)
	return w.exprOf(e, t), t
}

// typeOf is the type of e in the IR.
func (w *writer) typeOf(e expr.Expr) expr.DType {
	t, err := w.k.TypeOf(e)
	w.check(err)
	return t
}

func (w *writer) exprOf(e expr.Expr, t expr.DType) code {
	switch x := e.(type) {
	case expr.Int:
		return w.integerLiteral(x.Value, t)
	case expr.Float:
		return signed(w.literal(x.Value, t))
	case expr.Var:
		return w.variable(x.Name)
	case *expr.Access:
		if x.As != "" {
			w.fail("%s: what takes members out of arrays of records cannot be generated", x)
		}
		if x.Lanes > 0 {
			return w.vector(x).load(w, x.Lanes)
		}
		return w.element(x.Array, x.Index)
	case *expr.Cast:
		c, from := w.expr(x.Arg)
		return w.converted(c, from, x.DType)
	case *expr.Cond:
		return choice(w.truth(x.If), w.typed(x.Then, t), w.typed(x.Else, t))
	case *expr.Call:
		return w.call(x, t)
	case *expr.Op:
		return w.op(x, t)
	}
	w.fail("%s cannot be generated", e)
	return code{}
}

func (w *writer) variable(name string) code {
	if w.k.IsIname(name) { // which a parameter of a function is not, even where it has the name of one
		if v, ok := w.fixed[cmp.Or(w.nest.Names[name], name)]; ok {
			return signed(v.String())
		}
		if v, ok := w.nest.Fixed(name); ok {
			return w.integerLiteral(v, expr.Int32)
		}
		if axis, ok := w.nest.Names[name]; ok {
			return w.inIndexType(axis)
		}
	}
	if w.k.IsIname(name) || w.k.IsParam(name) {
		return w.inIndexType(w.name(name))
	}
	return w.element(name, nil)
}

// inIndexType writes a counter in a value expression, where the IR takes it as int32.
func (w *writer) inIndexType(text string) code {
	c := code{text, precAtom}
	if w.index == expr.Int64 {
		return w.cast(c, expr.Int32)
	}
	return c
}

func signed(text string) code {
	if strings.HasPrefix(text, "-") {
		return code{text, precUnary}
	}
	return code{text, precAtom}
}

func (w *writer) integerLiteral(v int64, t expr.DType) code {
	if t.IsFloat() {
		w.use(t)
		return signed(w.literal(float64(v), t))
	}
	switch {
	case v == math.MinInt64: // its magnitude is no literal
		return code{"(-9223372036854775807L - 1)", precAtom}
	case v == math.MinInt32 && t == expr.Int32:
		return code{"(-2147483647 - 1)", precAtom}
	}
	text := strconv.FormatInt(v, 10)
	switch t {
	case expr.Int64:
		text += "L"
	case expr.Uint64:
		text += "UL"
	case expr.Uint32:
		text += "U"
	}
	return signed(text)
}

func (w *writer) cast(c code, t expr.DType) code {
	w.use(t)
	return code{"(" + w.types[t] + ") " + c.at(precUnary), precUnary}
}

func (w *writer) converted(c code, from, to expr.DType) code {
	switch {
	case from == to:
		return c
	case from.IsVector():
		w.use(to)
		return code{fmt.Sprintf(w.vectors.convert, w.types[to], c.text), precAtom}
	case to.IsVector():
		return code{fmt.Sprintf(w.vectors.cast, w.types[to], w.converted(c, from, to.Base()).text), precAtom}
	case to == expr.Bool:
		return code{c.at(precEqual+1) + " != 0", precEqual}
	case from == expr.Bool && to == expr.Int32:
		return c
	}
	return w.cast(c, to)
}

// typed writes e converted to a type; integer literals become literals of it.
func (w *writer) typed(e expr.Expr, t expr.DType) code {
	if v, ok := expr.IntLiteral(e); ok && t != expr.Bool {
		return w.converted(w.integerLiteral(v, t.Base()), t.Base(), t)
	}
	c, from := w.expr(e)
	return w.converted(c, from, t)
}

// assigned writes the right-hand side of an assignment, which C converts to the type of the left one.
func (w *writer) assigned(e expr.Expr, t expr.DType) code {
	if _, ok := expr.IntLiteral(e); ok || t == expr.Bool {
		return w.typed(e, t)
	}
	c, from := w.expr(e)
	if t.IsVector() || w.explicit[t] != "" {
		c = w.converted(c, from, t)
	}
	return c
}

func (w *writer) truth(e expr.Expr) code {
	c, t := w.expr(e)
	return w.converted(c, t, expr.Bool)
}

// common is the type that C brings operands to.
func (w *writer) common(args []expr.Expr) expr.DType {
	if len(args) == 1 {
		return w.typeOf(args[0])
	}
	return w.typeOf(&expr.Op{Kind: expr.Add, Args: args})
}

func (w *writer) op(x *expr.Op, t expr.DType) code {
	switch x.Kind {
	case expr.And, expr.Or:
		var parts []string
		prec := infix[x.Kind].prec
		for _, a := range x.Args {
			parts = append(parts, w.truth(a).at(prec+1))
		}
		return code{strings.Join(parts, " "+infix[x.Kind].text+" "), prec}
	case expr.Not:
		return code{"!" + w.truth(x.Args[0]).at(precUnary), precUnary}
	}
	operands := t
	if x.Kind.IsComparison() {
		operands = w.common(x.Args)
	}
	args := w.operands(x, operands)
	switch x.Kind {
	case expr.Neg:
		return w.narrow(code{"-" + args[0].at(precAtom), precUnary}, t)
	case expr.Mul: // a factor of -1 is a sign, as it is where operations are counted
		if i := slices.IndexFunc(x.Args, func(a expr.Expr) bool { n, ok := a.(expr.Int); return ok && n.Value == -1 }); i >= 0 && len(args) == 2 {
			return w.narrow(code{"-" + args[1-i].at(precAtom), precUnary}, t)
		}
	case expr.BitNot:
		return w.narrow(code{"~" + args[0].at(precUnary), precUnary}, t)
	case expr.FloorDiv, expr.Mod:
		return w.divide(x, t, args)
	case expr.Min, expr.Max:
		return nested(w.function(string(x.Kind), t), args)
	case expr.Pow:
		if t.IsVector() && t.Base().IsInteger() {
			w.fail("operator %s on vectors of %s cannot be generated", x.Kind, t.Base())
		}
		if t.IsInteger() {
			return nested(w.help("power", t), args)
		}
		return nested("pow", args)
	}
	o, ok := infix[x.Kind]
	if !ok {
		w.fail("operator %s cannot be generated", x.Kind)
	}
	return w.narrow(joined(args, " "+o.text+" ", o.prec, o.prec+1), t) // of a comparison that is bool
}

// operands writes operands in the type of the operation. Of two, C converts the one of the lesser type to the other's
// by itself; of more it would convert step by step.
func (w *writer) operands(x *expr.Op, t expr.DType) []code {
	call := x.Kind == expr.Min || x.Kind == expr.Max || x.Kind == expr.Pow || x.Kind == expr.Mod || x.Kind == expr.FloorDiv
	if t.IsVector() {
		return w.vectorOperands(x.Args, t, !call && len(x.Args) == 2)
	}
	one := false // operand has the type t
	for _, a := range x.Args {
		_, literal := expr.IntLiteral(a)
		one = one || w.typeOf(a) == t && !literal
	}
	var out []code
	for _, a := range x.Args {
		u := w.typeOf(a)
		implicit := !call && one && len(x.Args) == 2 && t.Size() >= 4 && t.IsFloat() && (u.IsFloat() || u.IsInteger())
		if _, literal := expr.IntLiteral(a); implicit && !literal {
			c, _ := w.expr(a)
			out = append(out, c)
		} else {
			out = append(out, w.typed(a, t))
		}
	}
	return out
}

// narrow undoes C's promotion to int of types that are smaller.
func (w *writer) narrow(c code, t expr.DType) code {
	if t.IsInteger() && t.Size() < 4 {
		return w.cast(c, t)
	}
	return c
}

// divide writes floor division and modulo: as C does them where the operands are not negative.
func (w *writer) divide(x *expr.Op, t expr.DType, args []code) code {
	helper, text := "floor_div", "/"
	if x.Kind == expr.Mod {
		helper, text = "floor_mod", "%"
	}
	if t.IsVector() && (x.Kind == expr.Mod || !t.Base().IsFloat()) {
		w.fail("operator %s on vectors of %s cannot be generated", x.Kind, t.Base())
	}
	if t.Base().IsFloat() {
		if x.Kind == expr.Mod {
			return nested(w.help("mod", t), args)
		}
		return code{fmt.Sprintf("floor(%s / %s)", args[0].at(precProduct), args[1].at(precUnary)), precAtom}
	}
	if a, err := expr.ToAffine(x, w.isCounter); err == nil && t == expr.Int32 {
		c := w.affine(w.nest.Affine(a))
		if w.index == expr.Int64 {
			c = w.cast(c, expr.Int32)
		}
		return c
	}
	if t == expr.Uint8 || t == expr.Uint16 || t == expr.Uint32 || t == expr.Uint64 {
		return w.narrow(code{args[0].at(precProduct) + " " + text + " " + args[1].at(precUnary), precProduct}, t)
	}
	return nested(w.help(helper, t), args)
}

// isCounter reports whether a name is a loop counter, an index of a work-item, or an integer parameter.
// A parameter of a function is none, even where a loop of the kernel has its name.
func (w *writer) isCounter(name string) bool {
	if w.k != w.nest.Kernel {
		return false
	}
	a := w.k.Array(name)
	return a == nil || a.IsValue && w.k.IsParam(name)
}

// nested writes f(f(a, b), c).
func nested(f string, args []code) code {
	text := args[0].text
	for _, a := range args[1:] {
		text = fmt.Sprintf("%s(%s, %s)", f, text, a.text)
	}
	return code{text, precAtom}
}

func (w *writer) function(name string, t expr.DType) string {
	if f, ok := w.funcs[name]; ok && t.Base().IsFloat() {
		return f
	}
	return name
}

func (w *writer) call(x *expr.Call, t expr.DType) code {
	if f := w.k.Function(x.Func); f != nil {
		return w.userCall(f, x)
	}
	in := w.common(x.Args)
	if _, both := w.funcs[x.Func]; !in.Base().IsFloat() && !(both && in.Base().IsInteger()) {
		in = expr.Float32.Vector(in.Lanes())
	}
	c := code{fmt.Sprintf("%s(%s)", w.function(x.Func, in), lists.Join(x.Args, ", ", func(a expr.Expr) string { return w.typed(a, in).text })), precAtom}
	if x.Func == "abs" && !in.Base().IsFloat() { // its result is unsigned
		c = w.cast(c, t)
	}
	return c
}
