package cpp

import (
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
	return v != 0
}

// prepared replaces defined and macros.
func (r *reader) prepared(args []Token) []Token {
	var out []Token
	for i := 0; i < len(args); i++ {
		t := args[i]
		if !t.Is("defined") && !t.Is("__has_include") {
			out = append(out, t)
			continue
		}
		from, open := i, 0
		for i++; i < len(args) && (args[i].Is("(") || open > 0); i++ {
			if args[i].Is("(") {
				open++
			}
			if args[i].Is(")") {
				if open--; open == 0 {
					break
				}
			}
		}
		value := "0"
		for _, u := range args[from+1 : min(i+1, len(args))] {
			if t.Is("defined") && u.Kind == Name && r.macros[u.Text] != nil {
				value = "1"
			}
		}
		out = append(out, Token{Kind: Number, Text: value, At: t.At})
	}
	return r.all(out)
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

func (c *conditions) choice() int64 {
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
	if v != 0 {
		return a
	}
	return b
}

// levels are the binary operators from the weakest on.
var levels = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

func (c *conditions) binary(level int) int64 {
	if level == len(levels) {
		return c.unary()
	}
	v := c.binary(level + 1)
	for {
		op := c.tok()
		if op.Kind != Symbol || !slices.Contains(levels[level], op.Text) {
			return v
		}
		c.i++
		v, _ = Computed(op.Text, v, c.binary(level+1), false) // what is not evaluated may divide by zero
	}
}

func (c *conditions) unary() int64 {
	if c.depth++; c.depth > maxDepth {
		c.r.fail(c.word, "the condition has more than %d operations in each other", maxDepth)
	}
	defer func() { c.depth-- }()
	t := c.tok()
	c.i++
	switch {
	case t.Is("!"):
		return truth(c.unary() == 0)
	case t.Is("-"):
		return -c.unary()
	case t.Is("+"):
		return c.unary()
	case t.Is("~"):
		return ^c.unary()
	case t.Is("("):
		v := c.choice()
		if !c.accept(")") {
			c.wrong()
		}
		return v
	case t.Is("true"):
		return 1
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
		return 0
	case t.Kind == Number:
		digits := strings.TrimRight(strings.ReplaceAll(t.Text, "'", ""), "uUlL")
		if v, err := strconv.ParseUint(digits, 0, 64); err == nil {
			return int64(v)
		}
	case t.Kind == Char && len(t.Text) == 3:
		return int64(t.Text[1])
	}
	c.i--
	c.wrong()
	return 0
}
