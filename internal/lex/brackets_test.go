package lex_test

import (
	"slices"
	"testing"

	"gpuperf/internal/lex"
)

// TestBrackets: commas in brackets separate nothing, and the bracket that closes is that of the first.
func TestBrackets(t *testing.T) {
	if got, want := lex.Split("a, f(b, c[1, 2]),d<e,f>,", ",", "()[]<>"), []string{"a", " f(b, c[1, 2])", "d<e,f>", ""}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := lex.Split("a < b, c", ",", "()[]"), []string{"a < b", " c"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for text, want := range map[string]int{"{a{b}c}d}": 7, "{a{b}": -1, "{}": 2} {
		if got := lex.Closing(text, "{}"); got != want {
			t.Errorf("%s closes after %d, want %d", text, got, want)
		}
	}
}
