package lower

import (
	"fmt"
	"maps"

	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/lift"
)

// viewCall is the call of a user function: an expression, computed where it is used. Results that are tuples are computed
// once, into private memory.
func (c *lowering) viewCall(t *lift.Term, env *scope) *val {
	if t.Type.Kind == lift.TupleType {
		d := c.allocate(kernel.Private, t.Type, nil)
		c.write(t, env, d)
		return d
	}
	u, args := t.Kids[0].User, c.viewAll(t.Kids[1:], env)
	lanes := c.lanes
	return scalar(t.Type, func() expr.Expr { return c.call(u, args, lanes) })
}

func (c *lowering) writeCall(t *lift.Term, env *scope, d *val) {
	u, args := t.Kids[0].User, c.viewAll(t.Kids[1:], env)
	if t.Type.Kind != lift.TupleType {
		c.store(d, c.call(u, args, c.lanes))
		return
	}
	values := c.callTuple(u, args)
	for k, part := range d.parts() {
		c.store(part, values[k])
	}
}

// viewMapVec applies a function on scalars to vectors: its calls become calls on vectors.
func (c *lowering) viewMapVec(t *lift.Term, env *scope) *val {
	for _, v := range c.viewAll(t.Kids[1:], env) {
		env = &scope{env, v}
	}
	return scalar(t.Type, func() expr.Expr {
		before := c.lanes
		c.lanes = int64(t.Type.Width)
		defer func() { c.lanes = before }()
		return c.view(t.Fn().Body(), env).load()
	})
}

// call is the value of a call with a scalar or vector result. Builtins are written as expressions, others as calls.
func (c *lowering) call(u *lift.UserFun, args []*val, lanes int64) expr.Expr {
	values := lists.Flat(args, (*val).components)
	if c.isBuiltin(u) {
		by := map[string]expr.Expr{}
		for i, p := range u.Params {
			by[p.Name] = values[i]
		}
		return expr.Subst(u.Defs[0], by)
	}
	return &expr.Call{Func: c.function(u, lanes).Name, Args: values}
}

func (c *lowering) isBuiltin(u *lift.UserFun) bool {
	is, known := c.builtins[u]
	if !known {
		is = u.IsBuiltin()
		c.builtins[u] = is
	}
	return is
}

// flatParams are the parameters of a function as scalars and vectors; tuples reports whether one was a tuple.
func flatParams(u *lift.UserFun) (params []kernel.FunctionParam, tuples bool) {
	for _, p := range u.Params {
		parts := lift.Components(p.Type)
		for k, part := range parts {
			name := p.Name
			if p.Type.Kind == lift.TupleType {
				name, tuples = componentName(p.Name, k), true
			}
			params = append(params, kernel.FunctionParam{Name: name, DType: part.DType.Vector(lanesOf(part))})
		}
	}
	return params, tuples
}

func componentName(param string, k int) string { return fmt.Sprintf("%s_%d", param, k) }

// flatten replaces the components of tuples, p[0], by separate parameters. ok is false if the expression has a lane of a
// vector, which the kernel IR cannot express.
func flatten(u *lift.UserFun, e expr.Expr) (out expr.Expr, ok bool) {
	tuple := map[string]bool{}
	for _, p := range u.Params {
		tuple[p.Name] = p.Type.Kind == lift.TupleType
	}
	ok = true
	out = expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		a, is := e.(*expr.Access)
		if !is {
			return e
		}
		if k, constant := a.Index[0].(expr.Int); constant && tuple[a.Array] && len(a.Index) == 1 {
			return expr.Var{Name: componentName(a.Array, int(k.Value))}
		}
		ok = false
		return e
	})
	return out, ok
}

// function declares a user function with a scalar or vector result for the kernels; if lanes is not 0, on vectors of that
// many lanes.
func (c *lowering) function(u *lift.UserFun, lanes int64) *kernel.Function {
	key := u.Name
	if lanes > 0 {
		key = fmt.Sprintf("%s_v%d", u.Name, lanes)
	}
	if f := c.functions[key]; f != nil {
		return f
	}
	params, tuples := flatParams(u)
	f := &kernel.Function{Name: c.fresh(key), Params: params, Result: u.Result.DType.Vector(lanesOf(u.Result)), Body: u.Body, Counts: u.Counts}
	if lanes > 0 {
		for i := range f.Params {
			f.Params[i].DType = f.Params[i].DType.Vector(lanes)
		}
		f.Result = f.Result.Vector(lanes)
		f.Counts = maps.Clone(u.Counts)
		for t, ops := range u.Counts {
			f.Counts[t] = map[string]int64{}
			for name, n := range ops {
				f.Counts[t][name] = n * lanes
			}
		}
	}
	if len(u.Defs) == 1 {
		def, whole := flatten(u, u.Defs[0])
		for _, l := range u.Lets {
			e, ok := flatten(u, l.Expr)
			whole = whole && ok
			f.Lets = append(f.Lets, kernel.FunctionLet{Name: l.Name, Expr: e})
		}
		if f.Def = def; !whole {
			f.Def, f.Lets = nil, nil
		}
	}
	if lanes > 0 && f.Def != nil {
		f.Def = castLanes(f.Def, lanes)
		for i := range f.Lets {
			f.Lets[i].Expr = castLanes(f.Lets[i].Expr, lanes)
		}
	}
	if tuples {
		f.Body = "" // it uses tuples, which the source does not have
	}
	if f.Def == nil && f.Body == "" {
		fail("function %s cannot be written: its definition uses lanes of vectors, or its body tuples", u.Name)
	}
	c.functions[key] = f
	c.order = append(c.order, f)
	return f
}

// castLanes makes the casts of a function on numbers casts of vectors.
func castLanes(e expr.Expr, lanes int64) expr.Expr {
	return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		if x, ok := e.(*expr.Cast); ok {
			return &expr.Cast{DType: x.DType.Vector(lanes), Arg: x.Arg}
		}
		return e
	})
}

// callTuple computes the components of a tuple result inline: the definition's named values and the arguments are kept in
// private variables.
func (c *lowering) callTuple(u *lift.UserFun, args []*val) []expr.Expr {
	if len(u.Defs) == 0 {
		fail("function %s gives a tuple and has no definition", u.Name)
	}
	params, _ := flatParams(u)
	by := map[string]expr.Expr{}
	keep := func(name string, t *lift.Type, value expr.Expr) {
		switch value.(type) {
		case expr.Var, expr.Int, expr.Float:
			by[name] = value
			return
		}
		d := c.allocate(kernel.Private, t, nil)
		c.store(d, value)
		by[name] = d.load()
	}
	k := 0
	for _, a := range args {
		for i, value := range a.components() {
			if c.isBuiltin(u) { // a copy
				by[params[k].Name] = value
			} else {
				keep(params[k].Name, lift.Components(a.typ)[i], value)
			}
			k++
		}
	}
	expand := func(e expr.Expr) expr.Expr {
		e, ok := flatten(u, e)
		if !ok {
			fail("function %s uses lanes of vectors", u.Name)
		}
		return expr.Subst(e, by)
	}
	for _, l := range u.Lets {
		value := expand(l.Expr)
		keep(l.Name, lift.Scalar(c.typeOf(value)), value)
	}
	return lists.Map(u.Defs, expand)
}

// typeOf is the type of an expression over the variables and arrays made so far.
func (c *lowering) typeOf(e expr.Expr) expr.DType {
	k := &kernel.Kernel{Name: "scope", Functions: c.order}
	used := map[string]bool{}
	for _, name := range mentioned(e) {
		used[name] = true
	}
	for _, b := range c.bufs {
		if used[b.name] {
			k.Args = append(k.Args, b.declare())
			delete(used, b.name)
		}
	}
	for name := range used { // inames
		k.Args = append(k.Args, &kernel.Array{Name: name, DType: expr.Int32, IsValue: true})
	}
	t, err := k.TypeOf(e)
	if err != nil {
		fail("%v", err)
	}
	return t
}
