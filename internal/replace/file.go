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
