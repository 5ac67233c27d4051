package replace_test

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"gpuperf/internal/replace"
)

func TestFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	path := filepath.Join(dir, "a.txt")
	for _, text := range []string{"old", "new"} {
		if err := replace.Bytes(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); string(got) != text || err != nil {
			t.Errorf("%q, %v, want %q", got, err, text)
		}
	}
	broken := errors.New("broken")
	err := replace.File(path, func(w io.Writer) error {
		io.WriteString(w, "half of it")
		return broken
	})
	if got, _ := os.ReadFile(path); !errors.Is(err, broken) || string(got) != "new" {
		t.Errorf("after an error, %v, the file has %q", err, got)
	}
	if left, err := os.ReadDir(dir); len(left) != 1 || err != nil {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

func TestCompressed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.gz")
	if err := replace.Bytes(path, []byte("text")); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); string(got) != "text" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
