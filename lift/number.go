package lift

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/throw"
	"gpuperf/kernel/expr"
)

// Num is a number: exact where Rat is not nil, else the float64.
type Num struct {
	Rat   *big.Rat
	Float float64

	of expr.DType // while a definition is evaluated: its type there, "" of literals of whole numbers
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
		panic(throw.Errorf("function %s: %w", f.Name, ErrUndefined))
	}
	for _, a := range args {
		if _, unwritten := a.(Unwritten); unwritten {
			panic(throw.Of(ErrUnwritten))
		}
	}
	// A copy returns its argument as it is, of whatever type.
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
	types := Components(f.Result)
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
	lane int // the lane of a vector result that is computed, -1 for other results
}

// scalar is a variable's value, or the current lane of a vector.
func (x exprEval) scalar(v Value, what string) (Num, error) {
	if vs, ok := v.(Values); ok && x.lane >= 0 && x.lane < len(vs) {
		v = vs[x.lane]
	}
	switch v := v.(type) {
	case Num:
		return v, nil
	case Unwritten:
		return Num{}, ErrUnwritten
	}
	return Num{}, fmt.Errorf("function %s: %s is not a scalar", x.f.Name, what)
}

// as converts the value of an expression to the result type of a function: integers are truncated and wrap around.
func (x exprEval) as(d expr.DType, of expr.Expr) Num { return converted(d, x.eval(of)) }

func converted(d expr.DType, v Num) Num {
	if !d.IsInteger() {
		return v
	}
	v = trunc(v)
	if v.Rat != nil {
		return Num{Rat: new(big.Rat).SetInt(wrap(v.Rat.Num(), d))}
	}
	if math.IsNaN(v.Float) || math.IsInf(v.Float, 0) {
		return v
	}
	n, _ := big.NewFloat(v.Float).Int(nil)
	return Num{Rat: new(big.Rat).SetInt(wrap(n, d))}
}

// wrap converts n to an integer type, modulo 2 to the number of bits.
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
	v, err := x.value(of)
	switch {
	case errors.Is(err, ErrUnwritten):
		panic(throw.Of(err))
	case err != nil:
		fail("function %s: %w", x.f.Name, err)
	}
	return v
}

func (x exprEval) value(of expr.Expr) (Num, error) {
	if x.opt.Float {
		return floatNumbers.Eval(of, x.leaf)
	}
	return exactNumbers.Eval(of, x.leaf)
}

// leaf is the value of a variable or of a component of a tuple.
func (x exprEval) leaf(e expr.Expr) (Num, error) {
	switch e := e.(type) {
	case expr.Var:
		v, err := x.scalar(x.vars[e.Name], e.Name)
		return x.ofParam(e.Name, 0, v), err
	case *expr.Access:
		all := flatten(x.vars[e.Array])
		if len(e.Index) == 1 {
			at, err := x.value(e.Index[0])
			if err != nil {
				return Num{}, err
			}
			if i, ok := at.Int(); ok && i >= 0 && i < int64(len(all)) {
				v, err := x.scalar(all[i], e.String())
				return x.ofParam(e.Array, i, v), err
			}
		}
		return Num{}, fmt.Errorf("%s is not a component", e)
	}
	return Num{}, fmt.Errorf("%s has no value", e)
}

// ofParam gives the value of a component of a parameter its type. Values that where names have one already.
func (x exprEval) ofParam(name string, component int64, v Num) Num {
	i := slices.IndexFunc(x.f.Params, func(p Param) bool { return p.Name == name })
	if i < 0 {
		return v
	}
	types := Components(x.f.Params[i].Type)
	return v.typed(types[min(int(component), len(types)-1)].DType)
}

// exactNumbers computes with rationals wherever operators and functions have rational results; floatNumbers does the same but
// rounds every literal to a float64.
var (
	exactNumbers = numbers(func(r *big.Rat) Num { return Num{Rat: r} })
	floatNumbers = numbers(func(r *big.Rat) Num { f, _ := r.Float64(); return Num{Float: f} })
)

// numbers are the values of user functions; number makes those of literals and truth values.
func numbers(number func(*big.Rat) Num) expr.Domain[Num] {
	zero, one := number(new(big.Rat)), number(big.NewRat(1, 1))
	truth := func(holds bool) Num {
		if holds {
			return one
		}
		return zero
	}
	return expr.Domain[Num]{
		Int: func(v int64) Num { return Exact(v, 1) },
		Float: func(f expr.Float) (Num, error) {
			if r, ok := new(big.Rat).SetString(strings.TrimSuffix(f.Text, "f")); ok {
				return number(r).typed(expr.Float64), nil
			}
			return Num{Float: f.Value, of: expr.Float64}, nil
		},
		Cast: func(t expr.DType, v Num) (Num, error) { return converted(t, v).typed(t), nil },
		Unary: func(op expr.OpKind, v Num) (Num, error) {
			if op == expr.BitNot {
				return bitwise(expr.BitXor, v, Exact(-1, 1))
			}
			return two(ariths[expr.Sub], zero, v).wraps(v.of), nil
		},
		Binary: func(op expr.OpKind, a, b Num) (Num, error) {
			if how, ok := ariths[op]; ok {
				return two(how, a, b).wraps(typeOfTwo(op, a, b)), nil
			}
			if bitOps[op] != nil {
				return bitwise(op, a, b)
			}
			c, ordered := compare(a, b)
			switch {
			case op == expr.Min && c > 0 || op == expr.Max && c < 0:
				return b, nil
			case op == expr.Min || op == expr.Max:
				return a, nil
			case op.IsComparison() && !ordered: // NaN differs from everything
				return truth(op == expr.Ne), nil
			}
			holds, err := expr.Compare(op, c)
			return truth(holds), err
		},
		Truth: func(v Num) expr.Truth { return expr.TruthOf(v.sign() != 0) },
		Bool:  func(t expr.Truth) Num { return truth(t == expr.True) },
		Call: func(name string, args []Num) (Num, error) {
			v, err := call(name, args, zero, one)
			return v.typed(typeOfCall(v, args)), err
		},
		Refuse: func(part expr.Expr, why error) error {
			if op, ok := part.(*expr.Op); ok && errors.Is(why, expr.ErrNoValue) {
				return fmt.Errorf("operator %s has no value", op.Kind)
			}
			return why
		},
	}
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

// trunc rounds towards zero.
func trunc(v Num) Num {
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
	exact   func(a, b *big.Rat) *big.Rat // returns nil where the result is not rational
	float   func(a, b float64) float64
	divides bool // division by 0 has no rational result
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

// powExact is a to the power b for whole b from 0 to 64, nil for other exponents.
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

// two applies an arithmetic operation to two numbers.
func two(how arith, a, b Num) Num {
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

// call applies a function of OpenCL C.
func call(name string, args []Num, zero, one Num) (Num, error) {
	negative := func(v Num) Num { return two(ariths[expr.Sub], zero, v) }
	floor := func(v Num) Num { return two(ariths[expr.FloorDiv], v, one) }
	pick := func(sign int) (Num, error) {
		if c, _ := compare(args[1], args[0]); c == sign {
			return args[1], nil
		}
		return args[0], nil
	}
	switch {
	case (name == "abs" || name == "fabs") && len(args) == 1:
		if args[0].sign() < 0 {
			return negative(args[0]), nil
		}
		return args[0], nil
	case (name == "min" || name == "fmin") && len(args) == 2:
		return pick(-1)
	case (name == "max" || name == "fmax") && len(args) == 2:
		return pick(1)
	case (name == "fma" || name == "mad") && len(args) == 3:
		return two(ariths[expr.Add], two(ariths[expr.Mul], args[0], args[1]), args[2]), nil
	case name == "floor" && len(args) == 1:
		return floor(args[0]), nil
	case name == "trunc" && len(args) == 1:
		return trunc(args[0]), nil
	case name == "ceil" && len(args) == 1:
		return negative(floor(negative(args[0]))), nil
	case expr.Math1[name] != nil && len(args) == 1:
		return Num{Float: expr.Math1[name](args[0].Float64())}, nil
	case expr.Math2[name] != nil && len(args) == 2:
		return Num{Float: expr.Math2[name](args[0].Float64(), args[1].Float64())}, nil
	}
	return Num{}, fmt.Errorf("%s of %d arguments has no value", name, len(args))
}

// unwritten reports whether no element of the value was written.
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
