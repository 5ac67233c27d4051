package kernel

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/kernel/expr"
)

// UnknownTypeError says which variable has no element type.
type UnknownTypeError struct {
	Name string
	Near string // a known name that is much like that of a value; "" is none
}

func (e *UnknownTypeError) Error() string {
	if e.Near != "" {
		return fmt.Sprintf("%s is unknown: did you mean %s? A value that is passed to the kernel needs a dtype: give it one with add_dtypes", e.Name, e.Near)
	}
	return fmt.Sprintf("%s has no dtype: give it one with add_dtypes", e.Name)
}

// UnknownType is the error that a variable has no element type. A misspelt iname or size is taken for a value that is passed.
func (k *Kernel) UnknownType(a *Array) *UnknownTypeError {
	e := &UnknownTypeError{Name: a.Name}
	if a.IsValue {
		others := slices.DeleteFunc(slices.Concat(k.Inames(), k.Params()), func(name string) bool { return name == a.Name })
		e.Near = source.Nearest(a.Name, others)
	}
	return e
}

// typed is what an expression takes part in operations with: its type, and what that comes from.
type typed struct {
	t    expr.DType
	from origin
}

// origin is a set of what an expression is computed from. That of integer literals is empty.
type origin uint8

const (
	freeLiterals origin = 1 << iota // floating-point literals that take the type of what they meet
	integers                        // integers that are not literals
	floats                          // floating-point values of a type of their own
)

// own is the origin of a value whose type does not depend on literals.
func own(t expr.DType) origin {
	if t.Base().IsInteger() || t == expr.Bool {
		return integers
	}
	return floats
}

// TypeOf is the element type of an expression: inames and parameters are int32; literals take the type of what they meet
// (see combine), and where they meet nothing integers are int32, or int64 if they do not fit, and others float32; int32 with
// float32 is float32, everything else promotes as in numpy; / between integers is float64; comparisons and logic are bool.
// A variable without type is an *UnknownTypeError.
func (k *Kernel) TypeOf(e expr.Expr) (expr.DType, error) {
	v, err := throw.Value(func() typed { return k.typed(e) })
	return v.t, err
}

func (k *Kernel) typed(e expr.Expr) typed {
	known := func(t expr.DType, err error) (typed, error) { return typed{t, own(t)}, err }
	switch x := e.(type) {
	case expr.Int:
		if x.Value >= math.MinInt32 && x.Value <= math.MaxInt32 {
			return typed{expr.Int32, 0}
		}
		return typed{expr.Int64, 0}
	case expr.Float:
		if x.DType == "" {
			return typed{expr.Float32, freeLiterals}
		}
		return throw.Get(known(x.DType, nil))
	case expr.Var:
		return k.typedName(x.Name)
	case *expr.Access:
		v, err := throw.Value(func() typed { return k.typedName(x.Array) })
		if x.As != "" {
			v = typed{x.As, own(x.As)}
		}
		v.t = v.t.Vector(x.Lanes)
		return throw.Get(v, err)
	case *expr.Cast:
		k.typed(x.Arg)
		return throw.Get(known(x.DType, nil))
	case *expr.Cond:
		return k.combine(x.Then, x.Else)
	case *expr.Reduce:
		v := x.Body
		switch {
		case x.Kind == "any" || x.Kind == "all":
			return throw.Get(known(expr.Bool, nil))
		case x.Index != nil:
			v = x.Index
		}
		out, err := throw.Value(func() typed { return k.typed(v) })
		out.from |= integers // is no constant
		return throw.Get(out, err)
	case *expr.Call:
		return k.typedCall(x)
	case *expr.Op:
		return k.typedOp(x)
	}
	panic(throw.Errorf("no type for %v", e))
}

func (k *Kernel) typedName(name string) typed {
	if a := k.Array(name); a != nil {
		if a.DType == "" {
			throw.If(k.UnknownType(a))
			return typed{}
		}
		return typed{a.DType, own(a.DType)}
	}
	if k.Rule(name) != nil {
		return k.typedRule(expr.Var{Name: name})
	}
	if k.IsIname(name) || k.IsParam(name) {
		return typed{expr.Int32, integers}
	}
	panic(throw.Errorf("%s is not defined", name))
}

func (k *Kernel) typedRule(use expr.Expr) typed {
	body := throw.Get(k.Expand(use))
	return k.typed(body)
}

func (k *Kernel) typedCall(x *expr.Call) typed {
	if k.Rule(x.Func) != nil {
		return k.typedRule(x)
	}
	if f := k.Function(x.Func); f != nil {
		for _, a := range x.Args {
			k.typed(a)
		}
		return typed{f.Result, own(f.Result)}
	}
	if !expr.IsFunction(x.Func) {
		panic(throw.Errorf("unknown function %s", x.Func))
	}
	v := k.combine(x.Args...)
	t, _ := expr.ResultType(x.Func, v.t)
	switch {
	case t.Base().IsInteger():
		v.from = integers
	case v.from == 0: // sqrt(2)
		v.from = freeLiterals
	case v.from == integers:
		v.from |= floats
	}
	return typed{t, v.from}
}

func (k *Kernel) typedOp(x *expr.Op) typed {
	switch x.Kind {
	case expr.And, expr.Or, expr.Not:
		return typed{expr.Bool, integers}
	case expr.Neg, expr.BitNot:
		return k.typed(x.Args[0])
	}
	v, err := throw.Value(func() typed { return k.combine(x.Args...) })
	switch {
	case err != nil:
		panic(throw.Of(err))
	case x.Kind.IsComparison():
		if v.t.IsVector() {
			panic(throw.Errorf("%s compares vectors: conditions are on scalars", x))
		}
		return typed{expr.Bool, integers}
	case x.Kind == expr.Div && (v.t.Base().IsInteger() || v.t == expr.Bool):
		return typed{expr.Float64.Vector(v.t.Lanes()), floats}
	}
	return v
}

// combine is the common type of operands. Literals take the type of the others. Floating-point ones without suffix and
// constants made of such, as in 1.0/3.0, take any floating-point type; integer literals take types of at least 32 bits that
// hold them, and floating-point ones of fewer bits if they are below 1024.
func (k *Kernel) combine(args ...expr.Expr) (out typed) {
	list := make([]typed, len(args))
	for n, a := range args {
		list[n] = k.typed(a)
		out.from |= list[n].from
		if list[n].from&(integers|floats) != 0 {
			out.t = expr.Promote(out.t, list[n].t)
		}
	}
	join := func(from origin, unless func(n int) bool) {
		for n, v := range list {
			if v.from == from && !unless(n) {
				out.t = expr.Promote(out.t, v.t)
			}
		}
	}
	met := out.t
	join(freeLiterals, func(int) bool { return met != "" && !met.Base().IsInteger() && met != expr.Bool })
	met = out.t
	join(0, func(n int) bool { return met != "" && holds(met.Base(), args[n]) })
	for _, v := range list {
		if v.t.IsVector() && v.t.Lanes() != out.t.Lanes() {
			panic(throw.Errorf("operands %s and %s have different numbers of lanes", out.t, v.t))
		}
	}
	return out
}

// holds reports whether a type is one that an integer literal takes. Operations on literals have the type of these.
func holds(t expr.DType, e expr.Expr) bool {
	v, ok := expr.IntLiteral(e)
	switch {
	case !ok:
		return false
	case t == expr.Bool || t.IsInteger() && t.Size() < 4:
		return false
	case t == expr.Int32:
		return v >= math.MinInt32 && v <= math.MaxInt32
	case t == expr.Uint32:
		return v >= 0 && v <= math.MaxUint32
	case t == expr.Uint64:
		return v >= 0
	}
	return t == expr.Int64 || t.Size() >= 4 || v > -1024 && v < 1024
}

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
	if !mayHoldLiterals(e) {
		return e
	}
	v, err := throw.Value(func() typed { return k.typed(e) })
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
	if common, err := throw.Value(func() typed { return k.combine(expr.Children(e)...) }); err == nil && !open {
		t = common.t
	}
	if _, ok := e.(*expr.Call); ok && open && t == expr.Float64 {
		e = expr.MapChildren(e, floatLiteral) // sqrt(2)
	}
	return all(t)
}

// mayHoldLiterals reports whether an expression may have literals to type: floating-point ones without suffix, or constants in calls.
func mayHoldLiterals(e expr.Expr) bool {
	switch x := e.(type) {
	case expr.Float:
		return x.DType == ""
	case *expr.Call:
		return true
	}
	return slices.ContainsFunc(expr.Children(e), mayHoldLiterals)
}

// floatLiteral makes integer literals of float64.
func floatLiteral(e expr.Expr) expr.Expr {
	if v, ok := expr.IntLiteral(e); ok {
		return expr.Float{Value: float64(v), Text: strconv.FormatInt(v, 10) + ".0", DType: expr.Float64}
	}
	return e
}

// AddDTypes sets the element types of arguments and temporaries. Changing a type that is already set is an error.
func (k *Kernel) AddDTypes(types map[string]expr.DType) (*Kernel, error) {
	c := k.Clone()
	for _, name := range slices.Sorted(maps.Keys(types)) {
		a := c.Array(name)
		if a == nil {
			return nil, k.Errorf("dtype for %s, which is neither an argument nor a temporary of the kernel", name)
		}
		if !types[name].Known() {
			return nil, k.Errorf("%s: unknown element type %q (%s)", name, types[name], expr.KnownDTypes)
		}
		if a.DType != "" && a.DType != types[name] && !(a.IsValue && k.inferredParam(a)) {
			return nil, k.Errorf("%s has dtype %s already, not %s", name, a.DType, types[name])
		}
		c.ChangeArray(name, func(a *Array) { a.DType = types[name] })
	}
	return c, nil
}

// inferredParam reports whether the value argument has the type that Make gives to undeclared parameters.
func (k *Kernel) inferredParam(a *Array) bool { return a.DType == expr.Int32 && k.IsParam(a.Name) }
