package native

import (
	"strings"
)

// token is a word, a number, a string, a sign or a line of the preprocessor, with the blanks before it.
type token struct {
	kind  kind
	text  string
	space string // before it: blanks, ends of lines; comments are left out
}

type kind uint8

const (
	sign kind = iota
	word
	number
	quoted
	directive
)

// signs of more than one character, longest first.
var signs = []string{"<<=", ">>=", "...", "->*", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"}

// tokens cuts a text. Directives other than #define are one token, as is the name that #define defines with its parameters.
func tokens(text string) (out []token) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	space := ""
	add := func(k kind, n int) {
		out = append(out, token{k, text[:n], space})
		text, space = text[n:], ""
	}
	start := true // of a line
	for text != "" {
		c := text[0]
		switch {
		case c == '\n':
			start = true
			space, text = space+"\n", text[1:]
		case c == ' ' || c == '\t' || c == '\r':
			space, text = space+string(c), text[1:]
		case strings.HasPrefix(text, "//"):
			text = text[length(text, "\n"):]
		case strings.HasPrefix(text, "/*"):
			end := length(text[2:], "*/") + 2
			space += " " + strings.Repeat("\n", strings.Count(text[:end], "\n"))
			text = text[min(end+2, len(text)):]
		case c == '#' && start:
			add(directive, directiveLength(text))
		case isLetter(c):
			start = false
			add(word, run(text, func(c byte) bool { return isLetter(c) || isDigit(c) }))
		case isDigit(c) || c == '.' && len(text) > 1 && isDigit(text[1]):
			start = false
			add(number, numberLength(text))
		case c == '"' || c == '\'':
			start = false
			n := 1
			for n < len(text) && text[n] != c {
				if text[n] == '\\' {
					n++
				}
				n++
			}
			add(quoted, min(n+1, len(text)))
		default:
			start = false
			n := 1
			for _, s := range signs {
				if strings.HasPrefix(text, s) {
					n = len(s)
					break
				}
			}
			add(sign, n)
		}
	}
	return out
}

func length(text, end string) int {
	if i := strings.Index(text, end); i >= 0 {
		return i
	}
	return len(text)
}

func run(text string, is func(byte) bool) int {
	n := 0
	for n < len(text) && is(text[n]) {
		n++
	}
	return n
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// numberLength is that of a number, with its exponent and suffix.
func numberLength(text string) int {
	hex := strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X")
	n := 0
	for n < len(text) {
		c := text[n]
		exponent := !hex && (c == 'e' || c == 'E') || hex && (c == 'p' || c == 'P')
		if exponent && n+1 < len(text) && (text[n+1] == '-' || text[n+1] == '+') {
			n++
		} else if !isLetter(c) && !isDigit(c) && c != '.' {
			break
		}
		n++
	}
	return n
}

// directiveLength is that of a line of the preprocessor, of a #define without what the name stands for.
func directiveLength(text string) int {
	line := text[:length(text, "\n")]
	rest := strings.TrimLeft(line[1:], " \t")
	if !strings.HasPrefix(rest, "define") {
		return len(line)
	}
	rest = strings.TrimLeft(rest[len("define"):], " \t")
	n := run(rest, func(c byte) bool { return isLetter(c) || isDigit(c) })
	if n < len(rest) && rest[n] == '(' {
		n += length(rest[n:], ")") + 1
	}
	return len(line) - len(rest) + n
}

// isFloat reports whether a number is one in floating point.
func isFloat(text string) bool {
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") {
		return strings.ContainsAny(text, ".pP")
	}
	return strings.ContainsAny(text, ".eE") || strings.HasSuffix(text, "f") || strings.HasSuffix(text, "F")
}

// text joins tokens.
func text(list []token) string {
	var b strings.Builder
	for i, t := range list {
		if t.space == "" && i > 0 && (list[i-1].kind == word || list[i-1].kind == number) && (t.kind == word || t.kind == number) {
			b.WriteByte(' ')
		}
		b.WriteString(t.space)
		b.WriteString(t.text)
	}
	return b.String()
}
