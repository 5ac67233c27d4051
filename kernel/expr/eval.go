package expr

import "errors"

// Truth is what is known of a condition.
type Truth int8

// The three truth values.
const (
	Unknown Truth = iota
	False
	True
)

// TruthOf is the truth value of a known condition.
func TruthOf(holds bool) Truth {
	if holds {
		return True
	}
	return False
}

// Domain is a kind of values that expressions are evaluated over: exact numbers, affine forms, bounds. Parts of expressions
// whose function is nil are leaves: see Eval.
type Domain[V any] struct {
	Int   func(v int64) V
	Float func(f Float) (V, error)
	// Unary applies Neg or BitNot. Binary applies the operators on two operands, and those on more from left to right.
	// Both return ErrNoValue for operators that are not of the domain.
	Unary  func(op OpKind, a V) (V, error)
	Binary func(op OpKind, a, b V) (V, error)
	Cast   func(t DType, a V) (V, error)
	Call   func(name string, args []V) (V, error)
	// Truth and Bool convert between values and truth values, for and, or, not and selects. Where Truth is nil, the
	// condition of a select is unknown.
	Truth func(a V) Truth
	Bool  func(t Truth) V
	// Either is the value of a select whose condition is unknown.
	Either func(a, b V) (V, error)
	// Refuse words the error of a part of an expression: ErrNoValue, or an error of one of the functions above. Where it
	// is nil, that error is returned as it is.
	Refuse func(part Expr, why error) error
}

// ErrNoValue means that a kind of expression has no value in a domain.
var ErrNoValue = errors.New("it has no value here")

// Eval evaluates e. The values of variables, accesses, and whatever the domain has no function for come from leaf, whose
// errors are returned as they are.
//
// Operands are evaluated from left to right. An operand of and or or that decides the result ends the evaluation, also
// where one before it is unknown; of a select, only the side that the condition chooses is evaluated.
func (d *Domain[V]) Eval(e Expr, leaf func(Expr) (V, error)) (V, error) {
	switch x := e.(type) {
	case Int:
		return d.Int(x.Value), nil
	case Float:
		if d.Float != nil {
			v, err := d.Float(x)
			return v, d.refuse(e, err)
		}
	case *Cast:
		if d.Cast != nil {
			v, err := d.Eval(x.Arg, leaf)
			if err != nil {
				return v, err
			}
			v, err = d.Cast(x.DType, v)
			return v, d.refuse(e, err)
		}
	case *Cond:
		if d.Truth != nil || d.Either != nil {
			return d.cond(x, leaf)
		}
	case *Call:
		if d.Call != nil {
			args := make([]V, len(x.Args))
			for i, a := range x.Args {
				var err error
				if args[i], err = d.Eval(a, leaf); err != nil {
					return args[i], err
				}
			}
			v, err := d.Call(x.Func, args)
			return v, d.refuse(e, err)
		}
	case *Op:
		switch {
		case d.Truth == nil || x.Kind != And && x.Kind != Or && x.Kind != Not:
			return d.op(x, leaf)
		case x.Kind == Not:
			v, err := d.Eval(x.Args[0], leaf)
			if err != nil {
				return v, err
			}
			return d.Bool(d.Truth(v).Not()), nil
		}
		return d.logic(x, leaf)
	}
	return leaf(e)
}

func (d *Domain[V]) refuse(part Expr, why error) error {
	if why == nil || d.Refuse == nil {
		return why
	}
	return d.Refuse(part, why)
}

func (d *Domain[V]) op(x *Op, leaf func(Expr) (V, error)) (V, error) {
	v, err := d.Eval(x.Args[0], leaf)
	if err != nil {
		return v, err
	}
	if len(x.Args) == 1 {
		v, err = d.Unary(x.Kind, v)
		return v, d.refuse(x, err)
	}
	for _, arg := range x.Args[1:] {
		w, err := d.Eval(arg, leaf)
		if err != nil {
			return w, err
		}
		if v, err = d.Binary(x.Kind, v, w); err != nil {
			return v, d.refuse(x, err)
		}
	}
	return v, nil
}

func (d *Domain[V]) cond(x *Cond, leaf func(Expr) (V, error)) (V, error) {
	test := Unknown
	if d.Truth != nil {
		v, err := d.Eval(x.If, leaf)
		if err != nil {
			return v, err
		}
		test = d.Truth(v)
	}
	switch test {
	case True:
		return d.Eval(x.Then, leaf)
	case False:
		return d.Eval(x.Else, leaf)
	}
	a, err := d.Eval(x.Then, leaf)
	if err != nil {
		return a, err
	}
	b, err := d.Eval(x.Else, leaf)
	if err != nil {
		return b, err
	}
	v, err := d.Either(a, b)
	return v, d.refuse(x, err)
}

// logic evaluates and and or, whose results False and True decide.
func (d *Domain[V]) logic(x *Op, leaf func(Expr) (V, error)) (V, error) {
	decides := TruthOf(x.Kind == Or)
	result := decides.Not()
	for _, arg := range x.Args {
		v, err := d.Eval(arg, leaf)
		if err != nil {
			return v, err
		}
		switch d.Truth(v) {
		case decides:
			return d.Bool(decides), nil
		case Unknown:
			result = Unknown
		}
	}
	return d.Bool(result), nil
}

// Not is the truth value of the negation.
func (t Truth) Not() Truth {
	switch t {
	case True:
		return False
	case False:
		return True
	}
	return Unknown
}

// Compare applies a comparison to two values, given how they compare (see cmp.Compare). It is ErrNoValue for other
// operators.
func Compare(op OpKind, order int) (bool, error) {
	switch op {
	case Eq:
		return order == 0, nil
	case Ne:
		return order != 0, nil
	case Lt:
		return order < 0, nil
	case Le:
		return order <= 0, nil
	case Gt:
		return order > 0, nil
	case Ge:
		return order >= 0, nil
	}
	return false, ErrNoValue
}
