// Package source reports errors in input files: where, the line itself, a caret under the place, and the remedy.
//
// Every parser of the project returns *Error for bad input, so that the command prints all of them alike.
package source

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Pos is a place in a text: 1-based line and 1-based column counted in runes. The zero Pos is unknown.
type Pos struct{ Line, Column int }

// PosAt returns the position of the byte offset in text; offsets past the end mean the end.
func PosAt(text string, offset int) Pos {
	offset = max(0, min(offset, len(text)))
	before := text[:offset]
	start := strings.LastIndexByte(before, '\n') + 1
	return Pos{
		Line:   1 + strings.Count(before, "\n"),
		Column: 1 + utf8.RuneCountInString(before[start:]),
	}
}

// Offset is the byte offset of a position in a text, as PosAt tells it; that of its line's end where the line is shorter.
func (p Pos) Offset(text string) int {
	at := 0
	for line := 1; line < p.Line; line++ {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	for column := 1; column < p.Column && at < len(text) && text[at] != '\n'; column++ {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// Error is a fault in an input text.
type Error struct {
	File string // as the user named it; "" when the text came from elsewhere
	Pos  Pos
	Line string // the source line, without its end; "" when not known
	Msg  string // what is wrong
	Hint string // what would be right; may be empty
	// Flags are those of the command line that mend it, such as "-D N=16", where they are known; … stands for a value that is not.
	Flags []string
	// Lacks is the name that nothing declares, where that is what is wrong.
	Lacks string

	cause error // the system's error about the file, where it cannot be read
}

// Unwrap returns the system's error about a file that cannot be read.
func (e *Error) Unwrap() error { return e.cause }

// New returns an Error at the byte offset of text.
func New(file, text string, offset int, format string, args ...any) *Error {
	return At(file, text, PosAt(text, offset), format, args...)
}

// At returns an Error at a position of text.
func At(file, text string, pos Pos, format string, args ...any) *Error {
	return &Error{File: file, Pos: pos, Line: lineOf(text, pos.Line), Msg: fmt.Sprintf(format, args...)}
}

// WithHint returns the error with the remedy attached.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// Error gives "file:line:column: message", the line, a caret, and the hint on lines of their own.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File + ":")
	}
	if e.Pos.Line > 0 {
		fmt.Fprintf(&b, "%d:%d:", e.Pos.Line, e.Pos.Column)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	b.WriteString(shortened(e.Msg))
	if e.Line != "" && e.Pos.Column > 0 {
		line, column := window(e.Line, e.Pos.Column)
		b.WriteString("\n    " + line + "\n    " + indentTo(line, column) + "^")
	}
	if e.Hint != "" {
		b.WriteString("\n    " + e.Hint)
	}
	return b.String()
}

// shortened leaves out the middle of a text that nobody reads to its end, such as a name of a megabyte.
func shortened(text string) string {
	if len(text) <= longestText {
		return text
	}
	return strings.ToValidUTF8(text[:longestText/2], "") + " … " + strings.ToValidUTF8(text[len(text)-longestText/2:], "")
}

// InFile returns err with the file name set on the *Error it wraps, when that has none yet.
func InFile(err error, file string) error {
	var e *Error
	if errors.As(err, &e) && e.File == "" {
		c := *e
		c.File = file
		return &c
	}
	return err
}

// Message is what err says is wrong, without the place, the line and the hint of the *Error that it wraps; of any other error it is the
// first line.
func Message(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Msg
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

func lineOf(text string, line int) string {
	for l := range strings.SplitSeq(text, "\n") {
		if line--; line == 0 {
			return strings.TrimSuffix(l, "\r")
		}
	}
	return ""
}

// The width of what is shown of a long line, and of a message.
const (
	widest      = 160
	longestText = 2000
)

// window is what is shown of a line: of a long one, what stands around the column.
func window(line string, column int) (string, int) {
	runes := []rune(line)
	if len(runes) <= widest {
		return line, column
	}
	from := min(max(0, column-1-widest/2), len(runes)-widest)
	text := string(runes[from:min(from+widest, len(runes))])
	if from+widest < len(runes) {
		text += " …"
	}
	if from > 0 {
		text, from = "… "+text, from-2
	}
	return text, column - from
}

// indentTo keeps tabs, so that the caret stands under its column whatever the tab width.
func indentTo(line string, column int) string {
	var b strings.Builder
	for i, r := range []rune(line) {
		if i >= column-1 {
			break
		}
		if r != '\t' {
			r = ' '
		}
		b.WriteRune(r)
	}
	b.WriteString(strings.Repeat(" ", max(0, column-1-utf8.RuneCountInString(line))))
	return b.String()
}
