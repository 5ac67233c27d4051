package transform

import (
	"errors"
	"math"
	"slices"
	"strings"

	"gpuperf/internal/nameset"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// RealizeReduction turns reductions into a temporary acc_<inames>, a statement <id>_<inames>_init that sets it to the
// neutral element, and a statement <id>_<inames>_update within the reduction's inames that adds to it. Reductions whose
// loops cannot be shared get inames of their own first. argmax and argmin have two accumulators, of the value and of its
// index, and a temporary for the value at hand, which is computed once and compared (statements _item, _index, _update).
//
// A reduction over an iname on a local axis is a tree in local memory (statements _part, _step and so on): the work-items
// of the axis store their values, then add in pairs, halving the values in each step, and all can read what is left.
func RealizeReduction(k *kernel.Kernel) (*kernel.Kernel, error) {
	c := k.Clone()
	pairReductions(c)
	if err := separateReductions(c); err != nil {
		return nil, err
	}
	for i := 0; i < len(c.Statements); {
		s := c.Statements[i]
		if s.RHS == nil || len(expr.Reductions(s.RHS)) == 0 {
			i++
			continue
		}
		parts, err := realize(c, s)
		if err != nil {
			return nil, err
		}
		// the parts may hold further reductions: go on at the first of them
		c.Statements = slices.Concat(c.Statements[:i], parts, c.Statements[i+1:])
	}
	return c, nil
}

// reduction tells how values are reduced: the neutral element for a type, and one step.
type reduction struct {
	neutral func(t expr.DType) (expr.Expr, bool)
	step    func(acc, x expr.Expr) expr.Expr
}

var reductionSteps = map[string]reduction{
	"sum":     {constant(0), func(acc, x expr.Expr) expr.Expr { return expr.Binary(expr.Add, acc, x) }},
	"product": {constant(1), func(acc, x expr.Expr) expr.Expr { return expr.Binary(expr.Mul, acc, x) }},
	"max":     {limit(true), func(acc, x expr.Expr) expr.Expr { return &expr.Call{Func: "max", Args: []expr.Expr{acc, x}} }},
	"min":     {limit(false), func(acc, x expr.Expr) expr.Expr { return &expr.Call{Func: "min", Args: []expr.Expr{acc, x}} }},
	"any":     {constant(0), func(acc, x expr.Expr) expr.Expr { return expr.Binary(expr.Or, acc, x) }},
	"all":     {constant(1), func(acc, x expr.Expr) expr.Expr { return expr.Binary(expr.And, acc, x) }},
}

func constant(v int64) func(expr.DType) (expr.Expr, bool) {
	return func(t expr.DType) (expr.Expr, bool) {
		switch t {
		case expr.Float32:
			return expr.Float{Value: float64(v), Text: expr.Int{Value: v}.String() + ".0f", DType: expr.Float32}, true
		case expr.Float64:
			return expr.Float{Value: float64(v), Text: expr.Int{Value: v}.String() + ".0", DType: expr.Float64}, true
		}
		return expr.Int{Value: v}, true
	}
}

// limit is the least value of a type (for max) or the greatest (for min).
func limit(least bool) func(expr.DType) (expr.Expr, bool) {
	return func(t expr.DType) (expr.Expr, bool) {
		bits := 8 * t.Size()
		switch {
		case !t.Known() || t.IsComplex():
			return nil, false
		case t.IsFloat() && least:
			return expr.Float{Value: math.Inf(-1), Text: "-inf", DType: t}, true
		case t.IsFloat():
			return expr.Float{Value: math.Inf(1), Text: "inf", DType: t}, true
		case t.IsSigned() && least:
			return expr.Int{Value: -1 << (bits - 1)}, true
		case t.IsSigned():
			return expr.Int{Value: 1<<(bits-1) - 1}, true
		case least:
			return expr.Int{Value: 0}, true
		case t == expr.Bool:
			return expr.Int{Value: 1}, true
		case bits < 64:
			return expr.Int{Value: 1<<bits - 1}, true
		}
		return nil, false // the greatest uint64 is no int64
	}
}

// realize takes the outermost reductions of s apart. The parts stand in an order that respects their dependencies.
func realize(k *kernel.Kernel, s *kernel.Stmt) ([]*kernel.Stmt, error) {
	var parts []*kernel.Stmt
	final := *s
	var bad error
	add := func(r *expr.Reduce) expr.Expr {
		if r.Index != nil && !slices.ContainsFunc(r.Inames, func(n string) bool { return k.Tags[n].Kind == kernel.LocalAxis }) {
			var acc expr.Expr
			var err error
			if parts, acc, err = realizeIndex(k, s, r, parts); err != nil {
				bad = errors.Join(bad, err)
				return r
			}
			final.Deps = nameset.Add(final.Deps, parts[len(parts)-1].ID)
			return acc
		}
		if axis := slices.IndexFunc(r.Inames, func(n string) bool { return k.Tags[n].Kind == kernel.LocalAxis }); axis >= 0 {
			var acc expr.Expr
			var err error
			if parts, acc, err = realizeTree(k, s, r, r.Inames[axis], parts); err != nil {
				bad = errors.Join(bad, err)
				return r
			}
			final.Deps = nameset.Add(final.Deps, parts[len(parts)-1].ID)
			return acc
		}
		name := strings.Join(r.Inames, "_")
		acc := &kernel.Array{Name: k.FreshName("acc_" + name), Shape: []expr.Expr{}}
		taken := func(id string) bool {
			return k.Stmt(id) != nil || slices.ContainsFunc(parts, func(p *kernel.Stmt) bool { return p.ID == id })
		}
		if t, err := k.TypeOf(r); err == nil {
			acc.DType = t
		}
		how := reductionSteps[r.Kind]
		zero, ok := how.neutral(acc.DType)
		if !ok && bad == nil {
			bad = k.Errorf("statement %s: the neutral element of %s needs the dtype of %s: give the arrays types first (add_dtypes)", s.ID, r.Kind, r.Body)
		}
		init := &kernel.Stmt{
			ID: kernel.Fresh(s.ID+"_"+name+"_init", taken), LHS: expr.Var{Name: acc.Name}, RHS: zero,
			Inames: s.Inames, Predicates: s.Predicates, Tags: s.Tags,
		}
		parts = append(parts, init)
		update := &kernel.Stmt{
			ID: kernel.Fresh(s.ID+"_"+name+"_update", taken), LHS: expr.Var{Name: acc.Name}, RHS: how.step(expr.Var{Name: acc.Name}, r.Body),
			Inames: nameset.Add(s.Inames, r.Inames...), Deps: nameset.Add(s.Deps, init.ID), Predicates: s.Predicates, Tags: s.Tags,
		}
		parts = append(parts, update)
		final.Deps = nameset.Add(final.Deps, update.ID)
		k.Temps = append(k.Temps, acc)
		return expr.Var{Name: acc.Name}
	}
	final.RHS = replaceOutermost(s.RHS, add)
	if bad != nil {
		return nil, bad
	}
	return append(parts, &final), nil
}

// replaceOutermost replaces reductions that are not inside others.
func replaceOutermost(e expr.Expr, f func(*expr.Reduce) expr.Expr) expr.Expr {
	if r, ok := e.(*expr.Reduce); ok {
		return f(r)
	}
	return expr.MapChildren(e, func(c expr.Expr) expr.Expr { return replaceOutermost(c, f) })
}
