package cpp

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// lexer cuts a text into tokens. Lines that a backslash continues are joined first; places are those before that.
type lexer struct {
	file    string
	text    string
	at      int
	splices []int // offsets in text where lines were joined
	line    int
	start   int // offset in text where the line begins, or its part after a joint
	wide    bool
}

func newLexer(file, text string) *lexer {
	text = strings.TrimPrefix(text, "\ufeff") // the byte order mark with which some editors begin a file
	l := &lexer{file: file, line: 1}
	l.text, l.splices = join(text)
	l.wide = strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
	return l
}

// join removes each backslash before the end of a line, with that end, and tells where.
func join(text string) (string, []int) {
	if !strings.Contains(text, "\\") {
		return text, nil
	}
	var b strings.Builder
	var joints []int
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 {
			b.WriteString(text)
			return b.String(), joints
		}
		rest := text[i+1:]
		n := len(rest) - len(strings.TrimLeft(rest, " \t\r")) + 1 // compilers join lines behind blanks, too
		if n > len(rest) || rest[n-1] != '\n' {
			b.WriteString(text[:i+1])
			text = rest
			continue
		}
		b.WriteString(text[:i])
		joints = append(joints, b.Len())
		text = rest[n:]
	}
}

// reach moves to an offset, over joints and ends of lines.
func (l *lexer) reach(to int) {
	for l.at < to || len(l.splices) > 0 && l.splices[0] <= to {
		next := to
		ends := false
		if i := strings.IndexByte(l.text[l.at:to], '\n'); i >= 0 {
			next, ends = l.at+i+1, true
		}
		switch {
		case len(l.splices) > 0 && l.splices[0] <= next && !(ends && l.splices[0] == next):
			l.line, l.start, l.at = l.line+1, l.splices[0], max(l.at, l.splices[0])
			l.splices = l.splices[1:]
		case ends:
			l.line, l.start, l.at = l.line+1, next, next
		default:
			l.at = to
		}
	}
}

func (l *lexer) here() Pos {
	p := Pos{File: l.file}
	p.Line, p.Column = l.line, l.at-l.start+1
	if l.wide {
		p.Column = utf8.RuneCountInString(l.text[min(l.start, l.at):l.at]) + 1
	}
	return p
}

// next is the next token; an end of a line is one.
func (l *lexer) next() Token {
	spaced := l.space()
	t := Token{At: l.here(), Spaced: spaced}
	rest := l.text[l.at:]
	if rest == "" {
		return t
	}
	var n int
	t.Kind, n = scan(rest)
	t.Text = rest[:n]
	l.reach(l.at + n)
	return t
}

// space passes white space and comments, but no ends of lines outside of comments.
func (l *lexer) space() bool {
	from := l.at
	for {
		rest := l.text[l.at:]
		n := 0
		switch {
		case strings.HasPrefix(rest, "//"):
			if n = strings.IndexByte(rest, '\n'); n < 0 {
				n = len(rest)
			}
		case strings.HasPrefix(rest, "/*"):
			if n = strings.Index(rest[2:], "*/"); n < 0 {
				n = len(rest)
			} else {
				n += 4
			}
		default:
			for n < len(rest) && strings.IndexByte(" \t\r\v\f", rest[n]) >= 0 {
				n++
			}
		}
		if n == 0 {
			return l.at > from
		}
		l.reach(l.at + n)
	}
}

// symbols of C++ of more than one character, longest first.
var symbols = []string{
	"<<=", ">>=", "...", "->*", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "->",
	"##", "::",
}

// scan tells what token a text begins with, and its length.
func scan(s string) (Kind, int) {
	c := s[0]
	switch {
	case c == '\n':
		return newline, 1
	case letter(c):
		n := word(s)
		if m := raw(s, n); m > 0 {
			return String, m
		}
		if n < len(s) && (s[n] == '"' || s[n] == '\'') && slices.Contains([]string{"L", "u", "U", "u8"}, s[:n]) {
			kind, m := scan(s[n:])
			return kind, n + m
		}
		return Name, n
	case digit(c) || c == '.' && len(s) > 1 && digit(s[1]):
		return Number, number(s)
	case c == '"' || c == '\'':
		return quoted(s)
	}
	if strings.IndexByte("<>=!&|+-*/%^#:.", c) >= 0 {
		for _, sym := range symbols {
			if strings.HasPrefix(s, sym) {
				return Symbol, len(sym)
			}
		}
	}
	if strings.IndexByte("<>=!&|+-*/%^#:.()[]{};,?~", c) >= 0 {
		return Symbol, 1
	}
	_, n := utf8.DecodeRuneInString(s)
	return stray, n
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '$' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

func word(s string) int {
	n := 0
	for n < len(s) && (letter(s[n]) || digit(s[n])) {
		n++
	}
	return n
}

// raw is the length of a raw string of C++, R"end(...)end" (C++17, 5.13.5), whose prefix has n characters; 0 where none stands there.
func raw(s string, n int) int {
	if n == len(s) || s[n] != '"' || !slices.Contains([]string{"R", "LR", "uR", "UR", "u8R"}, s[:n]) {
		return 0
	}
	end, _, ok := strings.Cut(s[n+1:], "(")
	if !ok || len(end) > 16 || strings.ContainsAny(end, ") \\\t\n\"") {
		return 0
	}
	end = ")" + end + `"`
	i := strings.Index(s[n+1:], end)
	if i < 0 {
		return 0
	}
	return n + 1 + i + len(end)
}

// number is the length of a number (C11, 6.4.8); digits of C++ may be separated by quotes.
func number(s string) int {
	for n := 1; ; n++ {
		switch {
		case n == len(s):
			return n
		case (s[n] == '+' || s[n] == '-') && strings.IndexByte("eEpP", s[n-1]) >= 0 && !(hexadecimal(s) && s[n-1]|0x20 == 'e'):
		case s[n] == '\'' && n+1 < len(s) && (digit(s[n+1]) || letter(s[n+1])):
		case !letter(s[n]) && !digit(s[n]) && s[n] != '.':
			return n
		}
	}
}

func hexadecimal(s string) bool { return len(s) > 1 && s[0] == '0' && s[1]|0x20 == 'x' }

// quoted is a string or a character. One that its line does not end is a stray quote, as in text that is left out.
func quoted(s string) (Kind, int) {
	for n := 1; n < len(s) && s[n] != '\n'; n++ {
		if s[n] == '\\' {
			n++
		} else if s[n] == s[0] {
			if s[0] == '"' {
				return String, n + 1
			}
			return Char, n + 1
		}
	}
	return stray, 1
}
