package campaign

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/samples"
	"gpuperf/workload"
)

// slowing is a device that gets slower with each run. A kernel takes as long as its work-groups are large.
type slowing struct {
	formula
	order []string // work-group sizes, of each run
}

func (d *slowing) Run(_ context.Context, job device.Job) (*device.Result, error) {
	size := job.Identity.Args["lsize_0"]
	d.order = append(d.order, size)
	t := 1e-3 * math.Pow(1.05, float64(len(d.order)))
	if size == "128" {
		t *= 2
	}
	return &device.Result{Trials: []float64{t}}, nil
}

func TestAgainst(t *testing.T) {
	journal, err := samples.Open(filepath.Join(t.TempDir(), "s.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	dev := &slowing{}
	pairs, err := Pairs(casesOf(t, "axpy", "dtype:float32", "lsize_0:64", "n:4096"), casesOf(t, "axpy", "dtype:float32", "lsize_0:128", "n:4096"))
	if err != nil {
		t.Fatal(err)
	}
	pairs[0].Case.Verify, pairs[0].Other.Verify = false, false // the device computes nothing
	compared, result, err := New(dev, journal, Options{Trials: 10}).Against(context.Background(), samples.Warm, pairs)
	if err != nil || len(compared) != 1 {
		t.Fatalf("%+v, %v", result, err)
	}
	got := compared[0]
	if math.Abs(got.Ratio.Ratio-2) > 0.01 || got.Lo < 1.8 || got.Hi > 2.2 || got.Pairs != 10 || !strings.HasSuffix(got.Verdict, " times as fast") {
		t.Errorf("%+v", got)
	}
	turns := strings.Join(dev.order[len(dev.order)-22:], " ")
	if want := "64 128" + strings.Repeat(" 64 128 128 64", 5); turns != want {
		t.Errorf("runs are of %s, want %s", turns, want)
	}
	for _, trials := range []int{5, 1001} {
		if _, _, err := New(dev, journal, Options{Trials: trials}).Against(context.Background(), samples.Warm, pairs); err == nil {
			t.Errorf("%d trials were taken", trials)
		}
	}
}

func TestPairs(t *testing.T) {
	at := func(name string, sizes ...map[string]int64) (cases []*workload.Case) {
		for _, s := range sizes {
			cases = append(cases, &workload.Case{Identity: samples.Identity{Source: name, Sizes: s}, Sizes: s})
		}
		return cases
	}
	n := func(v int64) map[string]int64 { return map[string]int64{"n": v} }
	a := at("a", n(1), n(2))
	for _, tt := range []struct {
		others []*workload.Case
		want   string // the sizes of the others, or the error
	}{
		{at("b", n(2), n(1)), "b n=1; b n=2"},
		{at("b", map[string]int64{"n": 1, "m": 5}, n(2)), "b m=5 n=1; b n=2"},
		{at("b", n(1)), "a n=2: nothing to compare it with"},
		{append(at("b", n(1)), at("c", n(1))...), "must name one kernel, and these are several: b n=1, c n=1"},
	} {
		pairs, err := Pairs(a, tt.others)
		var got []string
		for _, p := range pairs {
			got = append(got, p.Other.String())
		}
		text := strings.Join(got, "; ")
		if err != nil {
			text = err.Error()
		}
		if !strings.Contains(text, tt.want) {
			t.Errorf("%s, want %s", text, tt.want)
		}
	}
}
