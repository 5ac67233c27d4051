// Package ops finds the arithmetic operations in expressions and names them: add, mul, madd, div, pow, shift, bw (bitwise), maxmin and
// func:<name> (Stevens and Klöckner, section 6.1). Subtractions are additions.
package ops

import (
	"maps"
	"slices"

	"gpuperf/internal/throw"
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
func (v Visitor) call(f *kernel.Function) {
	switch {
	case f.Counts != nil:
		for _, t := range slices.Sorted(maps.Keys(f.Counts)) {
			for _, name := range slices.Sorted(maps.Keys(f.Counts[t])) {
				if n := f.Counts[t][name]; name == "madd" && v.NoMadd {
					v.found("mul", t, n)
					v.found("add", t, n)
				} else {
					v.found(name, t, n)
				}
			}
		}
		return
	case f.Def == nil:
		panic(throw.Errorf("function %s has no definition and declares no operations, so that they cannot be counted", f.Name))
	}
	v.Kernel = throw.Get(v.Kernel.Scope(f))
	v.Under, v.Skip = nil, nil // a function is over its parameters
	for _, l := range f.Lets {
		v.visit(l.Expr)
	}
	v.visit(f.Def)
}

// Statement finds the operations of a statement, those of its predicates left out. An atomic update is an operation of its own, which is not
// part of a multiply-add, and finds its element once.
func (v Visitor) Statement(s *kernel.Stmt) (err error) {
	defer throw.Catch(&err)
	v.visit(s.LHS)
	u := s.Update()
	if u == nil {
		v.visit(s.RHS)
		return nil
	}
	v.visit(u.Operand)
	name := "add"
	if op, ok := Operators[u.Op]; ok {
		name = op.Name
	}
	v.found(name, throw.Get(v.Kernel.TypeOf(s.LHS)), 1)
	return nil
}

// Visit finds the operations of an expression.
func (v Visitor) Visit(e expr.Expr) (err error) {
	defer throw.Catch(&err)
	v.visit(e)
	return nil
}

func (v Visitor) visit(e expr.Expr) {
	if v.Skip != nil && v.Skip(e) {
		return
	}
	switch x := e.(type) {
	case *expr.Op:
		v.operator(x)
	case *expr.Call:
		if f := v.Kernel.Function(x.Func); f != nil {
			v.call(f)
		} else {
			v.found("func:"+x.Func, throw.Get(v.Kernel.TypeOf(x)), 1)
		}
		v.visitAll(x.Args)
	case *expr.Cond:
		v.visit(x.If)
		v.under(x.If).visit(x.Then)
		v.under(expr.Negate(x.If)).visit(x.Else)
	case *expr.Cast:
		v.visit(x.Arg)
	case *expr.Access:
		if v.IndexOps {
			v.visitAll(x.Index)
		}
	case *expr.Reduce:
		panic(throw.Errorf("reduction %s is not realized", x))
	}
}

func (v Visitor) visitAll(list []expr.Expr) {
	for _, e := range list {
		v.visit(e)
	}
}

func (v Visitor) operator(x *expr.Op) {
	switch x.Kind {
	case expr.And, expr.Or:
		for _, arg := range x.Args { // those before decide whether it is evaluated
			v.visit(arg)
			if x.Kind == expr.Or {
				arg = expr.Negate(arg)
			}
			v = v.under(arg)
		}
		return
	case expr.Add, expr.Sub:
		v.sum(x)
		return
	case expr.Mul:
		v.product(x)
		return
	case expr.Neg:
		v.visit(x.Args[0])
		return
	}
	if op, ok := Operators[x.Kind]; ok {
		t := throw.Get(v.Kernel.TypeOf(x))
		n := int64(1)
		if op.PerOperand {
			n = int64(len(x.Args)) - 1
		}
		v.found(op.Name, t, n)
	}
	v.visitAll(x.Args)
}

// sum counts a sum of k terms: k-1 additions, of which as many as there are terms that are products of the same type are
// multiply-adds together with one multiplication of each (a*b + c*d is one multiply-add and one multiplication).
func (v Visitor) sum(x *expr.Op) {
	t := throw.Get(v.Kernel.TypeOf(x))
	terms := v.flatten(x, t, isSum, nil)
	var products int64
	for _, term := range terms {
		n, u := throw.Get2(v.Multiplications(term))
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
	v.visitAll(terms)
}

func (v Visitor) product(x *expr.Op) {
	n, t := throw.Get2(v.Multiplications(x))
	v.found("mul", t, n)
	factors := v.flatten(x, t, IsProduct, nil)
	v.visitAll(factors)
}

// Multiplications counts those at the top of e: factors other than -1, less one. A sign is free.
func (v Visitor) Multiplications(e expr.Expr) (n int64, t expr.DType, err error) {
	defer throw.Catch(&err)
	x, ok := Unsigned(e).(*expr.Op)
	if !ok || !IsProduct(x) {
		return 0, "", nil
	}
	t = throw.Get(v.Kernel.TypeOf(x))
	factors := v.flatten(x, t, IsProduct, nil)
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
func (v Visitor) flatten(x *expr.Op, t expr.DType, same func(*expr.Op) bool, out []expr.Expr) []expr.Expr {
	for _, arg := range x.Args {
		if op, ok := Unsigned(arg).(*expr.Op); ok && same(op) {
			u := throw.Get(v.Kernel.TypeOf(op))
			if u == t {
				out = v.flatten(op, t, same, out)
				continue
			}
		}
		out = append(out, arg)
	}
	return out
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
