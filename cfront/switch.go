package cfront

import (
	"slices"

	"gpuperf/cfront/cpp"
)

// arm is what a switch does for some values.
type arm struct {
	at     Pos
	values []int64 // of its labels
	rest   bool    // it has the label default
	items  []Stmt
	last   int // the line of what follows it
}

// maxArms bounds the branches of a chain, of which each is within the one before.
const maxArms = 256

// switches reads a switch as a chain of branches, where each arm ends by a jump.
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
	if _, simple := on.e.(*Ref); !simple && !(p.lang.hosted && pure(on.e)) { // it is computed once
		v := &Var{Name: "chosen", Pos: at, Class: Local, Init: on.e}
		p.describe(v, on.t)
		out.Items = append(out.Items, &Declare{Pos: at, Vars: []*Var{v}})
		on.e = &Ref{on.t.typed(at), v}
	}
	arms, why := p.arms()
	out.Last = p.here().Line
	p.next()
	for i := range arms {
		if why == "" {
			why = arms[i].end(i == len(arms)-1)
		}
	}
	if why != "" {
		var body []Stmt
		for i := range arms {
			body = append(body, arms[i].block())
		}
		return &Other{Pos: at, What: "a switch " + why, Body: body}
	}
	out.Items = append(out.Items, p.chain(at, on, arms))
	return out
}

// pure reports whether an expression may as well be evaluated several times.
func pure(e Expr) bool {
	is := true
	Walk(e, func(e Expr) {
		switch e.(type) {
		case *Assign, *Call, *Unknown:
			is = false
		}
	})
	return is
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

// end takes the break from the end of an arm, and says what keeps the arm from being a branch.
func (a *arm) end(last bool) (why string) {
	items, ends := withoutBreak(a.items)
	switch {
	case !ends && !last:
		return "whose arms run on into each other"
	case slices.ContainsFunc(items, breaks):
		return "that is left from within an arm"
	}
	a.items = items
	return ""
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

// chain makes branches of arms, the first one outermost.
func (p *typer) chain(at Pos, on value, arms []arm) (out Stmt) {
	out = &Do{at, nil}
	if i := slices.IndexFunc(arms, func(a arm) bool { return a.rest }); i >= 0 {
		out = arms[i].block()
	}
	for _, a := range slices.Backward(arms) {
		if a.rest {
			continue
		}
		var cond value
		for i, n := range a.values {
			is := p.operation(a.at, "==", on, value{&Int{on.t.typed(a.at), n}, on.t})
			if i == 0 {
				cond = is
			} else {
				cond = p.operation(a.at, "||", cond, is)
			}
		}
		out = &If{a.at, cond.e, a.block(), out}
	}
	return out
}

func (a *arm) block() *Block { return &Block{a.at, a.items, max(a.last, a.at.Line)} }
