package expr

import (
	"strings"
	"unicode/utf8"

	"gpuperf/internal/source"
)

type tokenKind uint8

// The kinds of token.
const (
	TokEnd  tokenKind = iota
	TokLine           // end of a line outside brackets
	TokName
	TokNumber
	tokSymbol
)

// Token is a piece of the text: its kind, its characters and the byte offset where they start.
type Token struct {
	Kind tokenKind
	Text string
	At   int // byte offset in the text
}

// symbols, longest first, so that the first match is the right one.
var symbols = []string{
	"...", ":=", "**", "//", "<<", ">>", "<=", ">=", "==", "!=",
	"+", "-", "*", "/", "%", "&", "|", "^", "~", "<", ">", "=", "(", ")", "[", "]", "{", "}", ",", ":", "$", "?", ".", "'", "\"", "!", ";", "@",
}

// Lex splits text into tokens. Line ends count only outside brackets and when no backslash precedes them; # starts a
// comment that ends with its line.
func Lex(text string) ([]Token, error) {
	var toks []Token
	depth := 0
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\n':
			if depth == 0 {
				toks = append(toks, Token{TokLine, "end of line", i})
			}
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '\\' && strings.TrimLeft(text[i+1:], " \t\r") != "" && strings.TrimLeft(text[i+1:], " \t\r")[0] == '\n':
			i += 1 + strings.IndexByte(text[i:], '\n')
		case isLetter(c):
			j := i + 1
			for j < len(text) && (isLetter(text[j]) || isDigit(text[j])) {
				j++
			}
			toks = append(toks, Token{TokName, text[i:j], i})
			i = j
		case isDigit(c) || c == '.' && i+1 < len(text) && isDigit(text[i+1]):
			j := i + numberLength(text[i:])
			toks = append(toks, Token{TokNumber, text[i:j], i})
			i = j
		default:
			sym := ""
			for _, s := range symbols {
				if strings.HasPrefix(text[i:], s) {
					sym = s
					break
				}
			}
			if sym == "" {
				r, _ := utf8.DecodeRuneInString(text[i:])
				return nil, source.New("", text, i, "unexpected character %q", r)
			}
			switch sym {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				depth = max(0, depth-1)
			}
			toks = append(toks, Token{tokSymbol, sym, i})
			i += len(sym)
		}
	}
	return append(toks, Token{TokEnd, "end of text", len(text)}), nil
}

// numberLength is the length of the number that s starts with: digits, fraction, exponent and the suffix f or d.
func numberLength(s string) int {
	i := 0
	digits := func() {
		for i < len(s) && isDigit(s[i]) {
			i++
		}
	}
	digits()
	if i < len(s) && s[i] == '.' && !strings.HasPrefix(s[i:], "..") {
		i++
		digits()
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if j < len(s) && isDigit(s[j]) {
			i = j
			digits()
		}
	}
	for i < len(s) && (isLetter(s[i]) || isDigit(s[i])) {
		i++ // the suffix; a wrong one is refused where the number is read
	}
	return i
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// IsName reports whether s can name an iname, an array or a statement.
func IsName(s string) bool {
	if s == "" || !isLetter(s[0]) {
		return false
	}
	for i := 1; i < len(s); i++ {
		if !isLetter(s[i]) && !isDigit(s[i]) {
			return false
		}
	}
	return !keywords[s]
}

var keywords = map[string]bool{"and": true, "or": true, "not": true, "if": true, "else": true, "elif": true, "for": true, "end": true, "with": true}
