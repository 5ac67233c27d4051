package kernel

import (
	"fmt"
	"math"
)

// UnknownTypeError says which variable has no element type.
type UnknownTypeError struct{ Name string }

func (e *UnknownTypeError) Error() string {
	return fmt.Sprintf("%s has no dtype: give it one with add_dtypes", e.Name)
}

// TypeOf is the element type of an expression (Loopy's rules): inames and parameters are int32; an integer literal is
// int32, or int64 where it needs to be, and one below 1024 takes no part beside operands that are not all integers;
// int32 with float32 is float32, everything else promotes as in numpy; / between integers is float64; comparisons and
// logic are bool. A variable without type is an *UnknownTypeError.
func (k *Kernel) TypeOf(e Expr) (DType, error) {
	switch x := e.(type) {
	case Int:
		if x.Value >= math.MinInt32 && x.Value <= math.MaxInt32 {
			return Int32, nil
		}
		return Int64, nil
	case Float:
		return x.DType, nil
	case Var:
		return k.typeOfName(x.Name)
	case *Access:
		t, err := k.typeOfName(x.Array)
		return t.Vector(x.Lanes), err
	case *Cast:
		if _, err := k.TypeOf(x.Arg); err != nil {
			return "", err
		}
		return x.DType, nil
	case *Cond:
		return k.combine(x.Then, x.Else)
	case *Reduce:
		switch {
		case x.Kind == "any" || x.Kind == "all":
			return Bool, nil
		case x.Index != nil:
			return k.TypeOf(x.Index)
		}
		return k.TypeOf(x.Body)
	case *Call:
		if r := k.rule(x.Func); r != nil {
			body, err := k.expandExpr(x)
			if err != nil {
				return "", err
			}
			return k.TypeOf(body)
		}
		if f := k.Function(x.Func); f != nil {
			for _, a := range x.Args {
				if _, err := k.TypeOf(a); err != nil {
					return "", err
				}
			}
			return f.Result, nil
		}
		if !IsFunction(x.Func) {
			return "", fmt.Errorf("unknown function %s", x.Func)
		}
		t, err := k.combine(x.Args...)
		if err != nil {
			return "", err
		}
		t, _ = ResultType(x.Func, t)
		return t, nil
	case *Op:
		return k.typeOfOp(x)
	}
	return "", fmt.Errorf("no type for %v", e)
}

func (k *Kernel) typeOfName(name string) (DType, error) {
	if a := k.Array(name); a != nil {
		if a.DType == "" {
			return "", &UnknownTypeError{name}
		}
		return a.DType, nil
	}
	if r := k.rule(name); r != nil {
		body, err := k.expandExpr(Var{name})
		if err != nil {
			return "", err
		}
		return k.TypeOf(body)
	}
	if k.IsIname(name) || k.IsParam(name) {
		return Int32, nil
	}
	return "", fmt.Errorf("%s is not defined", name)
}

func (k *Kernel) typeOfOp(x *Op) (DType, error) {
	switch x.Kind {
	case And, Or, Not:
		return Bool, nil
	case Neg, BitNot:
		return k.TypeOf(x.Args[0])
	}
	if x.Kind.IsComparison() {
		t, err := k.combine(x.Args...)
		if err == nil && t.IsVector() {
			err = fmt.Errorf("%s compares vectors: conditions are on scalars", x)
		}
		return Bool, err
	}
	t, err := k.combine(x.Args...)
	if err == nil && x.Kind == Div && (t.Base().IsInteger() || t == Bool) {
		return Float64.Vector(t.Lanes()), nil
	}
	return t, err
}

// combine is the common type of operands, in which small integer literals take part only beside integers.
func (k *Kernel) combine(args ...Expr) (DType, error) {
	var large, all []DType
	integral := true
	for _, a := range args {
		t, err := k.TypeOf(a)
		if err != nil {
			return "", err
		}
		all = append(all, t)
		if isSmallInt(a) {
			continue
		}
		large = append(large, t)
		integral = integral && (t.Base().IsInteger() || t == Bool)
	}
	if !integral {
		all = large
	}
	t := promoteAll(all)
	for _, u := range all {
		if u.IsVector() && u.Lanes() != t.Lanes() {
			return "", fmt.Errorf("operands %s and %s have different numbers of lanes", t, u)
		}
	}
	return t, nil
}

func isSmallInt(e Expr) bool {
	if op, ok := e.(*Op); ok && op.Kind == Neg {
		e = op.Args[0]
	}
	i, ok := e.(Int)
	return ok && i.Value > -1024 && i.Value < 1024
}

func promoteAll(list []DType) DType {
	var t DType
	for _, u := range list {
		t = Promote(t, u)
	}
	return t
}
