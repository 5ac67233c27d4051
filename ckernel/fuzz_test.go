package ckernel

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gpuperf/cfront"
	"gpuperf/internal/source"
)

// FuzzRead: what is read as a file of kernel functions is a kernel or an error with its place, and soon.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.c[lu]")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), filepath.Ext(path) == ".cu")
	}
	f.Fuzz(func(t *testing.T, text string, cuda bool) {
		name := "fuzz.cl"
		if cuda {
			name = "fuzz.cu"
		}
		file, err := cfront.Parse(t.Context(), name, text, cfront.Options{})
		if err != nil {
			return
		}
		for _, k := range Names(file) {
			start := time.Now()
			_, err := Read(t.Context(), file, Options{Kernel: k, Local: []int64{8}, Global: []string{"n"}, Dynamic: "64", Assume: []string{"n >= 1"}})
			var at *source.Error
			if err != nil && !errors.As(err, &at) && time.Since(start) < limits.Time {
				t.Errorf("%v has no place", err)
			}
		}
	})
}
