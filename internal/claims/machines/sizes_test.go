package machines

import (
	"testing"

	"gpuperf/device/machine"
	"gpuperf/internal/campaign"
	"gpuperf/internal/microbench"
	"gpuperf/models/library"
)

// TestSizesOfOthers: whatever number of multiprocessors a device has, all measurement kernels of the model for any kernel have sizes on it.
func TestSizesOfOthers(t *testing.T) {
	model, err := campaign.LoadModel(library.General)
	if err != nil {
		t.Fatal(err)
	}
	all, err := microbench.Load()
	if err != nil {
		t.Fatal(err)
	}
	usual := 0
	for _, multiprocessors := range []int64{132, 3, 15, 20, 80, 108, 114, 144} {
		n := 0
		for _, m := range model.Measure {
			f, err := microbench.ParseFilter(m.Tags, m.Match)
			if err == nil {
				f, err = f.For(campaign.Multiples(&machine.Machine{Multiprocessors: multiprocessors}))
			}
			if err != nil {
				t.Fatal(err)
			}
			variants, err := all.Select(f)
			if err != nil {
				t.Errorf("%d multiprocessors, %v: %v", multiprocessors, m.Tags, err)
			}
			n += len(variants)
		}
		if multiprocessors == 132 {
			usual = n
		}
		if n != usual {
			t.Errorf("%d multiprocessors: %d measurement kernels, and %d of the H200", multiprocessors, n, usual)
		}
	}
}
