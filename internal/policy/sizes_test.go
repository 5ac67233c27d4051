package policy

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	maxFiles   = 30  // of a folder
	maxLines   = 500 // of a file
	maxCommand = 300 // of a file of cmd/perf, which has one for each command: it composes and decides nothing
)

// tables are long files that are one table each.
var tables = []string{}

// TestSizes keeps folders and files small enough to read.
func TestSizes(t *testing.T) {
	files := map[string]int{}
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		n := bytes.Count(text, []byte("\n"))
		if n > maxLines && !slices.Contains(tables, file) {
			t.Errorf("%s has %d lines, more than %d: give each idea a file", file, n, maxLines)
		}
		if path.Dir(file) == "cmd/perf" {
			if n > maxCommand {
				t.Errorf("%s has %d lines, more than %d: what decides belongs into a package", file, n, maxCommand)
			}
			continue
		}
		files[path.Dir(file)]++
	}
	for folder, n := range files {
		if n > maxFiles {
			t.Errorf("%s has %d files, more than %d: it is more than one package", folder, n, maxFiles)
		}
	}
}
