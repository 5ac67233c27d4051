package script

import (
	"go.starlark.net/starlark"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// functionConstructors make user functions.
var functionConstructors = []function{
	{
		name: "Function", params: "name, params, result, body=, definition=, ops=",
		do: func(c *invocation) (starlark.Value, error) { return c.userFunction(), nil },
	},
}

// functionValue is a user function in a script.
type functionValue struct{ *kernel.Function }

func (f *functionValue) String() string        { return "function " + f.Function.String() }
func (f *functionValue) Type() string          { return "lp.Function" }
func (f *functionValue) Freeze()               {}
func (f *functionValue) Truth() starlark.Bool  { return true }
func (f *functionValue) Hash() (uint32, error) { return starlark.String(f.String()).Hash() }

func (c *invocation) userFunction() *functionValue {
	f := &kernel.Function{Name: c.text("name"), Result: expr.DType(c.text("result")), Body: c.text("body")}
	for _, p := range c.pairs("params") {
		t := expr.DType(p.value)
		if !t.Known() {
			c.fail("params", dtypeHint, "unknown element type %q of %s", p.value, p.key)
		}
		f.Params = append(f.Params, kernel.FunctionParam{Name: p.key, DType: t})
	}
	if !f.Result.Known() {
		c.fail("result", dtypeHint, "unknown element type %q", f.Result)
	}
	if c.has("definition") {
		f.Def = c.expr("definition", c.args["definition"])
	}
	if c.has("ops") {
		f.Counts = c.operations("ops")
	}
	return &functionValue{f}
}

// operations reads a dict of dicts: dtype to operation to number.
func (c *invocation) operations(name string) map[expr.DType]map[string]int64 {
	const hint = `write {"float32": {"add": 2, "func:sqrt": 1}}`
	dict := func(v starlark.Value) *starlark.Dict {
		d, ok := v.(*starlark.Dict)
		if !ok {
			c.fail(name, hint, "%s must be a dict of dicts, found %s", name, describe(v))
		}
		return d
	}
	text := func(v starlark.Value) string {
		s, ok := starlark.AsString(v)
		if !ok {
			c.fail(name, hint, "%s: expected a name, found %s", name, describe(v))
		}
		return s
	}
	out := map[expr.DType]map[string]int64{}
	for _, kv := range dict(c.args[name]).Items() {
		ops := map[string]int64{}
		for _, op := range dict(kv[1]).Items() {
			i, ok := op[1].(starlark.Int)
			n, fits := i.Int64()
			if !ok || !fits {
				c.fail(name, hint, "%s: expected a number of operations, found %s", name, describe(op[1]))
			}
			ops[text(op[0])] = n
		}
		out[expr.DType(text(kv[0]))] = ops
	}
	return out
}

func (c *invocation) userFunctions(name string) []*kernel.Function {
	if !c.has(name) {
		return nil
	}
	var out []*kernel.Function
	enter := func(v starlark.Value) {
		f, ok := v.(*functionValue)
		if !ok {
			c.fail(name, "", "expected lp.Function(...), found %s", describe(v))
		}
		out = append(out, f.Function)
	}
	list, ok := c.args[name].(starlark.Iterable)
	if !ok {
		enter(c.args[name])
		return out
	}
	for x := range starlark.Elements(list) {
		enter(x)
	}
	return out
}

// vectorTypes are the names of vector types that lp offers: lp.float32x4.
func vectorTypes(scalars []expr.DType) []expr.DType {
	var out []expr.DType
	for _, t := range scalars {
		for _, n := range expr.Lanes {
			if v := t.Vector(n); v.Known() {
				out = append(out, v)
			}
		}
	}
	return out
}

// enter records that a function of lp was called.
func enter(thread *starlark.Thread) {
	if t, ok := thread.Local(traceKey).(*trace); ok {
		t.set(thread.CallFrame(1).Pos, true)
	}
}
