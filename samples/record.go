package samples

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Version is the version of the record format that this package writes. It reads version 1 too, which lacks Sentinel and
// Clocks.
const Version = 2

// Status is how the measurement of a kernel ended.
type Status string

// The statuses. All but OK carry the reason in [Record.Error].
const (
	OK          Status = "ok"
	Timeout     Status = "timeout"       // no answer before the deadline; the worker was killed
	Crash       Status = "crash"         // the worker process died, or the device's context did
	Refused     Status = "refused"       // exceeds a limit of the device, or the driver would not launch it
	BuildFailed Status = "build_failed"  // the source does not compile
	Faulty      Status = "faulty"        // the reference interpreter found a race or an access out of bounds: it was not launched
	WrongResult Status = "wrong_result"  // it ran, and its outputs differ from the reference
	OutOfMemory Status = "out_of_memory" // its buffers did not fit at that moment
	Interrupted Status = "interrupted"   // stopped from outside
)

// statuses lists each status, and whether measuring again the same thing would give the same answer: a resumed
// run skips what is settled.
var statuses = map[Status]bool{
	OK:          true,
	Timeout:     true,
	Crash:       true,
	Refused:     true,
	BuildFailed: true,
	Faulty:      true,
	WrongResult: true,
	OutOfMemory: false, // other programs hold memory too
	Interrupted: false,
}

// Valid reports whether the status is one of the constants.
func (s Status) Valid() bool { _, ok := statuses[s]; return ok }

// Settled reports whether a resumed run may keep the answer instead of asking again.
func (s Status) Settled() bool { return statuses[s] }

// Mode is the state of the caches when a trial starts.
type Mode string

const (
	Warm Mode = "warm" // as the trial before it left them
	Cold Mode = "cold" // flushed
)

// Valid reports whether the mode is one of the constants.
func (m Mode) Valid() bool { return m == Warm || m == Cold }

// Record is the measurement of one kernel at one size on one device.
type Record struct {
	Version    int       `json:"version"`
	Kernel     Identity  `json:"kernel"`
	SourceHash string    `json:"source_hash"` // SHA-256 of the generated source, 64 hex digits
	Tags       []string  `json:"tags,omitempty"`
	Entry      string    `json:"entry"`             // name of the kernel function
	Options    string    `json:"options,omitempty"` // of the compiler
	Global     []int64   `json:"global"`            // work-items per dimension
	Local      []int64   `json:"local,omitempty"`   // work-group size per dimension; empty: the driver's choice
	Mode       Mode      `json:"mode"`
	Status     Status    `json:"status"`
	Error      string    `json:"error,omitempty"`
	Log        string    `json:"log,omitempty"`     // the compiler's or the dead worker's last words, when it failed
	Trials     []float64 `json:"trials,omitempty"`  // seconds, in the order taken
	Summary    *Summary  `json:"summary,omitempty"` // of the trials
	BuildTime  float64   `json:"build_seconds,omitempty"`
	Compiled   Compiled  `json:"compiled,omitzero"`
	Warnings   []string  `json:"warnings,omitempty"` // doubts about the trials
	// Verified lists the comparisons of its results with a reference, Unverified why there is none, or none at these sizes.
	// Samples of older versions have neither.
	Verified   []Comparison `json:"verified,omitempty"`
	Unverified string       `json:"unverified,omitempty"`
	Sentinel   *Sentinel    `json:"sentinel,omitempty"` // nil: none was run
	Clocks     *Clocks      `json:"clocks,omitempty"`   // just after the trials; nil where the platform does not tell
	Device     Fingerprint  `json:"device"`
	Time       time.Time    `json:"time"`           // when the measurement ended
	Perf       string       `json:"perf,omitempty"` // version of the program that measured
	// Origin is the program that measured, where it was another one. Then there need be neither a source nor a launch, nor, beside
	// metrics, trials.
	Origin  string            `json:"origin,omitempty"`
	Metrics map[string]Metric `json:"metrics,omitempty"` // what a profiler has counted, by its names
}

// Metric is what a profiler has counted or computed of a launch.
type Metric struct {
	Value float64 `json:"value"`
	Unit  string  `json:"unit,omitempty"` // as the profiler writes it
}

// Seconds returns the median of the trials; it is NaN for a record whose status is not OK.
func (r Record) Seconds() float64 {
	if r.Status != OK || r.Summary == nil {
		return math.NaN()
	}
	return r.Summary.Median
}

// EnergyMetric is the metric of a record with the joules that the device uses for a run, and PowerMetric that of its watts while runs followed each other. Where they
// did so with gaps, their quotient is more than the time of a run.
const (
	EnergyMetric = "energy"
	PowerMetric  = "power"
)

// SetMetric adds a metric; the map that the record had stays as it is.
func (r *Record) SetMetric(name string, m Metric) {
	all := map[string]Metric{name: m}
	maps.Copy(all, r.Metrics)
	r.Metrics = all
}

// Check returns what makes the record unfit to be written or used, or nil.
func (r Record) Check() error {
	if err := r.checkFields(); err != nil {
		return err
	}
	for i, t := range r.Trials {
		if !(t > 0) || math.IsInf(t, 0) {
			return fmt.Errorf("trials[%d] is %g, not a positive time", i, t)
		}
	}
	for name, m := range r.Metrics {
		if name == "" || math.IsNaN(m.Value) || math.IsInf(m.Value, 0) {
			return fmt.Errorf("metrics: %g is no value of %q", m.Value, name)
		}
	}
	if err := r.Compiled.Code.check(); err != nil {
		return fmt.Errorf("compiled.code: %w", err)
	}
	for _, c := range r.Verified {
		if err := c.check(); err != nil {
			return fmt.Errorf("verified: %w", err)
		}
	}
	if r.Sentinel != nil {
		if err := r.Sentinel.check(); err != nil {
			return fmt.Errorf("sentinel: %w", err)
		}
	}
	if r.Summary != nil {
		if want := Summarize(r.Trials); !r.Summary.near(want) {
			return fmt.Errorf("its summary, with a median of %g s, is not that of its trials, with one of %g s", r.Summary.Median, want.Median)
		}
	}
	return nil
}

// checkFields checks what the fields say, one by one and of each other.
func (r Record) checkFields() error {
	own := r.Origin == ""
	switch {
	case r.Version < 1 || r.Version > Version:
		return fmt.Errorf("version is %d, this program knows 1 to %d", r.Version, Version)
	case r.Version < 2 && (r.Sentinel != nil || r.Clocks != nil):
		return fmt.Errorf("version %d has neither sentinel nor clocks", r.Version)
	case r.Kernel.Source == "":
		return fmt.Errorf("kernel.source is empty")
	case (own || r.SourceHash != "") && (len(r.SourceHash) != 64 || strings.Trim(r.SourceHash, "0123456789abcdef") != ""):
		return fmt.Errorf("source_hash %q is not 64 hex digits", r.SourceHash)
	case r.Entry == "":
		return fmt.Errorf("entry is empty")
	case own && len(r.Global) < 1 || len(r.Global) > 3:
		return fmt.Errorf("global has %d dimensions, not 1 to 3", len(r.Global))
	case len(r.Local) != 0 && len(r.Local) != len(r.Global):
		return fmt.Errorf("local has %d dimensions, global has %d", len(r.Local), len(r.Global))
	case !r.Mode.Valid():
		return fmt.Errorf("mode %q is neither %q nor %q", r.Mode, Warm, Cold)
	case !r.Status.Valid():
		return fmt.Errorf("unknown status %q", r.Status)
	case r.Device.Name == "" || r.Device.Platform == "":
		return fmt.Errorf("device has no name or no platform")
	case r.Time.IsZero():
		return fmt.Errorf("time is missing")
	case r.Status == OK && len(r.Trials) == 0 && (own || len(r.Metrics) == 0):
		return fmt.Errorf("status is ok, but there are no trials")
	case r.Status != OK && r.Error == "":
		return fmt.Errorf("status is %s, but error does not say why", r.Status)
	case (len(r.Trials) > 0) != (r.Summary != nil):
		return fmt.Errorf("trials and summary go together")
	}
	return nil
}

// SameWork reports whether two records of one kernel time the same thing: equal source, launch and cache mode.
func (r Record) SameWork(o Record) bool {
	return r.SourceHash == o.SourceHash && r.Entry == o.Entry && r.Options == o.Options && r.Mode == o.Mode &&
		slices.Equal(r.Global, o.Global) && slices.Equal(r.Local, o.Local)
}
