package interp

import (
	"math"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// common is the type that operands are brought to.
func (c *compiler) common(args []expr.Expr) expr.DType {
	if len(args) == 1 {
		return throw.Get(c.k.TypeOf(args[0]))
	}
	return throw.Get(c.k.TypeOf(&expr.Op{Kind: expr.Add, Args: args}))
}

// call compiles a call. Functions of floats are computed in double precision and rounded.
func (c *compiler) call(t expr.DType, x *expr.Call) value {
	if f := c.k.Function(x.Func); f != nil {
		return c.userCall(f, x)
	}
	if t.IsVector() {
		return c.lanewise(t, x.Args, func(args []expr.Expr) expr.Expr { return &expr.Call{Func: x.Func, Args: args} })
	}
	in := c.common(x.Args)
	integer, isInteger := integerFuncs[x.Func]
	if !in.IsFloat() && !(isInteger && in.IsInteger()) {
		in = expr.Float32
	}
	args := c.allTyped(x.Args, in)
	if in.IsInteger() {
		return value{t: t, i: func(st *state) int64 {
			a, b := args[0].i(st), int64(0)
			if len(args) > 1 {
				b = args[1].i(st)
			}
			return t.Wrap(integer(in, a, b))
		}}
	}
	if test, ok := testFuncs[x.Func]; ok {
		return convert(fromTruth(func(st *state) bool { return test(args[0].f(st)) }), t)
	}
	return mathCall(t, x.Func, args)
}

// mathCall is a function on floating-point numbers.
func mathCall(t expr.DType, called string, args []value) value {
	name := called
	if float, ok := floatNames[name]; ok {
		name = float
	}
	f1, f2 := expr.Math1[name], expr.Math2[name]
	u := float64(usualError)
	if n, listed := functionError[name]; listed {
		u = n
	}
	switch {
	case f1 != nil && len(args) == 1:
		a := args[0].f
		alone := func(x, _ float64) float64 { return f1(x) }
		return value{t: t, f: func(st *state) float64 {
			x := a(st)
			r := rounded(t, f1(x))
			return st.noted(t, r, spread(alone, x, 0, r, st.err, 0), u)
		}}
	case f2 != nil && len(args) == 2:
		a, b := args[0].f, args[1].f
		return value{t: t, f: func(st *state) float64 {
			x := a(st)
			e := st.err
			y := b(st)
			r := rounded(t, f2(x, y))
			return st.noted(t, r, spread(f2, x, y, r, e, st.err), u)
		}}
	case (name == "fma" || name == "mad") && len(args) == 3:
		a, b, d := args[0].f, args[1].f, args[2].f
		return value{t: t, f: func(st *state) float64 {
			x := a(st)
			ex := st.err
			y := b(st)
			e := errorOfProduct(x, y, 0, ex, st.err)
			r := fma(t, x, y, d(st))
			return st.noted(t, r, e+st.err+units[t]*math.Abs(x*y), 1) // mad may round the product
		}}
	}
	panic(throw.Errorf("function %s of %d arguments cannot be run", called, len(args)))
}

// floatNames are the names under which functions of integers and floats take floats.
var floatNames = map[string]string{"abs": "fabs", "min": "fmin", "max": "fmax"}

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

// userCall compiles the call of a user function: the operands are computed once, kept in registers of this call, and the
// definition is compiled over these.
func (c *compiler) userCall(f *kernel.Function, x *expr.Call) value {
	if f.Def == nil {
		panic(throw.Errorf("function %s has no definition, so that it cannot be run here", f.Name))
	}
	var set []func(*state)
	bound := map[string]value{}
	for i, p := range f.Params {
		v := c.typed(x.Args[i], p.DType)
		r := newRegister(p.DType)
		bound[p.Name] = r.value()
		set = append(set, r.set(v))
	}
	scope, err := c.k.Scope(f)
	throw.If(err)
	inner := &compiler{k: scope, bound: bound}
	for _, l := range f.Lets {
		v, err := throw.Value(func() value { return inner.expr(l.Expr) })
		if err != nil {
			panic(throw.Errorf("function %s: %w", f.Name, err))
		}
		r := newRegister(v.t)
		bound[l.Name] = r.value()
		set = append(set, r.set(v))
	}
	body, err := throw.Value(func() value { return inner.typed(f.Def, f.Result) })
	if err != nil {
		panic(throw.Errorf("function %s: %w", f.Name, err))
	}
	return value{body.t, after(set, body.f), after(set, body.i), after(set, body.fs), after(set, body.is)}
}

// after computes v after other things; nil of nil.
func after[T any](first []func(*state), v func(*state) T) func(*state) T {
	if v == nil {
		return nil
	}
	return func(st *state) T {
		for _, do := range first {
			do(st)
		}
		return v(st)
	}
}
