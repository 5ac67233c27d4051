// Package runner runs jobs on a device through its driver.
//
// A [Driver] is what an interface to devices gives: memory, programs, kernels and launches. A [Device] is the rest of a device.Device,
// the same for all interfaces: it fills buffers with their data (buffers.go) and keeps them between jobs (pool.go), keeps built programs
// (programs.go), compares results on the device (expect.go), flushes the caches between launches, and warms up and takes the trials
// (timing.go).
package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/internal/throw"
	"gpuperf/samples"
)

// Driver is an open device of an interface such as OpenCL. What is enqueued runs in order.
type Driver interface {
	// Alloc makes a buffer in the device's memory.
	Alloc(bytes int64) (Memory, error)
	Free(m Memory)
	// Part makes bytes of a buffer a memory of its own, to be given back by FreePart before the buffer is. The error says that the device has no
	// such parts, or none that begin there.
	Part(m Memory, at, bytes int64) (Memory, error)
	FreePart(m Memory)
	// Write and Read transfer bytes from an offset of a buffer on, and return when that is done.
	Write(m Memory, at int64, data []byte) error
	Read(m Memory, at int64, data []byte) error
	// Copy enqueues the copy of the first bytes of a buffer to another.
	Copy(to, from Memory, bytes int64) error
	// Finish waits for all that is enqueued.
	Finish() error
	// Hold has the device wait with what is enqueued until free is called, so that launches follow each other as fast as it can; for some
	// milliseconds at most, and not at all where that is not possible.
	Hold() (free func())

	// Graph records the launches that a function enqueues, to be enqueued together with less work of the device between them; nil where the platform has no graphs.
	Graph(enqueue func() error) (Graph, error)

	// Compile builds a program. The log comes also with an error, and is also there when the compiler only warned.
	Compile(s Source) (p Program, log string, err error)
	// Binary is a built program in a form that Load takes.
	Binary(p Program) ([]byte, error)
	Load(binary []byte, options string) (Program, error)
	Unload(p Program)
	// MachineCode is a cubin or PTX with a kernel of a program, and the name of the kernel in it; nil where there is neither.
	MachineCode(p Program, entry string) (image []byte, symbol string)
	// Kernel finds a kernel function of a program. The error is a *device.Error where the program has none of that name.
	Kernel(p Program, entry string) (Kernel, error)
	// Address is where a buffer lies, as kernels see it.
	Address(m Memory) (uint64, error)
	// Variable finds a variable of a program, and its size.
	Variable(p Program, name string) (m Memory, bytes int64, err error)

	// Verdict turns an error of a phase into what it means for the job.
	Verdict(p Phase, err error) *device.Error
	// Profile tells a profiler that what follows is to be profiled, or is not; nothing where the platform has no such call.
	Profile(on bool) error
	// Clocks is the state of the device now, nil where the platform does not tell.
	Clocks() *samples.Clocks
	// Energy is what the device has used since some moment, in joules; false where the platform does not tell.
	Energy() (joules float64, ok bool)
	// Prelude begins the source of kernels of this package, which are written in OpenCL C.
	Prelude() string
	Close()
}

// Source is what a program is built from.
type Source struct {
	Text, Options string
	Compiler      device.Compiler
	// Names are expressions that name kernels which are not otherwise in the program, such as instances of templates, and variables.
	Names []string
}

// Memory is a buffer of a driver; 0 is none.
type Memory uintptr

// Program is a built program of a driver.
type Program any

// Kernel is a kernel function with its arguments.
type Kernel interface {
	// Params is the number of parameters, -1 where the driver does not tell.
	Params() int
	// Compiled is what the driver tells of the kernel in work-groups of a size; what it does not is zero.
	Compiled(group int64) samples.Compiled
	SetBuffer(i int, m Memory) error
	SetScalar(i int, value []byte) error
	SetLocal(i int, bytes int64) error
	// SetAll passes all parameters as they lie in memory, in place of one after the other.
	SetAll(value []byte) error
	// SetDynamic adds local memory that is no argument.
	SetDynamic(bytes int64) error
	// SetAttributes sets what else a launch has; nil is nothing.
	SetAttributes(a *device.Attributes) error
	// Launch enqueues the kernel with the arguments that it has now. An empty local size leaves it to the driver.
	Launch(global, local []int64) (Event, error)
	Release()
}

// Event is a launch that was enqueued.
type Event interface {
	// Wait waits until the launch has ended.
	Wait() error
	// SecondsTo is the time from the start of this launch to the end of another, on the device's clock.
	SecondsTo(end Event) (float64, error)
	Release()
}

// Graph are launches that were recorded.
type Graph interface {
	// Launch enqueues them. Its event is that of all of them.
	Launch() (Event, error)
	Release()
}

// Phase is a part of running a job.
type Phase int

// The phases, in order.
const (
	Building Phase = iota
	Preparing
	Launching
	Running
)

// Device runs jobs through a driver.
type Device struct {
	Driver
	// MaxPrograms bounds the programs that are kept in memory.
	MaxPrograms int
	// MaxPool is how many bytes of buffers are kept before the pool is emptied.
	MaxPool int64

	info     device.Info
	closed   bool
	programs map[string]program
	order    []string                              // keys of programs, the one used longest ago first
	folder   string                                // where built programs are kept; "" is nowhere
	turn     func(context.Context) (func(), error) // nil where nobody else uses the device
	sweep    sweeper
	pool     pool
	guards   uint64 // buffers that were guarded so far

	lastClocks *samples.Clocks
	asked      time.Time
}

// New returns the device that a driver drives, and owns the driver from then on.
func New(d Driver, info device.Info) *Device {
	return &Device{Driver: d, info: info, programs: map[string]program{}, MaxPrograms: keepPrograms, MaxPool: info.GlobalMem / poolShare}
}

// Info describes the device.
func (d *Device) Info() device.Info { return d.info }

// TakeTurns has jobs wait until it is their turn: from when a program is built until its trials are taken.
func (d *Device) TakeTurns(take func(context.Context) (done func(), err error)) { d.turn = take }

// Close releases everything that the device holds.
func (d *Device) Close() error {
	if d.closed {
		return nil
	}
	d.closed = true
	d.sweep.close(d)
	d.pool.close(d)
	for _, key := range d.order {
		d.Unload(d.programs[key].Program)
	}
	d.programs, d.order = nil, nil
	d.Driver.Close()
	return nil
}

// Run builds the job's program, unless it is at hand, fills the buffers, launches once and reads the outputs,
// warms up, and takes the trials.
func (d *Device) Run(ctx context.Context, job device.Job) (_ *device.Result, err error) {
	defer throw.Catch(&err)
	if d.closed {
		return nil, errors.New("the device is closed")
	}
	if err := job.Check(facts.Limits(d.info)); err != nil {
		return nil, err
	}
	d.pool.trim(d)
	var want *expected
	if job.Expect != nil {
		want = d.expected(ctx, job.Expect)
	}
	result := &device.Result{}
	bound := throw.Get(d.prepare(ctx, job, result))
	defer bound.release()
	bound.want = want
	learned := d.learn(ctx, job, bound.program, result.Compiled)
	d.time(ctx, job, bound, result)
	bound.release() // a disassembler takes longer than many trials
	more := learned()
	result.Compiled.Registers, result.Compiled.Code = more.Registers, more.Code
	return result, nil
}

// prepare builds the kernels of the job and binds their arguments.
func (d *Device) prepare(ctx context.Context, job device.Job, result *device.Result) (_ *bound, err error) {
	defer throw.Catch(&err)
	prog := d.program(job)
	kernels := &kernels{byKey: map[kernelKey]Kernel{}}
	owned := false
	defer func() {
		if !owned {
			kernels.release()
		}
	}()
	var compiled samples.Compiled // the first kernel, and the most that any needs
	for i, l := range job.Launches() {
		key := keyOf(l)
		if known := kernels.byKey[key]; known != nil {
			kernels.ofLaunch = append(kernels.ofLaunch, known)
			continue
		}
		kernel, err := d.Kernel(prog.Program, l.Entry)
		if err != nil {
			return nil, d.Verdict(Preparing, err)
		}
		kernels.add(key, kernel)
		if err := cmp.Or(kernel.SetDynamic(l.Dynamic), kernel.SetAttributes(l.Attributes)); err != nil {
			return nil, d.Verdict(Preparing, err)
		}
		c := kernel.Compiled(items(l.Local))
		c.DynamicMem = added(l)
		d.checkCompiled(l, kernel, c)
		if i == 0 {
			compiled = c
		}
		compiled.MaxWorkGroup = min(compiled.MaxWorkGroup, c.MaxWorkGroup)
		compiled.LocalMem, compiled.PrivateMem = max(compiled.LocalMem, c.LocalMem), max(compiled.PrivateMem, c.PrivateMem)
		compiled.DynamicMem = max(compiled.DynamicMem, c.DynamicMem)
	}
	throw.If(device.Interrupted(ctx))
	done := func() {}
	if d.turn != nil {
		done = throw.Get(d.turn(ctx))
	}
	owned = true
	bound, err := d.bind(job, prog.Program, kernels)
	if err != nil {
		done()
		return nil, d.Verdict(Preparing, err)
	}
	bound.program, bound.done = prog, done
	result.BuildTime, result.BuildLog, result.Compiled = prog.took, prog.log, compiled
	return bound, nil
}

// items is the number of work-items of a work-group, 0 where the driver chooses it.
func items(local []int64) int64 {
	if len(local) == 0 {
		return 0
	}
	n := int64(1)
	for _, x := range local {
		n *= x
	}
	return n
}

// added is the local memory of a work-group that the code does not declare.
func added(job device.Job) int64 {
	bytes := job.Dynamic
	for _, a := range job.Args {
		if a.Kind == device.Local {
			bytes += a.Bytes()
		}
	}
	return bytes
}

// checkCompiled refuses what only the compiled kernel shows to be too much. The work-group size that the driver states for
// the kernel is not asked: NVIDIA's says 256 for kernels that were compiled for more and run with more. Whether a
// group is too large for the registers shows when it is launched.
func (d *Device) checkCompiled(job device.Job, kernel Kernel, c samples.Compiled) {
	if n := kernel.Params(); n >= 0 && n != len(job.Args) && !job.Packed {
		panic(throw.Of(device.Errorf(samples.Refused, "the kernel function %s has %d parameters, and the launch gives it %d arguments", job.Entry, n, len(job.Args))))
	}
	local := c.LocalMem + c.DynamicMem
	if most := facts.Limits(d.info).Local; most > 0 && local > most {
		panic(throw.Of(device.Errorf(samples.Refused, "the kernel needs %d bytes of local memory for a work-group, the device has %d",
			local, most).WithHint("make the local tiles smaller")))
	}
}

// helper builds a program of this package's own and makes its kernel.
func (d *Device) helper(source, entry string) (prog Program, kernel Kernel, err error) {
	prog, log, err := d.Compile(Source{Text: d.Prelude() + source})
	if err != nil {
		return nil, nil, fmt.Errorf("%w\n%s", err, log)
	}
	if kernel, err = d.Kernel(prog, entry); err != nil {
		d.Unload(prog)
		return nil, nil, err
	}
	return prog, kernel, nil
}

// Held is what a device holds between jobs.
type Held struct {
	Programs int   // in memory
	Filled   int   // buffers with the data that arguments start from
	Written  int   // buffers that kernels write
	Expected int   // jobs whose results are kept
	Bytes    int64 // of these buffers
	Sweeping bool  // whether there is a buffer that flushes the caches
}

// Held says what the device holds now.
func (d *Device) Held() Held {
	p := &d.pool
	return Held{len(d.programs), len(p.masters), len(p.work), len(p.expected), p.bytes, d.sweep.bound != nil}
}
