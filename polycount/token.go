package polycount

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"gpuperf/internal/source"
	"gpuperf/polycount/internal/arith"
)

// token kinds
const (
	tokEOF = iota
	tokName
	tokInt
	tokOp
)

type token struct {
	kind int
	text string
	at   int // byte offset
}

// operators, the longer ones first.
var operators = []string{
	"<<=", ">>=", "<<", ">>", "->", "<=", ">=", "!=", "==", "//", "&&", "||", ":=",
	"[", "]", "{", "}", "(", ")", ",", ";", ":", "<", ">", "=", "+", "-", "*", "/", "%", "^", "!", "?",
}

// synonyms are the spellings that mean one operator or word.
var synonyms = map[string]string{"&&": "and", "||": "or", "!": "not", "==": "=", "∧": "and", "∨": "or", "¬": "not", "∃": "exists", "≤": "<=", "≥": ">=", "≠": "!="}

// parser holds a text as tokens; its methods fail with a *source.Error through fault.
type parser struct {
	text  string
	toks  []token
	next  int
	depth int
	match map[int]int  // of the token of an opening parenthesis or bracket: that of the closing one
	cases map[int]bool // of the token of an opening parenthesis: a "?" stands in it, not deeper
	free  []string     // parameters that the text uses without declaring them
}

// maxDepth bounds the nesting of parentheses, so that no input exhausts the stack.
const maxDepth = 200

func newParser(text string) *parser {
	p := &parser{text: text}
	for at := 0; at < len(text); {
		c := text[at]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			at++
		case c == '#':
			if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
				at += end
			} else {
				at = len(text)
			}
		case isLetter(c):
			end := at
			for end < len(text) && (isLetter(text[end]) || isDigit(text[end]) || text[end] == '\'') {
				end++
			}
			p.toks = append(p.toks, token{tokName, text[at:end], at})
			at = end
		case isDigit(c):
			end := at
			for end < len(text) && isDigit(text[end]) {
				end++
			}
			p.toks = append(p.toks, token{tokInt, text[at:end], at})
			at = end
		default:
			op := ""
			for _, o := range operators {
				if strings.HasPrefix(text[at:], o) {
					op = o
					break
				}
			}
			if op == "" {
				r, n := utf8.DecodeRuneInString(text[at:])
				op = text[at : at+n]
				if synonyms[op] == "" {
					p.failAt(at, "unexpected character %q", r)
				}
			}
			t := token{tokOp, op, at}
			if s, ok := synonyms[op]; ok {
				t.text = s
				if isLetter(s[0]) {
					t.kind = tokName
				}
			}
			p.toks = append(p.toks, t)
			at += len(op)
		}
	}
	p.toks = append(p.toks, token{tokEOF, "the end of the text", len(text)})
	p.matchBrackets()
	return p
}

// matchBrackets fills match and cases.
func (p *parser) matchBrackets() {
	p.match, p.cases = map[int]int{}, map[int]bool{}
	var open []int
	for i, t := range p.toks {
		if t.kind != tokOp {
			continue
		}
		switch t.text {
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

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

func (p *parser) failAt(at int, format string, args ...any) {
	arith.Throw(source.New("", p.text, at, format, args...))
}

func (p *parser) fail(format string, args ...any) { p.failAt(p.peek().at, format, args...) }

func (p *parser) peek() token { return p.toks[p.next] }

func (p *parser) peekAfter(n int) token { return p.toks[min(p.next+n, len(p.toks)-1)] }

func (p *parser) take() token {
	t := p.toks[p.next]
	if t.kind != tokEOF {
		p.next++
	}
	return t
}

func (p *parser) is(text string) bool {
	t := p.peek()
	return t.text == text && (t.kind == tokOp || t.kind == tokName)
}

func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.next++
		return true
	}
	return false
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.fail("expected %q, found %q", text, p.peek().text)
	}
}

func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.fail("nested more than %d deep", maxDepth)
	}
}

func (p *parser) leave() { p.depth-- }

func (p *parser) int(t token) int64 {
	v, err := strconv.ParseInt(t.text, 10, 64)
	if err != nil {
		p.failAt(t.at, "the number %s does not fit into 64 bits", t.text)
	}
	return v
}

var reserved = map[string]bool{"and": true, "or": true, "not": true, "exists": true, "mod": true, "floor": true, "floord": true, "ceil": true, "ceild": true, "min": true, "max": true, "true": true, "false": true, "implies": true}

func (p *parser) name() string {
	t := p.peek()
	if t.kind != tokName || reserved[t.text] {
		p.fail("expected a name, found %q", t.text)
	}
	p.next++
	return t.text
}
