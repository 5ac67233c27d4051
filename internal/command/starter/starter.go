// Package starter makes a first folder for a user: a kernel, a model and a suite that work at once.
//
// The files are templates, filled with sizes that suit a kind of device: large enough for its times to say something, and small
// enough for a session of seconds.
package starter

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"text/template"
)

//go:embed kernel.star model.yaml suite.yaml
var files embed.FS

var templates = template.Must(template.ParseFS(files, "*"))

// File is one of the files.
type File struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// Files are the files of the folder.
var Files = []File{
	{"kernel.star", "a kernel in two variants"},
	{"model.yaml", "what their time is made of, and what to measure for it"},
	{"suite.yaml", "sizes at which predictions are compared with measurements"},
}

// Sizes are the numbers of elements in the files.
type Sizes struct {
	Measure, Evaluate []int64
	Predict           int64
	Lanes, Steps      int64 // work-items of the kernel that measures arithmetic, and iterations of each
}

// SizesFor returns the sizes for a type of device, as drivers name it: gpu, cpu or another.
func SizesFor(kind string) Sizes {
	unit, lanes, steps := int64(1<<18), int64(1<<15), int64(64)
	if kind == "gpu" {
		unit, lanes, steps = 1<<23, 1<<19, 1024
	}
	return Sizes{Measure: []int64{unit, 2 * unit, 4 * unit}, Evaluate: []int64{unit * 3 / 2, 3 * unit}, Predict: 3 * unit, Lanes: lanes, Steps: steps}
}

// Next are the commands to type next, in the folder.
func (s Sizes) Next() []string {
	at := fmt.Sprintf(" -p n=%d", s.Predict)
	return []string{
		"perf show kernel.star",
		"perf count kernel.star" + at,
		"perf calibrate model.yaml",
		"perf predict kernel.star" + at,
		"perf rank kernel.star" + at + " --measure",
		"perf explain kernel.star" + at,
		"perf evaluate suite.yaml",
	}
}

// Write writes the files into a folder, which is made where there is none. It overwrites nothing: the error is then fs.ErrExist.
func (s Sizes) Write(dir string) error {
	for _, f := range Files {
		path := filepath.Join(dir, f.Name)
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s: %w; nothing was written", path, fs.ErrExist)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range Files {
		var text bytes.Buffer
		if err := templates.ExecuteTemplate(&text, f.Name, s); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name), text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
