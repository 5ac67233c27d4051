package lex

import "strings"

// Split cuts a text at separators that stand outside of brackets. Brackets are pairs, such as "()[]"; all characters of both are of ASCII.
func Split(text, separators, brackets string) (parts []string) {
	depth, from := 0, 0
	for i := range len(text) {
		switch at := strings.IndexByte(brackets, text[i]); {
		case at >= 0 && at%2 == 0:
			depth++
		case at >= 0:
			depth--
		case depth == 0 && strings.IndexByte(separators, text[i]) >= 0:
			parts, from = append(parts, text[from:i]), i+1
		}
	}
	return append(parts, text[from:])
}

// Closing is the length of a text to the bracket that closes the one which it starts with, both of a pair such as "{}"; -1 where none does.
func Closing(text, pair string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case pair[0]:
			depth++
		case pair[1]:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}
