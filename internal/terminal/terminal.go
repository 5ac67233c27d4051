// Package terminal decides whether a stream is a terminal, how wide it is, and whether text on it is coloured. Wrappers of streams have
// the Fd of what they wrap. [Live] wraps lines at the width, and redraws one.
package terminal

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Is reports whether a stream is a terminal.
func Is(w io.Writer) bool {
	return term.IsTerminal(int(Fd(w)))
}

// Redrawable reports whether a stream is a terminal that knows the sequences that move the cursor and colour text.
func Redrawable(w io.Writer) bool { return Is(w) && os.Getenv("TERM") != "dumb" }

// Fd is that of a stream, for wrappers of it; one that is no file descriptor where it has none.
func Fd(w io.Writer) uintptr {
	if f, ok := w.(interface{ Fd() uintptr }); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// Direct is the stream that writers stand before, for a program that is to have it for its own.
func Direct(w io.Writer) io.Writer {
	for {
		before, ok := w.(interface{ Unwrap() io.Writer })
		if !ok {
			return w
		}
		w = before.Unwrap()
	}
}

// Columns is the width of a terminal, as far as lines of that length can be read; 80 elsewhere.
func Columns(w io.Writer) int {
	const usual, most = 80, 120 // characters: of terminals, and of lines that are easily read
	if Width(w) == 0 {
		return usual
	}
	return Room(w, most)
}

// Room is the width for text in lines of at most so many columns: that of a terminal where it is less.
func Room(w io.Writer, most int) int {
	if width := Width(w); width > 0 {
		return min(width, most)
	}
	return most
}

// Width is the width of a terminal; 0 where the stream is none.
func Width(w io.Writer) int {
	width, _, err := term.GetSize(int(Fd(w)))
	if err != nil {
		return 0
	}
	return width
}

// Colours reports whether text on a stream is coloured: on terminals that can, unless NO_COLOR is set (https://no-color.org).
func Colours(w io.Writer) bool {
	return Redrawable(w) && os.Getenv("NO_COLOR") == ""
}

// Style is how text looks: the parameters of an SGR sequence (ECMA-48).
type Style string

// The styles in use.
const (
	Heading Style = "1"
	Warning Style = "33"
	Error   Style = "31"
)

// Paint returns text in the style, as it is where the stream has no colours.
func (s Style) Paint(w io.Writer, text string) string {
	if !Colours(w) {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}
