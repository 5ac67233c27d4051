package kernel

import (
	"fmt"
	"slices"

	"gpuperf/polycount"
)

// inferShapes gives a shape to every array that is indexed and has none: per axis one more than the largest index.
func (k *Kernel) inferShapes() error {
	type site struct {
		acc    *Access
		inames []string
	}
	sites := map[string][]site{}
	var order []string
	for _, s := range k.Statements {
		for _, e := range s.exprs() {
			e, err := k.expandExpr(e)
			if err != nil {
				return err
			}
			for _, acc := range Accesses(e) {
				if a := k.Array(acc.Array); a == nil || a.Shape != nil {
					continue
				}
				if sites[acc.Array] == nil {
					order = append(order, acc.Array)
				}
				sites[acc.Array] = append(sites[acc.Array], site{acc, s.Inames})
			}
		}
	}
	for _, name := range order {
		a := *k.Array(name)
		for _, at := range sites[name] {
			if len(at.acc.Index) != len(sites[name][0].acc.Index) {
				return k.errorf("%s and %s index %s with different numbers of indices", sites[name][0].acc, at.acc, name)
			}
		}
		for axis := range sites[name][0].acc.Index {
			var size *extent
			for _, at := range sites[name] {
				next, err := k.largest(at.acc.Index[axis], at.inames)
				if err == nil {
					size, err = size.max(next)
				}
				if err != nil {
					return k.errorf("cannot infer the size of axis %d of %s from %s: %w; declare its shape", axis, name, at.acc, err)
				}
			}
			a.Shape = append(a.Shape, size.size)
		}
		k.setArray(&a)
	}
	for _, list := range [2][]*Array{k.Args, k.Temps} {
		for i, a := range list {
			if a.Shape == nil && !a.IsValue { // declared, never indexed
				if k.IsTemp(a.Name) {
					c := *a
					c.Shape = []Expr{}
					list[i] = &c
					continue
				}
				return k.errorf("cannot infer the shape of %s, which no statement uses; declare it", a.Name)
			}
		}
	}
	return nil
}

// extent is the size that an index needs.
type extent struct {
	size Expr
	// affine is the size where it is affine, and where are the parameters for which the index takes a value at all; nil
	// otherwise.
	affine *polycount.Affine
	where  *polycount.Set
}

const indexName = "$index" // no iname has such a name

// largest is the extent that the index needs: one more than its upper bound in the parameters over the domain of its
// inames, in a statement within the inames given.
func (k *Kernel) largest(index Expr, within []string) (*extent, error) {
	e, err := k.affineOf(index)
	if err != nil {
		return k.largestProduct(index, err)
	}
	used := sortedSet(slices.Concat(intersectNames(e.Names(), k.Inames()), within))
	d, err := k.DomainOf(used)
	if err != nil {
		return nil, err
	}
	where, err := d.Project()
	if err != nil {
		return nil, err
	}
	if d, err = d.AddDims(indexName).Constrain(polycount.EQ(polycount.Name(indexName), e)); err != nil {
		return nil, err
	}
	if d, err = d.Project(indexName); err != nil {
		return nil, err
	}
	var out *extent
	for _, part := range d.Disjuncts() {
		_, upper, err := part.Bounds(indexName)
		if err != nil {
			return nil, err
		}
		if len(upper) == 0 {
			return nil, fmt.Errorf("%s has no upper bound", index)
		}
		if out, err = out.max(sizeOf(upper, where)); err != nil {
			return nil, err
		}
	}
	if out == nil {
		return nil, fmt.Errorf("the domain of %s is empty", index)
	}
	return out, nil
}

// sizeOf is one more than the smallest of the bounds.
func sizeOf(upper []polycount.Bound, where *polycount.Set) *extent {
	var sizes []Expr
	for _, b := range upper {
		sizes = append(sizes, FromAffine(b.Num.Add(polycount.Int(b.Den)).FloorDiv(b.Den)))
	}
	if len(sizes) > 1 {
		return &extent{size: &Op{Min, sizes}}
	}
	a := upper[0].Num.Add(polycount.Int(upper[0].Den)).FloorDiv(upper[0].Den)
	return &extent{sizes[0], &a, where}
}

// max is the larger of two extents: by comparison where one is always the larger, else as an expression.
func (e *extent) max(o *extent) (*extent, error) {
	if e == nil {
		return o, nil
	}
	if e.affine != nil && o.affine != nil {
		for _, pair := range [2][2]*extent{{e, o}, {o, e}} {
			// the first will do wherever the second needs anything
			enough, err := pair[1].where.Implies(polycount.GE(*pair[0].affine, *pair[1].affine))
			if err != nil {
				return nil, err
			}
			if !enough {
				continue
			}
			where, err := e.where.Union(o.where)
			if err != nil {
				return nil, err
			}
			return &extent{pair[0].size, pair[0].affine, where}, nil
		}
	}
	if Equal(e.size, o.size) {
		return &extent{size: e.size}, nil
	}
	if op, ok := e.size.(*Op); ok && op.Kind == Max {
		for _, a := range op.Args {
			if Equal(a, o.size) {
				return e, nil
			}
		}
		return &extent{size: &Op{Max, append(op.Args[:len(op.Args):len(op.Args)], o.size)}}, nil
	}
	return &extent{size: &Op{Max, []Expr{e.size, o.size}}}, nil
}

// largestProduct bounds an index in which parameters multiply inames, as in i*(n + 1): term by term, for coefficients
// that are known not to be negative. Otherwise the error is why.
func (k *Kernel) largestProduct(index Expr, why error) (*extent, error) {
	sum := newFormSum(k)
	if err := sum.add(index, ConstPoly(1)); err != nil {
		return nil, why
	}
	form := sum.form()
	if len(form.Floors) > 0 {
		return nil, why
	}
	size := form.Rest.Add(ConstPoly(1))
	for _, t := range form.Terms {
		c, err := k.affineOf(t.Coeff.Expr())
		if err != nil {
			return nil, why
		}
		d, err := k.DomainOf([]string{t.Iname})
		if err != nil {
			return nil, err
		}
		positive, err := d.Implies(polycount.GE(c, polycount.Int(0)))
		if err != nil {
			return nil, err
		}
		upper, err := k.largest(Var{t.Iname}, nil)
		if err != nil {
			return nil, err
		}
		bound, err := polyOf(upper.size, nil)
		if !positive || err != nil {
			return nil, why
		}
		size = size.Add(t.Coeff.Mul(bound.Add(ConstPoly(-1))))
	}
	return &extent{size: size.Expr()}, nil
}
