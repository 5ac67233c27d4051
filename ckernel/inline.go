package ckernel

import (
	"fmt"

	"gpuperf/cfront"
)

// result of a call: what is known of it, and the variable that has it.
type outcome struct {
	value
	variable *builderVar
}

// maxCalls bounds how deep functions call each other.
const maxCalls = 16

// called runs the body of a function of the file where the call stands, once for a call in an expression.
func (b *builder) called(x *cfront.Call) outcome {
	here := site{x.Pos, b.path}
	if done, ok := b.results[x]; ok {
		return done
	}
	f := b.file.Function(x.Func)
	functions := 0
	for _, fr := range b.frames {
		if fr.function {
			functions++
		}
	}
	switch {
	case functions > maxCalls:
		b.fail(x, "write a loop", "functions call each other more than %d deep", maxCalls)
	case len(f.Params) != len(x.Args):
		b.fail(x, "", "%s has %d parameters, not %d", x.Func, len(f.Params), len(x.Args))
	case f.Kernel:
		b.fail(x, "", "a kernel calls a kernel")
	case f == b.fn:
		b.fail(x, "", "%s calls itself", x.Func)
	case f.Err != nil:
		panic(fault{unread(f.Err)})
	}
	for _, a := range x.Args { // calls in arguments come before parameters have values
		b.callsIn(a)
	}
	for i, p := range f.Params {
		b.parameterOf(x, p, x.Args[i])
	}
	results := b.results
	b.results = map[*cfront.Call]outcome{}
	fr := &frame{function: true}
	if f.Result != "" {
		if fr.result = b.learnt.results[here]; fr.result == nil {
			fr.result = &builderVar{Name: baseName(f.Name) + "_result", Pos: x.Pos, Class: cfront.Local, DType: f.Result}
			b.learnt.results[here] = fr.result
		}
		delete(b.env, fr.result)
	}
	before, path, open := b.live, b.path, len(b.frames)
	b.path = fmt.Sprintf("%s/%d:%d", path, x.Pos.Line, x.Pos.Column)
	b.frames = append(b.frames, fr)
	b.statement(f.Body)
	b.joinExits(fr)
	b.frames, b.path = b.frames[:open], path
	b.live = before
	b.results = results
	out := outcome{variable: fr.result}
	if fr.result != nil {
		out.value = b.env[fr.result]
		if !b.follows(fr.result) {
			out.value = value{data: true}
		} else if !out.isNum && !out.data {
			b.forget(x.Pos, fr.result)
		}
	}
	b.results[x] = out
	return out
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
		if !p.Pointer && len(p.Dims) > 1 {
			b.fail(arg, "", "an array of arrays is passed to a function")
		}
		b.env[p] = value{at: b.addressOf(arg)}
		if b.env[p].at.alias == nil {
			b.settleAddress(x.Pos, p)
		}
		return
	}
	if p.DType == "" {
		b.fail(arg, "", "the parameter %s of %s is neither a number nor a pointer to numbers", p.Name, x.Func)
	}
	b.path += "(" // the assignment is another one than those in the text
	b.assign(x.Pos, p, arg)
	b.path = b.path[:len(b.path)-1]
}

// joinExits joins what is known where jumps have left an iteration or a function with what is known at its end.
func (b *builder) joinExits(f *frame) {
	dead := b.live.dead
	for _, e := range f.exits {
		if dead {
			b.env, dead = e.env, false
		} else {
			when := e.live.domain
			if len(e.live.preds) > 0 {
				when = nil
			}
			b.env = b.merge(when, e.env, b.env)
		}
	}
	f.exits = nil
}
