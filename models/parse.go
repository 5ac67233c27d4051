package models

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/lex"
	"gpuperf/internal/source"
)

// Limits that make a stranger's file safe to open.
const (
	maxExpression = 64 << 10 // bytes
	maxNesting    = 1000     // open parentheses, signs and powers
)

// ParseExpr reads an expression: numbers, pi, f_ and p_ identifiers, names of terms, + - * / ** and the functions of the language.
// Errors are *source.Error with the expression as the only line.
func ParseExpr(text string) (e *Expr, err error) {
	defer lex.Recover(&err)
	if len(text) > maxExpression {
		return nil, source.New("", text, 0, "the expression is longer than %d bytes", maxExpression)
	}
	if at := strings.IndexByte(text, '#'); at >= 0 {
		return nil, source.New("", text, at, "an expression has no comments").WithHint("comments in the file start with # after a blank")
	}
	p := parser{}
	if p.Cursor, err = language.NewCursor(text); err != nil {
		return nil, err
	}
	e = p.sum()
	p.end()
	return e, nil
}

type parser struct{ lex.Cursor }

// end fails unless everything is read.
func (p *parser) end() {
	switch t := p.Tok(); t.Kind {
	case lex.End:
	case lex.Name, lex.Number:
		p.FailHint(t.At, "operators are + - * / **", "%s", p.Missing("an operator"))
	default:
		p.Fail("unexpected %s", t.Text)
	}
}

// sum reads terms, product factors; both group to the left.
func (p *parser) sum() *Expr {
	return p.chain(map[string]Op{"+": Add, "-": Sub}, p.product)
}

func (p *parser) product() *Expr {
	return p.chain(map[string]Op{"*": Mul, "/": Div}, p.factor)
}

func (p *parser) chain(operators map[string]Op, operand func() *Expr) *Expr {
	e := operand()
	for {
		op, ok := operators[p.Tok().Text]
		if !ok {
			return e
		}
		p.Next()
		e = &Expr{Op: op, Args: []*Expr{e, operand()}}
	}
}

// factor reads a power with its signs: -a ** b is -(a ** b), and a ** b ** c is a ** (b ** c).
func (p *parser) factor() *Expr {
	defer p.Nest(maxNesting, "expression")()
	switch {
	case p.Accept("+"):
		return p.factor()
	case p.Accept("-"):
		if arg := p.factor(); arg.Op != Const {
			return &Expr{Op: Neg, Args: []*Expr{arg}}
		} else {
			return num(-arg.Value)
		}
	}
	base := p.primary()
	if p.Accept("**") {
		return &Expr{Op: Pow, Args: []*Expr{base, p.factor()}}
	}
	return base
}

func (p *parser) primary() *Expr {
	t := p.Tok()
	switch {
	case t.Kind == lex.Number:
		v, err := strconv.ParseFloat(t.Text, 64)
		if err != nil {
			p.Fail("the number is out of range")
		}
		p.Next()
		return num(v)
	case t.Kind == lex.Name:
		p.Next()
		if p.Is("(") {
			return p.call(t)
		}
		return p.identifier(t)
	case p.Accept("("):
		e := p.sum()
		p.closing()
		return e
	}
	p.missing("a value")
	return nil
}

// missing fails where something should stand. At the end of the text the error stands at the last character.
func (p *parser) missing(what string) {
	if t := p.Tok(); t.Kind == lex.End {
		p.FailAt(max(0, t.At-1), "%s", p.Missing(what))
	}
	p.Fail("%s", p.Missing(what))
}

func (p *parser) closing() {
	if !p.Accept(")") {
		if p.Tok().Kind == lex.End {
			p.missing(`a ")"`)
		}
		p.end()
	}
}

func (p *parser) identifier(t lex.Token) *Expr {
	switch {
	case t.Text == "pi":
		return num(math.Pi)
	case t.Text == "f_" || t.Text == "p_":
		p.FailAt(t.At, "%s lacks the rest of its name", t.Text)
	case strings.HasPrefix(t.Text, "f_"):
		return &Expr{Op: Feature, Name: squeeze(t.Text)}
	case strings.HasPrefix(t.Text, "p_"):
		return &Expr{Op: Param, Name: t.Text}
	}
	return &Expr{Op: TermRef, Name: t.Text}
}

func (p *parser) call(name lex.Token) *Expr {
	op, ok := functions[name.Text]
	if !ok {
		p.FailHint(name.At, source.Suggest(name.Text, slices.Sorted(maps.Keys(functions))), "unknown function %s", name.Text)
	}
	p.Next()
	var args []*Expr
	for !p.Is(")") {
		args = append(args, p.sum())
		if !p.Accept(",") {
			break
		}
	}
	p.closing()
	if (op == Min || op == Max) && len(args) > 2 {
		// min and max of more than two are nested pairs
		e := args[0]
		for _, a := range args[1:] {
			e = &Expr{Op: op, Args: []*Expr{e, a}}
		}
		return e
	}
	if want := ops[op].arity; len(args) != want {
		p.FailAt(name.At, "%s takes %d arguments, here are %d", name.Text, want, len(args))
	}
	return &Expr{Op: op, Args: args}
}

// offsetIn is the rune offset of an error in the expression that it is about.
func offsetIn(text string, err error) (at int, e *source.Error) {
	if !errors.As(err, &e) {
		e = &source.Error{Msg: err.Error(), Pos: source.Pos{Line: 1, Column: 1}}
	}
	for i, line := range strings.SplitAfter(text, "\n") {
		if i+1 == e.Pos.Line {
			break
		}
		at += len([]rune(line))
	}
	return at + e.Pos.Column - 1, e
}

// termName says why a word cannot name a term, "" where it can.
func termName(name string) string {
	switch {
	case !lex.IsName(name):
		return "a term's name has letters, digits and _ only"
	case strings.HasPrefix(name, "f_") || strings.HasPrefix(name, "p_"):
		return "f_ starts the name of a feature and p_ that of a parameter, a term needs another name"
	case name == "pi":
		return name + " has a meaning of its own in expressions"
	}
	if _, ok := functions[name]; ok {
		return name + " is a function"
	}
	return ""
}
