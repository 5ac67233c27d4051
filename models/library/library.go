// Package library holds the model files that come with the program: one for any kernel, by what a walk through a launch counts; one for ranking
// many variants, by static features alone; three in the forms of Stevens and Klöckner (section 8.1) and between them; and one for each of their
// applications (sections 8.3 to 8.5).
//
// The files are ordinary model files. Load reads one by its name, which is that of the model; All lists them, and has the text of each, to start
// an own model from.
package library

import (
	"embed"

	"gpuperf/internal/shipped"
	"gpuperf/models"
)

//go:embed *.yaml
var files embed.FS

// General is the name of the model for any kernel.
const General = "general"

// All are the model files.
var All = shipped.Files{Kind: "model", FS: files, Entries: []shipped.Entry{
	{Name: General, Doc: "any kernel, by what its launch keeps busy; `perf calibrate` without a model calibrates it"},
	{Name: "linear", Doc: "overhead, global memory and on-chip work add up (equation 7)"},
	{Name: "overlap", Doc: "the smaller of global memory and on-chip work hides behind the larger (equation 8)"},
	{Name: "pnorm", Doc: "anything between the two, by a fitted exponent"},
	{Name: "parts", Doc: "any kernel by the parts of a device that it keeps busy, for ranking many variants"},
	{Name: "matmul", Doc: "products of square matrices with and without tiles (section 8.3)"},
	{Name: "dg", Doc: "differentiation of a discontinuous Galerkin method, four variants (section 8.4)"},
	{Name: "finite_diff", Doc: "five-point stencil in work-groups of 16x16 and 18x18 (section 8.5)"},
}}

// Load reads a model. Its file is named as models/library/NAME.yaml in errors.
func Load(name string) (*models.Model, error) {
	text, err := All.Text(name)
	if err != nil {
		return nil, err
	}
	return models.Parse("models/library/"+name+".yaml", text)
}
