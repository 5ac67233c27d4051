package lift

import (
	"strconv"

	"gpuperf/internal/source"
	"gpuperf/kernel/expr"
)

// nodeKind is a kind of expression before its types are known.
type nodeKind uint8

const (
	nodeName nodeKind = iota
	nodeNumber
	nodeString
	nodeInfix   // text is + - * / ^
	nodeApply   // kids[0] applied to the others
	nodeCompose // kids[0] o kids[1]
	nodeDollar  // kids[0] $ kids[1]
	nodeFun     // params => kids[0]
	nodeLet     // text = kids[0], kids[1]
)

type node struct {
	kind   nodeKind
	text   string
	at     int
	kids   []*node
	params []param
}

// param is a parameter of a fun: a name, or the names of the components of a tuple.
type param struct {
	names []string
	tuple bool
	typ   *Type // nil where it is not written
	at    int
}

// parser reads the text form. Errors leave it by panic with a *source.Error; the exported functions recover it.
type parser struct {
	text  string
	toks  []token
	i     int
	depth int
}

const maxDepth = 200

func (p *parser) tok() token { return p.toks[p.i] }

func (p *parser) is(symbol string) bool {
	t := p.tok()
	return t.kind == tokSymbol && t.text == symbol
}

func (p *parser) isName(name string) bool {
	t := p.tok()
	return t.kind == tokName && t.text == name
}

func (p *parser) accept(symbol string) bool {
	if p.is(symbol) {
		p.i++
		return true
	}
	return false
}

func (p *parser) failAt(at int, format string, args ...any) {
	panic(source.New("", p.text, at, format, args...))
}

func (p *parser) failHint(at int, hint, format string, args ...any) {
	panic(source.New("", p.text, at, format, args...).WithHint("%s", hint))
}

func (p *parser) expected(what string) {
	found := p.tok().text
	if p.tok().kind == tokEnd {
		found = "the end"
	}
	p.failAt(p.tok().at, "expected %s, found %s", what, found)
}

// close reads the bracket that closes the one at an offset.
func (p *parser) close(open int, symbol string) {
	if p.accept(symbol) {
		return
	}
	if p.tok().kind == tokEnd {
		p.failHint(open, "write the "+symbol+" that belongs to it", "the bracket is never closed")
	}
	p.expected(symbol)
}

func (p *parser) expect(symbol string) {
	if !p.accept(symbol) {
		p.expected(symbol)
	}
}

func (p *parser) name(what string) string {
	t := p.tok()
	if t.kind != tokName {
		p.expected(what)
	}
	p.i++
	return t.text
}

func (p *parser) int() int {
	t := p.tok()
	n, err := strconv.Atoi(t.text)
	if t.kind != tokNumber || err != nil {
		p.expected("a whole number")
	}
	p.i++
	return n
}

// deeper bounds the nesting of what is read, and with it the stack.
func (p *parser) deeper() func() {
	if p.depth++; p.depth > maxDepth {
		p.failAt(p.tok().at, "expressions nest deeper than %d", maxDepth)
	}
	return func() { p.depth-- }
}

func (p *parser) expr() *node {
	defer p.deeper()()
	left := p.compose()
	if at := p.tok().at; p.accept("$") {
		return &node{kind: nodeDollar, at: at, kids: []*node{left, p.expr()}}
	}
	return left
}

func (p *parser) compose() *node {
	defer p.deeper()()
	left := p.infix(precSum)
	if at := p.tok().at; p.isName("o") {
		p.i++
		return &node{kind: nodeCompose, at: at, kids: []*node{left, p.compose()}}
	}
	return left
}

func (p *parser) infix(least int) *node {
	var left *node
	if at, next := p.tok().at, p.toks[min(p.i+1, len(p.toks)-1)]; p.is("-") && (next.kind != tokSymbol || next.text == "(") {
		p.i++
		zero := &node{kind: nodeNumber, text: "0", at: at}
		left = p.atom()
		if left.kind == nodeNumber {
			left.text = "-" + left.text
		} else {
			left = &node{kind: nodeInfix, text: "-", at: at, kids: []*node{zero, left}}
		}
	} else {
		left = p.atom()
	}
	for {
		t := p.tok()
		prec, ok := operatorPrec[t.text]
		if t.kind != tokSymbol || !ok || prec < least {
			return left
		}
		p.i++
		defer p.deeper()()
		left = &node{kind: nodeInfix, text: t.text, at: t.at, kids: []*node{left, p.infix(prec + 1)}}
	}
}

func (p *parser) atom() *node {
	defer p.deeper()()
	t := p.tok()
	var e *node
	switch {
	case t.kind == tokNumber:
		p.i++
		e = &node{kind: nodeNumber, text: t.text, at: t.at}
	case t.kind == tokString:
		p.i++
		e = &node{kind: nodeString, text: t.text, at: t.at}
	case t.kind == tokName && t.text == "fun":
		e = p.fun()
	case t.kind == tokName && t.text == "let":
		e = p.let()
	case t.kind == tokName:
		p.i++
		e = &node{kind: nodeName, text: t.text, at: t.at}
	case operatorPrec[t.text] != 0 && t.kind == tokSymbol:
		// An operator as a function: reduce(+, 0).
		if next := p.toks[p.i+1]; next.kind != tokSymbol || next.text != "," && next.text != ")" {
			p.expected("an expression")
		}
		p.i++
		return &node{kind: nodeName, text: t.text, at: t.at}
	case p.accept("("):
		e = p.expr()
		p.close(t.at, ")")
	default:
		p.expected("an expression")
	}
	for {
		switch at := p.tok().at; {
		case p.accept("("):
			e = &node{kind: nodeApply, at: e.at, kids: append([]*node{e}, p.args(at)...)}
		case p.accept("^"):
			e = &node{kind: nodeInfix, text: "^", at: at, kids: []*node{e, {kind: nodeNumber, at: p.tok().at, text: strconv.Itoa(p.int())}}}
		default:
			return e
		}
		defer p.deeper()()
	}
}

// args reads expressions up to the bracket that closes the one at an offset.
func (p *parser) args(open int) []*node {
	var list []*node
	for !p.accept(")") {
		switch {
		case len(list) == 0 || p.accept(","):
		case p.tok().kind == tokEnd:
			p.close(open, ")")
		default:
			p.expected(", or )")
		}
		list = append(list, p.expr())
	}
	return list
}

// fun reads fun(x, y: T, (a, b) => body).
func (p *parser) fun() *node {
	e := &node{kind: nodeFun, at: p.tok().at}
	p.i++
	open := p.tok().at
	p.expect("(")
	seen := map[string]bool{}
	for !p.accept("=>") {
		if len(e.params) > 0 {
			p.expect(",")
		}
		q := param{at: p.tok().at}
		if q.tuple = p.accept("("); q.tuple {
			for !p.accept(")") {
				if len(q.names) > 0 {
					p.expect(",")
				}
				q.names = append(q.names, p.variable(seen))
			}
		} else {
			q.names = []string{p.variable(seen)}
		}
		if p.accept(":") {
			q.typ = p.typ()
		}
		e.params = append(e.params, q)
	}
	if len(e.params) == 0 {
		p.failAt(e.at, "a fun has parameters")
	}
	e.kids = []*node{p.expr()}
	p.close(open, ")")
	return e
}

// variable reads the name of a variable: any but those that mean something else.
func (p *parser) variable(seen map[string]bool) string {
	at := p.tok().at
	name := p.name("the name of a variable")
	switch {
	case reserved[name] || patterns[name] != nil || expr.DType(name).Known() || typeNames[name] != "":
		p.failHint(at, "another name avoids the doubt", "%s already means something", name)
	case seen[name]:
		p.failAt(at, "two parameters are named %s", name)
	}
	seen[name] = true
	return name
}

func (p *parser) let() *node {
	e := &node{kind: nodeLet, at: p.tok().at}
	p.i++
	p.expect("(")
	e.text = p.variable(map[string]bool{})
	p.expect("=")
	value := p.expr()
	p.expect(",")
	e.kids = []*node{value, p.expr()}
	p.expect(")")
	return e
}

// typeNames are short names of element types.
var typeNames = map[string]expr.DType{"float": expr.Float32, "double": expr.Float64, "half": expr.Float16, "int": expr.Int32, "long": expr.Int64}

func (p *parser) typ() *Type {
	defer p.deeper()()
	t := p.tok()
	switch {
	case p.accept("["):
		elem := p.typ()
		p.expect("]")
		return Array(elem, p.sizeAtom())
	case p.accept("<"):
		d := p.dtype()
		p.expect(">")
		at := p.tok().at
		w := p.int()
		if !validWidth(w) {
			p.failAt(at, "the width of a vector is 2, 4, 8 or 16, not %d", w)
		}
		return Vector(d, w)
	case p.accept("("):
		var elems []*Type
		for !p.accept(")") {
			if len(elems) > 0 {
				p.expect(",")
			}
			elems = append(elems, p.typ())
		}
		if len(elems) < 2 {
			p.failAt(t.at, "a tuple has two components or more")
		}
		return TupleOf(elems...)
	}
	return Scalar(p.dtype())
}

func (p *parser) dtype() expr.DType {
	at := p.tok().at
	name := p.name("a type")
	d := expr.DType(name)
	if short := typeNames[name]; short != "" {
		d = short
	}
	if !d.Known() || d.IsComplex() || d.IsVector() {
		p.failHint(at, "types are written float32, int32, [float32]n, [[float32]m](n + 2), <float32>4, (float32, int32)", "unknown type %s", name)
	}
	return d
}

// sizeAtom reads a size that needs no brackets, or stands in them.
func (p *parser) sizeAtom() Size {
	t := p.tok()
	if t.kind != tokName && t.kind != tokNumber && !p.is("(") {
		p.expected("a size")
	}
	if p.accept("(") {
		s := p.size(p.expr())
		p.expect(")")
		return s
	}
	p.i++
	kind := nodeName
	if t.kind == tokNumber {
		kind = nodeNumber
	}
	return p.size(&node{kind: kind, text: t.text, at: t.at})
}

// size reads an expression as a size.
func (p *parser) size(e *node) Size {
	switch e.kind {
	case nodeName:
		if isIdent(e.text) && !reserved[e.text] {
			return Sym(e.text)
		}
	case nodeNumber:
		n, err := strconv.ParseInt(e.text, 10, 64)
		if err != nil {
			p.failAt(e.at, "%s is no size", e.text)
		}
		return Nat(n)
	case nodeInfix:
		a, b := p.size(e.kids[0]), p.size(e.kids[1])
		var r Size
		switch e.text {
		case "+":
			r = a.Add(b)
		case "-":
			r = a.Sub(b)
		case "*":
			r = a.Mul(b)
		case "/":
			q, err := a.Div(b)
			if err != nil {
				p.failAt(e.at, "%v", err)
			}
			r = q
		case "^":
			n, ok := b.Const()
			if !ok || n > 64 {
				p.failAt(e.at, "the exponent is a number up to 64")
			}
			r = Nat(1)
			for range n {
				r = p.bounded(e, r.Mul(a))
			}
		}
		return p.bounded(e, r)
	}
	p.failHint(e.at, "sizes are made of whole numbers, size symbols, + - * / ^", "this is no size")
	return Size{}
}

// bounded refuses sizes that no program has.
func (p *parser) bounded(e *node, s Size) Size {
	if len(s.String()) > 400 {
		p.failAt(e.at, "the size has too many terms")
	}
	return s
}
