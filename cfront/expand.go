package cfront

import "slices"

// Expanded are statements with the bodies of functions of the file in the place of calls, as far as that does the same: parameters that are numbers become
// variables, those that are arrays are what is passed, and a function that returns early has its rest in branches. Side effects inside of statements become
// statements of their own. What cannot be taken apart is left as it is.
func (f *File) Expanded(items []Stmt) []Stmt {
	x := &expander{file: f}
	return x.list(items)
}

type expander struct {
	file  *File
	stack []*Function // whose bodies are being expanded
}

// maxExpanded bounds how deep functions call each other.
const maxExpanded = 20

func (x *expander) list(items []Stmt) (out []Stmt) {
	for _, s := range items {
		out = append(out, x.statement(s)...)
	}
	return out
}

func (x *expander) body(s Stmt) Stmt {
	if s == nil {
		return nil
	}
	if b, ok := s.(*Block); ok {
		return &Block{b.Pos, x.list(b.Items), b.Last}
	}
	if list := x.statement(s); len(list) != 1 {
		_, last := Lines(s)
		return &Block{s.Place(), list, last}
	} else {
		return list[0]
	}
}

func (x *expander) statement(s Stmt) []Stmt {
	switch y := s.(type) {
	case *Block:
		return []Stmt{x.body(y)}
	case *For:
		out := *y
		out.Body = x.body(y.Body)
		return []Stmt{&out}
	case *While:
		out := *y
		out.Body = x.body(y.Body)
		return []Stmt{&out}
	case *If:
		out := *y
		pre, cond := x.hoisted(y.Cond)
		out.Cond, out.Then, out.Else = cond, x.body(y.Then), x.body(y.Else)
		return append(pre, &out)
	case *Declare:
		return x.declare(y)
	case *Do:
		return x.effect(y)
	}
	return []Stmt{s}
}

func (x *expander) declare(d *Declare) (out []Stmt) {
	for _, v := range d.Vars {
		if v.Init == nil || v.Class == Global || v.Listed {
			out = append(out, &Declare{Pos: d.Pos, Vars: []*Var{v}})
			continue
		}
		pre, init := x.hoisted(v.Init)
		if len(pre) == 0 {
			out = append(out, &Declare{Pos: d.Pos, Vars: []*Var{v}})
			continue
		}
		out = append(out, pre...)
		out = append(out, &Declare{d.Pos, []*Var{v}, true}, &Do{d.Pos, Assignment(Use(v), init)})
	}
	return out
}

// effect takes a statement apart.
func (x *expander) effect(d *Do) (out []Stmt) {
	switch e := d.X.(type) {
	case *List:
		for _, item := range e.Items {
			out = append(out, x.effect(&Do{item.Place(), item})...)
		}
		return out
	case *Call:
		if body, _, ok := x.instance(e); ok {
			return body
		}
	case *Assign:
		if _, chained := e.Value.(*Assign); chained {
			break
		}
		a := *e
		var post, more []Stmt
		var pre []Stmt
		pre, a.Value = x.hoisted(e.Value)
		if !e.Step {
			var first []Stmt
			first, a.To = x.hoisted(e.To)
			pre = append(first, pre...)
			a.Value, post = stepsAfter(a.Value, e)
			a.To, more = stepsAfter(a.To, e)
		}
		return slices.Concat(pre, []Stmt{&Do{d.Pos, &a}}, post, more)
	}
	return []Stmt{d}
}

// stepsAfter takes x++ out of an expression in which nothing else uses x: statements that follow it.
func stepsAfter(e Expr, within *Assign) (out Expr, post []Stmt) {
	out = Rebuilt(e, func(e Expr) (Expr, bool) {
		a, ok := e.(*Assign)
		if !ok || !a.Step || !a.After {
			return nil, false
		}
		r, ok := a.To.(*Ref)
		if !ok || uses(within, r.Var) != 1 {
			return nil, false
		}
		post = append(post, &Do{a.Pos, a})
		return r, true
	})
	return out, post
}

func uses(e Expr, v *Var) (n int) {
	Walk(e, func(e Expr) {
		if r, ok := e.(*Ref); ok && r.Var == v {
			n++
		}
	})
	return n
}

// hoisted is an expression with the results of calls in their place, and the statements that make these.
func (x *expander) hoisted(e Expr) (pre []Stmt, out Expr) {
	var in func(e Expr) Expr
	in = func(e Expr) Expr {
		return Rebuilt(e, func(e Expr) (Expr, bool) {
			switch y := e.(type) {
			case *Select:
				c := *y
				c.If = in(y.If)
				return &c, true
			case *Binary:
				if y.Op == "&&" || y.Op == "||" {
					c := *y
					c.X = in(y.X)
					return &c, true
				}
			case *Call:
				c := *y
				c.Args = slices.Clone(y.Args)
				for i := range c.Args {
					c.Args[i] = in(c.Args[i])
				}
				if body, result, ok := x.instance(&c); ok && result != nil {
					pre = append(pre, body...)
					return result, true
				}
				return &c, true
			}
			return nil, false
		})
	}
	out = in(e)
	return pre, out
}

// Rebuilt is an expression in which the parts that change replaces are replaced.
func Rebuilt(e Expr, change func(Expr) (Expr, bool)) Expr {
	if e == nil {
		return nil
	}
	if out, ok := change(e); ok {
		return out
	}
	in := func(e Expr) Expr { return Rebuilt(e, change) }
	all := func(list []Expr) []Expr {
		list = slices.Clone(list)
		for i := range list {
			list[i] = in(list[i])
		}
		return list
	}
	switch x := e.(type) {
	case *Index:
		return &Index{x.typed, in(x.Of), all(x.Subs)}
	case *Lane:
		return &Lane{x.typed, in(x.X), x.Lanes}
	case *Member:
		return &Member{x.typed, in(x.X), x.Name}
	case *Address:
		return &Address{x.typed, in(x.X)}
	case *Unary:
		return &Unary{x.typed, x.Op, in(x.X)}
	case *Binary:
		return &Binary{x.typed, x.Op, in(x.X), in(x.Y)}
	case *Select:
		return &Select{x.typed, in(x.If), in(x.Then), in(x.Else)}
	case *Cast:
		return &Cast{x.typed, in(x.X)}
	case *Vector:
		return &Vector{x.typed, all(x.Elems)}
	case *Call:
		return &Call{x.typed, x.Func, all(x.Args)}
	case *Assign:
		return &Assign{x.typed, x.Op, in(x.To), in(x.Value), x.Step, x.After}
	case *List:
		return &List{x.typed, all(x.Items)}
	case *Make:
		return &Make{x.typed, x.Ctor, all(x.Args)}
	case *Unknown:
		return &Unknown{x.typed, x.What, all(x.Args)}
	}
	return e
}
