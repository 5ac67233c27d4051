package cpp

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// holds is the value of the condition of a directive.
func (r *reader) holds(word Token, args []Token) bool {
	switch word.Text {
	case "ifdef", "ifndef", "elifdef", "elifndef":
		if len(args) == 0 {
			r.fail(word, "#%s without a name", word.Text)
		}
		return (r.macros[args[0].Text] != nil) != strings.HasSuffix(word.Text, "ndef")
	}
	c := &conditions{r: r, word: word, tokens: r.prepared(args)}
	if len(c.tokens) > maxCondition {
		r.fail(word, "the condition has more than %d tokens", maxCondition)
	}
	v := c.choice()
	if c.i < len(c.tokens) {
		c.wrong()
	}
	return v.n != 0
}

// prepared replaces macros, and what asks for them: defined may come from a macro, as compilers have it.
func (r *reader) prepared(args []Token) []Token {
	if len(args) == 0 {
		return nil
	}
	asked := r.asking
	r.asking = true
	defer func() { r.asking = asked }()
	return r.all(args)
}

// answer reads the operand of defined, or of __has_include, which finds nothing.
func (r *reader) answer(word Token) Token {
	value, open := "0", 0
	for {
		t := r.raw()
		switch {
		case t.Kind == End:
			return Token{Kind: Number, Text: value, At: word.At}
		case t.Is("("):
			open++
		case t.Is(")"):
			open--
		case word.Is("defined") && t.Kind == Name && r.macros[t.Text] != nil:
			value = "1"
		}
		if open <= 0 {
			return Token{Kind: Number, Text: value, At: word.At}
		}
	}
}

// whole is an integer of a condition: intmax_t, or uintmax_t where it is unsigned.
type whole struct {
	n        int64
	unsigned bool
}

// conditions reads an expression of integers (C11, 6.10.1).
type conditions struct {
	r      *reader
	word   Token
	tokens []Token
	i      int
	depth  int
}

func (c *conditions) tok() Token {
	if c.i < len(c.tokens) {
		return c.tokens[c.i]
	}
	return Token{At: c.word.At}
}

func (c *conditions) accept(text string) bool {
	if c.tok().Is(text) {
		c.i++
		return true
	}
	return false
}

func (c *conditions) wrong() {
	if c.i < len(c.tokens) {
		c.r.fail(c.tok(), "the condition of #%s is no expression of integers at %q", c.word.Text, c.tok().Text)
	}
	c.r.fail(c.word, "the condition of #%s is no expression of integers", c.word.Text)
}

func (c *conditions) choice() whole {
	if c.depth++; c.depth > maxDepth {
		c.r.fail(c.word, "the condition has more than %d operations in each other", maxDepth)
	}
	defer func() { c.depth-- }()
	v := c.binary(0)
	if !c.accept("?") {
		return v
	}
	a := c.choice()
	if !c.accept(":") {
		c.wrong()
	}
	b := c.choice()
	of := b
	if v.n != 0 {
		of = a
	}
	return whole{of.n, a.unsigned || b.unsigned}
}

// Words are the names that C++ has for operators.
var Words = map[string]string{
	"and": "&&", "or": "||", "not": "!", "xor": "^", "bitand": "&", "bitor": "|", "compl": "~", "and_eq": "&=", "or_eq": "|=", "xor_eq": "^=", "not_eq": "!=",
}

// levels are the binary operators from the weakest on.
var levels = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

// isTruth are the operators whose result is an int, 0 or 1; shift those whose result has the type of the left side.
var (
	isTruth = map[string]bool{"||": true, "&&": true, "==": true, "!=": true, "<": true, ">": true, "<=": true, ">=": true}
	shift   = map[string]bool{"<<": true, ">>": true}
)

func (c *conditions) binary(level int) whole {
	if level == len(levels) {
		return c.unary()
	}
	v := c.binary(level + 1)
	for {
		op := c.tok()
		text := op.Text
		if word, is := Words[text]; is && op.Kind == Name {
			text = word
		} else if op.Kind != Symbol {
			return v
		}
		if !slices.Contains(levels[level], text) {
			return v
		}
		c.i++
		w := c.binary(level + 1)
		unsigned := v.unsigned
		if !shift[text] {
			unsigned = v.unsigned || w.unsigned
		}
		v.n, _ = Computed(text, v.n, w.n, unsigned) // what is not evaluated may divide by zero
		v.unsigned = unsigned && !isTruth[text]
	}
}

func (c *conditions) unary() whole {
	if c.depth++; c.depth > maxDepth {
		c.r.fail(c.word, "the condition has more than %d operations in each other", maxDepth)
	}
	defer func() { c.depth-- }()
	t := c.tok()
	c.i++
	switch {
	case t.Is("!"), t.Is("not"):
		return whole{n: truth(c.unary().n == 0)}
	case t.Is("-"):
		v := c.unary()
		return whole{-v.n, v.unsigned}
	case t.Is("+"):
		return c.unary()
	case t.Is("~"), t.Is("compl"):
		v := c.unary()
		return whole{^v.n, v.unsigned}
	case t.Is("("):
		v := c.choice()
		if !c.accept(")") {
			c.wrong()
		}
		return v
	case t.Is("true"):
		return whole{n: 1}
	case t.Kind == Name:
		if c.tok().Is("(") { // __has_builtin(x) and its like
			for depth := 0; c.i < len(c.tokens); {
				if c.accept("(") {
					depth++
				} else if c.accept(")") {
					if depth--; depth == 0 {
						break
					}
				} else {
					c.i++
				}
			}
		}
		return whole{}
	case t.Kind == Number:
		digits := strings.TrimRight(strings.ReplaceAll(t.Text, "'", ""), "uUlL")
		if v, err := strconv.ParseUint(digits, 0, 64); err == nil {
			return whole{int64(v), v > math.MaxInt64 || strings.ContainsAny(t.Text[len(digits):], "uU")}
		}
	case t.Kind == Char && len(t.Text) == 3:
		return whole{n: int64(t.Text[1])}
	}
	c.i--
	c.wrong()
	return whole{}
}
