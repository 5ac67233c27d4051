package microbench

import (
	"testing"

	"gpuperf/device/devicetest"
	"gpuperf/samples"
	"gpuperf/workload"
)

// TestSmallRunsOnDevice: a device computes what the interpreter does, of each small run its first variant.
func TestSmallRunsOnDevice(t *testing.T) {
	dev := devicetest.Open(t)
	c := load(t)
	for _, s := range smallRuns {
		list, err := c.choose(s.filter, "")
		if err != nil {
			t.Errorf("%s: %v", s.filter, err)
			continue
		}
		v := list[0]
		k, err := v.Kernel()
		if err != nil {
			t.Errorf("%s: %v", v, err)
			continue
		}
		w := &workload.Case{Kernel: workload.NewKernel(k), Identity: samples.Identity{Source: v.Generator, Sizes: v.Sizes}, Sizes: v.Sizes}
		if _, err := w.Compare(t.Context(), dev); err != nil {
			t.Errorf("%s: %v", v, err)
		}
	}
}
