package replace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"gpuperf/internal/throw"
)

// Kind is a kind of file that the program writes. It knows its own again, so that an output option never replaces what somebody else has made: samples,
// profiles, sources.
type Kind struct {
	name string // in errors: what a file is not
	ours func(head string) bool
}

// Mark stands in the heads of pages.
const Mark = `<meta name="generator" content="perf"/>`

// SheetComment is the first line of data sheets that were measured.
const SheetComment = "What perf calibrate --emulator has measured, for perf emulate --on of this file."

// CapturedComment ends the comment that captured launch files begin with.
const CapturedComment = "as perf capture has seen it."

// The kinds.
var (
	Page = Kind{"a page of perf", func(head string) bool {
		return strings.HasPrefix(head, "<!DOCTYPE html>") && strings.Contains(head, Mark)
	}}
	Picture = Kind{"a picture of perf", func(head string) bool {
		return strings.HasPrefix(head, "<svg ") && strings.Contains(head, `role="img" font-family="system-ui`)
	}}
	Shown  = Kind{"a timeline of perf", func(head string) bool { return strings.HasPrefix(head, `{"timeline":`) }}
	Source = Kind{"a text that perf has made", func(head string) bool {
		for _, first := range []string{"#pragma OPENCL ", "#include ", "typedef unsigned char uchar;"} { // what kernels need stands before their macros
			if _, kernels, _ := strings.Cut(head, "\n#define lid(N) "); strings.HasPrefix(head, first) {
				return strings.HasPrefix(kernels, "((")
			}
		}
		return strings.HasPrefix(head, "// By perf ") || strings.HasPrefix(head, "#define lid(N) ((") ||
			strings.HasPrefix(head, "{\n  \"program\": ") && strings.Contains(head, "\n  \"variant\": ")
	}}
	Configuration = Kind{"a configuration that perf has found", func(head string) bool {
		return strings.HasPrefix(head, "{\n  \"") && strings.Contains(head, "\n  \"device\": ") && strings.Contains(head, "\n  \"measured\": ")
	}}
	Sheet   = Kind{"a data sheet of perf", func(head string) bool { return strings.HasPrefix(head, "# "+SheetComment+"\n") }}
	Binary  = Kind{"machine code", func(head string) bool { return strings.HasPrefix(head, "\x7fELF") }}
	Listing = Kind{"a listing of machine code", func(head string) bool {
		return strings.HasPrefix(head, "\t.target\t") || strings.Contains(head, "\n.section\t") || strings.Contains(head, "\n\t.headerflags\t") || strings.Contains(head, "\tFunction : ")
	}}
	Captured = Kind{"a launch file of perf capture", func(head string) bool {
		return strings.HasPrefix(head, "# Launch ") && strings.Contains(head, ", "+CapturedComment+"\n")
	}}
	// Copy is a file that is nobody's own: it is replaced by the same text alone.
	Copy = Kind{"", func(string) bool { return false }}
)

// headSize is how much of a file is looked at.
const headSize = 16 << 10

// Bytes writes text to a file of the kind, whole or not at all. An error leaves a file as it is that is not of the kind, not empty, and
// not this text.
func (k Kind) Bytes(path string, text []byte) error {
	if err := k.Check(path, text); err != nil {
		return err
	}
	return Bytes(path, text)
}

// Check is the error that Bytes would return before it writes.
func (k Kind) Check(path string, text []byte) (err error) {
	defer throw.Catch(&err)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder", path)
	case !info.Mode().IsRegular() || info.Size() == 0:
		return nil
	}
	f := throw.Get(os.Open(path))
	defer f.Close()
	head := throw.Get(io.ReadAll(io.LimitReader(f, headSize)))
	if k.ours(string(head)) {
		return nil
	}
	if info.Size() == int64(len(text)) {
		rest := throw.Get(io.ReadAll(f))
		if bytes.Equal(append(head, rest...), text) {
			return nil
		}
	}
	what := "this file is not " + k.name + ", and"
	if k.name == "" {
		what = "this file has another text, and"
	}
	return fmt.Errorf("%s: %s is not replaced\n    choose another name, or delete the file first", path, what)
}
