package emulate

import (
	"math"
	"testing"

	"gpuperf/emulate/emulatetest"
	"gpuperf/samples"
)

// TestGroups holds the times of products by four warps, after LDGSTS and after bulk copies, to what an H200 took for them: these launches were
// recorded apart from the others of the development set.
func TestGroups(t *testing.T) {
	t.Parallel()
	kernels, err := emulatetest.Development("../testdata/emulate/choose.txt", "../testdata/h200/listings_groups.jsonl.gz", nil)
	if err != nil {
		t.Fatal(err)
	}
	d := sheet(t)
	times, err := emulatetest.Measured(recordedAt(kernels, "../testdata/h200/groups.jsonl.gz"), samples.Warm)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, k := range kernels {
		r, err := Run(Input{Function: k.Function, Job: k.Job, Device: d})
		if err != nil {
			t.Fatal(k.Line, err)
		}
		if len(r.Warnings) > 0 {
			t.Errorf("%s: %q", k.Line, r.Warnings)
		}
		measured := times[i].Summary.Median - eventSeconds
		t.Logf("%5.2f  %8.2f us, emulated %8.2f  %s", r.Seconds/measured, measured*1e6, r.Seconds*1e6, k.Line)
		sum += math.Abs(math.Log(r.Seconds / measured))
	}
	const bar = 0.13
	mean := math.Exp(sum/float64(len(kernels))) - 1
	t.Logf("%d launches: error %.3f in the geometric mean", len(kernels), mean)
	if len(kernels) < 12 || mean > bar {
		t.Errorf("%d launches, error %.3f; at least 12, and %g at most", len(kernels), mean, bar)
	}
}
