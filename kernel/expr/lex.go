package expr

import "gpuperf/internal/lex"

// Language is the notation of instructions: line ends separate, and a number may have the suffix f or d.
var Language = lex.Language{
	Symbols: []string{
		"...", ":=", "**", "//", "<<", ">>", "<=", ">=", "==", "!=",
		"+", "-", "*", "/", "%", "&", "|", "^", "~", "<", ">", "=", "(", ")", "[", "]", "{", "}", ",", ":", "$", "?", ".", "'", "\"", "!", ";", "@",
	},
	Number: func(text string) int {
		n := lex.Decimal(text)
		for n > 0 && n < len(text) && (lex.IsLetter(text[n]) || lex.IsDigit(text[n])) {
			n++ // the suffix; a wrong one is refused where the number is read
		}
		return n
	},
	Lines:   true,
	EndText: "end of text",
}

// IsName reports whether s can name an iname, an array or a statement.
func IsName(s string) bool { return lex.IsName(s) && !keywords[s] }

var keywords = map[string]bool{"and": true, "or": true, "not": true, "if": true, "else": true, "elif": true, "for": true, "end": true, "with": true}
