package polycount

import (
	"fmt"
	"math/big"
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
	"gpuperf/polycount/internal/quasi"
)

// Poly is a piecewise quasi-polynomial in named parameters with rational coefficients. Its pieces are disjoint;
// outside them it is 0. It is immutable.
type Poly struct {
	params []string
	of     *quasi.Piecewise // over the parameters in their order
	budget *Budget          // as of a set
}

func newPoly(params []string) *Poly {
	return &Poly{params: params, of: quasi.NewPiecewise(len(params))}
}

// Constant is c everywhere.
func Constant(c int64) *Poly { return &Poly{of: quasi.Constantly(0, c)} }

// Variable is the function whose value is its one parameter.
func Variable(name string) *Poly {
	p := newPoly([]string{name})
	p.of.Pieces = []quasi.Piece{{Dom: &linear.Conj{N: 1}, Q: quasi.Linear(linear.Row{0, 1})}}
	return p
}

// Params are the parameters, in order. Those that stand in no piece are among them: they are part of the space, but
// evaluation does not ask for their values.
func (p *Poly) Params() []string { return slices.Clone(p.params) }

// Pieces is the number of pieces.
func (p *Poly) Pieces() int { return len(p.of.Pieces) }

// IsZero reports that p has no piece, which is the form of the zero polynomial.
func (p *Poly) IsZero() bool { return len(p.of.Pieces) == 0 }

// alignPolys brings p and q to common parameters.
func alignPolys(p, q *Poly) (params []string, a, b *quasi.Piecewise) {
	params = unionNames(p.params, q.params)
	return params, p.respace(params).of, q.respace(params).of
}

// Add returns p + q.
func (p *Poly) Add(q *Poly) (out *Poly, err error) {
	defer throw.Catch(&err)
	params, a, b := alignPolys(p, q)
	budget := shared(p.budget, q.budget)
	w := metered(linear.AnyWork(), budget)
	sum := quasi.Sum(w, a, b)
	quasi.Simplify(w, sum)
	return &Poly{params, sum, budget}, nil
}

// Sub returns p − q.
func (p *Poly) Sub(q *Poly) (*Poly, error) { return p.Add(q.Scale(-1, 1)) }

// Mul returns p·q. Its work can be limited and cancelled like that of Count.
func (p *Poly) Mul(q *Poly, opts ...Option) (out *Poly, err error) {
	defer throw.Catch(&err)
	params, a, b := alignPolys(p, q)
	budget := shared(p.budget, q.budget)
	w := workOf(budget, opts)
	product := quasi.Product(w, a, b)
	quasi.Simplify(w, product)
	return &Poly{params, product, budget}, nil
}

// Scale returns num/den·p; den must not be 0.
func (p *Poly) Scale(num, den int64) *Poly {
	if den == 0 {
		panic("polycount: Scale by a zero denominator")
	}
	return &Poly{p.params, p.of.Scale(arith.RatBig(big.NewRat(num, den))), p.budget}
}

// Quo returns p divided by a parameter, where that divides every term of every piece; ok is false where it does not.
// Values at 0 of the parameter are those of the quotient.
func (p *Poly) Quo(param string) (quotient *Poly, ok bool, err error) {
	defer throw.Catch(&err)
	if p.IsZero() {
		return p, true, nil
	}
	at := slices.Index(p.params, param)
	if at < 0 {
		return nil, false, nil
	}
	of, ok := p.of.Quo(at + 1)
	if !ok {
		return nil, false, nil
	}
	return &Poly{p.params, of, p.budget}, true, nil
}

// FloorDiv returns ⌊p/d⌋ for d > 0, of a p that is affine in parameters and floors on every piece; others are an error.
// Where p has no piece the result is 0 as well.
func (p *Poly) FloorDiv(d int64) (out *Poly, err error) {
	defer throw.Catch(&err)
	if d <= 0 {
		return nil, fmt.Errorf("polycount: floor division by %d", d)
	}
	of, ok := p.of.FloorDiv(d)
	if !ok {
		return nil, fmt.Errorf("polycount: %v is not affine: its quotient by %d has no closed form here", p, d)
	}
	return &Poly{p.params, of, p.budget}, nil
}

// Equal decides whether p and q have the same value at every point.
func (p *Poly) Equal(q *Poly) (equal bool, err error) {
	defer throw.Catch(&err)
	_, a, b := alignPolys(p, q)
	return quasi.Equal(metered(linear.AnyWork(), shared(p.budget, q.budget)), a, b), nil
}

// Subst replaces parameters by expressions in others, all at once.
func (p *Poly) Subst(by map[string]Affine) (out *Poly, err error) {
	defer throw.Catch(&err)
	var params []string
	exprs := make([]Affine, len(p.params))
	for i, n := range p.params {
		e, ok := by[n]
		if !ok {
			e = Name(n)
		}
		exprs[i] = e
		params = unionNames(params, e.Names())
	}
	column := columns(params)
	table := &linear.Conj{N: len(params)}
	rows := lists.Map(exprs, func(e Affine) linear.Row { return affineRow(table, e, column) })
	of := p.of.MappedOver(table, rows)
	quasi.Simplify(metered(linear.AnyWork(), p.budget), of)
	return &Poly{params, of, p.budget}, nil
}

// Eval is the exact value at a point; a parameter that occurs in p but has no value is an error.
func (p *Poly) Eval(params map[string]int64) (v *big.Rat, err error) {
	at := make([]*big.Int, 1, 1+len(p.params))
	at[0] = big.NewInt(1)
	for i, n := range p.params {
		x, ok := params[n]
		if !ok && p.of.Used()[1+i] {
			return nil, fmt.Errorf("polycount: no value given for parameter %q", n)
		}
		at = append(at, big.NewInt(x))
	}
	return p.of.Value(at), nil
}
