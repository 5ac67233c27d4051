package compile

import (
	"slices"
	"strings"

	"gpuperf/cfront"
)

// liveness finds whether what a variable has after a region may be used: whether on some path from there it is read before it is assigned.
type liveness struct {
	region []cfront.Stmt
	of     *cfront.Var
	left   bool // a break or a continue was passed, which leaves out what follows it
}

// fate is what happens first to the value of a variable.
type fate uint8

const (
	passed   fate = iota // on some path nothing, and on none it is used
	replaced             // it is assigned on all paths
	used
)

// live reports whether the value of a variable after a region may be used. Where it is not found out, it may.
func live(r *cfront.Region, v *cfront.Var) bool {
	if v.Class == cfront.Global || jumps(r.Function.Body, r.Items) || pointed(r.Function.Body, v) {
		return true
	}
	l := &liveness{region: r.Items, of: v}
	_, f := l.after(r.Function.Body)
	return f == used
}

// jumps reports that a statement has jumps to labels, other than in the region.
func jumps(s cfront.Stmt, region []cfront.Stmt) bool {
	if slices.Contains(region, s) {
		return false
	}
	if j, ok := s.(*cfront.Jump); ok && strings.HasPrefix(j.What, "goto") {
		return true
	}
	inner, _ := cfront.Inside(s)
	return slices.ContainsFunc(inner, func(s cfront.Stmt) bool { return jumps(s, region) })
}

// pointed reports that a statement takes the address of a variable.
func pointed(s cfront.Stmt, v *cfront.Var) bool {
	for e := range cfront.Everywhere(s) {
		if a, ok := e.(*cfront.Address); ok && cfront.Whole(a.X) == v {
			return true
		}
	}
	return false
}

// after is what happens from the end of the region to the end of a statement; found is false where the region is not in it.
func (l *liveness) after(s cfront.Stmt) (found bool, f fate) {
	inner, _ := cfront.Inside(s)
	at := -1
	for i, part := range inner {
		if slices.Contains(l.region, part) {
			at, found = i, true
		} else if ok, then := l.after(part); ok {
			at, found, f = i, true, then
		}
	}
	if !found || f != passed {
		return found, f
	}
	switch x := s.(type) {
	case *cfront.Block:
		if f = l.list(inner[at+1:]); f == replaced && l.left {
			f = passed
		}
	case *cfront.For:
		f = l.again(x.Step, x.Cond, x.Body)
	case *cfront.While:
		f = l.again(nil, x.Cond, x.Body)
	case *cfront.Other:
		f = l.other(x)
	}
	return true, f
}

// again is what happens in the iterations of a loop that follow one, of which there may be none.
func (l *liveness) again(step, cond cfront.Expr, body cfront.Stmt) fate {
	if l.expression(step) == used || l.expression(cond) == used || l.statement(body) == used {
		return used
	}
	return passed
}

func (l *liveness) list(items []cfront.Stmt) fate {
	for _, s := range items {
		if f := l.statement(s); f != passed {
			return f
		}
	}
	return passed
}

func (l *liveness) statement(s cfront.Stmt) fate {
	switch x := s.(type) {
	case nil:
		return passed
	case *cfront.Block:
		return l.list(x.Items)
	case *cfront.For:
		if f := l.statement(x.Init); f != passed {
			return f
		}
		return l.again(x.Step, x.Cond, x.Body)
	case *cfront.While:
		return l.again(nil, x.Cond, x.Body)
	case *cfront.If:
		if f := l.expression(x.Cond); f != passed {
			return f
		}
		then, other := l.statement(x.Then), l.statement(x.Else)
		switch {
		case then == used || other == used:
			return used
		case then == replaced && other == replaced:
			return replaced
		}
		return passed
	case *cfront.Do:
		return l.expression(x.X)
	case *cfront.Declare:
		for _, v := range x.Vars {
			if v == l.of {
				return replaced
			}
			if f := l.expression(v.Init); f != passed {
				return f
			}
		}
		return passed
	case *cfront.Jump:
		if f := l.expression(x.Value); f != passed {
			return f
		}
		if x.What != "return" {
			l.left = true
			return passed
		}
		return replaced // the function ends
	}
	return l.other(s)
}

// other is a statement whose paths are not known.
func (l *liveness) other(s cfront.Stmt) fate {
	for e := range cfront.Everywhere(s) {
		if cfront.IsVar(e, l.of) {
			return used
		}
	}
	return passed
}

// expression is what an expression does: it uses a variable that it mentions, unless it assigns another value to it.
func (l *liveness) expression(e cfront.Expr) fate {
	if a, ok := e.(*cfront.Assign); ok && a.Op == "" && !a.Step {
		if r, named := a.To.(*cfront.Ref); named && r.Var == l.of {
			if f := l.expression(a.Value); f != passed {
				return f
			}
			return replaced
		}
	}
	if e != nil && cfront.Mentions(e, l.of) {
		return used
	}
	return passed
}
