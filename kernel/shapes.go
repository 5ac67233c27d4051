package kernel

import (
	"fmt"
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// InferShapes gives a shape to every array without one, in place: the size of an axis is one more than its largest index.
func (k *Kernel) InferShapes() error {
	sites, order, err := k.unshaped()
	if err != nil {
		return err
	}
	for _, name := range order {
		var shape []expr.Expr
		for _, at := range sites[name] {
			if len(at.acc.Index) != len(sites[name][0].acc.Index) {
				return k.Errorf("%s and %s index %s with different numbers of indices", sites[name][0].acc, at.acc, name)
			}
		}
		for axis := range sites[name][0].acc.Index {
			var size *extent
			seen := map[string]bool{}
			for _, at := range sites[name] {
				lanes := int64(1)
				if axis == len(at.acc.Index)-1 {
					lanes = k.Array(name).Span(at.acc)
				}
				key := fmt.Sprint(at.acc.Index[axis], lanes, at.inames)
				if seen[key] {
					continue
				}
				seen[key] = true
				next, err := k.largestRun(at.acc.Index[axis], lanes, at.inames)
				if err == nil {
					size, err = throw.Value(func() *extent { return size.max(next) })
				}
				if err != nil {
					return k.Errorf("cannot infer the size of axis %d of %s from %s: %w; declare its shape", axis, name, at.acc, err)
				}
			}
			shape = append(shape, size.Size)
		}
		k.ChangeArray(name, func(a *Array) { a.Shape = shape })
	}
	for _, a := range k.Arrays() {
		switch { // declared, never indexed
		case a.Shape != nil || a.IsValue:
		case k.IsTemp(a.Name):
			k.ChangeArray(a.Name, func(a *Array) { a.Shape = []expr.Expr{} })
		default:
			return k.Errorf("cannot infer the shape of %s, which no statement uses; declare it", a.Name)
		}
	}
	return nil
}

// site is an access to an array, and the inames that its statement is within.
type site struct {
	acc    *expr.Access
	inames []string
}

// unshaped are the accesses to each array without a shape, and these arrays in the order of their first accesses.
func (k *Kernel) unshaped() (sites map[string][]site, order []string, err error) {
	sites = map[string][]site{}
	for _, s := range k.Statements {
		for _, e := range s.Exprs() {
			e, err := k.Expand(e)
			if err != nil {
				return nil, nil, err
			}
			for _, acc := range expr.Accesses(e) {
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
	return sites, order, nil
}

// extent is the size that an index needs.
type extent struct {
	Size expr.Expr
	// affine is the size if it is affine, else nil, and where the parameters for which the index then takes any value.
	affine *polycount.Affine
	where  *polycount.Set
	texts  []string // of the sizes that it is the largest of, once it is compared with others that are not affine
}

// compared are the texts of the sizes that an extent is the largest of.
func (e *extent) compared() []string {
	if e.texts != nil {
		return e.texts
	}
	e.texts = []string{e.Size.String()}
	if op, ok := e.Size.(*expr.Op); ok && op.Kind == expr.Max {
		e.texts = nil
		for _, a := range op.Args {
			e.texts = append(e.texts, a.String())
		}
	}
	return e.texts
}

const indexName = "$index" // no iname has such a name

// largest is the extent that an index needs in a statement within the given inames: one more than its upper bound, in terms
// of the parameters.
func (k *Kernel) largest(index expr.Expr, within []string) *extent {
	e, err := k.AffineOf(index)
	if err != nil {
		return k.largestProduct(index, err)
	}
	used := nameset.Sorted(slices.Concat(nameset.Intersect(e.Names(), k.Inames()), within))
	d := throw.Get(k.DomainOf(used))
	d = k.forAnyBounds(d, used)
	where := throw.Get(d.Project())
	d = throw.Get(d.AddDims(indexName).Constrain(polycount.EQ(polycount.Name(indexName), e)))
	d = throw.Get(d.Project(indexName))
	parts := throw.Get(Inhabited(d))
	var out *extent
	for _, part := range parts {
		_, upper := throw.Get2(part.Bounds(indexName))
		if len(upper) == 0 {
			panic(throw.Errorf("%s has no upper bound", index))
		}
		e := &extent{where: where}
		e.Size, e.affine = throw.Get2(RangeSize(polycount.Int(0), upper))
		out = out.max(e)
	}
	if out == nil {
		panic(throw.Errorf("the domain of %s is empty", index))
	}
	return out
}

// largestRun is the extent that a vector of lanes elements from index on needs: a multiple of lanes if index is one.
func (k *Kernel) largestRun(index expr.Expr, lanes int64, within []string) (_ *extent, err error) {
	defer throw.Catch(&err)
	if lanes == 1 {
		return k.largest(index, within), nil
	}
	a, err := k.AffineOf(index)
	if err == nil && a.Mod(lanes).IsConstant() && a.Mod(lanes).Constant() == 0 {
		e := k.largest(expr.FromAffine(a.FloorDiv(lanes)), within)
		if e.affine == nil {
			return &extent{Size: expr.Binary(expr.Mul, expr.Int{Value: lanes}, e.Size)}, nil
		}
		all := e.affine.Scale(lanes)
		return &extent{Size: expr.FromAffine(all), affine: &all, where: e.where}, all.Err()
	}
	return k.largest(expr.Binary(expr.Add, index, expr.Int{Value: lanes - 1}), within), nil
}

// RangeSize is the number of values from lower to the least of the upper bounds, also in affine form where there is one bound.
func RangeSize(lower polycount.Affine, upper []polycount.Bound) (size expr.Expr, affine *polycount.Affine, err error) {
	var sizes []expr.Expr
	for _, b := range upper {
		a := b.Num.Sub(lower.Scale(b.Den)).AddInt(b.Den).FloorDiv(b.Den)
		if err := a.Err(); err != nil {
			return nil, nil, err
		}
		sizes, affine = append(sizes, expr.FromAffine(a)), &a
	}
	if len(sizes) > 1 {
		return &expr.Op{Kind: expr.Min, Args: sizes}, nil, nil
	}
	return sizes[0], affine, nil
}

// max is the larger of two extents: one of them if it is always the larger, else an expression.
func (e *extent) max(o *extent) *extent {
	if e == nil {
		return o
	}
	if e.affine != nil && o.affine != nil {
		for _, pair := range [2][2]*extent{{e, o}, {o, e}} {
			// the first suffices for all parameters for which the second takes a value
			enough := throw.Get(pair[1].where.Implies(polycount.GE(*pair[0].affine, *pair[1].affine)))
			if !enough {
				continue
			}
			where := throw.Get(e.where.Union(o.where))
			return &extent{Size: pair[0].Size, affine: pair[0].affine, where: where}
		}
	}
	of, text := e.compared(), o.Size.String()
	if slices.Contains(of, text) {
		return &extent{Size: e.Size, texts: of}
	}
	args := []expr.Expr{e.Size}
	if op, ok := e.Size.(*expr.Op); ok && op.Kind == expr.Max {
		args = op.Args
	}
	return &extent{Size: &expr.Op{Kind: expr.Max, Args: append(args[:len(args):len(args)], o.Size)}, texts: append(of[:len(of):len(of)], text)}
}

// largestProduct bounds an index that multiplies variables, as in i*(n + 1) + j*j: sums term by term, and products of
// nonnegative factors by the product of their bounds. The size may be larger than necessary, never smaller. If this does
// not apply, the error is why.
func (k *Kernel) largestProduct(index expr.Expr, why error) *extent {
	var scope []string
	expr.FreeVars(index, func(n string) {
		if k.IsIname(n) {
			scope = append(scope, n)
		}
	})
	bound, ok := k.upper(index, scope)
	if !ok {
		throw.If(why)
		return nil
	}
	return &extent{Size: bound.Add(expr.ConstPoly(1)).Expr()}
}

// upper is an upper bound of an integer expression over the inames in scope, as a polynomial in the parameters.
func (k *Kernel) upper(e expr.Expr, scope []string) (*expr.Poly, bool) {
	if _, err := k.AffineOf(e); err == nil {
		size, err := throw.Value(func() *extent { return k.largest(e, scope) })
		if err != nil {
			return nil, false
		}
		p, err := expr.PolyOf(size.Size, nil)
		return p.Add(expr.ConstPoly(-1)), err == nil
	}
	op, ok := e.(*expr.Op)
	if !ok || op.Kind != expr.Add && op.Kind != expr.Mul {
		return nil, false
	}
	var out *expr.Poly
	for i, a := range op.Args {
		p, ok := k.upper(a, scope)
		if !ok || op.Kind == expr.Mul && !k.nonNegative(a, scope) {
			return nil, false
		}
		switch {
		case i == 0:
			out = p
		case op.Kind == expr.Add:
			out = out.Add(p)
		default:
			out = out.Mul(p)
		}
	}
	return out, true
}

// nonNegative reports whether an expression over the inames in scope is known to be nonnegative.
func (k *Kernel) nonNegative(e expr.Expr, scope []string) bool {
	if a, err := k.AffineOf(e); err == nil {
		d, err := k.DomainOf(nameset.Sorted(scope))
		if err != nil {
			return false
		}
		yes, err := d.Implies(polycount.GE(a, polycount.Int(0)))
		return err == nil && yes
	}
	op, ok := e.(*expr.Op)
	if !ok || op.Kind != expr.Add && op.Kind != expr.Mul {
		return false
	}
	return !slices.ContainsFunc(op.Args, func(a expr.Expr) bool { return !k.nonNegative(a, scope) })
}
