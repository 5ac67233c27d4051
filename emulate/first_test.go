package emulate

import (
	"context"
	"math"
	"path"
	"strings"
	"testing"

	"gpuperf/compile"
	"gpuperf/emulate/emulatetest"
)

// firstFolder has kernels that were predicted from their source before they were measured.
const firstFolder = "../testdata/emulate/first/"

// Bars of these launches: their median and their mean error.
const firstMedian, firstMean = 0.12, 0.22

// TestFirst predicts them once more.
func TestFirst(t *testing.T) {
	if !long {
		t.Skip("LONG=1 emulates two dozen launches")
	}
	t.Parallel()
	kernels, err := emulatetest.Development(firstFolder+"list.txt", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	times := measuredTimes(t, firstFolder, "h200_us")
	var off []float64
	for _, k := range kernels {
		p, err := compile.Job(context.Background(), k.Job, compile.Options{Architecture: "sm_90", Name: "kernel.cu"})
		if err != nil {
			t.Fatal(err)
		}
		in := Input{Function: p.Function, Job: k.Job, Device: sheet(t)}
		in.Code.Shared = p.Shared
		r, err := Run(in)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(path.Base(k.Line), ".yaml")
		measured := times[name] - eventSeconds
		t.Logf("%-20s %8.1f µs from source, %8.1f measured: %.2f", name, 1e6*r.Seconds, 1e6*measured, r.Seconds/measured)
		off = append(off, math.Abs(r.Seconds/measured-1))
	}
	e := averaged(off)
	t.Logf("%d launches: geometric %.1f %%, mean %.1f %%, median %.1f %%, worst %.1f %%", e.n, 100*e.geometric, 100*e.mean, 100*e.median, 100*off[e.n-1])
	if e.median > firstMedian || e.mean > firstMean {
		t.Error("kernels from source are predicted less well than they were")
	}
}
