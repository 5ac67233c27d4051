package inline

import (
	"slices"

	"gpuperf/cfront"
	"gpuperf/kernel/expr"
)

// exit is a way to leave a list of statements for its end.
type exit struct {
	is   func(*cfront.Jump) bool
	keep bool // the jump stays where it is, as it does something
	loop bool // inner loops and switches have their own
}

// apart are statements in which what follows a branch that jumps to their end is in the other branch, so that the jumps do nothing more. ok is false where one
// stands elsewhere.
func apart(items []cfront.Stmt, e exit) (out []cfront.Stmt, ok bool) {
	for n, s := range items {
		if !e.within(s) {
			out = append(out, s)
			continue
		}
		switch x := s.(type) {
		case *cfront.Jump:
			if e.keep {
				out = append(out, x)
			}
			return out, true
		case *cfront.Block:
			return apart(slices.Concat(out, x.Items, items[n+1:]), e)
		case *cfront.If:
			then, okThen := apart(itemsOf(x.Then), e)
			other, okElse := apart(itemsOf(x.Else), e)
			rest, okRest := apart(items[n+1:], e)
			thenEnds, otherEnds := e.ends(x.Then), x.Else != nil && e.ends(x.Else)
			if !okThen || !okElse || !okRest || !thenEnds && !otherEnds && len(rest) > 0 {
				return nil, false // else the rest would stand twice
			}
			if !thenEnds {
				then = append(slices.Clip(then), rest...)
			}
			if !otherEnds {
				other = append(slices.Clip(other), rest...)
			}
			_, last := cfront.Lines(x)
			branch := &cfront.If{Pos: x.Pos, Cond: x.Cond, Then: block(x.Pos, then, last)}
			if len(other) > 0 {
				branch.Else = block(x.Pos, other, last)
			}
			return append(out, branch), true
		}
		return nil, false
	}
	return out, true
}

// within reports that the jump is somewhere in a statement.
func (e exit) within(s cfront.Stmt) bool {
	switch x := s.(type) {
	case *cfront.Jump:
		return e.is(x)
	case *cfront.For, *cfront.While, *cfront.Other:
		if e.loop {
			return false
		}
	}
	inner, _ := cfront.Inside(s)
	return slices.ContainsFunc(inner, e.within)
}

// ends reports that a statement always ends in the jump.
func (e exit) ends(s cfront.Stmt) bool {
	items := itemsOf(s)
	if len(items) == 0 {
		return false
	}
	switch x := items[len(items)-1].(type) {
	case *cfront.Jump:
		return e.is(x)
	case *cfront.Block:
		return e.ends(x)
	case *cfront.If:
		return x.Else != nil && e.ends(x.Then) && e.ends(x.Else)
	}
	return false
}

func itemsOf(s cfront.Stmt) []cfront.Stmt {
	switch x := s.(type) {
	case nil:
		return nil
	case *cfront.Block:
		return x.Items
	}
	return []cfront.Stmt{s}
}

// stray reports that a body has a return that is not like the others, or a goto.
func stray(s cfront.Stmt, value bool) bool {
	return exit{is: func(j *cfront.Jump) bool { return j.What == "goto" || j.What == "return" && (j.Value != nil) != value }}.within(s)
}

// labelled are statements without the labels that only jumps from before them name, with these jumps taken apart.
func labelled(items []cfront.Stmt) []cfront.Stmt {
	for n := 0; n < len(items); n++ {
		l, ok := items[n].(*cfront.Other)
		if !ok || l.Label == "" {
			continue
		}
		e := exit{is: func(j *cfront.Jump) bool { return j.What == "goto" && j.Label == l.Label }}
		before, ok := apart(items[:n], e)
		if !ok || slices.ContainsFunc(items[n:], e.within) {
			return items
		}
		items = slices.Concat(before, l.Body, items[n+1:])
		n = len(before) - 1
	}
	return items
}

// loop takes the jumps in the body of a loop apart, at whose end each iteration does something more: the statements before it, and its body.
func (x *expander) loop(at cfront.Pos, items, post []cfront.Stmt) (before []cfront.Stmt, body []cfront.Stmt, broken bool) {
	items = labelled(items)
	if out, ok := apart(items, exit{is: func(j *cfront.Jump) bool { return j.What == "continue" }, loop: true}); ok {
		items = out
	}
	items = slices.Concat(items, post)
	e := exit{is: func(j *cfront.Jump) bool { return j.What == "break" }, loop: true, keep: true}
	if !slices.ContainsFunc(items, e.within) {
		return nil, items, false
	}
	out, ok := apart(items, e)
	if !ok {
		return nil, items, false
	}
	v := &cfront.Var{Name: "going", Pos: at, Class: cfront.Local, DType: expr.Int32, Init: cfront.NewInt(at, 1)}
	_, last := cfront.Lines(block(at, out, at.Line))
	inner := block(at, stopped(out, v), last)
	return []cfront.Stmt{&cfront.Declare{Pos: at, Vars: []*cfront.Var{v}}}, []cfront.Stmt{&cfront.If{Pos: at, Cond: cfront.Operation(at, "!=", cfront.Use(v), cfront.Zero(at)), Then: inner}}, true
}

// stopped are statements with an assignment in the place of each break of the loop.
func stopped(items []cfront.Stmt, going *cfront.Var) []cfront.Stmt {
	out := slices.Clone(items)
	for i, s := range out {
		switch x := s.(type) {
		case *cfront.Jump:
			if x.What == "break" {
				out[i] = do(x.Pos, cfront.Assignment(cfront.Use(going), cfront.Zero(x.Pos)))
			}
		case *cfront.Block:
			out[i] = block(x.Pos, stopped(x.Items, going), x.Last)
		case *cfront.If:
			_, last := cfront.Lines(x)
			own := *x
			own.Then = block(x.Pos, stopped(itemsOf(x.Then), going), last)
			if x.Else != nil {
				own.Else = block(x.Pos, stopped(itemsOf(x.Else), going), last)
			}
			out[i] = &own
		}
	}
	return out
}
