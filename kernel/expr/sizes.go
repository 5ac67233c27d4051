package expr

import (
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"gpuperf/internal/exprlang"
	"gpuperf/internal/lex"
	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
)

// sizesLanguage has the tokens of expressions in sizes: numbers as instructions have them, and those of expr.
var sizesLanguage = lex.Language{
	Symbols: exprlang.Symbols,
	Number:  func(text string) int { return max(Language.Number(text), exprlang.Number(text)) },
	Hints: map[string]string{
		"^":  "powers are written a ** b",
		"=":  "== compares",
		"&":  "conditions are joined by and, or and not",
		"|":  "conditions are joined by and, or and not",
		"[":  "expressions are grouped by parentheses",
		")":  "it closes no parenthesis",
		"\"": "texts have no place in an expression",
	},
}

// ParseSizes reads a number as an expression in sizes, as files have it for launches, in the language of expr-lang. // is a quotient rounded
// down, cdiv(a, b) one rounded up. Errors are *source.Error with line and column.
func ParseSizes(text string) (Expr, error) { return parseSizes(text, (*exprlang.Tree).Number) }

// ParseCondition is ParseSizes for a condition: comparisons of integers, joined by and, or and not.
func ParseCondition(text string) (Expr, error) { return parseSizes(text, (*exprlang.Tree).Holds) }

func parseSizes(text string, root func(*exprlang.Tree) ast.Node) (e Expr, err error) {
	defer throw.Catch(&err)
	t, err := exprlang.Parse(&sizesLanguage, text)
	if err != nil {
		return nil, err
	}
	return sizes{t}.expr(root(t)), nil
}

// NameError is an error at the first use of a name in an expression in sizes; the format takes the name.
func NameError(text, name, format string) *source.Error {
	tokens, _ := sizesLanguage.Lex(text)
	at := slices.IndexFunc(tokens, func(t lex.Token) bool { return t.Text == name })
	return source.New("", text, tokens[max(at, 0)].At, format, name)
}

// sizes makes an Expr of the nodes that expr-lang's parser makes.
type sizes struct{ *exprlang.Tree }

func (s sizes) expr(n ast.Node) Expr {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		name := s.Token(n)
		if keywords[name.Text] {
			s.FailHint(name.At, "a choice is written c ? a : b", "%s has a meaning of its own in kernels", name.Text)
		}
		return Var{name.Text}
	case *ast.CallNode:
		return s.call(n)
	case *ast.ConditionalNode:
		return &Cond{If: s.expr(n.Cond), Then: s.expr(n.Exp1), Else: s.expr(n.Exp2)}
	case *ast.UnaryNode:
		return s.unary(n)
	case *ast.BinaryNode:
		return s.binary(n)
	}
	return s.number(n, "")
}

// number is a literal, of which sign is the part before the token.
func (s sizes) number(n ast.Node, sign string) Expr {
	t := s.Token(n)
	t.Text = strings.ReplaceAll(t.Text, "_", "")
	if len(t.Text) > 2 && t.Text[0] == '0' && lex.IsLetter(t.Text[1]) {
		if v, err := strconv.ParseInt(sign+t.Text, 0, 64); err == nil {
			return Int{v}
		}
	}
	return literal(&s.Cursor, t, sign)
}

func (s sizes) unary(n *ast.UnaryNode) Expr {
	_, isNumber := n.Node.(*ast.IntegerNode)
	switch {
	case n.Operator == "not" || n.Operator == "!":
		return &Op{Not, []Expr{s.expr(n.Node)}}
	case n.Operator == "+":
		return s.expr(n.Node)
	case isNumber:
		return s.number(n.Node, "-")
	}
	return &Op{Neg, []Expr{s.expr(n.Node)}}
}

// inKernels are the operators that instructions write in another way.
var inKernels = map[string]OpKind{"&&": And, "||": Or}

func (s sizes) binary(n *ast.BinaryNode) Expr {
	kind, at := OpKind(n.Operator), s.Token(n)
	switch word := inKernels[n.Operator]; {
	case word != "":
		kind = word
	case at.Text == "//":
		kind = FloorDiv
	case at.Text == "^": // which is another operator in kernels
		s.FailHint(at.At, sizesLanguage.Hints["^"], "unexpected ^")
	}
	left, right := s.expr(n.Left), s.expr(n.Right)
	if first, ok := left.(*Op); ok && first.Kind == kind && binaryOps[kind].chain {
		return &Op{kind, append(slices.Clone(first.Args), right)}
	}
	return Binary(kind, left, right)
}

// sizeFunctions are the functions of sizes, with the least number of their operands.
var sizeFunctions = []string{"cdiv", "max", "maximum", "min", "minimum"}

func (s sizes) call(n *ast.CallNode) Expr {
	name := s.Token(n)
	if !slices.Contains(sizeFunctions, name.Text) {
		hint := source.Suggest(name.Text, sizeFunctions)
		if name.Text == "ceil" {
			hint = "cdiv(a, b) is a quotient rounded up"
		}
		s.FailHint(name.At, hint, "unknown function %s", name.Text)
	}
	if name.Text == "cdiv" && len(n.Arguments) != 2 || len(n.Arguments) < 2 {
		s.FailAt(name.At, "%s takes 2 operands, not %d", name.Text, len(n.Arguments))
	}
	args := lists.Map(n.Arguments, s.expr)
	if name.Text == "cdiv" {
		least := Binary(Sub, Binary(Add, args[0], args[1]), Int{Value: 1})
		return Binary(FloorDiv, least, args[1])
	}
	return &Op{OpKind(name.Text[:3]), args}
}
