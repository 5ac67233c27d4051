package workload_test

import (
	"math"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/internal/campaign"
	"gpuperf/internal/frontend"
	"gpuperf/samples"
)

// TestLeastTimeOfLocalMemory: a transposition through tiles of 16 by 16 words stores them by rows, a wavefront for each sub-group, and loads them by columns,
// of which every other word lies in the same bank: eight wavefronts.
func TestLeastTimeOfLocalMemory(t *testing.T) {
	const n = 4096
	cases, err := campaign.Cases(t.Context(), frontend.Options{}, []string{"../examples/transpose/transpose.star#transpose_tiled"}, []map[string]int64{{"n": n}})
	if err != nil {
		t.Fatal(err)
	}
	on, _ := facts.Named("NVIDIA H200")
	for _, u := range cases[0].LeastTime(on, nil, samples.Cold).Uses {
		if want := 9.0 * n * n / 32 / (132 * 1980e6); u.Resource == machine.LocalMemory && math.Abs(u.Seconds/want-1) < 1e-9 {
			return
		}
	}
	t.Errorf("uses are %+v", cases[0].LeastTime(on, nil, samples.Cold).Uses)
}
