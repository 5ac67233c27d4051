// Package launchfile reads launch files: an existing kernel, in a language of its own, with all that one launch of it needs.
//
// [Parse] reads the text of a file (read.go, args.go) and refuses what it cannot mean, with its place; [File.Job] is the launch at given
// sizes (job.go), for which it reads the source with its headers (program.go) and the files of data. The package runs nothing.
package launchfile

import (
	_ "embed" // for Schema
	"path/filepath"

	"gpuperf/device"
	"gpuperf/device/datafile"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/internal/yamlfile"
	"gpuperf/samples"
)

// Version is the version of the format.
const Version = 1

// Schema is the JSON schema of launch files.
//
//go:embed schema.json
var Schema []byte

// Keys are the keys of each map in a launch file. The first key of those of an argument says what it is, or one of Scalars does.
var Keys = map[string][]string{
	"file": {
		"version", "source", "kernel", "define", "options", "compiler", "include", "sizes", "grid", "block", "shared", "attributes", "args", "globals",
		"restore", "sequence", "expect", "listing", "arch", "resources", "assume", "launches", "application", "tune",
	},
	"launch":      {"kernel", "grid", "block", "shared", "attributes", "args", "repeat"},
	"attributes":  {"begin", "cluster", "cooperative", "carveout"},
	"buffer":      {"buffer", "dtype", "size", "bytes", "fill", "data", "data_at", "restore", "memory", "at", "offset"},
	"pointer":     {"pointer", "at", "offset"},
	"local":       {"local", "size"},
	"hex":         {"hex", "offset"},
	"struct":      {"struct", "offset"},
	"global":      {"dtype", "size", "bytes", "fill", "data", "restore"},
	"resources":   {"registers", "shared", "local"},
	"application": {"seconds", "timed", "total", "cold", "stream", "order", "starts", "addresses"},
	"assumption":  {"branch", "taken", "loop", "trips", "region", "l2_hit", "sizes"},
	"expect":      {"kernel", "source", "grid", "block", "shared", "attributes", "args", "results", "tolerance"},
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

	Code        Code // for emulation
	Assume      []Assumption
	Launches    int64        // how often an application launches it; 0 is not said
	Application *Application // how that went; nil is not said

	root     *yamlfile.Node
	program  program
	launches []launch
	expect   *expect
	buffers  []*buffer
	opened   map[string]datafile.Data // files of data, by path
}

// launch is a kernel with its ND-range and arguments.
type launch struct {
	kernel      string
	grid, block []number
	shared      *number // bytes of dynamic shared memory; nil is none
	attributes  attributes
	args        []arg
	globals     []*buffer // variables of the module
	repeat      *number   // nil is once
}

// attributes are what only launches under CUDA have, or only those under OpenCL.
type attributes struct {
	begin       []number // none is nil
	cluster     []number // none is nil
	cooperative bool
	carveout    *number // percent
}

// arg is an argument, or a part of a structure.
type arg struct {
	node   *yamlfile.Node
	kind   device.ArgKind
	buffer *buffer
	at     *number // bytes of the buffer before the place that is pointed to; nil is 0
	dtype  string
	value  number  // of a scalar, or the elements of local memory
	bits   []byte  // of raw bytes
	parts  []arg   // of a structure
	offset *number // in bytes; nil is after what stands before it, aligned
}

// buffer is memory that arguments point to, or a variable of the module.
type buffer struct {
	node    *yamlfile.Node // of its description; nil where it has none yet
	name    string
	global  bool
	dtype   string  // "" is that of its data
	size    *number // elements; nil is those of its data
	fill    string
	stated  bool           // whether fill says so, or nothing does
	data    *yamlfile.Node // the path of a file, nil for none
	dataAt  *number        // the byte that the data begins at, which are a part of the buffer; nil where they are all of it
	restore bool
	memory  device.Memory
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

// SourceName is the name of the source's file; "" where there is none.
func (f *File) SourceName() string {
	if f.program.path == "" || f.program.kind.image {
		return ""
	}
	return filepath.Base(f.program.path)
}

// Program is the path of a program that is built already, such as a cubin; "" where there is none.
func (f *File) Program() string {
	if !f.program.kind.image {
		return ""
	}
	return f.near(f.program.path)
}

// Compares reports whether the file says what the results are compared with.
func (f *File) Compares() bool { return f.expect != nil }

// near is the path of a file that the launch file names, which is relative to the launch file.
func (f *File) near(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(f.Path), path)
}

func (f *File) buffer(n *yamlfile.Node, name string) *buffer {
	var names []string
	for _, b := range f.buffers {
		if b.name == name {
			return b
		}
		names = append(names, b.name)
	}
	panic(throw.Of(n.Errorf("there is no buffer %q", name).WithHint("%s", source.Suggest(name, names))))
}
