// Package library holds the model files that come with the program: one for any kernel, by what a walk through a launch counts; one for ranking
// many variants, by static features alone; three in the forms of Stevens and Klöckner (section 8.1) and between them; and one for each of their
// applications (sections 8.3 to 8.5).
//
// The files are ordinary model files. Load reads one by its name, which is that of the model; Names lists them in
// the order in which they are shown; Text is the file itself, to start an own model from.
package library

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"gpuperf/models"
)

//go:embed *.yaml
var files embed.FS

// Entry is a model file that comes with the program.
type Entry struct {
	Name string `json:"name"` // of the model
	Doc  string `json:"doc"`  // what it is for, in a line
}

// General is the name of the model for any kernel.
const General = "general"

// entries in the order in which they are shown.
var entries = []Entry{
	{General, "any kernel, by what its launch keeps busy; `perf calibrate` without a model calibrates it"},
	{"linear", "overhead, global memory and on-chip work add up (equation 7)"},
	{"overlap", "the smaller of global memory and on-chip work hides behind the larger (equation 8)"},
	{"pnorm", "anything between the two, by a fitted exponent"},
	{"parts", "any kernel by the parts of a device that it keeps busy, for ranking many variants"},
	{"matmul", "products of square matrices with and without tiles (section 8.3)"},
	{"dg", "differentiation of a discontinuous Galerkin method, four variants (section 8.4)"},
	{"finite_diff", "five-point stencil in work-groups of 16x16 and 18x18 (section 8.5)"},
}

// Entries lists the models.
func Entries() []Entry { return slices.Clone(entries) }

// Names lists the names of the models.
func Names() []string {
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.Name
	}
	return out
}

// Has reports whether there is a model of that name.
func Has(name string) bool { return slices.Contains(Names(), name) }

// Text returns the text of a model file; an unknown name is an error that lists those there are.
func Text(name string) ([]byte, error) {
	if !Has(name) {
		return nil, fmt.Errorf("no model %q comes with the program; there are: %s", name, strings.Join(Names(), ", "))
	}
	return files.ReadFile(name + ".yaml")
}

// Load reads a model. Its file is named as models/library/NAME.yaml in errors.
func Load(name string) (*models.Model, error) {
	text, err := Text(name)
	if err != nil {
		return nil, err
	}
	return models.Parse("models/library/"+name+".yaml", text)
}
