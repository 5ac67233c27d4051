// Package exprlang reads expressions in the language of github.com/expr-lang/expr, with its parser.
//
// internal/lex cuts a text into tokens, so that a language may have names that expr lacks, as those of features with their braces, and
// hints for symbols that mean nothing. expr's parser sees a plain name for each name and 0 for each number; a node of its tree leads
// back to the token. Users make of the tree what they compute with.
package exprlang

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"gpuperf/internal/lex"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
)

// Symbols are the operators and brackets of expressions. // is the one that expr lacks, where it starts a comment: here it divides.
var Symbols = []string{
	"**", "//", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%", "^", "<", ">", "!", "?", ":", "(", ")", ",",
}

// IsWord reports whether a name has a meaning of its own in expressions.
func IsWord(name string) bool { return name == "and" || name == "or" || name == "not" }

// Limits that make a stranger's file safe to open.
const (
	maxText    = 64 << 10 // bytes
	maxNesting = 1000     // open parentheses, signs, powers and choices
)

// Tree is an expression as expr's parser reads it. Its nodes are those of numbers, names, calls, choices, and operators on one value or two.
// Operands of and, or and not, and what a choice goes by, are conditions; all others are numbers.
type Tree struct {
	lex.Cursor
	root      ast.Node
	condition bool  // the root holds or does not, and is no number
	starts    []int // of the tokens in the text that expr reads
	visited   int   // nodes
}

// Parse reads an expression. Errors are *source.Error with the place in the text.
//
// The word not takes the whole comparison after it, as in Python and in kernels; expr reads not a < b as (not a) < b.
func Parse(language *lex.Language, text string) (t *Tree, err error) {
	defer throw.Catch(&err)
	if len(text) > maxText {
		return nil, source.New("", text, 0, "the expression is longer than %d bytes", maxText)
	}
	if at := strings.IndexByte(text, '#'); at >= 0 {
		return nil, source.New("", text, at, "an expression has no comments").WithHint("comments in the file start with # after a blank")
	}
	t = &Tree{}
	if t.Cursor, err = language.NewCursor(text); err != nil {
		return nil, err
	}
	t.checkNesting()
	plain := t.plain()
	tree, err := parser.ParseWithConfig(plain, &conf.Config{DisableIfOperator: true})
	if err == nil {
		t.root, t.condition = t.typed(tree.Node)
		return t, nil
	}
	var at *file.Error
	if !errors.As(err, &at) {
		return nil, source.New("", text, 0, "%v", err)
	}
	t.I = len(t.Tokens) - 1
	if at.From < len(plain)-1 {
		t.I = t.index(at.From)
	}
	return nil, t.wrong()
}

// checkNesting bounds the recursion of all that follows.
func (t *Tree) checkNesting() {
	depth, chain := 0, 0 // a chain is a row of operators each of which stands in an operand of the one before
	for i, tok := range t.Tokens {
		t.I = i
		switch tok.Text {
		case "(":
			depth++
		case ")":
			depth--
		case "**", "^", "?", "not", "!":
			chain++
		case "-", "+":
			if t.ends(i - 1) {
				chain = 0
			} else { // a sign
				chain++
			}
		case "*", "/", "//", "%", ",", "and", "or", "&&", "||":
			chain = 0
		}
		if depth+chain > maxNesting {
			t.Fail("expression nested more than %d deep", maxNesting)
		}
	}
	t.I = 0
}

// plain is the text that expr reads, in ASCII: each token with a blank after it.
func (t *Tree) plain() string {
	var b strings.Builder
	b.Grow(3 * len(t.Tokens))
	t.starts = make([]int, 0, len(t.Tokens))
	nots := []int{0} // to be closed at each depth of parentheses
	closeNots := func() {
		b.WriteString(strings.Repeat(")", nots[len(nots)-1]))
		nots[len(nots)-1] = 0
	}
	for _, tok := range t.Tokens {
		word := tok.Text
		switch word {
		case "and", "or", "&&", "||", "?", ":", ",", ")", "":
			closeNots()
		}
		t.starts = append(t.starts, b.Len())
		switch {
		case tok.Kind == lex.Number:
			word = "0"
		case word == "not":
			nots[len(nots)-1]++
			word = "not("
		case tok.Kind == lex.Name && !IsWord(word):
			word = "x"
		case word == "//":
			word = "/"
		case word == "(":
			nots = append(nots, 0)
		case word == ")":
			nots = nots[:max(1, len(nots)-1)]
		}
		b.WriteString(word)
		b.WriteByte(' ')
	}
	return b.String()
}

// index is that of the token at an offset of the text that expr reads.
func (t *Tree) index(offset int) int {
	i, found := slices.BinarySearch(t.starts, offset)
	if !found {
		i--
	}
	return max(i, 0)
}

// Token is the name, number or operator of a node.
func (t *Tree) Token(n ast.Node) lex.Token { return t.Tokens[t.index(n.Location().From)] }

// leftmost is the first token of a node, parentheses around it aside.
func (t *Tree) leftmost(n ast.Node) lex.Token {
	for {
		switch x := n.(type) {
		case *ast.BinaryNode:
			n = x.Left
		case *ast.ConditionalNode:
			n = x.Cond
		default:
			return t.Token(n)
		}
	}
}

// Number is the length of the number that a text starts with, as expr writes them: 12, 1.5, .5, 2e-3, 1_000, 0x1f, 0b11, 0o17.
func Number(text string) int {
	if len(text) > 2 && text[0] == '0' && strings.IndexByte("xXbBoO", text[1]) >= 0 && lex.IsWord(text[2:3]) {
		n := 3
		for n < len(text) && lex.IsWord(text[n:n+1]) {
			n++
		}
		return n
	}
	n := lex.Decimal(text)
	for n > 0 && n+1 < len(text) && text[n] == '_' && lex.IsDigit(text[n+1]) {
		n += 1 + lex.Decimal(text[n+1:])
	}
	return n
}

// Float is the value of a number.
func (t *Tree) Float(n ast.Node) float64 {
	tok := t.Token(n)
	text := strings.ReplaceAll(tok.Text, "_", "")
	v, err := strconv.ParseFloat(text, 64)
	if len(text) > 2 && lex.IsLetter(text[1]) && text[0] == '0' && text[1]|' ' != 'e' {
		var i uint64
		i, err = strconv.ParseUint(text, 0, 64)
		v = float64(i)
	}
	switch {
	case errors.Is(err, strconv.ErrRange):
		t.FailHint(tok.At, "", "the number is out of range")
	case err != nil:
		t.FailHint(tok.At, "numbers are written 12, 1.5, 2e-3, 1_000 or 0x1f", "malformed number %q", tok.Text)
	}
	return v
}
