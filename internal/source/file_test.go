package source_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"gpuperf/internal/source"
)

func TestUnreadable(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"matmul.star", "a.yaml", "kernels/dot.star"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"matmull.star":      "no file matmull.star here\n    did you mean matmul.star?",
		"transpose.star":    "no file transpose.star here\n    this folder holds matmul.star",
		"kernels/gemv.star": "no file gemv.star in kernels\n    kernels holds dot.star",
		"kernels/dott.star": "no file dott.star in kernels\n    did you mean kernels/dot.star?",
		"kernel/dot.star":   "no folder kernel here\n    did you mean kernels?",
		"some/where/x.star": "no folder some here",
		"kernels":           "kernels is a folder, not a file\n    kernels holds dot.star",
		"":                  "the name of the file is empty\n    is a variable of the shell not set?",
	} {
		f, err := source.Open(path)
		if err == nil {
			t.Fatalf("%q: opened %v", path, f.Name())
		}
		if err.Error() != want {
			t.Errorf("%q:\n%v\nwant\n%s", path, err, want)
		}
		if missing := path != "kernels"; errors.Is(err, fs.ErrNotExist) != missing {
			t.Errorf("%q: that it does not exist is not told: %v", path, missing)
		}
	}
	if err := source.Unreadable("a.yaml", fs.ErrPermission); err.Error() != "no permission to open a.yaml" {
		t.Error(err)
	}
}
