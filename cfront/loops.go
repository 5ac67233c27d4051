package cfront

import (
	"slices"
	"strings"

	"gpuperf/cfront/cpp"
)

// colon is the token of the colon of for (T x : list), after the bracket; 0 of another loop.
func (p *cursor) colon() int {
	for n, depth := 0, 0; ; n++ {
		t := p.peek(n)
		switch {
		case t.Kind == cpp.End, t.Is(";") && depth == 0, t.Is("?"):
			return 0
		case t.Is("("), t.Is("["), t.Is("{"):
			depth++
		case t.Is(")"), t.Is("]"), t.Is("}"):
			if depth--; depth < 0 {
				return 0
			}
		case t.Is(":") && depth == 0:
			return p.i + n
		}
	}
}

// Names that no text has, of the variables of a loop over the elements of a list.
const (
	rangeIndex = "index of the loop"
	rangeList  = "list of the loop"
	rangeAt    = "iterator of the loop"
	rangeEnd   = "end of the loop"
)

// ranged reads for (T x : list) as for (int i = 0; i < n; ++i) { T x = list[i]; … }, after the bracket (C++17, 9.5.4).
func (p *parser) ranged(at Pos, colon int) Stmt {
	head := p.tokens[p.i:colon]
	p.i = colon + 1
	first := p.i
	out := &Block{Pos: at}
	list := rangeList
	word := func(text string) cpp.Token { return cpp.Token{Kind: cpp.Name, Text: text, At: cpp.Pos(at)} }
	sign := func(text string) cpp.Token { return cpp.Token{Kind: cpp.Symbol, Text: text, At: cpp.Pos(at)} }
	var t *ctype
	if p.is("{") {
		var of []value
		p.at(p.i+1, p.scope, func() { of = append(of, p.assignment()) })
		p.pass()
		p.scope.set(rangeList+"'s type", of[0].t.pointed().named())
		text := append([]cpp.Token{word(rangeList + "'s type"), word(rangeList), sign("["), sign("]"), sign("=")}, p.tokens[first:p.i]...)
		out.Items = append(out.Items, p.spliced(append(text, sign(";"))))
		t = p.scope.names[rangeList].(*variable).t
	} else {
		v := p.withAngle(0, p.value)
		t = v.t
		if r, ok := v.e.(*Ref); !ok || t.form != arrayForm {
			text := []cpp.Token{word("auto"), sign("&&"), word(rangeList), sign("=")}
			if _, made := v.e.(*Call); made && t.form == recordForm { // it has no other place
				text = slices.Delete(text, 1, 2)
			}
			text = append(text, p.tokens[first:p.i]...)
			out.Items = append(out.Items, p.spliced(append(text, sign(";"))))
		} else {
			p.scope.set(rangeList, &variable{v: r.Var, t: t})
		}
	}
	p.expect(")")
	if t.form == recordForm && t.record.scope != nil && t.record.scope.names["begin"] != nil {
		p.iterated(out, head)
		return out
	}
	n, ok := t.extent.(*Int)
	if t.form != arrayForm || !ok {
		p.fail(at, "a loop over the elements of %s is not read", t)
	}
	i := &Var{Name: "element", Pos: at, Class: Local, DType: intType.dtype, Init: Zero(at)}
	p.scope.set(rangeIndex, &variable{v: i, t: intType})
	use := value{Use(i), intType}
	loop := &For{
		Pos: at, Init: &Declare{Pos: at, Vars: []*Var{i}}, Cond: p.operation(at, "<", use, value{n, intType}).e, Step: p.step(at, use, "+", false).e,
	}
	element := append(append([]cpp.Token{}, head...), sign("="), word(list), sign("["), word(rangeIndex), sign("]"), sign(";"))
	body := &Block{Pos: p.here()}
	body.Items = append(body.Items, p.spliced(element))
	s := p.controlled()
	body.Items = append(body.Items, s)
	_, body.Last = Lines(s)
	loop.Body = body
	out.Items = append(out.Items, loop)
	out.Last = body.Last
	return out
}

// iterated reads such a loop over a record, whose functions begin and end give iterators.
func (p *parser) iterated(out *Block, head []cpp.Token) {
	made := func(text ...string) (list []cpp.Token) {
		for _, t := range text {
			kind := cpp.Kind(cpp.Symbol)
			if t[0] >= 'a' && t[0] <= 'z' {
				kind = cpp.Name
			}
			list = append(list, cpp.Token{Kind: kind, Text: t, At: cpp.Pos(out.Pos)})
		}
		return list
	}
	for _, v := range [][2]string{{rangeAt, "begin"}, {rangeEnd, "end"}} {
		out.Items = append(out.Items, p.spliced(made("auto", v[0], "=", rangeList, ".", v[1], "(", ")", ";")))
	}
	loop := &For{Pos: out.Pos}
	p.splice(made(rangeAt, "!=", rangeEnd), func() { loop.Cond = p.value().e })
	p.splice(made("++", rangeAt), func() { loop.Step = p.value().e })
	body := &Block{Pos: p.here()}
	body.Items = append(body.Items, p.spliced(append(append([]cpp.Token{}, head...), made("=", "*", rangeAt, ";")...)))
	s := p.controlled()
	body.Items = append(body.Items, s)
	_, body.Last = Lines(s)
	loop.Body = body
	out.Items, out.Last = append(out.Items, loop), body.Last
}

// spliced is the declaration that tokens are.
func (p *parser) spliced(tokens []cpp.Token) (s Stmt) {
	p.splice(tokens, func() { s = p.local(p.here()) })
	return s
}

// splice reads tokens in the place of the text.
func (p *parser) splice(tokens []cpp.Token, read func()) {
	start := len(p.tokens)
	p.tokens = append(p.tokens, tokens...)
	p.tokens = append(p.tokens, cpp.Token{At: tokens[0].At})
	p.at(start, p.scope, read)
}

// repeated has loops in the places of what a goto at its end leads back to the beginning of: again: …; if (c) goto again; is do { … } while (c).
func repeated(items []Stmt) []Stmt {
	for i := len(items) - 1; i >= 0; i-- {
		l, ok := items[i].(*Other)
		if !ok || l.Label == "" {
			continue
		}
		for j := len(items) - 1; j > i; j-- {
			cond := goesTo(items[j], l.Label)
			if cond == nil {
				continue
			}
			body := append(l.Body[:len(l.Body):len(l.Body)], items[i+1:j]...)
			if leavesLoop(body) || jumpsTo(items, l.Label) != 1 {
				break
			}
			loop := &While{Pos: l.Pos, Cond: cond, Body: &Block{Pos: l.Pos, Items: body, Last: items[j].Place().Line}, Do: true}
			items = append(append(items[:i:i], loop), items[j+1:]...)
			break
		}
	}
	return items
}

// goesTo is the condition of a branch that does nothing but go to a label; nil for other statements.
func goesTo(s Stmt, label string) Expr {
	x, ok := s.(*If)
	if !ok || x.Else != nil {
		return nil
	}
	then := x.Then
	if b, ok := then.(*Block); ok && len(b.Items) == 1 {
		then = b.Items[0]
	}
	if j, ok := then.(*Jump); ok && j.What == "goto" && j.Label == label {
		return x.Cond
	}
	return nil
}

// leavesLoop reports whether a break or continue in statements is one of a loop around them.
func leavesLoop(items []Stmt) bool {
	for _, s := range items {
		switch x := s.(type) {
		case nil, *For, *While:
			continue
		case *Jump:
			if x.What == "break" || x.What == "continue" {
				return true
			}
		}
		if inner, _ := Inside(s); leavesLoop(inner) {
			return true
		}
	}
	return false
}

// jumpsTo counts the gotos to a label.
func jumpsTo(items []Stmt, label string) (n int) {
	for _, s := range items {
		if s == nil {
			continue
		}
		if j, ok := s.(*Jump); ok && j.What == "goto" && j.Label == label {
			n++
		}
		inner, _ := Inside(s)
		n += jumpsTo(inner, label)
	}
	return n
}

// strideLoop is a loop over n elements as all work-items share them.
const strideLoop = "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)"

// loopMacro is the macro in capitals before the brackets in which a name stands first that nothing declares, as of EACH_INDEX(i, n) { … }.
func loopMacro(p *cursor, t cpp.Token) (macro cpp.Token, ok bool) {
	i := max(p.i-1, 2)
	for ; i < len(p.tokens)-1 && i <= p.i && p.tokens[i].At != t.At; i++ {
	}
	if i >= len(p.tokens)-1 || !p.lang.plusPlus || p.tokens[i].At != t.At || !p.tokens[i-1].Is("(") || !p.tokens[i+1].Is(",") {
		return macro, false
	}
	macro = p.tokens[i-2]
	open, commas := 1, 0
	for ; i < len(p.tokens)-2 && open > 0; i++ {
		switch x := p.tokens[i]; {
		case oneOf(x, "(", "[", "{"):
			open++
		case oneOf(x, ")", "]", "}"):
			open--
		case x.Is(",") && open == 1:
			commas++
		}
	}
	return macro, commas == 1 && p.tokens[i].Is("{") && macro.Kind == cpp.Name && macro.Text == strings.ToUpper(macro.Text) && !p.means(macro.Text)
}
