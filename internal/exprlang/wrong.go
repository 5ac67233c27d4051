package exprlang

import (
	"gpuperf/internal/lex"
	"gpuperf/internal/source"
)

// Operators lists the operators for hints.
const Operators = "operators are + - * / ** < <= > >= == != and or, and c ? a : b"

// wrong says what is wrong at the current token.
func (t *Tree) wrong() *source.Error {
	before, after, open := t.ends(t.I-1), t.begins(t.I), t.open()
	end := t.Tok().Kind == lex.End
	switch {
	case before && after:
		return t.Fault("%s", t.Missing("an operator")).WithHint(Operators)
	case !before:
		return t.missing("a value", "")
	case open == "?":
		return t.missing(`a ":"`, "a choice is written c ? a : b, with a blank before the :")
	case open == "(" && end:
		return t.missing(`a ")"`, "")
	}
	return t.Fault("unexpected %s", t.Tok().Text)
}

// missing is an error about what should stand at the current token; at the end of the text it is shown at the last character.
func (t *Tree) missing(what, hint string) *source.Error {
	e := t.Fault("%s", t.Missing(what))
	if tok := t.Tok(); tok.Kind == lex.End {
		e = source.New("", t.Text, max(0, tok.At-1), "%s", e.Msg)
	}
	if hint != "" {
		e = e.WithHint("%s", hint)
	}
	return e
}

// ends reports whether a value ends with a token.
func (t *Tree) ends(i int) bool {
	if i < 0 {
		return false
	}
	tok := t.Tokens[i]
	return tok.Kind == lex.Number || tok.Text == ")" || tok.Kind == lex.Name && !IsWord(tok.Text)
}

// begins reports whether a token can only begin a value.
func (t *Tree) begins(i int) bool {
	tok := t.Tokens[i]
	return tok.Kind == lex.Number || tok.Text == "(" || tok.Text == "!" || tok.Kind == lex.Name && tok.Text != "and" && tok.Text != "or"
}

// open is the last ( or ? before the current token that is not closed.
func (t *Tree) open() string {
	var list []string
	for _, tok := range t.Tokens[:t.I] {
		switch text := tok.Text; text {
		case "(", "?":
			list = append(list, text)
		case ")", ":":
			if len(list) > 0 {
				list = list[:len(list)-1]
			}
		}
	}
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}
