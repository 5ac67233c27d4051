package transform

import (
	"slices"
	"strings"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// pairReductions makes an argmax share its loop with the max of the same values, in place: if a statement v = max(k, e)
// directly precedes one with argmax(k, e, f), and no statement must run between them, the first reads an accumulator of the
// second.
func pairReductions(k *kernel.Kernel) {
	for i := 0; i+1 < len(k.Statements); i++ {
		s, t := k.Statements[i], k.Statements[i+1]
		value, ok := s.RHS.(*expr.Reduce)
		if !ok || value.Index != nil || t.RHS == nil || !together(k, s, t) || mentionsAny(t, s.Target()) || mentionsAny(s, t.Target()) {
			continue
		}
		var index *expr.Reduce
		for _, r := range expr.Reductions(t.RHS) {
			if r.Kind == "arg"+value.Kind && slices.Equal(r.Inames, value.Inames) && expr.Equal(r.Body, value.Body) {
				index = r
				break
			}
		}
		if index == nil {
			continue
		}
		acc := &kernel.Array{Name: k.FreshName("acc_" + strings.Join(index.Inames, "_")), Shape: []expr.Expr{}}
		k.Temps = append(k.Temps, acc)
		marked := *index
		marked.Extreme = acc.Name
		last, first := *s, *t
		last.RHS, last.Deps = expr.Var{Name: acc.Name}, nameset.Add(s.Deps, t.ID)
		first.RHS, first.Deps = replaceReduction(t.RHS, index, &marked), nameset.Remove(nameset.Add(t.Deps, s.Deps...), s.ID)
		k.Statements[i], k.Statements[i+1] = &first, &last
	}
}

// together reports whether s and t run at the same points, with no statement that must run between them.
func together(k *kernel.Kernel, s, t *kernel.Stmt) bool {
	rest := *t
	rest.Deps = nameset.Remove(t.Deps, s.ID)
	return slices.Equal(s.Inames, t.Inames) && slices.EqualFunc(s.Predicates, t.Predicates, expr.Equal) &&
		!k.DependsOn(&rest, s.ID) && !k.DependsOn(s, t.ID)
}

func mentionsAny(s *kernel.Stmt, name string) bool {
	return slices.ContainsFunc(s.Exprs(), func(e expr.Expr) bool { return expr.Mentions(e, name) })
}

// index computes an argmax or argmin: it adds accumulators of the greatest or least value and of its index.
func (z *realizer) index(r *expr.Reduce) (result expr.Expr) {
	var err error
	s := z.stmt
	value, err := z.TypeOf(r.Body)
	if err != nil {
		panic(throw.Of(z.Errorf("statement %s: %w", s.ID, err)))
	}
	at, err := z.TypeOf(r.Index)
	if err != nil {
		panic(throw.Of(z.Errorf("statement %s: %w", s.ID, err)))
	}
	kind, beyond := r.Kind[len("arg"):], map[string]expr.OpKind{"argmax": expr.Gt, "argmin": expr.Lt}[r.Kind]
	neutral := z.typedNeutral(r, kind, value)
	if !at.IsSigned() && !at.IsFloat() {
		panic(throw.Of(z.Errorf("statement %s: the index %s of %s is of type %s, which has no -1 for a range without values: cast it to int32", s.ID, r.Index, r.Kind, at)))
	}
	none, _ := constant(-1)(at)
	name := "_" + strings.Join(r.Inames, "_")
	extreme := expr.Var{Name: r.Extreme}
	if r.Extreme == "" {
		extreme = z.temp("acc"+name, value)
	} else {
		z.ChangeArray(r.Extreme, func(a *kernel.Array) { a.DType = value })
	}
	index, item := z.temp("acc"+name, at), z.temp("item"+name, value)
	better := expr.Binary(beyond, item, extreme)
	inner := nameset.Add(s.Inames, r.Inames...)
	deps := s.Deps
	for _, part := range []struct {
		suffix string
		lhs    expr.Var
		rhs    expr.Expr
		inames []string
	}{
		{"_init", extreme, neutral, s.Inames},
		{"_index_init", index, none, s.Inames},
		{"_item", item, r.Body, inner},
		{"_index", index, &expr.Cond{If: better, Then: r.Index, Else: index}, inner},
		{"_update", extreme, reductionSteps[kind].step(extreme, item), inner},
	} {
		deps = nameset.Add(deps, z.add(name+part.suffix, part.lhs, part.rhs, part.inames, deps))
	}
	return index
}
