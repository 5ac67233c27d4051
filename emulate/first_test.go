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

// firstFolder and blindFolder have kernels that were predicted from their source before they were measured. The second has buffers whose contents count.
const (
	firstFolder = "../testdata/emulate/first/"
	blindFolder = "../testdata/emulate/blind/"
)

// TestFirst predicts them once more, and compares with bars: the median and the mean error of each list.
func TestFirst(t *testing.T) {
	if !long {
		t.Skip("LONG=1 emulates 250 launches")
	}
	blind := withContents(t, blindFolder)
	for _, list := range []struct {
		name, folder, file string
		median, mean       float64
	}{
		{"first", firstFolder, "list.txt", 0.12, 0.22},
		{"choose", blind, "choose.txt", 0.1, 0.16},
		{"report", blind, "report.txt", 0.14, 0.22},
	} {
		t.Run(list.name, func(t *testing.T) {
			t.Parallel()
			e := firstErrors(t, list.folder, list.file)
			if e.median > list.median || e.mean > list.mean {
				t.Error("kernels from source are predicted less well than they were")
			}
		})
	}
}

// firstErrors are those of a list of launches in a folder with their measured times.
func firstErrors(t *testing.T, folder, file string) errors {
	kernels, err := emulatetest.Development(folder+file, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	times := measuredTimes(t, folder, "h200_us")
	var off []float64
	for _, k := range kernels {
		p, err := compile.Job(context.Background(), k.Job, compile.Options{Architecture: "sm_90", Name: "kernel.cu"})
		if err != nil {
			t.Fatal(err)
		}
		in := Input{Function: p.Function, Job: k.Job, Device: sheet(t), Compiled: true}
		in.Code.Shared = p.Shared
		r, err := Run(in)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(path.Base(k.Line), ".yaml")
		measured := times[name] - eventSeconds
		t.Logf("%-20s %8.1f µs from source, %8.1f measured: %.2f, interval %.2f to %.2f", name, 1e6*r.Seconds, 1e6*measured, r.Seconds/measured, r.Interval[0]/measured, r.Interval[1]/measured)
		off = append(off, math.Abs(r.Seconds/measured-1))
	}
	e := averaged(off)
	t.Logf("%d launches: geometric %.1f %%, mean %.1f %%, median %.1f %%, worst %.1f %%", e.n, 100*e.geometric, 100*e.mean, 100*e.median, 100*off[e.n-1])
	return e
}
