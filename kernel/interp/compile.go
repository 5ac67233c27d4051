package interp

import (
	"fmt"

	"gpuperf/internal/intmath"
	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
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
	k    *kernel.Kernel
	nest *linear.Nest // nil in user functions and operations on vectors, which have no variables but bound
	mem  map[string]*memory
	// params are the values of parameters, by the slots of the nest.
	params []int64
	// updated is the element that the atomic statement changes that the compiler is in; nil in others.
	updated *updated
	// bound are variables with a value of their own: parameters of the function, or operands of the operation on vectors,
	// that the compiler is in.
	bound map[string]value
}

// counter compiles a parameter, an axis or an iname.
func (c *compiler) counter(name string) (func(*state) int64, bool) {
	if c.nest == nil {
		return nil, false
	}
	slot, ok := c.nest.Slot(name)
	switch {
	case !ok:
		return nil, false
	case slot < 0:
		v := c.params[-1-slot]
		return func(*state) int64 { return v }, true
	}
	return func(st *state) int64 { return st.vars[slot] }, true
}

// affine compiles a bound or a condition.
func (c *compiler) affine(a polycount.Affine) func(*state) int64 {
	f := throw.Get(c.nest.Form(a))
	return c.sum(f)
}

// sum compiles an affine expression.
func (c *compiler) sum(f *linear.Form) func(*state) int64 {
	constant, terms := f.Constant, []linear.SlotTerm(nil)
	for _, t := range f.Terms {
		if t.Slot < 0 {
			constant += t.Coeff * c.params[-1-t.Slot]
		} else {
			terms = append(terms, t)
		}
	}
	type quotient struct {
		coeff int64
		num   func(*state) int64
		den   int64
	}
	var quotients []quotient
	for _, t := range f.Floors {
		num := c.sum(t.Num)
		quotients = append(quotients, quotient{t.Coeff, num, t.Den})
	}
	for _, t := range f.Temps {
		v := c.typed(expr.Var{Name: t.Name}, expr.Int64)
		quotients = append(quotients, quotient{t.Coeff, v.i, 1})
	}
	return func(st *state) int64 {
		sum := constant
		for i := range terms {
			sum += terms[i].Coeff * st.vars[terms[i].Slot]
		}
		for i := range quotients {
			q := &quotients[i]
			sum += q.coeff * intmath.FloorDiv(q.num(st), q.den)
		}
		return sum
	}
}

func (c *compiler) expr(e expr.Expr) value {
	t := throw.Get(c.k.TypeOf(e))
	if t.IsComplex() || !t.Known() {
		panic(throw.Errorf("%s has type %s, which is counted only", e, t))
	}
	switch x := e.(type) {
	case expr.Int:
		v := x.Value
		return value{t: t, i: func(*state) int64 { return v }}
	case expr.Float:
		v := rounded(t, x.Value)
		return value{t: t, f: func(st *state) float64 {
			st.err = 0
			return v
		}}
	case expr.Var:
		if v, ok := c.bound[x.Name]; ok {
			return v
		}
		if i, ok := c.counter(x.Name); ok {
			return value{t: t, i: i}
		}
		return c.load(t, x, x.Name, nil)
	case *expr.Access:
		if i, ok := c.counter(x.Array); ok && len(x.Index) == 0 {
			return value{t: t, i: i}
		}
		return c.load(t, x, x.Array, x.Index)
	case *expr.Cast:
		arg := c.expr(x.Arg)
		return convert(arg, x.DType)
	case *expr.Cond:
		return c.cond(t, x)
	case *expr.Call:
		return c.call(t, x)
	case *expr.Op:
		return c.op(t, x)
	}
	panic(throw.Errorf("%s cannot be run", e))
}

// typed compiles e and converts it.
func (c *compiler) typed(e expr.Expr, t expr.DType) value {
	v := c.expr(e)
	return convert(v, t)
}

// allTyped compiles expressions and converts them.
func (c *compiler) allTyped(list []expr.Expr, t expr.DType) []value {
	return lists.Map(list, func(e expr.Expr) value { return c.typed(e, t) })
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
		out.f = func(st *state) float64 {
			r := rounded(t, f(st))
			if t.Size() < v.t.Size() {
				st.noted(t, r, st.err, 1)
			}
			return r
		}
	case t.IsFloat() && v.t == expr.Uint64:
		out.f = func(st *state) float64 {
			n := uint64(i(st))
			st.err = 0
			if t == expr.Float32 {
				return float64(float32(n))
			}
			return rounded(t, float64(n))
		}
	case t.IsFloat():
		out.f = func(st *state) float64 {
			n := i(st)
			st.err = 0
			if t == expr.Float32 {
				return float64(float32(n))
			}
			return rounded(t, float64(n))
		}
	case t == expr.Bool && f != nil:
		out = fromTruth(func(st *state) bool { return f(st) != 0 })
	case f != nil:
		out.i = func(st *state) int64 { return t.Wrap(truncate(t, f(st))) }
	default:
		out.i = func(st *state) int64 { return t.Wrap(i(st)) }
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
func (c *compiler) truth(e expr.Expr) func(*state) bool {
	v := c.expr(e)
	if f := v.f; f != nil {
		return func(st *state) bool { return f(st) != 0 }
	}
	i := v.i
	return func(st *state) bool { return i(st) != 0 }
}

func fromTruth(f func(*state) bool) value {
	return value{t: expr.Bool, i: func(st *state) int64 {
		if f(st) {
			return 1
		}
		return 0
	}}
}

// choose compiles a select of scalars or vectors; nil of nil.
func choose[T any](test func(*state) bool, a, b func(*state) T) func(*state) T {
	if a == nil {
		return nil
	}
	return func(st *state) T {
		if test(st) {
			return a(st)
		}
		return b(st)
	}
}

func (c *compiler) cond(t expr.DType, x *expr.Cond) value {
	test := c.truth(x.If)
	v := c.allTyped([]expr.Expr{x.Then, x.Else}, t)
	a, b := v[0], v[1]
	return value{t, choose(test, a.f, b.f), choose(test, a.i, b.i), choose(test, a.fs, b.fs), choose(test, a.is, b.is)}
}

// place compiles an access to the function that finds its flat element.
func (c *compiler) place(access expr.Expr, name string, index []expr.Expr) (_ *memory, _ func(*state) int64, err error) {
	defer throw.Catch(&err)
	m := c.mem[name]
	if m == nil {
		return nil, nil, fmt.Errorf("%s is no array", name)
	}
	if len(index) != len(m.shape) {
		return nil, nil, fmt.Errorf("%s has %d indices, and %s has %d axes", access, len(index), name, len(m.shape))
	}
	if len(index) == 0 {
		return m, func(*state) int64 { return m.offset }, nil
	}
	parts := lists.Map(index, func(e expr.Expr) func(*state) int64 { return c.index(c.nest.Index(e)) })
	beyond := int64(0) // the last element of a vector must exist too
	if acc, ok := access.(*expr.Access); ok {
		if acc.As != "" {
			return nil, nil, fmt.Errorf("%s takes %s from an array of %s, which is not interpreted", access, acc.As, m.array.DType)
		}
		beyond = max(acc.Lanes, 1) - 1
	}
	values := make([]int64, len(parts))
	return m, func(st *state) int64 {
		for n, p := range parts {
			values[n] = p(st)
		}
		values[len(values)-1] += beyond
		return m.flat(st, access, values) - beyond
	}, nil
}

// index compiles an index, exactly: a result beyond 64 bits is a fault of the kernel.
func (c *compiler) index(x *linear.Index) func(*state) int64 {
	switch x.Kind {
	case linear.AffineIndex:
		return c.sum(x.Form)
	case linear.ArithmeticIndex:
		return c.arithmetic(x)
	case linear.SelectIndex:
		test := c.truth(x.Args[0].Of)
		then := c.index(x.Args[1])
		other := c.index(x.Args[2])
		return choose(test, then, other)
	}
	v := c.expr(x.Of)
	if v.i == nil {
		panic(throw.Errorf("index %s is not an integer", x.Of))
	}
	return v.i
}

func (c *compiler) arithmetic(x *linear.Index) func(*state) int64 {
	args := lists.Map(x.Args, c.index)
	op := x.Op
	if op == expr.Neg {
		zero := func(*state) int64 { return 0 }
		op, args = expr.Sub, []func(*state) int64{zero, args[0]}
	}
	return func(st *state) int64 {
		v := args[0](st)
		for _, arg := range args[1:] {
			var err error
			if v, err = expr.IntOp(op, v, arg(st)); err == expr.ErrZeroDivisor {
				st.fail(x.Of, "the index is divided by zero")
			} else if err != nil {
				st.fail(x.Of, "the index exceeds 64 bits")
			}
		}
		return v
	}
}

// fetch compiles the load of an element from a buffer.
func fetch[T any](m *memory, from *[]T, access expr.Expr, at func(*state) int64) func(*state) T {
	return func(st *state) T {
		p := m.load(st, access, at(st))
		if m.buf.errs != nil {
			st.err = m.buf.errs[p]
		}
		return (*from)[p]
	}
}

func (c *compiler) load(t expr.DType, access expr.Expr, name string, index []expr.Expr) value {
	if u := c.updated; u != nil && name == u.array.Name {
		return u.value(t)
	}
	m, at, err := c.place(access, name, index)
	switch {
	case err != nil:
		panic(throw.Of(err))
	case t.IsVector() && t.Base().IsFloat():
		return value{t: t, fs: fetchLanes(m, &m.buf.floats, access, at, t)}
	case t.IsVector():
		return value{t: t, is: fetchLanes(m, &m.buf.ints, access, at, t)}
	case t.IsFloat():
		return value{t: t, f: fetch(m, &m.buf.floats, access, at)}
	}
	return value{t: t, i: fetch(m, &m.buf.ints, access, at)}
}

// put compiles the store of an element to a buffer.
func put[T any](m *memory, to *[]T, lhs expr.Expr, at func(*state) int64, v func(*state) T) func(*state) {
	return func(st *state) {
		x := v(st)
		err := st.err
		p := m.store(st, lhs, at(st))
		(*to)[p] = x
		m.buf.bound(p, err)
	}
}

// assign compiles a statement.
func (c *compiler) assign(s *kernel.Stmt) (_ func(*state), err error) {
	defer throw.Catch(&err)
	var name string
	var index []expr.Expr
	lanes := int64(0)
	switch x := s.LHS.(type) {
	case expr.Var:
		name = x.Name
	case *expr.Access:
		name, index, lanes = x.Array, x.Index, x.Lanes
	default:
		return nil, fmt.Errorf("%s cannot be assigned to", s.LHS)
	}
	m, at, err := c.place(s.LHS, name, index)
	throw.If(err)
	if u := s.Update(); u != nil {
		return c.update(s, &updated{memory: m, class: u.Class()}, at), nil
	}
	v, err := throw.Value(func() value { return c.typed(s.RHS, m.array.DType.Vector(lanes)) })
	switch {
	case err != nil:
		return nil, err
	case v.fs != nil:
		return putLanes(m, &m.buf.floats, s.LHS, at, v.t, v.fs), nil
	case v.is != nil:
		return putLanes(m, &m.buf.ints, s.LHS, at, v.t, v.is), nil
	case v.f != nil:
		return put(m, &m.buf.floats, s.LHS, at, v.f), nil
	}
	return put(m, &m.buf.ints, s.LHS, at, v.i), nil
}
