package tailor

import (
	"fmt"

	"gpuperf/features"
	"gpuperf/kernel"
	"gpuperf/workload"
)

// bytes is the footprint of a subject in global memory.
func (s *subject) bytes(at map[string]int64) (float64, error) {
	sum := 0.0
	for _, t := range s.dtypes() {
		n, err := valueOf(s.stats, "f_mem_footprint_global_"+string(t), at)
		if err != nil {
			return 0, err
		}
		sum += n * float64(t.Size())
	}
	return sum, nil
}

func valueOf(s *features.Statistics, feature string, at map[string]int64) (float64, error) {
	id, err := features.ParseID(feature)
	if err != nil {
		return 0, err
	}
	return s.Value(id, at)
}

// Rates of a device of which nothing is known, those of a large one.
const (
	someBandwidth = 2e12 // bytes of global memory per second
	someRate      = 2e13 // multiply-adds of a lane per second
	launchTime    = 4e-6 // of a kernel that does nothing
	groupTime     = 6e-10
	loadTime      = 2e-7 // between two loads of a work-item one after the other
	localShare    = 0.25 // accesses to local memory per multiply-add in the same time
	residentItems = 2048 // of a multiprocessor
)

// Estimate is roughly how long a case runs, in seconds: the largest of what its work takes at plain rates. It is for a look
// at how long a calibration takes, and for the weights of rows before any time is known.
func (m Machine) Estimate(c *workload.Case) (float64, error) {
	lanes := m.Lanes
	if lanes == 0 {
		lanes = 32
	}
	s, err := c.Statistics(features.Options{SubgroupSize: int(lanes)})
	if err != nil {
		return 0, err
	}
	bandwidth, rate, units := m.bandwidth(), m.Rate, float64(m.Units)
	if rate == 0 {
		rate = someRate
	}
	if units == 0 {
		units = Options{}.unitsFloat()
	}
	size, err := c.IR.LocalSize()
	if err != nil {
		return 0, err
	}
	items := float64(size[0] * size[1] * size[2])
	groups, err := valueOf(s, "f_thread_groups", c.Sizes)
	if err != nil {
		return 0, err
	}
	var moved, arithmetic, inTurn float64
	for _, r := range s.Records {
		v, err := r.Count.Eval(c.Sizes)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", c, err)
		}
		n, _ := v.Float64()
		switch k := r.Key.(type) {
		case features.Op:
			arithmetic += n * float64(lanes)
		case features.Mem:
			if k.Space == kernel.Local {
				arithmetic += n * float64(lanes) / localShare
				continue
			}
			turns := items
			if k.Granularity == features.SubGroup {
				turns = max(1, items/float64(lanes))
			} else {
				moved += n * float64(k.DType.Size())
			}
			if k.Direction == features.Load && groups > 0 {
				inTurn += n / groups / turns
			}
		}
	}
	waves := max(1, groups*items/(units*residentItems))
	t := max(moved/bandwidth, arithmetic/rate, groups*groupTime, min(inTurn*loadTime/4*waves, 8*moved/bandwidth+inTurn*loadTime/4))
	return launchTime + t, nil
}

func (m Machine) bandwidth() float64 {
	if m.Bandwidth > 0 {
		return m.Bandwidth
	}
	return someBandwidth
}

func (o Options) unitsFloat() float64 { return float64(o.units()) }
