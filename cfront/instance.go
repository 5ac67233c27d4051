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
	rest, ok := returned(f.Body.Items, result != nil)
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

// returned are statements in which no return is left: what follows a branch that returns is the other branch. ok is false where a return stands elsewhere.
func returned(items []Stmt, value bool) (out []Stmt, ok bool) {
	for n, s := range items {
		switch x := s.(type) {
		case *Jump:
			if x.What != "return" || value != (x.Value != nil) {
				return nil, false
			}
			if value {
				out = append(out, x)
			}
			return out, true
		case *If:
			if !returns(x) {
				break
			}
			then, okThen := returned(itemsOf(x.Then), value)
			other, okElse := returned(itemsOf(x.Else), value)
			rest, okRest := returned(items[n+1:], value)
			if !okThen || !okElse || !okRest {
				return nil, false
			}
			if !ends(x.Then) {
				then = append(then, rest...)
			}
			if x.Else == nil || !ends(x.Else) {
				other = append(other, rest...)
			}
			if !ends(x.Then) && (x.Else == nil || !ends(x.Else)) && len(rest) > 0 {
				return nil, false // the rest would stand twice
			}
			_, last := Lines(x)
			return append(out, &If{x.Pos, x.Cond, &Block{x.Pos, then, last}, &Block{x.Pos, other, last}}), true
		case *Block:
			if returns(x) {
				return returned(slices.Concat(items[:n], x.Items, items[n+1:]), value)
			}
		}
		if returns(s) {
			return nil, false
		}
		out = append(out, s)
	}
	return out, true
}

func itemsOf(s Stmt) []Stmt {
	switch x := s.(type) {
	case nil:
		return nil
	case *Block:
		return x.Items
	}
	return []Stmt{s}
}

// ends reports that a statement ends in a return.
func ends(s Stmt) bool {
	items := itemsOf(s)
	if len(items) == 0 {
		return false
	}
	switch x := items[len(items)-1].(type) {
	case *Jump:
		return x.What == "return"
	case *Block:
		return ends(x)
	case *If:
		return x.Else != nil && ends(x.Then) && ends(x.Else)
	}
	return false
}

// returns reports that there is a return or a goto in a statement.
func returns(s Stmt) bool {
	if j, ok := s.(*Jump); ok {
		return j.What == "return" || j.What == "goto"
	}
	inner, _ := Inside(s)
	return slices.ContainsFunc(inner, returns)
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
		return &For{x.Pos, i.optional(x.Init), i.expr(x.Cond), i.expr(x.Step), i.statement(x.Body), x.Unroll}
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
