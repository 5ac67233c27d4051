package transform

import (
	"fmt"
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// PrivatizeTemporaries gives temporaries an axis per iname, so that every iteration has its own element: the temporaries
// named by only, or without it all that are written within all of the inames. A temporary that a statement outside the
// inames reads is an error.
func PrivatizeTemporaries(k *kernel.Kernel, inames []string, only ...string) (out *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	for _, n := range only {
		if !k.IsTemp(n) {
			return nil, k.Errorf("%s is not a temporary", n)
		}
	}
	c := k.Clone()
	var sizes []expr.Expr
	var index []expr.Expr
	for _, n := range inames {
		if !k.IsIname(n) {
			return nil, k.UnknownIname(n)
		}
		lower, size := extentOf(k, n)
		sizes = append(sizes, size)
		at := polycount.Name(n).Sub(lower)
		throw.If(at.Err())
		index = append(index, expr.FromAffine(at))
	}
	for _, t := range k.Temps {
		if len(only) > 0 && !slices.Contains(only, t.Name) {
			continue
		}
		writers := k.Writers(t.Name)
		within := len(writers) > 0
		for _, s := range writers {
			within = within && containsAll(s.Inames, inames)
		}
		if !within {
			if len(only) > 0 {
				return nil, k.Errorf("temporary %s is not written within %s", t.Name, nameset.Text(inames))
			}
			continue
		}
		if indexedByAll(writers, inames) {
			continue // it already has an element per iteration
		}
		if err := checkPrivatizable(k, t, inames); err != nil {
			return nil, err
		}
		addAxes(c, t.Name, sizes, index)
	}
	return c, nil
}

// checkPrivatizable returns an error if a temporary cannot have elements of its own for the iterations of some inames.
func checkPrivatizable(k *kernel.Kernel, t *kernel.Array, inames []string) error {
	for _, s := range k.Readers(t.Name) {
		if !containsAll(s.AllInames(), inames) {
			return k.Errorf("cannot privatize %s by %s: statement %s reads it outside these inames", t.Name, nameset.Text(inames), s.ID)
		}
	}
	if bounded := k.BoundedBy(t.Name, k.Inames()); len(bounded) > 0 {
		return k.Errorf("cannot privatize %s by %s: it bounds iname %s", t.Name, nameset.Text(inames), bounded[0])
	}
	if err := checkFreshPerIteration(k, t.Name); err != nil {
		return k.Errorf("cannot privatize %s by %s: %w", t.Name, nameset.Text(inames), err)
	}
	if t.Axes != nil {
		return k.Errorf("cannot privatize %s: it has an explicit layout", t.Name)
	}
	if acc := vectorAccess(k, t.Name); acc != nil {
		return k.Errorf("cannot privatize %s: the elements of %s would no longer be adjacent", t.Name, acc)
	}
	return nil
}

// addAxes adds innermost axes of these sizes to an array, and these indices to all its accesses.
func addAxes(k *kernel.Kernel, name string, sizes, index []expr.Expr) {
	k.ChangeArray(name, func(a *kernel.Array) { a.Shape = slices.Concat(a.Shape, sizes) })
	k.MapStmts(func(s *kernel.Stmt) {
		s.MapExprs(func(e expr.Expr) expr.Expr {
			return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
				switch x := e.(type) {
				case expr.Var:
					if x.Name == name {
						return &expr.Access{Array: name, Index: index}
					}
				case *expr.Access:
					if x.Array == name {
						return &expr.Access{Array: x.Array, Tag: x.Tag, Index: slices.Concat(x.Index, index), Lanes: x.Lanes, As: x.As}
					}
				}
				return e
			})
		})
	})
}

// checkFreshPerIteration returns an error unless every iteration first writes the temporary, so that no value is
// carried over from the previous iteration: an assignment that neither reads it nor has a predicate, and on which all
// other uses depend.
func checkFreshPerIteration(k *kernel.Kernel, temp string) error {
	uses := slices.Concat(k.Writers(temp), k.Readers(temp))
	for _, w := range k.Writers(temp) {
		reads := k.ReadsFrom(w, temp)
		if reads || len(w.Predicates) > 0 {
			continue
		}
		first := true
		for _, u := range uses {
			first = first && (u.ID == w.ID || k.DependsOn(u, w.ID))
		}
		if first {
			return nil
		}
	}
	return fmt.Errorf("no assignment precedes all other uses in an iteration, so that a value may be carried over from the previous one")
}

// indexedByAll reports whether all writers use each iname alone as an index of their target.
func indexedByAll(writers []*kernel.Stmt, inames []string) bool {
	for _, s := range writers {
		acc, ok := s.LHS.(*expr.Access)
		if !ok {
			return false
		}
		for _, n := range inames {
			if !slices.ContainsFunc(acc.Index, func(e expr.Expr) bool { v, ok := e.(expr.Var); return ok && v.Name == n }) {
				return false
			}
		}
	}
	return true
}

// extentOf is the smallest value of an iname in terms of the parameters, and the number of values up to the largest.
func extentOf(k *kernel.Kernel, iname string) (lower polycount.Affine, size expr.Expr) {
	var err error
	d := throw.Get(k.DomainOf([]string{iname}))
	if n := len(d.Disjuncts()); n != 1 {
		panic(throw.Of(k.Errorf("the values of iname %s are a union of %d sets", iname, n)))
	}
	low, up, err := d.Bounds(iname)
	if err != nil {
		panic(throw.Of(k.Errorf("iname %s: %w", iname, err)))
	}
	if len(low) != 1 || len(up) == 0 || low[0].Den != 1 {
		panic(throw.Of(k.Errorf("iname %s needs exactly one lower bound and at least one upper bound", iname)))
	}
	size, _, err = kernel.RangeSize(low[0].Num, up)
	throw.If(err)
	return low[0].Num, size
}
