package device

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"gpuperf/samples"
)

// Job is one kernel at one size, to be built and timed.
type Job struct {
	Identity   samples.Identity `json:"identity"`
	Source     string           `json:"source"`            // OpenCL C
	Entry      string           `json:"entry"`             // name of the kernel function
	Options    string           `json:"options,omitempty"` // of the compiler
	Compiler   Compiler         `json:"compiler,omitempty"`
	Include    []string         `json:"include,omitempty"` // folders of headers
	Image      []byte           `json:"image,omitempty"`   // PTX or machine code, in place of the source
	Named      bool             `json:"named,omitempty"`   // entries are expressions of CUDA C that name kernels, such as saxpy<float>
	Content    string           `json:"content,omitempty"` // hash of what else times depend on that are filed under the identity; "" is nothing
	Global     []int64          `json:"global"`            // work-items per dimension, 1 to 3 dimensions
	Local      []int64          `json:"local,omitempty"`   // work-group size; empty leaves it to the driver
	Args       []Arg            `json:"args"`              // in the order of the kernel's parameters
	Packed     bool             `json:"packed,omitempty"`  // the one argument is a Struct that holds all parameters as they lie in memory
	Mode       samples.Mode     `json:"mode"`              // "" is warm
	Policy     Policy           `json:"policy"`
	LocalMem   int64            `json:"local_mem,omitempty"` // bytes of local memory that the source declares for a work-group
	Dynamic    int64            `json:"dynamic,omitempty"`   // bytes of local memory that the launch adds, which CUDA calls dynamic shared memory
	Keep       []string         `json:"keep,omitempty"`      // names of the buffers to return as they are after the first run
	Parts      map[string][]Run `json:"parts,omitempty"`     // of a buffer of Keep, the elements to return, one run after the other; none is all
	Then       []Launch         `json:"then,omitempty"`      // further kernels of the source, run after the first; the time is the sum
	Attributes *Attributes      `json:"attributes,omitempty"`
	Whole      bool             `json:"whole,omitempty"`     // the launches are enqueued together, and the time is from the first one's start to the last one's end
	Reuse      bool             `json:"reuse,omitempty"`     // take buffers from jobs before, and leave them to jobs after
	Variables  []Arg            `json:"variables,omitempty"` // of the program: memory that it brings, filled as buffers are
	Expect     *Expect          `json:"expect,omitempty"`    // what the results are compared with, on the device
	Code       *samples.Code    `json:"code,omitempty"`      // what the machine code of the first kernel holds; nil leaves it to a disassembler
}

// Arrays are the names of the arguments that are buffers, in the order of all arguments; "" stands for others.
func (j Job) Arrays() []string {
	names := make([]string, len(j.Args))
	for i, a := range j.Args {
		if a.Kind == Buffer {
			names[i] = a.Name
		}
	}
	return names
}

// Expect is a job whose results are right. It runs once, and a device keeps its results for the jobs that are compared with
// them after their first run: every element, on the device. A job with another result has no times, and status wrong_result.
type Expect struct {
	Job     Job      `json:"job"`
	Given   []Arg    `json:"given,omitempty"` // buffers that start as the results; the job then only names where they are from
	Results []string `json:"results"`         // names of the buffers that are compared: the same in both jobs
	// Tolerance is relative to the greater of the element and the usual magnitude of the array ([Magnitudes]). 0 asks for equality. An infinite
	// element is equalled by itself alone; one that is NaN shows nothing, and the result says so.
	Tolerance float64 `json:"tolerance"`
	// Limit is how long the job may run; one that takes longer leaves the others without a comparison, which is status timeout. 0 is none.
	Limit time.Duration `json:"limit,omitempty"`
}

// Run is a run of elements of a buffer.
type Run struct {
	First int64 `json:"first"`
	Count int64 `json:"count"`
}

// Launch is a kernel of a job that runs after others. A buffer that has the name of one of an earlier launch is that one.
type Launch struct {
	Entry      string      `json:"entry"`
	Global     []int64     `json:"global"`
	Local      []int64     `json:"local,omitempty"`
	Args       []Arg       `json:"args"`
	Packed     bool        `json:"packed,omitempty"`
	LocalMem   int64       `json:"local_mem,omitempty"`
	Dynamic    int64       `json:"dynamic,omitempty"`
	Attributes *Attributes `json:"attributes,omitempty"`
}

// Attributes are what only launches of CUDA have, or only those of OpenCL.
type Attributes struct {
	Begin       []int64 `json:"begin,omitempty"`       // under OpenCL, the number of the first work-item in each dimension
	Cluster     []int64 `json:"cluster,omitempty"`     // work-groups that run on neighbouring multiprocessors, in each dimension
	Cooperative bool    `json:"cooperative,omitempty"` // all work-groups run at the same time, and can wait for each other
	Carveout    *int64  `json:"carveout,omitempty"`    // percent of the L1 cache that is shared memory, as a wish; nil leaves it to the driver
}

// Compiler builds sources.
type Compiler string

// The compilers.
const (
	Online Compiler = ""     // of the interface: NVRTC or OpenCL's
	NVCC   Compiler = "nvcc" // for CUDA C with code for the host in it
)

// Launches lists the launches of the job, each as a job of its own.
func (j Job) Launches() []Job {
	one := j
	one.Then = nil
	list := []Job{one}
	for _, l := range j.Then {
		one.Entry, one.Global, one.Local, one.Args, one.Packed = l.Entry, l.Global, l.Local, l.Args, l.Packed
		one.LocalMem, one.Dynamic, one.Attributes = l.LocalMem, l.Dynamic, l.Attributes
		list = append(list, one)
	}
	return list
}

// ArgKind is what is passed for a parameter of the kernel.
type ArgKind string

const (
	Buffer   ArgKind = "buffer"   // global or constant memory, filled by [Fill]
	Scalar   ArgKind = "scalar"   // a number by value
	Local    ArgKind = "local"    // local memory of Count elements for each work-group
	Raw      ArgKind = "raw"      // bytes by value
	Struct   ArgKind = "struct"   // Count bytes by value, made of Fields
	Variable ArgKind = "variable" // of Job.Variables alone
)

// Arg is an argument of a kernel.
type Arg struct {
	Name  string  `json:"name"`
	Kind  ArgKind `json:"kind"`
	DType string  `json:"dtype"`
	Count int64   `json:"count,omitempty"` // elements of a buffer or of local memory
	Seed  uint64  `json:"seed,omitempty"`  // of a buffer's data
	// Sequence, Formula or File is a buffer's data where that is not random; Signed says that random numbers are of both signs, with zeros and
	// denormal numbers among them.
	Sequence *Sequence `json:"sequence,omitempty"`
	Formula  Formula   `json:"formula,omitempty"`
	File     *File     `json:"file,omitempty"`
	Signed   bool      `json:"signed,omitempty"`
	// Stated says that random numbers were asked for by name. It changes no data, and is part of no record.
	Stated bool `json:"-"`
	// Unknown says that the data stand for others that nobody knows. It changes none, and is part of no record.
	Unknown bool `json:"-"`
	// Place is where a buffer lay in the application that it was captured from; 0 is not said. It changes no data, and is part of no record.
	Place  int64   `json:"-"`
	Memory Memory  `json:"memory,omitempty"`
	Read   bool    `json:"read,omitempty"`  // the kernel reads the buffer
	Write  bool    `json:"write,omitempty"` // the kernel writes the buffer; if a job does both, the data is restored before each run
	Int    int64   `json:"int,omitempty"`   // value of an integer scalar; a uint64's bits
	Float  float64 `json:"float,omitempty"` // value of a floating-point scalar
	At     int64   `json:"at,omitempty"`    // bytes of the buffer before the place that is passed
	Bits   []byte  `json:"bits,omitempty"`  // of Raw
	Fields []Field `json:"fields,omitempty"`
}

// Memory is where a buffer lies, if not in the device's own memory.
type Memory string

const (
	Host    Memory = "host"    // pages of the host that stay there: each access goes over the link
	Managed Memory = "managed" // pages that go to whoever touches them
)

// Memories are all of them.
var Memories = []string{string(Host), string(Managed)}

// Field is a part of a structure: a buffer, whose address it is, a number or bytes.
type Field struct {
	Offset int64 `json:"offset"` // in bytes
	Arg    Arg   `json:"arg"`
}

// Said reports whether whoever described the launch said what the buffer holds. Otherwise it is filled with random numbers that stand for anything.
func (a Arg) Said() bool {
	return !a.Unknown && (a.Stated || a.Sequence != nil || a.Formula != nil || a.File != nil || a.Signed)
}

// eachBuffer yields the buffers that the argument points to, and the variable that it is.
func (a Arg) eachBuffer(yield func(Arg) bool) bool {
	if (a.Kind == Buffer || a.Kind == Variable) && !yield(a) {
		return false
	}
	return !slices.ContainsFunc(a.Fields, func(f Field) bool { return !f.Arg.eachBuffer(yield) })
}

// Size is the bytes of a pointer, a number or raw bytes among parameters, 0 for others.
func (a Arg) Size() int64 {
	return map[ArgKind]int64{Buffer: PointerSize, Scalar: DTypeSize(a.DType), Raw: int64(len(a.Bits))}[a.Kind]
}

// PointerSize is the bytes of an address.
const PointerSize = 8

// File is where the data of a buffer lies: its elements, one after the other, little-endian.
type File struct {
	Path   string `json:"path"`
	Offset int64  `json:"offset,omitempty"` // of the first element
	Hash   string `json:"hash"`             // SHA-256 of the file, in hex
	// Bytes from At on are all that the file has, where it does not have the whole buffer. Zeros stand for the rest, which nobody knows.
	At    int64 `json:"at,omitempty"`
	Bytes int64 `json:"bytes,omitempty"`
}

// Part reports whether there is a file that has a part of the buffer alone.
func (f *File) Part() bool { return f != nil && f.Bytes > 0 }

// Has reports whether a part has the bytes of the buffer from one on, before another.
func (f *File) Has(from, to int64) bool { return f.At <= from && to <= f.At+f.Bytes }

// Bytes returns the size of a buffer or of local memory, 0 for what is passed by value and for an unknown dtype.
func (a Arg) Bytes() int64 {
	if a.Kind == Scalar {
		return 0
	}
	return a.Count * DTypeSize(a.DType)
}

// Policy is how a job is timed. Its zero value is the default: 60 trials, as in paper section 6.1.4, or fewer when
// the confidence interval of the median is narrow before that.
type Policy struct {
	Trials    int           `json:"trials,omitempty"`     // at most so many; 0 is 60
	MinTrials int           `json:"min_trials,omitempty"` // at least so many; 0 is 10
	RelCI     float64       `json:"rel_ci,omitempty"`     // stop when the 95 % interval of the median is narrower than this part of it; 0 is 0.005, negative never stops early
	MinWarmUp time.Duration `json:"min_warm_up,omitempty"`
	// MinWarmUp is the least time spent on runs before the trials, for clocks to rise; 0 is 2 ms for each of the trials, at most 20 ms, negative none.
	MaxWarmUp time.Duration `json:"max_warm_up,omitempty"` // unsteady or not, the trials begin then; 0 is as much for each trial as makes 1 s for 60, at most 1 s
	WarmUps   int           `json:"warm_ups,omitempty"`    // runs before the trials at least, however long they take
	MinTime   time.Duration `json:"min_time,omitempty"`    // trials go on for so long at least, beyond Trials if need be
	TimeLimit time.Duration `json:"time_limit,omitempty"`  // no trial after the third begins later than this; 0 is 10 s
	Cutoff    time.Duration `json:"cutoff,omitempty"`      // a job whose first run takes longer is not run again: that run is its only trial; 0 is never
	Abandon   time.Duration `json:"abandon,omitempty"`     // a job of several launches whose first run has not ended after so long on the device fails, with status timeout; 0 is never
	Energy    time.Duration `json:"energy,omitempty"`      // after the trials, launches go on for so long, and what the device uses for one is told; 0 is not
	Graph     bool          `json:"graph,omitempty"`       // several launches are timed as a graph, where the platform has graphs: from the start of the first to the end of the last
	Profiled  bool          `json:"profiled,omitempty"`    // a profiler is told when the trials begin and end, for it to count nothing else
}

// leastTrials are taken however long they take.
const leastTrials = 3

// WithDefaults returns the policy with its zero fields replaced by what they stand for.
func (p Policy) WithDefaults() Policy {
	p.Trials = cmp.Or(p.Trials, 60)
	p.MinTrials = min(cmp.Or(p.MinTrials, 10), p.Trials)
	p.RelCI = cmp.Or(p.RelCI, 0.005)
	trials := time.Duration(p.Trials)
	p.MinWarmUp = cmp.Or(p.MinWarmUp, min(trials*2*time.Millisecond, 20*time.Millisecond))
	p.MaxWarmUp = max(cmp.Or(p.MaxWarmUp, min(trials*time.Second/60, time.Second)), p.MinWarmUp)
	p.TimeLimit = max(cmp.Or(p.TimeLimit, 10*time.Second), p.MinTime)
	return p
}

// Enough is the stopping rule: whether no further trial is needed after those taken in elapsed time. The policy must
// have its defaults filled in.
func (p Policy) Enough(trials []float64, elapsed time.Duration) bool {
	n := len(trials)
	switch {
	case elapsed < p.MinTime:
		return false
	case n >= p.Trials:
		return true
	case n < min(leastTrials, p.Trials):
		return false
	case elapsed >= p.TimeLimit:
		return true
	case n < p.MinTrials || p.RelCI < 0:
		return false
	}
	return samples.Summarize(trials).Width() <= p.RelCI
}

// Steady reports whether the last runs of a warm-up agree within 2 % of the fastest of them.
func Steady(runs []float64) bool {
	const window, tolerance = 4, 0.02 // fewer runs agree by chance; the timer's steps are below 2 % of all but the shortest
	if len(runs) < window {
		return false
	}
	last := runs[len(runs)-window:]
	lo, hi := slices.Min(last), slices.Max(last)
	return hi-lo <= tolerance*lo
}

// SourceHash returns the SHA-256 in hex of the source, and of what else the job says that times depend on.
func (j Job) SourceHash() string {
	text := j.Source
	if j.Content != "" {
		text += "\x00" + j.Content
	}
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// CompilerOptions are the options with the folders of headers.
func (j Job) CompilerOptions() string {
	words := []string{j.Options}
	for _, dir := range j.Include {
		words = append(words, "-I"+dir)
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

// Names are the expressions that name the kernels and the variables of a program, none where entries are its symbols.
func (j Job) Names() (names []string) {
	for _, l := range j.Launches() {
		if j.Named && !slices.Contains(names, l.Entry) {
			names = append(names, l.Entry)
		}
	}
	for _, v := range j.Variables {
		if j.Named {
			names = append(names, "&"+v.Name)
		}
	}
	return names
}

// Keepable reports whether the program follows from source and options alone, so that it can be kept for other processes.
func (j Job) Keepable() bool { return j.Image == nil && !j.Named && len(j.Include) == 0 }

// CacheMode is the job's mode with the default filled in.
func (j Job) CacheMode() samples.Mode { return cmp.Or(j.Mode, samples.Warm) }

// Record returns what of a record is known before the job has run: what [samples.Journal.Find] asks with.
func (j Job) Record() samples.Record {
	return samples.Record{
		Version:    samples.Version,
		Kernel:     j.Identity,
		SourceHash: j.SourceHash(),
		Entry:      j.Entry,
		Options:    j.Options,
		Global:     slices.Clone(j.Global),
		Local:      slices.Clone(j.Local),
		Mode:       j.CacheMode(),
	}
}
