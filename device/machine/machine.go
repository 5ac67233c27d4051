// Package machine answers what a device can do, from its data sheet: occupancy (occupancy.go), caches and how local memory divides them,
// what its compiler does to loops, the rough cost of work, for choices, and the least time that work takes (roof.go).
//
// Facts are data (package facts). Where an answer needs a fact that is not known it says so, or takes the order of magnitude of typical devices: Of does the latter,
// for choices that are right whatever they are made by, as those of compilers.
package machine

import (
	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/samples"
)

// Usual is the data sheet of the device for which code is made where nobody names one: the one whose recorded times judge what is chosen.
const Usual = "NVIDIA H200"

// Machine is a device as choices are made by it.
type Machine struct {
	Name            string
	Multiprocessors int64
	Schedulers      int64   // of a multiprocessor
	Subgroup        int64   // work-items that execute together
	Line, Sector    int64   // bytes
	MostItems       int64   // work-items of a work-group
	MostLocal       int64   // bytes of local memory that a work-group may declare
	MostAdded       int64   // bytes of it that one may have where the launch says how much
	MostRegisters   int64   // of a work-item
	MostGroups      int64   // work-groups of a launch along each axis but the first
	Full            int64   // work-items that all multiprocessors hold
	CPU             bool    // the device is one; all else is of the usual GPU
	Function        float64 // additions that take as long as a division or a function
	Product         float64 // cycles of a matrix instruction of 16x8x16 halves in a scheduler; 0 where there is none, or code is in a language without it

	device  *facts.Device
	seconds float64 // of a cycle
	launch  float64 // seconds of an empty launch
	dram    float64 // B/s
	second  float64 // bytes that L2 gives a multiprocessor in a cycle, when no other asks
	wait    float64 // cycles of a load that L2 serves
	away    float64 // cycles of a load that DRAM serves
	add     float64 // cycles of an addition, until one that needs it
	halt    float64 // cycles of a barrier, with what stores to local memory before it and loads behind it
}

// Of is the machine of a device. What is not known of it is as typical devices have it; of CPUs, for which there are no such forms, nothing is taken, and the
// machine is the usual one.
func Of(d *facts.Device) *Machine {
	cpu := d != nil && d.CPU()
	if d == nil || cpu {
		d, _ = facts.Named(Usual)
	}
	product := 0.0
	if d.Known(facts.TensorGap) {
		product = d.Value(facts.TensorGap)
	}
	d = d.Typical()
	m := &Machine{
		Product: product,
		Name:    d.Name(), Multiprocessors: d.Int(facts.Multiprocessors), Schedulers: d.Int(facts.SubPartitions), Subgroup: d.Int(facts.SubgroupSize),
		Line: d.Int(facts.LineBytes), Sector: d.Int(facts.SectorBytes), MostItems: d.Int(facts.ItemsPerGroup), MostLocal: min(d.Int(facts.DeclaredLocal), d.Int(facts.LocalPerGroup)), MostGroups: min(d.Int(facts.GroupsY), d.Int(facts.GroupsZ)),
		MostAdded: d.Int(facts.LocalPerGroup), MostRegisters: d.Int(facts.RegistersPerItem), device: d, seconds: 1e-6 / d.Value(facts.ClockMHz), launch: d.Value(facts.LaunchSeconds), dram: d.Value(facts.MemoryBandwidth),
		Function: d.Value(facts.FunctionLatency), add: d.Value(facts.FMALatency),
		second: d.Value(facts.L2PortBytesPerClock), wait: d.Value(facts.L2Latency), away: d.Value(facts.DRAMLatency),
		halt: d.Value(facts.BarrierLatency) + 3*d.Value(facts.SharedLatency),
	}
	m.CPU = cpu
	m.Full = m.Multiprocessors * d.Int(facts.Items)
	return m
}

// Told is the machine of a device that tells what it is, and what it refuses beyond.
func Told(i device.Info) *Machine {
	m, l := Of(facts.Of(i.Fingerprint)), facts.Limits(i)
	if i.Interface != samples.CUDA {
		m.Product = 0
	}
	for _, one := range []struct {
		most  *int64
		limit int64
	}{{&m.MostItems, l.GroupItems}, {&m.MostLocal, l.Local}, {&m.MostLocal, l.Declared}, {&m.MostAdded, l.Local}} {
		if one.limit > 0 {
			*one.most = min(*one.most, one.limit)
		}
	}
	return m
}

// Named is the machine with the data sheet of a name or in a file.
func Named(nameOrPath string) (*Machine, error) {
	d, err := facts.Sheet(nameOrPath)
	if err != nil {
		return nil, err
	}
	return Of(d), nil
}

// String is the name of the device.
func (m *Machine) String() string { return m.Name }
