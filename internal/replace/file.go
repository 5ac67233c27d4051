// Package replace writes files so that a crash leaves either the old file or the whole new one.
package replace

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gpuperf/internal/throw"
)

// File writes a temporary file beside path, flushes it to the disk and renames it to path. The text is compressed if the name of
// path ends in .gz. It creates the folder if necessary. An error, also one of write, leaves the old file as it was. A link stays a link: the
// file that it leads to is replaced. What is no regular file, as a terminal, a pipe or a device, is written to.
func File(path string, write func(io.Writer) error) (err error) {
	defer throw.Catch(&err)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		into(path, write)
		return nil
	}
	path = followed(path)
	dir := filepath.Dir(path)
	throw.If(os.MkdirAll(dir, 0o755))
	f := throw.Get(os.CreateTemp(dir, "."+filepath.Base(path)+"-*"))
	defer os.Remove(f.Name()) // nothing where it was renamed
	throw.If(errors.Join(fill(f, strings.HasSuffix(path, ".gz"), write), f.Close()))
	throw.If(os.Rename(f.Name(), path))
	flushFolder(dir)
	return nil
}

// into writes to what cannot be replaced.
func into(path string, write func(io.Writer) error) {
	f := throw.Get(os.OpenFile(path, os.O_WRONLY, 0))
	buffered := bufio.NewWriter(f)
	throw.If(errors.Join(write(buffered), buffered.Flush(), f.Close()))
}

// followed is what a link leads to, and any other path itself. A link that leads nowhere is an error.
func followed(path string) string {
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		return path
	}
	return throw.Get(filepath.EvalSymlinks(path))
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
func flushFolder(dir string) {
	d := throw.Get(os.Open(dir))
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, os.ErrInvalid) {
		throw.If(err)
		return
	}
}
