// Package grid is about the grids of work-groups of kernels: where they begin, and those of triangles.
package grid

import (
	"maps"
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Begin is the kernel with grids that begin where its points do: work-groups are numbered from the first that has any, as the first of what is left of a matrix has in a step of its elimination.
func Begin(k *kernel.Kernel) (*kernel.Kernel, error) {
	for _, name := range slices.Sorted(maps.Keys(k.Tags)) {
		if k.Tags[name].Kind != kernel.GroupAxis {
			continue
		}
		first, ok, err := firstOf(k, name)
		if err != nil {
			return nil, err
		}
		if ok {
			k = numbered(k, name, polycount.Name(name).Add(first))
		}
	}
	return k, k.CheckForm()
}

// firstOf is a value of an iname that none is below, if it is more than 0 for some parameters and less for none.
func firstOf(k *kernel.Kernel, name string) (first polycount.Affine, ok bool, err error) {
	values, err := k.DomainOf([]string{name})
	if err != nil || len(values.Disjuncts()) != 1 {
		return first, false, err
	}
	lower, _, err := values.Bounds(name)
	if err != nil {
		return first, false, err
	}
	sizes, err := values.Project()
	if err == nil && k.Assumptions != nil {
		sizes, err = sizes.IntersectParams(k.Assumptions)
	}
	if err != nil {
		return first, false, err
	}
	for _, b := range lower {
		first = b.Num.AddInt(b.Den - 1).FloorDiv(b.Den)
		if first.IsConstant() && first.Constant() <= 0 || slices.ContainsFunc(first.Names(), k.IsTemp) {
			continue
		}
		if ok, err = sizes.Implies(polycount.GE(first, polycount.Int(0))); ok || err != nil {
			return first, ok, err
		}
	}
	return first, false, nil
}

// Reverse is the kernel with an iname counted from its last value, where that is known: work-groups start in the order of their numbers.
func Reverse(k *kernel.Kernel, name string) (*kernel.Kernel, error) {
	values, err := k.DomainOf([]string{name})
	if err != nil {
		return nil, err
	}
	_, upper, err := values.Bounds(name)
	if err != nil || len(values.Disjuncts()) != 1 || len(upper) != 1 {
		return k, err
	}
	k = numbered(k, name, upper[0].Num.FloorDiv(upper[0].Den).Sub(polycount.Name(name)))
	return k, k.CheckForm()
}

// numbered is a kernel with another value in the place of an iname.
func numbered(k *kernel.Kernel, name string, value polycount.Affine) *kernel.Kernel {
	k = k.Clone()
	for i, d := range k.Domains {
		if !d.HasDim(name) && !d.HasParam(name) {
			continue
		}
		list, _ := d.Constraints()
		for j := range list {
			list[j].Affine = list[j].Affine.Subst(map[string]polycount.Affine{name: value})
		}
		k.Domains[i] = polycount.NewSet(nil, d.Dims(), list...)
	}
	by := map[string]expr.Expr{name: expr.FromAffine(value)}
	k.MapStmts(func(s *kernel.Stmt) { s.MapExprs(func(e expr.Expr) expr.Expr { return expr.Subst(e, by) }) })
	return k
}
