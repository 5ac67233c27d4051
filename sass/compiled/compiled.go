// Package compiled lists the machine code that CUDA's compilers make of jobs, on machines with or without a GPU.
//
// A Compiler compiles for one architecture, by NVRTC, nvcc or ptxas, and disassembles what comes of it. Save writes it such that a machine
// with neither can read it.
package compiled

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gpuperf/device"
	"gpuperf/device/cuda"
	"gpuperf/internal/replace"
	"gpuperf/internal/source"
	"gpuperf/sass"
)

// Compiler compiles jobs. It keeps what it has made.
type Compiler struct {
	Arch  string // such as sm_90
	known map[string]*Program
}

// Refused is the error of a source that the compiler does not take, with what it says.
type Refused struct{ text string }

func (e *Refused) Error() string { return e.text }

// missing says that there is no compiler, or nothing that lists what it makes, and what to do.
type missing struct{ text *source.Error }

func (m missing) Error() string        { return m.text.Error() }
func (m missing) Unwrap() error        { return m.text }
func (m missing) Is(target error) bool { return target == cuda.ErrNoCompiler }

// Program is the machine code of a job.
type Program struct {
	Cubin   []byte
	Listing *sass.Listing
	name    string // of the source
}

// Program compiles the source of a job, or takes the machine code that it brings. Lines of the source are said to be of a file with a name; ""
// leaves what the compiler calls it.
func (c *Compiler) Program(ctx context.Context, job device.Job, name string) (*Program, error) {
	key := strings.Join(append(job.Names(), job.SourceHash(), job.CompilerOptions()), "\x00")
	if p := c.known[key]; p != nil {
		return p, nil
	}
	p, err := c.compile(ctx, job)
	if err != nil {
		return nil, err
	}
	if p.name = name; name != "" {
		rename(p.Listing, name)
	}
	if c.known == nil {
		c.known = map[string]*Program{}
	}
	c.known[key] = p
	return p, nil
}

func (c *Compiler) compile(ctx context.Context, job device.Job) (*Program, error) {
	cubin, err := cuda.Cubin(job, c.Arch)
	if errors.Is(err, cuda.ErrNoCompiler) {
		return nil, missing{source.At("", "", source.Pos{}, "%v", err).WithHint("install CUDA's toolkit, of which NVRTC or nvcc, and nvdisasm, are needed; or where it is installed,"+
			" run\n    `perf sass KERNEL --arch %s -o code.cubin`, bring code.cubin and code.sass here, and name them by --code code.cubin", c.Arch)}
	}
	if e, ok := device.AsError(err); ok && e.Log != "" {
		return nil, &Refused{fmt.Sprintf("%s: %s\n    %s", job.Identity.Source, e.Msg, strings.ReplaceAll(e.Log, "\n", "\n    "))}
	}
	if err != nil {
		return nil, err
	}
	if sass.IsPTX(cubin) {
		if cubin, err = sass.Assemble(ctx, cubin, c.Arch); err != nil {
			return nil, err
		}
	}
	listing, err := sass.ReadCubin(ctx, "the code of "+SourceName(job), cubin, true)
	if at, ok := errors.AsType[*source.Error](err); ok && !sass.Disassembles() {
		err = missing{at}
	}
	return &Program{Cubin: cubin, Listing: listing}, err
}

// unnamed are the names that sources have which are compiled from memory.
var unnamed = map[string]bool{"kernel.cu": true, "default_program": true}

// unnamedLine is what listings say of lines of such sources.
var unnamedLine = regexp.MustCompile(`File "(?:[^"]*/)?(?:kernel\.cu|default_program)"`)

func rename(l *sass.Listing, name string) {
	for _, f := range l.Functions {
		for i := range f.Instructions {
			if at := &f.Instructions[i].Source; unnamed[path.Base(at.File)] {
				at.File = name
			}
		}
	}
}

// Save writes machine code, and its listing beside it, whose name ends in .sass: package sass reads this one where there is no disassembler.
func (p *Program) Save(ctx context.Context, to string) (files []string, err error) {
	base := strings.TrimSuffix(to, filepath.Ext(to))
	text, err := sass.Disassemble(ctx, to, p.Cubin)
	if err != nil {
		return nil, err
	}
	if p.name != "" {
		text = unnamedLine.ReplaceAllString(text, `File "`+strings.ReplaceAll(p.name, "$", "$$")+`"`)
	}
	files = []string{base + ".cubin", base + ".sass"}
	if err := replace.Listing.Check(files[1], []byte(text)); err != nil {
		return nil, err
	}
	return files, errors.Join(replace.Binary.Bytes(files[0], p.Cubin), replace.Listing.Bytes(files[1], []byte(text)))
}

// All compiles jobs, each program once.
func (c *Compiler) All(ctx context.Context, jobs []device.Job) (all []*Program, err error) {
	for _, job := range jobs {
		p, err := c.Program(ctx, job, SourceName(job))
		if err != nil {
			return nil, err
		}
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all, nil
}

// SourceName is what the source of a job is called: the file in CUDA C that it is from, or that of its kernel.
func SourceName(job device.Job) string {
	file, _, _ := strings.Cut(job.Identity.Source, "#")
	if filepath.Ext(file) == ".cu" {
		return filepath.Base(file)
	}
	return job.Entry + ".cu"
}

// Listing has the functions of programs.
func Listing(all []*Program) *sass.Listing {
	l := &sass.Listing{}
	for _, p := range all {
		l.Functions, l.Warnings = append(l.Functions, p.Listing.Functions...), append(l.Warnings, p.Listing.Warnings...)
	}
	return l
}
