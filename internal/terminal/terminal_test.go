package terminal

import (
	"os"
	"strings"
	"testing"
)

// wrapped is a stream in another one, as the program has them.
type wrapped struct {
	strings.Builder
	of *os.File
}

func (w *wrapped) Fd() uintptr { return Fd(w.of) }

func TestPaint(t *testing.T) {
	pty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminal can be opened here: %v", err)
	}
	defer pty.Close()
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, c := range []struct {
		to            *os.File
		noColor, term string
		coloured      bool
	}{
		{pty, "", "xterm", true},
		{pty, "1", "xterm", false},
		{pty, "", "dumb", false},
		{file, "", "xterm", false},
	} {
		t.Setenv("NO_COLOR", c.noColor)
		t.Setenv("TERM", c.term)
		got, want := Warning.Paint(&wrapped{of: c.to}, "warning:"), "warning:"
		if c.coloured {
			want = "\x1b[33mwarning:\x1b[0m"
		}
		if got != want {
			t.Errorf("%s, NO_COLOR=%q, TERM=%q: %q", c.to.Name(), c.noColor, c.term, got)
		}
	}
	if Is(&strings.Builder{}) {
		t.Error("a text is a terminal")
	}
}
