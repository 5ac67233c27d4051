package expr

import (
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strings"

	"gpuperf/internal/lists"
)

// Poly is a polynomial with integer coefficients in the kernel's parameters: a stride or a coefficient of a flat
// index. It is immutable; the nil *Poly is 0.
type Poly struct{ terms []monomial }

// monomial is coeff times the product of vars, sorted, a name once per power.
type monomial struct {
	coeff *big.Int
	vars  []string
}

// ConstPoly is the constant c.
func ConstPoly(c int64) *Poly {
	if c == 0 {
		return nil
	}
	return &Poly{[]monomial{{big.NewInt(c), nil}}}
}

// VarPoly is the parameter of that name.
func VarPoly(name string) *Poly { return &Poly{[]monomial{{big.NewInt(1), []string{name}}}} }

func (p *Poly) list() []monomial {
	if p == nil {
		return nil
	}
	return p.terms
}

// newPoly sums the monomials and sorts them: higher degree first, then by name.
func newPoly(terms []monomial) *Poly {
	slices.SortStableFunc(terms, func(a, b monomial) int {
		if d := len(b.vars) - len(a.vars); d != 0 {
			return d
		}
		return slices.Compare(a.vars, b.vars)
	})
	var out []monomial
	for _, t := range terms {
		if n := len(out); n > 0 && slices.Equal(out[n-1].vars, t.vars) {
			out[n-1].coeff = new(big.Int).Add(out[n-1].coeff, t.coeff)
		} else {
			out = append(out, t)
		}
	}
	out = slices.DeleteFunc(out, func(t monomial) bool { return t.coeff.Sign() == 0 })
	if len(out) == 0 {
		return nil
	}
	return &Poly{out}
}

// Add returns p + q.
func (p *Poly) Add(q *Poly) *Poly { return newPoly(slices.Concat(p.list(), q.list())) }

// Mul returns p·q.
func (p *Poly) Mul(q *Poly) *Poly {
	var out []monomial
	for _, a := range p.list() {
		for _, b := range q.list() {
			vars := slices.Concat(a.vars, b.vars)
			slices.Sort(vars)
			out = append(out, monomial{new(big.Int).Mul(a.coeff, b.coeff), vars})
		}
	}
	return newPoly(out)
}

// Scale returns c·p.
func (p *Poly) Scale(c int64) *Poly { return p.Mul(ConstPoly(c)) }

// Len is the number of terms.
func (p *Poly) Len() int { return len(p.list()) }

// IsZero reports whether p is 0.
func (p *Poly) IsZero() bool { return len(p.list()) == 0 }

// All yields the terms: coefficients, and the variables that they multiply, sorted, a name once per power.
func (p *Poly) All() iter.Seq2[*big.Int, []string] {
	return func(yield func(*big.Int, []string) bool) {
		for _, t := range p.list() {
			if !yield(t.coeff, t.vars) {
				return
			}
		}
	}
}

// Constant is the value of a constant polynomial; ok is false for any other, or one that needs more than 64 bits.
func (p *Poly) Constant() (v int64, ok bool) {
	switch t := p.list(); {
	case len(t) == 0:
		return 0, true
	case len(t) == 1 && len(t[0].vars) == 0 && t[0].coeff.IsInt64():
		return t[0].coeff.Int64(), true
	}
	return 0, false
}

// Params lists the parameters in p, sorted.
func (p *Poly) Params() []string {
	out := lists.Flat(p.list(), func(t monomial) []string { return t.vars })
	slices.Sort(out)
	return slices.Compact(out)
}

// Eval is the value at the given parameters.
func (p *Poly) Eval(params map[string]int64) (*big.Int, error) {
	sum := new(big.Int)
	for _, t := range p.list() {
		v := new(big.Int).Set(t.coeff)
		for _, name := range t.vars {
			x, ok := params[name]
			if !ok {
				return nil, fmt.Errorf("no value for parameter %s", name)
			}
			v.Mul(v, big.NewInt(x))
		}
		sum.Add(sum, v)
	}
	return sum, nil
}

// String prints the polynomial canonically: "16*n", "n*n + 2*n", "-1", "0".
func (p *Poly) String() string {
	if p.IsZero() {
		return "0"
	}
	var b strings.Builder
	for i, t := range p.terms {
		c := t.coeff
		if i > 0 {
			b.WriteString(map[bool]string{true: " - ", false: " + "}[c.Sign() < 0])
			c = new(big.Int).Abs(c)
		}
		switch {
		case len(t.vars) == 0:
			b.WriteString(c.String())
			continue
		case c.CmpAbs(big.NewInt(1)) != 0:
			b.WriteString(c.String() + "*")
		case c.Sign() < 0:
			b.WriteByte('-')
		}
		b.WriteString(strings.Join(t.vars, "*"))
	}
	return b.String()
}

// Expr is p as an expression.
func (p *Poly) Expr() Expr {
	e, err := Parse(p.String())
	if err != nil { // a coefficient of more than 64 bits
		return Var{p.String()}
	}
	return e
}

// PolyOf turns a size expression into a polynomial in parameters. known says which names are parameters; nil accepts all.
func PolyOf(e Expr, known func(string) bool) (*Poly, error) {
	return polynomials.Eval(e, func(e Expr) (*Poly, error) {
		x, ok := e.(Var)
		switch {
		case !ok:
			return nil, polynomials.Refuse(e, ErrNoValue)
		case known != nil && !known(x.Name):
			return nil, &NotAffineError{e, x.Name + " is not a parameter"}
		}
		return VarPoly(x.Name), nil
	})
}

// polynomials are those in the parameters.
var polynomials = Domain[*Poly]{
	Int: ConstPoly,
	Unary: func(op OpKind, p *Poly) (*Poly, error) {
		if op != Neg {
			return nil, ErrNoValue
		}
		return p.Scale(-1), nil
	},
	Binary: func(op OpKind, p, q *Poly) (*Poly, error) {
		switch op {
		case Add:
			return p.Add(q), nil
		case Sub:
			return p.Add(q.Scale(-1)), nil
		case Mul:
			return p.Mul(q), nil
		case Pow:
			if n, ok := q.Constant(); ok && n >= 0 && n <= 8 {
				out := ConstPoly(1)
				for range n {
					out = out.Mul(p)
				}
				return out, nil
			}
		}
		return nil, ErrNoValue
	},
	Refuse: func(part Expr, _ error) error {
		return &NotAffineError{part, "not a polynomial in the parameters"}
	},
}

// Smaller orders strides by degree, then by the absolute value of the leading coefficient; 0 is the greatest.
func (p *Poly) Smaller(q *Poly) bool {
	if p.IsZero() || q.IsZero() {
		return !p.IsZero()
	}
	a, b := p.terms[0], q.terms[0]
	if len(a.vars) != len(b.vars) {
		return len(a.vars) < len(b.vars)
	}
	return new(big.Int).Abs(a.coeff).Cmp(new(big.Int).Abs(b.coeff)) < 0
}
