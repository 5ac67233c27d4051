package interp

import (
	"fmt"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// register holds a value of a type while something is computed from it.
type register struct {
	t      expr.DType
	floats []float64
	ints   []int64
	err    float64 // of floats, the bound of their rounding errors: that of all lanes of a vector
}

func newRegister(t expr.DType) *register {
	return &register{t: t, floats: make([]float64, t.Lanes()), ints: make([]int64, t.Lanes())}
}

func (r *register) value() value {
	v := value{t: r.t}
	switch float := r.t.Base().IsFloat(); {
	case r.t.IsVector() && float:
		v.fs = func(st *state) []float64 {
			st.err = r.err
			return r.floats
		}
	case r.t.IsVector():
		v.is = func(*state) []int64 { return r.ints }
	case float:
		v.f = func(st *state) float64 {
			st.err = r.err
			return r.floats[0]
		}
	default:
		v.i = func(*state) int64 { return r.ints[0] }
	}
	return v
}

func (r *register) set(v value) func(*state) {
	switch {
	case v.fs != nil:
		return func(st *state) {
			copy(r.floats, v.fs(st))
			r.err = st.err
		}
	case v.is != nil:
		return func(st *state) { copy(r.ints, v.is(st)) }
	case v.f != nil:
		return func(st *state) {
			r.floats[0] = v.f(st)
			r.err = st.err
		}
	default:
		return func(st *state) { r.ints[0] = v.i(st) }
	}
}

// lanewise compiles an operation on vectors as the operation on scalars, done for each lane. Literals stay as they are, as
// they do not take part in the type.
func (c *compiler) lanewise(t expr.DType, args []expr.Expr, build func(args []expr.Expr) expr.Expr) value {
	var operands []value
	scope := &kernel.Kernel{Name: c.k.Name}
	scalars := make([]expr.Expr, len(args))
	for n, arg := range args {
		switch arg.(type) {
		case expr.Int, expr.Float:
			scalars[n] = arg
			continue
		}
		v := c.expr(arg)
		name := fmt.Sprintf("operand%d", len(operands))
		scope.Args = append(scope.Args, &kernel.Array{Name: name, DType: v.t.Base(), Space: kernel.Private, IsValue: true})
		operands, scalars[n] = append(operands, v), expr.Var{Name: name}
	}
	return eachLane(t, operands, func(lanes []value) (value, error) {
		inner := &compiler{k: scope, bound: map[string]value{}}
		for n, v := range lanes {
			inner.bound[scope.Args[n].Name] = v
		}
		return throw.Value(func() value { return inner.typed(build(scalars), t.Base()) })
	})
}

// eachLane compiles what build makes of single lanes of the operands, for all lanes of type t. Operands are computed once,
// and kept meanwhile, as they may be computed in place; a scalar is taken for all lanes.
func eachLane(t expr.DType, operands []value, build func(lanes []value) (value, error)) value {
	all, one := make([]*register, len(operands)), make([]*register, len(operands))
	set, scalars := make([]func(*state), len(operands)), make([]value, len(operands))
	for n, v := range operands {
		all[n], one[n] = newRegister(v.t), newRegister(v.t.Base())
		set[n], scalars[n] = all[n].set(v), one[n].value()
	}
	v := throw.Get(build(scalars))
	pick := func(lane int) {
		for n, r := range all {
			at := min(lane, len(r.floats)-1)
			one[n].floats[0], one[n].ints[0], one[n].err = r.floats[at], r.ints[at], r.err
		}
	}
	return value{t: t, fs: after(set, repeat(t, pick, v.f)), is: after(set, repeat(t, pick, v.i))}
}

// repeat computes f for every lane, which pick prepares; nil of nil.
func repeat[T any](t expr.DType, pick func(lane int), f func(*state) T) func(*state) []T {
	if f == nil {
		return nil
	}
	out := make([]T, t.Lanes())
	return func(st *state) []T {
		err := 0.0
		for lane := range out {
			pick(lane)
			out[lane] = f(st)
			err = max(err, st.err)
		}
		st.err = err
		return out
	}
}

// convertVector converts lane by lane, or takes a scalar for all lanes.
func convertVector(v value, t expr.DType) value {
	out, _ := throw.Value(func() value {
		return eachLane(t, []value{v}, func(lanes []value) (value, error) { return convert(lanes[0], t.Base()), nil })
	})
	return out
}

// element is the flat element of a lane: vectors lie element by element in arrays of scalars, and lane by lane in variables
// of vector type.
func (m *memory) element(at int64, lane int, t expr.DType) int64 {
	if m.array.DType.IsVector() {
		return at*t.Lanes() + int64(lane)
	}
	return at + int64(lane)
}

// fetchLanes compiles the load of a vector from a buffer.
func fetchLanes[T any](m *memory, from *[]T, access expr.Expr, at func(*state) int64, t expr.DType) func(*state) []T {
	out := make([]T, t.Lanes())
	return func(st *state) []T {
		first := at(st)
		err := 0.0
		for lane := range out {
			p := m.load(st, access, m.element(first, lane, t))
			out[lane] = (*from)[p]
			if m.buf.errs != nil {
				err = max(err, m.buf.errs[p])
			}
		}
		st.err = err
		return out
	}
}

// putLanes compiles the store of a vector to a buffer.
func putLanes[T any](m *memory, to *[]T, lhs expr.Expr, at func(*state) int64, t expr.DType, v func(*state) []T) func(*state) {
	return func(st *state) {
		x := v(st)
		err, first := st.err, at(st)
		for lane, y := range x {
			p := m.store(st, lhs, m.element(first, lane, t))
			(*to)[p] = y
			m.buf.bound(p, err)
		}
	}
}
