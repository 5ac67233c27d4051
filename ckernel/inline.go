package ckernel

import (
	"fmt"
	"strings"

	"gpuperf/cfront"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// outcome of a call: what is known of its value, and the variable that has it. An assignment has a number or an expression.
type outcome struct {
	value
	variable *builderVar
	e        expr.Expr
}

// maxCalls bounds how deep functions call each other.
const maxCalls = 64

// called runs the body of a function of the file where the call stands, once for a call in an expression.
func (b *builder) called(x *cfront.Call) outcome {
	if done, ok := b.results[x]; ok {
		return done
	}
	f := b.file.Function(x.Func)
	here := site{x.Pos, b.path + "/" + f.Name} // the object that a function is called for may be the value of another call here
	b.checkCall(x, f)
	for _, a := range x.Args { // calls in arguments come before parameters have values
		b.callsIn(a)
	}
	path := b.path
	for i, p := range f.Params {
		b.path = fmt.Sprintf("%s(%d", path, i) // the assignment is another one than those in the text
		b.parameterOf(x, p, x.Args[i])
	}
	b.path = path
	results := b.results
	b.nextStatement()
	fr := &frame{function: true, of: f}
	if f.Result != "" || f.Elem != "" || f.Record != nil {
		fr.result = b.resultOf(f, here)
	}
	values := len(b.values)
	before, open := b.live, len(b.frames)
	b.path = fmt.Sprintf("%s/%d:%d %s", path, x.Pos.Line, x.Pos.Column, f.Name)
	b.frames = append(b.frames, fr)
	b.statement(f.Body)
	b.joinKnown(before, fr.exits)
	b.frames, b.path = b.frames[:open], path
	b.live = before
	b.results = results
	b.dropOwn(x, values)
	out := outcome{variable: fr.result}
	if fr.result != nil {
		out.value = b.env[fr.result]
		switch {
		case fr.result.Pointer || fr.result.Record != nil || out.at != nil:
		case !b.follows(fr.result):
			out.value = value{data: true}
		case !out.isNum && !out.data:
			b.forget(x.Pos, fr.result)
			out.value = value{data: true}
		}
	}
	b.results[x] = out
	return out
}

// checkCall refuses a call whose function cannot stand in its place.
func (b *builder) checkCall(x *cfront.Call, f *cfront.Function) {
	functions, again := 0, false
	for _, fr := range b.frames {
		if fr.function {
			functions++
		}
		again = again || fr.of == f
	}
	switch {
	case again || f == b.fn:
		b.fail(x, "write a loop", "%s calls itself", x.Func)
	case functions > maxCalls:
		b.fail(x, "write a loop", "functions call each other more than %d deep", maxCalls)
	case len(f.Params) != len(x.Args):
		b.fail(x, "", "%s has %d parameters, not %d", x.Func, len(f.Params), len(x.Args))
	case f.Kernel && b.file.Language == cfront.CUDA:
		b.fail(x, "", "a kernel calls a kernel")
	case f.Err != nil:
		panic(fault{unread(f.Err), cfront.Malformed(f.Err)})
	}
}

// resultOf is the variable for the value of a call.
func (b *builder) resultOf(f *cfront.Function, here site) *builderVar {
	v := b.learnt.results[here]
	if v == nil {
		v = &builderVar{Name: baseName(f.Name) + "_result", Pos: here.pos, Class: cfront.Local, DType: f.Result, Record: f.Record}
		if f.Elem != "" || f.Pointer {
			v.DType, v.Pointer, v.Dims = f.Elem, true, []cfront.Expr{nil}
		}
		b.learnt.results[here] = v
	}
	b.drop(v)
	b.values = append(b.values, v)
	return v
}

// dropOwn takes what is known of the variables of a function that has returned, and of what values in it were kept in, from one of these on: to keep what is
// known of many takes long.
func (b *builder) dropOwn(x *cfront.Call, values int) {
	for v := range b.touchedBy(x).own {
		b.drop(v)
	}
	for _, v := range b.values[values:] {
		b.drop(v)
	}
	b.values = b.values[:values]
}

// drop takes what is known of a variable, and of its members.
func (b *bindings) drop(v *builderVar) {
	delete(b.env, v)
	b.forgetMembers(v)
}

// callsIn runs the functions that an expression calls whatever it depends on.
func (b *builder) callsIn(e cfront.Expr) {
	switch x := e.(type) {
	case *cfront.Call:
		if b.file.Function(x.Func) != nil {
			b.called(x)
			return
		}
	case *cfront.Select:
		b.callsIn(x.If)
		return
	}
	for _, o := range cfront.Operands(e) {
		b.callsIn(o)
	}
}

// parameterOf gives a parameter of a function the value of an argument.
func (b *builder) parameterOf(x *cfront.Call, p *builderVar, arg cfront.Expr) {
	delete(b.env, p)
	if len(p.Dims) > 0 {
		b.env[p] = b.pointerValue(arg)
		if at := b.env[p].at; at != nil && at.alias == nil {
			b.settleAddress(x.Pos, p)
		}
		return
	}
	if isImage(p) {
		return
	}
	if p.Record != nil {
		b.assignRecord(x.Pos, cfront.Use(p), arg)
		return
	}
	if p.DType == "" {
		b.fail(arg, "", "the parameter %s of %s is neither a number nor a pointer to numbers", p.Name, x.Func)
	}
	b.assign(x.Pos, p, arg)
}

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
		v, use := cfront.Temporary(baseName(x.Func)+"_of", x)
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
