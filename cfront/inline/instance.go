package inline

import (
	"slices"

	"gpuperf/cfront"
)

// instance is the body of a function for one call, and the variable that has its value, nil for none. ok is false where the body cannot stand there.
func (x *expander) instance(call *cfront.Call) (body []cfront.Stmt, result *cfront.Ref, ok bool) {
	f := x.file.Function(call.Func)
	if f == nil {
		f = x.summary(call)
	}
	if f == nil || f.Err != nil || len(f.Params) != len(call.Args) || len(x.stack) >= maxExpanded || slices.Contains(x.stack, f) {
		return nil, nil, false
	}
	if _, simple := cfront.Inlined(f, call); simple {
		return nil, nil, false
	}
	i := &instance{vars: map[*cfront.Var]*cfront.Var{}, arrays: map[*cfront.Var]cfront.Expr{}}
	if f.Result != "" {
		v := &cfront.Var{Name: f.Name + "_result", Pos: call.Pos, Class: cfront.Local, DType: f.Result}
		i.result, result = v, cfront.Use(v)
		body = append(body, &cfront.Declare{Pos: call.Pos, Vars: []*cfront.Var{v}})
	} else if f.Record != nil || f.Pointer {
		return nil, nil, false
	}
	for n, p := range f.Params {
		arg := call.Args[n]
		switch {
		case p.DType != "" && len(p.Dims) == 0 && !p.Pointer:
			own := &cfront.Var{Name: p.Name, Pos: p.Pos, Class: cfront.Local, DType: p.DType, Init: arg}
			if arg.Type() != p.DType {
				own.Init = cfront.CastTo(p.DType, arg)
			}
			i.vars[p] = own
			body = append(body, &cfront.Declare{Pos: call.Pos, Vars: []*cfront.Var{own}})
		case len(p.Dims) > 0 && p.DType != "" && !reassigned(f.Body, p) && bindable(p, arg) && !changes(f.Body, arg):
			i.arrays[p] = arg
		default:
			return nil, nil, false
		}
	}
	if stray(f.Body, result != nil) {
		return nil, nil, false
	}
	rest, ok := apart(f.Body.Items, exit{is: func(j *cfront.Jump) bool { return j.What == "return" && (j.Value != nil) == (result != nil) }, keep: result != nil})
	if !ok {
		return nil, nil, false
	}
	for _, s := range rest {
		body = append(body, i.statement(s))
	}
	if !i.ok() {
		return nil, nil, false
	}
	x.stack = append(x.stack, f)
	body = x.list(body)
	x.stack = x.stack[:len(x.stack)-1]
	return body, result, true
}

// reassigned reports that a function changes a parameter that is an array or a pointer, or takes its address.
func reassigned(s cfront.Stmt, p *cfront.Var) bool {
	for e := range cfront.Everywhere(s) {
		switch x := e.(type) {
		case *cfront.Assign:
			e = x.To
		case *cfront.Address:
			e = x.X
		default:
			continue
		}
		if cfront.IsVar(e, p) {
			return true
		}
	}
	return false
}

// changes reports that a body assigns to a scalar that an argument uses.
func changes(s cfront.Stmt, arg cfront.Expr) bool {
	if _, whole := arg.(*cfront.Address); whole {
		return false
	}
	for e := range cfront.Everywhere(s) {
		if a, ok := e.(*cfront.Assign); ok {
			if r, ok := a.To.(*cfront.Ref); ok && cfront.Mentions(arg, r.Var) {
				return true
			}
		}
	}
	return false
}

// bindable reports that a parameter is the array that an argument is, or a part of it: the extents of both are the same, but for the outermost.
func bindable(p *cfront.Var, arg cfront.Expr) bool {
	dims, ok := extents(arg)
	if !ok || len(dims) != len(p.Dims) {
		return false
	}
	for i := 1; i < len(dims); i++ {
		if dims[i] == nil || p.Dims[i] == nil || !cfront.Same(dims[i], p.Dims[i]) {
			if dims[i] == nil && p.Dims[i] == nil { // rows that are pointers
				continue
			}
			return false
		}
	}
	return baseType(arg) == p.DType
}

func baseType(e cfront.Expr) any {
	if v := baseOf(e); v != nil {
		return v.DType
	}
	return nil
}

func baseOf(e cfront.Expr) *cfront.Var {
	switch x := e.(type) {
	case *cfront.Ref:
		return x.Var
	case *cfront.Index:
		return baseOf(x.Of)
	case *cfront.Address:
		return baseOf(x.X)
	}
	return nil
}

// extents are those of the array that an argument is, or of what it points to.
func extents(e cfront.Expr) (dims []cfront.Expr, ok bool) {
	switch x := e.(type) {
	case *cfront.Ref:
		return x.Var.Dims, true
	case *cfront.Index:
		dims, ok = extents(x.Of)
		if len(dims) < len(x.Subs) {
			return nil, false
		}
		return dims[len(x.Subs):], ok
	case *cfront.Address:
		dims, ok = extents(x.X)
		return append([]cfront.Expr{nil}, dims...), ok
	}
	return nil, false
}

// instance is the body of a function with its own variables.
type instance struct {
	vars   map[*cfront.Var]*cfront.Var
	arrays map[*cfront.Var]cfront.Expr
	result *cfront.Var
	failed bool
}

func (i *instance) ok() bool { return !i.failed }

func (i *instance) statement(s cfront.Stmt) cfront.Stmt {
	switch x := s.(type) {
	case nil:
		return nil
	case *cfront.Block:
		out := block(x.Pos, nil, x.Last)
		for _, inner := range x.Items {
			out.Items = append(out.Items, i.statement(inner))
		}
		return out
	case *cfront.For:
		return &cfront.For{Pos: x.Pos, Init: i.optional(x.Init), Cond: i.expr(x.Cond), Step: i.expr(x.Step), Body: i.statement(x.Body), Broken: x.Broken, Unroll: x.Unroll}
	case *cfront.While:
		return &cfront.While{Pos: x.Pos, Cond: i.expr(x.Cond), Body: i.statement(x.Body), Do: x.Do, Unroll: x.Unroll}
	case *cfront.If:
		return &cfront.If{Pos: x.Pos, Cond: i.expr(x.Cond), Then: i.statement(x.Then), Else: i.optional(x.Else)}
	case *cfront.Jump:
		if x.What == "return" && i.result != nil {
			return do(x.Pos, cfront.Assignment(cfront.Use(i.result), i.expr(x.Value)))
		}
		return x
	case *cfront.Do:
		return do(x.Pos, i.expr(x.X))
	case *cfront.Declare:
		out := &cfront.Declare{Pos: x.Pos, Bare: x.Bare}
		for _, v := range x.Vars {
			out.Vars = append(out.Vars, i.local(v))
		}
		return out
	case *cfront.Other:
		out := &cfront.Other{Pos: x.Pos, What: x.What, Label: x.Label, Unread: x.Unread}
		for _, inner := range x.Body {
			out.Body = append(out.Body, i.statement(inner))
		}
		return out
	}
	i.failed = true
	return s
}

// Renamed is a statement with another variable in the place of one, and variables of its own.
func Renamed(s cfront.Stmt, from, to *cfront.Var) cfront.Stmt {
	i := &instance{vars: map[*cfront.Var]*cfront.Var{from: to}, arrays: map[*cfront.Var]cfront.Expr{}}
	return i.statement(s)
}

func (i *instance) optional(s cfront.Stmt) cfront.Stmt {
	if s == nil {
		return nil
	}
	return i.statement(s)
}

// local is the variable of this call.
func (i *instance) local(v *cfront.Var) *cfront.Var {
	if v.Class != cfront.Local {
		return v
	}
	own := *v
	i.vars[v] = &own
	own.Init = i.expr(v.Init)
	own.Dims = slices.Clone(v.Dims)
	for n := range own.Dims {
		own.Dims[n] = i.expr(own.Dims[n])
	}
	return &own
}

func (i *instance) expr(e cfront.Expr) cfront.Expr {
	if e == nil {
		return nil
	}
	return cfront.Rebuilt(e, func(e cfront.Expr) (cfront.Expr, bool) {
		switch x := e.(type) {
		case *cfront.Ref:
			if v := i.vars[x.Var]; v != nil {
				own := *x
				own.Var = v
				return &own, true
			}
			if arg := i.arrays[x.Var]; arg != nil {
				return arg, true
			}
		case *cfront.Index:
			if r, ok := x.Of.(*cfront.Ref); ok && i.arrays[r.Var] != nil {
				return i.element(x, i.arrays[r.Var]), true
			}
		}
		return nil, false
	})
}

// element is an element of the array that a parameter is.
func (i *instance) element(x *cfront.Index, arg cfront.Expr) cfront.Expr {
	var subs []cfront.Expr
	for _, s := range x.Subs {
		subs = append(subs, i.expr(s))
	}
	switch a := arg.(type) {
	case *cfront.Index: // a part of an array
		return indexed(x, a.Of, slices.Concat(a.Subs, subs))
	case *cfront.Address:
		first, isNumber := subs[0].(*cfront.Int)
		zero := isNumber && first.Value == 0
		switch to := a.X.(type) {
		case *cfront.Index:
			last := len(to.Subs) - 1
			own := slices.Clone(to.Subs)
			if !zero {
				own[last] = cfront.Operation(x.Pos, "+", own[last], subs[0])
			}
			return indexed(x, to.Of, append(own, subs[1:]...))
		case *cfront.Ref:
			if zero && len(subs) == 1 {
				return to
			}
		}
		i.failed = true
		return x
	}
	return indexed(x, arg, subs)
}

// indexed is an element of another array in the place of one.
func indexed(x *cfront.Index, of cfront.Expr, subs []cfront.Expr) *cfront.Index {
	own := *x
	own.Of, own.Subs = of, subs
	return &own
}
