package expr

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/lex"
	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
)

// Parse reads an expression in the syntax of instructions. Errors are *source.Error with line and column.
//
// max(k, e) and min(k, e) with a name as first operand are read as reductions; Make turns those whose name is not an
// iname into the operator, which maximum and minimum always mean.
func Parse(text string) (e Expr, err error) {
	p, err := NewParser(text)
	if err != nil {
		return nil, err
	}
	defer throw.Catch(&err)
	p.SkipLines()
	e = p.expr(precCond)
	p.SkipLines()
	if p.Tok().Kind != lex.End {
		p.Fail("unexpected %s after the expression", p.Describe())
	}
	return e, nil
}

// Parser reads the tokens of a text in the syntax of instructions.
type Parser struct{ lex.Cursor }

// MaxDepth bounds the nesting of expressions.
const MaxDepth = 400

// NewParser starts at the first token of the text.
func NewParser(text string) (*Parser, error) {
	c, err := Language.NewCursor(text)
	if err != nil {
		return nil, err
	}
	return &Parser{c}, nil
}

// Expect moves past the symbol; anything else is a fault.
func (p *Parser) Expect(sym string) {
	if !p.Accept(sym) {
		p.Fail("expected %q, found %s", sym, p.Describe())
	}
}

// Describe is the current token as error messages name it.
func (p *Parser) Describe() string {
	if t := p.Tok(); t.Kind == lex.Name || t.Kind == lex.Number || t.Kind == lex.Symbol {
		return strconv.Quote(t.Text)
	}
	return p.Tok().Text
}

// SkipLines moves past ends of lines.
func (p *Parser) SkipLines() {
	for p.Tok().Kind == lex.Line {
		p.Next()
	}
}

// Name reads an identifier; what says in the error what was expected.
func (p *Parser) Name(what string) string {
	t := p.Tok()
	if t.Kind != lex.Name || keywords[t.Text] {
		p.Fail("expected %s, found %s", what, p.Describe())
	}
	p.Next()
	return t.Text
}

// Expression reads a whole expression.
func (p *Parser) Expression() Expr { return p.expr(precCond) }

// Operand reads an expression without a comparison at its top, such as the target of an assignment.
func (p *Parser) Operand() Expr { return p.expr(precCompare + 1) }

// expr reads an expression whose operators bind at least as strongly as min (operator precedence climbing).
func (p *Parser) expr(min int) Expr {
	defer p.Nest(MaxDepth, "expression")()
	left := p.unary()
	paren := true // left is not a chain that may grow
	for {
		t := p.Tok()
		if t.Kind == lex.Name && t.Text == "if" && min <= precCond {
			p.Next()
			cond := p.expr(precOr)
			p.Expect("else")
			return &Cond{If: cond, Then: left, Else: p.expr(precCond)}
		}
		kind := OpKind(t.Text)
		op, ok := binaryOps[kind]
		if !ok || t.Kind != lex.Symbol && t.Kind != lex.Name || op.prec < min {
			return left
		}
		p.Next()
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

func (p *Parser) unary() Expr {
	t := p.Tok()
	switch {
	case t.Kind == lex.Name && t.Text == "not":
		p.Next()
		return &Op{Not, []Expr{p.expr(precNot)}}
	case t.Kind == lex.Symbol && t.Text == "-":
		p.Next()
		if n := p.Tok(); n.Kind == lex.Number && p.Peek(1).Text != "**" {
			p.Next()
			return literal(&p.Cursor, n, "-")
		}
		return &Op{Neg, []Expr{p.expr(precUnary)}}
	case t.Kind == lex.Symbol && t.Text == "+":
		p.Next()
		return p.expr(precUnary)
	case t.Kind == lex.Symbol && t.Text == "~":
		p.Next()
		return &Op{BitNot, []Expr{p.expr(precUnary)}}
	}
	return p.primary()
}

func (p *Parser) primary() Expr {
	t := p.Tok()
	switch {
	case t.Kind == lex.Number:
		p.Next()
		return literal(&p.Cursor, t, "")
	case t.Kind == lex.Symbol && t.Text == "(":
		p.Next()
		e := p.expr(precCond)
		p.Expect(")")
		return e
	case t.Kind == lex.Name && t.Text == "if" && p.Peek(1).Text == "(":
		p.I += 2
		args := p.args()
		if len(args) != 3 {
			p.FailHint(t.At, "write if(condition, then, else)", "if takes 3 operands, not %d", len(args))
		}
		return &Cond{args[0], args[1], args[2]}
	case t.Kind == lex.Name && t.Text == "inf":
		p.Next()
		return Float{math.Inf(1), "inf", ""}
	case t.Kind == lex.Name && !keywords[t.Text]:
		p.Next()
		return p.named(t)
	}
	p.Fail("%s", p.Missing("a value"))
	return nil
}

// named reads what follows a name: nothing, a tag and an index, or operands.
func (p *Parser) named(t lex.Token) Expr {
	tag := ""
	if p.Is("$") {
		tag = p.tag()
	}
	switch {
	case p.Is("["):
		open := p.Tok().At
		p.Next()
		index, lanes, as := p.index()
		if len(index) == 0 {
			p.FailHint(open, "a scalar is written without brackets", "%s has an empty index", t.Text)
		}
		return &Access{Array: t.Text, Tag: tag, Index: index, Lanes: lanes, As: as}
	case tag != "":
		return &Access{Array: t.Text, Tag: tag}
	case p.Is("("):
		p.Next()
		return p.call(t)
	}
	return Var{t.Text}
}

// tag reads $name. Tags are part of feature identifiers, where an underscore separates fields.
func (p *Parser) tag() string {
	p.Expect("$")
	t := p.Tok()
	if t.Kind != lex.Name {
		p.Fail("expected an access tag after $, found %s", p.Describe())
	}
	if strings.Contains(t.Text, "_") {
		p.FailHint(t.At, "use letters and digits, the first a letter: "+strings.ReplaceAll(t.Text, "_", ""), "access tag %q contains an underscore", t.Text)
	}
	p.Next()
	return t.Text
}

// index reads indices and, after semicolons, the number of lanes and the type that is accessed, up to the closing bracket, which it consumes.
func (p *Parser) index() (list []Expr, lanes int64, as DType) {
	for !p.Accept("]") {
		if p.Accept(";") {
			at := p.Tok()
			if t := DType(at.Text); as == "" && at.Kind == lex.Name && t.Known() && !t.IsVector() {
				as = t
				p.Next()
				if !p.Is("]") {
					p.Expect("]")
				}
				continue
			}
			if at.Kind == lex.Number {
				lanes, _ = strconv.ParseInt(at.Text, 10, 64)
			}
			if !IsLanes(lanes) {
				p.FailHint(at.At, "as in a[4*i; 4]", "a vector has 2, 4, 8 or 16 lanes, not %s", at.Text)
			}
			p.Next()
			if p.Is(";") {
				continue
			}
			p.Expect("]")
			break
		}
		if len(list) > 0 {
			if !p.Is(",") {
				p.FailHint(p.Tok().At, "as in y[i] = x[i, j]", "expected \",\" or \"]\" after an index, found %s", p.Describe())
			}
			p.Next()
			if p.Accept("]") {
				break
			}
		}
		list = append(list, p.expr(precCond))
	}
	return list, lanes, as
}

// args reads expressions up to the closing parenthesis, which it consumes.
func (p *Parser) args() (list []Expr) {
	p.list(")", func() { list = append(list, p.expr(precCond)) })
	return list
}

// operands reads the operands of min or max.
func (p *Parser) operands(t lex.Token) []Expr {
	args := p.args()
	if len(args) < 2 {
		p.FailHint(t.At, "", "%s takes at least 2 operands, not %d", t.Text, len(args))
	}
	return args
}

// list reads items with commas between them, and perhaps after the last, up to the closing symbol, which it consumes.
func (p *Parser) list(end string, item func()) {
	for first := true; !p.Accept(end); first = false {
		if !first {
			p.Expect(",")
			if p.Accept(end) {
				return
			}
		}
		item()
	}
}

// reductions maps the names of reductions to their numbers of operands, without the inames.
var reductions = map[string]int{"sum": 1, "product": 1, "max": 1, "min": 1, "any": 1, "all": 1, "argmax": 2, "argmin": 2}

// ReductionArity is the number of operands of a reduction, such as sum, without the inames; 0 for other names.
func ReductionArity(name string) int { return reductions[name] }

// ReductionNames lists the reductions, sorted.
func ReductionNames() []string { return slices.Sorted(maps.Keys(reductions)) }

var knownReductions = "reductions are " + nameset.Text(ReductionNames())

func (p *Parser) call(t lex.Token) Expr {
	switch t.Text {
	case "cast":
		return p.cast()
	case "minimum", "maximum":
		return &Op{OpKind(t.Text[:3]), p.operands(t)}
	case "reduce":
		kind := p.Name("the name of a reduction")
		if reductions[kind] == 0 {
			p.FailHint(t.At, knownReductions, "unknown reduction %q", kind)
		}
		p.Expect(",")
		return p.reduce(kind)
	case "simul_reduce":
		p.FailHint(t.At, knownReductions, "%s is not supported", t.Text)
	}
	if reductions[t.Text] == 0 {
		return &Call{t.Text, p.args()}
	}
	// max(k, e) reduces over k; max(x[i], y) does not start with a name or a list of names.
	if binds := p.Is("(") || p.Is("[") || p.Tok().Kind == lex.Name && p.Peek(1).Text == ","; !binds || !p.isInameList() {
		if t.Text == "max" || t.Text == "min" {
			return &Op{OpKind(t.Text), p.operands(t)}
		}
		rest := strings.Repeat(", e", reductions[t.Text])
		p.FailHint(p.Tok().At, "write "+t.Text+"(k"+rest+") or "+t.Text+"((k, l)"+rest+")", "%s needs the inames to reduce over", t.Text)
	}
	return p.reduce(t.Text)
}

// isInameList looks ahead: a name, or names in brackets, and then a comma.
func (p *Parser) isInameList() bool {
	i := p.I
	at := func() lex.Token { return p.Tokens[min(i, len(p.Tokens)-1)] }
	closing := map[string]string{"(": ")", "[": "]"}[at().Text]
	if closing != "" {
		for i++; at().Kind == lex.Name; i++ {
			if i++; at().Text == closing {
				break
			}
			if at().Text != "," {
				return false
			}
		}
		if at().Text != closing {
			return false
		}
	} else if at().Kind != lex.Name {
		return false
	}
	i++
	return at().Text == ","
}

func (p *Parser) reduce(kind string) Expr {
	var inames []string
	if p.Is("(") || p.Is("[") {
		end := map[string]string{"(": ")", "[": "]"}[p.Tok().Text]
		p.Next()
		p.list(end, func() { inames = append(inames, p.Name("an iname")) })
	} else {
		inames = []string{p.Name("an iname")}
	}
	if len(inames) == 0 {
		p.Fail("%s reduces over no iname", kind)
	}
	for i, n := range inames {
		if slices.Contains(inames[:i], n) {
			p.Fail("%s reduces over %s twice", kind, n)
		}
	}
	p.Expect(",")
	r := &Reduce{Kind: kind, Inames: inames, Body: p.expr(precCond)}
	if reductions[kind] == 2 {
		if !p.Is(",") {
			p.FailHint(p.Tok().At, "write "+kind+"(k, e, k)", "%s takes a value and its index", kind)
		}
		p.Next()
		r.Index = p.expr(precCond)
	}
	p.Accept(",")
	p.Expect(")")
	return r
}

// cast reads cast(float32, x); the type may be quoted or have numpy's prefix.
func (p *Parser) cast() Expr {
	quote := ""
	if p.Is("'") || p.Is("\"") {
		quote = p.Tok().Text
		p.Next()
	}
	at := p.Tok().At
	dtype := p.Name("an element type")
	if dtype == "np" && p.Accept(".") {
		dtype = p.Name("an element type")
	}
	if quote != "" {
		p.Expect(quote)
	}
	if !DType(dtype).Known() {
		p.FailHint(at, KnownDTypes, "unknown element type %q", dtype)
	}
	p.Expect(",")
	x := p.expr(precCond)
	p.Expect(")")
	return &Cast{DType(dtype), x}
}

// KnownDTypes lists the element types for error messages.
const KnownDTypes = "element types are bool, int8 to int64, uint8 to uint64, float16, float32, float64, complex64 and complex128"

// literal reads a number, of which sign is the part before the token.
func literal(p *lex.Cursor, t lex.Token, sign string) Expr {
	digits := strings.TrimLeft(t.Text, "0123456789")
	if digits == "" {
		v, err := strconv.ParseInt(sign+t.Text, 10, 64)
		if err != nil {
			p.FailHint(t.At, "", "integer literal %s%s does not fit in 64 bits", sign, t.Text)
		}
		return Int{v}
	}
	body, dtype := t.Text, DType("")
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
		if lex.IsLetter(c) && c != 'e' && c != 'E' {
			p.FailHint(t.At, "a product has its *, as in 2*x; write 2.0f for float32, 2.0d for float64", "malformed number %q", t.Text)
		}
	}
	v, err := strconv.ParseFloat(sign+body, bits)
	if err != nil {
		p.FailHint(t.At, "", "number %q is malformed or out of range", t.Text)
	}
	return Float{v, sign + t.Text, dtype}
}
