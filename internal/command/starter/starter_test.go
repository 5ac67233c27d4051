package starter_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"gpuperf/internal/command/starter"
)

// TestWrite: every file is written, none is overwritten, and then none is written either.
func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	if err := starter.SizesFor("gpu").Write(dir); err != nil {
		t.Fatal(err)
	}
	kernel := filepath.Join(dir, starter.Files[0].Name)
	last := filepath.Join(dir, starter.Files[2].Name)
	if err := errors.Join(os.WriteFile(last, []byte("mine"), 0o644), os.Remove(kernel)); err != nil {
		t.Fatal(err)
	}
	if err := starter.SizesFor("cpu").Write(dir); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(last); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := os.Stat(kernel); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s was written: %v", kernel, err)
	}
}

// TestSizes: predictions are for other sizes than measurements, and all fill the work-groups of both variants.
func TestSizes(t *testing.T) {
	for _, kind := range []string{"cpu", "gpu"} {
		s := starter.SizesFor(kind)
		measured := map[int64]bool{}
		for _, n := range s.Measure {
			measured[n] = true
		}
		for _, n := range append(s.Evaluate, s.Predict) {
			if measured[n] || n%1024 != 0 {
				t.Errorf("%s: size %d", kind, n)
			}
		}
	}
}
