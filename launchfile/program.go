package launchfile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"gpuperf/device"
	"gpuperf/internal/bounded"
	"gpuperf/internal/source"
	"gpuperf/internal/yamlfile"
	"gpuperf/samples"
)

// kind is what a source is.
type kind struct {
	on    samples.Interface
	image bool // built already
}

// kinds are the sources that can be measured, by the extension of the file.
var kinds = map[string]kind{
	".cl":     {on: samples.OpenCL},
	".cu":     {on: samples.CUDA},
	".ptx":    {on: samples.CUDA, image: true},
	".cubin":  {on: samples.CUDA, image: true},
	".fatbin": {on: samples.CUDA, image: true},
}

// IsSource reports whether a file is by its name a source or a program that launch files can name.
func IsSource(path string) bool {
	_, ok := kinds[strings.ToLower(filepath.Ext(path))]
	return ok
}

var unsupportedKinds = map[string]string{
	".sass": "a listing of machine code", ".spv": "SPIR-V", ".cpp": "a program for the host", ".o": "an object file",
}

func (f *File) cuda() bool { return f.Interface == samples.CUDA }

// program is what is built, and how.
type program struct {
	node    *yamlfile.Node
	path    string
	kind    kind
	options string
	include []*yamlfile.Node
	// compiler is one of Compilers.
	compiler string
}

// Compilers are those of CUDA C. The first leaves the choice to what the source has in it.
var Compilers = []string{"auto", "nvrtc", "nvcc"}

// maxSource bounds the bytes of a source.
const maxSource = 64 << 20

// load reads the source into a job with launches. It returns a hash of its headers.
func (f *File) load(p program, job *device.Job, launches []launch) (headers []byte, err error) {
	path := f.near(p.path)
	text, err := bounded.ReadFile(path, maxSource)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, p.node.Errorf("there is no file %s", path)
	case err != nil:
		return nil, err
	case len(text) == 0:
		return nil, source.Empty(path)
	case p.kind.image:
		job.Image = text
		return nil, refusePTX(path, string(text), launches)
	case !utf8.Valid(text):
		return nil, &source.Error{File: path, Msg: "the source is not text in UTF-8"}
	}
	job.Source, job.Options, job.Named = strings.TrimPrefix(string(text), "\ufeff"), p.options, p.kind.on == samples.CUDA
	dirs := []string{filepath.Dir(path)}
	for _, n := range p.include {
		dir := f.near(n.Text)
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, n.Errorf("there is no folder %s", dir)
		}
		dirs = append(dirs, dir)
	}
	h := headerHash{Hash: sha256.New(), dirs: dirs, seen: map[string]bool{}}
	h.add(job.Source, dirs[0])
	if p.kind.on == samples.CUDA {
		code := newCUDA(path, job.Source)
		if err := code.refuse(launches); err != nil {
			return nil, err
		}
		if job.Compiler, err = p.builder(code, dirs); err != nil {
			return nil, err
		}
	}
	if len(h.seen) == 0 {
		return nil, nil
	}
	for _, dir := range dirs {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		if strings.ContainsFunc(dir, func(c rune) bool { return c == ' ' || c == '\t' || c == '"' }) {
			return nil, p.node.Errorf("a folder of headers whose path has blanks cannot be passed to the compiler: %s", dir)
		}
		job.Include = append(job.Include, dir)
	}
	return h.Sum(nil), nil
}

// builder chooses the compiler. NVRTC compiles code for the device alone, and finds no headers but those in folders that are given.
func (p program) builder(code cudaCode, dirs []string) (device.Compiler, error) {
	host := code.host()
	switch {
	case p.compiler == "nvcc":
		return device.NVCC, nil
	case p.compiler == "nvrtc" && host != nil:
		return "", host.WithHint("leave compiler out: nvcc compiles it")
	case p.compiler != "nvrtc" && (host != nil || needsSystem(code.text, dirs)):
		return device.NVCC, nil
	}
	return device.Online, nil
}

// needsSystem reports whether a source includes a header of the system, or of CUDA, that is in none of the folders.
func needsSystem(text string, dirs []string) bool {
	for _, m := range includes.FindAllStringSubmatch(text, -1) {
		found := slices.ContainsFunc(dirs, func(dir string) bool {
			_, err := os.Stat(filepath.Join(dir, m[1]))
			return err == nil
		})
		if strings.HasSuffix(strings.TrimSpace(m[0]), ">") && !found {
			return true
		}
	}
	return false
}

// headerHash adds up the headers that a source includes, and those that they do, as far as they are found. Conditions are not
// understood: a header that is included anywhere counts.
type headerHash struct {
	hash.Hash
	dirs []string
	seen map[string]bool
}

var includes = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]`)

func (h *headerHash) add(text, dir string) {
	for _, m := range includes.FindAllStringSubmatch(text, -1) {
		for _, in := range slices.Concat([]string{dir}, h.dirs) {
			path := filepath.Join(in, m[1])
			if h.seen[path] {
				break
			}
			header, err := bounded.ReadFile(path, maxSource)
			if err != nil {
				continue
			}
			h.seen[path] = true
			fmt.Fprintf(h, "%q %d\n%s", m[1], len(header), header)
			h.add(string(header), filepath.Dir(path))
			break
		}
	}
}

// cudaCode is a source in CUDA C: what its functions for the device hold, and what stands beside them.
type cudaCode struct {
	path, text string
	functions  []function
	rest       string // the text without them, and without comments and strings
}

// function is a function for the device, from its qualifier to the end of its body.
type function struct {
	first int // byte of the source
	code  string
	// kernel is its name, where it is a kernel.
	kernel string
}

var (
	// notCode are comments and text in CUDA C.
	notCode   = regexp.MustCompile(`//[^\n]*|(?s:/\*.*?\*/)|"(?:\\.|[^"\\\n])*"`)
	qualifier = regexp.MustCompile(`\b__(?:global|device)__\b`)
	called    = regexp.MustCompile(`\b(_?[A-Za-z]\w*)\s*\(`) // not __launch_bounds__
	hostCode  = regexp.MustCompile(`<<<|\bmain\s*\(`)
	wholeGrid = regexp.MustCompile(`\bthis_grid\s*\(`)
	waits     = regexp.MustCompile(`\bsync\s*\(`)
)

func blank(s string) string { return strings.Repeat(" ", len(s)) }

// newCUDA finds the functions of a source. Macros are not understood.
func newCUDA(path, text string) cudaCode {
	c := cudaCode{path: path, text: text}
	code := notCode.ReplaceAllStringFunc(text, blank)
	done := 0
	var rest strings.Builder
	for _, at := range qualifier.FindAllStringIndex(code, -1) {
		body := strings.IndexAny(code[at[0]:], "{;")
		if at[0] < done || body < 0 || code[at[0]+body] == ';' {
			continue
		}
		end := at[0] + body + closing(code[at[0]+body:])
		f := function{first: at[0], code: code[at[0]:end]}
		if name := called.FindStringSubmatch(f.code[:body]); code[at[0]:at[1]] == "__global__" && name != nil {
			f.kernel = name[1]
		}
		c.functions = append(c.functions, f)
		rest.WriteString(code[done:at[0]] + blank(f.code))
		done = end
	}
	c.rest = rest.String() + code[done:]
	return c
}

// closing is the end of what an opening brace begins.
func closing(code string) int {
	depth := 0
	for i, r := range code {
		switch r {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(code)
}

// unsupportedCode is what functions for the device hold, in CUDA C and in PTX, that no launch file can give them.
var unsupportedCode = []struct {
	what      string
	code, ptx *regexp.Regexp
}{
	{
		"a launch from within a kernel", regexp.MustCompile(`<<<|\bcuda(?:LaunchDevice|GraphLaunch)\w*\s*\(`),
		regexp.MustCompile(`\bcuda(?:LaunchDevice|GraphLaunch)\w*`),
	},
	{"a texture", regexp.MustCompile(`\bcudaTextureObject_t\b|\btex(?:[123]D|Cubemap)\w*\s*[<(]`), regexp.MustCompile(`\b(?:tex|tld4|txq)\.`)},
	{"a surface", regexp.MustCompile(`\bcudaSurfaceObject_t\b|\bsurf(?:[123]D|Cubemap)\w*\s*[<(]`), regexp.MustCompile(`\b(?:suld|sust|sured|suq)\.`)},
	{"a tensor map", regexp.MustCompile(`\bCUtensorMap\b`), regexp.MustCompile(`\.bulk\.\w*\.?tensor\b|\btensormap\.`)},
}

// entry begins a kernel in PTX.
var entry = regexp.MustCompile(`\.entry\s+([\w$]+)`)

// refusePTX refuses what launches of kernels in PTX need that is not supported.
func refusePTX(path, text string, launches []launch) error {
	starts := entry.FindAllStringSubmatchIndex(text, -1)
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		if name := text[at[2]:at[3]]; !slices.ContainsFunc(launches, func(l launch) bool { return l.kernel == name }) {
			continue
		}
		for _, u := range unsupportedCode {
			if found := u.ptx.FindStringIndex(text[at[0]:end]); found != nil {
				return source.New(path, text, at[0]+found[0], "%s is not supported", u.what)
			}
		}
	}
	return nil
}

// refuse refuses what launches need that is not supported. Functions that are no kernels may be called by any.
func (c cudaCode) refuse(launches []launch) error {
	for _, f := range c.functions {
		at := slices.IndexFunc(launches, func(l launch) bool { return baseName(l.kernel) == f.kernel })
		if f.kernel != "" && at < 0 {
			continue
		}
		for _, u := range unsupportedCode {
			if found := u.code.FindStringIndex(f.code); found != nil {
				e := source.New(c.path, c.text, f.first+found[0], "%s is not supported", u.what)
				return e.WithHint("leave the function out of the file if the kernel does without it")
			}
		}
		found := wholeGrid.FindStringIndex(f.code)
		if at >= 0 && found != nil && waits.MatchString(f.code) && !launches[at].attributes.cooperative {
			e := source.New(c.path, c.text, f.first+found[0], "the kernel waits for the whole grid, and its launch is not cooperative")
			return e.WithHint("write attributes: {cooperative: true} in the launch file")
		}
	}
	return nil
}

// baseName is the name of a kernel without its namespace and the arguments of its template.
func baseName(kernel string) string {
	name, _, _ := strings.Cut(kernel, "<")
	return strings.TrimSpace(name[strings.LastIndex(name, ":")+1:])
}

func (c cudaCode) host() *source.Error {
	if at := hostCode.FindStringIndex(c.rest); at != nil {
		return source.New(c.path, c.text, at[0], "the source has code for the host in it, which NVRTC does not compile")
	}
	return nil
}
