package kernel

import (
	"strconv"

	"gpuperf/kernel/expr"
)

// TypeLiterals gives floating-point literals without suffix the type of what they meet, in place: the other operands, what is
// assigned to, the parameter of a user function. Where the number is exact in float32, a float64 is left to the conversion.
// All other types must be known.
func (k *Kernel) TypeLiterals() {
	k.MapStmts(func(s *Stmt) {
		if s.RHS != nil {
			t, _ := k.TypeOf(s.LHS)
			s.RHS = k.meet(s.RHS, t)
		}
		s.MapExprs(func(e expr.Expr) expr.Expr { return k.literals(e, "") })
	})
	for i, f := range k.Functions {
		if scope, err := k.Scope(f); err == nil && f.Def != nil {
			c := *f
			c.Def, c.Lets = scope.meet(f.Def, f.Result), nil
			for _, l := range f.Lets {
				c.Lets = append(c.Lets, FunctionLet{l.Name, scope.literals(l.Expr, "")})
			}
			k.Functions[i] = &c
		}
	}
}

// meet types the literals of an operand that is converted to t.
func (k *Kernel) meet(e expr.Expr, t expr.DType) expr.Expr {
	if x, ok := e.(expr.Float); ok && t.Base() == expr.Float64 && float64(float32(x.Value)) == x.Value {
		t = expr.Float32
	}
	return k.literals(e, t)
}

// literals types the literals of e, which meets values of type t; "" for none.
func (k *Kernel) literals(e expr.Expr, t expr.DType) expr.Expr {
	v, err := k.typed(e)
	if err != nil || v.t == "" {
		return e // refused elsewhere
	}
	// of float64 are also literals that have met integers alone
	open := v.from&freeLiterals != 0 && v.from&floats == 0
	if t = t.Base(); !open || v.from != freeLiterals && t != expr.Float64 || !t.IsFloat() {
		t = v.t.Base()
	}
	operands := k.meet
	if open {
		operands = k.literals
	}
	all := func(t expr.DType) expr.Expr {
		return expr.MapChildren(e, func(c expr.Expr) expr.Expr { return operands(c, t) })
	}
	switch x := e.(type) {
	case expr.Float:
		if x.DType == "" {
			x.DType = t
		}
		return x
	case *expr.Access:
		return all("")
	case *expr.Cast:
		return all(x.DType)
	case *expr.Reduce:
		if x.Index != nil || v.t == expr.Bool {
			t = ""
		}
		return all(t)
	case *expr.Cond:
		return &expr.Cond{If: k.literals(x.If, ""), Then: operands(x.Then, t), Else: operands(x.Else, t)}
	case *expr.Call:
		if f := k.Function(x.Func); f != nil {
			c := &expr.Call{Func: x.Func}
			for i, a := range x.Args {
				c.Args = append(c.Args, k.meet(a, f.Params[i].DType))
			}
			return c
		}
	case *expr.Op:
		if x.Kind == expr.And || x.Kind == expr.Or || x.Kind == expr.Not {
			return all("")
		}
	}
	if common, err := k.combine(expr.Children(e)...); err == nil && !open {
		t = common.t
	}
	if _, ok := e.(*expr.Call); ok && open && t == expr.Float64 {
		e = expr.MapChildren(e, floatLiteral) // sqrt(2)
	}
	return all(t)
}

// floatLiteral makes integer literals of float64.
func floatLiteral(e expr.Expr) expr.Expr {
	if v, ok := expr.IntLiteral(e); ok {
		return expr.Float{Value: float64(v), Text: strconv.FormatInt(v, 10) + ".0", DType: expr.Float64}
	}
	return e
}
