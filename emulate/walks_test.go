package emulate

import (
	"cmp"
	"os"
	"path"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/emulate/emulatetest"
)

// walksFolder has kernels as one writes them who does not know how they are priced, each with the ways to write it that differ most.
const walksFolder = "../testdata/emulate/walks/"

// Bars of these launches from their sources: the median error of the half that is looked at, and of the other.
const walksError, walksUnseen = 0.15, 0.2

// TestWalks emulates them from their sources and from their machine code, by what was measured. REPORT=1 takes the other half.
func TestWalks(t *testing.T) {
	if !long {
		t.Skip("LONG=1 emulates a dozen launches twice")
	}
	t.Parallel()
	kernels, err := emulatetest.Development(walksFolder+half()+".txt", "../testdata/h200/listings_emulate_walks.jsonl.gz", nil)
	if err != nil {
		t.Fatal(err)
	}
	times := measuredTimes(t, walksFolder, "h200_us")
	var all []fromSource
	for _, k := range kernels {
		name := strings.TrimSuffix(path.Base(k.Line), ".yaml")
		if only := os.Getenv("KERNEL"); only != "" && !strings.Contains(name, only) {
			continue
		}
		spread(&k.Job)
		f, why := compareSource(t, k, times[name]-eventSeconds)
		if why != "" {
			t.Errorf("%s: %s", name, why)
			continue
		}
		all = append(all, f)
	}
	if len(all) == 0 {
		return
	}
	mean, binary := 0.0, 0.0
	for _, f := range all {
		mean, binary = mean+f.off()/float64(len(all)), binary+f.sass()/float64(len(all))
	}
	off := middleOf(all, fromSource.off)
	t.Logf("%d launches: median error %.1f %% (mean %.1f %%) from source and %.1f %% (%.1f %%) from SASS", len(all), 100*off, 100*mean, 100*middleOf(all, fromSource.sass), 100*binary)
	if bar := map[string]float64{"choose": walksError}[half()]; off > cmp.Or(bar, walksUnseen) {
		t.Errorf("the median error is above %.0f %%", 100*cmp.Or(bar, walksUnseen))
	}
}

// spread gives bytes and words that choose elements of tables values that are spread evenly, as the measured launches had them.
func spread(job *device.Job) {
	for i := range job.Args {
		a := &job.Args[i]
		if i == 0 && a.Kind == device.Buffer && (a.DType == "uint8" || a.DType == "int32") {
			a.Formula = device.Formula{"i", "12.9898", "*", "sin", "43758.5453", "*", "1", "%", "256", "*", "floor"}
		}
	}
}
