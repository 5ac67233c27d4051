package workload_test

import (
	"math"
	"os"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/kernel/script"
	"gpuperf/samples"
	"gpuperf/workload"
)

// TestLeastTimeOfLocalMemory: a transposition through tiles of 16 by 16 words stores them by rows, a wavefront for each sub-group, and loads them by columns,
// of which every other word lies in the same bank: eight wavefronts.
func TestLeastTimeOfLocalMemory(t *testing.T) {
	const n = 4096
	text, err := os.ReadFile("../examples/transpose/transpose.star")
	if err != nil {
		t.Fatal(err)
	}
	variants, err := script.Exec("transpose.star", string(text))
	if err != nil {
		t.Fatal(err)
	}
	v, err := script.Named("transpose.star", variants, "transpose_tiled")
	if err != nil {
		t.Fatal(err)
	}
	c := &workload.Case{Kernel: workload.NewKernel(v.Kernel), Name: v.Name, Sizes: map[string]int64{"n": n}}
	on, _ := facts.Named("NVIDIA H200")
	for _, u := range c.LeastTime(on, nil, samples.Cold).Uses {
		if want := 9.0 * n * n / 32 / (132 * 1980e6); u.Resource == machine.LocalMemory && math.Abs(u.Seconds/want-1) < 1e-9 {
			return
		}
	}
	t.Errorf("uses are %+v", c.LeastTime(on, nil, samples.Cold).Uses)
}
