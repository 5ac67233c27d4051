package cfront

import (
	"fmt"
	"slices"

	"gpuperf/cfront/cpp"
)

// arm is what a switch does for some values.
type arm struct {
	at     Pos
	values []int64 // of its labels
	rest   bool    // it has the label default
	items  []Stmt
	last   int  // the line of what follows it
	runsOn bool // into the next one
}

// maxArms bounds the branches of a chain, of which each is within the one before.
const maxArms = 256

// switches reads a switch as a chain of branches. Arms that run on into each other are one, in which each part has its condition, and one that is left
// from within jumps to a label behind the switch.
func (p *parser) switches(at Pos) Stmt {
	p.next()
	p.expect("(")
	on := p.value()
	p.expect(")")
	outer := p.scope
	p.scope = &scope{outer: outer}
	defer func() { p.scope = outer }()
	if !p.is("{") || !on.t.dtype.IsInteger() {
		return &Other{Pos: at, What: "a switch", Body: []Stmt{p.controlled()}}
	}
	out := &Block{Pos: at}
	arms, why := p.arms()
	out.Last = p.here().Line
	p.next()
	label, left := fmt.Sprintf("behind the switch of line %d:%d", at.Line, at.Column), false
	for i := range arms {
		if arms[i].end(i == len(arms)-1, label) {
			left = true
		}
	}
	if left && p.lang.hosted && why == "" {
		why = "that is left from within an arm"
	}
	if _, simple := on.e.(*Ref); !simple && !(p.lang.hosted && pure(on.e)) || slices.ContainsFunc(arms, func(a arm) bool { return a.runsOn }) { // it is computed once
		v := &Var{Name: "chosen", Pos: at, Class: Local, Init: on.e}
		p.describe(v, on.t)
		out.Items = append(out.Items, &Declare{Pos: at, Vars: []*Var{v}})
		on.e = &Ref{on.t.typed(at), v}
	}
	if why != "" {
		var body []Stmt
		for i := range arms {
			body = append(body, arms[i].block())
		}
		return &Other{Pos: at, What: "a switch " + why, Body: body}
	}
	if out.Items = append(out.Items, p.chain(at, on, arms)); left {
		out.Items = append(out.Items, &Other{Pos: at, What: "a label", Label: label})
	}
	return out
}

// pure reports whether an expression may as well be evaluated several times.
func pure(e Expr) bool {
	return !Any(e, func(e Expr) bool {
		switch e.(type) {
		case *Assign, *Call, *Unknown:
			return true
		}
		return false
	})
}

// arms reads the braces of a switch up to the closing one. Why is what keeps it from being a chain of branches.
func (p *parser) arms() (arms []arm, why string) {
	open := p.here()
	p.next()
	for !p.is("}") {
		switch {
		case p.tok().Kind == cpp.End:
			p.fail(open, "the brace is not closed")
		case p.is("case"), p.is("default"):
			if n := len(arms); n == 0 || len(arms[n-1].items) > 0 {
				arms = append(arms, arm{at: p.here()})
			}
			a := &arms[len(arms)-1]
			if p.next().Text == "default" {
				a.rest = true
			} else {
				a.values = append(a.values, p.constant("the value of a case"))
				if p.accept("...") {
					p.constant("the last value of a case")
					why = "with a range of values"
				}
			}
			p.expect(":")
			continue
		}
		s := p.statement()
		if n := len(arms); n > 0 {
			arms[n-1].last = p.here().Line
		}
		switch n := len(arms); {
		case s == nil:
		case n == 0:
			why = "that begins without a label"
		case n > maxArms:
			why = "of very many arms"
		default:
			arms[n-1].items = append(arms[n-1].items, s)
		}
	}
	return arms, why
}

// end takes the break from the end of an arm, notes whether it runs on, makes other breaks jumps to a label, and reports whether there are any.
func (a *arm) end(last bool, label string) (left bool) {
	items, ends := withoutBreak(a.items)
	a.runsOn = !ends && !last
	for i := range items {
		left = left || breaks(items[i])
		items[i] = leaving(items[i], label)
	}
	a.items = items
	return left
}

// leaving is a statement whose breaks, of the switch around it, are jumps to a label.
func leaving(s Stmt, label string) Stmt {
	all := func(list []Stmt) (out []Stmt) {
		for _, s := range list {
			out = append(out, leaving(s, label))
		}
		return out
	}
	if s == nil || !breaks(s) {
		return s
	}
	switch x := s.(type) {
	case *Jump:
		return &Jump{Pos: x.Pos, What: "goto", Label: label}
	case *Block:
		return &Block{x.Pos, all(x.Items), x.Last}
	case *If:
		return &If{x.Pos, x.Cond, leaving(x.Then, label), leaving(x.Else, label)}
	case *Other:
		out := *x
		out.Body = all(x.Body)
		return &out
	}
	return s
}

// withoutBreak takes the break from the end of statements, and reports whether these end by a jump.
func withoutBreak(items []Stmt) (rest []Stmt, ends bool) {
	if len(items) == 0 {
		return items, false
	}
	before := items[:len(items)-1]
	switch x := items[len(items)-1].(type) {
	case *Jump:
		if x.What == "break" {
			return before, true
		}
		return items, true
	case *Block:
		inner, ends := withoutBreak(x.Items)
		return append(slices.Clone(before), &Block{x.Pos, inner, x.Last}), ends
	}
	return items, false
}

// breaks reports whether a statement may leave the loop or the switch around it.
func breaks(s Stmt) bool {
	switch x := s.(type) {
	case *Jump:
		return x.What == "break"
	case *Block:
		return slices.ContainsFunc(x.Items, breaks)
	case *If:
		return breaks(x.Then) || breaks(x.Else)
	case *Other:
		return slices.ContainsFunc(x.Body, breaks)
	}
	return false
}

// chain makes branches of arms, the first one outermost; those that run on into each other are one.
func (p *typer) chain(at Pos, on value, arms []arm) (out Stmt) {
	out = &Do{at, nil}
	var groups [][]arm
	for i := range arms {
		if n := len(groups); n > 0 && arms[i-1].runsOn {
			groups[n-1] = append(groups[n-1], arms[i])
		} else {
			groups = append(groups, arms[i:i+1:i+1])
		}
	}
	rest := func(g []arm) bool { return slices.ContainsFunc(g, func(a arm) bool { return a.rest }) }
	if i := slices.IndexFunc(groups, rest); i >= 0 {
		out = p.together(on, groups[i])
	}
	for _, g := range slices.Backward(groups) {
		if !rest(g) {
			out = &If{g[0].at, p.oneOf(on, g).e, p.together(on, g), out}
		}
	}
	return out
}

// together is the block of arms that run on into each other: each has the values of those before it, too.
func (p *typer) together(on value, g []arm) *Block {
	if len(g) == 1 {
		return g[0].block()
	}
	out := &Block{Pos: g[0].at}
	for i := range g {
		inner := g[i].block()
		out.Last = inner.Last
		switch before, after := g[:i+1], g[i+1:]; {
		case len(after) == 0:
			out.Items = append(out.Items, inner)
		case slices.ContainsFunc(before, func(a arm) bool { return a.rest }):
			cond := Expr(&Int{intType.typed(g[i].at), 1})
			if not := p.oneOf(on, after); not.e != nil {
				cond = p.sign(g[i].at, "!", not).e
			}
			out.Items = append(out.Items, &If{g[i].at, cond, inner, nil})
		default:
			out.Items = append(out.Items, &If{g[i].at, p.oneOf(on, before).e, inner, nil})
		}
	}
	return out
}

// oneOf is the condition that a value is one of those of some arms; nothing where these have none.
func (p *typer) oneOf(on value, arms []arm) (cond value) {
	for _, a := range arms {
		for _, n := range a.values {
			is := p.operation(a.at, "==", on, value{&Int{on.t.typed(a.at), n}, on.t})
			if cond.e == nil {
				cond = is
			} else {
				cond = p.operation(a.at, "||", cond, is)
			}
		}
	}
	return cond
}

func (a *arm) block() *Block { return &Block{a.at, a.items, max(a.last, a.at.Line)} }
