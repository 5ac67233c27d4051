// Package launches emulates the launches that files of all kinds describe, one after the other, and reports on them.
//
// A Sequence is a job of one launch or of several, with what its launch file says of the machine code and of unknown data. Run emulates each
// launch that differs from those before it, with buffers that earlier launches have written unknown, and makes a Report of the results.
package launches

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/compile"
	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/emulate"
	"gpuperf/emulate/advice"
	"gpuperf/internal/counters"
	"gpuperf/internal/source"
	"gpuperf/launchfile"
	"gpuperf/samples"
	"gpuperf/sass"
	"gpuperf/sass/compiled"
)

// Sequence is what is emulated: launches, one after the other.
type Sequence struct {
	Name   string // as results call it
	Job    device.Job
	Code   launchfile.Code
	Assume []launchfile.Assumption
	Source string // the name of the file that the code's lines are in, where it is compiled
	// Unrestored is that of emulate.Input: launches that were captured from an application are so.
	Unrestored bool

	face    samples.Interface // that a source of a launch file is for
	program string            // the path of the machine code that a launch file names as its source; "" is none
}

// Load is the sequence of a launch file, at sizes where they differ from those of the file.
func Load(path string, sizes map[string]int64) (*Sequence, error) {
	f, err := launchfile.Load(path)
	if err != nil {
		return nil, err
	}
	return OfFile(f, sizes)
}

// OfFile is Load of a file that has been read.
func OfFile(f *launchfile.File, sizes map[string]int64) (s *Sequence, err error) {
	s = &Sequence{Code: f.Code, Source: f.SourceName(), face: f.Interface, program: f.Program(), Unrestored: f.Application != nil || f.Launches > 0}
	if s.Job, err = f.Emulated(sizes); err != nil {
		return nil, err
	}
	if s.Assume, err = f.AssumedAt(sizes); err != nil {
		return nil, err
	}
	s.Name = s.Job.Identity.Key()
	return s, nil
}

// LoadAll is Load at several sizes.
func LoadAll(path string, sizes []map[string]int64) (all []*Sequence, err error) {
	for _, at := range sizes {
		s, err := Load(path, at)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// Listing is the machine code of the sequence: a listing or a cubin that is named, what the launch file or the job brings, or what its source is
// compiled to.
func (s *Sequence) Listing(ctx context.Context, named string, c *compiled.Compiler) (*sass.Listing, error) {
	if from := cmp.Or(named, s.Code.Listing); from != "" {
		return sass.ReadFile(ctx, from)
	}
	if s.face == samples.OpenCL {
		return nil, mistake("%s runs under %s: only CUDA's compiler gives machine code", s.Job.Identity.Source, s.face).
			WithHint("name a listing of its machine code as listing in the file, or by --code")
	}
	if sass.IsCubin(s.Job.Image) {
		return s.kernels(ctx)
	}
	p, err := c.Program(ctx, s.Job, s.Source)
	if err != nil {
		return nil, err
	}
	return p.Listing, nil
}

// languages are those of the sources of interfaces.
var languages = map[samples.Interface]cfront.Language{samples.OpenCL: cfront.OpenCL, samples.CUDA: cfront.CUDA}

// Compile is the machine code that package compile makes of the source: what stands for that of the device's compiler where there is none.
func (s *Sequence) Compile(ctx context.Context, arch string) (*sass.Listing, error) {
	all := &sass.Listing{}
	for _, job := range s.Job.Launches() {
		if slices.ContainsFunc(all.Functions, func(f *sass.Function) bool { return f.Name == job.Entry }) {
			continue
		}
		p, err := compile.Job(ctx, job, compile.Options{Architecture: arch, Name: s.Source, Language: languages[s.face]})
		if err != nil {
			return nil, err
		}
		p.Function.Name = job.Entry
		all.Functions = append(all.Functions, p.Function)
		s.Code.Shared = max(s.Code.Shared, p.Shared)
	}
	return all, nil
}

// kernels are those of the launches, of a cubin that may have many more.
func (s *Sequence) kernels(ctx context.Context) (*sass.Listing, error) {
	all, seen := &sass.Listing{}, map[string]bool{}
	for _, job := range s.Job.Launches() {
		if seen[job.Entry] {
			continue
		}
		seen[job.Entry] = true
		l, err := s.kernel(ctx, job.Entry)
		if err != nil {
			return nil, err
		}
		for _, f := range l.Functions {
			if !slices.ContainsFunc(all.Functions, func(g *sass.Function) bool { return g.Name == f.Name }) {
				all.Functions = append(all.Functions, f)
			}
		}
		all.Warnings = append(all.Warnings, l.Warnings...)
	}
	return all, nil
}

// kernel is one of the cubin.
func (s *Sequence) kernel(ctx context.Context, name string) (*sass.Listing, error) {
	if s.program != "" {
		return sass.ReadKernelAt(ctx, s.program, s.Job.Image, name)
	}
	return sass.ReadKernel(ctx, s.Job.Identity.Source, s.Job.Image, name)
}

// onlySource reports whether there is nothing but a source, for which the device's maker has no compiler that gives machine code.
func (s *Sequence) onlySource() bool {
	return s.face == samples.OpenCL && s.Code.Listing == "" && !sass.IsCubin(s.Job.Image)
}

// CUDA reports whether the sequence is of kernels in CUDA C, or of machine code.
func (s *Sequence) CUDA() bool { return s.face == samples.CUDA }

// Options say how a sequence is emulated.
type Options struct {
	Device *facts.Device
	// Sensitivity, Binds and Regions are those of emulate.Input.
	Sensitivity, Binds, Regions bool
	ClockMHz                    float64 // 0 is the greatest of the device
	Paths                       string  // one of Paths; "" is the first
	// Counted is where the hardware's counts of launches are, which decide about branches on unknown data; nil for nowhere.
	Counted counters.Source
	// Origin is where the machine code comes from: one of Origins; "" is Binary.
	Origin string
	// Others are those of emulate.Input.
	Others emulate.Others
	// Advice asks for what would make a launch faster.
	Advice bool
}

// Paths are the rules about conditions that are not known.
var Paths = []string{"likely", "paper"}

// check refuses options that do not go with the sequence.
func (s *Sequence) check(o Options) error {
	switch {
	case o.ClockMHz != 0 && CheckClock(o.ClockMHz) != nil:
		return CheckClock(o.ClockMHz)
	case o.Paths != "" && !slices.Contains(Paths, o.Paths):
		return mistake("paths are taken by the rule %s, not %q", strings.Join(Paths, " or "), o.Paths)
	case o.Counted != nil && len(s.Job.Then) > 0:
		return mistake("%s: counts of a sequence do not tell its launches apart", s.Name)
	}
	return nil
}

// CheckClock refuses a clock, in MHz, that no multiprocessor has.
func CheckClock(mhz float64) error {
	if mhz >= 1 && mhz <= 1e5 {
		return nil
	}
	return mistake("a clock of %g MHz: expected 1 to 100000", mhz)
}

// mistake is an error of what was asked for.
func mistake(format string, args ...any) *source.Error {
	return source.At("", "", source.Pos{}, format, args...)
}

// counted is how often the hardware has executed the instructions of the launch.
func (s *Sequence) counted(ctx context.Context, from counters.Source) (all []emulate.Executed, err error) {
	if from == nil {
		return nil, nil
	}
	found, err := from.Take(ctx, []counters.Work{{Kernel: s.Name, Job: s.Job}}, samples.Warm)
	if missing := new(counters.NotRecorded); errors.As(err, &missing) {
		return nil, mistake("%v", err).WithHint("`perf counters -o FILE.jsonl` records them on a machine with the device")
	}
	if err != nil {
		return nil, err
	}
	if found[0].Code == nil {
		return nil, mistake("of %s there are counts, and not of its instructions", s.Name).WithHint("`perf counters -o FILE.jsonl` keeps them in FILE.code.jsonl")
	}
	for _, in := range found[0].Code {
		all = append(all, emulate.Executed{Address: in.Address, Opcode: in.Name(), Items: in.Items})
	}
	return all, nil
}

// most is how many launches of a sequence are emulated that differ from each other. Those that follow are taken to be as the last ones.
const most = 64

// Run emulates the sequence by its machine code.
func (s *Sequence) Run(ctx context.Context, l *sass.Listing, o Options) (*Report, error) {
	if err := s.check(o); err != nil {
		return nil, err
	}
	profile, err := s.counted(ctx, o.Counted)
	if err != nil {
		return nil, err
	}
	functions, err := s.functions(l)
	if err != nil {
		return nil, err
	}
	assumed, err := place(s.Assume, functions)
	if err != nil {
		return nil, err
	}
	r := &Report{Name: s.Name, Of: s.Job.Identity, Device: o.Device.Name(), Origin: o.Origin, file: s.Source}
	if s.Job.Source != "" {
		r.source = strings.Split(s.Job.Source, "\n")
	}
	known, overwritten := map[string]int{}, map[string]bool{}
	last, standIns := map[string]int{}, 0
	for i, job := range s.Job.Launches() {
		f := functions[i]
		key := identify(job, f, overwritten)
		at, ok := known[key]
		if !ok && len(r.Launches) >= most {
			if at, ok = last[f.Name]; ok {
				standIns++
			}
		}
		if !ok {
			result, err := emulate.Run(emulate.Input{
				Function: f, Job: job, Code: s.Code, Assume: assumed[f], Device: o.Device, ClockMHz: o.ClockMHz, Sensitivity: o.Sensitivity, Binds: o.Binds, Regions: o.Regions,
				Overwritten: slices.Sorted(maps.Keys(overwritten)), Paper: o.Paths == "paper", Profile: profile, Compiled: o.Origin == Source, Others: o.Others, Unrestored: s.Unrestored,
			})
			if err != nil {
				return nil, s.inLaunch(err, i)
			}
			result.Origin = o.Origin
			if o.Advice && result.Status.Finite() {
				advice.Give(result)
			}
			at = len(r.Launches)
			r.Launches = append(r.Launches, Launch{Result: result})
		}
		known[key], last[f.Name] = at, at
		r.Launches[at].Times++
		for _, name := range r.Launches[at].Written {
			overwritten[name] = true
		}
	}
	if standIns > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s: %d launches that differ from those before are taken to be as others of their kernel", s.Name, standIns))
	}
	return r, nil
}

func (s *Sequence) functions(l *sass.Listing) (all []*sass.Function, err error) {
	for _, job := range s.Job.Launches() {
		f, err := find(l, job.Entry)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// inLaunch says which launch of several an error is of.
func (s *Sequence) inLaunch(err error, i int) error {
	if len(s.Job.Then) == 0 {
		return err
	}
	return fmt.Errorf("launch %d: %w", i+1, err)
}

// place sorts assumptions by the functions that have their places.
func place(list []launchfile.Assumption, functions []*sass.Function) (map[*sass.Function][]launchfile.Assumption, error) {
	all := map[*sass.Function][]launchfile.Assumption{}
	var distinct []*sass.Function
	for _, f := range functions {
		if !slices.Contains(distinct, f) {
			distinct = append(distinct, f)
		}
	}
	for _, a := range list {
		var missing error
		placed := false
		for _, f := range distinct {
			err := emulate.CheckAssumption(f, a)
			if missing = cmp.Or(missing, err); err == nil {
				all[f], placed = append(all[f], a), true
			}
		}
		if !placed {
			return nil, missing
		}
	}
	return all, nil
}

// identify is a text that launches share which take the same time: buffers that were written before differ from those that were not.
func identify(job device.Job, f *sass.Function, overwritten map[string]bool) string {
	var unknown []string
	for _, a := range job.Buffers() {
		if overwritten[a.Name] {
			unknown = append(unknown, a.Name)
		}
	}
	text, _ := json.Marshal([]any{f.Name, job.Global, job.Local, job.Args, job.LocalMem, job.Dynamic, job.Attributes, unknown})
	return string(text)
}

// find finds the kernel of a launch in a listing, by its name in the binary or in CUDA C.
func find(l *sass.Listing, kernel string) (*sass.Function, error) {
	var names []string
	var found []*sass.Function
	base, _, _ := strings.Cut(kernel, "<")
	base = strings.TrimSpace(base[strings.LastIndexByte(base, ':')+1:])
	for _, f := range l.Functions {
		if f.Name == kernel {
			return f, nil
		}
		names = append(names, f.Name)
		if mangled := fmt.Sprint(len(base), base); strings.HasPrefix(f.Name, "_Z") && strings.Contains(f.Name, mangled) {
			found = append(found, f)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, mistake("the machine code has several kernels %s: %s", kernel, source.Suggest(kernel, names)).
			WithHint("write its name in the machine code as kernel in the launch file")
	case len(l.Functions) == 1:
		return l.Functions[0], nil
	}
	return nil, mistake("the machine code has no kernel %s: %s", kernel, source.Suggest(kernel, names))
}

// Of is the sequence of a job in CUDA C.
func Of(job device.Job) *Sequence {
	return &Sequence{Name: job.Identity.Key(), Job: job, Source: compiled.SourceName(job), face: samples.CUDA}
}

// OfSource is that of a job whose source is for an interface, by its name in outputs.
func OfSource(job device.Job, on samples.Interface, name string) *Sequence {
	s := Of(job)
	s.face, s.Name = on, name
	if file, _, _ := strings.Cut(job.Identity.Source, "#"); on == samples.OpenCL && file != "" {
		s.Source = filepath.Base(file)
	}
	return s
}
