package models

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"gpuperf/internal/source"
)

// Limits that make a stranger's file safe to open.
const (
	maxExpression = 64 << 10 // bytes
	maxNesting    = 1000     // open parentheses and signs
	maxNodes      = 20_000
)

// ParseExpr reads an expression: numbers, pi, f_ and p_ identifiers, names of terms, + - * / ** and the functions of the language.
// Errors are *source.Error with the expression as the only line.
func ParseExpr(text string) (*Expr, error) {
	e, f := parse(text)
	if f != nil {
		return nil, source.New("", text, runeToByte(text, f.offset), "%s", f.msg).WithHint("%s", f.hint)
	}
	return e, nil
}

func runeToByte(text string, offset int) int {
	for i := range text {
		if offset == 0 {
			return i
		}
		offset--
	}
	return len(text)
}

func parse(text string) (*Expr, *fault) {
	if len(text) > maxExpression {
		return nil, faultf(0, "the expression is longer than %d bytes", maxExpression)
	}
	plainText, names, f := plain(text)
	if f != nil {
		return nil, f
	}
	if f := checkNesting(plainText); f != nil {
		return nil, f
	}
	tree, err := parser.ParseWithConfig(plainText, &conf.Config{MaxNodes: maxNodes, DisableIfOperator: true})
	if err != nil {
		var at *file.Error
		if errors.As(err, &at) {
			return nil, faultf(at.From, "%s", reword(at.Message))
		}
		return nil, faultf(0, "%s", err)
	}
	c := converter{names: names}
	e := c.convert(tree.Node)
	if c.fault != nil {
		return nil, c.fault
	}
	return e, nil
}

// reword puts what expr-lang says of tokens into the words of this package.
func reword(msg string) string {
	switch {
	case strings.HasPrefix(msg, "unexpected token EOF"):
		return "the expression ends too early"
	case strings.Contains(msg, "value out of range"):
		return "the number is out of range"
	}
	return strings.TrimSpace(msg)
}

// checkNesting bounds the recursion of expr-lang's parser, and of everything after it. Signs and ** recurse without a bracket, so
// they count until a word or number ends their run.
func checkNesting(text string) *fault {
	depth, run := 0, 0
	for i, r := range []rune(text) {
		switch {
		case r == '(':
			depth++
			run = 0
		case r == ')':
			depth--
			run = 0
		case r == '-' || r == '+':
			run++
		}
		if isWord(r) {
			run = 0
		}
		if depth > maxNesting || run > maxNesting {
			return faultf(i, "nested more than %d deep", maxNesting)
		}
	}
	return nil
}

// converter turns expr-lang's syntax tree into ours and refuses what the language of models does not have.
type converter struct {
	names map[int]string
	fault *fault
}

var binary = map[string]Op{"+": Add, "-": Sub, "*": Mul, "/": Div, "**": Pow}

func (c *converter) fail(n ast.Node, hint, format string, args ...any) *Expr {
	if c.fault == nil {
		c.fault = faultf(n.Location().From, format, args...)
		c.fault.hint = hint
	}
	return num(0)
}

func (c *converter) convert(n ast.Node) *Expr {
	if c.fault != nil {
		return num(0)
	}
	switch n := n.(type) {
	case *ast.IntegerNode:
		return num(float64(n.Value))
	case *ast.FloatNode:
		if math.IsInf(n.Value, 0) || math.IsNaN(n.Value) {
			return c.fail(n, "", "the number is out of range")
		}
		return num(n.Value)
	case *ast.IdentifierNode:
		return c.identifier(n)
	case *ast.UnaryNode:
		return c.unary(n)
	case *ast.BinaryNode:
		op, ok := binary[n.Operator]
		if !ok {
			return c.fail(n, "operators are + - * / **", "unknown operator %s", n.Operator)
		}
		return &Expr{Op: op, Args: []*Expr{c.convert(n.Left), c.convert(n.Right)}}
	case *ast.CallNode:
		callee, ok := n.Callee.(*ast.IdentifierNode)
		if !ok {
			return c.fail(n, "", "only a function can be called")
		}
		return c.call(n, callee.Value, n.Arguments)
	case *ast.BuiltinNode:
		return c.call(n, n.Name, n.Arguments)
	}
	return c.fail(n, "an expression has numbers, f_ and p_ identifiers, terms, + - * / ** and functions", "this has no meaning in a model")
}

func (c *converter) identifier(n *ast.IdentifierNode) *Expr {
	if name, ok := c.names[n.Location().From]; ok {
		return &Expr{Op: Feature, Name: name}
	}
	switch {
	case n.Value == "pi":
		return num(math.Pi)
	case strings.HasPrefix(n.Value, "p_") && len(n.Value) > 2:
		return &Expr{Op: Param, Name: n.Value}
	case n.Value == "f_" || n.Value == "p_":
		return c.fail(n, "", "%s lacks the rest of its name", n.Value)
	}
	return &Expr{Op: TermRef, Name: n.Value}
}

func (c *converter) unary(n *ast.UnaryNode) *Expr {
	arg := c.convert(n.Node)
	switch n.Operator {
	case "+":
		return arg
	case "-":
		if arg.Op == Const {
			return num(-arg.Value)
		}
		return &Expr{Op: Neg, Args: []*Expr{arg}}
	}
	return c.fail(n, "", "unknown operator %s", n.Operator)
}

func (c *converter) call(n ast.Node, name string, arguments []ast.Node) *Expr {
	op, ok := functionOp(name)
	if !ok {
		return c.fail(n, source.Suggest(name, functions()), "unknown function %s", name)
	}
	var args []*Expr
	for _, a := range arguments {
		args = append(args, c.convert(a))
	}
	want := ops[op].arity
	if (op == Min || op == Max) && len(args) > 2 {
		// min and max of more than two are nested pairs
		e := args[0]
		for _, a := range args[1:] {
			e = &Expr{Op: op, Args: []*Expr{e, a}}
		}
		return e
	}
	if len(args) != want {
		return c.fail(n, "", "%s takes %d arguments, here are %d", name, want, len(args))
	}
	return &Expr{Op: op, Args: args}
}

// reserved are words that expr-lang reads as something else than a name.
var reserved = []string{
	"and", "or", "not", "in", "let", "if", "else", "matches", "contains", "startsWith", "endsWith",
	"true", "false", "nil", "pi",
}

// termName tells why a word cannot name a term, "" where it can.
func termName(name string) string {
	for i, r := range name {
		if !isWord(r) || i == 0 && isDigit(r) {
			return "a term's name has letters, digits and _ only"
		}
	}
	switch {
	case strings.HasPrefix(name, "f_") || strings.HasPrefix(name, "p_"):
		return "f_ starts the name of a feature and p_ that of a parameter, a term needs another name"
	case slices.Contains(reserved, name):
		return name + " has a meaning of its own in expressions"
	}
	if _, ok := functionOp(name); ok {
		return name + " is a function"
	}
	return ""
}
