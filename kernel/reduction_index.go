package kernel

import (
	"slices"
	"strings"

	"gpuperf/kernel/expr"
)

// pairReductions lets an index share the loop that finds the value: where a statement that is v = max(k, e) stands right
// before one that has argmax(k, e, f), and nothing can run between them that matters, the first takes the accumulator of
// the second. It works in place.
func (k *Kernel) pairReductions() {
	for i := 0; i+1 < len(k.Statements); i++ {
		s, t := k.Statements[i], k.Statements[i+1]
		value, ok := s.RHS.(*expr.Reduce)
		if !ok || value.Index != nil || t.RHS == nil || !k.together(s, t) || mentionsAny(t, target(s)) || mentionsAny(s, target(t)) {
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
		acc := &Array{Name: k.freshName("acc_" + strings.Join(index.Inames, "_")), Shape: []expr.Expr{}}
		k.Temps = append(k.Temps, acc)
		marked := *index
		marked.Extreme = acc.Name
		last, first := *s, *t
		last.RHS, last.Deps = expr.Var{Name: acc.Name}, addSorted(s.Deps, t.ID)
		first.RHS, first.Deps = replaceReduction(t.RHS, index, &marked), removeNames(addSorted(t.Deps, s.Deps...), s.ID)
		k.Statements[i], k.Statements[i+1] = &first, &last
	}
}

// together reports whether s and t run at the same points, with no statement that must run between them.
func (k *Kernel) together(s, t *Stmt) bool {
	rest := *t
	rest.Deps = removeNames(t.Deps, s.ID)
	return slices.Equal(s.Inames, t.Inames) && slices.EqualFunc(s.Predicates, t.Predicates, expr.Equal) &&
		!k.dependsOn(&rest, s.ID) && !k.dependsOn(s, t.ID)
}

func mentionsAny(s *Stmt, name string) bool {
	return slices.ContainsFunc(s.exprs(), func(e expr.Expr) bool { return mentions(e, name) })
}

// realizeIndex appends the statements of an argmax or argmin of s to its parts, the last of which makes the result, acc,
// complete.
func (k *Kernel) realizeIndex(s *Stmt, r *expr.Reduce, parts []*Stmt) (all []*Stmt, acc expr.Expr, err error) {
	name := strings.Join(r.Inames, "_")
	value, err := k.TypeOf(r.Body)
	if err != nil {
		return nil, nil, k.errorf("statement %s: %w", s.ID, err)
	}
	at, err := k.TypeOf(r.Index)
	if err != nil {
		return nil, nil, k.errorf("statement %s: %w", s.ID, err)
	}
	kind, beyond := r.Kind[len("arg"):], map[string]expr.OpKind{"argmax": expr.Gt, "argmin": expr.Lt}[r.Kind]
	least, ok := reductionSteps[kind].neutral(value)
	if !ok {
		return nil, nil, k.errorf("statement %s: %s of %s, of type %s, has no neutral element", s.ID, r.Kind, r.Body, value)
	}
	if !at.IsSigned() && !at.IsFloat() {
		return nil, nil, k.errorf("statement %s: the index %s of %s is of type %s, which has no -1 for a range without values: cast it to int32", s.ID, r.Index, r.Kind, at)
	}
	none, _ := constant(-1)(at)

	temp := func(base string, t expr.DType) expr.Var {
		n := k.freshName(base)
		k.Temps = append(k.Temps, &Array{Name: n, DType: t, Shape: []expr.Expr{}})
		return expr.Var{Name: n}
	}
	extreme := expr.Var{Name: r.Extreme}
	if r.Extreme == "" {
		extreme = temp("acc_"+name, value)
	} else {
		k.setType(r.Extreme, value)
	}
	index, item := temp("acc_"+name, at), temp("item_"+name, value)
	better := expr.Binary(beyond, item, extreme)
	inner := addSorted(s.Inames, r.Inames...)
	deps := s.Deps
	for _, part := range []struct {
		suffix string
		lhs    expr.Var
		rhs    expr.Expr
		inames []string
	}{
		{"_init", extreme, least, s.Inames},
		{"_index_init", index, none, s.Inames},
		{"_item", item, r.Body, inner},
		{"_index", index, &expr.Cond{If: better, Then: r.Index, Else: index}, inner},
		{"_update", extreme, reductionSteps[kind].step(extreme, item), inner},
	} {
		taken := func(id string) bool {
			return k.Stmt(id) != nil || slices.ContainsFunc(parts, func(p *Stmt) bool { return p.ID == id })
		}
		p := &Stmt{
			ID: fresh(s.ID+"_"+name+part.suffix, taken), LHS: part.lhs, RHS: part.rhs,
			Inames: part.inames, Deps: deps, Predicates: s.Predicates, Tags: s.Tags,
		}
		parts = append(parts, p)
		deps = addSorted(deps, p.ID)
	}
	return parts, index, nil
}
