package lift

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"gpuperf/internal/source"
)

type tokenKind uint8

const (
	tokEnd tokenKind = iota
	tokName
	tokNumber // with its suffix
	tokString // text is what stands between the quotes
	tokSymbol
)

type token struct {
	kind tokenKind
	text string
	at   int // byte offset
	line int // number of line ends before it
}

// symbols, longest first. The last row stands in the definitions of user functions alone.
var symbols = []string{
	"=>", ">=", "(", ")", "[", "]", "<", ">", ",", ":", "$", "+", "-", "*", "/", "^", "|", "=",
	"%", "&", "!", "~", ".",
}

// lexer cuts a program into tokens. A comment goes from # to the end of its line.
func lex(text string) ([]token, *source.Error) {
	var toks []token
	line := 0
	for i := len(byteOrderMark(text)); i < len(text); {
		c := text[i]
		start := i
		switch {
		case c == '\n':
			line++
			i++
			continue
		case c == ' ' || c == '\t' || c == '\r':
			i++
			continue
		case c == '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
			continue
		case isLetter(c):
			for i < len(text) && (isLetter(text[i]) || isDigit(text[i])) {
				i++
			}
			toks = append(toks, token{tokName, text[start:i], start, line})
			continue
		case isDigit(c):
			i = number(text, i)
			toks = append(toks, token{tokNumber, text[start:i], start, line})
			continue
		case c == '"' || c == '`':
			quoted, err := strconv.QuotedPrefix(text[i:])
			if err != nil {
				return nil, source.New("", text, i, "the string has no end")
			}
			s, err := strconv.Unquote(quoted)
			if err != nil || !utf8.ValidString(s) {
				return nil, source.New("", text, i, "no string: %s", quoted)
			}
			toks = append(toks, token{tokString, s, start, line})
			line += strings.Count(quoted, "\n")
			i += len(quoted)
			continue
		}
		for _, s := range symbols {
			if strings.HasPrefix(text[i:], s) {
				toks = append(toks, token{tokSymbol, s, i, line})
				i += len(s)
				break
			}
		}
		if i == start {
			r, _ := utf8.DecodeRuneInString(text[i:])
			return nil, source.New("", text, i, "unexpected %q", r)
		}
	}
	return append(toks, token{tokEnd, "", len(text), line}), nil
}

// byteOrderMark is what some editors begin a file with.
func byteOrderMark(text string) string {
	const mark = "\ufeff"
	if strings.HasPrefix(text, mark) {
		return mark
	}
	return ""
}

// number returns the end of the number at i: 12, 1.5, 2e-3, with or without the suffix f.
func number(text string, i int) int {
	digits := func() {
		for i < len(text) && isDigit(text[i]) {
			i++
		}
	}
	digits()
	if i+1 < len(text) && text[i] == '.' && isDigit(text[i+1]) {
		i++
		digits()
	} else if i < len(text) && text[i] == '.' {
		i++
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		j := i + 1
		if j < len(text) && (text[j] == '+' || text[j] == '-') {
			j++
		}
		if j < len(text) && isDigit(text[j]) {
			i = j
			digits()
		}
	}
	if i < len(text) && text[i] == 'f' {
		i++
	}
	return i
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
