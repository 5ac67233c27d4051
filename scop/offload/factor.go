package offload

import (
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// factored takes what all terms of a sum are multiplied by out of it: alpha·A·B summed over k is alpha times the sum of A·B. The factor is nil where there is none.
// Rounding changes as the order of terms changes it.
func factored(k *kernel.Kernel, term expr.Expr, over []string) (factor, rest expr.Expr) {
	whole, err := k.TypeOf(term)
	if err != nil || !whole.IsFloat() {
		return nil, term
	}
	same := func(e expr.Expr) bool {
		t, err := k.TypeOf(e)
		return err == nil && t == whole
	}
	addends := inChain(term, expr.Add)
	products := make([][]expr.Expr, len(addends))
	for i, a := range addends {
		if products[i] = inChain(a, expr.Mul); slices.ContainsFunc(products[i], func(e expr.Expr) bool { return !same(e) }) {
			return nil, term
		}
	}
	for _, f := range products[0] {
		varies := slices.ContainsFunc(over, func(n string) bool { return expr.Mentions(f, n) })
		if _, literal := f.(expr.Float); varies || literal {
			continue
		}
		if left := divided(products, f); left != nil {
			products, factor = left, times(factor, f)
		}
	}
	if factor == nil {
		return nil, term
	}
	for _, p := range products {
		var product expr.Expr
		for _, f := range p {
			product = times(product, f)
		}
		if rest == nil {
			rest = product
		} else {
			rest = expr.Binary(expr.Add, rest, product)
		}
	}
	return factor, rest
}

// inChain are the operands of a chain of operations of one kind.
func inChain(e expr.Expr, kind expr.OpKind) (all []expr.Expr) {
	if x, ok := e.(*expr.Op); ok && x.Kind == kind {
		for _, a := range x.Args {
			all = append(all, inChain(a, kind)...)
		}
		return all
	}
	return []expr.Expr{e}
}

// divided takes a factor out of each product; nil where one does not have it, or has nothing else.
func divided(products [][]expr.Expr, f expr.Expr) (out [][]expr.Expr) {
	for _, p := range products {
		i := slices.IndexFunc(p, func(e expr.Expr) bool { return e.String() == f.String() })
		if i < 0 || len(p) == 1 {
			return nil
		}
		out = append(out, slices.Delete(slices.Clone(p), i, i+1))
	}
	return out
}

func times(a, b expr.Expr) expr.Expr {
	if a == nil {
		return b
	}
	return expr.Binary(expr.Mul, a, b)
}

// folded puts what a statement assigns into the next one, where that adds a sum to the same element: x = beta·x and x = x + sum are x = beta·x + sum.
func folded(k *kernel.Kernel) *kernel.Kernel {
	out := k.Clone()
	for i := 0; i+1 < len(out.Statements); {
		if s := intoSum(out, out.Statements[i], out.Statements[i+1]); s != nil {
			gone, id := out.Statements[i].ID, s.ID
			out.Statements = slices.Replace(out.Statements, i, i+2, s)
			out.MapStmts(func(s *kernel.Stmt) {
				if slices.Contains(s.Deps, gone) {
					s.Deps = nameset.Add(nameset.Remove(s.Deps, gone), id)
				}
			})
			continue
		}
		i++
	}
	return out
}

// intoSum is one statement that does what two do, nil where there is none.
func intoSum(k *kernel.Kernel, first, then *kernel.Stmt) *kernel.Stmt {
	if first.LHS == nil || then.LHS == nil || len(first.ReductionInames()) > 0 || len(expr.Reductions(then.RHS)) != 1 || first.Atomic || then.Atomic ||
		first.LHS.String() != then.LHS.String() || !slices.Equal(first.Inames, then.Inames) || !slices.EqualFunc(first.Predicates, then.Predicates, equalText) {
		return nil
	}
	value, err := stored(k, first)
	if err != nil {
		return nil
	}
	out := *then
	uses := 0
	out.RHS = expr.Rewrite(then.RHS, func(e expr.Expr) expr.Expr {
		if e.String() == first.LHS.String() {
			uses++
			return value
		}
		return e
	})
	if uses != 1 {
		return nil
	}
	out.Deps = nameset.Remove(slices.Clone(out.Deps), first.ID)
	for _, d := range first.Deps {
		out.Deps = nameset.Add(out.Deps, d)
	}
	return &out
}

func equalText(a, b expr.Expr) bool { return a.String() == b.String() }

// stored is what a statement assigns, rounded to the type of its target.
func stored(k *kernel.Kernel, s *kernel.Stmt) (expr.Expr, error) {
	from, err := k.TypeOf(s.RHS)
	if err != nil {
		return nil, err
	}
	to, err := k.TypeOf(s.LHS)
	if err != nil || from == to {
		return s.RHS, err
	}
	return &expr.Cast{DType: to, Arg: s.RHS}, nil
}
