// Package draft writes a first launch file for a kernel that exists: from its source, from its program, or from what a profiler recorded
// of it.
//
// [Read] finds the kernels in a file: in OpenCL C and CUDA C (source.go), PTX and cubins, where mangled names tell the types
// of parameters, and exports of Nsight Compute. [Kernel.Write] writes the launch file (write.go). What a file
// does not say, such as how many elements a buffer has, is a guess that a comment names. Nothing is compiled or run.
package draft

import (
	"cmp"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gpuperf/cfront/launches"
	"gpuperf/internal/bounded"
	"gpuperf/internal/cname"
	"gpuperf/internal/source"
)

// Kernel is what is known of a kernel.
type Kernel struct {
	Name    string // as launch files name it
	Params  []Param
	Dims    int     // of the ND-range, 1 to 3
	Grid    []int64 // nil is not known
	Block   []int64 // nil is not known
	Most    int64   // work-items of a work-group; 0 is not known
	Dynamic string  // the type of the elements of dynamic shared memory; "" is none
	Notes   []string
	// Launch is how the host code of the source launches it; nil where it does not.
	Launch *launches.Bound
	// Along are the sizes that guards compare the indices along the axes with; "" where none is found.
	Along [3]string

	file string // that it was found in; "" is not the source
}

// Param is a parameter.
type Param struct {
	Name  string
	Kind  Kind
	Type  string // of the value or the elements, as launch files name it; "" is not known
	Lanes int64  // of a vector, otherwise 1
	Bytes int64  // of a value whose type is not known; 0 is not known either
	Const bool   // what it points to is only read
	// Members are those of a structure that is passed or pointed to, where they are known.
	Members []Param
	Text    string // as its file has it
}

// Kind is what a parameter is.
type Kind int

// The kinds of parameters.
const (
	Value Kind = iota
	Pointer
	Local // local memory of OpenCL
)

// readers find the kernels of files by their extensions.
var readers = map[string]func(path string, text string) ([]Kernel, error){
	".cl": readOpenCL, ".cu": readCUDA, ".ptx": readPTX, ".cubin": readCubin, ".csv": readRecorded,
}

// Extensions are those of the files that Read reads.
func Extensions() []string { return slices.Sorted(maps.Keys(readers)) }

const largest = 64 << 20 // bytes of a source or program that is read

// refused are the types of parameters that launch files do not have.
var refused = regexp.MustCompile(`\b(?:image\d\w*_t|sampler_t|pipe|queue_t|cudaTextureObject_t|cudaSurfaceObject_t|CUtensorMap)\b`)

// Read finds a kernel in files: of the sources and programs, with the ND-range that was recorded of it. Its name is needed where there are
// several.
func Read(paths []string, name string) (Kernel, error) {
	found, recorded, err := find(paths)
	if err != nil {
		return Kernel{}, err
	}
	k, err := pick(found, name, strings.Join(paths, ", "))
	if err != nil {
		return Kernel{}, err
	}
	for _, p := range k.Params {
		if refused.MatchString(p.Text) {
			return Kernel{}, source.At("", "", source.Pos{}, "the kernel %s takes %s, which no launch file can pass", k.Name, p.Text)
		}
	}
	if i := slices.IndexFunc(recorded, func(r Kernel) bool { return base(r.Name) == base(k.Name) }); i >= 0 {
		k = k.as(recorded[i])
	}
	return k, nil
}

// Names are those of the kernels that Read finds, each once.
func Names(paths []string) ([]string, error) {
	found, _, err := find(paths)
	return names(found), err
}

func names(kernels []Kernel) (names []string) {
	for _, k := range kernels {
		if !slices.Contains(names, base(k.Name)) {
			names = append(names, base(k.Name))
		}
	}
	return names
}

// find finds the kernels in files, and apart from them what was recorded of kernels, unless nothing else is known of any.
func find(paths []string) (found, recorded []Kernel, err error) {
	for _, path := range paths {
		read := readers[strings.ToLower(filepath.Ext(path))]
		if read == nil {
			return nil, nil, source.At("", "", source.Pos{}, "%s: launch files are drafted from %s", path, strings.Join(Extensions(), ", "))
		}
		text, err := bounded.ReadFile(path, largest)
		if err != nil {
			return nil, nil, err
		}
		kernels, err := read(path, string(text))
		if err != nil {
			return nil, nil, err
		}
		for _, k := range kernels {
			if k.file == "" {
				recorded = append(recorded, k)
			} else {
				found = append(found, k)
			}
		}
	}
	if len(found) == 0 {
		return recorded, nil, nil
	}
	return found, recorded, nil
}

// pick is the kernel of a name, which is needed where there are several.
func pick(found []Kernel, name, where string) (Kernel, error) {
	is := func(k Kernel) bool {
		plain, _, _ := strings.Cut(k.Name, "<")
		return name != "" && slices.Contains([]string{k.Name, plain, base(k.Name)}, name)
	}
	if i := slices.IndexFunc(found, is); i >= 0 {
		return found[i], nil
	}
	switch known := names(found); {
	case len(found) == 0:
		return Kernel{}, source.At("", "", source.Pos{}, "there is no kernel in %s", where)
	case name != "":
		return Kernel{}, source.At("", "", source.Pos{}, "there is no kernel %s in %s", name, where).WithHint("%s", source.Suggest(name, known))
	case len(known) > 1:
		return Kernel{}, source.At("", "", source.Pos{}, "there are several kernels in %s", where).WithHint("choose one: -k %s", strings.Join(known, " | "))
	}
	return found[0], nil
}

// as is the kernel as it was recorded: with that ND-range, and as that instance of a template.
func (k Kernel) as(recorded Kernel) Kernel {
	k.Grid, k.Block, k.Dims = recorded.Grid, recorded.Block, recorded.Dims
	k.Notes = slices.Concat(k.Notes, recorded.Notes)
	if strings.Contains(k.Name, "<") && strings.Contains(recorded.Name, "<") {
		k.Name = recorded.Name
	}
	if len(k.Params) == len(recorded.Params) {
		k.Params = slices.Clone(k.Params)
		for i, p := range recorded.Params {
			if p.Type != "" {
				k.Params[i].Type, k.Params[i].Lanes = p.Type, p.Lanes
			}
		}
	}
	return k
}

// base is the name of a kernel in its source.
func base(name string) string {
	plain, _, _ := demangled(name)
	return cname.Base(plain)
}

// named gives parameters without a name one.
func named(params []Param) []Param {
	letters, count := map[Kind][]string{Pointer: {"x", "y", "z", "u", "v", "w"}, Value: {"n", "m", "k"}}, map[Kind]int{}
	for i, p := range params {
		if p.Name != "" {
			continue
		}
		known := letters[p.Kind]
		if p.Kind == Value && isFloat(p.Type) {
			known = nil
		}
		params[i].Name = cmp.Or(at(known, count[p.Kind]), "p"+string(rune('0'+i%10)))
		if known != nil {
			count[p.Kind]++
		}
	}
	return params
}

func at(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return ""
}

func isFloat(dtype string) bool { return strings.HasPrefix(dtype, "float") }
