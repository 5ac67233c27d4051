package features

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// The sizes do not determine the trip count of a loop with bounds read from memory. If a count is linear in an expression of the
// bounds, as n*(stop - start) is, its sum over all work-items is the same as if each had the average, so counts with the average that
// the kernel states (kernel.Average) are exact. Averages are over all executions of the statements that assign the bounds. A count of
// sub-groups is not linear if the iterations are distributed over work-items: half a sub-group counts as one.

// limitAsWritten is the work that the formula of a kernel written by hand may take, about a second, as its conditions may be any. Where that is not enough, counts are
// made for given sizes.
const limitAsWritten = 8_000_000

// count counts a set of points. Data-dependent bounds among its parameters are replaced by averages.
func (c *counter) count(d *polycount.Set) *polycount.Poly {
	d = c.fixed(d.Within(c.limit.budget))
	bounds := c.boundsIn(d)
	if len(bounds) == 0 && c.k.ExplicitBarriers {
		return throw.Get(d.Count(polycount.WithLimit(limitAsWritten)))
	}
	if len(bounds) == 0 {
		return throw.Get(d.Count())
	}
	var trips []trip
	rest := d
	for i, a := range c.k.Averages {
		of := throw.Get(expr.ToAffine(a.Of, nil))
		at := slices.IndexFunc(bounds, func(b string) bool { n := of.Coeff(b); return n == 1 || n == -1 })
		if at < 0 || of.HasFloor() {
			continue
		}
		t := trip{fmt.Sprintf("$average%d", i), a}
		dims := rest.Dims()
		rest = throw.Get(rest.Constrain(polycount.EQ(polycount.Name(t.name), of), polycount.GE(polycount.Name(t.name), polycount.Int(0))))
		rest = throw.Get(rest.ToDims(bounds[at]).Project(dims...))
		trips, bounds = append(trips, t), slices.Delete(bounds, at, at+1)
	}
	if len(trips) == 0 {
		panic(throw.Of(c.unknownTrips(d)))
	}
	n := throw.Get(rest.Count())
	n = c.gist(n)
	for _, b := range bounds {
		without := throw.Get(n.Subst(map[string]polycount.Affine{b: polycount.Int(0)}))
		if !throw.Get(without.Equal(n)) {
			panic(throw.Of(c.notLinear(d, trips)))
		}
		n = without
	}
	return c.average(d, n, trips)
}

// trip is an expression whose average the kernel states, as a parameter of a count.
type trip struct {
	name string
	kernel.Average
}

// average replaces the trips in n by their averages. n must be linear in each of them. A product of two is allowed only if the inner
// bounds are assigned within the outer loop: then it is the sum of the inner trips over the iterations of the outer loop. Otherwise the
// two may depend on each other.
func (c *counter) average(d *polycount.Set, n *polycount.Poly, trips []trip) *polycount.Poly {
	const most = 4 // factors: the count has 2 to this power of terms
	if len(trips) > most {
		panic(throw.Errorf("more than %d averages in a count", most))
	}
	linear, averaged := c.byTrips(d, n, trips)
	difference := throw.Get(n.Sub(linear))
	natural := lists.Map(trips, func(t trip) polycount.Constraint { return polycount.GE(polycount.Name(t.name), polycount.Int(0)) })
	where := polycount.NewSet(nil, nil, natural...)
	if a := c.k.Assumptions; a != nil {
		where = throw.Get(where.IntersectParams(a))
	}
	indicator := throw.Get(where.Count())
	difference = throw.Get(difference.Mul(indicator))
	if !throw.Get(difference.Equal(polycount.Constant(0))) {
		panic(throw.Of(c.notLinear(d, trips)))
	}
	return c.gist(averaged)
}

// byTrips is the part of a count that is linear in each of some numbers of iterations, and the same with their averages.
func (c *counter) byTrips(d *polycount.Set, n *polycount.Poly, trips []trip) (linear, averaged *polycount.Poly) {
	linear, averaged = polycount.Constant(0), polycount.Constant(0)
	for subset := range 1 << len(trips) {
		var in []trip
		for i, t := range trips {
			if subset>>i&1 == 1 {
				in = append(in, t)
			}
		}
		term := coefficient(n, trips, subset)
		if throw.Get(term.Equal(polycount.Constant(0))) {
			continue
		}
		if !c.nested(in) {
			panic(throw.Of(c.notLinear(d, trips)))
		}
		product, average := term, term
		for _, t := range in {
			product = throw.Get(product.Mul(polycount.Variable(t.name)))
			average = c.times(average, t)
		}
		linear = throw.Get(linear.Add(product))
		averaged = throw.Get(averaged.Add(average))
	}
	return linear, averaged
}

// coefficient is the coefficient of the product of a subset of the trips, in a polynomial that is linear in each, from differences
// between its values at trips of 0 and 1.
func coefficient(n *polycount.Poly, trips []trip, subset int) *polycount.Poly {
	sum := polycount.Constant(0)
	for part := subset; ; part = (part - 1) & subset {
		at := map[string]polycount.Affine{}
		for i, t := range trips {
			at[t.name] = polycount.Int(int64(part >> i & 1))
		}
		value := throw.Get(n.Subst(at))
		sign := int64(1)
		if bits.OnesCount(uint(subset^part))%2 == 1 {
			sign = -1
		}
		if sum = throw.Get(sum.Add(value.Scale(sign, 1))); part == 0 {
			return sum
		}
	}
}

// nested reports that of any two of the trips, the bounds of one are assigned in each iteration of the other's loops.
func (c *counter) nested(trips []trip) bool {
	within := func(inner, outer trip) bool {
		for _, b := range sizeNames(inner.Of) {
			if !slices.Contains(c.bounds, b) {
				continue
			}
			for _, o := range sizeNames(outer.Of) {
				if slices.Contains(c.bounds, o) && len(c.k.BoundedBy(o, c.assignedWithin(b))) > 0 {
					return true
				}
			}
		}
		return false
	}
	for i, t := range trips {
		for _, u := range trips[:i] {
			if !within(t, u) && !within(u, t) {
				return false
			}
		}
	}
	return true
}

// times is n times the average of a trip.
func (c *counter) times(n *polycount.Poly, t trip) *polycount.Poly {
	value, err := fractionOf(c.atSizes(t.Value))
	if err != nil {
		panic(throw.Errorf("average of %s: %w", t.Of, err))
	}
	product := throw.Get(n.Mul(value.num))
	product = c.gist(product)
	out := product.Scale(1, value.den)
	for _, name := range value.params {
		quotient, ok := throw.Get2(out.Quo(name))
		if !ok {
			panic(throw.Errorf("%s times the average %s is not a polynomial: assume a condition by which %s divides it, as in \"%s %% 128 = 0\", "+
				"or give the average a parameter of its own", n, t.Value, name, name))
		}
		out = quotient
	}
	return out
}

// atSizes is an expression with the sizes of the count in it.
func (c *counter) atSizes(e expr.Expr) expr.Expr {
	by := map[string]expr.Expr{}
	for name, n := range c.at {
		by[name] = expr.Int{Value: n}
	}
	return expr.Subst(e, by)
}

// fraction is num/(den·Π params).
type fraction struct {
	num     *polycount.Poly
	den     int64
	params  []string
	divisor *product // the same as a product, nil if it is none
}

// product is an integer times parameters.
type product struct {
	factor int64
	params []string
}

// fractionOf reads the value of an average (kernel.Average).
func fractionOf(e expr.Expr) (fraction, error) {
	return fractions.Eval(e, func(e expr.Expr) (fraction, error) {
		x, ok := e.(expr.Var)
		if !ok {
			return fraction{}, fractions.Refuse(e, expr.ErrNoValue)
		}
		return fraction{polycount.Variable(x.Name), 1, nil, &product{1, []string{x.Name}}}, nil
	})
}

var fractions = expr.Domain[fraction]{
	Int: func(v int64) fraction { return fraction{polycount.Constant(v), 1, nil, &product{v, nil}} },
	Float: func(f expr.Float) (fraction, error) {
		r, ok := new(big.Rat).SetString(strings.TrimRight(f.Text, "fF"))
		if !ok || !r.Num().IsInt64() || !r.Denom().IsInt64() {
			return fraction{}, errDigits
		}
		return fraction{polycount.Constant(r.Num().Int64()), r.Denom().Int64(), nil, nil}, nil
	},
	Unary: func(op expr.OpKind, f fraction) (fraction, error) {
		if op != expr.Neg {
			return f, expr.ErrNoValue
		}
		return fraction{f.num.Scale(-1, 1), f.den, f.params, nil}, nil
	},
	Binary: func(op expr.OpKind, a, b fraction) (_ fraction, err error) {
		defer throw.Catch(&err)
		switch op {
		case expr.Add:
			return a.plus(b, 1), nil
		case expr.Sub:
			return a.plus(b, -1), nil
		case expr.Mul:
			num, err := a.num.Mul(b.num)
			out := fraction{num, a.den * b.den, slices.Concat(a.params, b.params), nil}
			if p, q := a.divisor, b.divisor; p != nil && q != nil {
				out.divisor = &product{p.factor * q.factor, slices.Concat(p.params, q.params)}
			}
			return out, err
		case expr.Div:
			return a.over(b.divisor), nil
		}
		return a, expr.ErrNoValue
	},
	Refuse: func(part expr.Expr, why error) error {
		switch why {
		case expr.ErrNoValue:
			return fmt.Errorf("%s is no expression in parameters", part)
		case errDigits:
			return fmt.Errorf("%s has too many digits", part)
		case errDivisor:
			return fmt.Errorf("the divisor %s is no product of parameters and integers", part.(*expr.Op).Args[1])
		}
		return why
	},
}

var (
	errDigits  = errors.New("too many digits")
	errDivisor = errors.New("the divisor is no product of parameters and integers")
)

func (f fraction) plus(g fraction, sign int64) fraction {
	expand := func(f, by fraction) (*polycount.Poly, error) {
		num := f.num.Scale(by.den, 1)
		var err error
		for _, p := range by.params {
			if err == nil {
				num, err = num.Mul(polycount.Variable(p))
			}
		}
		return num, err
	}
	a := throw.Get(expand(f, g))
	b := throw.Get(expand(g, f))
	a = throw.Get(a.Add(b.Scale(sign, 1)))
	return fraction{a, f.den * g.den, slices.Concat(f.params, g.params), nil}
}

// over divides by a product, nil where the divisor is none.
func (f fraction) over(by *product) fraction {
	switch {
	case by == nil:
		panic(throw.Of(errDivisor))
	case by.factor == 0:
		panic(throw.Errorf("division by zero"))
	case by.factor < 0:
		return fraction{f.num.Scale(-1, 1), -f.den * by.factor, slices.Concat(f.params, by.params), nil}
	}
	return fraction{f.num, f.den * by.factor, slices.Concat(f.params, by.params), nil}
}

// boundsIn lists the bounds of inames among the parameters of a set.
func (c *counter) boundsIn(d *polycount.Set) []string {
	if len(c.bounds) == 0 {
		return nil
	}
	return slices.DeleteFunc(d.Params(), func(p string) bool { return !slices.Contains(c.bounds, p) })
}

// boundedLoops names the inames of a set whose values depend on data, and the bounds.
func (c *counter) boundedLoops(d *polycount.Set) (loops, bounds string) {
	list := c.boundsIn(d)
	var inames []string
	for _, n := range d.Dims() {
		if slices.ContainsFunc(list, func(b string) bool { return len(c.k.BoundedBy(b, []string{n})) > 0 }) {
			inames = append(inames, n)
		}
	}
	return strings.Join(inames, ", "), strings.Join(list, " and ")
}

func (c *counter) unknownTrips(d *polycount.Set) error {
	loops, bounds := c.boundedLoops(d)
	first, _, _ := strings.Cut(loops, ",")
	return fmt.Errorf("the iterations of loop %s depend on %s, which the kernel reads: state how many there are on average, "+
		"as in lp.assume_average(knl, %q, \"nnz/n\")", loops, bounds, first)
}

func (c *counter) notLinear(d *polycount.Set, trips []trip) error {
	loops, bounds := c.boundedLoops(d)
	return fmt.Errorf("the iterations of loop %s depend on %s, and their number is not linear in %s, so that its average does not give "+
		"theirs: state averages of the bounds of this loop, assigned to temporaries", loops, bounds, lists.Join(trips, " and ", func(t trip) string { return t.Of.String() }))
}

// dependsOnData returns an error if the elements that a statement accesses depend on data.
func (c *counter) dependsOnData(d *polycount.Set) error {
	if len(c.boundsIn(d)) == 0 {
		return nil
	}
	loops, bounds := c.boundedLoops(d)
	return fmt.Errorf("the values of loop %s depend on %s, which the kernel reads", loops, bounds)
}
