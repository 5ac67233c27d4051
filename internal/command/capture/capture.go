// Package capture writes launch files of the kernels that an application launches.
//
// [Run] runs the application with two small libraries of C (inject/) in its process: one that CUDA's driver loads, which listens to CUPTI's
// callbacks, and one that stands before libOpenCL. They are compiled on demand and write journals into a folder: modules,
// kernels, launches with the bytes of each parameter and the memory that it points to. journal.go reads them, launch.go and args.go
// write a launch file of each launch, from the journal alone.
package capture

import (
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"gpuperf/internal/replace"
	"gpuperf/sass"
)

// Options say what to run, and which launches to keep.
type Options struct {
	Command        []string // the application and its arguments
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Cache          string // the folder of compiled libraries
	Folder         string // of the launch files
	Kernel         string // keeps the kernels whose name matches, a regular expression as of grep -E; "" keeps all
	Launch         int    // which launch of each kernel; 0 is the first of those that differ in the ND-range or in values of arguments
	Contents       int64  // keeps what buffers hold that have at most so many bytes; 0 keeps none
	// Decides names the buffers of a launch file whose contents decide how long the launch takes. Where it is not nil, others are not kept.
	Decides func(ctx context.Context, path string) ([]string, error)
}

// Result is what was captured.
type Result struct {
	Folder  string    `json:"folder"`
	Kernels []*Kernel `json:"kernels"`
	Status  int       `json:"status"` // of the application
	// Unlisted is why a module has no listing beside it; nil where all have one.
	Unlisted error `json:"-"`
	// Undecided is of how many kernels it is not known which contents decide.
	Undecided int `json:"-"`
}

// Kernel is a kernel that the application has launched, in one way.
type Kernel struct {
	Name     string `json:"kernel"`         // in the machine code or the source
	Plain    string `json:"name"`           // as in C++
	Launches int64  `json:"launches"`       // 0 where the application has not ended by itself
	File     string `json:"file,omitempty"` // its launch file
	Why      string `json:"why,omitempty"`  // there is none

	on     string // the interface
	number int64  // of the launch that has a file
	took   times  // of all that were like it
	source string // the machine code beside the launch file
}

// Cells are the name, the launches and the launch file, for a row of a table.
func (k *Kernel) Cells() []string {
	launches := ""
	if k.Launches > 0 {
		launches = strconv.FormatInt(k.Launches, 10)
	}
	return []string{k.Short(), launches, k.File}
}

// StatusError says that the application has failed, with its status.
type StatusError struct {
	Program string
	Status  int
	how     string
}

func (e *StatusError) Error() string { return fmt.Sprintf("%s %s", e.Program, e.how) }

// CheckPattern tells whether a pattern is a regular expression that the libraries understand too.
func CheckPattern(pattern string) error {
	_, err := regexp.CompilePOSIX(pattern)
	return err
}

// Run runs the application and writes launch files. A failure of the application is a *StatusError, beside what was captured until then.
func Run(ctx context.Context, o Options) (Result, error) {
	built, err := libraries(ctx, o.Cache)
	if err != nil {
		return Result{}, err
	}
	if _, err := os.Stat(o.Folder); err != nil {
		defer os.Remove(o.Folder) // if it is empty
	}
	if err := os.MkdirAll(o.Folder, 0o777); err != nil {
		return Result{}, err
	}
	journals, err := os.MkdirTemp(o.Folder, ".journal-*")
	if err != nil {
		return Result{}, err
	}
	defer os.RemoveAll(journals)
	if journals, err = filepath.Abs(journals); err != nil {
		return Result{}, err
	}
	failed := run(ctx, o, built, journals)
	if start := new(exec.Error); errors.As(failed, &start) {
		return Result{}, failed
	}
	result, files, err := write(journals, o)
	ctx = context.WithoutCancel(ctx)
	err = cmp.Or(err, result.list(ctx))
	if o.Decides != nil {
		err = cmp.Or(err, decide(ctx, o, files, &result))
	}
	if status := new(StatusError); errors.As(failed, &status) {
		result.Status = status.Status
	}
	if failed != nil && err != nil {
		return result, fmt.Errorf("%w; %w", failed, err)
	}
	return result, cmp.Or(failed, err)
}

// patience is how long an application may take to end by itself, and again after it was asked to, when perf is stopped. The terminal has
// sent the signal to both.
const patience = 250 * time.Millisecond

func run(ctx context.Context, o Options, built built, journals string) error {
	chosen := ""
	if o.Decides != nil {
		chosen = "1"
	}
	cmd := exec.CommandContext(ctx, o.Command[0], o.Command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = o.Stdin, o.Stdout, o.Stderr
	cmd.Env = append(os.Environ(),
		"CUDA_INJECTION64_PATH="+built.cuda, "LD_PRELOAD="+preload(built.opencl), "PERF_CAPTURE_CUPTI="+findCUPTI(),
		"PERF_CAPTURE_FOLDER="+journals, "PERF_CAPTURE_KERNEL="+o.Kernel, "PERF_CAPTURE_LAUNCH="+strconv.Itoa(o.Launch),
		"PERF_CAPTURE_CONTENTS="+strconv.FormatInt(o.Contents, 10), "PERF_CAPTURE_CHOSEN="+chosen)
	cmd.Cancel = func() error {
		time.Sleep(patience)
		return cmd.Process.Signal(syscall.SIGTERM)
	}
	cmd.WaitDelay = patience
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	e := &StatusError{o.Command[0], exit.ExitCode(), "has ended with status " + strconv.Itoa(exit.ExitCode())}
	if wait, ok := exit.Sys().(syscall.WaitStatus); ok && wait.Signaled() {
		e.Status, e.how = 128+int(wait.Signal()), fmt.Sprintf("was ended by a signal: %v", wait.Signal())
	}
	return e
}

// preload puts a library before those that the user loads already.
func preload(library string) string {
	if own := os.Getenv("LD_PRELOAD"); own != "" {
		return library + ":" + own
	}
	return library
}

// list writes a listing beside each module, of the kernels that were launched alone, where a disassembler is at hand.
func (r *Result) list(ctx context.Context) error {
	kernels := map[string][]string{}
	for _, k := range r.Kernels {
		if k.source != "" && k.File != "" && !slices.Contains(kernels[k.source], k.Name) {
			kernels[k.source] = append(kernels[k.source], k.Name)
		}
	}
	for _, source := range slices.Sorted(maps.Keys(kernels)) {
		path := filepath.Join(r.Folder, source)
		code, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text, err := sass.Disassemble(ctx, path, code, kernels[source]...)
		if err != nil {
			r.Unlisted = err
			continue
		}
		if err := replace.Listing.Bytes(strings.TrimSuffix(path, filepath.Ext(path))+".sass", []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

//go:embed inject/*.c inject/*.h
var inject embed.FS

var (
	compilers = []string{"cc", "gcc", "clang"}
	flags     = []string{"-std=gnu11", "-O1", "-fPIC", "-shared"}
	linked    = []string{"-ldl", "-lpthread"}
)

// built are the paths of the libraries.
type built struct{ cuda, opencl string }

// libraries compiles the libraries, unless the folder of the cache has them.
func libraries(ctx context.Context, cache string) (built, error) {
	files, err := inject.ReadDir("inject")
	if err != nil {
		return built{}, err
	}
	h := sha256.New()
	fmt.Fprint(h, flags)
	for _, f := range files {
		text, err := inject.ReadFile("inject/" + f.Name())
		if err != nil {
			return built{}, err
		}
		fmt.Fprintf(h, "%s %d\n%s", f.Name(), len(text), text)
	}
	folder, err := filepath.Abs(filepath.Join(cache, hex.EncodeToString(h.Sum(nil))[:16]))
	if err != nil {
		return built{}, err
	}
	if _, err := os.Stat(folder); err != nil {
		if err := compileInto(ctx, folder); err != nil {
			return built{}, err
		}
	}
	return built{filepath.Join(folder, "cuda.so"), filepath.Join(folder, "opencl.so")}, nil
}

// compileInto fills a folder beside the one that is wanted, and renames it, so that no half-made one is ever found.
func compileInto(ctx context.Context, folder string) error {
	cc, err := compiler()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(folder), "new-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.CopyFS(work, inject); err != nil {
		return err
	}
	for _, name := range []string{"cuda", "opencl"} {
		args := slices.Concat(flags, []string{"-o", filepath.Join(work, name+".so"), filepath.Join(work, "inject", name+".c")}, linked)
		if out, err := exec.CommandContext(ctx, cc, args...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s cannot compile the library that captures: %w\n%s", cc, err, out)
		}
	}
	if err := os.Rename(work, folder); err != nil {
		if _, there := os.Stat(folder); there != nil {
			return err
		}
	}
	return nil
}

// compiler finds the C compiler of the machine.
func compiler() (string, error) {
	names := compilers
	if own := os.Getenv("CC"); own != "" {
		names = []string{own}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no C compiler, which makes the small library that captures: %v were not found\n    "+
		"install one (Debian and Ubuntu: apt install gcc libc6-dev), or name one by CC", names)
}

// cuptiPlaces are where CUDA's installers and Python's packages put CUPTI.
var cuptiPlaces = []string{
	"$CUDA_HOME/extras/CUPTI/lib64", "$CUDA_PATH/extras/CUPTI/lib64", "/usr/local/cuda/extras/CUPTI/lib64", "/usr/local/cuda/lib64",
	"/usr/local/cuda-*/extras/CUPTI/lib64", "/opt/cuda/extras/CUPTI/lib64", "/usr/lib/*-linux-gnu",
	"$VIRTUAL_ENV/lib/python3*/site-packages/nvidia/*/lib", "/usr/local/lib/python3*/*-packages/nvidia/*/lib",
}

// findCUPTI looks for libcupti; "" leaves it to the loader's own places.
func findCUPTI() string {
	for _, place := range cuptiPlaces {
		if found, _ := filepath.Glob(filepath.Join(os.ExpandEnv(place), "libcupti.so*")); len(found) > 0 {
			return found[len(found)-1]
		}
	}
	return ""
}
