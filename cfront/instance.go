package cfront

import "slices"

// instance is the body of a function for one call, and the variable that has its value, nil for none. ok is false where the body cannot stand there.
func (x *expander) instance(call *Call) (body []Stmt, result *Ref, ok bool) {
	f := x.file.Function(call.Func)
	if f == nil || f.Err != nil || len(f.Params) != len(call.Args) || len(x.stack) >= maxExpanded || slices.Contains(x.stack, f) {
		return nil, nil, false
	}
	if _, simple := Inlined(f, call); simple {
		return nil, nil, false
	}
	i := &instance{vars: map[*Var]*Var{}, arrays: map[*Var]Expr{}}
	if f.Result != "" {
		v := &Var{Name: f.Name + "_result", Pos: call.Pos, Class: Local, DType: f.Result}
		i.result, result = v, &Ref{typed{Pos: call.Pos, DType: f.Result}, v}
		body = append(body, &Declare{Pos: call.Pos, Vars: []*Var{v}})
	} else if f.Record != nil || f.Pointer {
		return nil, nil, false
	}
	for n, p := range f.Params {
		arg := call.Args[n]
		switch {
		case p.DType != "" && len(p.Dims) == 0 && !p.Pointer:
			own := &Var{Name: p.Name, Pos: p.Pos, Class: Local, DType: p.DType, Init: arg}
			if arg.Type() != p.DType {
				own.Init = &Cast{typed{Pos: arg.Place(), DType: p.DType}, arg}
			}
			i.vars[p] = own
			body = append(body, &Declare{Pos: call.Pos, Vars: []*Var{own}})
		case len(p.Dims) > 0 && p.DType != "" && !reassigned(f.Body, p) && bindable(p, arg) && !changes(f.Body, arg):
			i.arrays[p] = arg
		default:
			return nil, nil, false
		}
	}
	if stray(f.Body, result != nil) {
		return nil, nil, false
	}
	rest, ok := apart(f.Body.Items, exit{is: func(j *Jump) bool { return j.What == "return" && (j.Value != nil) == (result != nil) }, keep: result != nil})
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
func reassigned(s Stmt, p *Var) (found bool) {
	everywhere(s, func(e Expr) {
		switch x := e.(type) {
		case *Assign:
			r, ok := x.To.(*Ref)
			found = found || ok && r.Var == p
		case *Address:
			r, ok := x.X.(*Ref)
			found = found || ok && r.Var == p
		}
	})
	return found
}

// changes reports that a body assigns to a scalar that an argument uses.
func changes(s Stmt, arg Expr) (found bool) {
	everywhere(s, func(e Expr) {
		a, ok := e.(*Assign)
		if !ok {
			return
		}
		if r, ok := a.To.(*Ref); ok {
			_, whole := arg.(*Address)
			found = found || uses(arg, r.Var) > 0 && !whole
		}
	})
	return found
}

// everywhere visits all expressions in a statement.
func everywhere(s Stmt, visit func(Expr)) {
	stmts, exprs := Inside(s)
	for _, e := range exprs {
		Walk(e, visit)
	}
	for _, inner := range stmts {
		everywhere(inner, visit)
	}
}

// bindable reports that a parameter is the array that an argument is, or a part of it: the extents of both are the same, but for the outermost.
func bindable(p *Var, arg Expr) bool {
	dims, ok := extents(arg)
	if !ok || len(dims) != len(p.Dims) {
		return false
	}
	for i := 1; i < len(dims); i++ {
		if dims[i] == nil || p.Dims[i] == nil || exprText(dims[i]) != exprText(p.Dims[i]) {
			if dims[i] == nil && p.Dims[i] == nil { // rows that are pointers
				continue
			}
			return false
		}
	}
	return baseType(arg) == p.DType
}

func baseType(e Expr) any {
	if v := baseOf(e); v != nil {
		return v.DType
	}
	return nil
}

func baseOf(e Expr) *Var {
	switch x := e.(type) {
	case *Ref:
		return x.Var
	case *Index:
		return baseOf(x.Of)
	case *Address:
		return baseOf(x.X)
	}
	return nil
}

// extents are those of the array that an argument is, or of what it points to.
func extents(e Expr) (dims []Expr, ok bool) {
	switch x := e.(type) {
	case *Ref:
		return x.Var.Dims, true
	case *Index:
		dims, ok = extents(x.Of)
		if len(dims) < len(x.Subs) {
			return nil, false
		}
		return dims[len(x.Subs):], ok
	case *Address:
		dims, ok = extents(x.X)
		return append([]Expr{nil}, dims...), ok
	}
	return nil, false
}

// instance is the body of a function with its own variables.
type instance struct {
	vars   map[*Var]*Var
	arrays map[*Var]Expr
	result *Var
	failed bool
}

func (i *instance) ok() bool { return !i.failed }

func (i *instance) statement(s Stmt) Stmt {
	switch x := s.(type) {
	case nil:
		return nil
	case *Block:
		out := &Block{x.Pos, nil, x.Last}
		for _, inner := range x.Items {
			out.Items = append(out.Items, i.statement(inner))
		}
		return out
	case *For:
		return &For{Pos: x.Pos, Init: i.optional(x.Init), Cond: i.expr(x.Cond), Step: i.expr(x.Step), Body: i.statement(x.Body), Broken: x.Broken, Unroll: x.Unroll}
	case *While:
		return &While{x.Pos, i.expr(x.Cond), i.statement(x.Body), x.Do}
	case *If:
		return &If{x.Pos, i.expr(x.Cond), i.statement(x.Then), i.optional(x.Else)}
	case *Jump:
		if x.What == "return" && i.result != nil {
			return &Do{x.Pos, Assignment(&Ref{typed{Pos: x.Pos, DType: i.result.DType}, i.result}, i.expr(x.Value))}
		}
		return x
	case *Do:
		return &Do{x.Pos, i.expr(x.X)}
	case *Declare:
		out := &Declare{Pos: x.Pos, Bare: x.Bare}
		for _, v := range x.Vars {
			out.Vars = append(out.Vars, i.local(v))
		}
		return out
	case *Other:
		out := &Other{Pos: x.Pos, What: x.What, Label: x.Label, Unread: x.Unread}
		for _, inner := range x.Body {
			out.Body = append(out.Body, i.statement(inner))
		}
		return out
	}
	i.failed = true
	return s
}

func (i *instance) optional(s Stmt) Stmt {
	if s == nil {
		return nil
	}
	return i.statement(s)
}

// local is the variable of this call.
func (i *instance) local(v *Var) *Var {
	if v.Class != Local {
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

func (i *instance) expr(e Expr) Expr {
	if e == nil {
		return nil
	}
	return Rebuilt(e, func(e Expr) (Expr, bool) {
		switch x := e.(type) {
		case *Ref:
			if v := i.vars[x.Var]; v != nil {
				return &Ref{x.typed, v}, true
			}
			if arg := i.arrays[x.Var]; arg != nil {
				return arg, true
			}
		case *Index:
			if r, ok := x.Of.(*Ref); ok && i.arrays[r.Var] != nil {
				return i.element(x, i.arrays[r.Var]), true
			}
		}
		return nil, false
	})
}

// element is an element of the array that a parameter is.
func (i *instance) element(x *Index, arg Expr) Expr {
	var subs []Expr
	for _, s := range x.Subs {
		subs = append(subs, i.expr(s))
	}
	switch a := arg.(type) {
	case *Index: // a part of an array
		return &Index{x.typed, a.Of, slices.Concat(a.Subs, subs)}
	case *Address:
		first, isNumber := subs[0].(*Int)
		zero := isNumber && first.Value == 0
		switch to := a.X.(type) {
		case *Index:
			last := len(to.Subs) - 1
			own := slices.Clone(to.Subs)
			if !zero {
				own[last] = Operation(x.Pos, "+", own[last], subs[0])
			}
			return &Index{x.typed, to.Of, append(own, subs[1:]...)}
		case *Ref:
			if zero && len(subs) == 1 {
				return to
			}
		}
		i.failed = true
		return x
	}
	return &Index{x.typed, arg, subs}
}
