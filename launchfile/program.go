package launchfile

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
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
	"gpuperf/internal/throw"
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
	defer throw.Catch(&err)
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
		if !bytes.HasPrefix(text, []byte(elf.ELFMAG)) { // a cubin holds the PTX that it was made of, now and then
			refusePTX(path, string(text), launches)
		}
		return nil, nil
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
		code.refuse(launches)
		job.Compiler = p.builder(code, dirs)
	}
	if len(h.seen) == 0 {
		return nil, nil
	}
	for _, dir := range dirs {
		dir := throw.Get(filepath.Abs(dir))
		if strings.ContainsFunc(dir, func(c rune) bool { return c == ' ' || c == '\t' || c == '"' }) {
			return nil, p.node.Errorf("a folder of headers whose path has blanks cannot be passed to the compiler: %s", dir)
		}
		job.Include = append(job.Include, dir)
	}
	return h.Sum(nil), nil
}

// builder chooses the compiler. NVRTC compiles code for the device alone, and finds no headers but those in folders that are given.
func (p program) builder(code cudaCode, dirs []string) device.Compiler {
	host := code.host()
	switch {
	case p.compiler == "nvcc":
		return device.NVCC
	case p.compiler == "nvrtc" && host != nil:
		panic(throw.Of(host.WithHint("leave compiler out: nvcc compiles it")))
	case p.compiler != "nvrtc" && (host != nil || needsSystem(code.text, dirs)):
		return device.NVCC
	}
	return device.Online
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
