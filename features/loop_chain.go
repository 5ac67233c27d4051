package features

import (
	"fmt"
	"maps"
	"slices"

	"gpuperf/device/facts"
	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/ops"
)

// chainVisitor finds the longest chain of operations that the value of an expression depends on.
type chainVisitor struct {
	d    *dataflow
	stmt *kernel.Stmt
	k    *kernel.Kernel   // in which expressions have their types
	args map[string]*link // of a user function
}

// operation adds an operation after the last of its operands.
func (v chainVisitor) operation(op string, t expr.DType, operands ...*link) *link {
	return v.inTurn(1, op, t, operands...)
}

// inTurn adds n operations, each of which depends on the one before.
func (v chainVisitor) inTurn(n int64, op string, t expr.DType, operands ...*link) *link {
	v.d.size += n * instructions(op)
	before := later(operands...)
	return &link{before, string(t.Base()) + "_" + op, n, before.reach() + n*duration(op)}
}

// values are the chains of expressions.
func (v chainVisitor) values(list []expr.Expr) (out []*link) {
	return lists.Map(list, v.value)
}

// index finds the chain of an index. Its arithmetic is free, as in all features; its loads are not.
func (v chainVisitor) index(list []expr.Expr) *link {
	var last *link
	for _, e := range list {
		for _, a := range v.d.c.k.Reads(&kernel.Stmt{RHS: e}) {
			last = later(last, v.access(a))
		}
	}
	return last
}

func (v chainVisitor) value(e expr.Expr) *link {
	switch x := e.(type) {
	case expr.Var:
		if l, ok := v.args[x.Name]; ok || v.args != nil {
			return l
		}
		return v.d.values[x.Name]
	case *expr.Access:
		return v.access(x)
	case *expr.Cast:
		return v.value(x.Arg)
	case *expr.Cond:
		return later(v.values([]expr.Expr{x.If, x.Then, x.Else})...)
	case *expr.Call:
		return v.call(x)
	case *expr.Op:
		return v.operator(x)
	case *expr.Reduce:
		v.d.fail(fmt.Errorf("reduction %s is not realized", x))
	}
	return nil
}

func (v chainVisitor) typeOf(e expr.Expr) expr.DType {
	t, err := v.k.TypeOf(e)
	v.d.fail(err)
	return t
}

// access adds a load, unless compilers hoist it out of the loop.
func (v chainVisitor) access(a *expr.Access) *link {
	before := later(v.index(a.Index), v.d.values[v.d.element(a)])
	c := v.d.c
	space := c.k.SpaceOf(a.Array)
	if array := c.k.Array(a.Array); array == nil || array.IsValue || space == kernel.Private || v.invariant(a) {
		return before
	}
	kind, latency := globalLink, facts.GlobalLatency
	if space == kernel.Local {
		kind, latency = localLink, facts.LocalLatency
	}
	v.d.size += v.d.accessSize(v.stmt, a)
	return &link{before, kind, 1, before.reach() + nominal().Int(latency)}
}

// invariant reports that a load has the same result in all iterations, so that compilers hoist it out of the loop.
func (v chainVisitor) invariant(a *expr.Access) bool {
	for _, i := range a.Index {
		if slices.Contains(v.d.c.variesWith(v.stmt, i), v.d.loop.Iname) {
			return false
		}
	}
	return !v.d.effects.Pins(a.Array)
}

// call adds a function: the user's definition, or its declared operations one after the other, or one operation.
func (v chainVisitor) call(x *expr.Call) *link {
	args := v.values(x.Args)
	f := v.k.Function(x.Func)
	switch {
	case f == nil:
		return v.operation("func:"+x.Func, v.typeOf(x), args...)
	case f.Counts != nil:
		last := later(args...)
		for _, t := range slices.Sorted(maps.Keys(f.Counts)) {
			for _, op := range slices.Sorted(maps.Keys(f.Counts[t])) {
				if n := f.Counts[t][op]; n > 0 {
					last = v.inTurn(n, op, t, last)
				}
			}
		}
		return last
	case f.Def == nil:
		v.d.fail(fmt.Errorf("function %s has no definition and declares no operations", f.Name))
		return nil
	}
	inside, err := v.k.Scope(f)
	if err != nil {
		v.d.fail(err)
		return nil
	}
	w := chainVisitor{v.d, v.stmt, inside, map[string]*link{}}
	for i, p := range f.Params[:min(len(f.Params), len(args))] {
		w.args[p.Name] = args[i]
	}
	for _, l := range f.Lets {
		w.args[l.Name] = w.value(l.Expr)
	}
	return w.value(f.Def)
}

func (v chainVisitor) operator(x *expr.Op) *link {
	switch x.Kind {
	case expr.Add, expr.Sub:
		return v.sum(x)
	case expr.Mul: // a sign is free
		return v.fromLeft("mul", v.typeOf(x), v.factors(x))
	}
	operands := v.values(x.Args)
	switch op, ok := ops.Operators[x.Kind]; {
	case !ok: // a comparison, logic or a sign
		return later(operands...)
	case op.PerOperand:
		return v.fromLeft(op.Name, v.typeOf(x), operands)
	default:
		return v.operation(op.Name, v.typeOf(x), operands...)
	}
}

// fromLeft joins operands by an operation between each and those before it.
func (v chainVisitor) fromLeft(op string, t expr.DType, operands []*link) *link {
	var last *link
	for i, o := range operands {
		if i == 0 {
			last = o
		} else {
			last = v.operation(op, t, last, o)
		}
	}
	return last
}

// sum adds terms from the left, a product by a multiply-add. Unlike counts (ops.Visitor) it keeps parentheses, as compilers must: in
// a + (b + c) only one addition depends on a.
func (v chainVisitor) sum(x *expr.Op) *link {
	t := v.typeOf(x)
	fused := make([]bool, len(x.Args))
	for i, term := range x.Args {
		n, u, err := ops.Visitor{Kernel: v.k}.Multiplications(term)
		v.d.fail(err)
		fused[i] = n > 0 && u == t && !v.d.c.opt.NoMadd
	}
	terms := slices.Clone(x.Args)
	if fused[0] && !fused[1] { // the second term is added to the product
		terms[0], terms[1], fused[0], fused[1] = terms[1], terms[0], false, true
	}
	last := v.value(terms[0])
	for i, term := range terms[1:] {
		if !fused[i+1] {
			last = v.operation("add", t, last, v.value(term))
			continue
		}
		factors := v.factors(term)
		n := len(factors) - 1
		last = v.operation("madd", t, v.fromLeft("mul", t, factors[:n]), factors[n], last)
	}
	return last
}

// factors are those of a product other than -1.
func (v chainVisitor) factors(product expr.Expr) []*link {
	list := slices.DeleteFunc(slices.Clone(ops.Unsigned(product).(*expr.Op).Args), ops.IsMinusOne)
	if len(list) == 1 {
		if inner, ok := ops.Unsigned(list[0]).(*expr.Op); ok && ops.IsProduct(inner) {
			return v.factors(inner)
		}
	}
	return v.values(list)
}
