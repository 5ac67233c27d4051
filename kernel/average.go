package kernel

import (
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Average is the average of an expression in data-dependent bounds of inames, as in end - start = nnz/n for the rows of a
// sparse matrix. Counts of data-dependent loops use it (Stevens and Klöckner leave such loops to future work).
type Average struct {
	// Of is affine in bounds of inames (Kernel.Bounds) and parameters. It is never negative. The average is
	// taken over all executions of the statements that assign these bounds.
	Of expr.Expr
	// Value is an expression in parameters and constants with + - * and an exact /.
	Value expr.Expr
}

// String is like "end - start: nnz / n".
func (a Average) String() string { return a.Of.String() + ": " + a.Value.String() }

// AssumeAverage states the average of an expression in the temporaries that bound inames, or the average number of
// values of an iname that they bound. Value is an expression in the kernel's parameters.
func (k *Kernel) AssumeAverage(of, value string) (out *Kernel, err error) {
	defer throw.Catch(&err)
	o, err := expr.Parse(of)
	if err != nil {
		return nil, k.Errorf("average: %w", err)
	}
	v, err := expr.Parse(value)
	if err != nil {
		return nil, k.Errorf("average of %s: %w", of, err)
	}
	if x, ok := o.(expr.Var); ok && k.IsIname(x.Name) {
		o = k.trips(x.Name)
	}
	bounds := k.Bounds(k.Inames())
	a, err := expr.ToAffine(o, func(name string) bool { return k.IsParam(name) || slices.Contains(bounds, name) })
	switch {
	case err != nil && len(bounds) == 0:
		return nil, k.Errorf("average of %s: no iname of the kernel is bounded by a temporary", of)
	case err != nil:
		return nil, k.Errorf("average of %s: %w; it may use the bounds %s", of, err, nameset.Text(bounds))
	case len(nameset.Intersect(a.Names(), bounds)) == 0:
		return nil, k.Errorf("average of %s: it depends on none of the bounds %s", of, nameset.Text(bounds))
	}
	if err := k.checkAverageValue(v); err != nil {
		return nil, k.Errorf("average of %s: %w", of, err)
	}
	for _, old := range k.Averages {
		if b, err := expr.ToAffine(old.Of, nil); err == nil && b.Equal(a) {
			return nil, k.Errorf("the average of %s is given already: %s", of, old.Value)
		}
	}
	c := k.Clone()
	c.Averages = append(c.Averages, Average{expr.FromAffine(a), v})
	return c, nil
}

// trips is the number of values of an iname that has one lower and one upper bound.
func (k *Kernel) trips(iname string) expr.Expr {
	d, err := k.RawDomainOf([]string{iname})
	throw.If(err)
	var lower, upper []polycount.Bound
	if len(d.Disjuncts()) == 1 {
		if lower, upper, err = d.Bounds(iname); err != nil {
			panic(throw.Of(k.Errorf("iname %s: %w", iname, err)))
		}
	}
	if m, _ := d.Stride(iname); len(lower) != 1 || len(upper) != 1 || lower[0].Den != 1 || upper[0].Den != 1 || m > 1 {
		panic(throw.Of(k.Errorf("the number of values of iname %s is not a difference of two bounds (%s): give the average of an expression in %s",
			iname, d, nameset.Text(k.Bounds([]string{iname})))))
	}
	n := upper[0].Num.Sub(lower[0].Num).AddInt(1)
	return throw.Get(expr.FromAffine(n), n.Err())
}

// averageOps are the operators that the value of an average may have.
var averageOps = []expr.OpKind{expr.Add, expr.Sub, expr.Mul, expr.Div, expr.Neg}

func (k *Kernel) checkAverageValue(e expr.Expr) error {
	for x := range expr.All(e) {
		switch x := x.(type) {
		case expr.Int, expr.Float:
		case expr.Var:
			if !k.IsParam(x.Name) {
				return k.Errorf("%s is not a parameter of the kernel (%s); declare it as an integer argument", x.Name, nameset.Text(k.Params()))
			}
		case *expr.Op:
			if !slices.Contains(averageOps, x.Kind) {
				return k.Errorf("operator %s in %s: averages are sums, products and quotients of parameters", x.Kind, e)
			}
		default:
			return k.Errorf("%s is not an expression in parameters", x)
		}
	}
	return nil
}
