package workload_test

import (
	"os"
	"path/filepath"
	"testing"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/samples"
)

// Nothing that has run on a device is refused, and as many work-groups run at once as the driver told of the compiled kernel: of recordings that
// have all local memory of a launch, which older ones have not.
func TestRecordedLaunchesFit(t *testing.T) {
	files := []string{"../testdata/h200/lift_division_cuda.jsonl.gz", "../testdata/h200/jacobi.jsonl.gz", "../testdata/h200/interfaces_opencl.jsonl.gz"}
	told := map[string]bool{"lift_division_cuda.jsonl.gz": true, "jacobi.jsonl.gz": true, "lift_varied.jsonl.gz": true, "general.jsonl.gz": true, "product.jsonl.gz": true}
	if os.Getenv("LONG") != "" {
		files, _ = filepath.Glob("../testdata/*/*.jsonl.gz")
	}
	ran, compared := 0, 0
	for _, file := range files {
		set, err := samples.Load(file)
		if err != nil {
			continue // vectors, and counts of instructions
		}
		for r, err := range set.All() {
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != samples.OK || len(r.Local) == 0 {
				continue
			}
			ran++
			c, on := r.Compiled, facts.Of(r.Device)
			job := device.Job{Global: r.Global, Local: r.Local, LocalMem: c.LocalMem, Dynamic: c.DynamicMem}
			if verdict := job.Exceeds(facts.Limits(device.Info{Fingerprint: r.Device})); verdict != nil {
				t.Errorf("%s, %s: %v", file, r.Kernel, verdict)
			}
			group := machine.Group{Items: 1, Registers: c.Registers, Local: c.LocalMem + c.DynamicMem, Subgroup: 32}
			for _, n := range r.Local {
				group.Items *= n
			}
			if why := machine.Fits(on, group); why != "" {
				t.Errorf("%s, %s: %s", file, r.Kernel, why)
			}
			if c.GroupsPerUnit == 0 || c.Registers == 0 || !told[filepath.Base(file)] {
				continue
			}
			compared++
			if n, by := machine.Resident(machine.Limits(on, group)); n != c.GroupsPerUnit {
				t.Errorf("%s, %s: %+v: %d work-groups at once by %s, and the driver says %d", file, r.Kernel, group, n, by, c.GroupsPerUnit)
			}
		}
		set.Close()
	}
	if ran < 1500 || compared < 1500 {
		t.Errorf("only %d launches, and %d compared", ran, compared)
	}
}
