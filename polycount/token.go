package polycount

import (
	"maps"
	"slices"
	"strconv"

	"gpuperf/internal/lex"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
)

// language is isl's notation. Names may have primes.
var language = lex.Language{
	Symbols: []string{
		"<<=", ">>=", "<<", ">>", "->", "<=", ">=", "!=", "==", "//", "&&", "||", ":=",
		"[", "]", "{", "}", "(", ")", ",", ";", ":", "<", ">", "=", "+", "-", "*", "/", "%", "^", "!", "?",
		"∧", "∨", "¬", "∃", "≤", "≥", "≠",
	},
	Synonyms: map[string]string{
		"&&": "and", "||": "or", "!": "not", "==": "=", "∧": "and", "∨": "or", "¬": "not", "∃": "exists", "≤": "<=", "≥": ">=", "≠": "!=",
	},
	Number:  lex.Digits,
	Primes:  true,
	EndText: "the end of the text",
	Hints: map[string]string{
		".": "the points of a set are integers: write 2i <= 7 for i <= 3.5",
		"^": "conditions are linear: powers have no place in them",
	},
}

// parser holds a text as tokens; its methods fail with a *source.Error through fault.
type parser struct {
	lex.Cursor
	depth int
	match map[int]int  // of the token of an opening parenthesis or bracket: that of the closing one
	cases map[int]bool // of the token of an opening parenthesis: it contains a "?", not nested deeper
	free  []string     // parameters that the text uses without declaring them
}

// maxDepth bounds the nesting of parentheses, so that no input exhausts the stack.
const maxDepth = 200

// maxNames bounds the dimensions of a tuple, the parameters and the variables that one "exists" names.
const maxNames = 256

// room fails where n names stand already in a list that goes on.
func (p *parser) room(n int) {
	if n == maxNames {
		p.fail("more than %d names in a list", maxNames)
	}
}

func newParser(text string) *parser {
	c, err := language.NewCursor(text)
	if err != nil {
		panic(throw.Of(err))
	}
	p := &parser{Cursor: c}
	p.matchBrackets()
	return p
}

// matchBrackets fills match and cases.
func (p *parser) matchBrackets() {
	p.match, p.cases = map[int]int{}, map[int]bool{}
	var open []int
	for i, t := range p.Tokens {
		if t.Kind != lex.Symbol {
			continue
		}
		switch t.Text {
		case "(", "[":
			open = append(open, i)
		case ")", "]":
			if len(open) > 0 {
				p.match[open[len(open)-1]] = i
				open = open[:len(open)-1]
			}
		case "?":
			if len(open) > 0 {
				p.cases[open[len(open)-1]] = true
			}
		}
	}
}

func (p *parser) failAt(at int, format string, args ...any) {
	panic(throw.Of(source.New("", p.Text, at, format, args...)))
}

func (p *parser) fail(format string, args ...any) { panic(throw.Of(p.Fault(format, args...))) }

// failHint is fail with a hint of its own.
func (p *parser) failHint(hint, format string, args ...any) {
	panic(throw.Of(p.Fault(format, args...).WithHint("%s", hint)))
}

// forms show what a text looks like that lacks a symbol.
var forms = map[string]string{
	"{":  "a set is written [n] -> { [i,j] : 0 <= i,j < n }",
	"[":  "names of dimensions stand in brackets: { [i,j] : 0 <= i,j < 8 }",
	"}":  "conditions stand behind a colon, up to the closing brace: { [i] : 0 <= i < 8 }",
	"->": "an arrow stands between the parameters and the set: [n] -> { [i] : 0 <= i < n }",
}

func (p *parser) take() lex.Token {
	t := p.Tok()
	if t.Kind != lex.End {
		p.I++
	}
	return t
}

func (p *parser) expect(text string) {
	if !p.Accept(text) {
		p.failHint(forms[text], "expected %q, found %s", text, p.found())
	}
}

// found is the current token as messages name it.
func (p *parser) found() string {
	if p.Tok().Kind == lex.End {
		return p.Tok().Text
	}
	return strconv.Quote(p.Tok().Text)
}

func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.fail("nested more than %d deep", maxDepth)
	}
}

func (p *parser) leave() { p.depth-- }

func (p *parser) int(t lex.Token) int64 {
	v, err := strconv.ParseInt(t.Text, 10, 64)
	if err != nil {
		p.failAt(t.At, "the number %s does not fit into 64 bits", t.Text)
	}
	return v
}

var reserved = map[string]bool{"and": true, "or": true, "not": true, "exists": true, "mod": true, "floor": true, "floord": true, "ceil": true, "ceild": true, "min": true, "max": true, "true": true, "false": true, "implies": true}

// Words lists the words of the notation, which are no names; sorted.
func Words() []string { return slices.Sorted(maps.Keys(reserved)) }

func (p *parser) name() string {
	t := p.Tok()
	if t.Kind != lex.Name || reserved[t.Text] {
		p.fail("expected a name, found %s", p.found())
	}
	p.I++
	return t.Text
}
