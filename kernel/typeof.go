package kernel

import (
	"fmt"
	"math"

	"gpuperf/kernel/expr"
)

// UnknownTypeError says which variable has no element type.
type UnknownTypeError struct{ Name string }

func (e *UnknownTypeError) Error() string {
	return fmt.Sprintf("%s has no dtype: give it one with add_dtypes", e.Name)
}

// TypeOf is the element type of an expression (Loopy's rules): inames and parameters are int32; an integer literal is
// int32, or int64 if it does not fit, and one below 1024 is ignored unless all operands are integers; int32 with
// float32 is float32, everything else promotes as in numpy; / between integers is float64; comparisons and logic are
// bool. A variable without type is an *UnknownTypeError.
func (k *Kernel) TypeOf(e expr.Expr) (expr.DType, error) {
	switch x := e.(type) {
	case expr.Int:
		if x.Value >= math.MinInt32 && x.Value <= math.MaxInt32 {
			return expr.Int32, nil
		}
		return expr.Int64, nil
	case expr.Float:
		return x.DType, nil
	case expr.Var:
		return k.typeOfName(x.Name)
	case *expr.Access:
		t, err := k.typeOfName(x.Array)
		return t.Vector(x.Lanes), err
	case *expr.Cast:
		if _, err := k.TypeOf(x.Arg); err != nil {
			return "", err
		}
		return x.DType, nil
	case *expr.Cond:
		return k.combine(x.Then, x.Else)
	case *expr.Reduce:
		switch {
		case x.Kind == "any" || x.Kind == "all":
			return expr.Bool, nil
		case x.Index != nil:
			return k.TypeOf(x.Index)
		}
		return k.TypeOf(x.Body)
	case *expr.Call:
		if r := k.Rule(x.Func); r != nil {
			body, err := k.Expand(x)
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
		if !expr.IsFunction(x.Func) {
			return "", fmt.Errorf("unknown function %s", x.Func)
		}
		t, err := k.combine(x.Args...)
		if err != nil {
			return "", err
		}
		t, _ = expr.ResultType(x.Func, t)
		return t, nil
	case *expr.Op:
		return k.typeOfOp(x)
	}
	return "", fmt.Errorf("no type for %v", e)
}

func (k *Kernel) typeOfName(name string) (expr.DType, error) {
	if a := k.Array(name); a != nil {
		if a.DType == "" {
			return "", &UnknownTypeError{name}
		}
		return a.DType, nil
	}
	if r := k.Rule(name); r != nil {
		body, err := k.Expand(expr.Var{Name: name})
		if err != nil {
			return "", err
		}
		return k.TypeOf(body)
	}
	if k.IsIname(name) || k.IsParam(name) {
		return expr.Int32, nil
	}
	return "", fmt.Errorf("%s is not defined", name)
}

func (k *Kernel) typeOfOp(x *expr.Op) (expr.DType, error) {
	switch x.Kind {
	case expr.And, expr.Or, expr.Not:
		return expr.Bool, nil
	case expr.Neg, expr.BitNot:
		return k.TypeOf(x.Args[0])
	}
	if x.Kind.IsComparison() {
		t, err := k.combine(x.Args...)
		if err == nil && t.IsVector() {
			err = fmt.Errorf("%s compares vectors: conditions are on scalars", x)
		}
		return expr.Bool, err
	}
	t, err := k.combine(x.Args...)
	if err == nil && x.Kind == expr.Div && (t.Base().IsInteger() || t == expr.Bool) {
		return expr.Float64.Vector(t.Lanes()), nil
	}
	return t, err
}

// combine is the common type of operands. Small integer literals count only if all operands are integers.
func (k *Kernel) combine(args ...expr.Expr) (expr.DType, error) {
	var large, all []expr.DType
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
		integral = integral && (t.Base().IsInteger() || t == expr.Bool)
	}
	if !integral {
		all = large
	}
	var t expr.DType
	for _, u := range all {
		t = expr.Promote(t, u)
	}
	for _, u := range all {
		if u.IsVector() && u.Lanes() != t.Lanes() {
			return "", fmt.Errorf("operands %s and %s have different numbers of lanes", t, u)
		}
	}
	return t, nil
}

func isSmallInt(e expr.Expr) bool {
	if op, ok := e.(*expr.Op); ok && op.Kind == expr.Neg {
		e = op.Args[0]
	}
	i, ok := e.(expr.Int)
	return ok && i.Value > -1024 && i.Value < 1024
}
