package capture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gpuperf/internal/cname"
	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
)

// event is a line of a journal. Which of its fields it has depends on what has happened.
type event struct {
	Event string // kernel, count, module, handle, launch or problem

	ID        int64 // of a kernel
	Interface string
	Kernel    string
	Plain     string // its name as in C++
	Wanted    bool
	Launches  int64
	times

	Module uint32 // CUPTI's number
	Handle uint64 // the driver's
	File   string // machine code or source, beside the journal

	What, Detail string // of a problem

	launch
}

// times are how long launches took, in nanoseconds.
type times struct {
	Timed, Total, Stream, Order int64
	Copied                      bool // contents were copied before the first
	Each, Starts                []int64
	began                       int64     // when the first launch of all did
	Places                      [][]int64 // of the memory of the first launches, over and over; nil where they all have the same
}

// launch is how a kernel was launched.
type launch struct {
	Number               int64
	Way                  int64 // the number of the first launch that was like it
	Device, Arch         string
	Grid, Block, Cluster []int64 // under CUDA
	Shared               int64
	Cooperative          bool
	Global, Local, Begin []int64 // under OpenCL
	Options              string
	Params               []param
	Memory               []memory
	Variables            []variable
}

// param is a parameter with what was passed for it.
type param struct {
	Offset, Size int64
	Hex          string // "" is local memory, or what cannot be captured
	Pointers     []pointer

	Space, Name, Type string // as OpenCL tells them
	SVM               bool
}

// pointed tells whether OpenCL says that the parameter points to memory.
func (p param) pointed() bool { return p.Space == "global" || p.Space == "constant" }

// pointer is a part of a parameter that points to memory.
type pointer struct {
	Offset int64 // in the parameter
	Memory int
	At     int64 // in the memory
}

// memory is an allocation that a launch was passed.
type memory struct {
	Bytes     int64
	Address   int64  // in the application; 0 is not told
	Host      bool   // pages of the host that stay there
	Managed   bool   // pages that go to whoever touches them
	File      string // with what it held; "" is not kept
	Part      bool   // the file has a part of what it held,
	From      int64  // which begins here
	Zeros     bool   // it held nothing else
	Addresses int64  // of the application's memory, among what it held
}

// variable is memory that the module of a kernel brings.
type variable struct {
	Name      string
	Bytes     int64
	File      string // with what it held
	Zeros     bool   // it held nothing else
	Addresses int64  // of the application's memory, among that
}

// journal is what a process has told.
type journal struct {
	folder  string
	events  []event
	kernels map[string]map[string]bool // of files of machine code that have been looked into
}

// readJournals reads the journals of a folder. A line that is not whole is the last of a process that has crashed.
func readJournals(folder string) (all []journal, err error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		j := journal{folder: folder, kernels: map[string]map[string]bool{}}
		for line := range bytes.Lines(text) {
			var e event
			if !bytes.HasSuffix(line, []byte("\n")) {
				break
			}
			if err := json.Unmarshal(line, &e); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			j.events = append(j.events, e)
		}
		all = append(all, j)
	}
	return all, nil
}

// before is the journal as it was before an event.
func (j journal) before(i int) journal {
	j.events = j.events[:i]
	return j
}

func (j journal) of(kind string) (all []event) {
	return lists.Where(j.events, func(e event) bool { return e.Event == kind })
}

// way is a way in which a kernel is launched: the kernel, and the number of the first such launch.
type way struct{ id, number int64 }

// counts are how often kernels were launched in each way, and as a whole, which has no number, and how long that took. Those of applications
// that have not ended by themselves are not known.
func (j journal) counts() (launches map[way]int64, took map[way]times) {
	launches, took = map[way]int64{}, map[way]times{}
	began := int64(math.MaxInt64)
	for _, e := range j.of("count") {
		if len(e.Starts) > 0 {
			began = min(began, slices.Min(e.Starts))
		}
	}
	for _, e := range j.of("count") {
		e.began = began
		launches[way{id: e.ID}] += e.Launches
		if e.Number > 0 {
			launches[way{e.ID, e.Number}], took[way{e.ID, e.Number}] = e.Launches, e.times
		}
	}
	return launches, took
}

// image finds the machine code of a kernel that is launched next: the module that the driver knows by its handle, else the last one with the
// kernel.
func (j journal) image(kernel string, handle uint64) string {
	var ids []uint32
	for _, h := range j.of("handle") {
		if h.Handle == handle {
			ids = []uint32{h.Module}
		}
	}
	modules := j.of("module")
	slices.Reverse(modules)
	for _, known := range []bool{true, false} {
		for _, m := range modules {
			path := filepath.Join(j.folder, m.File)
			if m.File != "" && (!known || slices.Contains(ids, m.Module)) && j.has(path, kernel) {
				return path
			}
		}
	}
	panic(throw.Of(unablef("its machine code was not seen: none of the %d modules that were loaded has it", len(modules))))
}

// has tells whether machine code has a kernel.
func (j journal) has(path, kernel string) bool {
	if j.kernels[path] == nil {
		j.kernels[path] = map[string]bool{}
		code, _ := os.ReadFile(path) // without it there are none
		for _, m := range codeSection.FindAllSubmatch(code, -1) {
			j.kernels[path][string(m[1])] = true
		}
	}
	return j.kernels[path][kernel]
}

// codeSection is the name of the section of a kernel's instructions.
var codeSection = regexp.MustCompile(`\.text\.([^\x00]+)\x00`)

// problems are the events about what went wrong, in words.
func (j journal) problems() (all []string) {
	for _, p := range j.of("problem") {
		text, ok := problemTexts[p.What]
		if !ok {
			text = p.What
		}
		all = append(all, strings.TrimSpace(text+": "+p.Detail))
	}
	return all
}

var problemTexts = map[string]string{
	"no CUPTI":        "CUPTI was not found\n    install it (package cuda-cupti, or the CUDA toolkit), or name its folder by LD_LIBRARY_PATH",
	"old driver":      "the driver is older than CUDA 12.4 and lacks a function",
	"no times":        "CUPTI does not record how long kernels take",
	"no subscription": "CUPTI has refused to be listened to, perhaps because another profiler is at work",
}

// Short is the name without types.
func (k *Kernel) Short() string { return cname.Base(k.Plain) }

func unablef(format string, args ...any) error { return &unable{fmt.Sprintf(format, args...)} }

// unable is why a launch has no launch file.
type unable struct{ why string }

func (e *unable) Error() string { return e.why }
