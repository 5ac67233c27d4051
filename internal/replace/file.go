// Package replace writes files so that a crash leaves either the old file or the whole new one.
package replace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// File writes a temporary file beside path, flushes it to the disk and renames it to path. The text is compressed if the name of
// path ends in .gz. It creates the folder if necessary. An error, also one of write, leaves the old file as it was. A link stays a link: the
// file that it leads to is replaced. What is no regular file, as a terminal, a pipe or a device, is written to.
func File(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return into(path, write)
	}
	path, err := followed(path)
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // nothing where it was renamed
	if err := errors.Join(fill(f, strings.HasSuffix(path, ".gz"), write), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return flushFolder(dir)
}

// into writes to what cannot be replaced.
func into(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(f)
	return errors.Join(write(buffered), buffered.Flush(), f.Close())
}

// followed is what a link leads to, and any other path itself. A link that leads nowhere is an error.
func followed(path string) (string, error) {
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		return path, nil
	}
	return filepath.EvalSymlinks(path)
}

// fill writes the text to a new file, and has the disk keep it.
func fill(f *os.File, compress bool, write func(io.Writer) error) error {
	buffered := bufio.NewWriterSize(f, 1<<20)
	steps := []func() error{func() error { return write(buffered) }, buffered.Flush, func() error { return f.Chmod(0o644) }, f.Sync}
	if compress {
		packed := gzip.NewWriter(buffered)
		steps[0] = func() error { return errors.Join(write(packed), packed.Close()) }
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// Bytes writes text by File.
func Bytes(path string, text []byte) error {
	return File(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// flushFolder flushes a rename to the disk, where the system can flush folders.
func flushFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, os.ErrInvalid) {
		return err
	}
	return nil
}

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
		first, _, _ := strings.Cut(head, "\n")
		return strings.HasPrefix(first, "// By perf ") || strings.HasPrefix(first, "#define lid(N) ") ||
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
func (k Kind) Check(path string, text []byte) error {
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
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, headSize))
	if err != nil {
		return err
	}
	if k.ours(string(head)) {
		return nil
	}
	if info.Size() == int64(len(text)) {
		rest, err := io.ReadAll(f)
		if err != nil {
			return err
		}
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
