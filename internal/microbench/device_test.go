package microbench

import (
	"os"
	"testing"

	"gpuperf/device"
	"gpuperf/device/devicetest"
	"gpuperf/samples"
	"gpuperf/workload"
)

// TestSmallRunsOnDevice: a device computes what the interpreter does, of every eighth small run, with LONG=1 of each, its first variant.
func TestSmallRunsOnDevice(t *testing.T) {
	dev := devicetest.Open(t)
	c := load(t)
	devicetest.Together(dev, len(smallRuns), func(i int, dev device.Device) {
		s := smallRuns[i]
		if i%16 > 0 && os.Getenv("LONG") == "" {
			return // to build takes most of the time
		}
		list, err := c.choose(s.filter, "")
		if err != nil {
			t.Errorf("%s: %v", s.filter, err)
			return
		}
		v := list[0]
		k, err := v.Kernel()
		if err != nil {
			t.Errorf("%s: %v", v, err)
			return
		}
		w := &workload.Case{Kernel: workload.NewKernel(k), Identity: samples.Identity{Source: v.Generator, Sizes: v.Sizes}, Sizes: v.Sizes}
		if _, err := w.Compare(t.Context(), dev); err != nil {
			t.Errorf("%s: %v", v, err)
		}
	})
}
