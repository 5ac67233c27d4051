package source

import (
	"fmt"
	"testing"
)

func TestErrorShowsPlace(t *testing.T) {
	text := "first\n\tsecond é line\nthird"
	e := New("k.star", text, len("first\n\tsecond é "), "unknown iname %q", "q").WithHint("inames are i, j")
	want := "k.star:2:11: unknown iname \"q\"\n    \tsecond é line\n    \t         ^\n    inames are i, j"
	if got := e.Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPosAt(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		want   Pos
	}{
		{"", 0, Pos{1, 1}},
		{"ab\ncd", 3, Pos{2, 1}},
		{"ab\ncd", 99, Pos{2, 3}},
		{"é=1", 2, Pos{1, 2}},
	} {
		if got := PosAt(c.text, c.offset); got != c.want {
			t.Errorf("PosAt(%q, %d) = %v, want %v", c.text, c.offset, got, c.want)
		}
	}
}

func TestInFileKeepsAnExistingName(t *testing.T) {
	inner := New("", "x", 0, "bad")
	if got := InFile(fmt.Errorf("wrapped: %w", inner), "a.yaml").Error(); got != "a.yaml:1:1: bad\n    x\n    ^" {
		t.Errorf("got %q", got)
	}
	named := New("b.yaml", "x", 0, "bad")
	if InFile(named, "a.yaml") != error(named) {
		t.Error("a named error was renamed")
	}
}
