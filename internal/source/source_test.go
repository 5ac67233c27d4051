package source_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"gpuperf/internal/source"
)

func TestErrorShowsPlace(t *testing.T) {
	text := "first\n\tsecond é line\nthird"
	e := source.New("k.star", text, len("first\n\tsecond é "), "unknown iname %q", "q").WithHint("inames are i, j")
	want := "k.star:2:11: unknown iname \"q\"\n    \tsecond é line\n    \t         ^\n    inames are i, j"
	if got := e.Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestErrorShowsPartOfALongLine(t *testing.T) {
	for _, c := range []struct {
		before, after    int
		line, underCaret string
	}{
		{3, 1000, strings.Repeat("a", 3) + "!" + strings.Repeat("b", 156) + " …", "!"},
		{1000, 1000, "… " + strings.Repeat("a", 80) + "!" + strings.Repeat("b", 79) + " …", "!"},
		{1000, 3, "… " + strings.Repeat("a", 156) + "!" + strings.Repeat("b", 3), "!"},
		{80, 79, strings.Repeat("a", 80) + "!" + strings.Repeat("b", 79), "!"},
	} {
		lines := strings.Split(source.New("", strings.Repeat("a", c.before)+"!"+strings.Repeat("b", c.after), c.before, "x").Error(), "\n")
		if lines[1] != "    "+c.line {
			t.Errorf("%d, %d: got %q, want %q", c.before, c.after, lines[1], c.line)
		}
		at := utf8.RuneCountInString(lines[2]) - 1
		if got := []rune(lines[1])[at]; string(got) != c.underCaret {
			t.Errorf("%d, %d: the caret stands under %q", c.before, c.after, got)
		}
	}
	if got := source.New("", "x", 0, "%s", strings.Repeat("é", 1<<20)).Error(); len(got) > 3000 || !utf8.ValidString(got) {
		t.Errorf("a message of %d bytes", len(got))
	}
}

func TestPosAt(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		want   source.Pos
	}{
		{"", 0, source.Pos{1, 1}},
		{"ab\ncd", 3, source.Pos{2, 1}},
		{"ab\ncd", 99, source.Pos{2, 3}},
		{"é=1", 2, source.Pos{1, 2}},
	} {
		if got := source.PosAt(c.text, c.offset); got != c.want {
			t.Errorf("PosAt(%q, %d) = %v, want %v", c.text, c.offset, got, c.want)
		}
	}
}

func TestInFileKeepsAnExistingName(t *testing.T) {
	inner := source.New("", "x", 0, "bad")
	if got := source.InFile(fmt.Errorf("wrapped: %w", inner), "a.yaml").Error(); got != "a.yaml:1:1: bad\n    x\n    ^" {
		t.Errorf("got %q", got)
	}
	named := source.New("b.yaml", "x", 0, "bad")
	if source.InFile(named, "a.yaml") != error(named) {
		t.Error("a named error was renamed")
	}
}

func TestNearest(t *testing.T) {
	known := []string{"expression", "output", "name", "terms", "fit"}
	for word, want := range map[string]string{
		"expresion": "expression", "Expression": "expression", "ouptut": "output", "nmae": "name", "term": "terms",
		"device": "", "": "", "x": "",
	} {
		if got := source.Nearest(word, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
