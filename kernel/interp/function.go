package interp

import (
	"fmt"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// userCall compiles the call of a user function: the operands are computed once, kept in registers of this call, and the
// definition is compiled over these.
func (c *compiler) userCall(f *kernel.Function, x *expr.Call) (value, error) {
	if f.Def == nil {
		return value{}, fmt.Errorf("function %s has no definition, so that it cannot be run here", f.Name)
	}
	var set []func(*state)
	bound := map[string]value{}
	for i, p := range f.Params {
		v, err := c.typed(x.Args[i], p.DType)
		if err != nil {
			return value{}, err
		}
		r := newRegister(p.DType)
		bound[p.Name] = r.value()
		set = append(set, r.set(v))
	}
	scope, err := c.k.Scope(f)
	if err != nil {
		return value{}, err
	}
	inner := &compiler{k: scope, bound: bound}
	for _, l := range f.Lets {
		v, err := inner.expr(l.Expr)
		if err != nil {
			return value{}, fmt.Errorf("function %s: %w", f.Name, err)
		}
		r := newRegister(v.t)
		bound[l.Name] = r.value()
		set = append(set, r.set(v))
	}
	body, err := inner.typed(f.Def, f.Result)
	if err != nil {
		return value{}, fmt.Errorf("function %s: %w", f.Name, err)
	}
	return after(set, body), nil
}

// after is v computed after other things.
func after(set []func(*state), v value) value {
	run := func(st *state) {
		for _, s := range set {
			s(st)
		}
	}
	out := value{t: v.t}
	switch {
	case v.f != nil:
		out.f = func(st *state) float64 { run(st); return v.f(st) }
	case v.i != nil:
		out.i = func(st *state) int64 { run(st); return v.i(st) }
	case v.fs != nil:
		out.fs = func(st *state) []float64 { run(st); return v.fs(st) }
	default:
		out.is = func(st *state) []int64 { run(st); return v.is(st) }
	}
	return out
}

// register holds a value of a type while something is computed from it.
type register struct {
	t      expr.DType
	floats []float64
	ints   []int64
}

func newRegister(t expr.DType) *register {
	return &register{t, make([]float64, t.Lanes()), make([]int64, t.Lanes())}
}

// value reads the register.
func (r *register) value() value {
	v := value{t: r.t}
	switch float := r.t.Base().IsFloat(); {
	case r.t.IsVector() && float:
		v.fs = func(*state) []float64 { return r.floats }
	case r.t.IsVector():
		v.is = func(*state) []int64 { return r.ints }
	case float:
		v.f = func(*state) float64 { return r.floats[0] }
	default:
		v.i = func(*state) int64 { return r.ints[0] }
	}
	return v
}

// set writes the register.
func (r *register) set(v value) func(*state) {
	switch {
	case v.fs != nil:
		return func(st *state) { copy(r.floats, v.fs(st)) }
	case v.is != nil:
		return func(st *state) { copy(r.ints, v.is(st)) }
	case v.f != nil:
		return func(st *state) { r.floats[0] = v.f(st) }
	default:
		return func(st *state) { r.ints[0] = v.i(st) }
	}
}
