package cfront

import "slices"

// Inlined is the value of a call: that of a function which does nothing but return it, with the arguments in the places of the parameters. ok is false
// for other functions, and for expressions that assign or use addresses.
func Inlined(f *Function, call *Call) (e Expr, ok bool) {
	if f.Result == "" || len(f.Params) != len(call.Args) || len(f.Body.Items) != 1 {
		return nil, false
	}
	j, ok := f.Body.Items[0].(*Jump)
	if !ok || j.Value == nil {
		return nil, false
	}
	by := map[*Var]Expr{}
	for i, p := range f.Params {
		if p.DType == "" || len(p.Dims) > 0 {
			return nil, false
		}
		by[p] = call.Args[i]
		if call.Args[i].Type() != p.DType {
			by[p] = &Cast{typed{Pos: call.Args[i].Place(), DType: p.DType}, call.Args[i]}
		}
	}
	e, ok = substituted(j.Value, by)
	if ok && e.Type() != f.Result {
		e = &Cast{typed{Pos: call.Pos, DType: f.Result}, e}
	}
	return e, ok
}

// substituted has expressions in the places of variables.
func substituted(e Expr, by map[*Var]Expr) (out Expr, ok bool) {
	ok = true
	in := func(e Expr) Expr {
		out, one := substituted(e, by)
		ok = ok && one
		return out
	}
	all := func(list []Expr) []Expr {
		list = slices.Clone(list)
		for i := range list {
			list[i] = in(list[i])
		}
		return list
	}
	switch x := e.(type) {
	case *Int, *Float:
		return e, true
	case *Ref:
		if v := by[x.Var]; v != nil {
			return v, true
		}
		return x, true
	case *Index:
		return &Index{x.typed, in(x.Of), all(x.Subs)}, ok
	case *Unary:
		return &Unary{x.typed, x.Op, in(x.X)}, ok
	case *Binary:
		return &Binary{x.typed, x.Op, in(x.X), in(x.Y)}, ok
	case *Select:
		return &Select{x.typed, in(x.If), in(x.Then), in(x.Else)}, ok
	case *Cast:
		return &Cast{x.typed, in(x.X)}, ok
	case *Call:
		return &Call{x.typed, x.Func, all(x.Args)}, ok
	}
	return e, false
}
