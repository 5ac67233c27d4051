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
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"gpuperf/cfront/launches"
	"gpuperf/internal/bounded"
	"gpuperf/internal/format"
	"gpuperf/internal/source"
	"gpuperf/samples/exchange"
	"gpuperf/sass"
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
	if plain, _, ok := demangled(name); ok {
		name = plain
	}
	name, _, _ = strings.Cut(name, "<")
	return name[strings.LastIndexByte(name, ':')+1:]
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

// readRecorded reads the launches that Nsight Compute has exported. Their names are demangled, with the types of the parameters.
func readRecorded(path, _ string) (kernels []Kernel, err error) {
	_, records, _, err := exchange.Import(path, "ncu")
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		k := Kernel{Dims: 1, Block: r.Local}
		for i, items := range r.Global {
			k.Grid = append(k.Grid, items/r.Local[i])
			if items > 1 {
				k.Dims = i + 1
			}
		}
		k.Grid, k.Block = k.Grid[:k.Dims], k.Block[:k.Dims]
		var params string
		k.Name, params = signature(strings.ReplaceAll(r.Kernel.Source, "<unnamed>::", ""))
		for _, p := range split(params) {
			if one, ok := readParam(p, nil); ok {
				k.Params = append(k.Params, one)
			}
		}
		k.Params = named(k.Params)
		k.Notes = []string{"ND-range as in " + filepath.Base(path) + ", which has " + format.Count(len(r.Trials), "launch") + " of it"}
		kernels = append(kernels, k)
	}
	return kernels, nil
}

var (
	ptxEntry = regexp.MustCompile(`(?s)\.entry\s+([\w$.]+)\s*(?:\(([^)]*)\))?([^{;]*)\{`)
	ptxParam = regexp.MustCompile(`\.param\s+(.*?)\.([a-z])(\d+)\s+(.*?)([\w$]+)\s*(?:\[\s*(\d+)\s*\])?\s*$`)
	ptxSize  = regexp.MustCompile(`\.(maxntid|reqntid)\s+([\d\s,]+)`)
	ptxTypes = map[string]string{"u": "uint", "s": "int", "f": "float", "b": "uint"}
)

// readPTX finds the entries of PTX. A parameter of 64 bits counts as a pointer where the file says so, or its name cannot tell.
func readPTX(path, text string) (kernels []Kernel, err error) {
	text = comments.ReplaceAllString(text, " ")
	for _, m := range ptxEntry.FindAllStringSubmatch(text, -1) {
		k := Kernel{Name: m[1], Dims: 1, file: path}
		for _, p := range split(m[2]) {
			found := ptxParam.FindStringSubmatch(strings.TrimSpace(p))
			if found == nil {
				continue
			}
			bits, err := strconv.ParseInt(found[3], 10, 64)
			if err != nil {
				continue
			}
			one := Param{Type: ptxTypes[found[2]] + found[3], Lanes: 1, Text: strings.Join(strings.Fields(p), " ")}
			switch bytes, array := strconv.ParseInt(found[6], 10, 64); {
			case array == nil:
				one.Type, one.Bytes = "", bytes*bits/8
			case bits == 64 && found[2] != "f":
				one.Kind, one.Type = Pointer, ""
			}
			k.Params = append(k.Params, one)
		}
		for _, b := range ptxSize.FindAllStringSubmatch(m[3], -1) {
			k.Block = numbers(b[2])
		}
		k.shape()
		kernels = append(kernels, k.mangled())
	}
	return kernels, nil
}

// readCubin finds the kernels of a cubin: their names, and how many bytes each parameter has. One of 8 counts as a pointer unless the name
// tells its type.
func readCubin(path, text string) (kernels []Kernel, err error) {
	entries, err := sass.Entries([]byte(text))
	for _, e := range entries {
		k := Kernel{Name: e.Name, Dims: 1, file: path}
		for _, p := range e.Parameters {
			one := Param{Lanes: 1, Text: strconv.Itoa(p.Bytes) + " bytes", Bytes: int64(p.Bytes)}
			switch p.Bytes {
			case 8:
				one.Kind = Pointer
			case 1, 2, 4:
				one.Type = "int" + strconv.Itoa(8*p.Bytes)
			}
			k.Params = append(k.Params, one)
		}
		kernels = append(kernels, k.mangled())
	}
	return kernels, source.InFile(err, path)
}

// mangled adds what the mangled name of a kernel tells of its parameters.
func (k Kernel) mangled() Kernel {
	plain, types, ok := demangled(k.Name)
	if ok {
		k.Notes = append(k.Notes, "the mangled name of "+plain)
	}
	if !ok || len(types) != len(k.Params) {
		k.Notes = append(k.Notes, "the file does not tell what its pointers point to, and only how long its values are")
		k.Params = named(k.Params)
		return k
	}
	k.Params = slices.Clone(k.Params)
	for i, t := range types {
		p := &k.Params[i]
		bytes := p.Bytes
		if *p, ok = readParam(t, nil); !ok || p.Kind == Value && p.Type == "" {
			p.Bytes = bytes
		}
	}
	k.Params = named(k.Params)
	return k
}

// demangled is the name of a kernel and the types of its parameters; false for a name that is not mangled.
func demangled(name string) (plain string, params []string, ok bool) {
	text, err := demangle.ToString(name)
	if err != nil {
		return name, nil, false
	}
	plain, inside := signature(text)
	if inside == "" {
		return plain, nil, true
	}
	for _, p := range split(inside) {
		params = append(params, strings.TrimSpace(p))
	}
	return plain, params, true
}

// signature splits the name of a kernel with its parameters: "void scale<float>(float *, int)".
func signature(name string) (kernel, params string) {
	open := strings.LastIndexByte(name, '(')
	if i := strings.LastIndex(name, ">("); i >= 0 {
		open = i + 1
	}
	if open < 0 {
		return name, ""
	}
	inside, _, _ := balanced(name[open:], '(', ')')
	return strings.TrimPrefix(name[:open], "void "), inside
}

var (
	directive = regexp.MustCompile(`(?m)^[ \t]*#(?:[^\n\\]|\\\r?(?s:.))*`) // with the lines that it continues on
	renames   = []*regexp.Regexp{                                          // what gives words a name, and which
		regexp.MustCompile(`#[ \t]*define[ \t]+(?P<name>\w+)[ \t]+(?P<words>[\w" \t]+)(?:\r?\n|$)`),
		regexp.MustCompile(`\btypedef\s+(?P<words>[\w\s]+?)\s+(?P<name>\w+)\s*;`),
		regexp.MustCompile(`\busing\s+(?P<name>\w+)\s*=\s*(?P<words>[\w\s]+?)\s*;`),
	}
	name      = regexp.MustCompile(`\b[A-Za-z_]\w*`)
	structure = regexp.MustCompile(`\bstruct\b([^{};()]*(?:\([^{};]*\))?[^{};()]*)\{([^{}]*)\}\s*(\w*)\s*;`)
)

// expanded is a source without the preprocessor's lines, in which plain names stand for what they mean: REAL for float. Conditions are not
// understood: all branches are there, and the last meaning of a name counts.
func expanded(text string) string {
	meaning := map[string]string{}
	for _, r := range renames {
		for _, m := range r.FindAllStringSubmatch(text, -1) {
			meaning[m[r.SubexpIndex("name")]] = m[r.SubexpIndex("words")]
		}
	}
	text = directive.ReplaceAllString(text, "")
	const deepest = 4 // names that stand for names
	for range deepest {
		text = name.ReplaceAllStringFunc(text, func(n string) string {
			if words, ok := meaning[n]; ok {
				return strings.TrimSpace(words)
			}
			return n
		})
	}
	return text
}

// structures are the members of the structures that a source declares, by their names; of those whose members are all numbers and pointers.
func structures(text string) map[string][]Param {
	known := map[string][]Param{}
	for _, m := range structure.FindAllStringSubmatch(text, -1) {
		members, ok := membersOf(m[2])
		if !ok {
			continue
		}
		known[m[3]] = members
		if tag := name.FindAllString(m[1], -1); len(tag) > 0 {
			known[tag[len(tag)-1]] = members
		}
	}
	delete(known, "")
	return known
}

func membersOf(body string) (members []Param, ok bool) {
	for _, declared := range strings.Split(strings.TrimSuffix(strings.TrimSpace(body), ";"), ";") {
		parts := split(declared)
		kind := strings.TrimRight(parts[0], " \t\r\n")
		kind = kind[:len(kind)-len(lastName(kind))]
		parts[0] = parts[0][len(kind):]
		if strings.Contains(kind, "*") && len(parts) > 1 {
			return nil, false
		}
		for _, part := range parts {
			p, ok := readParam(kind+" "+part, nil)
			if !ok || p.Name == "" || p.Type == "" || p.Lanes > 1 || p.Type == "float16" || strings.ContainsAny(declared, "[:(") {
				return nil, false
			}
			members = append(members, p)
		}
	}
	return members, true
}

func lastName(text string) string {
	all := name.FindAllString(text, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// of is the parameter with what is known of its structure: its members, or of elements with equal members their type and number.
func (p Param) of(known map[string][]Param) Param {
	for _, word := range name.FindAllString(p.Text, -1) {
		members := known[word]
		if p.Type != "" || members == nil {
			continue
		}
		p.Members = members
		mixed := slices.ContainsFunc(members, func(m Param) bool { return m.Kind != Value || m.Type != members[0].Type })
		if p.Kind == Pointer && !mixed {
			p.Type, p.Lanes = members[0].Type, int64(len(members))
		}
	}
	return p
}

// isSize reports whether a parameter is an integer that is passed by value.
func (p Param) isSize() bool {
	return p.Kind == Value && p.Lanes <= 1 && slices.Contains([]string{"int32", "uint32", "int64", "uint64"}, p.Type)
}
