package emulate

import (
	"slices"
	"testing"
	"time"

	"gpuperf/device/facts"
	"gpuperf/emulate/emulatetest"
)

// BenchmarkLaunches emulates the recorded launches of the half of the development set that was looked at, one by one: the median and the longest time
// that one takes. With sensitivities, which take several runs, every eighth is emulated.
func BenchmarkLaunches(b *testing.B) {
	d, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		b.Fatal(err)
	}
	var kernels []emulatetest.Kernel
	for _, of := range []string{".jsonl.gz", "_further.jsonl.gz"} {
		more, err := emulatetest.Development("../testdata/emulate/choose.txt", "../testdata/h200/listings_emulate"+of, nil)
		if err != nil {
			b.Fatal(err)
		}
		kernels = append(kernels, more...)
	}
	for _, with := range []struct {
		name        string
		sensitivity bool
		every       int
	}{{"time", false, 1}, {"sensitivity", true, 8}} {
		b.Run(with.name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				for i := 0; i < len(kernels); i += with.every {
					in := Input{Function: kernels[i].Function, Job: kernels[i].Job, Device: d, Sensitivity: with.sensitivity}
					began := time.Now()
					if _, err := Run(in); err != nil {
						b.Fatal(err)
					}
					took = append(took, time.Since(began))
				}
			}
			slices.Sort(took)
			b.ReportMetric(took[len(took)/2].Seconds()*1e3, "median-ms")
			b.ReportMetric(took[len(took)-1].Seconds()*1e3, "longest-ms")
		})
	}
}
