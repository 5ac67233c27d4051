// Package inline has the bodies of functions where they are called, and branches where a text jumps, for front ends whose statements have neither.
package inline

import (
	"slices"

	"gpuperf/cfront"
)

// Expanded are statements with the bodies of functions of the file in the place of calls, as far as that does the same: parameters that are numbers become
// variables, those that are arrays are what is passed, and a function that returns early has its rest in branches. Side effects inside of statements become
// statements of their own. What cannot be taken apart is left as it is.
func Expanded(f *cfront.File, items []cfront.Stmt) []cfront.Stmt {
	x := &expander{file: f}
	return labelled(x.list(items))
}

type expander struct {
	file  *cfront.File
	stack []*cfront.Function // whose bodies are being expanded
}

// maxExpanded bounds how deep functions call each other.
const maxExpanded = 20

func (x *expander) list(items []cfront.Stmt) (out []cfront.Stmt) {
	for _, s := range items {
		out = append(out, x.statement(s)...)
	}
	return out
}

func (x *expander) body(s cfront.Stmt) cfront.Stmt {
	if s == nil {
		return nil
	}
	if b, ok := s.(*cfront.Block); ok {
		return block(b.Pos, x.list(b.Items), b.Last)
	}
	if list := x.statement(s); len(list) != 1 {
		_, last := cfront.Lines(s)
		return block(s.Place(), list, last)
	} else {
		return list[0]
	}
}

func (x *expander) statement(s cfront.Stmt) []cfront.Stmt {
	switch y := s.(type) {
	case *cfront.Block:
		return []cfront.Stmt{x.body(y)}
	case *cfront.For:
		out := *y
		_, last := cfront.Lines(y)
		out.Body = block(y.Body.Place(), x.list(itemsOf(y.Body)), last)
		before, loop := x.forLoop(&out)
		return append(before, loop)
	case *cfront.While:
		before, loop := x.while(y)
		return append(before, loop)
	case *cfront.If:
		out := *y
		pre, cond := x.hoisted(y.Cond)
		out.Cond, out.Then, out.Else = cond, x.body(y.Then), x.body(y.Else)
		return append(pre, &out)
	case *cfront.Declare:
		return x.declare(y)
	case *cfront.Do:
		return x.effect(y)
	case *cfront.Other:
		out := *y
		out.Body = x.list(y.Body)
		return []cfront.Stmt{&out}
	}
	return []cfront.Stmt{s}
}

func (x *expander) declare(d *cfront.Declare) (out []cfront.Stmt) {
	for _, v := range d.Vars {
		if v.Init == nil || v.Class == cfront.Global || v.Listed {
			out = append(out, &cfront.Declare{Pos: d.Pos, Vars: []*cfront.Var{v}})
			continue
		}
		pre, init := x.hoisted(v.Init)
		if len(pre) == 0 {
			out = append(out, &cfront.Declare{Pos: d.Pos, Vars: []*cfront.Var{v}})
			continue
		}
		out = append(out, pre...)
		out = append(out, &cfront.Declare{Pos: d.Pos, Vars: []*cfront.Var{v}, Bare: true}, do(d.Pos, cfront.Assignment(cfront.Use(v), init)))
	}
	return out
}

// effect takes a statement apart.
func (x *expander) effect(d *cfront.Do) (out []cfront.Stmt) {
	switch e := d.X.(type) {
	case *cfront.List:
		for _, item := range e.Items {
			out = append(out, x.effect(do(item.Place(), item))...)
		}
		return out
	case *cfront.Call:
		if body, _, ok := x.instance(e); ok {
			return body
		}
	case *cfront.Assign:
		if _, chained := e.Value.(*cfront.Assign); chained {
			break
		}
		a := *e
		var post, more []cfront.Stmt
		var pre []cfront.Stmt
		pre, a.Value = x.hoisted(e.Value)
		if !e.Step {
			var first []cfront.Stmt
			first, a.To = x.hoisted(e.To)
			pre = append(first, pre...)
			a.Value, post = stepsAfter(a.Value, e)
			a.To, more = stepsAfter(a.To, e)
		}
		return slices.Concat(pre, []cfront.Stmt{do(d.Pos, &a)}, post, more)
	}
	return []cfront.Stmt{d}
}

// stepsAfter takes x++ out of an expression in which nothing else uses x: statements that follow it.
func stepsAfter(e cfront.Expr, within *cfront.Assign) (out cfront.Expr, post []cfront.Stmt) {
	out = cfront.Rebuilt(e, func(e cfront.Expr) (cfront.Expr, bool) {
		a, ok := e.(*cfront.Assign)
		if !ok || !a.Step || !a.After {
			return nil, false
		}
		r, ok := a.To.(*cfront.Ref)
		if !ok || uses(within, r.Var) != 1 {
			return nil, false
		}
		post = append(post, do(a.Pos, a))
		return r, true
	})
	return out, post
}

func uses(e cfront.Expr, v *cfront.Var) (n int) {
	for e := range cfront.All(e) {
		if cfront.IsVar(e, v) {
			n++
		}
	}
	return n
}

// hoisted is an expression with the results of calls in their place, and the statements that make these.
func (x *expander) hoisted(e cfront.Expr) (pre []cfront.Stmt, out cfront.Expr) {
	var in func(e cfront.Expr) cfront.Expr
	in = func(e cfront.Expr) cfront.Expr {
		return cfront.Rebuilt(e, func(e cfront.Expr) (cfront.Expr, bool) {
			switch y := e.(type) {
			case *cfront.Select:
				c := *y
				c.If = in(y.If)
				return &c, true
			case *cfront.Binary:
				if y.Op == "&&" || y.Op == "||" {
					c := *y
					c.X = in(y.X)
					return &c, true
				}
			case *cfront.Call:
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
