// Package lex cuts texts into tokens, by a table of what a language has: symbols, numbers, strings, ends of lines.
//
// What all languages of the project share is fixed: names start with a letter or _ and continue with digits too, # starts
// a comment that ends with its line, and other white space separates.
package lex

import (
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gpuperf/internal/lists"
	"gpuperf/internal/source"
)

// Kind is a kind of token.
type Kind uint8

// The kinds of token.
const (
	End    Kind = iota
	Name        // letters, digits and _
	Number      // with its suffix, if the language has any
	String      // the text of the token is what stands between the quotes
	Symbol
	Line // the end of a line
)

// Token is a piece of a text.
type Token struct {
	Kind Kind
	Text string
	At   int // byte offset where it starts
}

// Language says what tokens a language has. The zero value has names only.
type Language struct {
	// Symbols are tried in their order: those that others begin with come last.
	Symbols []string
	// Synonyms are symbols that mean another one, or a word.
	Synonyms map[string]string
	// Name is the length of the name that starts at an offset of a text; nil: names are letters, digits and _.
	Name func(text string, at int) (n int, err error)
	// Number is the length of the number that a text starts with, 0 where it starts with none.
	Number func(text string) int
	// Primes: names may contain ' after the first letter.
	Primes bool
	// Strings: there are strings as in Go, "..." and `...`.
	Strings bool
	// Lines: the end of a line is a token, unless it stands in brackets or a backslash precedes it.
	Lines bool
	// Hints say what to write in place of a symbol or a character that means nothing, or nothing where it stands; that of "" is for all
	// other characters.
	Hints map[string]string
	// EndText is the text of the last token, as error messages name it.
	EndText string
}

// Lex returns the tokens of a text, of which the last one has the kind End. Errors are *source.Error.
func (l *Language) Lex(text string) ([]Token, error) {
	toks := make([]Token, 0, 2+len(text)/4)
	depth := 0 // of brackets
	at := 0
	add := func(kind Kind, n int) {
		toks = append(toks, Token{kind, text[at : at+n], at})
		at += n
	}
	for at < len(text) {
		rest := text[at:]
		c := rest[0]
		if n := l.blank(rest, at, depth); n > 0 {
			at += n
			continue
		}
		if c == '\n' {
			toks = append(toks, Token{Line, "end of line", at})
			at++
			continue
		}
		if IsLetter(c) {
			n, err := l.name(text, at)
			if err != nil {
				return nil, err
			}
			add(Name, n)
			continue
		}
		if n := l.number(rest); n > 0 {
			add(Number, n)
			continue
		}
		if l.Strings && (c == '"' || c == '`') {
			s, n, err := quoted(text, at)
			if err != nil {
				return nil, err
			}
			toks = append(toks, Token{String, s, at})
			at += n
			continue
		}
		symbol := l.symbol(rest)
		switch symbol {
		case "":
			r, _ := utf8.DecodeRuneInString(rest)
			return nil, source.New("", text, at, "unexpected character %q", r).WithHint("%s", cmp.Or(l.Hints[string(r)], l.Hints[""]))
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth = max(0, depth-1)
		}
		toks = append(toks, l.meaning(symbol, at))
		at += len(symbol)
	}
	return append(toks, Token{End, l.EndText, len(text)}), nil
}

// meaning is the token of a symbol: what it is a synonym of, which may be a word.
func (l *Language) meaning(symbol string, at int) Token {
	t := Token{Symbol, cmp.Or(l.Synonyms[symbol], symbol), at}
	if IsLetter(t.Text[0]) {
		t.Kind = Name
	}
	return t
}

// blank is the length of the white space, the comment or the continuation of a line that the rest of a text at an
// offset starts with.
func (l *Language) blank(rest string, at, depth int) int {
	const mark = "\ufeff" // with which some editors begin a file
	switch c := rest[0]; {
	case c == '\n' && (!l.Lines || depth > 0), c == ' ', c == '\t', c == '\r':
		return 1
	case c == '#':
		if n := strings.IndexByte(rest, '\n'); n >= 0 {
			return n
		}
		return len(rest)
	case c == '\\' && l.Lines:
		if n := strings.IndexByte(rest, '\n'); n >= 0 && strings.TrimLeft(rest[1:n], " \t\r") == "" {
			return n + 1
		}
	case at == 0 && strings.HasPrefix(rest, mark):
		return len(mark)
	}
	return 0
}

func (l *Language) name(text string, at int) (int, error) {
	if l.Name != nil {
		return l.Name(text, at)
	}
	rest, n := text[at:], 1
	for n < len(rest) && (IsLetter(rest[n]) || IsDigit(rest[n]) || l.Primes && rest[n] == '\'') {
		n++
	}
	return n, nil
}

func (l *Language) number(rest string) int {
	if l.Number == nil || !IsDigit(rest[0]) && rest[0] != '.' {
		return 0
	}
	return l.Number(rest)
}

func (l *Language) symbol(rest string) string {
	return lists.First(l.Symbols, func(s string) bool { return s[0] == rest[0] && strings.HasPrefix(rest, s) })
}

// quoted is the value of the string that starts at an offset, and its length in the text.
func quoted(text string, at int) (string, int, error) {
	raw, err := strconv.QuotedPrefix(text[at:])
	if err != nil {
		return "", 0, source.New("", text, at, "the string has no end")
	}
	s, err := strconv.Unquote(raw)
	if err != nil || !utf8.ValidString(s) {
		return "", 0, source.New("", text, at, "no string: %s", raw)
	}
	return s, len(raw), nil
}

// Digits is the length of the digits that a text starts with.
func Digits(text string) int { return len(text) - len(strings.TrimLeft(text, "0123456789")) }

// Decimal is the length of the decimal number that a text starts with: 12, 1.5, .5, 1., 2e-3. It does not take the first
// of two dots.
func Decimal(text string) int {
	n := Digits(text)
	if n < len(text) && text[n] == '.' && !strings.HasPrefix(text[n:], "..") {
		fraction := Digits(text[n+1:])
		if n == 0 && fraction == 0 {
			return 0
		}
		n += 1 + fraction
	}
	if n > 0 && n < len(text) && (text[n] == 'e' || text[n] == 'E') {
		sign := 0
		if n+1 < len(text) && (text[n+1] == '+' || text[n+1] == '-') {
			sign = 1
		}
		if exponent := Digits(text[n+1+sign:]); exponent > 0 {
			n += 1 + sign + exponent
		}
	}
	return n
}

// IsLetter reports whether a name may start with the character.
func IsLetter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// IsDigit reports whether the character is a decimal digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsName reports whether the text is one name.
func IsName(text string) bool { return IsWord(text) && !IsDigit(text[0]) }

// IsWord reports whether the text consists of letters, digits and _.
func IsWord(text string) bool {
	for i := range len(text) {
		if !IsLetter(text[i]) && !IsDigit(text[i]) {
			return false
		}
	}
	return text != ""
}
