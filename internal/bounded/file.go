package bounded

import (
	"fmt"
	"io"
	"io/fs"

	"gpuperf/internal/source"
)

// ReadFile reads a file of at most so many bytes, and not empty. Errors say in words why a file cannot be read.
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := source.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := ReadAll(path, f, most)
	switch {
	case err != nil:
		return nil, source.Unreadable(path, err)
	case len(text) == 0:
		return nil, source.Empty(path)
	}
	return text, nil
}

// ReadAll reads at most so many bytes, of the file that the error names.
func ReadAll(name string, r io.Reader, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(text)) > most {
		err = &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("%w %d bytes, the limit of such a file", ErrExceeded, most)}
	}
	return text, err
}
