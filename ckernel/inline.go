package ckernel

import (
	"fmt"

	"gpuperf/cfront"
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
	case f.Kernel:
		b.fail(x, "", "a kernel calls a kernel")
	case f.Err != nil:
		panic(fault{unread(f.Err), cfront.Malformed(f.Err)})
	}
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
		if fr.result.Pointer {
			b.results[x] = out
			return out
		}
		if fr.result.Record != nil {
			b.results[x] = out
			return out
		}
		if !b.follows(fr.result) {
			out.value = value{data: true}
		} else if !out.isNum && !out.data {
			b.forget(x.Pos, fr.result)
		}
	}
	b.results[x] = out
	return out
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
		b.env[p] = value{at: b.addressOf(arg)}
		if b.env[p].at.alias == nil {
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
