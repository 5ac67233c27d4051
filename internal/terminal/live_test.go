package terminal

import "testing"

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		width      int
		text, want string
	}{
		{0, "no terminal, no limit\n", "no terminal, no limit\n"},
		{10, "short\nlines\n", "short\nlines\n"},
		{12, "one two three four five\n", "one two\n    three\n    four\n    five\n"},
		{21, "  label  one two three four\n", "  label  one two\n         three four\n"},
		{18, "  - one two three four\n", "  - one two three\n    four\n"},
		{14, "it takes 12.5 µs, all\n", "it takes\n    12.5 µs,\n    all\n"},
		{14, "it took 12 % µs\n", "it took 12 %\n    µs\n"},
		{14, "a\n  one two three\n", "a\n  one two\n      three\n"},
		{10, "\x1b[33mone two\x1b[0m 90\n", "\x1b[33mone two\x1b[0m 90\n"},
		{8, "a_word_that_is_longer x\n", "a_word_that_is_longer\n    x\n"},
		{12, "    for i in range(n)\n    \x1b[31m         ^^^^^\x1b[0m\n", "    for i in range(n)\n    \x1b[31m         ^^^^^\x1b[0m\n"},
	} {
		if got := wrap(tt.text, tt.width); got != tt.want {
			t.Errorf("%q at %d:\n%q, want\n%q", tt.text, tt.width, got, tt.want)
		}
	}
}

func TestCut(t *testing.T) {
	for width, want := range map[int]string{-1: "näher", 3: "nä…", 5: "näher"} {
		if got := cut("näher", width); got != want {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
}
