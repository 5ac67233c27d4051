package features

import (
	"fmt"
	"maps"
	"slices"

	"gpuperf/device/facts"
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

func (v chainVisitor) list(list []expr.Expr) (*link, error) {
	var last *link
	for _, e := range list {
		l, err := v.value(e)
		if err != nil {
			return nil, err
		}
		last = later(last, l)
	}
	return last, nil
}

// index finds the chain of an index. Its arithmetic is free, as in all features; its loads are not.
func (v chainVisitor) index(list []expr.Expr) (*link, error) {
	var last *link
	for _, e := range list {
		for _, a := range v.d.c.k.Reads(&kernel.Stmt{RHS: e}) {
			l, err := v.access(a)
			if err != nil {
				return nil, err
			}
			last = later(last, l)
		}
	}
	return last, nil
}

func (v chainVisitor) value(e expr.Expr) (*link, error) {
	switch x := e.(type) {
	case expr.Var:
		if l, ok := v.args[x.Name]; ok || v.args != nil {
			return l, nil
		}
		return v.d.values[x.Name], nil
	case *expr.Access:
		return v.access(x)
	case *expr.Cast:
		return v.value(x.Arg)
	case *expr.Cond:
		return v.list([]expr.Expr{x.If, x.Then, x.Else})
	case *expr.Call:
		return v.call(x)
	case *expr.Op:
		return v.operator(x)
	case *expr.Reduce:
		return nil, fmt.Errorf("reduction %s is not realized", x)
	}
	return nil, nil
}

// access adds a load, unless compilers hoist it out of the loop.
func (v chainVisitor) access(a *expr.Access) (*link, error) {
	at, err := v.index(a.Index)
	if err != nil {
		return nil, err
	}
	before := later(at, v.d.values[v.d.element(a)])
	c := v.d.c
	space := c.k.SpaceOf(a.Array)
	if array := c.k.Array(a.Array); array == nil || array.IsValue || space == kernel.Private || v.invariant(a) {
		return before, nil
	}
	kind, latency := globalLink, facts.GlobalLatency
	if space == kernel.Local {
		kind, latency = localLink, facts.LocalLatency
	}
	v.d.size += v.d.accessSize(v.stmt, a)
	return &link{before, kind, 1, before.reach() + nominal().Int(latency)}, nil
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
func (v chainVisitor) call(x *expr.Call) (*link, error) {
	var args []*link
	for _, e := range x.Args {
		l, err := v.value(e)
		if err != nil {
			return nil, err
		}
		args = append(args, l)
	}
	f := v.k.Function(x.Func)
	switch {
	case f == nil:
		t, err := v.k.TypeOf(x)
		if err != nil {
			return nil, err
		}
		return v.operation("func:"+x.Func, t, args...), nil
	case f.Counts != nil:
		last := later(args...)
		for _, t := range slices.Sorted(maps.Keys(f.Counts)) {
			for _, op := range slices.Sorted(maps.Keys(f.Counts[t])) {
				if n := f.Counts[t][op]; n > 0 {
					last = v.inTurn(n, op, t, last)
				}
			}
		}
		return last, nil
	case f.Def == nil:
		return nil, fmt.Errorf("function %s has no definition and declares no operations", f.Name)
	}
	inside, err := v.k.Scope(f)
	if err != nil {
		return nil, err
	}
	w := chainVisitor{v.d, v.stmt, inside, map[string]*link{}}
	for i, p := range f.Params {
		if i < len(args) {
			w.args[p.Name] = args[i]
		}
	}
	for _, l := range f.Lets {
		if w.args[l.Name], err = w.value(l.Expr); err != nil {
			return nil, err
		}
	}
	return w.value(f.Def)
}

func (v chainVisitor) operator(x *expr.Op) (*link, error) {
	switch x.Kind {
	case expr.Add, expr.Sub:
		return v.sum(x)
	case expr.Mul:
		t, err := v.k.TypeOf(x)
		if err != nil {
			return nil, err
		}
		return v.product(x, t)
	}
	operands := make([]*link, len(x.Args))
	for i, arg := range x.Args {
		var err error
		if operands[i], err = v.value(arg); err != nil {
			return nil, err
		}
	}
	op, ok := ops.Operators[x.Kind]
	if !ok { // a comparison, logic or a sign
		return later(operands...), nil
	}
	t, err := v.k.TypeOf(x)
	if err != nil {
		return nil, err
	}
	if !op.PerOperand {
		return v.operation(op.Name, t, operands...), nil
	}
	last := operands[0]
	for _, o := range operands[1:] {
		last = v.operation(op.Name, t, last, o)
	}
	return last, nil
}

// sum adds terms from the left, a product by a multiply-add. Unlike counts (ops.Visitor) it keeps parentheses, as compilers must: in
// a + (b + c) only one addition depends on a.
func (v chainVisitor) sum(x *expr.Op) (*link, error) {
	t, err := v.k.TypeOf(x)
	if err != nil {
		return nil, err
	}
	fused := make([]bool, len(x.Args))
	for i, term := range x.Args {
		n, u, err := ops.Visitor{Kernel: v.k}.Multiplications(term)
		if err != nil {
			return nil, err
		}
		fused[i] = n > 0 && u == t && !v.d.c.opt.NoMadd
	}
	terms := slices.Clone(x.Args)
	if fused[0] && !fused[1] { // the second term is added to the product
		terms[0], terms[1], fused[0], fused[1] = terms[1], terms[0], false, true
	}
	last, err := v.value(terms[0])
	for i, term := range terms[1:] {
		if err != nil {
			return nil, err
		}
		if fused[i+1] {
			last, err = v.madd(term, t, last)
			continue
		}
		var other *link
		if other, err = v.value(term); err == nil {
			last = v.operation("add", t, last, other)
		}
	}
	return last, err
}

// madd multiplies the last two factors of a product and adds, in one operation.
func (v chainVisitor) madd(product expr.Expr, t expr.DType, addend *link) (*link, error) {
	factors, err := v.factors(product)
	if err != nil {
		return nil, err
	}
	last := factors[0]
	for _, f := range factors[1 : len(factors)-1] {
		last = v.operation("mul", t, last, f)
	}
	return v.operation("madd", t, last, factors[len(factors)-1], addend), nil
}

// product multiplies factors from the left. A sign is free.
func (v chainVisitor) product(x expr.Expr, t expr.DType) (*link, error) {
	factors, err := v.factors(x)
	if err != nil {
		return nil, err
	}
	if len(factors) == 0 { // of signs
		return nil, nil
	}
	last := factors[0]
	for _, f := range factors[1:] {
		last = v.operation("mul", t, last, f)
	}
	return last, nil
}

// factors are those of a product other than -1.
func (v chainVisitor) factors(e expr.Expr) ([]*link, error) {
	x, ok := ops.Unsigned(e).(*expr.Op)
	if !ok {
		return nil, fmt.Errorf("%s is not a product", e)
	}
	list := slices.DeleteFunc(slices.Clone(x.Args), ops.IsMinusOne)
	if len(list) == 1 {
		if inner, ok := ops.Unsigned(list[0]).(*expr.Op); ok && ops.IsProduct(inner) {
			return v.factors(inner)
		}
	}
	var out []*link
	for _, f := range list {
		l, err := v.value(f)
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}
