package modelgen

import (
	"fmt"

	"gpuperf/device/facts"
	"gpuperf/features"
	"gpuperf/kernel"
	"gpuperf/roofline"
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

const (
	arithmeticType = "float32" // whose peak is taken for all types
	wordBytes      = 4         // that an access to local memory moves, whatever its type
)

// Estimate is the approximate run time of a case in seconds: the longest of the times of its parts at the device's rates, or at a typical
// device's where those are unknown. It serves to predict how long a calibration takes, and to weight rows before times are known.
func Estimate(device *facts.Device, c *workload.Case) (float64, error) {
	d := device.Typical()
	lanes := d.Value(facts.SubgroupSize)
	s, err := c.Statistics(features.Options{SubgroupSize: int(lanes)})
	if err != nil {
		return 0, err
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
	work := roofline.Work{Groups: groups, Launches: 1}
	var operations, inTurn float64
	for _, r := range s.Records {
		n, err := r.At(c.Sizes)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", c, err)
		}
		switch k := r.Key.(type) {
		case features.Op:
			operations += n * lanes
		case features.Mem:
			if k.Space == kernel.Local {
				work.LocalBytes += n * lanes * wordBytes
				continue
			}
			turns := items
			if k.Granularity == features.SubGroup {
				turns = max(1, items/lanes)
			} else {
				work.GlobalBytes += n * float64(k.DType.Size())
			}
			if k.Direction == features.Load && groups > 0 {
				inTurn += n / groups / turns
			}
		}
	}
	work.Operations = []roofline.Operations{{DType: arithmeticType, Count: operations}}
	bound := roofline.Of(d, work)
	moving, onChip := bound.Time(roofline.GlobalMemory), bound.Time(roofline.LocalMemory, roofline.ArithmeticOf(arithmeticType))
	waves := max(1, groups*items/(d.Value(facts.Multiprocessors)*d.Value(facts.Items)))
	wait := inTurn * d.Value(facts.LoadSeconds) / 4
	return bound.Launching + max(moving, onChip, bound.Time(roofline.GroupStarts), min(wait*waves, 8*moving+wait)), nil
}
