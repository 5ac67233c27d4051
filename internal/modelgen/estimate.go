package modelgen

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"

	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/features"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/workload"
)

// bytes is the footprint of a subject in global memory.
func (s *subject) bytes(at map[string]int64) (_ float64, err error) {
	defer throw.Catch(&err)
	sum := 0.0
	for _, t := range s.dtypes() {
		n := s.elements("f_mem_footprint_global_"+string(t), at, func(m features.Mem) bool { return m.DType == t })
		sum += n * float64(t.Size())
	}
	return sum, nil
}

// elements is the footprint that a feature counts, of the accesses that belong to it. Where it is not counted it is at most the number
// of accesses, and that of the elements of each array.
func (s *subject) elements(feature string, at map[string]int64, belongs func(features.Mem) bool) float64 {
	if !s.irregular {
		return throw.Get(valueOf(s.stats, feature, at))
	}
	byArray := map[string]float64{}
	for _, m := range s.global() {
		if !belongs(m) {
			continue
		}
		n := throw.Get(s.count(m, at))
		byArray[m.Variable] = min(byArray[m.Variable]+n, s.extent(m.Variable, at))
	}
	sum := 0.0
	for _, name := range slices.Sorted(maps.Keys(byArray)) { // a sum is that of each run
		sum += byArray[name]
	}
	return sum
}

// extent is the number of elements of an array, infinite where its shape does not say.
func (s *subject) extent(array string, at map[string]int64) float64 {
	n := 1.0
	for _, e := range s.ir.Array(array).Shape {
		v, ok := expr.EvalInt64(e, at)
		if !ok {
			return math.Inf(1)
		}
		n *= float64(v)
	}
	return n
}

// reused is how often an access touches each element, at least where footprints are not counted.
func (s *subject) reused(m features.Mem) (*big.Rat, error) {
	ratio, err := s.stats.AFR(m, s.largest)
	if err == nil || !s.irregular {
		return ratio, err
	}
	n, err := s.count(m, s.largest)
	if err != nil {
		return nil, err
	}
	if m.Granularity == features.SubGroup {
		n *= float64(s.lanes)
	}
	return new(big.Rat).SetFloat64(n / max(1, min(n, s.extent(m.Variable, s.largest)))), nil
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
	s, err := c.Counts(features.Options{SubgroupSize: int(lanes)})
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
	var operations, local, global, inTurn float64
	for _, r := range s.Records {
		n, err := r.At(c.Sizes)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", c, err)
		}
		switch k := r.Key.(type) {
		case features.Op:
			operations += n * lanes
		case features.Mem:
			switch k.Space {
			case kernel.Local:
				local += n * lanes * wordBytes
				continue
			case kernel.Constant:
				continue
			}
			turns := items
			if k.Granularity == features.SubGroup {
				turns = max(1, items/lanes)
			} else {
				global += n * float64(k.DType.Size())
			}
			if k.Direction == features.Load && groups > 0 {
				inTurn += n / groups / turns
			}
		}
	}
	madds, _ := machine.ArithmeticPeak(d, arithmeticType, "madd", "op/s")
	banks, _ := machine.LocalPeak(d)
	memory, _ := machine.GlobalPeak(d)
	moving, onChip := global/memory.Rate, operations/madds.Rate+local/banks.Rate
	waves := max(1, groups*items/(d.Value(facts.Multiprocessors)*d.Value(facts.Items)))
	wait := inTurn * d.Value(facts.LoadSeconds) / 4
	return d.Value(facts.LaunchSeconds) + max(moving, onChip, groups*d.Value(facts.GroupSeconds), min(wait*waves, 8*moving+wait)), nil
}
