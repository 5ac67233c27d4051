package interp

import (
	"fmt"
	"math"

	"gpuperf/internal/intmath"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// value is a compiled expression: one of the functions, for floats or for integers and bool, of scalar type or of a
// vector type, and the type. A slice that one returns holds a value per lane until the function is called again.
type value struct {
	t  expr.DType
	f  func(*state) float64
	i  func(*state) int64
	fs func(*state) []float64
	is func(*state) []int64
}

// compiler turns expressions into closures over the state of a run.
type compiler struct {
	k     *kernel.Kernel
	names map[string]string // hardware inames to axis names
	slots map[string]int
	mem   map[string]*memory
	// bound are variables with a value of their own: parameters of the function, or operands of the operation on vectors,
	// that the compiler is in.
	bound map[string]value
}

func (c *compiler) slot(name string) (int, bool) {
	if axis, ok := c.names[name]; ok {
		name = axis
	}
	s, ok := c.slots[name]
	return s, ok
}

// affine compiles bounds and conditions.
func (c *compiler) affine(a polycount.Affine) (func(*state) int64, error) {
	type term struct {
		coeff int64
		slot  int
		of    func(*state) int64
		den   int64
	}
	if err := a.Err(); err != nil {
		return nil, err
	}
	var terms []term
	for _, t := range a.All() {
		if t.Floor != nil {
			num, err := c.affine(t.Floor.Num)
			if err != nil {
				return nil, err
			}
			terms = append(terms, term{t.Coeff, 0, num, t.Floor.Den})
			continue
		}
		s, ok := c.slot(t.Name)
		if !ok && c.mem[t.Name] != nil { // a temporary that bounds a loop
			v, err := c.typed(expr.Var{Name: t.Name}, expr.Int64)
			if err != nil {
				return nil, err
			}
			terms = append(terms, term{t.Coeff, 0, v.i, 1})
			continue
		}
		if !ok {
			return nil, fmt.Errorf("%s in %s has no value", t.Name, a)
		}
		terms = append(terms, term{coeff: t.Coeff, slot: s})
	}
	constant := a.Constant()
	return func(st *state) int64 {
		sum := constant
		for i := range terms {
			t := &terms[i]
			v := int64(0)
			if t.of != nil {
				v = intmath.FloorDiv(t.of(st), t.den)
			} else {
				v = st.vars[t.slot]
			}
			sum += t.coeff * v
		}
		return sum
	}, nil
}

func (c *compiler) expr(e expr.Expr) (value, error) {
	t, err := c.k.TypeOf(e)
	if err != nil {
		return value{}, err
	}
	if t.IsComplex() || !t.Known() {
		return value{}, fmt.Errorf("%s has type %s, which is counted only", e, t)
	}
	if t.IsVector() {
		return c.vector(t, e)
	}
	switch x := e.(type) {
	case expr.Int:
		v := x.Value
		return value{t: t, i: func(*state) int64 { return v }}, nil
	case expr.Float:
		v := round(t, x.Value)
		return value{t: t, f: func(*state) float64 { return v }}, nil
	case expr.Var:
		if v, ok := c.bound[x.Name]; ok {
			return v, nil
		}
		if s, ok := c.slot(x.Name); ok {
			return value{t: t, i: func(st *state) int64 { return st.vars[s] }}, nil
		}
		return c.load(t, x, x.Name, nil)
	case *expr.Access:
		if s, ok := c.slot(x.Array); ok && len(x.Index) == 0 {
			return value{t: t, i: func(st *state) int64 { return st.vars[s] }}, nil
		}
		return c.load(t, x, x.Array, x.Index)
	case *expr.Cast:
		arg, err := c.expr(x.Arg)
		if err != nil {
			return value{}, err
		}
		return convert(arg, x.DType), nil
	case *expr.Cond:
		return c.cond(t, x)
	case *expr.Call:
		return c.call(t, x)
	case *expr.Op:
		return c.op(t, x)
	}
	return value{}, fmt.Errorf("%s cannot be run", e)
}

// typed compiles e and converts it.
func (c *compiler) typed(e expr.Expr, t expr.DType) (value, error) {
	v, err := c.expr(e)
	if err != nil {
		return value{}, err
	}
	return convert(v, t), nil
}

func convert(v value, t expr.DType) value {
	if v.t == t {
		return v
	}
	if t.IsVector() || v.t.IsVector() {
		return convertVector(v, t)
	}
	out := value{t: t}
	switch f, i := v.f, v.i; {
	case t.IsFloat() && f != nil:
		out.f = func(st *state) float64 { return round(t, f(st)) }
	case t.IsFloat() && v.t == expr.Uint64:
		out.f = func(st *state) float64 {
			if t == expr.Float32 {
				return float64(float32(uint64(i(st))))
			}
			return round(t, float64(uint64(i(st))))
		}
	case t.IsFloat():
		out.f = func(st *state) float64 {
			if t == expr.Float32 {
				return float64(float32(i(st)))
			}
			return round(t, float64(i(st)))
		}
	case t == expr.Bool && f != nil:
		out.i = func(st *state) int64 {
			if f(st) != 0 {
				return 1
			}
			return 0
		}
	case f != nil:
		out.i = func(st *state) int64 { return wrap(t, truncate(t, f(st))) }
	default:
		out.i = func(st *state) int64 { return wrap(t, i(st)) }
	}
	return out
}

func truncate(t expr.DType, v float64) int64 {
	if t == expr.Uint64 && v >= 1<<63 {
		return int64(uint64(v))
	}
	return int64(v)
}

// truth compiles a condition.
func (c *compiler) truth(e expr.Expr) (func(*state) bool, error) {
	v, err := c.expr(e)
	if err != nil {
		return nil, err
	}
	if f := v.f; f != nil {
		return func(st *state) bool { return f(st) != 0 }, nil
	}
	i := v.i
	return func(st *state) bool { return i(st) != 0 }, nil
}

func fromTruth(f func(*state) bool) value {
	return value{t: expr.Bool, i: func(st *state) int64 {
		if f(st) {
			return 1
		}
		return 0
	}}
}

// place compiles an access to the function that finds its flat element.
func (c *compiler) place(access expr.Expr, name string, index []expr.Expr) (*memory, func(*state) int64, error) {
	m := c.mem[name]
	if m == nil {
		return nil, nil, fmt.Errorf("%s is no array", name)
	}
	if len(index) != len(m.shape) {
		return nil, nil, fmt.Errorf("%s has %d indices, and %s has %d axes", access, len(index), name, len(m.shape))
	}
	at, err := c.placeIn(m, access, index)
	return m, at, err
}

// placeIn is place for an array that is known.
func (c *compiler) placeIn(m *memory, access expr.Expr, index []expr.Expr) (func(*state) int64, error) {
	parts := make([]func(*state) int64, len(index))
	for n, e := range index {
		v, err := c.index(e)
		if err != nil {
			return nil, err
		}
		parts[n] = v
	}
	lanes := int64(1)
	if acc, ok := access.(*expr.Access); ok {
		lanes = max(lanes, acc.Lanes)
	}
	switch len(parts) {
	case 0:
		return func(*state) int64 { return m.offset }, nil
	default:
		values := make([]int64, len(parts))
		return func(st *state) int64 {
			// An index may read memory, itself indexed: its values are taken before they are stored.
			if len(parts) == 1 {
				values[0] = parts[0](st)
			} else {
				for n, p := range parts {
					values[n] = p(st)
				}
			}
			if lanes > 1 { // the last of the elements must exist too
				values[len(values)-1] += lanes - 1
				return m.flat(st, access, values) - (lanes - 1)
			}
			return m.flat(st, access, values)
		}, nil
	}
}

// index compiles an index, exactly: index arithmetic does not overflow.
func (c *compiler) index(e expr.Expr) (func(*state) int64, error) {
	known := func(name string) bool { _, ok := c.slot(name); return ok }
	if a, err := expr.ToAffine(e, known); err == nil {
		return c.affine(a)
	}
	switch x := e.(type) {
	case *expr.Op:
		if apply, ok := indexOps[x.Kind]; ok {
			args := make([]func(*state) int64, len(x.Args))
			for i, arg := range x.Args {
				var err error
				if args[i], err = c.index(arg); err != nil {
					return nil, err
				}
			}
			return func(st *state) int64 {
				v := args[0](st)
				for _, arg := range args[1:] {
					v = apply(st, e, v, arg(st))
				}
				return v
			}, nil
		}
	case *expr.Cond:
		test, err := c.truth(x.If)
		if err != nil {
			return nil, err
		}
		then, err := c.index(x.Then)
		if err != nil {
			return nil, err
		}
		other, err := c.index(x.Else)
		if err != nil {
			return nil, err
		}
		return func(st *state) int64 {
			if test(st) {
				return then(st)
			}
			return other(st)
		}, nil
	}
	v, err := c.expr(e)
	if err != nil {
		return nil, err
	}
	if v.i == nil {
		return nil, fmt.Errorf("index %s is not an integer", e)
	}
	return v.i, nil
}

// indexOps are the operators of index arithmetic, in 64 bits: a result beyond those is a fault.
var indexOps = map[expr.OpKind]func(st *state, e expr.Expr, x, y int64) int64{
	expr.Add: func(st *state, e expr.Expr, x, y int64) int64 {
		if sum := x + y; (sum > x) == (y > 0) {
			return sum
		}
		st.fail(e, "the index exceeds 64 bits")
		return 0
	},
	expr.Sub: func(st *state, e expr.Expr, x, y int64) int64 {
		if diff := x - y; (diff < x) == (y > 0) {
			return diff
		}
		st.fail(e, "the index exceeds 64 bits")
		return 0
	},
	expr.Mul: func(st *state, e expr.Expr, x, y int64) int64 {
		if product := x * y; x == 0 || product/x == y && !(x == -1 && y == math.MinInt64) {
			return product
		}
		st.fail(e, "the index exceeds 64 bits")
		return 0
	},
	expr.FloorDiv: func(st *state, e expr.Expr, x, y int64) int64 {
		if y == 0 {
			st.fail(e, "the index is divided by zero")
		}
		return intmath.FloorDiv(x, y)
	},
	expr.Mod: func(st *state, e expr.Expr, x, y int64) int64 {
		if y == 0 {
			st.fail(e, "the index is divided by zero")
		}
		return x - y*intmath.FloorDiv(x, y)
	},
	expr.Min: func(_ *state, _ expr.Expr, x, y int64) int64 { return min(x, y) },
	expr.Max: func(_ *state, _ expr.Expr, x, y int64) int64 { return max(x, y) },
}

func (c *compiler) load(t expr.DType, access expr.Expr, name string, index []expr.Expr) (value, error) {
	m, at, err := c.place(access, name, index)
	if err != nil {
		return value{}, err
	}
	if t.IsFloat() {
		return value{t: t, f: func(st *state) float64 { return m.buf.floats[m.load(st, access, at(st))] }}, nil
	}
	return value{t: t, i: func(st *state) int64 { return m.buf.ints[m.load(st, access, at(st))] }}, nil
}

// assign compiles a statement.
func (c *compiler) assign(s *kernel.Stmt) (func(*state), error) {
	var name string
	var index []expr.Expr
	switch x := s.LHS.(type) {
	case expr.Var:
		name = x.Name
	case *expr.Access:
		name, index = x.Array, x.Index
	default:
		return nil, fmt.Errorf("%s cannot be assigned to", s.LHS)
	}
	m, at, err := c.place(s.LHS, name, index)
	if err != nil {
		return nil, err
	}
	lhs := s.LHS
	if acc, ok := lhs.(*expr.Access); ok && acc.Lanes > 0 || m.array.DType.IsVector() {
		return c.assignVector(s, m, at, acc)
	}
	v, err := c.typed(s.RHS, m.array.DType)
	if err != nil {
		return nil, err
	}
	if f := v.f; f != nil {
		return func(st *state) {
			x := f(st)
			m.buf.floats[m.store(st, lhs, at(st))] = x
		}, nil
	}
	i := v.i
	return func(st *state) {
		x := i(st)
		m.buf.ints[m.store(st, lhs, at(st))] = x
	}, nil
}

func (c *compiler) cond(t expr.DType, x *expr.Cond) (value, error) {
	test, err := c.truth(x.If)
	if err != nil {
		return value{}, err
	}
	a, err := c.typed(x.Then, t)
	if err != nil {
		return value{}, err
	}
	b, err := c.typed(x.Else, t)
	if err != nil {
		return value{}, err
	}
	out := value{t: t}
	if t.IsFloat() {
		out.f = func(st *state) float64 {
			if test(st) {
				return a.f(st)
			}
			return b.f(st)
		}
	} else {
		out.i = func(st *state) int64 {
			if test(st) {
				return a.i(st)
			}
			return b.i(st)
		}
	}
	return out, nil
}

// common is the type that operands are brought to.
func (c *compiler) common(args []expr.Expr) (expr.DType, error) {
	if len(args) == 1 {
		return c.k.TypeOf(args[0])
	}
	return c.k.TypeOf(&expr.Op{Kind: expr.Add, Args: args})
}

func (c *compiler) call(t expr.DType, x *expr.Call) (value, error) {
	if f := c.k.Function(x.Func); f != nil {
		return c.userCall(f, x)
	}
	in, err := c.common(x.Args)
	if err != nil {
		return value{}, err
	}
	integer, isInteger := integerFuncs[x.Func]
	if !in.IsFloat() && !(isInteger && in.IsInteger()) {
		in = expr.Float32
	}
	args := make([]value, len(x.Args))
	for n, e := range x.Args {
		if args[n], err = c.typed(e, in); err != nil {
			return value{}, err
		}
	}
	if in.IsInteger() {
		return value{t: t, i: func(st *state) int64 {
			a, b := args[0].i(st), int64(0)
			if len(args) > 1 {
				b = args[1].i(st)
			}
			return wrap(t, integer(in, a, b))
		}}, nil
	}
	if test, ok := testFuncs[x.Func]; ok {
		return value{t: t, i: func(st *state) int64 {
			if test(args[0].f(st)) {
				return 1
			}
			return 0
		}}, nil
	}
	f1, one := unaryFuncs[x.Func]
	f2, two := binaryFuncs[x.Func]
	switch {
	case one && len(args) == 1:
		a := args[0].f
		return value{t: t, f: func(st *state) float64 { return round(t, f1(a(st))) }}, nil
	case two && len(args) == 2:
		a, b := args[0].f, args[1].f
		return value{t: t, f: func(st *state) float64 { return round(t, f2(a(st), b(st))) }}, nil
	case (x.Func == "fma" || x.Func == "mad") && len(args) == 3:
		a, b, d := args[0].f, args[1].f, args[2].f
		return value{t: t, f: func(st *state) float64 { return fma(t, a(st), b(st), d(st)) }}, nil
	}
	return value{}, fmt.Errorf("function %s of %d arguments cannot be run", x.Func, len(x.Args))
}

var integerFuncs = map[string]func(t expr.DType, a, b int64) int64{
	"abs": func(t expr.DType, a, _ int64) int64 {
		if less(t, a, 0) {
			return -a
		}
		return a
	},
	"min": func(t expr.DType, a, b int64) int64 {
		if less(t, b, a) {
			return b
		}
		return a
	},
	"max": func(t expr.DType, a, b int64) int64 {
		if less(t, a, b) {
			return b
		}
		return a
	},
}

var testFuncs = map[string]func(float64) bool{
	"isnan":    math.IsNaN,
	"isinf":    func(x float64) bool { return math.IsInf(x, 0) },
	"isfinite": func(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) },
}

// unaryFuncs are computed in float64 and rounded. Devices may differ in the last places: OpenCL allows several units.
var unaryFuncs = map[string]func(float64) float64{
	"sqrt": math.Sqrt, "rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) }, "cbrt": math.Cbrt,
	"exp": math.Exp, "exp2": math.Exp2, "exp10": func(x float64) float64 { return math.Pow(10, x) }, "expm1": math.Expm1,
	"log": math.Log, "log2": math.Log2, "log10": math.Log10, "log1p": math.Log1p,
	"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
	"sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh, "asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh,
	"fabs": math.Abs, "abs": math.Abs, "floor": math.Floor, "ceil": math.Ceil, "round": math.Round, "trunc": math.Trunc,
	"rint": math.RoundToEven, "erf": math.Erf, "erfc": math.Erfc, "tgamma": math.Gamma,
	"lgamma": func(x float64) float64 { v, _ := math.Lgamma(x); return v },
}

var binaryFuncs = map[string]func(a, b float64) float64{
	"pow": math.Pow, "atan2": math.Atan2, "fmin": fmin, "fmax": fmax, "min": fmin, "max": fmax, "fmod": math.Mod,
	"hypot": math.Hypot, "fdim": math.Dim, "copysign": math.Copysign,
}

func fmin(a, b float64) float64 {
	if math.IsNaN(a) || b < a {
		return b
	}
	return a
}

func fmax(a, b float64) float64 {
	if math.IsNaN(a) || b > a {
		return b
	}
	return a
}
