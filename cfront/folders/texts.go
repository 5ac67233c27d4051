package folders

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Found is a place around a file where a name is defined.
type Found struct {
	File  string // as seen from the working directory
	Line  int
	Value string // of a macro, where that is a number or the type of one
}

// Limits of the texts that are looked through for a name.
const (
	maxTexts     = 3_000
	maxTextBytes = 1 << 20 // of one file
	maxAllBytes  = 48 << 20
)

// Kinds of files, by the ends of their names.
var (
	kernelFiles = []string{".cl", ".clh", ".opencl", ".ocl", ".clc", ".hcl"}
	cudaFiles   = []string{".cu", ".cuh", ".hip"}
	headerFiles = []string{".h", ".hpp", ".hh", ".inc"}
	hostFiles   = slices.Concat(headerFiles, []string{".c", ".cc", ".cpp", ".cxx", ".py", ".java", ".go", ".rs", ".jl", ".cs", ".txt", ".cmake"})
)

// text is what a file holds.
type text struct{ file, text string }

// Definition finds a function, a type or a macro with arguments in the files of kernels and the headers around the file, the nearest first: what a program puts
// before the text of its kernels. Headers of C++ are passed over for kernels of OpenCL C. It is nil where nothing defines the name.
func (f *Folders) Definition(name string) *Found {
	ends, alien := slices.Concat(kernelFiles, headerFiles), func(t text) bool {
		cl := slices.Contains(kernelFiles, path.Ext(f.file))
		return slices.Contains(headerFiles, path.Ext(t.file)) && ofHost.MatchString(t.text) || cl && ofCUDA.MatchString(t.text)
	}
	if f.hasCUDA() { // C++ all the same
		ends, alien = slices.Concat([]string{".cuh"}, headerFiles), func(text) bool { return false }
	}
	for _, t := range f.texts(ends) {
		if strings.Contains(t.text, name) && alien(t) {
			continue
		}
		for at := range occurrences(t.text, name) {
			if defines(t.text, at, at+len(name)) {
				return f.found(t, at, "")
			}
		}
	}
	return nil
}

// hasCUDA reports whether the file is one of CUDA C, by its name, or a header by its text.
func (f *Folders) hasCUDA() bool {
	if !slices.Contains(headerFiles, path.Ext(f.file)) {
		return slices.Contains(cudaFiles, path.Ext(f.file))
	}
	text, _ := os.ReadFile(f.file)
	return strings.Contains(string(text), "__global__")
}

// Includer is the nearest file around that includes the file: with kernels, or for those of CUDA C also a program or a header of C++. It is nil where there is none.
func (f *Folders) Includer() *Found {
	ends := kernelFiles
	if slices.Contains(cudaFiles, path.Ext(f.file)) {
		ends = slices.Concat(cudaFiles, headerFiles, []string{".cpp", ".cc", ".cxx"})
	}
	base := path.Base(filepath.ToSlash(f.file))
	of := regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*"([^"\n]*/)?` + regexp.QuoteMeta(base) + `"`)
	all := f.texts(ends)
	own := path.Join(f.here, base)
	for _, t := range all {
		if !strings.Contains(t.text, base) {
			continue
		}
		for _, at := range of.FindAllStringSubmatchIndex(t.text, -1) {
			folder := ""
			if at[2] >= 0 {
				folder = t.text[at[2]:at[3]]
			}
			if path.Join(path.Dir(t.file), folder, base) == own || folder != "" && strings.HasSuffix("/"+own, "/"+path.Join(folder, base)) {
				return f.found(t, at[0], "")
			}
		}
	}
	return nil
}

// ofHost finds what no kernel has.
var ofHost = regexp.MustCompile(`\bstd::|(?m)^\s*(namespace|template|class|extern "C")\b|#\s*include\s*<(stdio|stdlib|string|vector|iostream|CL/)`)

// ofCUDA finds what no OpenCL C has.
var ofCUDA = regexp.MustCompile(`\bthreadIdx\b|\b__device__\b|\b__forceinline__\b`)

// occurrences are the places of a name in a text.
func occurrences(text, name string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for from := 0; ; {
			i := strings.Index(text[from:], name)
			if i < 0 {
				return
			}
			at := from + i
			from = at + len(name)
			if (at == 0 || !inName(text[at-1]) || at > 1 && text[at-2:at] == "-D") && (from == len(text) || !inName(text[from])) && !yield(at) {
				return
			}
		}
	}
}

func inName(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// What stands before a name in its line.
var (
	defining = regexp.MustCompile(`^[ \t]*#[ \t]*define[ \t]+$`)
	isRecord = regexp.MustCompile(`\b(struct|union|enum)\s+$`)
	isType   = regexp.MustCompile(`^[ \t]*typedef\b[^;{}]*$`)
	heads    = regexp.MustCompile(`^[\w \t*]*$`)
)

// defines reports that a name is defined where it stands in a text.
func defines(text string, at, end int) bool {
	line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	rest := strings.TrimLeft(text[end:], " \t\r\n")
	next := func(c string) bool { return strings.HasPrefix(rest, c) }
	switch {
	case defining.MatchString(line):
		return strings.HasPrefix(text[end:], "(")
	case strings.Contains(line, "//"):
		return false
	case next("{"):
		return isRecord.MatchString(line)
	case next(";"):
		return isType.MatchString(line) || strings.HasSuffix(strings.TrimSpace(text[:at]), "}")
	case next("(") && heads.MatchString(line):
		return strings.HasPrefix(strings.TrimLeft(rest[closing(rest):], " \t\r\n"), "{")
	}
	return false
}

// closing is the end of what brackets hold that a text begins with.
func closing(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case ';', '{', '}':
			return i
		}
	}
	return len(text)
}

// Macro finds what programs around the file give for a macro: -DNAME=VALUE in an option of the compiler, else #define or a constant in host code, a header or
// another file of kernels, the nearest first. It is nil where nothing does.
func (f *Folders) Macro(name string) (best *Found) {
	for _, t := range f.texts(slices.Concat(hostFiles, kernelFiles)) {
		for at := range occurrences(t.text, name) {
			begins := strings.LastIndexByte(t.text[:at], '\n') + 1
			line, rest := t.text[begins:at], t.text[at+len(name):]
			rest, _, _ = strings.Cut(rest, "\n")
			value, is := "", true
			switch option := strings.HasSuffix(strings.TrimRight(line, " "), "-D"); {
			case option:
				value = optionValue.FindString(strings.TrimPrefix(rest, "="))
			case defining.MatchString(line):
				value = rest
			case constant.MatchString(line) && strings.HasPrefix(strings.TrimSpace(rest), "="):
				value, _, _ = strings.Cut(strings.TrimSpace(rest)[1:], ";")
			default:
				is = false
			}
			value, _, _ = strings.Cut(value, "//")
			value, _, _ = strings.Cut(value, "/*")
			if value = strings.TrimSpace(value); is && plain.MatchString(value) {
				return f.found(t, at, value)
			}
			if is && best == nil && strings.Contains(line, "-D") {
				best = f.found(t, at, "")
			}
		}
	}
	return best
}

// Option finds a macro with arguments that a program around the file gives its compiler, as in -DNAME(x)=(x*x). The value begins with the arguments. It is nil where none
// does.
func (f *Folders) Option(name string) *Found {
	for _, t := range f.texts(hostFiles) {
		for at := range occurrences(t.text, name) {
			if !strings.HasSuffix(strings.TrimRight(t.text[:at], " "), "-D") {
				continue
			}
			if value := withArguments.FindString(t.text[at+len(name):]); value != "" {
				return f.found(t, at, value)
			}
		}
	}
	return nil
}

// withArguments finds the arguments of a macro in an option, with what it stands for.
var withArguments = regexp.MustCompile(`^\([A-Za-z0-9_,]*\)=[^\s"'\\;]+`)

var (
	optionValue = regexp.MustCompile(`^[^\s"'\\;,)]*`)
	constant    = regexp.MustCompile(`\bconst(expr)?\s+\w+\s+$`)
	// plain is a number, or the name of a type of numbers.
	plain = regexp.MustCompile(`^(-?(0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]*|-?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?f?|(float|double|half|u?int|u?char|u?short|u?long)(2|3|4|8|16)?)$`)
)

func (f *Folders) found(t text, at int, value string) *Found {
	return &Found{File: path.Join(shown(filepath.Join(f.top, filepath.FromSlash(path.Dir(t.file)))), path.Base(t.file)), Line: 1 + strings.Count(t.text[:at], "\n"), Value: value}
}

// texts are the files around with some endings, without the file itself, the nearest first. They are looked for once.
func (f *Folders) texts(ends []string) []text {
	key := strings.Join(ends, " ")
	if _, known := f.lists[key]; !known {
		if f.below == nil {
			f.look()
		}
		f.lists[key] = f.list(ends)
	}
	return f.lists[key]
}

func (f *Folders) list(ends []string) (out []text) {
	var files []string
	own := path.Join(f.here, path.Base(filepath.ToSlash(f.file)))
	for _, list := range f.below {
		for _, p := range list {
			if slices.Contains(ends, path.Ext(p)) && p != own {
				files = append(files, p)
			}
		}
	}
	far := map[string]int{}
	for _, p := range files {
		far[p] = apart(f.here, p)
	}
	slices.SortFunc(files, func(a, b string) int {
		return cmp.Or(cmp.Compare(far[a], far[b]), cmp.Compare(slices.Index(ends, path.Ext(a)), slices.Index(ends, path.Ext(b))), cmp.Compare(a, b))
	})
	all := 0
	for _, p := range files[:min(len(files), maxTexts)] {
		if all > maxAllBytes {
			break
		}
		t, known := f.read[p]
		if !known {
			name := filepath.Join(f.top, filepath.FromSlash(p))
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && info.Size() <= maxTextBytes {
				read, _ := os.ReadFile(name)
				t = string(read)
			}
			f.read[p] = t
		}
		all += len(t)
		out = append(out, text{p, t})
	}
	return out
}
