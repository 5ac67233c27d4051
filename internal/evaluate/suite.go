// Package evaluate compares predicted with measured times.
//
// A suite file names variants of one computation, the sizes to run them at and the model that predicts each. The command
// fills in what was predicted and what was measured for every variant and size; Summarize computes from that
// relative errors, their geometric means (Fleming and Wallace 1986, as Stevens and Klöckner section 8 report them) and a
// verdict on the ranking of the variants at each size. Vary evaluates again with
// fewer kernels and trials to calibrate with. The package runs nothing, and fits nothing but for Vary.
package evaluate

import (
	_ "embed" // for Schema
	"slices"

	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/internal/yamlfile"
)

// Version is the version of the format of suite files.
const Version = 1

// Schema is the JSON schema of suite files.
//
//go:embed schema.json
var Schema []byte

// Keys are the keys of each map in a suite file.
var Keys = map[string][]string{
	"file":    {"version", "suites"},
	"suite":   {"name", "model", "sizes", "variants"},
	"variant": {"name", "script", "tags", "launch", "model"},
}

// Suite is a computation in several variants, evaluated over sizes.
type Suite struct {
	Name     string
	Sizes    []map[string]int64
	Variants []Variant

	Pos source.Pos // of the suite in the suite file
}

// Variant names a kernel, as a script and the name of a kernel in it or by tags that select one kernel at each size,
// and the model file that predicts it. A launch file names a kernel that exists already: it is measured in place of the one that is
// predicted, or alone. Paths are relative to the suite file.
type Variant struct {
	Name   string
	Script string   // path of a kernel script, or "" where Tags select the kernel or nothing is predicted
	Kernel string   // one kernel of the script, SCRIPT#KERNEL in the file; "" where it has but one
	Tags   []string // filter tags
	Launch string   // path of a launch file, "" for none
	Model  string   // path of a model file; "" where nothing is predicted

	Pos source.Pos // of the variant in the suite file
}

// Predicted reports whether the variant has a kernel with counts to predict its time from.
func (v Variant) Predicted() bool { return v.Script != "" || len(v.Tags) > 0 }

// File is what a suite file says.
type File struct {
	Path   string
	Suites []Suite
	text   string
}

// ErrorAt returns an error at a place of the suite file.
func (f *File) ErrorAt(pos source.Pos, format string, args ...any) *source.Error {
	return source.At(f.Path, f.text, pos, format, args...)
}

// Load reads a suite file.
func Load(path string) (*File, error) { return yamlfile.Load(path, Parse) }

// LoadAll reads suite files. The name of a suite must be unique over all files.
func LoadAll(paths []string) ([]*File, error) {
	var files []*File
	from := map[string]string{}
	for _, path := range paths {
		file, err := Load(path)
		if err != nil {
			return nil, err
		}
		for _, s := range file.Suites {
			if from[s.Name] != "" {
				return nil, file.ErrorAt(s.Pos, "a suite named %q is in %s and in %s", s.Name, from[s.Name], path)
			}
			from[s.Name] = path
		}
		files = append(files, file)
	}
	return files, nil
}

// Parse reads the text of a suite file. Errors are *source.Error.
func Parse(path string, text []byte) (_ *File, err error) {
	defer throw.Catch(&err)
	root := throw.Get(yamlfile.Parse(path, text))
	fields := throw.Get(yamlfile.Format{Name: "suite file", Version: Version, Keys: Keys["file"], Needed: []string{"suites"}}.Fields(root))
	items := throw.Get(fields["suites"].List())
	if len(items) == 0 {
		return nil, fields["suites"].Errorf("the file has no suite")
	}
	file := &File{Path: path, text: string(text)}
	names := map[string]bool{}
	for _, item := range items {
		suite := readSuite(item)
		if names[suite.Name] {
			return nil, item.Errorf("two suites are named %q", suite.Name)
		}
		names[suite.Name] = true
		file.Suites = append(file.Suites, suite)
	}
	return file, nil
}

func readSuite(n *yamlfile.Node) Suite {
	suite := Suite{Pos: n.Pos}
	fields := throw.Get(n.Fields(Keys["suite"]...))
	throw.If(n.Has("suite", "name", "sizes", "variants"))
	suite.Name = throw.Get(fields["name"].String())
	var model string
	throw.If(yamlfile.Optional(fields["model"], (*yamlfile.Node).String, &model))
	suite.Sizes = readSizes(fields["sizes"])
	variants := throw.Get(fields["variants"].List())
	if len(variants) == 0 {
		panic(throw.Of(fields["variants"].Errorf("the suite has no variant")))
	}
	names := map[string]bool{}
	for _, item := range variants {
		v := readVariant(item, model)
		if names[v.Name] {
			panic(throw.Of(item.Errorf("two variants of suite %s are named %q", suite.Name, v.Name)))
		}
		names[v.Name] = true
		suite.Variants = append(suite.Variants, v)
	}
	if !slices.ContainsFunc(suite.Variants, Variant.Predicted) {
		panic(throw.Of(fields["variants"].Errorf("suite %s predicts nothing: all of its variants are launch files", suite.Name).
			WithHint("give a variant a script or tags; `perf measure` compares launch files")))
	}
	return suite
}

func readSizes(n *yamlfile.Node) []map[string]int64 {
	items := throw.Get(n.List())
	if len(items) == 0 {
		panic(throw.Of(n.Errorf("the suite has no size")))
	}
	var all []map[string]int64
	for _, item := range items {
		sizes := throw.Get(item.Ints())
		all = append(all, sizes)
	}
	return all
}

func readVariant(n *yamlfile.Node, model string) Variant {
	v := Variant{Model: model, Pos: n.Pos}
	fields := throw.Get(n.Fields(Keys["variant"]...))
	if fields["name"] == nil {
		panic(throw.Of(n.Errorf("the variant has no name")))
	}
	for key, into := range map[string]*string{"name": &v.Name, "script": &v.Script, "launch": &v.Launch, "model": &v.Model} {
		throw.If(yamlfile.Optional(fields[key], (*yamlfile.Node).String, into))
	}
	v.Script, v.Kernel, _ = source.CutName(v.Script)
	if fields["tags"] != nil {
		tags := throw.Get(fields["tags"].Strings())
		for _, t := range tags {
			v.Tags = append(v.Tags, t.Text)
		}
	}
	switch {
	case v.Script != "" && len(v.Tags) > 0, !v.Predicted() && v.Launch == "":
		throw.If(n.Errorf("variant %s needs either a script or tags, or a launch file", v.Name).
			WithHint("script: matmul.star, or tags: [matmul_sq, \"prefetch:True\"], or launch: own.yaml"))
		return v
	case v.Predicted() && v.Model == "":
		panic(throw.Of(n.Errorf("variant %s has no model", v.Name).WithHint("give model: FILE.yaml here or for the whole suite")))
	}
	return v
}
