// Package shipped lists the files that come with the program, by name.
package shipped

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"gpuperf/internal/lists"
)

// Entry is a file that comes with the program.
type Entry struct {
	Name string `json:"name"` // by which it is asked for
	Doc  string `json:"doc"`  // what it is, in a line
}

// Files are files of a kind, NAME.yaml each.
type Files struct {
	Kind    string // in errors: "model"
	FS      fs.FS
	Entries []Entry // in the order in which they are shown
}

// Names lists the names of the files.
func (f *Files) Names() []string {
	return lists.Map(f.Entries, func(e Entry) string { return e.Name })
}

// Has reports whether there is a file of that name.
func (f *Files) Has(name string) bool { return slices.Contains(f.Names(), name) }

// Text is the text of a file; an unknown name is an error that lists those there are.
func (f *Files) Text(name string) ([]byte, error) {
	if !f.Has(name) {
		return nil, fmt.Errorf("no %s %q comes with the program; there are: %s", f.Kind, name, strings.Join(f.Names(), ", "))
	}
	return fs.ReadFile(f.FS, name+".yaml")
}
