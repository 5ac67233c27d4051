// Package launchfile reads launch files: an existing kernel, in a language of its own, with all that one launch of it needs.
//
// [Parse] reads the text of a file (read.go, args.go) and refuses what it cannot mean, with its place; [File.Job] is the launch at given
// sizes (job.go), for which it reads the source with its headers (program.go) and the files of data (data.go). The package runs nothing.
package launchfile

import (
	_ "embed" // for Schema
	"path/filepath"

	"gpuperf/internal/bounded"
	"gpuperf/internal/source"
	"gpuperf/internal/yamlfile"
	"gpuperf/samples"
)

// Version is the version of the format.
const Version = 1

// Schema is the JSON schema of launch files.
//
//go:embed schema.json
var Schema []byte

// Keys are the keys of each map in a launch file. An argument is a map of the keys of a buffer, of those of local memory, or of one of
// Scalars.
var Keys = map[string][]string{
	"file": {
		"version", "source", "kernel", "define", "options", "include", "sizes", "grid", "block", "shared", "args", "restore", "sequence",
		"expect",
	},
	"launch": {"kernel", "grid", "block", "shared", "args", "repeat"},
	"buffer": {"buffer", "dtype", "size", "bytes", "fill", "data", "restore"},
	"local":  {"local", "size"},
	"expect": {"kernel", "source", "grid", "block", "shared", "args", "results", "tolerance"},
}

// Scalars are the types of arguments that are passed by value.
var Scalars = []string{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"}

// Extensions are those of launch files.
var Extensions = []string{".yaml", ".yml"}

// File is what a launch file says.
type File struct {
	Path      string
	Interface samples.Interface // under which the source runs
	Sizes     map[string]int64  // unless others are given

	root     *yamlfile.Node
	program  program
	launches []launch
	expect   *expect
	buffers  []*buffer
	opened   map[string]data // files of data, by path
}

// launch is a kernel with its ND-range and arguments.
type launch struct {
	kernel      string
	grid, block []number
	shared      *number // bytes of dynamic shared memory; nil is none
	args        []arg
	repeat      *number // nil is once
}

// arg is an argument: a buffer, local memory or a scalar.
type arg struct {
	node   *yamlfile.Node
	buffer *buffer
	local  bool
	dtype  string
	value  number // of a scalar, or the elements of local memory
}

// buffer is memory that arguments point to.
type buffer struct {
	node    *yamlfile.Node
	name    string
	dtype   string  // "" is that of its data
	size    *number // elements; nil is those of its data
	fill    string
	data    *yamlfile.Node // the path of a file, nil for none
	restore bool
}

// expect is what the results are compared with.
type expect struct {
	node      *yamlfile.Node
	program   program // of a reference kernel
	launch    *launch // nil where files hold the results
	results   []*buffer
	files     []*yamlfile.Node // in the order of results
	tolerance float64
}

// Load reads a launch file.
func Load(path string) (*File, error) {
	text, err := bounded.ReadFile(path, yamlfile.MaxSize)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// near is the path of a file that the launch file names, which is relative to the launch file.
func (f *File) near(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(f.Path), path)
}

// buffer finds a buffer by its name.
func (f *File) buffer(n *yamlfile.Node, name string) (*buffer, error) {
	var names []string
	for _, b := range f.buffers {
		if b.name == name {
			return b, nil
		}
		names = append(names, b.name)
	}
	return nil, n.Errorf("there is no buffer %q", name).WithHint("%s", source.Suggest(name, names))
}
