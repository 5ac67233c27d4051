// Package golden compares what tests make with files that are kept.
package golden

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Check compares a text with that of a file. With UPDATE=1 it writes the file.
func Check(t testing.TB, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE") != "" {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(got), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (UPDATE=1 writes it): -want +got\n%s", file, diff)
	}
}

// Mistakes compares errors with those of a file: texts between lines ====, each with a line ---- and what f says of it. With UPDATE=1 it writes
// the file.
func Mistakes(t testing.TB, file string, f func(text string) error) {
	t.Helper()
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for c := range strings.SplitSeq(string(have), "\n====\n") {
		text, _, _ := strings.Cut(c, "\n----\n")
		says := "no error"
		if err := f(text); err != nil {
			says = err.Error()
		}
		out = append(out, text+"\n----\n"+says)
	}
	Check(t, file, strings.Join(out, "\n====\n")+"\n")
}
