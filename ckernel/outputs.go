package ckernel

import (
	"fmt"
	"strings"

	"gpuperf/cfront"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// isOutputs reports whether a function has results that it stores where arguments point to.
func isOutputs(x *cfront.Call) bool {
	f, ok := cfront.IntrinsicOf(x.Func)
	return ok && f.Kind == cfront.Outputs
}

// outputs is a function with several results: what it takes is computed once, each result is a function of that, and those that have no name come with the
// others. The last results are stored where pointers point to; the value is the first one, if that is not stored.
func (b *builder) outputs(x *cfront.Call) expr.Expr {
	f, _ := cfront.IntrinsicOf(x.Func)
	parts := strings.Split(f.IR, ",")
	var args []expr.Expr
	var pointers []cfront.Expr
	for _, a := range x.Args {
		if a.PointsTo() != "" {
			pointers = append(pointers, a)
			continue
		}
		from := a
		if a.Type() != x.DType && !x.DType.IsVector() {
			from = cfront.CastTo(x.DType, a)
		}
		v, use := cfront.Temporary("argument", x)
		b.assign(a.Place(), v, from)
		args = append(args, b.value(use))
	}
	first := len(parts) - len(pointers)
	if first < 0 || first > 1 || len(args) == 0 || !x.DType.Known() {
		b.fail(x, "", "%s does not take these arguments", x.Func)
	}
	for i, p := range pointers {
		to := cfront.Element(p, 0)
		if a, is := p.(*cfront.Address); is {
			to = a.X
		}
		v, use := cfront.Temporary(baseName(x.Func), to)
		b.assignTemp(x.Pos, b.temp(v), b.resultNamed(x, parts[first+i], v.DType, args))
		b.env[v] = value{data: true}
		b.assignment(cfront.Assignment(to, use))
	}
	return b.resultNamed(x, parts[0], x.DType, args)
}

// resultNamed is one result of a function with several: an operation by its name, or none.
func (b *builder) resultNamed(x *cfront.Call, name string, t expr.DType, args []expr.Expr) expr.Expr {
	if n, known := expr.Arity(name); known && n == len(args) {
		return &expr.Call{Func: name, Args: args}
	}
	f := &kernel.Function{Result: t, Counts: map[expr.DType]map[string]int64{}}
	if name != "" {
		f.Counts[t.Base()] = map[string]int64{"func:" + name: t.Lanes()}
	}
	var names []string
	for i := range args {
		names = append(names, fmt.Sprintf("a%d", i))
		f.Params = append(f.Params, kernel.FunctionParam{Name: names[i], DType: x.DType})
	}
	f.Body = "return " + x.Func + "(" + strings.Join(names, ", ") + ");"
	f.Name = b.functionNamed(strings.TrimLeft(x.Func, "_"), f)
	return &expr.Call{Func: f.Name, Args: args}
}

// outputsValue reports whether a function with several results has a value: the first one is not stored then.
func outputsValue(x *cfront.Call) bool {
	f, _ := cfront.IntrinsicOf(x.Func)
	n := 0
	for _, a := range x.Args {
		if a.PointsTo() != "" {
			n++
		}
	}
	return n <= strings.Count(f.IR, ",")
}
