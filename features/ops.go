package features

import (
	"fmt"
	"maps"
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// An operator counts under a name: once, or once for each operand beyond the first. Sums and products are in sum and
// product; comparisons and logic are free, their operands are not.
var operators = map[expr.OpKind]struct {
	name       string
	perOperand bool
}{
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

// opNames are the names of operations beside func:<name>.
var opNames = []string{"add", "mul", "madd", "div", "pow", "shift", "bw", "maxmin"}

// countOps counts the operations of one execution of s: both sides of a select and none of the predicates, unless branches
// are exact.
func (c *counter) countOps(s *kernel.Stmt) error {
	v := opVisitor{c, c.scopeOf(s), c.k}
	if err := v.visit(s.LHS); err != nil {
		return err
	}
	if err := v.visit(s.RHS); err != nil || !c.opt.ExactBranches {
		return err
	}
	return opVisitor{c, scope{stmt: s}, c.k}.visitAll(s.Predicates)
}

type opVisitor struct {
	c  *counter
	at scope
	k  *kernel.Kernel // in which expressions have their types: the counter's, or the scope of a user function
}

func (v opVisitor) add(name string, t expr.DType, n int64) {
	v.c.add(Op{name, t.Base(), SubGroup}, v.at, SubGroup, n*t.Lanes())
}

// under narrows the scope. The conditions of a function are over its parameters: both sides are counted.
func (v opVisitor) under(condition expr.Expr) opVisitor {
	if v.k == v.c.k {
		v.at = v.c.under(v.at, condition)
	}
	return v
}

// call counts a user function: what it declares, or else its definition. Multiply-adds are found within the definition
// alone.
func (v opVisitor) call(f *kernel.Function) error {
	switch {
	case f.Counts != nil:
		for _, t := range slices.Sorted(maps.Keys(f.Counts)) {
			for _, name := range slices.Sorted(maps.Keys(f.Counts[t])) {
				v.add(name, t, f.Counts[t][name])
			}
		}
		return nil
	case f.Def == nil:
		return fmt.Errorf("function %s has no definition and declares no operations, so that they cannot be counted", f.Name)
	}
	var err error
	if v.k, err = v.k.Scope(f); err != nil {
		return err
	}
	for _, l := range f.Lets {
		if err := v.visit(l.Expr); err != nil {
			return err
		}
	}
	return v.visit(f.Def)
}

func (v opVisitor) visit(e expr.Expr) error {
	switch x := e.(type) {
	case *expr.Op:
		return v.operator(x)
	case *expr.Call:
		if f := v.k.Function(x.Func); f != nil {
			if err := v.call(f); err != nil {
				return err
			}
			return v.visitAll(x.Args)
		}
		t, err := v.k.TypeOf(x)
		if err != nil {
			return err
		}
		v.add("func:"+x.Func, t, 1)
		return v.visitAll(x.Args)
	case *expr.Cond:
		if err := v.visit(x.If); err != nil {
			return err
		}
		if err := v.under(x.If).visit(x.Then); err != nil {
			return err
		}
		return v.under(not(x.If)).visit(x.Else)
	case *expr.Cast:
		return v.visit(x.Arg)
	case *expr.Access:
		if v.c.opt.IndexOps {
			return v.visitAll(x.Index)
		}
		return nil
	case *expr.Reduce:
		return fmt.Errorf("reduction %s is not realized", x)
	}
	return nil
}

func (v opVisitor) visitAll(list []expr.Expr) error {
	for _, e := range list {
		if err := v.visit(e); err != nil {
			return err
		}
	}
	return nil
}

func (v opVisitor) operator(x *expr.Op) error {
	switch x.Kind {
	case expr.Add, expr.Sub:
		return v.sum(x)
	case expr.Mul:
		return v.product(x)
	case expr.Neg:
		return v.visit(x.Args[0])
	}
	if op, ok := operators[x.Kind]; ok {
		t, err := v.k.TypeOf(x)
		if err != nil {
			return err
		}
		n := int64(1)
		if op.perOperand {
			n = int64(len(x.Args)) - 1
		}
		v.add(op.name, t, n)
	}
	return v.visitAll(x.Args)
}

// sum counts a sum of k terms: k-1 additions, of which as many as there are terms that are products of the same type are
// multiply-adds together with one multiplication of each (a*b + c*d is one multiply-add and one multiplication).
func (v opVisitor) sum(x *expr.Op) error {
	t, err := v.k.TypeOf(x)
	if err != nil {
		return err
	}
	terms, err := v.flatten(x, t, isSum, nil)
	if err != nil {
		return err
	}
	var products int64
	for _, term := range terms {
		n, u, err := v.multiplications(term)
		if err != nil {
			return err
		}
		if n > 0 && u == t {
			products++
		}
	}
	adds := int64(len(terms)) - 1
	pairs := min(products, adds)
	if v.c.opt.NoMadd {
		pairs = 0
	}
	v.add("add", t, adds-pairs)
	v.add("madd", t, pairs)
	v.add("mul", t, -pairs) // the products count theirs below
	return v.visitAll(terms)
}

func (v opVisitor) product(x *expr.Op) error {
	n, t, err := v.multiplications(x)
	if err != nil {
		return err
	}
	v.add("mul", t, n)
	factors, err := v.flatten(x, t, isProduct, nil)
	if err != nil {
		return err
	}
	return v.visitAll(factors)
}

// multiplications counts those at the top of e: factors other than -1, less one. A sign is free.
func (v opVisitor) multiplications(e expr.Expr) (n int64, t expr.DType, err error) {
	x, ok := unsigned(e).(*expr.Op)
	if !ok || !isProduct(x) {
		return 0, "", nil
	}
	if t, err = v.k.TypeOf(x); err != nil {
		return 0, "", err
	}
	factors, err := v.flatten(x, t, isProduct, nil)
	if err != nil {
		return 0, "", err
	}
	for _, f := range factors {
		if !isMinusOne(f) {
			n++
		}
	}
	return max(n-1, 0), t, nil
}

func isSum(x *expr.Op) bool     { return x.Kind == expr.Add || x.Kind == expr.Sub }
func isProduct(x *expr.Op) bool { return x.Kind == expr.Mul }

// flatten lists the operands of nested sums or products that are computed in type t.
func (v opVisitor) flatten(x *expr.Op, t expr.DType, same func(*expr.Op) bool, out []expr.Expr) ([]expr.Expr, error) {
	for _, arg := range x.Args {
		if op, ok := unsigned(arg).(*expr.Op); ok && same(op) {
			u, err := v.k.TypeOf(op)
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

// unsigned takes the signs off e.
func unsigned(e expr.Expr) expr.Expr {
	for {
		x, ok := e.(*expr.Op)
		if !ok || x.Kind != expr.Neg {
			return e
		}
		e = x.Args[0]
	}
}

// isMinusOne reports whether e is the literal -1.
func isMinusOne(e expr.Expr) bool {
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
