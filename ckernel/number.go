package ckernel

import (
	"fmt"
	"slices"

	"gpuperf/cfront/cexpr"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// A number is an integer of index arithmetic: a polynomial in sizes, axes, iterations of loops, private temporaries, and atoms. An atom
// is what is no polynomial: a quotient, an extreme, one of two numbers, or any other expression.

// atom is one of these, by its name in polynomials, which begins with a bracket.
type atom struct {
	// One of the four.
	quotient *polycount.Affine
	extreme  expr.OpKind    // Min or Max of args
	choice   *polycount.Set // args[0] where it holds, else args[1]
	other    expr.Expr

	args []*expr.Poly
	data bool // it depends on memory
}

func constant(v int64) *expr.Poly { return expr.ConstPoly(v) }

func name(n string) *expr.Poly { return expr.VarPoly(n) }

func minus(p, q *expr.Poly) *expr.Poly { return p.Add(q.Scale(-1)) }

func same(p, q *expr.Poly) bool { return minus(p, q).IsZero() }

// terms are what numbers are made of beside variables, and which variables are temporaries.
type terms struct {
	faults
	atoms     map[string]*atom
	temps     map[string]*kernel.Array
	tempOrder []string
	bounds    map[string]bool // temporaries that bound loops
	chosen    bool            // a pointer has one of two addresses
}

// atom enters an atom under a text that is equal for equal values.
func (b *terms) atom(text string, a *atom) *expr.Poly {
	text = "[" + text + "]"
	if b.atoms[text] == nil {
		b.atoms[text] = a
	}
	return name(text)
}

// opaque is an expression as a number. Loads are different each time.
func (b *terms) opaque(e expr.Expr) *expr.Poly {
	data := expr.Any(e, func(e expr.Expr) bool {
		v, is := e.(expr.Var)
		_, loads := e.(*expr.Access)
		return loads || is && b.temporary(v.Name)
	})
	return b.atom(e.String(), &atom{other: e, data: data})
}

// temporary reports whether a name is that of a private variable, whose value is not known.
func (b *terms) temporary(name string) bool { return b.temps[name] != nil }

// extremeOf is the least or greatest of two numbers.
func (b *position) extremeOf(kind expr.OpKind, p, q *expr.Poly) *expr.Poly {
	low, high := p, q
	if kind == expr.Max {
		low, high = q, p
	}
	switch {
	case b.nonNegative(minus(high, low)):
		return p
	case b.nonNegative(minus(low, high)):
		return q
	}
	return b.atom(fmt.Sprintf("%s %s, %s", kind, p, q), &atom{extreme: kind, args: []*expr.Poly{p, q}, data: b.isData(p) || b.isData(q)})
}

// either is p where a set holds, else q.
func (b *terms) either(when *polycount.Set, p, q *expr.Poly) *expr.Poly {
	if same(p, q) {
		return p
	}
	return b.atom(fmt.Sprintf("%s ? %s : %s", when, p, q), &atom{choice: when, args: []*expr.Poly{p, q}, data: b.isData(p) || b.isData(q)})
}

// variables lists the variables that a number depends on, sorted.
func (b *terms) variables(p *expr.Poly) []string {
	var out []string
	for _, n := range p.Params() {
		a := b.atoms[n]
		switch {
		case a == nil:
			out = append(out, n)
			continue
		case a.quotient != nil:
			out = append(out, a.quotient.Names()...)
		case a.choice != nil:
			out = append(out, a.choice.Params()...)
		case a.other != nil:
			for e := range expr.All(a.other) {
				if v, ok := e.(expr.Var); ok {
					out = append(out, v.Name)
				}
			}
		}
		for _, arg := range a.args {
			out = append(out, b.variables(arg)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// isData reports whether a number depends on memory, other than through the bounds of loops.
func (b *terms) isData(p *expr.Poly) bool {
	return slices.ContainsFunc(p.Params(), func(n string) bool {
		if a := b.atoms[n]; a != nil {
			return a.data
		}
		return b.temporary(n) && !b.bounds[n]
	})
}

// affine is a number as a quasi-affine expression; ok is false if it is none.
func (b *terms) affine(p *expr.Poly) (a polycount.Affine, ok bool) {
	for c, vars := range p.All() {
		if len(vars) > 1 || !c.IsInt64() {
			return a, false
		}
		if len(vars) == 0 {
			a = a.AddInt(c.Int64())
			continue
		}
		x := b.atoms[vars[0]]
		switch {
		case x != nil && x.quotient == nil, x == nil && b.temporary(vars[0]) && !b.bounds[vars[0]]:
			return a, false
		case x != nil:
			a = a.AddScaled(c.Int64(), *x.quotient)
		default:
			a = a.AddScaled(c.Int64(), polycount.Name(vars[0]))
		}
	}
	return a, a.Err() == nil
}

// fromAffine is the number that an expression is. One with coefficients beyond 64 bits is none.
func (b *terms) fromAffine(a polycount.Affine) *expr.Poly {
	if a.Err() != nil {
		b.failAt(b.fn.Pos, "", "%s computes a number of sizes and indices with more than 64 bits", b.fn.Name)
	}
	out := constant(a.Constant())
	for _, t := range a.All() {
		part := name(t.Name)
		if t.Floor != nil {
			q := t.Floor.Num.FloorDiv(t.Floor.Den)
			part = b.atom(q.String(), &atom{quotient: &q})
		}
		out = out.Add(part.Scale(t.Coeff))
	}
	return out
}

// numberOf is fromAffine, or false where the number needs more than 64 bits.
func (b *terms) numberOf(a polycount.Affine) (*expr.Poly, bool) {
	if a.Err() != nil {
		return nil, false
	}
	return b.fromAffine(a), true
}

// express is a number as an expression of the kernel.
func (b *terms) express(p *expr.Poly) expr.Expr {
	var whole polycount.Affine
	var rest []expr.Expr
	for c, vars := range p.All() {
		if one, ok := b.affine(expr.Term(c.Int64(), vars)); ok && c.IsInt64() {
			whole = whole.Add(one)
			continue
		}
		var factors []expr.Expr
		if v := c.Int64(); v != 1 {
			factors = append(factors, expr.Int{Value: v})
		}
		for _, v := range vars {
			factors = append(factors, b.factor(v))
		}
		e := factors[0]
		if len(factors) > 1 {
			e = &expr.Op{Kind: expr.Mul, Args: factors}
		}
		rest = append(rest, e)
	}
	if len(rest) == 0 {
		return expr.FromAffine(whole)
	}
	if !whole.IsConstant() || whole.Constant() != 0 {
		rest = append(rest, expr.FromAffine(whole))
	}
	if len(rest) == 1 {
		return rest[0]
	}
	return &expr.Op{Kind: expr.Add, Args: rest}
}

// factor is a variable or an atom as an expression.
func (b *terms) factor(n string) expr.Expr {
	a := b.atoms[n]
	switch {
	case a == nil:
		return expr.Var{Name: n}
	case a.quotient != nil:
		return expr.FromAffine(*a.quotient)
	case a.extreme != "":
		return expr.Binary(a.extreme, b.express(a.args[0]), b.express(a.args[1]))
	case a.choice != nil:
		return &expr.Cond{If: cexpr.Disjunction(a.choice), Then: b.express(a.args[0]), Else: b.express(a.args[1])}
	}
	return a.other
}

// nonNegative decides whether a number is not negative where the current statement runs. Sizes that have to be at least 0 for that are
// assumed to be.
func (b *position) nonNegative(p *expr.Poly) bool {
	a, ok := b.affine(p)
	if ok {
		return b.holds(polycount.GE(a, polycount.Int(0)))
	}
	for c, vars := range p.All() {
		if c.Sign() < 0 {
			return false
		}
		for _, v := range vars {
			if !b.factorNonNegative(v) {
				return false
			}
		}
	}
	return true
}

func (b *position) factorNonNegative(n string) bool {
	if x := b.atoms[n]; x != nil && x.quotient == nil {
		switch {
		case x.extreme == expr.Max:
			return b.nonNegative(x.args[0]) || b.nonNegative(x.args[1])
		case len(x.args) == 2:
			return b.nonNegative(x.args[0]) && b.nonNegative(x.args[1])
		}
		if op, ok := x.other.(*expr.Op); ok && (op.Kind == expr.FloorDiv || op.Kind == expr.Mod) {
			return true // they are made of numbers that are not negative
		}
		return false
	}
	a, ok := b.affine(name(n))
	return ok && b.holds(polycount.GE(a, polycount.Int(0)))
}

// holds decides whether a constraint holds where the current statement runs, if need be by assuming that sizes in it are not negative.
func (b *position) holds(c polycount.Constraint) bool { return b.holdsAt(&b.live, c) }

// holdsAt decides whether a constraint holds at the points of a domain, which becomes less where that takes assumptions.
func (b *grid) holdsAt(at *live, c polycount.Constraint) bool {
	if c.Affine.IsConstant() {
		v := c.Affine.Constant()
		return v >= 0 && (!c.Equality || v == 0)
	}
	yes, err := at.domain.Implies(c)
	b.try(err)
	if yes {
		return true
	}
	var sizes []polycount.Constraint
	var names []string
	for _, n := range c.Affine.Names() {
		if b.sizes[n] != nil && !b.sizes[n].natural {
			names = append(names, n)
			sizes = append(sizes, polycount.GE(polycount.Name(n), polycount.Int(0)))
		}
	}
	if len(sizes) == 0 {
		return false
	}
	natural, err := at.domain.Constrain(sizes...)
	b.try(err)
	yes, err = natural.Implies(c)
	b.try(err)
	if yes {
		b.assume(names)
		at.domain = natural
	}
	return yes
}

// assume makes it an assumption of the kernel that sizes are not negative.
func (b *grid) assume(names []string) {
	for _, n := range names {
		b.sizes[n].natural = true
	}
}
