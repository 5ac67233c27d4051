package lift

import (
	"fmt"
	"strconv"
	"strings"

	"gpuperf/internal/lex"
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

// language is the text form: a comment goes from # to the end of its line, and a number may have the suffix f.
var language = lex.Language{
	Symbols: []string{
		"=>", ">=", "(", ")", "[", "]", "<", ">", ",", ":", "$", "+", "-", "*", "/", "^", "|", "=",
		"%", "&", "!", "~", ".", // in the definitions of user functions alone
	},
	Strings: true,
	Hints: map[string]string{
		"":  "programs are made of names, numbers, brackets ( ) [ ], and => >= $ + - * / ^ | = < > , :",
		"{": "brackets are ( ) and [ ]", "}": "brackets are ( ) and [ ]",
		";": "declarations end with their lines", "'": `texts stand in "…"`,
	},
	Number: func(text string) int {
		if text[0] == '.' {
			return 0
		}
		n := lex.Decimal(text)
		if strings.HasPrefix(text[n:], "f") {
			n++
		}
		return n
	},
}

// parser reads the text form.
type parser struct{ lex.Cursor }

const maxDepth = 200 // of nested terms: no stack is exhausted

// expected fails at the current token; the hint says what would be right.
func (p *parser) expected(what, hint string) {
	p.FailHint(p.Tok().At, hint, "expected %s, found %s", what, orEnd(p.Tok()))
}

// onlyInDefs are operators and words of the expressions of user functions, which the patterns around them do not have.
var onlyInDefs = map[string]bool{"%": true, "if": true, "and": true, "or": true, "not": true, "<": true, ">": true, ">=": true, "=": true, "&": true, "!": true}

// ends fails where an expression should have ended.
func (p *parser) ends(what, hint string) {
	if t := p.Tok().Text; onlyInDefs[t] {
		hint = fmt.Sprintf("%s stands in functions on numbers: def f(x: int32): int32 = x %% 2 if x > 0 else 0", t)
	} else if t == "[" {
		hint = "at(i, xs) is an element of an array, and get(k, p) a component of a tuple: brackets stand in functions on numbers"
	}
	p.expected(what, hint)
}

// close reads the bracket that closes the one opened at an offset.
func (p *parser) close(open int, symbol string) {
	if p.Accept(symbol) {
		return
	}
	if p.Tok().Kind == lex.End {
		p.FailHint(open, "add the matching "+symbol, "the bracket is never closed")
	}
	p.ends(strconv.Quote(symbol), "the bracket is closed here, or the expression goes on: f(x), f $ x, f o g, x + y")
}

func (p *parser) expect(symbol, hint string) {
	if !p.Accept(symbol) {
		p.expected(strconv.Quote(symbol), hint)
	}
}

func (p *parser) name(what, hint string) string {
	t := p.Tok()
	if t.Kind != lex.Name {
		p.expected(what, hint)
	}
	p.I++
	return t.Text
}

func (p *parser) int(hint string) int {
	t := p.Tok()
	n, err := strconv.Atoi(t.Text)
	if t.Kind != lex.Number || err != nil {
		p.expected("a whole number", hint)
	}
	p.I++
	return n
}

func (p *parser) expr() *node {
	defer p.Nest(maxDepth, "expressions")()
	left := p.compose()
	if at := p.Tok().At; p.Accept("$") {
		return &node{kind: nodeDollar, at: at, kids: []*node{left, p.expr()}}
	}
	return left
}

func (p *parser) compose() *node {
	defer p.Nest(maxDepth, "expressions")()
	left := p.infix(precSum)
	if at := p.Tok().At; p.Accept("o") {
		return &node{kind: nodeCompose, at: at, kids: []*node{left, p.compose()}}
	}
	return left
}

func (p *parser) infix(least int) *node {
	var left *node
	if at, next := p.Tok().At, p.Peek(1); p.Is("-") && (next.Kind != lex.Symbol || next.Text == "(") {
		p.I++
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
		t := p.Tok()
		prec, ok := operatorPrec[t.Text]
		if t.Kind != lex.Symbol || !ok || prec < least {
			return left
		}
		p.I++
		defer p.Nest(maxDepth, "expressions")()
		left = &node{kind: nodeInfix, text: t.Text, at: t.At, kids: []*node{left, p.infix(prec + 1)}}
	}
}

// Hints for what has a form of its own.
const (
	funForm    = "write fun(x => …), or with types fun(xs: [float32]n, a: float32 => …)"
	letForm    = "write let(y = x + 1, y*y)"
	valueForms = "a value is a number, a name, or a function applied: f(x), f $ x"
)

// leafKinds are the kinds of leaves; the others are names.
var leafKinds = map[lex.Kind]nodeKind{lex.Number: nodeNumber, lex.String: nodeString}

// leaf is the node of a single token: a number, a string, or a name.
func (p *parser) leaf() *node {
	t := p.Tok()
	p.I++
	return &node{kind: leafKinds[t.Kind], text: t.Text, at: t.At}
}

func (p *parser) atom() *node {
	defer p.Nest(maxDepth, "expressions")()
	t := p.Tok()
	var e *node
	switch {
	case p.Is("fun"):
		e = p.fun()
	case p.Is("let"):
		e = p.let()
	case t.Kind == lex.Number || t.Kind == lex.String || t.Kind == lex.Name:
		e = p.leaf()
	case operatorPrec[t.Text] != 0 && t.Kind == lex.Symbol:
		// An operator as a function: reduce(+, 0).
		if next := p.Peek(1); next.Kind != lex.Symbol || next.Text != "," && next.Text != ")" {
			p.FailHint(p.Tok().At, valueForms, "%s", p.Missing("a value"))
		}
		return p.leaf()
	case p.Accept("("):
		e = p.expr()
		p.close(t.At, ")")
	default:
		p.FailHint(p.Tok().At, valueForms, "%s", p.Missing("a value"))
	}
	for {
		switch at := p.Tok().At; {
		case p.Accept("("):
			e = &node{kind: nodeApply, at: e.at, kids: append([]*node{e}, p.args(at)...)}
		case p.Accept("^"):
			e = &node{kind: nodeInfix, text: "^", at: at, kids: []*node{e, {kind: nodeNumber, at: p.Tok().At, text: strconv.Itoa(p.int("write n^2"))}}}
		default:
			return e
		}
		defer p.Nest(maxDepth, "expressions")()
	}
}

// args reads expressions up to the bracket that closes the one at an offset.
func (p *parser) args(open int) []*node {
	var list []*node
	for !p.Accept(")") {
		switch {
		case len(list) == 0 || p.Accept(","):
		case p.Tok().Kind == lex.End:
			p.close(open, ")")
		default:
			p.ends(`"," or ")"`, "arguments stand between commas, as in zip(xs, ys)")
		}
		list = append(list, p.expr())
	}
	return list
}

// fun reads fun(x, y: T, (a, b) => body).
func (p *parser) fun() *node {
	e := &node{kind: nodeFun, at: p.Tok().At}
	p.I++
	open := p.Tok().At
	p.expect("(", funForm)
	seen := map[string]bool{}
	for !p.Accept("=>") {
		if len(e.params) > 0 && !p.Accept(",") {
			p.FailHint(p.Tok().At, funForm, `expected ",", ":" or "=>" after a parameter, found %s`, orEnd(p.Tok()))
		}
		q := param{at: p.Tok().At}
		if q.tuple = p.Accept("("); q.tuple {
			for !p.Accept(")") {
				if len(q.names) > 0 {
					p.expect(",", "write fun((a, b) => …) for a tuple")
				}
				q.names = append(q.names, p.variable(seen))
			}
		} else {
			q.names = []string{p.variable(seen)}
		}
		if p.Accept(":") {
			q.typ = p.typ()
		}
		e.params = append(e.params, q)
	}
	if len(e.params) == 0 {
		p.FailHint(e.at, funForm, "a fun has parameters")
	}
	e.kids = []*node{p.expr()}
	p.close(open, ")")
	return e
}

// variable reads the name of a variable, which must not have another meaning.
func (p *parser) variable(seen map[string]bool) string {
	at := p.Tok().At
	name := p.name("the name of a variable", "names are made of letters, digits and _, and begin with a letter")
	switch {
	case reserved[name] || patterns[name] != nil || expr.DType(name).Known() || typeNames[name] != "":
		p.FailHint(at, "choose another name", "%s already has a meaning", name)
	case seen[name]:
		p.FailHint(at, "give one of the two another name", "two parameters are named %s", name)
	}
	seen[name] = true
	return name
}

func (p *parser) let() *node {
	e := &node{kind: nodeLet, at: p.Tok().At}
	p.I++
	p.expect("(", letForm)
	e.text = p.variable(map[string]bool{})
	p.expect("=", letForm)
	value := p.expr()
	p.expect(",", letForm)
	e.kids = []*node{value, p.expr()}
	p.expect(")", letForm)
	return e
}

// typeNames are short names of element types.
var typeNames = map[string]expr.DType{"float": expr.Float32, "double": expr.Float64, "half": expr.Float16, "int": expr.Int32, "long": expr.Int64}

func (p *parser) typ() *Type {
	defer p.Nest(maxDepth, "expressions")()
	t := p.Tok()
	switch {
	case p.Accept("["):
		elem := p.typ()
		p.expect("]", typeForms)
		return Array(elem, p.sizeAtom())
	case p.Accept("<"):
		d := p.dtype()
		p.expect(">", typeForms)
		at := p.Tok().At
		w := p.int("write <float32>4")
		if !validWidth(w) {
			p.FailHint(at, "write <float32>4", "the width of a vector is 2, 4, 8 or 16, not %d", w)
		}
		return Vector(d, w)
	case p.Accept("("):
		var elems []*Type
		for !p.Accept(")") {
			if len(elems) > 0 {
				p.expect(",", typeForms)
			}
			elems = append(elems, p.typ())
		}
		if len(elems) < 2 {
			p.FailHint(t.At, "write (float32, int32), or the type of the one component without brackets", "a tuple has two components or more")
		}
		return TupleOf(elems...)
	}
	return Scalar(p.dtype())
}

func (p *parser) dtype() expr.DType {
	at := p.Tok().At
	name := p.name("a type", typeForms)
	d := expr.DType(name)
	if short := typeNames[name]; short != "" {
		d = short
	}
	if !d.Known() || d.IsComplex() || d.IsVector() {
		p.FailHint(at, typeForms, "unknown type %s", name)
	}
	return d
}

// sizeAtom reads a name, a number, or a size in brackets.
func (p *parser) sizeAtom() Size {
	t := p.Tok()
	if t.Kind != lex.Name && t.Kind != lex.Number && !p.Is("(") {
		p.expected("a size", "write [float32]n, [float32]16 or [float32](n + 2)")
	}
	if p.Accept("(") {
		s := p.size(p.expr())
		p.expect(")", sizeForms)
		return s
	}
	return p.size(p.leaf())
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
			p.FailHint(e.at, sizeForms, "%s is not a size", e.text)
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
				p.FailHint(e.at, "divide by numbers and products of sizes, such as (n + 2)/(4*m)", "%v", err)
			}
			r = q
		case "^":
			n, ok := b.Const()
			if !ok || n > 64 {
				p.FailHint(e.at, "write n^2", "the exponent is a number up to 64")
			}
			r = Nat(1)
			for range n {
				r = p.bounded(e, r.Mul(a))
			}
		}
		return p.bounded(e, r)
	}
	p.FailHint(e.at, sizeForms, "this is not a size")
	return Size{}
}

// bounded rejects sizes that are too long for any real program.
func (p *parser) bounded(e *node, s Size) Size {
	if len(s.String()) > 400 {
		p.FailHint(e.at, "declare a size for a part of it", "the size has too many terms")
	}
	return s
}
