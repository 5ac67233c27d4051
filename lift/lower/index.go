package lower

import (
	"slices"

	"gpuperf/internal/intmath"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// index is an integer expression over the variables of the loops around it: affine with floors where e is nil. It takes
// values from lo to hi.
type index struct {
	a      polycount.Affine
	e      expr.Expr
	lo, hi int64
}

// span is the range of a variable.
type span struct{ lo, hi int64 }

// indexer does index arithmetic, simplifying by the ranges of variables. Division rounds down.
type indexer struct{ spans map[string]span }

func constant(c int64) index { return index{a: polycount.Int(c), lo: c, hi: c} }

func (x index) isConstant() bool { return x.e == nil && x.a.IsConstant() }

// expr writes the index over the variables of the loops.
func (x index) expr() expr.Expr {
	if x.e != nil {
		return x.e
	}
	return expr.FromAffine(x.a)
}

// fitting returns a; it fails if a coefficient overflows 64 bits.
func fitting(a polycount.Affine) polycount.Affine {
	if err := a.Err(); err != nil {
		fail("%v", err)
	}
	return a
}

func (r *indexer) affine(a polycount.Affine) index {
	lo, hi := r.span(fitting(a))
	return index{a: a, lo: lo, hi: hi}
}

// span bounds an affine expression. A pair num − den·⌊num/den⌋ is a remainder, in 0 .. den-1.
func (r *indexer) span(a polycount.Affine) (lo, hi int64) {
	for _, t := range a.All() {
		if t.Floor == nil || t.Coeff%t.Floor.Den != 0 {
			continue
		}
		c := -t.Coeff / t.Floor.Den
		rest := fitting(a.Sub(t.Floor.Num.Mod(t.Floor.Den).Scale(c)))
		if rest.Len() < a.Len()-1 {
			a = rest
			lo += min(0, c*(t.Floor.Den-1))
			hi += max(0, c*(t.Floor.Den-1))
		}
	}
	lo, hi = lo+a.Constant(), hi+a.Constant()
	for _, t := range a.All() {
		var s span
		if t.Floor != nil {
			s.lo, s.hi = r.span(t.Floor.Num)
			s.lo, s.hi = intmath.FloorDiv(s.lo, t.Floor.Den), intmath.FloorDiv(s.hi, t.Floor.Den)
		} else {
			s = r.spans[t.Name]
		}
		if t.Coeff > 0 {
			lo, hi = lo+t.Coeff*s.lo, hi+t.Coeff*s.hi
		} else {
			lo, hi = lo+t.Coeff*s.hi, hi+t.Coeff*s.lo
		}
	}
	return lo, hi
}

func (r *indexer) add(x, y index) index {
	switch {
	case x.e == nil && y.e == nil:
		return r.affine(x.a.Add(y.a))
	case x.isConstant() && x.a.Constant() == 0:
		return y
	case y.isConstant() && y.a.Constant() == 0:
		return x
	}
	if y.isConstant() && y.a.Constant() < 0 {
		return index{e: operation(expr.Sub, x.expr(), expr.Int{Value: -y.a.Constant()}), lo: x.lo + y.lo, hi: x.hi + y.hi}
	}
	return index{e: operation(expr.Add, x.expr(), y.expr()), lo: x.lo + y.lo, hi: x.hi + y.hi}
}

func (r *indexer) addInt(x index, c int64) index { return r.add(x, constant(c)) }

func (r *indexer) scale(x index, k int64) index {
	switch {
	case k == 0:
		return constant(0)
	case k == 1:
		return x
	case x.e == nil:
		return r.affine(x.a.Scale(k))
	}
	lo, hi := k*x.lo, k*x.hi
	return index{e: operation(expr.Mul, expr.Int{Value: k}, x.e), lo: min(lo, hi), hi: max(lo, hi)}
}

// div is ⌊x/d⌋.
func (r *indexer) div(x index, d int64) index {
	lo, hi := intmath.FloorDiv(x.lo, d), intmath.FloorDiv(x.hi, d)
	switch {
	case d == 1:
		return x
	case lo == hi:
		return constant(lo)
	case x.e != nil:
		return index{e: operation(expr.FloorDiv, x.e, expr.Int{Value: d}), lo: lo, hi: hi}
	}
	return r.affine(r.quotient(x.a, d))
}

// quotient is ⌊a/d⌋. For a divisor m of d and c in 0 .. m-1, ⌊(m·b + c)/d⌋ = ⌊b/(d/m)⌋.
func (r *indexer) quotient(a polycount.Affine, d int64) polycount.Affine {
	terms := a.Terms()
	divisors := []int64{d}
	for _, t := range terms {
		m := intmath.GCD(max(t.Coeff, -t.Coeff), d)
		if m > 1 && !slices.Contains(divisors, m) {
			divisors = append(divisors, m)
		}
	}
	slices.Sort(divisors)
	for _, m := range slices.Backward(divisors) {
		low := polycount.Int(a.Constant() - m*intmath.FloorDiv(a.Constant(), m))
		for _, t := range terms {
			if t.Coeff%m != 0 {
				low = low.Add(termOf(t))
			}
		}
		lo, hi := r.span(fitting(low))
		if intmath.FloorDiv(lo, m) != intmath.FloorDiv(hi, m) {
			continue
		}
		high := a.Sub(low).AddInt(m * intmath.FloorDiv(lo, m))
		high = exactly(high, m)
		if m == d {
			return high
		}
		return r.quotient(high, d/m)
	}
	return a.FloorDiv(d)
}

// exactly divides by m an expression whose coefficients are all multiples of m.
func exactly(a polycount.Affine, m int64) polycount.Affine {
	out := polycount.Int(a.Constant() / m)
	for _, t := range a.All() {
		t.Coeff /= m
		out = out.Add(termOf(t))
	}
	return out
}

func termOf(t polycount.Term) polycount.Affine {
	if t.Floor != nil {
		return t.Floor.Num.FloorDiv(t.Floor.Den).Scale(t.Coeff)
	}
	return polycount.Name(t.Name).Scale(t.Coeff)
}

// mod is x − d·⌊x/d⌋.
func (r *indexer) mod(x index, d int64) index {
	switch {
	case d == 1:
		return constant(0)
	case x.lo >= 0 && x.hi < d:
		return x
	case x.e != nil:
		return index{e: operation(expr.Mod, x.e, expr.Int{Value: d}), lo: 0, hi: d - 1}
	}
	out := r.affine(x.a.Sub(r.quotient(x.a, d).Scale(d)))
	out.lo, out.hi = max(out.lo, 0), min(out.hi, d-1)
	return out
}

// clamp is the nearest value to x in lo .. hi.
func (r *indexer) clamp(x index, lo, hi int64) index {
	if x.hi <= lo {
		return constant(lo)
	}
	if x.lo >= hi {
		return constant(hi)
	}
	e, from, to := x.expr(), x.lo, x.hi
	if to > hi {
		e, to = operation(expr.Min, e, expr.Int{Value: hi}), hi
	}
	if from < lo {
		e, from = operation(expr.Max, e, expr.Int{Value: lo}), lo
	}
	if from == x.lo && to == x.hi {
		return x
	}
	return index{e: e, lo: from, hi: to}
}

// choose is x where the condition holds and y elsewhere.
func (r *indexer) choose(condition expr.Expr, x, y index) index {
	return index{e: &expr.Cond{If: condition, Then: x.expr(), Else: y.expr()}, lo: min(x.lo, y.lo), hi: max(x.hi, y.hi)}
}

// resolve replaces variables by their expressions and simplifies again.
func (r *indexer) resolve(a polycount.Affine, by map[string]polycount.Affine) polycount.Affine {
	out := polycount.Int(a.Constant())
	for _, t := range a.All() {
		switch {
		case t.Floor != nil:
			out = out.AddScaled(t.Coeff, r.quotient(r.resolve(t.Floor.Num, by), t.Floor.Den))
		default:
			v, ok := by[t.Name]
			if !ok {
				v = polycount.Name(t.Name)
			}
			out = out.AddScaled(t.Coeff, v)
		}
	}
	return fitting(out)
}

// differBy reports whether y is known to be k more than x: both are sums of the same terms that are not affine, and of affine ones.
func (c *lowering) differBy(x, y index, k int64) bool {
	a, others := addends(x)
	b, same := addends(y)
	if len(others) != len(same) {
		return false
	}
	for i := range others {
		if !expr.Equal(others[i], same[i]) {
			return false
		}
	}
	return c.resolve(b.Sub(a), c.affines).Equal(constant(k).a)
}

// addends are the sum of the affine terms of an index, and its other terms.
func addends(x index) (sum polycount.Affine, others []expr.Expr) {
	if x.e == nil {
		return x.a, nil
	}
	var add func(e expr.Expr, sign int64)
	add = func(e expr.Expr, sign int64) {
		if a, err := expr.ToAffine(e, func(string) bool { return true }); err == nil {
			sum = sum.AddScaled(sign, a)
			return
		}
		if o, ok := e.(*expr.Op); ok && sign == 1 && (o.Kind == expr.Add || o.Kind == expr.Sub) {
			for i, arg := range o.Args {
				if i > 0 && o.Kind == expr.Sub {
					sign = -1
				}
				add(arg, sign)
			}
			return
		}
		if sign < 0 {
			e = operation(expr.Neg, e)
		}
		others = append(others, e)
	}
	add(x.e, 1)
	return sum, others
}

func operation(kind expr.OpKind, args ...expr.Expr) expr.Expr {
	return &expr.Op{Kind: kind, Args: args}
}
