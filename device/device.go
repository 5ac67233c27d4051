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
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuperf/internal/format"
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

// Print lists devices; the one at the chosen index has an asterisk. Of a device that has several interfaces, those behind the first tell only
// what is their own.
func Print(w io.Writer, all []Info, chosen int) {
	for _, interfaces := range Hardware(all) {
		for n, index := range interfaces {
			d := all[index]
			mark := " "
			if index == chosen {
				mark = "*"
			}
			fmt.Fprintf(w, "%s %d  %s", mark, index, d.Name)
			if len(interfaces) > 1 {
				fmt.Fprintf(w, ", by %s", d.Interface)
			}
			fmt.Fprintln(w)
			for _, line := range d.lines() {
				known := n > 0 && !slices.Contains([]string{"interface", "platform", "version", "local memory", "library"}, line.what)
				if line.text != "" && !known {
					fmt.Fprintf(w, "       %-14s %s\n", line.what, line.text)
				}
			}
		}
	}
}

// line is something about a device; one without text is not told.
type line struct{ what, text string }

func (i Info) lines() []line {
	lines := []line{
		{"interface", i.Interface.String()},
		{"type", i.Type},
		{"vendor", i.Vendor},
		{"platform", fmt.Sprintf("%d:%d %s, %s", i.PlatformIndex, i.DeviceIndex, i.Platform, i.PlatformVersion)},
		{"driver", i.Driver},
		{"version", i.DeviceVersion},
		{"architecture", i.Architecture},
		{"compute units", fmt.Sprintf("%d at up to %d MHz", i.ComputeUnits, i.ClockMHz)},
		{"global memory", fmt.Sprintf("%s, at most %s in one buffer", format.Bytes(i.GlobalMem), format.Bytes(i.MaxAlloc))},
		{"local memory", format.Bytes(i.LocalMem) + " per work-group"},
		{"work-group", fmt.Sprintf("at most %d work-items", i.MaxWorkGroup)},
		{"sub-group", fmt.Sprintf("%d work-items (%s)", i.SubgroupSize, i.SubgroupSource)},
		{"uuid", i.UUID},
		{"pci", i.PCI},
		{"library", i.Library},
	}
	if c := i.CUDA; c != nil {
		lines = append(lines, []line{
			{"L2 cache", format.Bytes(i.CacheSize)},
			{"memory clock", fmt.Sprintf("%d MHz, %d bits wide", c.MemoryClockMHz, c.MemoryBusBits)},
			{"opt-in", format.Bytes(c.LocalMemOptIn) + " of local memory per work-group"},
			{"each unit", fmt.Sprintf("%s of local memory, %d registers, %d work-items", format.Bytes(c.LocalMemPerUnit), c.RegistersPerUnit, c.WorkItemsPerUnit)},
		}...)
	}
	return lines
}

// SelectError is a query that names no device, or several.
type SelectError string

func (e SelectError) Error() string { return string(e) }

// Select returns the index of the device that a query names in a list of all devices. The first rule that matches any
// device decides, and is an error when it matches several:
//
//	""        the first GPU, else the first accelerator, else the first device: a CPU only when there is nothing else
//	"2"       the index in the list; a number is nothing else
//	"0:1"     device 1 of platform 0
//	"gpu"     the type: gpu, cpu, accelerator
//	text      the device's whole name, then a part of it, then of its UUID, of the platform's name, of the vendor's
//
// Text is compared without regard to case. "cuda:" or "opencl:" before a query takes the devices of that interface alone; of a device that
// has several interfaces the first in the list is meant. Every error lists the devices.
func Select(all []Info, query string) (int, error) {
	query = strings.TrimSpace(query)
	if len(all) == 0 {
		return 0, fmt.Errorf("no device was found")
	}
	for _, i := range samples.Interfaces {
		if rest, ok := strings.CutPrefix(query, i.String()+":"); ok {
			return selectOf(all, i, rest)
		}
	}
	which := make([]int, len(all))
	for i := range which {
		which[i] = i
	}
	return selectAmong(all, which, query)
}

// selectAmong selects among the devices at some indices. A number that is the index of none of them counts among them.
func selectAmong(all []Info, which []int, query string) (int, error) {
	if query == "" {
		for _, typ := range []string{"gpu", "accelerator"} {
			if i := slices.IndexFunc(which, func(i int) bool { return all[i].Type == typ }); i >= 0 {
				return which[i], nil
			}
		}
		return which[0], nil
	}
	if index, err := strconv.Atoi(query); err == nil {
		switch {
		case slices.Contains(which, index):
			return index, nil
		case index < 0 || index >= len(which):
			return 0, SelectError(fmt.Sprintf("a number is the index of a device, and there is no device %s; there are:\n%s", query, list(all, which)))
		}
		return which[index], nil
	}
	for _, rule := range rules {
		hits := slices.DeleteFunc(slices.Clone(which), func(i int) bool { return !rule(all[i], strings.ToLower(query)) })
		switch {
		case len(hits) > 0 && all[hits[0]].sameHardware(all[hits[len(hits)-1]]), len(hits) == 1:
			return hits[0], nil
		case len(hits) > 1:
			return 0, SelectError(fmt.Sprintf("%q names %d devices; choose one by its index:\n%s", query, len(hits), list(all, hits)))
		}
	}
	return 0, SelectError(fmt.Sprintf("no device is named %q; there are:\n%s", query, list(all, which)))
}

// needs says what an interface needs on a machine.
var needs = map[samples.Interface]string{
	samples.CUDA:   "NVIDIA's driver (libcuda.so.1)",
	samples.OpenCL: "a driver of the device's vendor for OpenCL",
}

// selectOf selects among the devices of an interface.
func selectOf(all []Info, i samples.Interface, query string) (int, error) {
	var which []int
	for index, d := range all {
		if d.Interface == i {
			which = append(which, index)
		}
	}
	if len(which) == 0 {
		return 0, SelectError(fmt.Sprintf("no device has the interface %s, which needs %s; there are:\n%s", i, needs[i], list(all, nil)))
	}
	return selectAmong(all, which, query)
}

var rules = []func(d Info, query string) bool{
	func(d Info, q string) bool { return q == fmt.Sprintf("%d:%d", d.PlatformIndex, d.DeviceIndex) },
	func(d Info, q string) bool { return q == d.Type },
	func(d Info, q string) bool { return q == strings.ToLower(d.Name) },
	func(d Info, q string) bool { return strings.Contains(strings.ToLower(d.Name), q) },
	func(d Info, q string) bool {
		return len(q) >= 4 && strings.HasPrefix(strings.ToLower(d.UUID), q)
	},
	func(d Info, q string) bool { return strings.Contains(strings.ToLower(d.Platform), q) },
	func(d Info, q string) bool { return strings.Contains(strings.ToLower(d.Vendor), q) },
}

// list lists the devices at those indices, or all of them.
func list(all []Info, which []int) string {
	var lines []string
	for i, d := range all {
		if which == nil || slices.Contains(which, i) {
			lines = append(lines, fmt.Sprintf("  %d  %s, %s, platform %s", i, d.Name, d.Type, d.Platform))
		}
	}
	return strings.Join(lines, "\n")
}

// Backends are several interfaces as one. A device that two of them reach is listed once for each, one after the other, the interface that
// stands first in Backends before.
type Backends []Backend

// Devices lists the devices of all interfaces. It is an error only if no interface has one: then it is that of all.
func (b Backends) Devices() ([]Info, error) {
	all, _, err := b.list(Backend.Devices)
	return all, err
}

// Describe is Devices with all that the interfaces can tell.
func (b Backends) Describe() ([]Info, error) {
	all, _, err := b.list(Describe)
	return all, err
}

// place is where a device is opened.
type place struct {
	backend Backend
	index   int
}

func (b Backends) list(devices func(Backend) ([]Info, error)) (all []Info, places []place, err error) {
	var failures []error
	for _, one := range b {
		found, err := devices(one)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		for i, d := range found {
			at := slices.IndexFunc(all, func(o Info) bool { return o.sameHardware(d) })
			if at < 0 {
				at = len(all) - 1
			}
			for at+1 < len(all) && all[at+1].sameHardware(d) {
				at++
			}
			all, places = slices.Insert(all, at+1, d), slices.Insert(places, at+1, place{one, i})
		}
	}
	if len(all) == 0 {
		return nil, nil, errors.Join(failures...)
	}
	return all, places, nil
}

// sameHardware reports whether two devices are one, whatever the interface: by UUID, or else by PCI address.
func (i Info) sameHardware(o Info) bool {
	if i.UUID != "" && o.UUID != "" {
		return i.UUID == o.UUID
	}
	return i.PCI != "" && i.PCI == o.PCI
}

// Open opens the device at an index of Devices.
func (b Backends) Open(index int) (Device, error) {
	_, places, err := b.list(Backend.Devices)
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= len(places) {
		return nil, fmt.Errorf("there is no device %d, but %d devices", index, len(places))
	}
	return places[index].backend.Open(places[index].index)
}

// Hardware groups the indices of devices that are one, in order.
func Hardware(all []Info) [][]int {
	var groups [][]int
	for i, d := range all {
		if n := len(groups) - 1; n >= 0 && all[groups[n][0]].sameHardware(d) {
			groups[n] = append(groups[n], i)
			continue
		}
		groups = append(groups, []int{i})
	}
	return groups
}
