package models

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"gpuperf/internal/exprlang"
	"gpuperf/internal/lex"
	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
)

// ParseExpr reads an expression: numbers, pi, f_ and p_ identifiers, names of terms, + - * / ** and the functions of the language; and
// choices, c ? a : b, by conditions: comparisons that and, or and not may join. Errors are *source.Error with the expression as the only line.
func ParseExpr(text string) (e *Expr, err error) {
	e, _, err = parse(text)
	return e, err
}

// parse is ParseExpr, with the tokens of the expression.
func parse(text string) (e *Expr, tokens []lex.Token, err error) {
	defer throw.Catch(&err)
	t := throw.Get(exprlang.Parse(&language, text))
	return tree{t}.value(t.Number()), t.Tokens, nil
}

// tree makes an Expr of the nodes that expr-lang's parser makes.
type tree struct{ *exprlang.Tree }

func (t tree) value(n ast.Node) *Expr {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return num(t.Float(n))
	case *ast.IdentifierNode:
		return t.identifier(t.Token(n))
	case *ast.CallNode:
		return t.call(t.Token(n), n.Arguments)
	case *ast.ConditionalNode:
		return &Expr{Op: Choose, Args: []*Expr{t.value(n.Cond), t.value(n.Exp1), t.value(n.Exp2)}}
	case *ast.UnaryNode:
		return t.unary(n)
	case *ast.BinaryNode:
		return t.binary(n)
	}
	panic(fmt.Sprintf("models: no meaning of %T", n))
}

func (t tree) unary(n *ast.UnaryNode) *Expr {
	arg := t.value(n.Node)
	switch {
	case n.Operator == "not" || n.Operator == "!":
		return &Expr{Op: Not, Args: []*Expr{arg}}
	case n.Operator == "+":
		return arg
	case arg.Op == Const:
		return num(-arg.Value)
	}
	return &Expr{Op: Neg, Args: []*Expr{arg}}
}

// operators are those between two values. The larger of two is compared as the smaller of them, the other way round.
var operators = map[string]Op{
	"+": Add, "-": Sub, "*": Mul, "/": Div, "**": Pow, "^": Pow,
	"<": Less, "<=": AtMost, ">": Less, ">=": AtMost, "==": Equals, "!=": Differs,
	"and": And, "&&": And, "or": Or, "||": Or,
}

func (t tree) binary(n *ast.BinaryNode) *Expr {
	at := t.Token(n)
	op, ok := operators[n.Operator]
	if !ok || at.Text == "//" {
		t.FailHint(at.At, language.Hints[at.Text], "unexpected %s", at.Text)
	}
	a, b := t.value(n.Left), t.value(n.Right)
	if n.Operator == ">" || n.Operator == ">=" {
		a, b = b, a
	}
	return &Expr{Op: op, Args: []*Expr{a, b}}
}

func (t tree) identifier(name lex.Token) *Expr {
	switch {
	case name.Text == "pi":
		return num(math.Pi)
	case name.Text == "f_" || name.Text == "p_":
		t.FailAt(name.At, "%s lacks the rest of its name", name.Text)
	case strings.HasPrefix(name.Text, "f_"):
		return &Expr{Op: Feature, Name: squeeze(name.Text)}
	case strings.HasPrefix(name.Text, "p_"):
		return &Expr{Op: Param, Name: name.Text}
	}
	return &Expr{Op: TermRef, Name: name.Text}
}

func (t tree) call(name lex.Token, arguments []ast.Node) *Expr {
	op, ok := functions[name.Text]
	if !ok {
		t.FailHint(name.At, source.Suggest(name.Text, slices.Sorted(maps.Keys(functions))), "unknown function %s", name.Text)
	}
	args := lists.Map(arguments, t.value)
	if (op == Min || op == Max) && len(args) > 2 {
		// min and max of more than two are nested pairs
		e := args[0]
		for _, a := range args[1:] {
			e = &Expr{Op: op, Args: []*Expr{e, a}}
		}
		return e
	}
	if want := ops[op].arity; len(args) != want {
		t.FailAt(name.At, "%s takes %d arguments, here are %d", name.Text, want, len(args))
	}
	return &Expr{Op: op, Args: args}
}

// termName says why a word cannot name a term, "" where it can.
func termName(name string) string {
	switch {
	case !lex.IsName(name):
		return "a term's name has letters, digits and _ only"
	case strings.HasPrefix(name, "f_") || strings.HasPrefix(name, "p_"):
		return "f_ starts the name of a feature and p_ that of a parameter, a term needs another name"
	case name == "pi" || exprlang.IsWord(name):
		return name + " has a meaning of its own in expressions"
	}
	return ""
}
