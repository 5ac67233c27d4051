// Package launchfile reads launch files: an existing kernel, in a language of its own, with all that one launch of it needs.
//
// [Parse] reads the text of a file (read.go, args.go) and refuses what it cannot mean, with its place; [File.Job] is the launch at given
// sizes (job.go), for which it reads the source with its headers (program.go) and the files of data. The package runs nothing.
package launchfile

import (
	"cmp"
	_ "embed" // for Schema
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"gpuperf/device"
	"gpuperf/device/datafile"
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

// Keys are the keys of each map in a launch file. The first key of those of an argument says what it is, or one of Scalars does.
var Keys = map[string][]string{
	"file": {
		"version", "source", "kernel", "define", "options", "compiler", "include", "sizes", "grid", "block", "shared", "attributes", "args", "globals",
		"restore", "sequence", "expect", "listing", "arch", "resources", "assume", "launches", "application", "tune",
	},
	"launch":      {"kernel", "grid", "block", "shared", "attributes", "args", "repeat"},
	"attributes":  {"begin", "cluster", "cooperative", "carveout"},
	"buffer":      {"buffer", "dtype", "size", "bytes", "fill", "data", "restore", "at", "offset"},
	"pointer":     {"pointer", "at", "offset"},
	"local":       {"local", "size"},
	"hex":         {"hex", "offset"},
	"struct":      {"struct", "offset"},
	"global":      {"dtype", "size", "bytes", "fill", "data", "restore"},
	"resources":   {"registers", "shared", "local"},
	"application": {"seconds", "timed", "total", "cold", "stream", "order"},
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

// data opens the file that a node names.
func (f *File) data(n *yamlfile.Node) (datafile.Data, error) {
	path := f.near(n.Text)
	if d, ok := f.opened[path]; ok {
		return d, nil
	}
	d, err := datafile.Open(path)
	var failed *datafile.Error
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return d, n.Errorf("there is no file %s", path)
	case errors.As(err, &failed):
		return d, n.Errorf("%s: %v", path, err)
	case err != nil:
		return d, err
	}
	f.opened[path] = d
	return d, nil
}

// at are the sizes of the file, where others are not given.
func (f *File) at(sizes map[string]int64) (map[string]int64, error) {
	at := maps.Clone(f.Sizes)
	known := slices.Sorted(maps.Keys(f.Sizes))
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		if _, ok := at[name]; !ok {
			e := cmp.Or(f.root.Get("sizes"), f.root)
			return nil, e.Errorf("there is no size %q", name).WithHint("%s", source.Suggest(name, known))
		}
		at[name] = sizes[name]
	}
	return at, nil
}

// notAmong is the error about a word that is none of a list.
func notAmong(n *yamlfile.Node, what string, known []string) *source.Error {
	return n.Errorf("%q is no %s", n.Text, what).WithHint("%s", source.Suggest(n.Text, known))
}

// maxStruct bounds the bytes of a structure. Kernels take less than 32 KB of parameters.
const maxStruct = 1 << 16

// structure lays a structure out as C does.
func (f *File) structure(a arg, at map[string]int64) (device.Arg, error) {
	fields, end, err := f.layout(a.parts, at)
	align := a.align()
	return device.Arg{Name: "structure", Kind: device.Struct, Count: (end + align - 1) / align * align, Fields: fields}, err
}

// packed lays all arguments of a launch out as parameters lie in memory: as the members of a structure, without bytes after the last.
func (f *File) packed(args []arg, at map[string]int64) (device.Arg, error) {
	fields, end, err := f.layout(args, at)
	return device.Arg{Name: "arguments", Kind: device.Struct, Count: end, Fields: fields}, err
}

// align is what the offset of a part is a multiple of, unless it says otherwise.
func (a arg) align() int64 {
	switch a.kind {
	case device.Buffer:
		return device.PointerSize
	case device.Scalar:
		return device.DTypeSize(a.dtype)
	}
	align := int64(1)
	for _, p := range a.parts {
		align = max(align, p.align())
	}
	return align
}

// span is a part of a structure in memory.
type span struct {
	first, end int64
	node       *yamlfile.Node
}

// layout places parts one after the other, or where they say. Structures among them become their own parts.
func (f *File) layout(parts []arg, at map[string]int64) (fields []device.Field, end int64, err error) {
	var spans []span
	next := int64(0) // the first byte after the part before
	for _, p := range parts {
		one, err := f.arg(p, at)
		if err != nil {
			return nil, 0, err
		}
		align := p.align()
		first := (next + align - 1) / align * align
		if p.offset != nil {
			if first, err = p.offset.atLeast(0, at); err != nil {
				return nil, 0, err
			}
		}
		inner, size := []device.Field{{Arg: one}}, one.Size()
		if one.Kind == device.Struct {
			inner, size = one.Fields, one.Count
		}
		for _, field := range inner {
			fields = append(fields, device.Field{Offset: first + field.Offset, Arg: field.Arg})
		}
		if first > maxStruct-size {
			return nil, 0, p.node.Errorf("the structure has more than %d bytes", maxStruct)
		}
		next = first + size
		end = max(end, next)
		spans = append(spans, span{first, next, p.node})
	}
	return fields, end, checkDisjoint(spans)
}

// checkDisjoint refuses parts that share bytes.
func checkDisjoint(spans []span) error {
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	for i := 1; i < len(spans); i++ {
		if before, s := spans[i-1], spans[i]; s.first < before.end {
			return s.node.Errorf("it begins at byte %d, and what stands before it ends after byte %d", s.first, before.end-1)
		}
	}
	return nil
}

// Application is how a launch went in the application that it was captured from.
type Application struct {
	Times  []float64 // seconds that launches took, in order: all, or every so many
	Timed  int64     // how many launches were timed
	Total  float64   // seconds of all of these
	Cold   bool      // the first of the times is of a launch whose code had just been loaded, or whose buffers had just been copied
	Stream int64     // by the number that the driver's records have
	Order  int64     // of the first such launch among all that the application made
}

// Median is the middle one of the times, without the cold one where there are others; 0 where there is none.
func (a *Application) Median() float64 {
	times := slices.Clone(a.Times)
	if a.Cold && len(times) > 1 {
		times = times[1:]
	}
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return (times[(len(times)-1)/2] + times[len(times)/2]) / 2
}

// application reads how a launch went.
func (r *reader) application(n *yamlfile.Node) (*Application, error) {
	f, err := n.Fields(Keys["application"]...)
	if err != nil {
		return nil, err
	}
	if f["seconds"] == nil {
		return nil, n.Errorf("the application has no times").WithHint("write seconds: [1.5e-05], one number a launch")
	}
	a := &Application{}
	list, err := f["seconds"].List()
	for _, one := range list {
		v, wrong := positive(one)
		a.Times, a.Total, err = append(a.Times, v), a.Total+v, cmp.Or(err, wrong)
	}
	a.Timed = int64(len(a.Times))
	err = cmp.Or(err,
		yamlfile.Optional(f["total"], positive, &a.Total),
		yamlfile.Optional(f["timed"], amount, &a.Timed),
		yamlfile.Optional(f["cold"], (*yamlfile.Node).Bool, &a.Cold),
		yamlfile.Optional(f["stream"], amount, &a.Stream),
		yamlfile.Optional(f["order"], amount, &a.Order),
	)
	switch {
	case err != nil:
		return nil, err
	case len(a.Times) == 0:
		return nil, f["seconds"].Errorf("there is no time")
	case a.Timed < int64(len(a.Times)):
		return nil, f["timed"].Errorf("%d launches have no %d times", a.Timed, len(a.Times))
	}
	return a, nil
}

// positive reads a number of seconds.
func positive(n *yamlfile.Node) (float64, error) {
	v, err := n.Float()
	if err == nil && !(v > 0) {
		err = n.Errorf("expected more than 0 seconds, found %g", v)
	}
	return v, err
}

// Code is the machine code of a launch file, for emulation.
type Code struct {
	Listing string // the path of a listing or a cubin; "" for none
	Arch    string // that it is for, or that the source is built for; "" is not said
	// Registers of a work-item, and bytes of shared memory of a work-group and of local memory of a work-item, where the listing does not
	// say; 0 is not said.
	Registers, Shared, Local int64
}

// code reads what emulation needs of the machine code.
func (r *reader) code(f map[string]*yamlfile.Node) (err error) {
	c := &r.file.Code
	if err = cmp.Or(
		yamlfile.Optional(f["listing"], (*yamlfile.Node).String, &c.Listing),
		yamlfile.Optional(f["arch"], (*yamlfile.Node).String, &c.Arch),
	); err != nil {
		return err
	}
	if c.Listing != "" {
		c.Listing = r.file.near(c.Listing)
	}
	if n := f["resources"]; n != nil {
		fields, err := n.Fields(Keys["resources"]...)
		if err != nil {
			return err
		}
		for key, into := range map[string]*int64{"registers": &c.Registers, "shared": &c.Shared, "local": &c.Local} {
			if err := yamlfile.Optional(fields[key], amount, into); err != nil {
				return err
			}
			if most, ok := mostOf[key]; ok && *into > most {
				return fields[key].Errorf("expected %d %s at most, found %d", most, key, *into)
			}
		}
	}
	return nil
}

// mostOf is how much a work-item can have. Registers are named in 8 bits, one of whose numbers is that of zero; its own memory is 512 KB (CUDA C++
// Programming Guide, technical specifications by compute capability), and shared memory is addressed in 24 bits.
var mostOf = map[string]int64{"registers": 255, "local": 512 << 10, "shared": 1 << 24}

func amount(n *yamlfile.Node) (int64, error) {
	v, err := n.Int()
	if err == nil && v < 0 {
		err = n.Errorf("expected 0 or more, found %d", v)
	}
	return int64(v), err
}
