// Package source reports errors in input files: where, the line itself, a caret under the place, and the remedy.
//
// Every parser of the project returns *Error for bad input, so that the command prints all of them alike.
package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
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

// Error is a fault in an input text.
type Error struct {
	File string // as the user named it; "" when the text came from elsewhere
	Pos  Pos
	Line string // the source line, without its end; "" when not known
	Msg  string // what is wrong
	Hint string // what would be right; may be empty

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

// Open opens a file that the user named. A folder, and a file that cannot be opened, are errors as [Unreadable] words them.
func Open(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, Unreadable(path, err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errFolder
	}
	if err != nil {
		f.Close()
		return nil, Unreadable(path, err)
	}
	return f, nil
}

var errFolder = errors.New("a folder, not a file")

// Unreadable says in words why a file or folder that the user named cannot be read, with what may have been meant. The error wraps err.
func Unreadable(path string, err error) error {
	var at *fs.PathError
	if !errors.As(err, &at) {
		at = &fs.PathError{Op: "open", Path: path, Err: err}
	}
	e := &Error{cause: at}
	switch {
	case path == "":
		e.Msg, e.Hint = "the name of the file is empty", "is a variable of the shell not set?"
	case errors.Is(err, fs.ErrNotExist):
		e.Msg, e.Hint = missing(path)
	case errors.Is(err, fs.ErrPermission):
		e.Msg = fmt.Sprintf("no permission to open %s", path)
	case errors.Is(err, errFolder), errors.Is(err, syscall.EISDIR):
		e.Msg, e.Hint = fmt.Sprintf("%s is %v", path, errFolder), listed(path, namesIn(path))
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Msg, e.Hint = fmt.Sprintf("%s is incomplete: it ends in the middle of what is compressed", path), "was it copied whole?"
	default:
		e.Msg = fmt.Sprintf("cannot read %s: %v", path, at.Err)
	}
	return e
}

// here is how package filepath names the current folder.
const here = "."

// CutName takes "#name" from a path, which asks for one of the things that a file defines. Folders and files may have a # in their names.
func CutName(path string) (file, name string, found bool) {
	i := strings.LastIndexByte(path, '#')
	if i < 0 || strings.ContainsAny(path[i:], `/\.`) {
		return path, "", false
	}
	return path[:i], path[i+1:], true
}

// Empty is the error of a file in which something must stand.
func Empty(path string) error {
	return &Error{Msg: path + " is empty", cause: &fs.PathError{Op: "read", Path: path, Err: errors.New("it is empty")}}
}

// missing says that there is no such file, or which of the folders on the way to it there is not.
func missing(path string) (msg, hint string) {
	folder, name := filepath.Dir(path), filepath.Base(path)
	kind := "file"
	for !isFolder(folder) && folder != filepath.Dir(folder) {
		kind, folder, name = "folder", filepath.Dir(folder), filepath.Base(folder)
	}
	where := "in " + folder
	if folder == here {
		where = "here"
	}
	names := namesIn(folder)
	if near := Nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %s?", filepath.Join(folder, near))
	} else if kind == "file" {
		hint = listed(folder, withExtension(names, filepath.Ext(name)))
	}
	return fmt.Sprintf("no %s %s %s", kind, name, where), hint
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// mostListed is how many names a hint gives, and mostRead how many of a folder are looked at.
const (
	mostListed = 5
	mostRead   = 10000
)

// namesIn lists what a folder holds; nothing where it cannot be read.
func namesIn(folder string) []string {
	f, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(mostRead)
	return names
}

func withExtension(names []string, ext string) (out []string) {
	for _, name := range names {
		if ext != "" && filepath.Ext(name) == ext {
			out = append(out, name)
		}
	}
	return out
}

// listed names the first of some files in a folder.
func listed(folder string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	more := ""
	if n := len(names) - mostListed; n > 0 {
		names, more = names[:mostListed], fmt.Sprintf(" and %d more", n)
	}
	if folder == here {
		folder = "this folder"
	}
	return fmt.Sprintf("%s holds %s%s", folder, strings.Join(names, ", "), more)
}

// Suggest words the hint for an unknown word: the nearest known one where one is near, else those that contain it, else all of them.
func Suggest(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return "did you mean " + near + "?"
	}
	if len(known) == 0 {
		return "nothing may stand here"
	}
	part := strings.ToLower(word)
	longer := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return len(part) < minPart || !strings.Contains(strings.ToLower(k), part) })
	if len(longer) > 0 {
		known = longer
	}
	return "known: " + strings.Join(known, ", ")
}

// minPart is how long a word must be at least for the known words that contain it to be meant.
const minPart = 3

// Nearest returns the known word at the least edit distance from word, "" when none is within a third of its length (two at least).
func Nearest(word string, known []string) string {
	best, limit := "", max(2, len(word)/3)+1
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k), limit); d < limit && d < max(len(word), len(k)) {
			best, limit = k, d
		}
	}
	return best
}

// distance is Levenshtein's, counting an exchange of neighbours as one edit; anything from limit on is reported as limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(last[j]+1, cur[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, last, cur = last, cur, before
	}
	return min(last[len(b)], limit)
}
