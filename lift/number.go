package lift

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"gpuperf/kernel/expr"
)

// Num is a number: exact where Rat is not nil, else the float64.
type Num struct {
	Rat   *big.Rat
	Float float64
}

// Exact is the number num/den.
func Exact(num, den int64) Num { return Num{Rat: big.NewRat(num, den)} }

// Inexact is a float64.
func Inexact(x float64) Num { return Num{Float: x} }

// Float64 is the number as a float64.
func (x Num) Float64() float64 {
	if x.Rat == nil {
		return x.Float
	}
	f, _ := x.Rat.Float64()
	return f
}

// Int is the number, if it is a whole one of 64 bits.
func (x Num) Int() (int64, bool) {
	if x.Rat == nil {
		n := int64(x.Float)
		return n, float64(n) == x.Float
	}
	return x.Rat.Num().Int64(), x.Rat.IsInt() && x.Rat.Num().IsInt64()
}

// String is the number in decimal, or as a fraction.
func (x Num) String() string {
	if x.Rat != nil {
		return x.Rat.RatString()
	}
	return strconv.FormatFloat(x.Float, 'g', -1, 64)
}

func (e *evaluator) number(r *big.Rat) Num {
	if e.opt.Float {
		f, _ := r.Float64()
		return Num{Float: f}
	}
	return Num{Rat: r}
}

// callUser evaluates the definition of a user function.
func (e *evaluator) callUser(f *UserFun, args []Value) Value {
	if len(f.Defs) == 0 {
		panic(evalError{fmt.Errorf("function %s: %w", f.Name, ErrUndefined)})
	}
	for _, a := range args {
		if _, unwritten := a.(Unwritten); unwritten {
			panic(evalError{ErrUnwritten})
		}
	}
	// A copy keeps its value, whatever it is made of.
	if v, ok := f.Defs[0].(expr.Var); ok && f.Result.Kind != TupleType && len(f.Params) == 1 && v.Name == f.Params[0].Name && f.Result == f.Params[0].Type {
		return args[0]
	}
	names := make(map[string]Value, len(args)+len(f.Lets))
	for i, p := range f.Params {
		names[p.Name] = args[i]
	}
	x := exprEval{e, f, names, -1}
	for _, b := range f.Lets {
		names[b.Name] = x.eval(b.Expr)
	}
	if f.Result.Kind == VectorType {
		return build(f.Result.Width, func(lane int) Value {
			return exprEval{e, f, names, lane}.as(f.Result.DType, f.Defs[0])
		})
	}
	if f.Result.Kind != TupleType {
		return x.as(f.Result.DType, f.Defs[0])
	}
	types := components(f.Result)
	flat := build(len(f.Defs), func(i int) Value {
		if types[i].Kind == VectorType {
			return x.eval(f.Defs[i])
		}
		return x.as(types[i].DType, f.Defs[i])
	})
	v, _ := nest(flat, f.Result)
	return v
}

// nest puts the components of a data type in their tuples, and returns those left over.
func nest(flat Values, t *Type) (Value, Values) {
	if t.Kind != TupleType {
		return flat[0], flat[1:]
	}
	out := make(Values, len(t.Elems))
	for i, e := range t.Elems {
		out[i], flat = nest(flat, e)
	}
	return out, flat
}

// flatten lists the scalars of a tuple or a vector.
func flatten(v Value) Values {
	xs, ok := v.(Values)
	if !ok {
		return Values{v}
	}
	var out Values
	for _, x := range xs {
		out = append(out, flatten(x)...)
	}
	return out
}

// exprEval evaluates an expression of the kernel IR over the parameters of a user function.
type exprEval struct {
	*evaluator
	f    *UserFun
	vars map[string]Value
	lane int // of a vector result
}

func (x exprEval) scalar(v Value, what string) Num {
	if vs, ok := v.(Values); ok && x.lane >= 0 && x.lane < len(vs) {
		v = vs[x.lane]
	}
	n, ok := v.(Num)
	if !ok {
		if _, unwritten := v.(Unwritten); unwritten {
			panic(evalError{ErrUnwritten})
		}
		fail("function %s: %s is no scalar", x.f.Name, what)
	}
	return n
}

// as is the value of an expression as the result of a function: integers lose their fraction, and wrap around.
func (x exprEval) as(d expr.DType, of expr.Expr) Num { return x.converted(d, x.eval(of)) }

func (x exprEval) converted(d expr.DType, v Num) Num {
	if !d.IsInteger() {
		return v
	}
	v = x.trunc(v)
	if v.Rat != nil {
		return Num{Rat: new(big.Rat).SetInt(wrap(v.Rat.Num(), d))}
	}
	if math.IsNaN(v.Float) || math.IsInf(v.Float, 0) {
		return v
	}
	n, _ := big.NewFloat(v.Float).Int(nil)
	return Num{Rat: new(big.Rat).SetInt(wrap(n, d))}
}

// wrap is the integer of a type that n becomes: n modulo 2 to the number of bits.
func wrap(n *big.Int, d expr.DType) *big.Int {
	if !d.IsInteger() {
		return n
	}
	bits := uint(8 * d.Size())
	out := new(big.Int).And(n, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), bits), big.NewInt(1)))
	if d.IsSigned() && out.Bit(int(bits)-1) == 1 {
		out.Sub(out, new(big.Int).Lsh(big.NewInt(1), bits))
	}
	return out
}

func (x exprEval) eval(of expr.Expr) Num {
	switch ex := of.(type) {
	case expr.Int:
		return Num{Rat: new(big.Rat).SetInt64(ex.Value)}
	case expr.Float:
		if r, ok := new(big.Rat).SetString(trimFloat(ex.Text)); ok {
			return x.number(r)
		}
		return Num{Float: ex.Value}
	case expr.Var:
		return x.scalar(x.vars[ex.Name], ex.Name)
	case *expr.Access:
		all := flatten(x.vars[ex.Array])
		if len(ex.Index) == 1 {
			if i, ok := x.eval(ex.Index[0]).Int(); ok && i >= 0 && i < int64(len(all)) {
				return x.scalar(all[i], ex.String())
			}
		}
		fail("function %s: %s is no component", x.f.Name, ex)
	case *expr.Cast:
		v := x.eval(ex.Arg)
		return x.converted(ex.DType, v)
	case *expr.Cond:
		if x.eval(ex.If).sign() != 0 {
			return x.eval(ex.Then)
		}
		return x.eval(ex.Else)
	case *expr.Op:
		return x.op(ex)
	case *expr.Call:
		args := make([]Num, len(ex.Args))
		for i, a := range ex.Args {
			args[i] = x.eval(a)
		}
		return x.call(ex.Func, args)
	}
	fail("function %s: %s has no value", x.f.Name, of)
	return Num{}
}

// trimFloat drops the suffix f of a literal.
func trimFloat(text string) string {
	if n := len(text); n > 1 && text[n-1] == 'f' {
		return text[:n-1]
	}
	return text
}

func (x Num) sign() int {
	if x.Rat != nil {
		return x.Rat.Sign()
	}
	switch {
	case x.Float > 0:
		return 1
	case x.Float < 0:
		return -1
	}
	return 0
}

// compare orders numbers; ok is false when one is NaN.
func compare(a, b Num) (c int, ok bool) {
	if a.Rat != nil && b.Rat != nil {
		return a.Rat.Cmp(b.Rat), true
	}
	switch x, y := a.Float64(), b.Float64(); {
	case x < y:
		return -1, true
	case x > y:
		return 1, true
	default:
		return 0, x == y
	}
}

func (x exprEval) truth(b bool) Num {
	if b {
		return x.number(big.NewRat(1, 1))
	}
	return x.number(new(big.Rat))
}

func (x exprEval) trunc(v Num) Num {
	if v.Rat == nil {
		return Num{Float: math.Trunc(v.Float)}
	}
	return Num{Rat: new(big.Rat).SetInt(new(big.Int).Quo(v.Rat.Num(), v.Rat.Denom()))}
}

func floorRat(r *big.Rat) *big.Rat {
	q, _ := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	return new(big.Rat).SetInt(q)
}

// arith is an operation on two numbers, on rationals and on floats.
type arith struct {
	exact func(a, b *big.Rat) *big.Rat // nil: in float64
	float func(a, b float64) float64
	// divides: by 0 there is no rational result
	divides bool
}

var ariths = map[expr.OpKind]arith{
	expr.Add: {func(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }, func(a, b float64) float64 { return a + b }, false},
	expr.Sub: {func(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }, func(a, b float64) float64 { return a - b }, false},
	expr.Mul: {func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }, func(a, b float64) float64 { return a * b }, false},
	expr.Div: {func(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }, func(a, b float64) float64 { return a / b }, true},
	expr.FloorDiv: {
		func(a, b *big.Rat) *big.Rat { return floorRat(new(big.Rat).Quo(a, b)) },
		func(a, b float64) float64 { return math.Floor(a / b) },
		true,
	},
	expr.Mod: {
		func(a, b *big.Rat) *big.Rat {
			q := floorRat(new(big.Rat).Quo(a, b))
			return new(big.Rat).Sub(a, q.Mul(q, b))
		},
		func(a, b float64) float64 { return a - math.Floor(a/b)*b },
		true,
	},
	expr.Pow: {powExact, math.Pow, false},
}

// powExact is the power with a small whole exponent, else nil.
func powExact(a, b *big.Rat) *big.Rat {
	if !b.IsInt() || !b.Num().IsInt64() || b.Num().Int64() < 0 || b.Num().Int64() > 64 {
		return nil
	}
	r := big.NewRat(1, 1)
	for range b.Num().Int64() {
		r.Mul(r, a)
	}
	return r
}

func (x exprEval) op(op *expr.Op) Num {
	a := x.eval(op.Args[0])
	switch op.Kind {
	case expr.Neg:
		return x.two(ariths[expr.Sub], x.number(new(big.Rat)), a)
	case expr.Not:
		return x.truth(a.sign() == 0)
	case expr.And, expr.Or:
		for _, arg := range op.Args[1:] {
			if (a.sign() != 0) == (op.Kind == expr.Or) {
				break
			}
			a = x.eval(arg)
		}
		return x.truth(a.sign() != 0)
	}
	for _, arg := range op.Args[1:] {
		b := x.eval(arg)
		if how, ok := ariths[op.Kind]; ok {
			a = x.two(how, a, b)
			continue
		}
		c, ordered := compare(a, b)
		switch op.Kind {
		case expr.Eq:
			return x.truth(ordered && c == 0)
		case expr.Ne:
			return x.truth(!ordered || c != 0)
		case expr.Lt:
			return x.truth(ordered && c < 0)
		case expr.Le:
			return x.truth(ordered && c <= 0)
		case expr.Gt:
			return x.truth(ordered && c > 0)
		case expr.Ge:
			return x.truth(ordered && c >= 0)
		case expr.Min:
			if c > 0 {
				a = b
			}
		case expr.Max:
			if c < 0 {
				a = b
			}
		default:
			fail("function %s: operator %s has no value", x.f.Name, op.Kind)
		}
	}
	return a
}

func (x exprEval) two(how arith, a, b Num) Num {
	if a.Rat != nil && b.Rat != nil {
		if how.divides && b.Rat.Sign() == 0 {
			return Num{Float: how.float(a.Float64(), 0)}
		}
		if r := how.exact(a.Rat, b.Rat); r != nil {
			return Num{Rat: r}
		}
	}
	return Num{Float: how.float(a.Float64(), b.Float64())}
}

// maths are the functions without rational results.
var maths = map[string]func(float64) float64{
	"sqrt": math.Sqrt, "rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) }, "cbrt": math.Cbrt,
	"exp": math.Exp, "exp2": math.Exp2, "exp10": func(x float64) float64 { return math.Pow(10, x) }, "expm1": math.Expm1,
	"log": math.Log, "log2": math.Log2, "log10": math.Log10, "log1p": math.Log1p,
	"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
	"sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh, "asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh,
	"erf": math.Erf, "erfc": math.Erfc, "tgamma": math.Gamma, "rint": math.RoundToEven, "round": math.Round,
}

var maths2 = map[string]func(a, b float64) float64{
	"pow": math.Pow, "atan2": math.Atan2, "fmod": math.Mod, "hypot": math.Hypot, "fdim": math.Dim, "copysign": math.Copysign,
}

func (x exprEval) call(name string, args []Num) Num {
	pick := func(sign int) Num {
		a := args[0]
		for _, b := range args[1:] {
			if c, _ := compare(b, a); c == sign {
				a = b
			}
		}
		return a
	}
	switch {
	case (name == "abs" || name == "fabs") && len(args) == 1:
		if args[0].sign() < 0 {
			return x.two(ariths[expr.Sub], x.number(new(big.Rat)), args[0])
		}
		return args[0]
	case (name == "min" || name == "fmin") && len(args) == 2:
		return pick(-1)
	case (name == "max" || name == "fmax") && len(args) == 2:
		return pick(1)
	case (name == "fma" || name == "mad") && len(args) == 3:
		return x.two(ariths[expr.Add], x.two(ariths[expr.Mul], args[0], args[1]), args[2])
	case name == "floor" && len(args) == 1:
		return x.two(ariths[expr.FloorDiv], args[0], x.number(big.NewRat(1, 1)))
	case name == "trunc" && len(args) == 1:
		return x.trunc(args[0])
	case name == "ceil" && len(args) == 1:
		zero := x.number(new(big.Rat))
		down := x.two(ariths[expr.FloorDiv], x.two(ariths[expr.Sub], zero, args[0]), x.number(big.NewRat(1, 1)))
		return x.two(ariths[expr.Sub], zero, down)
	case maths[name] != nil && len(args) == 1:
		return Num{Float: maths[name](args[0].Float64())}
	case maths2[name] != nil && len(args) == 2:
		return Num{Float: maths2[name](args[0].Float64(), args[1].Float64())}
	}
	fail("function %s: %s of %d arguments has no value", x.f.Name, name, len(args))
	return Num{}
}

// unwritten reports whether nothing of a value is written.
func unwritten(v Value) bool {
	switch v := v.(type) {
	case Unwritten:
		return true
	case Values:
		return len(v) > 0 && !slices.ContainsFunc(v, func(x Value) bool { return !unwritten(x) })
	}
	return false
}

// Same compares values: exactly where both are exact, else within a relative error.
func Same(a, b Value, relative float64) error {
	if unwritten(a) && unwritten(b) {
		return nil
	}
	switch x := a.(type) {
	case Num:
		y, ok := b.(Num)
		if !ok {
			break
		}
		if x.Rat != nil && y.Rat != nil {
			if x.Rat.Cmp(y.Rat) == 0 {
				return nil
			}
			return fmt.Errorf("%s is not %s", x, y)
		}
		f, g := x.Float64(), y.Float64()
		if f == g || math.IsNaN(f) && math.IsNaN(g) || math.Abs(f-g) <= relative*max(math.Abs(f), math.Abs(g)) {
			return nil
		}
		return fmt.Errorf("%s is not %s", x, y)
	case Values:
		y, ok := b.(Values)
		if !ok || len(x) != len(y) {
			break
		}
		for i := range x {
			if err := Same(x[i], y[i], relative); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
		return nil
	}
	return fmt.Errorf("values of different shapes: %T and %T", a, b)
}
