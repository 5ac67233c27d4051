package expr

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"gpuperf/polycount"
)

// NotAffineError says which part of an expression is not affine.
type NotAffineError struct {
	Part   Expr
	Reason string
}

func (e *NotAffineError) Error() string { return fmt.Sprintf("%s is not affine: %s", e.Part, e.Reason) }

// ToAffine turns an index expression into a quasi-affine one: sums, differences, products with constants, and // and %
// by positive constants, over the names for which known holds (nil: all names). Anything else is a *NotAffineError, and
// so is a cast to 8 or 16 bits, where numbers wrap around; those that indices and sizes make fit into 32.
func ToAffine(e Expr, known func(name string) bool) (a polycount.Affine, err error) {
	return affineForms.Eval(e, func(e Expr) (polycount.Affine, error) {
		var none polycount.Affine
		switch x := e.(type) {
		case Var:
			if known != nil && !known(x.Name) {
				return none, &NotAffineError{e, x.Name + " is neither an iname nor a parameter"}
			}
			return polycount.Name(x.Name), nil
		case *Access:
			return none, &NotAffineError{e, "it is read from memory"}
		}
		return none, affineForms.Refuse(e, ErrNoValue)
	})
}

// affineForms are the quasi-affine expressions.
var affineForms = Domain[polycount.Affine]{
	Int: polycount.Int,
	Cast: func(t DType, a polycount.Affine) (polycount.Affine, error) {
		switch {
		case !t.IsInteger():
			return a, ErrNoValue
		case t.Size() < 4:
			return a, errNarrow
		}
		return a, nil
	},
	Unary: func(op OpKind, a polycount.Affine) (polycount.Affine, error) {
		if op != Neg {
			return a, errOperator
		}
		return fitting(a.Neg())
	},
	Binary: func(op OpKind, a, b polycount.Affine) (polycount.Affine, error) {
		switch op {
		case Add:
			return fitting(a.Add(b))
		case Sub:
			return fitting(a.Sub(b))
		case Mul:
			switch {
			case b.IsConstant():
				return fitting(a.Scale(b.Constant()))
			case a.IsConstant():
				return fitting(b.Scale(a.Constant()))
			}
			return a, errProduct
		case FloorDiv, Mod:
			if !b.IsConstant() || b.Constant() <= 0 {
				return a, errDivisor
			}
			if op == Mod {
				return fitting(a.Mod(b.Constant()))
			}
			return fitting(a.FloorDiv(b.Constant()))
		}
		return a, errOperator
	},
	Refuse: func(part Expr, why error) error {
		if errors.Is(why, polycount.ErrOverflow) {
			return why
		}
		switch why {
		case ErrNoValue:
			return &NotAffineError{part, "only sums, products with constants, // and % by constants are"}
		case errOperator:
			return &NotAffineError{part, "operator " + string(part.(*Op).Kind)}
		}
		return &NotAffineError{part, why.Error()}
	},
}

// fitting is a with the error of coefficients that do not fit into 64 bits.
func fitting(a polycount.Affine) (polycount.Affine, error) { return a, a.Err() }

var (
	errOperator = errors.New("operator")
	errProduct  = errors.New("it multiplies two variables")
	errNarrow   = errors.New("numbers of a narrow type wrap around")
	errDivisor  = errors.New("the divisor is not a positive constant")
)

// FromAffine is the expression of a quasi-affine one, terms in a fixed order: larger coefficients first (so that an outer
// iname precedes its inner one), negative ones after all positive ones, the constant last.
func FromAffine(a polycount.Affine) Expr {
	type term struct {
		coeff int64
		of    Expr
	}
	terms := make([]term, 0, a.Len()+1)
	for _, t := range a.All() {
		if t.Floor != nil {
			terms = append(terms, term{t.Coeff, Binary(FloorDiv, FromAffine(t.Floor.Num), Int{t.Floor.Den})})
		} else {
			terms = append(terms, term{t.Coeff, Var{t.Name}})
		}
	}
	slices.SortStableFunc(terms, func(x, y term) int { return cmp.Compare(y.coeff, x.coeff) })
	if c := a.Constant(); c != 0 || len(terms) == 0 {
		terms = append(terms, term{c, nil})
	}
	var out Expr
	for _, t := range terms {
		c, negative := t.coeff, t.coeff < 0 && out != nil
		if negative {
			c = -c
		}
		var e Expr
		switch {
		case t.of == nil:
			e = Int{c}
		case c == 1:
			e = t.of
		default:
			e = Binary(Mul, Int{c}, t.of)
		}
		switch {
		case out == nil:
			out = e
		case negative:
			out = Binary(Sub, out, e)
		default:
			if sum, ok := out.(*Op); ok && sum.Kind == Add {
				sum.Args = append(sum.Args, e) // it was made here
			} else {
				out = Binary(Add, out, e)
			}
		}
	}
	return out
}
