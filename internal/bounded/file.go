package bounded

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ReadFile reads a file of at most so many bytes.
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(path, f, most)
}

// ReadAll reads at most so many bytes, of the file that the error names.
func ReadAll(name string, r io.Reader, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(text)) > most {
		err = &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("%w %d bytes, the limit of such a file", ErrExceeded, most)}
	}
	return text, err
}
