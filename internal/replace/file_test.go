package replace_test

import (
	"compress/gzip"
	"errors"
	"fmt"
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

// A link stays one, what is no regular file is written to, and a link that leads nowhere is an error.
func TestOfNoFile(t *testing.T) {
	dir := t.TempDir()
	path, link, lost := filepath.Join(dir, "a"), filepath.Join(dir, "link"), filepath.Join(dir, "lost")
	if err := errors.Join(os.WriteFile(path, []byte("old"), 0o644), os.Symlink("a", link), os.Symlink("nowhere", lost)); err != nil {
		t.Skip(err)
	}
	if err := replace.Bytes(link, []byte("new")); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); string(text) != "new" || err != nil {
		t.Errorf("the file behind the link has %q, %v", text, err)
	}
	for _, path := range []string{link, lost} {
		if err := replace.Bytes(path, []byte("new")); (err != nil) != (path == lost) {
			t.Errorf("%s: %v", path, err)
		}
		if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v, %v", path, info, err)
		}
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	pipe := fmt.Sprintf("/proc/self/fd/%d", write.Fd())
	if _, err := os.Stat(pipe); err != nil {
		t.Skip(err)
	}
	err = replace.Bytes(pipe, []byte("piped"))
	write.Close()
	if text, _ := io.ReadAll(read); err != nil || string(text) != "piped" {
		t.Errorf("the pipe has %q, %v", text, err)
	}
}
