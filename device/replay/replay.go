// Package replay is a device that answers from recorded samples, so that everything behind a measurement runs where the
// device is not.
//
// A [Device] finds the record of a job by the kernel's identity, its sizes and the cache mode. A record whose source
// or launch differs from the job's answers all the same, with a warning, as an edited kernel mostly
// takes what it took; a failure that was recorded is the same failure again; and what was never recorded is
// a [*MissingError]. Outputs are not recorded: results cannot be checked.
package replay

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"gpuperf/device"
	"gpuperf/internal/format"
	"gpuperf/internal/source"
	"gpuperf/internal/warning"
	"gpuperf/samples"
)

// Prefix introduces a samples file where a device is named: replay:samples.jsonl.
const Prefix = "replay:"

// Device answers from a samples file.
type Device struct {
	path string
	set  *samples.Set
	info device.Info
}

var _ device.Device = (*Device)(nil)

// Open reads a samples file, which must hold at least one record.
func Open(path string) (*Device, error) {
	set, err := samples.Load(path)
	if err != nil {
		return nil, err
	}
	if err := set.Own(); err != nil {
		set.Close()
		return nil, err
	}
	d := &Device{path: path, set: set}
	fingerprint, ok := d.set.Device()
	if !ok {
		set.Close()
		return nil, &source.Error{Msg: path + " holds no sample to replay"}
	}
	d.info = device.Info{Fingerprint: fingerprint, Library: Prefix + path}
	return d, nil
}

// Info describes the device that the samples were recorded on.
func (d *Device) Info() device.Info { return d.info }

// Warnings returns what was odd about the file.
func (d *Device) Warnings() []error { return d.set.Warnings }

// Close closes the file.
func (d *Device) Close() error { return d.set.Close() }

// Run answers with the newest record of the job. Result.Recorded is that record.
func (d *Device) Run(ctx context.Context, job device.Job) (*device.Result, error) {
	if err := device.Interrupted(ctx); err != nil {
		return nil, err
	}
	r, state, err := d.set.Find(job.Record())
	if err != nil {
		return nil, err
	}
	if state == samples.Missing {
		return nil, d.missing(job)
	}
	if r.Status != samples.OK {
		e := device.Errorf(r.Status, "%s", r.Error)
		e.Log = r.Log
		return nil, e
	}
	warnings := slices.Clone(r.Warnings)
	if state == samples.Stale {
		changed := "launch"
		if job.SourceHash() != r.SourceHash {
			changed = "source"
		}
		warnings = append(warnings, warning.Changed.About("", "the %s has changed since it was recorded on %s", changed, r.Time.Format(time.DateOnly)))
	}
	return &device.Result{
		Trials:    slices.Clone(r.Trials),
		BuildTime: time.Duration(r.BuildTime * float64(time.Second)),
		Compiled:  r.Compiled,
		Warnings:  warnings,
		Recorded:  &r,
	}, nil
}

// MissingError says that a job was never recorded.
type MissingError struct {
	Path     string
	Identity samples.Identity
	Mode     samples.Mode
	Nearest  []samples.Identity // the same kernel at the nearest sizes, nearest first; at most three
}

func (e *MissingError) Error() string {
	msg := fmt.Sprintf("%s: no %s sample of %s", e.Path, e.Mode, e.Identity)
	if len(e.Nearest) == 0 {
		return msg + ", nor of that kernel at any size"
	}
	texts := make([]string, len(e.Nearest))
	for i, id := range e.Nearest {
		texts[i] = cmp.Or(format.SizeList(id.Sizes, " "), "without sizes")
	}
	return msg + "; recorded nearest: " + strings.Join(texts, "; ")
}

func (d *Device) missing(job device.Job) error {
	const most = 3 // of the nearest recorded sizes, in one message
	id := job.Identity
	seen := map[string]bool{}
	var near []samples.Identity
	for r, err := range d.set.Like(id, job.CacheMode()) {
		if err != nil {
			return err
		}
		if k := r.Kernel; !seen[k.Key()] {
			seen[k.Key()] = true
			near = append(near, k)
		}
	}
	slices.SortStableFunc(near, func(a, b samples.Identity) int {
		return cmp.Compare(distance(a.Sizes, id.Sizes), distance(b.Sizes, id.Sizes))
	})
	return &MissingError{Path: d.path, Identity: id, Mode: job.CacheMode(), Nearest: near[:min(most, len(near))]}
}

// distance adds up by how many octaves the sizes differ; a size that only one side has is far.
func distance(a, b map[string]int64) float64 {
	const far = 64 // octaves: more than any two sizes are apart
	names := maps.Clone(a)
	maps.Copy(names, b)
	sum := 0.0
	for _, k := range slices.Sorted(maps.Keys(names)) {
		v, inA := a[k]
		w, inB := b[k]
		switch {
		case inA && inB && v == w:
		case inA && inB && v > 0 && w > 0:
			sum += math.Abs(math.Log2(float64(v) / float64(w)))
		default:
			sum += far
		}
	}
	return sum
}
