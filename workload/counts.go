package workload

import (
	"cmp"
	"fmt"

	"gpuperf/features"
	"gpuperf/launch"
)

// Counting are the options that count what the kernel does: those that are given, and only what runs where the kernel asks for that.
func (k *Kernel) Counting(o features.Options) features.Options {
	if k.AsRun {
		o.ExactBranches, o.FreeControl = true, true
	}
	return o
}

// Statistics returns the symbolic counts of the kernel, which equal kernels share (cache.go).
func (k *Kernel) Statistics(options features.Options) (*features.Statistics, error) {
	if err := k.checkSubgroup(options.SubgroupSize); err != nil {
		return nil, err
	}
	return counted.statistics(k.IR, k.key(), options)
}

// Counts returns the counts of the kernel at the sizes of the case: numbers, which take much less time than the symbolic counts.
func (c *Case) Counts(options features.Options) (*features.Statistics, error) {
	if err := c.checkSubgroup(options.SubgroupSize); err != nil {
		return nil, err
	}
	return counted.at(c.IR, c.key(), options, c.Sizes)
}

// checkSubgroup is an error where the text asks for its sub-groups, and was read for others than those of so many work-items; 0 are the default.
func (k *Kernel) checkSubgroup(size int) error {
	read, size := k.IR.Subgroup, cmp.Or(size, launch.DefaultSubgroup)
	if read == nil || read.Size == int64(size) {
		return nil
	}
	text := fmt.Sprintf("the kernel was read for sub-groups of %d work-items, which are asked for here, and it is counted for those of %d", read.Size, size)
	if k.Own == nil || k.Own.Place == nil {
		return fmt.Errorf("kernel %s: %s", k.IR.Name, text)
	}
	return k.Own.Place(read.At, text).WithHint("perf count and perf feature read it for others: --subgroup-size %d", size)
}
