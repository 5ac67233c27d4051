package kernel

import (
	"math"
	"strconv"
	"strings"

	"gpuperf/internal/source"
)

// ParseExpr reads an expression in the syntax of instructions. Errors are *source.Error with line and column.
//
// max(k, e) and min(k, e) with a name as first operand are read as reductions; Make turns those whose name is no iname
// into the operator, which maximum and minimum always mean.
func ParseExpr(text string) (e Expr, err error) {
	p, err := newParser(text)
	if err != nil {
		return nil, err
	}
	defer p.recover(&err)
	p.skipLines()
	e = p.expr(precCond)
	p.skipLines()
	if p.tok().kind != tokEnd {
		p.fail("unexpected %s after the expression", p.describe())
	}
	return e, nil
}

type parser struct {
	text  string
	toks  []token
	i     int
	depth int
}

// maxDepth bounds the nesting of expressions, so that hostile input is an error and not an exhausted stack.
const maxDepth = 400

func newParser(text string) (*parser, error) {
	toks, err := lex(text)
	if err != nil {
		return nil, err
	}
	return &parser{text: text, toks: toks}, nil
}

// recover turns the panic of fail into the error; it is deferred by every entry point.
func (p *parser) recover(err *error) {
	switch x := recover().(type) {
	case nil:
	case *source.Error:
		*err = x
	default:
		panic(x)
	}
}

// nest enters a construct that may hold itself; the result leaves it.
func (p *parser) nest(what string) (leave func()) {
	if p.depth++; p.depth > maxDepth {
		p.fail("%s nested more than %d deep", what, maxDepth)
	}
	return func() { p.depth-- }
}

func (p *parser) errorAt(offset int, format string, args ...any) *source.Error {
	return source.New("", p.text, offset, format, args...)
}

func (p *parser) fail(format string, args ...any) { panic(p.errorAt(p.tok().at, format, args...)) }

func (p *parser) failHint(offset int, hint, format string, args ...any) {
	panic(p.errorAt(offset, format, args...).WithHint("%s", hint))
}

func (p *parser) tok() token { return p.toks[p.i] }

// next goes on to the next token.
func (p *parser) next() { p.i++ }

func (p *parser) peek(n int) token { return p.toks[min(p.i+n, len(p.toks)-1)] }

func (p *parser) is(sym string) bool {
	t := p.tok()
	return t.text == sym && (t.kind == tokSymbol || t.kind == tokName)
}

func (p *parser) accept(sym string) bool {
	if p.is(sym) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(sym string) {
	if !p.accept(sym) {
		p.fail("expected %q, found %s", sym, p.describe())
	}
}

func (p *parser) describe() string {
	if t := p.tok(); t.kind == tokName || t.kind == tokNumber || t.kind == tokSymbol {
		return strconv.Quote(t.text)
	}
	return p.tok().text
}

func (p *parser) skipLines() {
	for p.tok().kind == tokLine {
		p.next()
	}
}

func (p *parser) name(what string) string {
	t := p.tok()
	if t.kind != tokName || keywords[t.text] {
		p.fail("expected %s, found %s", what, p.describe())
	}
	p.next()
	return t.text
}

// expr reads an expression whose operators bind at least as strongly as min (operator precedence climbing).
func (p *parser) expr(min int) Expr {
	defer p.nest("expression")()
	left := p.unary(min)
	paren := true // left is not a chain that may grow
	for {
		t := p.tok()
		if t.kind == tokName && t.text == "if" && min <= precCond {
			p.next()
			cond := p.expr(precOr)
			p.expect("else")
			return &Cond{If: cond, Then: left, Else: p.expr(precCond)}
		}
		kind := OpKind(t.text)
		op, ok := binaryOps[kind]
		if !ok || t.kind != tokSymbol && t.kind != tokName || op.prec < min {
			return left
		}
		p.next()
		if kind == Pow {
			left = Binary(Pow, left, p.expr(precUnary))
			paren = true
			continue
		}
		right := p.expr(op.prec + 1)
		switch last, isOp := left.(*Op); {
		case op.chain && isOp && last.Kind == kind && !paren:
			last.Args = append(last.Args, right) // last was made by this loop
		case op.prec == precCompare && isOp && last.Kind.IsComparison() && !paren:
			left = &Op{And, []Expr{left, Binary(kind, last.Args[1], right)}}
		case op.prec == precCompare && isOp && last.Kind == And && !paren:
			prev := last.Args[len(last.Args)-1].(*Op)
			last.Args = append(last.Args, Binary(kind, prev.Args[1], right))
		default:
			left = Binary(kind, left, right)
		}
		paren = false
	}
}

func (p *parser) unary(min int) Expr {
	t := p.tok()
	switch {
	case t.kind == tokName && t.text == "not":
		p.next()
		return &Op{Not, []Expr{p.expr(precNot)}}
	case t.kind == tokSymbol && t.text == "-":
		p.next()
		if n := p.tok(); n.kind == tokNumber && p.peek(1).text != "**" {
			p.next()
			return p.number(n, "-")
		}
		return &Op{Neg, []Expr{p.expr(precUnary)}}
	case t.kind == tokSymbol && t.text == "+":
		p.next()
		return p.expr(precUnary)
	case t.kind == tokSymbol && t.text == "~":
		p.next()
		return &Op{BitNot, []Expr{p.expr(precUnary)}}
	}
	return p.primary()
}

func (p *parser) primary() Expr {
	t := p.tok()
	switch {
	case t.kind == tokNumber:
		p.next()
		return p.number(t, "")
	case t.kind == tokSymbol && t.text == "(":
		p.next()
		e := p.expr(precCond)
		p.expect(")")
		return e
	case t.kind == tokName && t.text == "if" && p.peek(1).text == "(":
		p.i += 2
		args := p.args(")")
		if len(args) != 3 {
			p.failHint(t.at, "write if(condition, then, else)", "if takes 3 operands, not %d", len(args))
		}
		return &Cond{args[0], args[1], args[2]}
	case t.kind == tokName && t.text == "inf":
		p.next()
		return Float{math.Inf(1), "inf", Float32}
	case t.kind == tokName && !keywords[t.text]:
		p.next()
		return p.named(t)
	}
	p.fail("expected an expression, found %s", p.describe())
	return nil
}

// named reads what follows a name: nothing, a tag and an index, or operands.
func (p *parser) named(t token) Expr {
	tag := ""
	if p.is("$") {
		tag = p.tag()
	}
	switch {
	case p.is("["):
		open := p.tok().at
		p.next()
		index, lanes := p.index()
		if len(index) == 0 {
			p.failHint(open, "a scalar is written without brackets", "%s has an empty index", t.text)
		}
		return &Access{Array: t.text, Tag: tag, Index: index, Lanes: lanes}
	case tag != "":
		return &Access{Array: t.text, Tag: tag}
	case p.is("("):
		p.next()
		return p.call(t)
	}
	return Var{t.text}
}

// tag reads $name. The tag stands in feature identifiers, where an underscore separates fields.
func (p *parser) tag() string {
	p.expect("$")
	t := p.tok()
	if t.kind != tokName {
		p.fail("expected an access tag after $, found %s", p.describe())
	}
	if strings.Contains(t.text, "_") {
		p.failHint(t.at, "use letters and digits, the first a letter: "+strings.ReplaceAll(t.text, "_", ""), "access tag %q contains an underscore", t.text)
	}
	p.next()
	return t.text
}

// index reads indices and the number of lanes behind a semicolon, up to the closing bracket, which it consumes.
func (p *parser) index() (list []Expr, lanes int64) {
	for !p.accept("]") {
		if p.accept(";") {
			at := p.tok()
			if at.kind == tokNumber {
				lanes, _ = strconv.ParseInt(at.text, 10, 64)
			}
			if !IsLanes(lanes) {
				p.failHint(at.at, "as in a[4*i; 4]", "a vector has 2, 4, 8 or 16 lanes, not %s", at.text)
			}
			p.next()
			p.expect("]")
			break
		}
		if len(list) > 0 {
			p.expect(",")
			if p.accept("]") {
				break
			}
		}
		list = append(list, p.expr(precCond))
	}
	return list, lanes
}

// args reads expressions up to the closing symbol, which it consumes.
func (p *parser) args(end string) []Expr {
	var list []Expr
	for !p.accept(end) {
		if len(list) > 0 {
			p.expect(",")
			if p.accept(end) { // a trailing comma
				break
			}
		}
		list = append(list, p.expr(precCond))
	}
	return list
}

// reductions maps the names of reductions to their operands, beside the inames.
var reductions = map[string]int{"sum": 1, "product": 1, "max": 1, "min": 1, "any": 1, "all": 1, "argmax": 2, "argmin": 2}

// IsReduction reports whether name is that of a reduction, such as sum.
func IsReduction(name string) bool { return reductions[name] > 0 }

const knownReductions = "reductions are sum, product, max, min, any, all, argmax and argmin"

func (p *parser) call(t token) Expr {
	switch t.text {
	case "cast":
		return p.cast(t)
	case "minimum", "maximum":
		args := p.args(")")
		if len(args) < 2 {
			p.failHint(t.at, "", "%s takes at least 2 operands, not %d", t.text, len(args))
		}
		return &Op{OpKind(t.text[:3]), args}
	case "reduce":
		kind := p.name("the name of a reduction")
		if reductions[kind] == 0 {
			p.failHint(t.at, knownReductions, "unknown reduction %q", kind)
		}
		p.expect(",")
		return p.reduce(kind)
	case "simul_reduce":
		p.failHint(t.at, knownReductions, "%s is not supported", t.text)
	}
	if reductions[t.text] == 0 {
		return &Call{t.text, p.args(")")}
	}
	// max(k, e) reduces over k; max(x[i], y) does not start with a name or a list of names.
	if binds := p.is("(") || p.is("[") || p.tok().kind == tokName && p.peek(1).text == ","; !binds || !p.isInameList() {
		if t.text == "max" || t.text == "min" {
			args := p.args(")")
			if len(args) < 2 {
				p.failHint(t.at, "", "%s takes at least 2 operands, not %d", t.text, len(args))
			}
			return &Op{OpKind(t.text), args}
		}
		rest := strings.Repeat(", e", reductions[t.text])
		p.failHint(p.tok().at, "write "+t.text+"(k"+rest+") or "+t.text+"((k, l)"+rest+")", "%s needs the inames to reduce over", t.text)
	}
	return p.reduce(t.text)
}

// isInameList looks ahead: a name, or names in brackets, and then a comma.
func (p *parser) isInameList() bool {
	i := p.i
	at := func() token { return p.toks[min(i, len(p.toks)-1)] }
	closing := map[string]string{"(": ")", "[": "]"}[at().text]
	if closing != "" {
		for i++; at().kind == tokName; i++ {
			if i++; at().text == closing {
				break
			}
			if at().text != "," {
				return false
			}
		}
		if at().text != closing {
			return false
		}
	} else if at().kind != tokName {
		return false
	}
	i++
	return at().text == ","
}

func (p *parser) reduce(kind string) Expr {
	var inames []string
	if p.is("(") || p.is("[") {
		end := map[string]string{"(": ")", "[": "]"}[p.tok().text]
		p.next()
		for !p.accept(end) {
			if len(inames) > 0 {
				p.expect(",")
				if p.accept(end) {
					break
				}
			}
			inames = append(inames, p.name("an iname"))
		}
	} else {
		inames = []string{p.name("an iname")}
	}
	if len(inames) == 0 {
		p.fail("%s reduces over no iname", kind)
	}
	for i, n := range inames {
		for _, m := range inames[:i] {
			if n == m {
				p.fail("%s reduces over %s twice", kind, n)
			}
		}
	}
	p.expect(",")
	r := &Reduce{Kind: kind, Inames: inames, Body: p.expr(precCond)}
	if reductions[kind] == 2 {
		if !p.is(",") {
			p.failHint(p.tok().at, "write "+kind+"(k, e, k)", "%s takes a value and its index", kind)
		}
		p.next()
		r.Index = p.expr(precCond)
	}
	p.accept(",")
	p.expect(")")
	return r
}

// cast reads cast(float32, x); the type may stand in quotes or with numpy's prefix.
func (p *parser) cast(t token) Expr {
	quote := ""
	if p.is("'") || p.is("\"") {
		quote = p.tok().text
		p.next()
	}
	at := p.tok().at
	dtype := p.name("an element type")
	if dtype == "np" && p.accept(".") {
		dtype = p.name("an element type")
	}
	if quote != "" {
		p.expect(quote)
	}
	if !DType(dtype).Known() {
		p.failHint(at, knownDTypes, "unknown element type %q", dtype)
	}
	p.expect(",")
	x := p.expr(precCond)
	p.expect(")")
	return &Cast{DType(dtype), x}
}

const knownDTypes = "element types are bool, int8 to int64, uint8 to uint64, float16, float32, float64, complex64 and complex128"

// number reads a literal, with the sign that stands before it.
func (p *parser) number(t token, sign string) Expr {
	digits := strings.TrimLeft(t.text, "0123456789")
	if digits == "" {
		v, err := strconv.ParseInt(sign+t.text, 10, 64)
		if err != nil {
			p.failHint(t.at, "", "integer literal %s%s does not fit in 64 bits", sign, t.text)
		}
		return Int{v}
	}
	body, dtype := t.text, DType("")
	switch body[len(body)-1] {
	case 'f':
		body, dtype = body[:len(body)-1], Float32
	case 'd':
		body, dtype = body[:len(body)-1], Float64
	}
	bits := 64
	if dtype == Float32 {
		bits = 32
	}
	for _, c := range []byte(body) {
		if isLetter(c) && c != 'e' && c != 'E' {
			p.failHint(t.at, "write 2.0f for float32, 2.0d for float64", "malformed number %q", t.text)
		}
	}
	v, err := strconv.ParseFloat(sign+body, bits)
	if err != nil {
		p.failHint(t.at, "", "malformed number %q or one out of range", t.text)
	}
	if dtype == "" {
		dtype = literalType(v)
	}
	return Float{v, sign + t.text, dtype}
}

// literalType is the type of a float literal without a suffix (Loopy's rule).
func literalType(v float64) DType {
	if float64(float32(v)) == v {
		return Float32
	}
	return Float64
}
