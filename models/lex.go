package models

import (
	"strings"
	"unicode"

	"gpuperf/internal/exprlang"
	"gpuperf/internal/lex"
	"gpuperf/internal/source"
)

// language has the tokens of expressions. What some symbols lack a meaning for, the hints say.
var language = lex.Language{
	Symbols: exprlang.Symbols,
	Number:  exprlang.Number,
	Name:    nameLength,
	Hints: map[string]string{
		"//": "divisions are exact: a / b",
		"%":  "the remainder of a division is a - b * floor(a / b)",
		";":  "a model is one expression; parts of it can be named under terms:",
		"=":  "== compares; parts of a model can be named under terms:",
		"[":  "expressions are grouped by parentheses",
		")":  "it closes no parenthesis",
		":":  "of a feature it has a word, a { or a comparison right after it, as in f_mem_access_tag:aLD; a choice is c ? a : b",
	},
}

// nameLength is the length of the name that starts at an offset. A feature identifier (Perflex paper, section 6.1) is f_ and then the
// longest sequence of letters, digits and _; a colon and a word; a colon and text in braces; a colon and a comparison (>1, <n).
func nameLength(text string, start int) (int, error) {
	i := start
	skip := func(part func(c byte) bool) {
		for i < len(text) && part(text[i]) {
			i++
		}
	}
	skip(isWord)
	if !strings.HasPrefix(text[start:i], "f_") {
		return i - start, nil
	}
	fail := func(at int, hint, msg string) (int, error) {
		return 0, source.New("", text, at, "%s", msg).WithHint("%s", hint)
	}
	for i < len(text) && text[i] == ':' {
		colon := i
		i++
		switch {
		case i < len(text) && text[i] == '{':
			n := lex.Closing(text[i:], "{}")
			if n < 0 {
				return fail(i, "strides are written {axis:constraint;axis:constraint}", "this { of a feature is never closed")
			}
			i += n
			skip(isWord)
		case i < len(text) && isComparison(text[i]):
			skip(isComparison)
			value := i
			skip(func(c byte) bool { return isWord(c) || c == '.' })
			if i == value {
				return fail(i, "", "the comparison of a feature lacks its value")
			}
		case i < len(text) && isWord(text[i]):
			skip(isWord)
		default: // that of a choice
			return colon - start, nil
		}
	}
	return i - start, nil
}

// FeatureName returns text without white space; ok reports whether it is a feature identifier.
func FeatureName(text string) (name string, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) < 3 || !strings.HasPrefix(text, "f_") {
		return "", false
	}
	n, err := nameLength(text, 0)
	return squeeze(text), err == nil && n == len(text)
}

// squeeze is a name without white space, which only braces may hold.
func squeeze(s string) string {
	if strings.IndexByte(s, '{') < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

func isWord(c byte) bool { return lex.IsLetter(c) || lex.IsDigit(c) }

func isComparison(c byte) bool { return c == '<' || c == '>' || c == '=' }
