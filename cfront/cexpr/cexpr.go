// Package cexpr says what C's arithmetic is in the expressions of kernels: its operators and functions (operator.go), and the conditions
// that hold in a set (condition.go). The front ends that read package cfront's trees share it.
package cexpr

import (
	"strconv"
	"strings"

	"gpuperf/cfront"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// Operators of C as those of kernels. Quotients and remainders of integers are not among them, as they are rounded differently.
var Operators = map[string]expr.OpKind{
	"+": expr.Add, "-": expr.Sub, "*": expr.Mul, "/": expr.Div, "<<": expr.Shl, ">>": expr.Shr, "&": expr.BitAnd, "|": expr.BitOr, "^": expr.BitXor,
}

// Tests are operators whose result is a truth value.
var Tests = map[string]expr.OpKind{
	"<": expr.Lt, "<=": expr.Le, ">": expr.Gt, ">=": expr.Ge, "==": expr.Eq, "!=": expr.Ne, "&&": expr.And, "||": expr.Or,
}

// Number is a truth value as the integer that C makes of it.
func Number(e expr.Expr) expr.Expr {
	return &expr.Cond{If: e, Then: expr.Int{Value: 1}, Else: expr.Int{Value: 0}}
}

// Promoted is the value of an operand of type from in the type t in which C computes, where that of the kernel would be another. A literal takes the type of
// what it meets, which one below 0 does not where that has no sign.
func Promoted(v expr.Expr, from, t expr.DType) expr.Expr {
	n, literal := expr.IntLiteral(v)
	if literal && (n >= 0 || !t.IsInteger() || t.IsSigned()) || from == t || t.IsFloat() && from == expr.Int32 || t == expr.Float64 && from.Size() >= 4 {
		return v
	}
	return &expr.Cast{DType: t, Arg: v}
}

// Shift is a shift of a value of type t, which is its own type in C. In kernels it has the common type of both operands: the count, of type from, takes t.
func Shift(op expr.OpKind, v, count expr.Expr, t, from expr.DType) expr.Expr {
	if t.IsInteger() && expr.Promote(t, from) != t {
		count = Promoted(count, from, t)
	}
	return expr.Binary(op, v, count)
}

// Converted is a value of one type as another.
func Converted(v expr.Expr, from, to expr.DType) expr.Expr {
	literal, ok := v.(expr.Int)
	switch {
	case from == to:
		return v
	case ok && to.IsFloat():
		return Float(float64(literal.Value), to)
	}
	return &expr.Cast{DType: to, Arg: v}
}

// Float is a floating-point literal.
func Float(v float64, t expr.DType) expr.Float {
	bits, suffix := 64, "d"
	switch t {
	case expr.Float32:
		bits, suffix = 32, "f"
	case expr.Float16: // there are no literals of halves: it takes the type of what it meets
		bits, suffix, t = 32, "", ""
	}
	text := strconv.FormatFloat(v, 'g', -1, bits)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return expr.Float{Value: v, Text: text + suffix, DType: t}
}

// LibraryFunction is the name of the function of kernels that a function of the C library is, and the type of its operands. Where a macro makes float of double
// (-D double=float), so it is in the prototypes of math.h.
func LibraryFunction(x *cfront.Call) (name string, t expr.DType, ok bool) {
	if n, known := expr.Arity(x.Func); known && n == len(x.Args) && (x.DType == expr.Float64 || x.DType == expr.Float32) {
		return x.Func, x.DType, true
	}
	short, cut := x.Func[:max(0, len(x.Func)-1)], len(x.Func) > 1 && x.Func[len(x.Func)-1] == 'f'
	if n, known := expr.Arity(short); cut && known && n == len(x.Args) && x.DType == expr.Float32 {
		return short, expr.Float32, true
	}
	return "abs", expr.Int32, x.Func == "abs" && len(x.Args) == 1
}

// Division is the function that divides integers of a type as C does, rounding towards zero; op is / or %.
func Division(op string, t expr.DType) *kernel.Function {
	name, def := "c_div_"+string(t), "a // b + (1 if a % b != 0 and (a < 0 and b > 0 or a > 0 and b < 0) else 0)"
	if op == "%" {
		name, def = "c_mod_"+string(t), "a % b - (b if a % b != 0 and (a < 0 and b > 0 or a > 0 and b < 0) else 0)"
	}
	parsed, err := expr.Parse(def)
	if err != nil {
		panic(err)
	}
	return &kernel.Function{
		Name: name, Params: []kernel.FunctionParam{{Name: "a", DType: t}, {Name: "b", DType: t}}, Result: t,
		Body: "return a " + op + " b;", Def: parsed, Counts: map[expr.DType]map[string]int64{t: {"div": 1}},
	}
}
