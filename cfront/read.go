package cfront

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gpuperf/cfront/launches"
	"gpuperf/cfront/strung"
	"gpuperf/internal/bounded"
	"gpuperf/internal/source"
)

// Language is what a file is written in.
type Language string

// The languages.
const (
	C      Language = "C"
	OpenCL Language = "OpenCL C"
	CUDA   Language = "CUDA C"
)

// Options say how to read a file. The zero value reads it as it is, in the language that its name ends in: .cl, .cu, else C.
type Options struct {
	Language Language
	// Instance is the function of a kernel language that is wanted; a template with its arguments, as name expressions of NVRTC give
	// them: "tile<16, float>". Only that and what it calls is read then, and it is an error if its body cannot be. Without it all
	// kernels are read that are no templates, and in OpenCL C all functions.
	Instance string
	// Strings: the kernels of a program of C stand in its strings. They may in headers and programs of C++ and Python, too.
	Strings bool
	// Wanted is the kernel that is asked for, where several texts of a program define functions of one name, and where instances of templates are proposed; ""
	// for any.
	Wanted string
	// Proposed: Instance is one that was proposed, which Passed says.
	Proposed bool
	// Opaque: a statement that is not read is an *Other that says why, in place of an error of its function.
	Opaque bool
	// Arguments are the types of what a call of Instance is given, as "float *", where that is a template whose arguments follow from these.
	Arguments []string
	// Before are files whose texts stand before that of the file, as a program puts them together for the compiler. One of them that includes the file has it in
	// that place.
	Before  []string
	Include []string // folders of headers, as of -I
	Define  []string // macros, NAME or NAME=VALUE, as of -D
	// Tried are macros as of Define which nobody gives: what the text asks for may have other values of them.
	Tried []string
}

// File is a C file with what it includes.
type File struct {
	Name      string // as the user named it
	Language  Language
	Functions []*Function
	// Templates are the names of kernels that are templates, which Options.Instance makes functions.
	Templates []string
	// Launches are those that the host code of the file makes, in its order.
	Launches []*launches.Launch
	// Proposed are instances of them, such as k<float, 16>, by their names.
	Proposed map[string]string
	chosen   map[string]string // instances that stand for those that launches name, with arguments which nothing says
	instance string            // that was proposed
	told     []string          // instances that the file names with all arguments
	// Folders are those that headers were found in beside the folders of Options.Include, as if they had been given too: below the top of the repository
	// that the file lies in, else of the working directory.
	Folders []string
	// Defined are macros that are taken to be defined, as conditions on them leave out all kernels, or macros that the file uses.
	Defined []string
	// Summaries are the functions whose accesses are those of other functions, by the names of these: __attribute__((pencil_access(summary))).
	Summaries map[string]string
	lang      *dialect
	texts     map[string]string // of the files that were read
	own       map[string]string
	marks     []mark
	assembly  map[Stmt]*Assembly
	absent    []string                   // headers that are not found and passed over
	known     func(name string) bool     // of the file or the language
	leftOut   map[string]int             // lines of statements that are not read, by the names that they seem to declare
	ends      []int                      // the tokens behind declarations of the text, as far as they are known
	leaving   func() map[string][]string // definitions under which names are defined that conditions leave out
	passed    []string                   // those of them in quotes, which belong to the program
	// leftOutKernels are those that stand in branches of conditions which are left out, with definitions under which they are read.
	leftOutKernels map[string][]string
	defined        map[string]Pos // the Templates that have bodies
}

// limits of reading one file. The memory leaves room for what follows, so that the process stays below 1 GB.
var limits = bounded.Limits{Time: bounded.Patience, Memory: 512 << 20}

// Read reads the file at path. Faults of the file are *source.Error.
func Read(ctx context.Context, path string, opt Options) (f *File, err error) {
	text, err := bounded.ReadFile(path, maxBytes)
	if err != nil {
		return nil, err
	}
	return Parse(ctx, path, string(text), opt)
}

// Parse is Read for the text of a file at path, which need not exist.
func Parse(ctx context.Context, path, text string, opt Options) (*File, error) {
	if len(text) > maxBytes {
		return nil, fmt.Errorf("%s: it has more than %d bytes", path, maxBytes)
	}
	text = strings.TrimPrefix(text, "\ufeff")
	program := text
	text, inStrings, err := kernelsOf(path, text, opt)
	if err != nil {
		return nil, err
	}
	if opt.Language == "" {
		opt.Language = languageOf(path, text, inStrings)
	}
	if dialects[opt.Language] == nil {
		return nil, fmt.Errorf("%s: %s is no language that is read here", path, opt.Language)
	}
	if !dialects[opt.Language].hosted {
		text = strung.Raw(text)
	}
	defines, err := definitions(opt.Define)
	if err != nil {
		return nil, err
	}
	for _, d := range opt.Tried {
		text, err := definitions([]string{d})
		if err != nil {
			return nil, err
		}
		name := d[:strings.IndexAny(d+"=", "=(")]
		defines += "#ifndef " + name + "\n" + text + "#endif\n"
	}
	var f *File
	err = bounded.Do(ctx, limits, func(ctx context.Context, check func() int) (err error) {
		f, err = parse(ctx, path, text, defines, opt, check)
		return err
	})
	if bounded.Stopped(err) {
		return nil, fmt.Errorf("%s: reading it %w", path, err)
	}
	if f != nil && inStrings && filepath.Ext(path) != ".py" {
		f.Launches = launches.OfText(ctx, path, strung.WithoutRaw(program))
	}
	return f, err
}

var macroName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\([A-Za-z0-9_, ]*\))?$`)

func definitions(list []string) (string, error) {
	var b strings.Builder
	for _, d := range list {
		name, value, given := strings.Cut(d, "=")
		if !given {
			value = "1"
		}
		if !macroName.MatchString(name) || strings.ContainsAny(value, "\n\r") {
			return "", fmt.Errorf("-D %s: a macro is NAME or NAME=VALUE", d)
		}
		fmt.Fprintf(&b, "#define %s %s\n", name, value)
	}
	return b.String(), nil
}

// Function is the function of that name with a body, or nil.
func (f *File) Function(name string) *Function {
	i := slices.IndexFunc(f.Functions, func(fn *Function) bool { return fn.Name == name })
	if i < 0 {
		return nil
	}
	return f.Functions[i]
}

// Text is that of the file.
func (f *File) Text() string { return f.texts[f.Name] }

// Headers are the texts of the headers that the file includes from its own folder and those below, by their names in it.
func (f *File) Headers() map[string]string { return f.own }

// Errorf is an error at a place, with the line and a caret.
func (f *File) Errorf(at Pos, format string, args ...any) *source.Error {
	return source.At(at.File, f.texts[at.File], at.Pos, format, args...)
}

// Absent is a hint on a name that the file does not declare: the headers that were not found and may declare it, those whose names contain
// it if there are any. It is "" if none is missing.
func (f *File) Absent(name string) string {
	list := slices.DeleteFunc(slices.Clone(f.absent), func(header string) bool { return !strings.Contains(header, name) })
	if len(list) == 0 {
		list = f.absent
	}
	if len(list) == 0 {
		return ""
	}
	rest := ""
	if n := len(list) - maxAbsent; n > 0 {
		list, rest = list[:maxAbsent], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("headers that were not found may declare it: %s%s; %s", strings.Join(list, ", "), rest, inFolders)
}

// Passed says which instance is read that was proposed, which headers in quotes were not found and passed over, which folders headers were found in that nobody
// gave, and which macros are taken to be defined; "" without any.
func (f *File) Passed() string {
	var parts []string
	if f.instance != "" {
		parts = append(parts, fmt.Sprintf("arguments of %s are proposed, as nothing says them; --kernel names another instance", f.instance))
	}
	if len(f.passed) > 0 {
		parts = append(parts, fmt.Sprintf("not found, and passed over: %s; %s", strings.Join(f.passed, ", "), inFolders))
	}
	if len(f.Defined) > 0 {
		parts = append(parts, "kernels, or what they use, stand under conditions, and are read as by "+strings.Join(prefixed("-D ", f.Defined), " "))
	}
	if len(f.Folders) > 0 {
		parts = append(parts, "headers are read from folders around the file, as by -I "+strings.Join(f.Folders, " -I "))
	}
	return strings.Join(parts, "; ")
}

// LeftOut finds a kernel that stands in a branch of a condition which is left out, the only one where the name is "", with flags under which it is read.
func (f *File) LeftOut(name string) (found string, flags []string) {
	if name == "" && len(f.leftOutKernels) == 1 {
		for name = range f.leftOutKernels {
		}
	}
	if _, is := f.leftOutKernels[name]; !is {
		return "", nil
	}
	return name, prefixed("-D ", f.leftOutKernels[name])
}

// Kernel is where a file defines a kernel function.
type Kernel struct {
	Name string // as Options.Instance or ckernel takes it: of a template the first instance that the host code launches, or else the one that is proposed
	Pos  Pos    // without a file for one that a condition leaves out
	Func *Function
}

// Kernels are the kernel functions of the file and of what it includes: those that are read, templates, and those that conditions leave out.
func (f *File) Kernels() (all []Kernel) {
	read := map[string]bool{}
	for _, fn := range f.Functions {
		if fn.Kernel {
			all = append(all, Kernel{fn.Name, fn.Pos, fn})
			read[fn.Name] = true
		}
	}
	for _, name := range f.Templates {
		if at, is := f.defined[name]; is {
			all = append(all, Kernel{f.Instances(name)[0], at, nil})
		}
		read[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(f.leftOutKernels)) {
		if !read[name] {
			all = append(all, Kernel{Name: name})
		}
	}
	return all
}

func prefixed(prefix string, list []string) (out []string) {
	for _, text := range list {
		out = append(out, prefix+text)
	}
	return out
}

// inFolders is a hint on headers that were not found.
const inFolders = "-I gives their folders"

// maxAbsent is the number of headers that a hint names.
const maxAbsent = 8

const missingHeader = "headers are read from the folder of the file and from those that -I gives, and not from outside of these"

// mark is a #pragma scop or endscop of the main file.
type mark struct {
	end bool
	at  Pos
}

// Regions lists the regions that pragmas mark; without any, the bodies of all functions of the main file.
func (f *File) Regions() ([]*Region, error) {
	var out []*Region
	for i := 0; i < len(f.marks); i++ {
		m := f.marks[i]
		if m.end || i+1 == len(f.marks) || !f.marks[i+1].end {
			what := map[bool]string{false: "#pragma scop without #pragma endscop", true: "#pragma endscop without #pragma scop"}[m.end]
			return nil, f.Errorf(m.at, "%s", what)
		}
		i++
		r, err := f.between(m.at, f.marks[i].at)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	if len(f.marks) == 0 {
		for _, fn := range f.Functions {
			if fn.Pos.File == f.Name && fn.Err == nil {
				out = append(out, &Region{fn.Name, fn, fn.Body.Items, fn.Body.Line, fn.Body.Last, false})
			}
		}
	}
	seen := map[string]int{}
	for _, r := range out { // several regions of one function are told apart by a number
		if seen[r.Function.Name]++; seen[r.Function.Name] > 1 {
			r.Name = fmt.Sprintf("%s_%d", r.Function.Name, seen[r.Function.Name])
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: it has no function with a body, and no #pragma scop", f.Name)
	}
	return out, nil
}

// between is the region between two lines of the main file.
func (f *File) between(start, end Pos) (*Region, error) {
	i := slices.IndexFunc(f.Functions, func(fn *Function) bool {
		return fn.Pos.File == f.Name && fn.Body.Line <= start.Line && end.Line <= fn.Body.Last
	})
	if i < 0 {
		return nil, f.Errorf(start, "#pragma scop is in no function")
	}
	fn := f.Functions[i]
	items := fn.Body.Items
search:
	for {
		var inside []Stmt
		for _, s := range items {
			first, last := Lines(s)
			switch {
			case first > start.Line && last < end.Line:
				inside = append(inside, s)
			case last < start.Line || first > end.Line:
			case first < start.Line && last >= end.Line:
				items, _ = Inside(s)
				continue search
			default:
				return nil, f.Errorf(start, "#pragma scop and #pragma endscop are in different blocks")
			}
		}
		return &Region{fn.Name, fn, inside, start.Line, end.Line, true}, nil
	}
}

// usedAs is what the text of a file takes a macro for that an #error asks for: a type, a number, or nothing but one that is defined.
func (f *File) usedAs(name string) string {
	use := regexp.MustCompile(`(?m)^[ \t]*[^#\s].*?\b` + regexp.QuoteMeta(name) + `\b|^` + regexp.QuoteMeta(name) + `\b`)
	asType := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `[ \t]*\*?[ \t]+(restrict[ \t]+|const[ \t]+)*\*?[A-Za-z_]\w*[ \t]*[;,=()[]|\(` + regexp.QuoteMeta(name) + `\)[ \t]*[\w(]`)
	switch text := f.texts[f.Name]; {
	case asType.MatchString(text):
		return "=" + proposedType(name)
	case use.MatchString(text):
		return "=…"
	}
	return ""
}
