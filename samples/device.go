package samples

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Fingerprint says on which device something was measured, and what of it bears on the time. Memory is in bytes.
type Fingerprint struct {
	Name            string    `json:"name"`
	Vendor          string    `json:"vendor"`
	Driver          string    `json:"driver"`
	Platform        string    `json:"platform"`
	PlatformVersion string    `json:"platform_version"`
	DeviceVersion   string    `json:"device_version"`
	Interface       Interface `json:"interface,omitempty"` // by which the device is driven; "" is OpenCL
	Type            string    `json:"type"`                // gpu, cpu, accelerator, custom
	ComputeUnits    int64     `json:"compute_units"`
	ClockMHz        int64     `json:"clock_mhz"`       // the maximum that the driver states
	SubgroupSize    int64     `json:"subgroup_size"`   // work-items that execute together
	SubgroupSource  string    `json:"subgroup_source"` // which query gave it, or that it is assumed
	GlobalMem       int64     `json:"global_mem"`
	LocalMem        int64     `json:"local_mem"` // per work-group
	MaxAlloc        int64     `json:"max_alloc"` // largest single buffer
	MaxWorkGroup    int64     `json:"max_work_group"`
	MaxWorkItems    []int64   `json:"max_work_items,omitempty"` // per dimension of a work-group
	CacheSize       int64     `json:"cache_size"`               // of global memory, as the driver states it (often only a part)
	Caches          []Cache   `json:"caches,omitempty"`         // of data, innermost first, where the operating system lists them: those of CPUs
	TimerNS         int64     `json:"timer_ns"`                 // resolution of the profiling timer
	Architecture    string    `json:"architecture,omitempty"`   // as sm_90, where the vendor tells
	UUID            string    `json:"uuid,omitempty"`           // 32 hex digits
	PCI             string    `json:"pci,omitempty"`            // domain:bus:device.function
}

// Cache is a cache of a CPU.
type Cache struct {
	Bytes     int64 `json:"bytes"`
	LineBytes int64 `json:"line_bytes"`
	Units     int64 `json:"units"` // logical processors that share it
}

// Interface is a way to drive a device.
type Interface string

// The interfaces. OpenCL is left out of records.
const (
	OpenCL Interface = ""
	CUDA   Interface = "cuda"
)

// Interfaces are those that there are.
var Interfaces = []Interface{OpenCL, CUDA}

// String names the interface.
func (i Interface) String() string { return cmp.Or(string(i), "opencl") }

// trait is something that tells devices apart.
type trait struct{ what, is string }

// model are the traits of a model of devices.
func (f Fingerprint) model() [4]trait {
	return [...]trait{{"name", f.Name}, {"vendor", f.Vendor}, {"type", f.Type}, {"compute units", strconv.FormatInt(f.ComputeUnits, 10)}}
}

// traits are those that tell the device from another one: the UUID where both have one.
func (f Fingerprint) traits(other Fingerprint) [7]trait {
	m, on := f.model(), trait{"interface", f.Interface.String()}
	if f.UUID != "" && other.UUID != "" {
		return [...]trait{m[0], m[1], m[2], m[3], on, {"UUID", f.UUID}, {}}
	}
	return [...]trait{m[0], m[1], m[2], m[3], on, {"platform", f.Platform}, {"place on the bus", f.PCI}}
}

// Same reports whether two fingerprints are of one and the same device, driven by the same interface: another compiler makes other
// times. Where both have a UUID it decides. The driver's version does not count: an update makes no other device.
func (f Fingerprint) Same(g Fingerprint) bool { return f.traits(g) == g.traits(f) }

// Difference says how another device differs from the device, as in "compute units 4, not 16"; "" of the same one. Of another model that is its name.
func (f Fingerprint) Difference(other Fingerprint) string {
	var all []string
	own := f.traits(other)
	for i, t := range other.traits(f) {
		if t != own[i] {
			all = append(all, fmt.Sprintf("%s %s, not %s", t.what, cmp.Or(t.is, "unknown"), cmp.Or(own[i].is, "unknown")))
			if i == 0 {
				break
			}
		}
	}
	return strings.Join(all, "; ")
}

// Alike reports whether two fingerprints are of the same model of device: what one teaches should hold for the other.
func (f Fingerprint) Alike(g Fingerprint) bool { return f.model() == g.model() }

// Covers reports whether what is known of f holds for g: the same device, or one of the kind that f describes by neither a UUID nor a place.
func (f Fingerprint) Covers(g Fingerprint) bool {
	kind := f.UUID == "" && f.PCI == "" && f.Alike(g) && f.Interface == g.Interface && f.Platform == g.Platform
	return kind || f.Same(g)
}

// String names the device for messages: its name, interface, platform of OpenCL and, where known, the start of the UUID.
func (f Fingerprint) String() string {
	s := f.Name + " (" + f.Platform
	if f.Interface == OpenCL {
		s = f.Name + " (OpenCL, " + f.Platform
	}
	if len(f.UUID) >= 8 {
		s += ", uuid " + f.UUID[:8]
	}
	return s + ")"
}
