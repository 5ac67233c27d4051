package transform

import (
	"errors"
	"math"
	"slices"
	"strings"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// RealizeReduction replaces reductions by a temporary acc_<inames>, a statement <id>_<inames>_init that sets it to the
// neutral element, and a statement <id>_<inames>_update within the reduction's inames that adds to it. Reductions that
// cannot share a loop get their own copies of the inames first. argmax and argmin have two accumulators, for the value
// and its index, and a temporary for the current value, which is computed once and compared (statements _item, _index,
// _update).
//
// A reduction over an iname on a local axis is a tree in local memory (statements _part, _step and so on): the work-items
// of the axis store their values, then add them in pairs, halving their number in each step, and all can read the result.
func RealizeReduction(k *kernel.Kernel) (_ *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	c := k.Clone()
	pairReductions(c)
	separateReductions(c)
	for i := 0; i < len(c.Statements); {
		s := c.Statements[i]
		if s.RHS == nil || len(expr.Reductions(s.RHS)) == 0 {
			i++
			continue
		}
		parts := realize(c, s)
		// the parts may hold further reductions: go on at the first of them
		c.Statements = slices.Concat(c.Statements[:i], parts, c.Statements[i+1:])
	}
	return c, nil
}

// reduction is how values are reduced: the neutral element of a type, and one step.
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

// Accumulation is how values of a type are reduced: what they begin with, and a step; false where the kind is none, or the type has no neutral element of it.
func Accumulation(kind string, t expr.DType) (neutral expr.Expr, step func(acc, x expr.Expr) expr.Expr, ok bool) {
	how, ok := reductionSteps[kind]
	if !ok {
		return nil, nil, false
	}
	neutral, ok = how.neutral(t)
	return neutral, how.step, ok
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
		return nil, false // the greatest uint64 does not fit into the int64 of literals
	}
}

// realizer replaces the reductions of a statement by statements that compute them.
type realizer struct {
	*kernel.Kernel
	stmt  *kernel.Stmt
	parts []*kernel.Stmt // in an order that respects their dependencies
}

// realize returns the statements that take the place of s, which comes last. Only the outermost reductions are replaced.
func realize(k *kernel.Kernel, s *kernel.Stmt) []*kernel.Stmt {
	z := &realizer{Kernel: k, stmt: s}
	final := *s
	var bad error
	final.RHS = rewriteDown(s.RHS, func(e expr.Expr) (expr.Expr, bool) {
		r, ok := e.(*expr.Reduce)
		if !ok {
			return nil, false
		}
		result, err := z.reduce(r)
		if bad = errors.Join(bad, err); bad != nil {
			return r, true
		}
		final.Deps = nameset.Add(final.Deps, z.parts[len(z.parts)-1].ID)
		return result, true
	})
	return throw.Get(append(z.parts, &final), bad)
}

// reduce adds the statements that compute a reduction, the last of which makes the result complete.
func (z *realizer) reduce(r *expr.Reduce) (result expr.Expr, err error) {
	defer throw.Catch(&err)
	if axis := slices.IndexFunc(r.Inames, func(n string) bool { return z.Tags[n].Kind == kernel.LocalAxis }); axis >= 0 {
		return z.tree(r, r.Inames[axis]), nil
	}
	if r.Index != nil {
		return z.index(r), nil
	}
	t, _ := z.TypeOf(r) // may be inferred later
	how := reductionSteps[r.Kind]
	neutral, ok := how.neutral(t)
	if !ok {
		return nil, z.Errorf("statement %s: the neutral element of %s needs the dtype of %s: give the arrays types first (add_dtypes)", z.stmt.ID, r.Kind, r.Body)
	}
	name := "_" + strings.Join(r.Inames, "_")
	acc := z.temp("acc"+name, t)
	init := z.add(name+"_init", acc, neutral, z.stmt.Inames, nil)
	z.add(name+"_update", acc, how.step(acc, r.Body), nameset.Add(z.stmt.Inames, r.Inames...), nameset.Add(z.stmt.Deps, init))
	return acc, nil
}

// add appends an assignment under the predicates of the original statement and returns its ID: the original's, then suffix.
func (z *realizer) add(suffix string, lhs, rhs expr.Expr, inames, deps []string) (id string) {
	id = kernel.Fresh(z.stmt.ID+suffix, func(id string) bool {
		return z.Stmt(id) != nil || slices.Contains(idsOf(z.parts), id)
	})
	z.parts = append(z.parts, &kernel.Stmt{
		ID: id, LHS: lhs, RHS: rhs, Inames: inames, Deps: deps, Predicates: z.stmt.Predicates, Tags: z.stmt.Tags, At: z.stmt.At,
	})
	return id
}

// temp adds a scalar temporary.
func (z *realizer) temp(base string, t expr.DType) expr.Var {
	n := z.FreshName(base)
	z.Temps = append(z.Temps, &kernel.Array{Name: n, DType: t, Shape: []expr.Expr{}})
	return expr.Var{Name: n}
}

// typedNeutral is the neutral element of reductions of that kind over values of a type that must be known.
func (z *realizer) typedNeutral(r *expr.Reduce, kind string, t expr.DType) expr.Expr {
	neutral, ok := reductionSteps[kind].neutral(t)
	if !ok {
		panic(throw.Of(z.Errorf("statement %s: %s of %s, of type %s, has no neutral element", z.stmt.ID, r.Kind, r.Body, t)))
	}
	return neutral
}
