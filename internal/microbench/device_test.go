package microbench

import (
	"os"
	"testing"

	"gpuperf/device/devicetest"
	"gpuperf/samples"
	"gpuperf/workload"
)

// TestSmallRunsOnDevice: a device computes what the interpreter does, of every fourth small run, with LONG=1 of each, its first variant.
func TestSmallRunsOnDevice(t *testing.T) {
	dev := devicetest.Open(t)
	c := load(t)
	for i, s := range smallRuns {
		if i%4 > 0 && os.Getenv("LONG") == "" {
			continue // to build takes most of the time
		}
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
