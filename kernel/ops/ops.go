// Package ops finds the arithmetic operations in expressions and names them: add, mul, madd, div, pow, shift, bw (bitwise), maxmin and
// func:<name> (Stevens and Klöckner, section 6.1). Subtractions are additions.
package ops

import (
	"fmt"
	"maps"
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// Operation is what an operator counts as: one operation, or one for each operand beyond the first.
type Operation struct {
	Name       string
	PerOperand bool
}

// Operators are the operators with a fixed count. Sums and products are not among them, as multiply-adds depend on their operands;
// comparisons and logic are free, their operands are not.
var Operators = map[expr.OpKind]Operation{
	expr.Div:      {"div", false},
	expr.FloorDiv: {"div", false},
	expr.Mod:      {"div", false},
	expr.Pow:      {"pow", false},
	expr.Shl:      {"shift", false},
	expr.Shr:      {"shift", false},
	expr.BitNot:   {"bw", false},
	expr.BitAnd:   {"bw", true},
	expr.BitOr:    {"bw", true},
	expr.BitXor:   {"bw", true},
	expr.Min:      {"maxmin", true},
	expr.Max:      {"maxmin", true},
}

// Visitor finds the operations in expressions. Its methods visit both sides of a select, and follow user functions.
type Visitor struct {
	// Kernel gives expressions their types: the kernel, or the scope of a user function (Kernel.Scope).
	Kernel *kernel.Kernel
	// NoMadd keeps additions and multiplications separate where they form a multiply-add.
	NoMadd bool
	// IndexOps includes the arithmetic in array indices.
	IndexOps bool
	// Found is called for operations of a type, n of them. A vector of k lanes counts as k scalar operations of its base type. n is
	// negative where a multiply-add takes back a multiplication.
	Found func(op string, t expr.DType, n int64)
	// Under returns the visitor for expressions that are evaluated only where a condition holds; nil is the same visitor.
	Under func(condition expr.Expr) Visitor
	// Skip reports whether an expression is passed over, with all in it; nil skips none. Definitions of user functions are not asked for.
	Skip func(e expr.Expr) bool
}

func (v Visitor) found(name string, t expr.DType, n int64) {
	if n != 0 {
		v.Found(name, t.Base(), n*t.Lanes())
	}
}

func (v Visitor) under(condition expr.Expr) Visitor {
	if v.Under == nil {
		return v
	}
	return v.Under(condition)
}

// call counts a user function: what it declares, or else its definition. Multiply-adds are found within the definition
// alone.
func (v Visitor) call(f *kernel.Function) (err error) {
	switch {
	case f.Counts != nil:
		for _, t := range slices.Sorted(maps.Keys(f.Counts)) {
			for _, name := range slices.Sorted(maps.Keys(f.Counts[t])) {
				v.found(name, t, f.Counts[t][name])
			}
		}
		return nil
	case f.Def == nil:
		return fmt.Errorf("function %s has no definition and declares no operations, so that they cannot be counted", f.Name)
	}
	if v.Kernel, err = v.Kernel.Scope(f); err != nil {
		return err
	}
	v.Under, v.Skip = nil, nil // a function is over its parameters
	for _, l := range f.Lets {
		if err := v.Visit(l.Expr); err != nil {
			return err
		}
	}
	return v.Visit(f.Def)
}

// Statement finds the operations of a statement, those of its predicates left out. An atomic update is an operation of its own, which is not
// part of a multiply-add, and finds its element once.
func (v Visitor) Statement(s *kernel.Stmt) error {
	if err := v.Visit(s.LHS); err != nil {
		return err
	}
	u := s.Update()
	if u == nil {
		return v.Visit(s.RHS)
	}
	if err := v.Visit(u.Operand); err != nil {
		return err
	}
	t, err := v.Kernel.TypeOf(s.LHS)
	if err != nil {
		return err
	}
	name := "add"
	if op, ok := Operators[u.Op]; ok {
		name = op.Name
	}
	v.found(name, t, 1)
	return nil
}

// Visit finds the operations of an expression.
func (v Visitor) Visit(e expr.Expr) error {
	if v.Skip != nil && v.Skip(e) {
		return nil
	}
	switch x := e.(type) {
	case *expr.Op:
		return v.operator(x)
	case *expr.Call:
		if f := v.Kernel.Function(x.Func); f != nil {
			if err := v.call(f); err != nil {
				return err
			}
			return v.visitAll(x.Args)
		}
		t, err := v.Kernel.TypeOf(x)
		if err != nil {
			return err
		}
		v.found("func:"+x.Func, t, 1)
		return v.visitAll(x.Args)
	case *expr.Cond:
		if err := v.Visit(x.If); err != nil {
			return err
		}
		if err := v.under(x.If).Visit(x.Then); err != nil {
			return err
		}
		return v.under(expr.Negate(x.If)).Visit(x.Else)
	case *expr.Cast:
		return v.Visit(x.Arg)
	case *expr.Access:
		if v.IndexOps {
			return v.visitAll(x.Index)
		}
		return nil
	case *expr.Reduce:
		return fmt.Errorf("reduction %s is not realized", x)
	}
	return nil
}

func (v Visitor) visitAll(list []expr.Expr) error {
	for _, e := range list {
		if err := v.Visit(e); err != nil {
			return err
		}
	}
	return nil
}

func (v Visitor) operator(x *expr.Op) error {
	switch x.Kind {
	case expr.And, expr.Or:
		for _, arg := range x.Args { // those before decide whether it is evaluated
			if err := v.Visit(arg); err != nil {
				return err
			}
			if x.Kind == expr.Or {
				arg = expr.Negate(arg)
			}
			v = v.under(arg)
		}
		return nil
	case expr.Add, expr.Sub:
		return v.sum(x)
	case expr.Mul:
		return v.product(x)
	case expr.Neg:
		return v.Visit(x.Args[0])
	}
	if op, ok := Operators[x.Kind]; ok {
		t, err := v.Kernel.TypeOf(x)
		if err != nil {
			return err
		}
		n := int64(1)
		if op.PerOperand {
			n = int64(len(x.Args)) - 1
		}
		v.found(op.Name, t, n)
	}
	return v.visitAll(x.Args)
}

// sum counts a sum of k terms: k-1 additions, of which as many as there are terms that are products of the same type are
// multiply-adds together with one multiplication of each (a*b + c*d is one multiply-add and one multiplication).
func (v Visitor) sum(x *expr.Op) error {
	t, err := v.Kernel.TypeOf(x)
	if err != nil {
		return err
	}
	terms, err := v.flatten(x, t, isSum, nil)
	if err != nil {
		return err
	}
	var products int64
	for _, term := range terms {
		n, u, err := v.Multiplications(term)
		if err != nil {
			return err
		}
		if n > 0 && u == t {
			products++
		}
	}
	adds := int64(len(terms)) - 1
	pairs := min(products, adds)
	if v.NoMadd {
		pairs = 0
	}
	v.found("add", t, adds-pairs)
	v.found("madd", t, pairs)
	v.found("mul", t, -pairs) // the products count theirs below
	return v.visitAll(terms)
}

func (v Visitor) product(x *expr.Op) error {
	n, t, err := v.Multiplications(x)
	if err != nil {
		return err
	}
	v.found("mul", t, n)
	factors, err := v.flatten(x, t, IsProduct, nil)
	if err != nil {
		return err
	}
	return v.visitAll(factors)
}

// Multiplications counts those at the top of e: factors other than -1, less one. A sign is free.
func (v Visitor) Multiplications(e expr.Expr) (n int64, t expr.DType, err error) {
	x, ok := Unsigned(e).(*expr.Op)
	if !ok || !IsProduct(x) {
		return 0, "", nil
	}
	if t, err = v.Kernel.TypeOf(x); err != nil {
		return 0, "", err
	}
	factors, err := v.flatten(x, t, IsProduct, nil)
	if err != nil {
		return 0, "", err
	}
	for _, f := range factors {
		if !IsMinusOne(f) {
			n++
		}
	}
	return max(n-1, 0), t, nil
}

func isSum(x *expr.Op) bool     { return x.Kind == expr.Add || x.Kind == expr.Sub }
func IsProduct(x *expr.Op) bool { return x.Kind == expr.Mul }

// flatten lists the operands of nested sums or products that are computed in type t.
func (v Visitor) flatten(x *expr.Op, t expr.DType, same func(*expr.Op) bool, out []expr.Expr) ([]expr.Expr, error) {
	for _, arg := range x.Args {
		if op, ok := Unsigned(arg).(*expr.Op); ok && same(op) {
			u, err := v.Kernel.TypeOf(op)
			if err != nil {
				return nil, err
			}
			if u == t {
				if out, err = v.flatten(op, t, same, out); err != nil {
					return nil, err
				}
				continue
			}
		}
		out = append(out, arg)
	}
	return out, nil
}

// Unsigned takes the signs off e.
func Unsigned(e expr.Expr) expr.Expr {
	for {
		x, ok := e.(*expr.Op)
		if !ok || x.Kind != expr.Neg {
			return e
		}
		e = x.Args[0]
	}
}

// IsMinusOne reports whether e is the literal -1.
func IsMinusOne(e expr.Expr) bool {
	one := float64(-1)
	if x, ok := e.(*expr.Op); ok && x.Kind == expr.Neg {
		e, one = x.Args[0], 1
	}
	switch x := e.(type) {
	case expr.Int:
		return float64(x.Value) == one
	case expr.Float:
		return x.Value == one
	}
	return false
}
