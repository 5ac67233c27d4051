// Package capture writes launch files of the kernels that an application launches.
//
// [Run] runs the application with two small libraries of C (inject/) in its process: one that CUDA's driver loads, which listens to CUPTI's
// callbacks, and one that stands before libOpenCL. They are compiled on demand and write journals into a folder: modules,
// kernels, launches with the bytes of each parameter and the memory that it points to. journal.go reads them, launch.go, args.go and types.go
// write a launch file of each launch, from the journal alone.
package capture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
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
	// Progress is told how many programs or kernels are done after the application has ended, by any goroutine; nil is not told.
	Progress func(what string, done, all int)
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

// mostFiles is how many launch files of a kernel have a row each in a table; of a kernel with more there is one row.
const mostFiles = 8

// Rows are the names, launches and launch files of the kernels, for a table.
func (r *Result) Rows() (rows [][]string) {
	type of struct{ name, source string }
	files := map[of][]*Kernel{}
	for _, k := range r.Kernels {
		files[of{k.Name, k.source}] = append(files[of{k.Name, k.source}], k)
	}
	for _, k := range r.Kernels {
		all := files[of{k.Name, k.source}]
		if len(all) <= mostFiles {
			rows = append(rows, []string{k.Short(), count(k.Launches), k.File})
			continue
		}
		if k != all[0] {
			continue
		}
		sum := lists.Sum(all, func(one *Kernel) int64 { return one.Launches })
		rows = append(rows, []string{k.Short(), count(sum), fmt.Sprintf("%s and %d more", k.File, len(all)-1)})
	}
	return rows
}

// count is a number of launches in a table: empty where it is not known.
func count(launches int64) string {
	if launches == 0 {
		return ""
	}
	return strconv.FormatInt(launches, 10)
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
func Run(ctx context.Context, o Options) (_ Result, err error) {
	defer throw.Catch(&err)
	built := throw.Get(libraries(ctx, o.Cache))
	if _, err := os.Stat(o.Folder); err != nil {
		defer os.Remove(o.Folder) // if it is empty
	}
	throw.If(os.MkdirAll(o.Folder, 0o777))
	journals := throw.Get(os.MkdirTemp(o.Folder, ".journal-*"))
	defer os.RemoveAll(journals)
	journals = throw.Get(filepath.Abs(journals))
	failed := run(ctx, o, built, journals)
	if start := new(exec.Error); errors.As(failed, &start) {
		return Result{}, failed
	}
	result, files, err := write(journals, o)
	if ctx.Err() != nil { // what was captured until then is kept, and listed
		ctx = context.WithoutCancel(ctx)
	}
	err = cmp.Or(err, result.list(ctx, o.counting("programs listed")))
	if o.Decides != nil {
		err = cmp.Or(err, decide(ctx, o, files, &result, o.counting("kernels looked into for contents that decide about their time")))
	}
	if status := new(StatusError); errors.As(failed, &status) {
		result.Status = status.Status
	}
	if failed != nil && err != nil {
		return result, fmt.Errorf("%w; %w", failed, err)
	}
	return result, cmp.Or(failed, err)
}

// counting tells how many things are done, each of which calls the function that it returns.
func (o *Options) counting(what string) func(all int) {
	var done atomic.Int64
	return func(all int) {
		if n := int(done.Add(1)); o.Progress != nil {
			o.Progress(what, n, all)
		}
	}
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
