package emulate

import (
	"testing"

	"gpuperf/emulate/emulatetest"
)

// TestChain: blocks that wait for the one before them are found, and no others, such as those that count in one place.
func TestChain(t *testing.T) {
	d := sheet(t)
	for _, of := range []string{".jsonl.gz", "_further.jsonl.gz"} {
		kernels, err := emulatetest.Development("../testdata/emulate/choose.txt", "../testdata/h200/listings_emulate"+of)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range kernels {
			chain := k.Name == "orders-lookback"
			if !chain && k.Name != "orders-select" && k.Name != "counts-compact" {
				continue
			}
			r, err := Run(Input{Function: k.Function, Job: k.Job, Device: d})
			if err != nil {
				t.Fatal(err)
			}
			c := r.emulation.chain
			if want := r.Work.Groups - 1; chain && (c.links != want || c.fences != 0 || r.Cycles < 500*float64(want)) || !chain && c.links != 0 {
				t.Errorf("%s: %+v of %d blocks, %.0f cycles", k.Line, c, r.Work.Groups, r.Cycles)
			}
		}
	}
}
