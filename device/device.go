// Package device is the interface to something that builds and times kernels, and the vocabulary of both sides of it.
//
// A [Job] is a kernel as source text with its launch, its arguments and the policy by which it is timed; it is plain
// data and travels between processes as JSON. A [Device] runs jobs one at a time and answers with a [Result] that holds
// every trial, or with an [*Error] whose status says what went wrong. [Fill] is the seeded data that all buffers
// start from, the same wherever it is made, [Job.Check] refuses what exceeds a device's limits, and [Select] is the rule
// by which a user names a device. Package device/runner runs jobs through drivers such as device/opencl, device/replay answers
// from records, and package measure puts either into a worker process.
//
// Nothing here knows how source came to be.
package device

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gpuperf/internal/source"
	"gpuperf/samples"
)

// Device builds and times kernels. It runs one job at a time; it is not safe for concurrent use.
type Device interface {
	// Info describes the device; it does not change.
	Info() Info
	// Run builds, launches and times the job. Where the job is at fault, or the device is, the error
	// is an [*Error]. When ctx ends, Run stops between two launches, with status interrupted.
	Run(ctx context.Context, job Job) (*Result, error)
	// Close gives the device back.
	Close() error
}

// Backend finds devices and opens them.
type Backend interface {
	// Devices lists what can be opened, always in the same order.
	Devices() ([]Info, error)
	// Open opens the device at an index of that list.
	Open(index int) (Device, error)
}

// Describer is a Backend that can tell more of its devices than is needed to open one, at the cost of loading more.
type Describer interface {
	Describe() ([]Info, error)
}

// Describe lists the devices of a backend with all that it can tell of them.
func Describe(b Backend) ([]Info, error) {
	if d, ok := b.(Describer); ok {
		return d.Describe()
	}
	return b.Devices()
}

// Info is a device's fingerprint and where it was found.
type Info struct {
	samples.Fingerprint
	PlatformIndex int      `json:"platform_index"`       // platforms count from 0 in the order found
	DeviceIndex   int      `json:"device_index"`         // within its platform
	Library       string   `json:"library"`              // the shared library that was opened
	Extensions    []string `json:"extensions,omitempty"` // as the device states them
	CUDA          *CUDA    `json:"cuda,omitempty"`       // what only that interface tells
}

// CUDA are the limits of an NVIDIA GPU that CUDA tells. A unit is a multiprocessor.
type CUDA struct {
	LocalMemOptIn    int64 `json:"local_mem_opt_in"`   // bytes of shared memory that a work-group may have when it asks
	LocalMemPerUnit  int64 `json:"local_mem_per_unit"` // bytes
	Registers        int64 `json:"registers"`          // of 32 bits, of a work-group
	RegistersPerUnit int64 `json:"registers_per_unit"`
	WorkItemsPerUnit int64 `json:"work_items_per_unit"`
	MemoryClockMHz   int64 `json:"memory_clock_mhz"`
	MemoryBusBits    int64 `json:"memory_bus_bits"`
}

// Result is what running a job gave.
type Result struct {
	Trials []float64 `json:"trials"` // seconds on the device, in the order taken
	// Graph: the trials are the times of a graph of the launches.
	Graph bool `json:"graph,omitempty"`
	// Entries are the seconds of all launches of each kernel function, in the last of the trials, or before these if they are of a graph; none where launches are timed as a whole.
	Entries   map[string]float64 `json:"entries,omitempty"`
	BuildTime time.Duration      `json:"build_ns"`
	BuildLog  string             `json:"build_log,omitempty"` // what the compiler said, also when it succeeded
	Compiled  samples.Compiled   `json:"compiled"`
	WarmUp    int                `json:"warm_up"`            // runs before the trials, the first included
	Clocks    *samples.Clocks    `json:"clocks,omitempty"`   // just after the trials; nil where the platform does not tell
	Energy    float64            `json:"energy,omitempty"`   // joules of a run, with what the device uses meanwhile in any case; 0 where nobody asked, or the platform does not tell
	Power     float64            `json:"power,omitempty"`    // watts that the device took while its energy was measured
	Warnings  []string           `json:"warnings,omitempty"` // doubts about the trials
	Outputs   map[string][]byte  `json:"-"`                  // of the buffers in Job.Keep, after the first run; little-endian
	// Unverified says why results that agree with those expected show nothing; "" where they do, or nothing was expected.
	Unverified string          `json:"unverified,omitempty"`
	Recorded   *samples.Record `json:"-"` // set when nothing ran, and this record is the answer
}

// Error says why a job has no result.
type Error struct {
	Status samples.Status `json:"status"`
	Msg    string         `json:"msg"`
	Hint   string         `json:"hint,omitempty"` // the remedy, where one is known
	Log    string         `json:"log,omitempty"`  // of the compiler, or the last words of a dead worker
	Where  *source.Error  `json:"-"`              // the message at its place in a file, where it has one
	Fatal  bool           `json:"fatal,omitempty"`
	// Fatal: the device's context is lost with the job; it must be opened anew, in a new process.
}

// Errorf returns an Error with a formatted message.
func Errorf(status samples.Status, format string, args ...any) *Error {
	return &Error{Status: status, Msg: fmt.Sprintf(format, args...)}
}

// WithHint returns the error with the remedy attached.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// At returns the error at a place in a file.
func (e *Error) At(where *source.Error) *Error {
	c := *e
	c.Where, c.Hint = where, where.Hint
	c.Msg = fmt.Sprintf("%s:%d:%d: %s", where.File, where.Pos.Line, where.Pos.Column, where.Msg)
	return &c
}

// Error gives the message and, in parentheses, the remedy; of a place in a file, the line. The log is left to those who print more than a line.
func (e *Error) Error() string {
	if e.Where != nil {
		return e.Where.Error()
	}
	if e.Hint != "" {
		return fmt.Sprintf("%s: %s (%s)", e.Status, e.Msg, e.Hint)
	}
	return fmt.Sprintf("%s: %s", e.Status, e.Msg)
}

// Message is what records have beside the status: the message, with the remedy.
func (e *Error) Message() string {
	if e.Hint != "" {
		return e.Msg + "; " + e.Hint
	}
	return e.Msg
}

// Unwrap returns the error at its place in a file.
func (e *Error) Unwrap() error {
	if e.Where == nil {
		return nil
	}
	return e.Where
}

// AsError returns the *Error that err wraps; the zero status of any other error is no verdict on a job.
func AsError(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// Interrupted is the verdict on a job when ctx has ended, else nil.
func Interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return Errorf(samples.Interrupted, "%v", context.Cause(ctx))
}
