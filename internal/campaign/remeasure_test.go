package campaign

import (
	"context"
	"path/filepath"
	"testing"

	"gpuperf/samples"
)

func TestRemeasure(t *testing.T) {
	r := samples.Record{
		Kernel: samples.Identity{Source: "axpy", Variant: "knl", Sizes: map[string]int64{"n": 64}}, Tags: []string{"axpy", "dtype:float32"},
		Status: samples.OK, Summary: &samples.Summary{Median: 1, Lo: 0.96, Hi: 1.04},
	}
	for text, want := range map[string]bool{
		"": false, "all": true, "5%": true, "10%": false, "noisier than 5 %": true, "noisier than 8.5 %": false, "7.9%": true,
		"axpy": true, "knl": true, "dtype:float32": true, "dtype:float64": false, "n:64": true, "n:6": false, "n": false, "m:0": false,
	} {
		m, err := ParseRemeasure(text)
		if err != nil || m.Chooses(r) != want {
			t.Errorf("%q: %v, want %v (%v)", text, m.Chooses(r), want, err)
		}
	}
	for _, text := range []string{"%", "x%", "0%", "-1%", "NaN%", "Inf%"} {
		if m, err := ParseRemeasure(text); err == nil {
			t.Errorf("%q: %+v", text, m)
		}
	}
}

// TestMeasureOnce: what is measured again is so once in a campaign, however often it is asked for; and a kernel whose results cannot be
// verified as the device hangs costs its limit twice: it is tried once more.
func TestMeasureOnce(t *testing.T) {
	hangs := false
	dev := &formula{time: func(map[string]int64) (float64, samples.Status) {
		if hangs {
			return 0, samples.Timeout
		}
		return 1e-5, samples.OK
	}}
	journal, err := samples.Open(filepath.Join(t.TempDir(), "s.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	cases := casesOf(t, "empty_kernel", "num_groups:16,64")
	for _, c := range []struct {
		o     Options
		hangs bool
		runs  int // one to verify the kernel, two to time it
	}{{Options{}, false, 3}, {Options{}, false, 0}, {Options{Again: Remeasure{Tag: "num_groups:64"}}, false, 2}, {Options{Again: Remeasure{All: true}}, false, 3}, {Options{Again: Remeasure{All: true}}, true, 2}, {Options{Retry: true}, true, 2}} {
		dev.kernels, hangs = 0, c.hangs
		campaign := New(dev, journal, c.o)
		for range 3 {
			if _, err := campaign.Measure(context.Background(), samples.Warm, cases); err != nil {
				t.Fatal(err)
			}
		}
		if dev.kernels != c.runs {
			t.Errorf("%+v: %d runs, want %d", c.o, dev.kernels, c.runs)
		}
	}
}
