// Package campaign runs measurements: for a list of kernels, for the model that is fitted to them, for the suites that it is
// evaluated on.
//
// A [Campaign] is an open device, or recorded samples in its place, with the journal that keeps what is measured. A [Plan] joins a
// model with the measurement kernels that it needs. Measure takes times, InRange looks for sizes whose times are within a range, Rows
// turns samples into rows for a fit, Calibrate fits, Evaluate compares predictions with measurements; a [Predictor] applies a
// calibrated model to kernels. All measuring goes through Run, so that each resumes from the journal, watches the device with the
// sentinel kernel and stops when its context ends.
//
// The package prints nothing. Results carry their warnings, and a [Monitor] is told of progress.
package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"gpuperf/device"
	"gpuperf/device/measure"
	"gpuperf/device/replay"
	"gpuperf/samples"
	"gpuperf/workload"
)

// Options say how a campaign measures. The zero value is the default.
type Options struct {
	Data    string        // folder of the journals and of built programs; needed where a device is opened
	Samples string        // the journal; "" is the device's own in Data
	Retry   bool          // measure again what failed before
	Again   Remeasure     // which other samples of the journal to measure again
	Trials  int           // of each kernel, at most; 0 is the default of package device
	WarmUps int           // runs of each kernel before its trials at least; 0 is until its times are steady
	MinTime time.Duration // that trials of each kernel go on for at least; 0 is until the median is certain
	Drift   float64       // per cent by which the device may become slower or faster before samples are doubted; 0 is the default of package measure
	Limit   time.Duration // for building and running one kernel; 0 is the default of package measure
	Jobs    int           // programs to build, and results to verify, at once; 0 is the number of processors, at most MaxJobs
	Version string        // of this program, for the records
	Monitor Monitor       // nil is none
}

// MaxJobs is the largest default of Options.Jobs: each job is a process with a context on the device.
const MaxJobs = 16

// Monitor is notified of the progress of a campaign.
type Monitor interface {
	Building(done, total int)    // programs that are built before any is run; first with 1
	Measuring(measure.Event)     // before and after each kernel
	Waiting(what, holder string) // for another process that has the device or the samples, in words
	Done()                       // with the programs, or the kernels, of one call
}

// InputError marks an error in what was asked for, as opposed to work that failed.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

func inputf(format string, args ...any) error { return &InputError{fmt.Errorf(format, args...)} }

// Campaign measures on one device. Its methods are not for concurrent use.
type Campaign struct {
	Device   device.Device
	Warnings []string // about the records that it was opened with
	Spent    Spent
	Repeated int // samples of the journal that were chosen to be measured again

	options  Options
	journal  *samples.Journal // nil where recorded samples take the place of a device
	workers  measure.Options
	ahead    bool // programs are built ahead where they are many
	builders measure.Builders
	sentinel measure.Sentinel
	compared bool                         // the sentinel with the first of the journal
	repeated map[string]bool              // samples of the journal that were to be measured again, and whether they have been
	verified map[*workload.Kernel]outcome // of comparing a kernel's results with the reference
	used     []samples.Record             // that Measure has returned
}

// Spent is the time that a campaign has taken.
// Waiting is for other processes that had the device, and no part of Measuring.
type Spent struct{ Building, Verifying, Measuring, Waiting time.Duration }

// String says what took the time of a campaign, "" where nothing did.
func (s Spent) String() string {
	var parts []string
	for _, part := range []struct {
		took time.Duration
		what string
	}{{s.Measuring, "measuring"}, {s.Waiting, "waiting for the device"}, {s.Verifying, "checking results"}, {s.Building, "compiling kernels ahead"}} {
		if took := part.took.Round(10 * time.Millisecond); took > 0 {
			parts = append(parts, fmt.Sprintf("%v %s", took, part.what))
		}
	}
	return strings.Join(parts, ", ")
}

// New makes a campaign of a device that is open, and a journal, which may be nil. Programs are not built ahead.
func New(dev device.Device, journal *samples.Journal, o Options) *Campaign {
	return &Campaign{Device: dev, options: o, journal: journal, sentinel: measure.Sentinel{Limit: o.Drift / 100}, verified: map[*workload.Kernel]outcome{}, repeated: map[string]bool{}}
}

// Open opens the device that a query names (see [OpenDevice]), and the journal.
func Open(ctx context.Context, query string, o Options) (*Campaign, error) {
	asked := o.Jobs > 0
	if !asked {
		o.Jobs = min(runtime.NumCPU(), MaxJobs)
	}
	workers := measure.Options{Deadline: o.Limit, Programs: filepath.Join(o.Data, "programs")}
	if o.Monitor != nil {
		workers.Waiting = func(holder string) { o.Monitor.Waiting("the device", holder) }
	}
	dev, err := OpenDevice(ctx, query, workers)
	if err != nil {
		return nil, err
	}
	c := New(dev, nil, o)
	c.workers = workers
	// A CPU compiles for the work-group again when the kernel is launched, and builders would take its cores.
	c.ahead = o.Jobs > 1 && (asked || dev.Info().Type != "cpu")
	if recorded, ok := dev.(*replay.Device); ok {
		c.options.Samples = strings.TrimPrefix(query, replay.Prefix)
		c.warn(recorded.Warnings())
		return c, nil
	}
	if o.Samples == "" {
		c.options.Samples = DeviceFile(o.Data, "samples", dev.Info().Fingerprint, ".jsonl")
	}
	if err := os.MkdirAll(filepath.Dir(c.options.Samples), 0o755); err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	if c.journal, err = samples.OpenInTurn(ctx, c.options.Samples, o.waiting()); err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	c.warn(c.journal.Warnings)
	return c, nil
}

// waiting says whom the samples have to wait for; nil where nobody is told, and it is not waited.
func (o *Options) waiting() func(holder string) {
	if o.Monitor == nil {
		return nil
	}
	return func(holder string) { o.Monitor.Waiting("the samples file", holder) }
}

func (c *Campaign) warn(warnings []error) {
	for _, w := range warnings {
		c.Warnings = append(c.Warnings, w.Error())
	}
}

// OpenDevice opens the device that a query names as [device.Select] reads it, in a worker process, or recorded samples as a device
// where the query is replay.Prefix and their file.
func OpenDevice(ctx context.Context, query string, o measure.Options) (device.Device, error) {
	if path, ok := strings.CutPrefix(query, replay.Prefix); ok {
		return replay.Open(path)
	}
	return measure.Open(ctx, query, o)
}

// Close closes the device and the journal.
func (c *Campaign) Close() error {
	var err error
	if c.journal != nil {
		if err = c.journal.Close(); err != nil {
			err = fmt.Errorf("closing %s: %w", c.journal.Path, err)
		}
	}
	c.builders.Close()
	return errors.Join(err, c.Device.Close())
}

// Live reports whether the campaign measures on a device; otherwise recorded samples answer.
func (c *Campaign) Live() bool { return c.journal != nil }

// Version is that of this program, for the records.
func (c *Campaign) Version() string { return c.options.Version }

// Keep adds the record of what was measured otherwise.
func (c *Campaign) Keep(r samples.Record) error { return c.journal.Append(r) }

// SamplesFile is the file of the samples: the journal, or the recorded ones.
func (c *Campaign) SamplesFile() string { return c.options.Samples }

// Used returns the records that Measure has returned so far in one state of the caches: of each kernel the last, in the order of first
// use.
func (c *Campaign) Used(mode samples.Mode) (records []samples.Record) {
	at := map[string]int{}
	for _, r := range c.used {
		key := r.Kernel.Key()
		if i, known := at[key]; known && r.Mode == mode {
			records[i] = r
		} else if r.Mode == mode {
			at[key] = len(records)
			records = append(records, r)
		}
	}
	return records
}

// DeviceFile is the path of a device's own file in a folder of the data directory: "profiles/nvidia-h200-8580fdbb.yaml". It is named by
// the device's name in letters, digits and hyphens, with the start of its UUID where it has one, and the interface if it is not OpenCL.
func DeviceFile(data, folder string, f samples.Fingerprint, ext string) string {
	words := strings.FieldsFunc(strings.ToLower(f.Name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	if len(f.UUID) >= 8 {
		words = append(words, f.UUID[:8])
	}
	if f.Interface != samples.OpenCL {
		words = append(words, f.Interface.String())
	}
	return filepath.Join(data, folder, strings.Join(words, "-")+ext)
}
