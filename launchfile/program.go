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
}

// maxSource bounds the bytes of a source.
const maxSource = 64 << 20

// load reads the source into a job. It returns a hash of its headers.
func (f *File) load(p program, job *device.Job) (headers []byte, err error) {
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
		return nil, nil
	case !utf8.Valid(text):
		return nil, &source.Error{File: path, Msg: "the source is not text in UTF-8"}
	}
	job.Source, job.Options, job.Named = string(text), p.options, p.kind.on == samples.CUDA
	if p.kind.on == samples.CUDA {
		if err := deviceOnly(path, job.Source); err != nil {
			return nil, err
		}
	}
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

// notCode are comments and text in CUDA C.
var notCode = regexp.MustCompile(`//[^\n]*|(?s:/\*.*?\*/)|"(?:\\.|[^"\\\n])*"`)

// laterCode is what sources hold that is not supported yet.
var laterCode = []struct {
	what string
	code *regexp.Regexp
}{
	{"a launch from within a source", regexp.MustCompile(`<<<`)},
	{"code for the host", regexp.MustCompile(`\bint\s+main\s*\(`)},
	{"a texture", regexp.MustCompile(`\bcudaTextureObject_t\b|\btexture\s*<|\btex[123]D\w*\s*[<(]`)},
	{"a surface", regexp.MustCompile(`\bcudaSurfaceObject_t\b|\bsurf[123]D(?:read|write)\b`)},
	{"a tensor map", regexp.MustCompile(`\bCUtensorMap\b`)},
	{"a cooperative launch", regexp.MustCompile(`\bthis_grid\s*\(`)},
	{"a launch in clusters", regexp.MustCompile(`\b__cluster_dims__\b|\bthis_cluster\s*\(`)},
}

// deviceOnly refuses a source in CUDA C with what is not supported yet.
func deviceOnly(path, text string) error {
	code := notCode.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) })
	for _, l := range laterCode {
		if at := l.code.FindStringIndex(code); at != nil {
			e := source.New(path, text, at[0], "%s is not supported yet", l.what)
			return e.WithHint("leave the kernel alone in the file")
		}
	}
	return nil
}
