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
	Hints: map[string]string{
		"&":  "the words are and, or, not: a > 0 and b > 0",
		"|":  "the words are and, or, not: a > 0 or b > 0",
		"!":  "the words are and, or, not: not a > 0",
		"?":  "write if(condition, then, else)",
		";":  "an instruction ends with its line: write the next one below it",
		"=":  "an instruction has one =, and an update is written out: y[i] = y[i] + x[i]",
		"==": "an assignment has one =; == compares",
		"\"": "texts have no place in an instruction",
		"{":  "attributes stand at the end of an instruction: {id=a, dep=b}",
	},
}

// IsName reports whether s can name an iname, an array or a statement.
func IsName(s string) bool { return lex.IsName(s) && !keywords[s] }

var keywords = map[string]bool{"and": true, "or": true, "not": true, "if": true, "else": true, "elif": true, "for": true, "end": true, "with": true}
