package exprlang

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/expr-lang/expr/ast"

	"gpuperf/internal/lex"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
)

var language = lex.Language{Symbols: Symbols, Number: Number}

// written is a tree with all its parentheses, and the tokens of the text at its nodes.
func written(t *Tree, n ast.Node) string {
	switch n := n.(type) {
	case *ast.BinaryNode:
		op := t.Token(n).Text
		if n.Operator == "&&" && op != "&&" {
			op = "and"
		}
		return "(" + written(t, n.Left) + " " + op + " " + written(t, n.Right) + ")"
	case *ast.UnaryNode:
		return "(" + t.Token(n).Text + " " + written(t, n.Node) + ")"
	case *ast.ConditionalNode:
		return "(" + written(t, n.Cond) + " ? " + written(t, n.Exp1) + " : " + written(t, n.Exp2) + ")"
	case *ast.CallNode:
		var args []string
		for _, a := range n.Arguments {
			args = append(args, written(t, a))
		}
		return t.Token(n).Text + "(" + strings.Join(args, ", ") + ")"
	}
	return t.Token(n).Text
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a - b - c * d ** e ** f", "((a - b) - (c * (d ** (e ** f))))"},
		{"-a ** -b * c", "((- (a ** (- b))) * c)"},
		{"a // b / c % d", "(((a // b) / c) % d)"},
		{"a < 1 ? b : c > 2 ? d : e", "((a < 1) ? b : ((c > 2) ? d : e))"},
		{"not a < b and not c == d or e != f", "(((not (a < b)) and (not (c == d))) or (e != f))"},
		{"f(not a + 1 < b ? d : e, c)", "f(((not ((a + 1) < b)) ? d : e), c)"},
		{"not not a < b ? c : d", "((not (not (a < b))) ? c : d)"},
		{"!(a < b) || c > 1", "((! (a < b)) || (c > 1))"},
		{"a == b < c != d", "(((a == b) and (b < c)) and (c != d))"},
		{"a < b < c == d", "(((a < b) and (b < c)) and (c == d))"},
		{"(a) < f(b) == (c)", "((a < f(b)) and (f(b) == c))"},
		{"a < b <= c", "((a < b) and (b <= c))"},
		{"in + let - nil * true(matches, sum)", "((in + let) - (nil * true(matches, sum)))"},
		{"1_000.5e-3 + .5 + 1. - 0x1F", "(((1_000.5e-3 + .5) + 1.) - 0x1F)"},
		{" a\n +\tb ", "(a + b)"},

		{"", "1:1: a value is missing"},
		{"a +", `1:3: a value is missing after "+"`},
		{"a + * b", `1:5: a value is missing between "+" and "*"`},
		{"a b", `1:3: an operator is missing between "a" and "b"`},
		{"2 (3)", `1:3: an operator is missing between "2" and "("`},
		{"(a + f(b)", `1:9: a ")" is missing after ")"`},
		{"a ? b", `1:5: a ":" is missing after "b"`},
		{"(a ? b) : c", `1:7: a ":" is missing between "b" and ")"`},
		{"a)", "1:2: unexpected )"},
		{"a : b", "1:3: unexpected :"},
		{"(a, b)", "1:3: unexpected ,"},
		{"a\n+ b]", "2:4: unexpected character ']'"},
		{"!a < b", "1:2: a condition is needed here, and this is a number"},
		{"(a < b) == c", "1:2: a number is needed here, and this is a condition"},
		{"a == (b < c)", "1:7: a number is needed here, and this is a condition"},
		{"f(a < b)", "1:3: a number is needed here, and this is a condition"},
		{"c + 1 ? a : b", "1:1: a condition is needed here, and this is a number"},
		{strings.Repeat("0<(1<", 40) + "1" + strings.Repeat("<2?1:0)<1", 40) + "?1:0", "1:216: too many comparisons in a row stand in each other"},
		{"a # b", "1:3: an expression has no comments"},
		{strings.Repeat("(", 1001) + "a", "1:1001: expression nested more than 1000 deep"},
		{strings.Repeat("-", 1001) + "a", "1:1001: expression nested more than 1000 deep"},
		{strings.Repeat("a ? b : ", 1001) + "a", "1:8003: expression nested more than 1000 deep"},
		{strings.Repeat("a", maxText+1), "1:1: the expression is longer than 65536 bytes"},
	} {
		tree, err := Parse(&language, c.text)
		got := ""
		if err == nil {
			got = written(tree, tree.root)
		} else {
			got, _, _ = strings.Cut(err.Error(), "\n")
		}
		if got != c.want {
			t.Errorf("%.40q: got %s, want %s", c.text, got, c.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"12": "12", "1e-9": "1e-09", "1_000": "1000", "0x1f": "31", "0b11": "3", "0o17": "15", "017": "17", ".5": "0.5", "0e1": "0",
		"99999999999999999999": "1e+20", "1e999": "the number is out of range", "0x": `an operator is missing between "0" and "x"`,
		"0xg": `malformed number "0xg"`, "0b12": `malformed number "0b12"`,
	} {
		tree, err := Parse(&language, text)
		var v float64
		if err == nil {
			func() {
				defer throw.Catch(&err)
				v = tree.Float(tree.root)
			}()
		}
		got := fmt.Sprint(v)
		if err != nil {
			got = source.Message(err)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// FuzzParse: any text has a tree whose nodes lead back to its tokens, or an error with a place.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"a ? not b < 1 : -c // 2", "f(a, (b))", "0x1_0 ** !x", "a ? (b", "not", "(((", "a..b ?? c | d", "0B "} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := Parse(&language, text)
		if err != nil {
			var e *source.Error
			if !errors.As(err, &e) {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		want := written(tree, tree.root)
		again, err := Parse(&language, want)
		if err != nil {
			if strings.Contains(err.Error(), "nested more than") || len(want) > maxText {
				return
			}
			t.Fatalf("%q is written %s: %v", text, want, err)
		}
		if got := written(again, again.root); got != want {
			t.Fatalf("%q is written %s, which is %s", text, want, got)
		}
	})
}
