// Package roofline sets what kernels achieve beside what a device can do (Williams, Waterman and Patterson, "Roofline", 2009), at each level of the memory
// hierarchy (Yang, Kurth and Williams, "Hierarchical Roofline analysis for GPUs", 2020): operations per second over operations per byte that the level moves.
package roofline

import (
	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/features"
	"gpuperf/launch"
	"gpuperf/samples"
	"gpuperf/workload"
)

// Roofline is what a launch does in its time, and the roofs over it.
type Roofline struct {
	Seconds    float64 `json:"seconds"` // of the launch, measured or predicted
	FLOP       float64 `json:"flop"`    // a multiply-add counts as two
	DType      string  `json:"dtype"`   // of most of the operations
	Arithmetic float64 `json:"arithmetic_per_second"`
	Levels     []Level `json:"levels"` // from DRAM to the multiprocessors; those that move nothing are left out
}

// Level is a level of the memory hierarchy.
type Level struct {
	Name  string  `json:"name"`
	Bytes float64 `json:"bytes"`            // that it moves for the launch
	Rate  float64 `json:"bytes_per_second"` // that it can move
}

// Intensity is the operations for each byte of a level.
func (r *Roofline) Intensity(l Level) float64 { return r.FLOP / l.Bytes }

// Achieved is the operations per second of the launch.
func (r *Roofline) Achieved() float64 { return r.FLOP / r.Seconds }

// The levels. L1 and local memory share one path (NVIDIA, "CUDA C++ Programming Guide", compute capability 9.0: unified data cache).
const (
	DRAM = "DRAM"
	L2   = "L2"
	L1   = "L1 and local memory"
)

// Of is the roofline of a case that takes a time, in seconds, with the caches as they were; nil where the case has no floating-point operation with a known
// peak, or its traffic is not known.
func Of(c *workload.Case, on *facts.Device, caches samples.Mode, seconds float64) (*Roofline, error) {
	lanes := int(on.Int(facts.SubgroupSize))
	counts, err := c.Counts(features.Options{SubgroupSize: lanes})
	if err != nil {
		return nil, err
	}
	r := &Roofline{Seconds: seconds}
	if r.FLOP, err = c.FLOP(counts); err != nil || r.FLOP == 0 || !(seconds > 0) {
		return nil, err
	}
	w, err := c.Work(counts, counts.Records)
	if err != nil {
		return nil, err
	}
	most := 0.0
	for _, o := range w.Operations {
		if peak, known := machine.ArithmeticPeak(on, o.DType, "madd", "FLOP/s"); known && o.Count > most {
			most, r.DType, r.Arithmetic = o.Count, o.DType, peak.Rate
		}
	}
	if most == 0 {
		return nil, nil
	}
	t, err := c.Traffic(on, lanes)
	if err != nil || t == nil {
		return nil, err
	}
	moved := t.DRAMReads + t.DRAMWrites
	if caches == samples.Warm {
		moved = t.WarmReads + t.WarmWrites
	}
	r.add(DRAM, moved, machine.GlobalPeak, on)
	r.add(L2, (t.L2Loads+t.L2Stores)*launch.SectorBytes, machine.L2Peak, on)
	path, err := pathBytes(c, on, lanes)
	if err != nil {
		return nil, err
	}
	r.add(L1, path, machine.LocalPeak, on)
	return r, nil
}

// pathBytes is what the banks of L1 and local memory could have moved in the cycles that they take: bank conflicts and lines that are used in part count whole, and what
// compilers keep in registers does not.
func pathBytes(c *workload.Case, on *facts.Device, lanes int) (float64, error) {
	p, err := c.Static(launch.Options{SubgroupSize: lanes, Device: on, Compiled: true})
	if err != nil {
		return 0, err
	}
	cycles, err := p.Totals(c.Sizes, []string{"f_static_wavefronts"})
	if err != nil {
		return 0, err
	}
	return cycles[0] * on.Value(facts.LocalBytesPerClock), nil
}

func (r *Roofline) add(name string, bytes float64, peak func(*facts.Device) (machine.Peak, bool), on *facts.Device) {
	if p, known := peak(on); known && bytes > 0 {
		r.Levels = append(r.Levels, Level{name, bytes, p.Rate})
	}
}
