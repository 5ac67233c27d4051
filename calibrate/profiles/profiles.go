// Package profiles holds the profiles that come with the program: of devices that not everyone has, so that kernels can be predicted,
// ranked and explained for them.
//
// The files are ordinary profiles, made from recorded samples. Load reads one by its name; Entries lists them.
package profiles

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"gpuperf/calibrate"
)

//go:embed *.yaml
var files embed.FS

// Entry is a profile that comes with the program.
type Entry struct {
	Name string `json:"name"` // by which it is asked for
	Doc  string `json:"doc"`  // of which device, in a line
}

// entries in the order in which they are shown.
var entries = []Entry{
	{"h200", "NVIDIA H200 by CUDA, 132 multiprocessors, caches warm"},
}

// Entries lists the profiles.
func Entries() []Entry { return slices.Clone(entries) }

// Names lists the names of the profiles.
func Names() []string {
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.Name
	}
	return out
}

// Has reports whether there is a profile of that name.
func Has(name string) bool { return slices.Contains(Names(), name) }

// Text is the file of a profile; an unknown name is an error that lists those there are.
func Text(name string) ([]byte, error) {
	if !Has(name) {
		return nil, fmt.Errorf("no profile %q comes with the program; there are: %s", name, strings.Join(Names(), ", "))
	}
	return files.ReadFile(name + ".yaml")
}

// Load reads a profile; an unknown name is an error that lists those there are.
func Load(name string) (*calibrate.Profile, error) {
	text, err := Text(name)
	if err != nil {
		return nil, err
	}
	return calibrate.ParseProfile("calibrate/profiles/"+name+".yaml", text)
}
