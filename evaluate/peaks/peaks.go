// Package peaks knows the peak rates of devices.
//
// The facts are data with a source for each (peaks.yaml, in the format of schema.json, read by Parse). Of finds a device by its
// fingerprint, and the Device's methods derive the peak that bounds a kind of work: arithmetic and local memory from
// multiprocessors, width and clock, global memory from the vendor's bandwidth. A device that is not in the table has no peaks;
// nothing is guessed. Peaks are for judging a fitted cost; no prediction depends on them.
package peaks

import (
	_ "embed"
	"fmt"
	"slices"
	"sync"

	"gpuperf/features"
	"gpuperf/samples"
)

//go:embed peaks.yaml
var table []byte

// Schema is the JSON schema of tables of peaks.
//
//go:embed schema.json
var Schema []byte

// Fact is a number with its source.
type Fact struct {
	Value  float64
	Source string
}

// Device is what is known about a model of device.
type Device struct {
	Names              []string // as drivers report them
	Multiprocessors    Fact
	ClockMHz           Fact
	MaddsPerClock      map[string]Fact // per multiprocessor, by data type
	LocalBytesPerClock Fact            // per multiprocessor
	MemoryBandwidth    Fact            // B/s
	StatedFLOPs        map[string]Fact // FLOP/s by data type, as the vendor rounds them
}

// L2 is the size of the L2 cache in bytes, which stands in the table of package features; zero where it is not known.
func (d *Device) L2() Fact {
	for _, name := range d.Names {
		if h := features.HardwareOf(name); h != nil {
			return Fact{Value: float64(h.L2Bytes), Source: h.Sources["l2_bytes"]}
		}
	}
	return Fact{}
}

var devices = sync.OnceValues(func() ([]Device, error) { return Parse("peaks.yaml", table) })

// Of returns the device with the fingerprint's name and number of multiprocessors, nil where none is known.
func Of(f samples.Fingerprint) *Device {
	all, err := devices()
	if err != nil {
		panic(err) // the embedded table is ours
	}
	i := slices.IndexFunc(all, func(d Device) bool {
		return slices.Contains(d.Names, f.Name) && int64(d.Multiprocessors.Value) == f.ComputeUnits
	})
	if i < 0 {
		return nil
	}
	return &all[i]
}

// Peak is the highest rate of a kind of work.
type Peak struct {
	Rate    float64
	Unit    string // "FLOP/s", "op/s" or "B/s"
	Formula string // how the rate comes about
	Source  string
}

// simple operations take as long as a multiply-add, which does twice the work (CUDA C++ Programming Guide, throughput of
// native arithmetic instructions).
var simple = []string{"add", "mul"}

// Arithmetic returns the peak of an operation ("add", "mul" or "madd") of a data type, in FLOP/s, or in op/s when a
// multiply-add counts as one; false where it is not known.
func (d *Device) Arithmetic(dtype, op, unit string) (Peak, bool) {
	lanes, ok := d.MaddsPerClock[dtype]
	work := 1.0
	switch {
	case !ok, unit != "FLOP/s" && unit != "op/s", op != "madd" && !slices.Contains(simple, op):
		return Peak{}, false
	case op == "madd" && unit == "FLOP/s":
		work = 2
	}
	p := d.perClock(lanes, work)
	p.Unit = unit
	p.Formula = fmt.Sprintf("%g multiprocessors × %g lanes × %g × %g MHz", d.Multiprocessors.Value, lanes.Value, work, d.ClockMHz.Value)
	return p, true
}

// Local returns the peak of local memory without bank conflicts.
func (d *Device) Local() Peak {
	p := d.perClock(d.LocalBytesPerClock, 1)
	p.Unit = "B/s"
	p.Formula = fmt.Sprintf("%g multiprocessors × %g B × %g MHz", d.Multiprocessors.Value, d.LocalBytesPerClock.Value, d.ClockMHz.Value)
	return p
}

// Global returns the peak of global memory behind the caches.
func (d *Device) Global() Peak {
	return Peak{Rate: d.MemoryBandwidth.Value, Unit: "B/s", Formula: "memory bandwidth", Source: d.MemoryBandwidth.Source}
}

// perClock is the rate of something that every multiprocessor does in each clock.
func (d *Device) perClock(f Fact, work float64) Peak {
	return Peak{Rate: d.Multiprocessors.Value * f.Value * work * d.ClockMHz.Value * 1e6, Source: f.Source}
}

// Named returns the device with the name, nil where none is known, and the names that are.
func Named(name string) (*Device, []string) {
	all, err := devices()
	if err != nil {
		panic(err) // the embedded table is ours
	}
	var known []string
	for i := range all {
		if slices.Contains(all[i].Names, name) {
			return &all[i], nil
		}
		known = append(known, all[i].Names...)
	}
	return nil, known
}
