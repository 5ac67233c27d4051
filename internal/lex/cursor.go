package lex

import (
	"fmt"
	"strconv"

	"gpuperf/internal/source"
	"gpuperf/internal/throw"
)

// Cursor walks through the tokens of a text. Parsers embed it.
type Cursor struct {
	Text   string
	Tokens []Token
	I      int // the index of the current token
	depth  int
	hints  map[string]string // of the language
}

// NewCursor stands at the first token of a text.
func (l *Language) NewCursor(text string) (Cursor, error) {
	toks, err := l.Lex(text)
	return Cursor{Text: text, Tokens: toks, hints: l.Hints}, err
}

// Tok is the current token.
func (c *Cursor) Tok() Token { return c.Tokens[c.I] }

// Peek is the n-th token after the current one, the last one where there are fewer.
func (c *Cursor) Peek(n int) Token { return c.Tokens[min(c.I+n, len(c.Tokens)-1)] }

// Is reports whether the current token is that symbol or word.
func (c *Cursor) Is(text string) bool {
	t := c.Tok()
	return t.Text == text && (t.Kind == Symbol || t.Kind == Name)
}

// Accept moves past the symbol or word if it is the current token.
func (c *Cursor) Accept(text string) bool {
	if c.Is(text) {
		c.I++
		return true
	}
	return false
}

// Next moves to the next token.
func (c *Cursor) Next() { c.I++ }

// Fail leaves the parser with an error at the current token, which throw.Catch returns: every entry point of a parser defers it.
func (c *Cursor) Fail(format string, args ...any) { panic(throw.Of(c.Fault(format, args...))) }

// Fault is an error at the current token, with the language's hint for that token.
func (c *Cursor) Fault(format string, args ...any) *source.Error {
	return source.New("", c.Text, c.Tok().At, format, args...).WithHint("%s", c.hints[c.Tok().Text])
}

// Missing says between which tokens something is missing that should stand at the current one.
func (c *Cursor) Missing(what string) string {
	side := func(i int) string {
		if i < 0 || i >= len(c.Tokens) || c.Tokens[i].Kind == End || c.Tokens[i].Kind == Line {
			return ""
		}
		return strconv.Quote(c.Tokens[i].Text)
	}
	switch before, after := side(c.I-1), side(c.I); {
	case before != "" && after != "":
		return fmt.Sprintf("%s is missing between %s and %s", what, before, after)
	case before != "":
		return fmt.Sprintf("%s is missing after %s", what, before)
	case after != "":
		return fmt.Sprintf("%s is missing before %s", what, after)
	}
	return what + " is missing"
}

// FailAt is Fail with an error at a byte offset.
func (c *Cursor) FailAt(at int, format string, args ...any) {
	panic(throw.Of(source.New("", c.Text, at, format, args...)))
}

// FailHint is FailAt with a hint that says what would be right.
func (c *Cursor) FailHint(at int, hint, format string, args ...any) {
	panic(throw.Of(source.New("", c.Text, at, format, args...).WithHint("%s", hint)))
}

// Nest enters a construct that may contain itself, at most that deep, so that no input exhausts the stack. The result
// leaves it.
func (c *Cursor) Nest(most int, what string) (leave func()) {
	if c.depth++; c.depth > most {
		c.Fail("%s nested more than %d deep", what, most)
	}
	return func() { c.depth-- }
}
