package cfront

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gpuperf/cfront/cpp"
	"gpuperf/cfront/folders"
	"gpuperf/cfront/strung"
	"gpuperf/internal/nameset"
)

// ownHeaders begins the names of the package's own headers.
const ownHeaders = "sys/"

// headers are declarations of what programs use of the system headers, and in include/cuda what libraries compute in kernels.
//
//go:embed include
var headers embed.FS

// files are those that a file may include, under names that tell the parser nothing of the machine: "0/x.h" lies in the folder of the file,
// "1/x.h" in the first folder of -I, "up0/x.h" in one that a name with ".." leads to, "sys/x.h" among the headers of the package.
type files struct {
	path    string   // of the main file
	roots   []string // folders, the one of the main file first
	outer   []string // folders that names in quotes lead to, below the working directory
	before  []string // names of files that stand before the main file, of outer
	around  *folders.Folders
	found   []string // folders of roots that hold headers which nobody gave a folder for
	lang    *dialect
	texts   map[string]string
	own     map[string]string // headers that lie in the folder of the main file or below, by their names in it
	names   map[string]string // by what the user knows a file by: its name here
	bytes   int
	refused error
}

func newFiles(file, text string, opt Options, lang *dialect) *files {
	f := &files{path: file, lang: lang, texts: map[string]string{file: text}, own: map[string]string{}, names: map[string]string{}}
	f.roots = append([]string{filepath.Dir(file)}, opt.Include...)
	for i, name := range opt.Before {
		f.outer = append(f.outer, filepath.Dir(name))
		f.before = append(f.before, fmt.Sprintf("up%d/%s", i, filepath.Base(name)))
	}
	f.around = folders.Around(file)
	return f
}

// near is a header that lies in a folder around the file, which becomes one of those that are looked through. What is known without them stays that: libraries
// of kernels and the C library.
func (f *files) near(name string, quoted bool) (file, text string, ok bool) {
	if f.lang.hosted || f.lang.toolkit(name) && !(quoted && f.lang.resembles(name)) || path.Base(name) == "config.h" { // which programs make when they are built: one around is of another
		return "", "", false
	}
	first, _, inside := strings.Cut(name, "/")
	for _, own := range []string{first, path.Join(f.lang.library, first)} {
		if _, err := fs.Stat(headers, path.Join("include", own)); err == nil && (inside || !quoted) {
			return "", "", false
		}
	}
	folder := f.around.Of(name)
	if folder == "" {
		return "", "", false
	}
	if !slices.Contains(f.roots[1:], folder) { // the first is for quotes alone
		f.roots, f.found = append(f.roots, folder), append(f.found, folder)
	}
	return f.find(name, quoted, "")
}

// folders lists the names of the folders that a header is looked for in. The headers of C are for its programs alone, which also find those in
// angle brackets in their own folder. Libraries of kernels are read from the package's own text of what they compute.
func (f *files) folders(quoted bool, from string) (out []string) {
	inner, nested := f.names[from]
	if quoted && nested {
		out = append(out, path.Dir(inner))
	}
	for i := range f.roots {
		if i > 0 || quoted || f.lang.hosted {
			out = append(out, fmt.Sprint(i))
		}
	}
	switch {
	case f.lang.hosted:
		out = append(out, ownHeaders)
	case f.lang.library != "": // in angle brackets first, as its folder may be given too
		if library := ownHeaders + f.lang.library; quoted {
			out = append(out, library)
		} else {
			out = slices.Insert(out, 0, library)
		}
	}
	return out
}

// find is the header of a name: of the folder of the file that includes it, if it is quoted, else of those that may be read. Names that lead out
// of the folders do not exist.
func (f *files) find(name string, quoted bool, from string) (file, text string, ok bool) {
	if path.IsAbs(name) {
		return "", "", false
	}
	if slices.Contains(f.before, name) {
		text, err := f.open(name)
		f.names[f.shown(name)] = name
		return f.shown(name), text, err == nil
	}
	for _, folder := range f.folders(quoted, from) {
		inner := path.Join(folder, name)
		if out := f.outside(folder, name); quoted && out != "" {
			inner = out
		}
		text, err := f.open(inner)
		if err != nil {
			continue
		}
		shown := f.shown(inner)
		if shown == filepath.Clean(f.path) {
			shown, text = f.path, f.texts[f.path]
		}
		f.names[shown] = inner
		return shown, text, true
	}
	return "", "", false
}

// outside is the name of a file that a name leads to from a folder, out of those that may be read: one of the working directory may be, as of a
// project that is looked at from its top. It is "" for others.
func (f *files) outside(folder, name string) string {
	within := path.Clean(path.Join(folder, name))
	if first, _, _ := strings.Cut(within, "/"); first != ".." && (f.root(first) != "" || first+"/" == ownHeaders) {
		return ""
	}
	first, rest, _ := strings.Cut(folder, "/")
	root := f.root(first)
	if root == "" {
		return ""
	}
	at, err := filepath.Abs(filepath.Join(root, rest, name))
	top, err2 := os.Getwd()
	if err != nil || err2 != nil {
		return ""
	}
	if rel, err := filepath.Rel(top, at); err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	shown := filepath.Join(root, rest, path.Dir(name))
	i := slices.Index(f.outer, shown)
	if i < 0 {
		i = len(f.outer)
		f.outer = append(f.outer, shown)
	}
	return fmt.Sprintf("up%d/%s", i, path.Base(name))
}

// root is the folder that a name of one stands for; "" for others.
func (f *files) root(name string) string {
	for i, root := range f.roots {
		if name == fmt.Sprint(i) {
			return root
		}
	}
	for i, root := range f.outer {
		if name == fmt.Sprint("up", i) {
			return root
		}
	}
	return ""
}

// shown is the name that the user knows a file by.
func (f *files) shown(name string) string {
	first, rest, _ := strings.Cut(name, "/")
	if root := f.root(first); root != "" {
		return filepath.Join(root, rest)
	}
	return name
}

func (f *files) open(name string) (string, error) {
	if rest, ok := strings.CutPrefix(name, ownHeaders); ok {
		text, err := headers.ReadFile("include/" + rest)
		if err != nil {
			return "", err
		}
		return f.opened(name, text)
	}
	shown := f.shown(name)
	if shown == name {
		return "", fs.ErrNotExist
	}
	text, err := f.read(shown)
	if err != nil {
		return "", err
	}
	if rest, ok := strings.CutPrefix(name, "0/"); ok {
		f.own[rest] = string(text)
	}
	return f.opened(name, text)
}

func (f *files) refuse(format string, args ...any) {
	if f.refused == nil {
		f.refused = fmt.Errorf("%s: %s", f.path, fmt.Sprintf(format, args...))
	}
}

// read reads a regular file of limited size. Links may lead anywhere: the user put them there.
func (f *files) read(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fs.ErrNotExist
	}
	if !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	if info.Size() > maxBytes {
		f.refuse("%s has more than %d bytes", name, maxBytes)
		return nil, fs.ErrPermission
	}
	return os.ReadFile(name)
}

// opened is the text of a file; all together are limited, as a header may be included again and again.
func (f *files) opened(name string, text []byte) (string, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if f.bytes += len(text); f.bytes > 4*maxBytes {
		f.refuse("it includes more than %d bytes", 4*maxBytes)
		return "", fs.ErrPermission
	}
	of := string(text)
	if !f.lang.hosted {
		of = strung.Raw(of)
	}
	f.texts[f.shown(name)] = of
	return of, nil
}

// Limits of what is read. Parsing, checking and converting recurse into what they read, and a stack that grows beyond the limit of
// the runtime ends the process: what bounds the depth of the recursion is bounded here, far above what people write.
const (
	maxBytes     = 8 << 20   // of one file
	maxTokens    = 1_000_000 // after preprocessing
	maxStatement = 50_000    // tokens without a semicolon or brace between them
	maxDepth     = 400       // open brackets and braces
	maxElse      = 5_000     // in one function
)

// meter counts the tokens of a preprocessed file, one by one, and fails where there are too many.
type meter struct {
	ctx                   context.Context
	tokens, run, branches int
	open                  []byte // brackets and braces
}

func (m *meter) take(token string) error {
	if token == "" {
		return nil
	}
	m.tokens++
	m.run++
	switch token {
	case "(", "[", "{":
		m.open = append(m.open, token[0])
	case ")", "]", "}":
		m.open = m.open[:max(0, len(m.open)-1)]
	case "else":
		m.branches++
	}
	if c := token[0]; len(token) == 1 && (c == '{' || c == '}' || (c == ';' || c == ',') && (len(m.open) == 0 || m.open[len(m.open)-1] == '{')) {
		m.run = 0
	}
	if len(m.open) == 0 {
		m.branches = 0
	}
	switch {
	case m.tokens > maxTokens:
		return fmt.Errorf("the preprocessed text has more than %d tokens", maxTokens)
	case m.run > maxStatement:
		return fmt.Errorf("a statement has more than %d tokens", maxStatement)
	case len(m.open) > maxDepth:
		return fmt.Errorf("more than %d brackets are open at once", maxDepth)
	case m.branches > maxElse:
		return fmt.Errorf("a function has more than %d branches", maxElse)
	case m.tokens%4096 == 0 && m.ctx.Err() != nil:
		return errors.New("stopped")
	}
	return nil
}

// Programs are the ends of the names of programs that may hold kernels as strings, or whose functions are kernels.
var Programs = []string{".cc", ".cpp", ".cxx", ".hip", ".py"}

// ErrNoKernels is the error of a program without kernels.
var ErrNoKernels = errors.New("it has no kernels: neither functions of CUDA C nor strings with kernel functions")

// MayHaveKernels reports that a text has words which declare kernel functions, be it in strings or comments. One without them is host code, or of helpers.
func MayHaveKernels(text string) bool { return strung.Declares(text) }

// kernelsOf is the text of the kernels of a file: that of its strings for a program that has them as such, which inStrings tells.
func kernelsOf(path, text string, opt Options) (out string, inStrings bool, err error) {
	ext := filepath.Ext(path)
	program := slices.Contains(Programs, ext)
	if !program && !opt.Strings && (ext != ".cl" && !slices.Contains(Headers, ext) || strung.Raw(text) != text) {
		return text, false, nil
	}
	out, inStrings = strung.Kernels(text, ext == ".py", opt.Wanted)
	if !inStrings && (opt.Strings || program && (ext == ".py" || !strings.Contains(text, "__global__"))) {
		return "", false, fmt.Errorf("%s: %w", path, ErrNoKernels)
	}
	return out, inStrings, nil
}

// preprocess is the text of a file as tokens. Where conditions on a macro that nothing defines leave out all its kernels, or macros that it uses, that macro is
// taken to be defined, as the build of the program does; and what a header that was not found may have included of the libraries that are known here is read.
func (f *File) preprocess(ctx context.Context, files *files, defines, text string) (tokens []cpp.Token, err error) {
	cfg := cpp.Config{Define: f.lang.predefined + defines, Open: f.open(files), Before: files.before, LeftOut: f.leftOutKernels, Kernels: f.lang.kernels, Large: f.lang.plusPlus}
	if f.lang.plusPlus {
		cfg.Sought = f.lang.kernels[0]
		cfg.Words = slices.AppendSeq(slices.Clone(f.lang.kernels), maps.Keys(f.lang.spaces))
	}
	tokens, tests, err := cpp.Find(ctx, cfg, f.Name, text)
	for _, name := range tests {
		if err != nil || hasKernel(tokens, f.lang) {
			break
		}
		with := cfg
		with.Define += "#define " + name + " 1\n"
		if more, _, err := cpp.Find(ctx, with, f.Name, text); err == nil && hasKernel(more, f.lang) {
			tokens, cfg, f.Defined = more, with, []string{name}
		}
	}
	if err == nil && f.lang.plusPlus {
		tokens = f.withMacros(ctx, cfg, tokens, text)
	}
	f.leaving = sync.OnceValue(func() map[string][]string {
		cfg.Lacking = map[string][]string{}
		for _, t := range tokens {
			if t.Kind == cpp.Name {
				cfg.Lacking[t.Text] = nil
			}
		}
		_, _ = cpp.Run(ctx, cfg, f.Name, text) // it has run before
		return cfg.Lacking
	})
	if err != nil || len(f.absent) == 0 {
		return tokens, err
	}
	for _, l := range libraries {
		if files.texts[ownHeaders+f.lang.library+"/"+l.header] != "" || !slices.ContainsFunc(l.names, func(name string) bool { return uses(tokens, name) }) {
			continue
		}
		name, text, found := files.find(l.header, false, "")
		if !found {
			continue
		}
		cfg.Before = nil
		of, err := cpp.Run(ctx, cfg, name, text)
		if err != nil {
			return nil, err
		}
		tokens = slices.Concat(of[:len(of)-1], tokens)
	}
	return tokens, nil
}

// withMacros reads a text once more where it uses macros with arguments that conditions on names leave out which nothing defines.
func (f *File) withMacros(ctx context.Context, cfg cpp.Config, tokens []cpp.Token, text string) []cpp.Token {
	cfg.Lacking = map[string][]string{}
	for i, t := range tokens[:len(tokens)-1] {
		if t.Kind == cpp.Name && t.At.File == f.Name && tokens[i+1].Is("(") && t.Text == strings.ToUpper(t.Text) && strings.ToLower(t.Text) != t.Text {
			cfg.Lacking[t.Text] = nil
		}
	}
	if len(cfg.Lacking) == 0 {
		return tokens
	}
	if _, err := cpp.Run(ctx, cfg, f.Name, text); err != nil {
		return tokens
	}
	var names []string
	for _, macro := range slices.Sorted(maps.Keys(cfg.Lacking)) {
		for _, flag := range cfg.Lacking[macro] {
			name, value, _ := strings.Cut(flag, "=")
			if value == "" || value == "1" {
				names = nameset.Add(names, name)
			}
		}
	}
	for _, name := range names {
		cfg.Define += "#define " + name + " 1\n"
	}
	if more, err := cpp.Run(ctx, cfg, f.Name, text); len(names) > 0 && err == nil {
		f.Defined = append(f.Defined, names...)
		return more
	}
	return tokens
}

// open finds the headers of a file. What is not found is noted, and passed over where that is allowed.
func (f *File) open(files *files) func(name string, quoted bool, from string) (string, string, bool) {
	return func(name string, quoted bool, from string) (string, string, bool) {
		found, text, ok := files.find(name, quoted, from)
		if !ok && files.refused == nil {
			found, text, ok = files.near(name, quoted)
		}
		if !ok && files.refused == nil {
			empty, known := f.lang.header(name)
			if empty && !known && !slices.Contains(f.absent, name) {
				f.absent = append(f.absent, name)
				if quoted && !f.lang.toolkit(name) {
					f.passed = append(f.passed, name)
				}
			}
			return name, "", empty
		}
		return found, text, ok
	}
}

func hasKernel(tokens []cpp.Token, lang *dialect) bool {
	return slices.ContainsFunc(tokens, func(t cpp.Token) bool { return t.Is(lang.kernels[0]) })
}

// libraries are headers of the package's own text, with the names that show that a file uses one.
var libraries = []struct {
	header string
	names  []string
}{
	{"cub/cub.cuh", []string{"cub"}},
	{"glm/glm.hpp", []string{"glm"}},
	{"thrust/functional.h", []string{"pair", "make_pair"}},
	{"ATen/device.h", []string{
		"Half", "BFloat16", "acc_type", "opmath_type", "ceil_div", "gpuAtomicAdd", "gpuAtomicAddNoReturn", "gpuAtomicMax", "gpuAtomicMin", "fastAtomicAdd", "C10_WARP_SIZE",
		"WARP_SHFL", "WARP_SHFL_XOR", "WARP_SHFL_UP", "WARP_SHFL_DOWN", "WARP_BALLOT", "ACTIVE_MASK", "THCCeilDiv", "THCRoundUp", "THCNumerics", "ScalarConvert",
	}},
	{"type_traits", []string{"conditional", "conditional_t", "remove_const_t", "remove_cv_t", "remove_reference_t", "decay_t", "make_unsigned_t", "make_signed_t", "integral_constant", "bool_constant", "true_type", "false_type"}},
	{"curand_kernel.h", []string{"curand_init", "curandState", "curandState_t", "curandStatePhilox4_32_10_t", "curandStateXORWOW_t"}},
	{"cuComplex.h", []string{"cuComplex", "cuFloatComplex", "cuDoubleComplex"}},
	{"cufft.h", []string{"cufftComplex", "cufftDoubleComplex", "cufftReal", "cufftDoubleReal"}},
	{"mma.h", []string{"nvcuda"}},
}

// uses reports whether a text uses a name that a library declares: one of a type or function, or of a namespace.
func uses(tokens []cpp.Token, name string) bool {
	return slices.ContainsFunc(tokens, func(t cpp.Token) bool { return t.Kind == cpp.Name && t.Text == name })
}
