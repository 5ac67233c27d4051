package interp

import (
	"fmt"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// vector compiles an expression of vector type.
func (c *compiler) vector(t expr.DType, e expr.Expr) (value, error) {
	switch x := e.(type) {
	case expr.Var:
		if v, ok := c.bound[x.Name]; ok {
			return v, nil
		}
		return c.loadVector(t, x, x.Name, nil)
	case *expr.Access:
		return c.loadVector(t, x, x.Array, x.Index)
	case *expr.Cast:
		v, err := c.expr(x.Arg)
		if err != nil {
			return value{}, err
		}
		return convert(v, t), nil
	case *expr.Cond:
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
		if a.fs != nil {
			return value{t: t, fs: func(st *state) []float64 {
				if test(st) {
					return a.fs(st)
				}
				return b.fs(st)
			}}, nil
		}
		return value{t: t, is: func(st *state) []int64 {
			if test(st) {
				return a.is(st)
			}
			return b.is(st)
		}}, nil
	case *expr.Call:
		if f := c.k.Function(x.Func); f != nil {
			return c.userCall(f, x)
		}
		return c.lanewise(t, x.Args, func(args []expr.Expr) expr.Expr { return &expr.Call{Func: x.Func, Args: args} })
	case *expr.Op:
		return c.lanewise(t, x.Args, func(args []expr.Expr) expr.Expr { return &expr.Op{Kind: x.Kind, Args: args} })
	}
	return value{}, fmt.Errorf("%s cannot be run", e)
}

// lanewise compiles an operation on vectors as the operation on scalars, done for each lane: operands are computed once,
// and a register for each holds the lane at hand. Literals stay as they are, as they do not take part in the type.
func (c *compiler) lanewise(t expr.DType, args []expr.Expr, build func(args []expr.Expr) expr.Expr) (value, error) {
	scope := &kernel.Kernel{Name: c.k.Name}
	bound := map[string]value{}
	operands := make([]expr.Expr, len(args))
	vectors := make([]value, len(args))
	registers := make([]*register, len(args))
	for n, arg := range args {
		switch arg.(type) {
		case expr.Int, expr.Float:
			operands[n] = arg
			continue
		}
		v, err := c.expr(arg)
		if err != nil {
			return value{}, err
		}
		name := fmt.Sprintf("operand%d", n)
		vectors[n], registers[n] = v, newRegister(v.t.Base())
		scope.Args = append(scope.Args, &kernel.Array{Name: name, DType: v.t.Base(), Space: kernel.Private, IsValue: true})
		bound[name], operands[n] = registers[n].value(), expr.Var{Name: name}
	}
	inner := &compiler{k: scope, bound: bound}
	one, err := inner.typed(build(operands), t.Base())
	if err != nil {
		return value{}, err
	}
	lanes := int(t.Lanes())
	kept := make([]*register, len(args)) // operands that are being worked on, as they may be computed in place
	for n, v := range vectors {
		if registers[n] != nil {
			kept[n] = newRegister(v.t)
		}
	}
	prepare := func(st *state) {
		for n, r := range kept {
			if r != nil {
				r.set(vectors[n])(st)
			}
		}
	}
	load := func(lane int) {
		for n, r := range kept {
			if r == nil {
				continue
			}
			at := min(lane, len(r.floats)-1) // a scalar is taken for all lanes
			registers[n].floats[0], registers[n].ints[0] = r.floats[at], r.ints[at]
		}
	}
	if one.f != nil {
		out := make([]float64, lanes)
		return value{t: t, fs: func(st *state) []float64 {
			prepare(st)
			for lane := range out {
				load(lane)
				out[lane] = one.f(st)
			}
			return out
		}}, nil
	}
	out := make([]int64, lanes)
	return value{t: t, is: func(st *state) []int64 {
		prepare(st)
		for lane := range out {
			load(lane)
			out[lane] = one.i(st)
		}
		return out
	}}, nil
}

// convertVector converts lane by lane, or takes a scalar for all lanes.
func convertVector(v value, t expr.DType) value {
	if !v.t.IsVector() {
		v = convert(v, t.Base())
		if v.f != nil {
			out := make([]float64, t.Lanes())
			return value{t: t, fs: func(st *state) []float64 {
				x := v.f(st)
				for lane := range out {
					out[lane] = x
				}
				return out
			}}
		}
		out := make([]int64, t.Lanes())
		return value{t: t, is: func(st *state) []int64 {
			x := v.i(st)
			for lane := range out {
				out[lane] = x
			}
			return out
		}}
	}
	r := newRegister(v.t.Base())
	one := convert(r.value(), t.Base())
	all := func(st *state, each func(lane int)) {
		if v.fs != nil {
			for lane, x := range v.fs(st) {
				r.floats[0] = x
				each(lane)
			}
			return
		}
		for lane, x := range v.is(st) {
			r.ints[0] = x
			each(lane)
		}
	}
	if one.f != nil {
		out := make([]float64, t.Lanes())
		return value{t: t, fs: func(st *state) []float64 {
			all(st, func(lane int) { out[lane] = one.f(st) })
			return out
		}}
	}
	out := make([]int64, t.Lanes())
	return value{t: t, is: func(st *state) []int64 {
		all(st, func(lane int) { out[lane] = one.i(st) })
		return out
	}}
}

// element is the flat element of a lane: vectors lie element by element in arrays of scalars, and lane by lane in variables
// of vector type.
func (m *memory) element(at int64, lane int, t expr.DType) int64 {
	if m.array.DType.IsVector() {
		return at*t.Lanes() + int64(lane)
	}
	return at + int64(lane)
}

func (c *compiler) loadVector(t expr.DType, access expr.Expr, name string, index []expr.Expr) (value, error) {
	m, at, err := c.place(access, name, index)
	if err != nil {
		return value{}, err
	}
	if t.Base().IsFloat() {
		out := make([]float64, t.Lanes())
		return value{t: t, fs: func(st *state) []float64 {
			first := at(st)
			for lane := range out {
				out[lane] = m.buf.floats[m.load(st, access, m.element(first, lane, t))]
			}
			return out
		}}, nil
	}
	out := make([]int64, t.Lanes())
	return value{t: t, is: func(st *state) []int64 {
		first := at(st)
		for lane := range out {
			out[lane] = m.buf.ints[m.load(st, access, m.element(first, lane, t))]
		}
		return out
	}}, nil
}

// assignVector compiles a statement that assigns a vector.
func (c *compiler) assignVector(s *kernel.Stmt, m *memory, at func(*state) int64, acc *expr.Access) (func(*state), error) {
	t := m.array.DType
	if acc != nil {
		t = t.Vector(acc.Lanes)
	}
	v, err := c.typed(s.RHS, t)
	if err != nil {
		return nil, err
	}
	lhs := s.LHS
	if v.fs != nil {
		return func(st *state) {
			x, first := v.fs(st), at(st)
			for lane, y := range x {
				m.buf.floats[m.store(st, lhs, m.element(first, lane, t))] = y
			}
		}, nil
	}
	return func(st *state) {
		x, first := v.is(st), at(st)
		for lane, y := range x {
			m.buf.ints[m.store(st, lhs, m.element(first, lane, t))] = y
		}
	}, nil
}
