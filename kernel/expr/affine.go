package expr

import (
	"cmp"
	"fmt"
	"runtime"
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
// by positive constants, over the names for which known holds (nil: all names). Anything else is a *NotAffineError.
func ToAffine(e Expr, known func(name string) bool) (a polycount.Affine, err error) {
	defer Rescue(&err)
	return toAffine(e, known)
}

func toAffine(e Expr, known func(name string) bool) (polycount.Affine, error) {
	var zero polycount.Affine
	bad := func(reason string) (polycount.Affine, error) { return zero, &NotAffineError{e, reason} }
	switch x := e.(type) {
	case Int:
		return polycount.Int(x.Value), nil
	case Var:
		if known != nil && !known(x.Name) {
			return bad(x.Name + " is neither an iname nor a parameter")
		}
		return polycount.Name(x.Name), nil
	case *Access:
		return bad("it is read from memory")
	case *Cast:
		if x.DType.IsInteger() {
			return toAffine(x.Arg, known)
		}
	case *Op:
		args := make([]polycount.Affine, len(x.Args))
		for i, a := range x.Args {
			var err error
			if args[i], err = toAffine(a, known); err != nil {
				return zero, err
			}
		}
		switch x.Kind {
		case Add:
			sum := args[0]
			for _, a := range args[1:] {
				sum = sum.Add(a)
			}
			return sum, nil
		case Sub:
			return args[0].Sub(args[1]), nil
		case Neg:
			return args[0].Neg(), nil
		case Mul:
			out := args[0]
			for _, a := range args[1:] {
				switch {
				case a.IsConstant():
					out = out.Scale(a.Constant())
				case out.IsConstant():
					out = a.Scale(out.Constant())
				default:
					return bad("it multiplies two variables")
				}
			}
			return out, nil
		case FloorDiv, Mod:
			if !args[1].IsConstant() || args[1].Constant() <= 0 {
				return bad("the divisor is not a positive constant")
			}
			if x.Kind == Mod {
				return args[0].Mod(args[1].Constant()), nil
			}
			return args[0].FloorDiv(args[1].Constant()), nil
		}
		return bad("operator " + string(x.Kind))
	}
	return bad("only sums, products with constants, // and % by constants are")
}

// ErrOverflow is wrapped by errors for affine arithmetic that leaves the 64-bit range.
var ErrOverflow = polycount.ErrOverflow

// Rescue turns the panic by which polycount's Affine operators report overflow into an error. It is deferred by what
// computes with affine expressions of the user's.
func Rescue(err *error) {
	r := recover()
	if r == nil {
		return
	}
	if fault, ok := r.(runtime.Error); ok {
		panic(fault)
	}
	*err = fmt.Errorf("affine expression: %w", ErrOverflow)
}

// FromAffine is the expression of a quasi-affine one, terms in a fixed order: larger coefficients first (so that an outer
// iname stands before its inner one), negative ones after all positive ones, the constant last.
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
