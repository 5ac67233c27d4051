package launch

import (
	"math"
	"testing"

	"gpuperf/kernel/linear"
)

// TestTrafficOfRemainders: a launch whose work-items read elements far apart, in more pieces than are looked into one by one, fetches 64 bytes for
// each, beside a list of places: when another wants the rest of a sector, it is gone.
func TestTrafficOfRemainders(t *testing.T) {
	const n = 1 << 24
	for _, v := range scriptVariants(t, "evaluation/unseen/kernels.star") {
		if v.Name != "gather" {
			continue
		}
		program, err := linear.New(v.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(program, Options{Device: h200, Values: true})
		if err != nil {
			t.Fatal(err)
		}
		traffic, err := p.Traffic(map[string]int64{"n": n})
		if want := float64(n * (64 + 4)); err != nil || math.Abs(traffic.DRAMReads/want-1) > 0.05 {
			t.Errorf("%g bytes, %v; want %g", traffic.DRAMReads, err, want)
		}
		return
	}
	t.Fatal("there is no gather")
}

// TestVectorsWithTraffic: what a vector has with traffic gives the totals that a walk through compiled code gives, and of two kernels their sums.
func TestVectorsWithTraffic(t *testing.T) {
	sizes := map[string]int64{"n": 256}
	opt := Options{Device: h200, Traffic: true}
	program, err := linear.New(scriptVariants(t, "matmul/matmul_prefetch.star")[0].Kernel)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(program, opt)
	if err != nil {
		t.Fatal(err)
	}
	once, err := Sequence([]*Program{p}, sizes)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := Sequence([]*Program{p, p}, sizes)
	if err != nil || len(twice.Values) != len(opt.Names()) {
		t.Fatalf("%d values, %d names, %v", len(twice.Values), len(opt.Names()), err)
	}
	names := TrafficNames()
	compiled, err := New(program, Options{Device: h200, Compiled: true, Values: true})
	if err != nil {
		t.Fatal(err)
	}
	want, err := compiled.Totals(sizes, names)
	if err != nil {
		t.Fatal(err)
	}
	totals, err := NewSelection(opt.Names(), names)
	if err != nil {
		t.Fatal(err)
	}
	got := totals.At(once.Values)
	for i, name := range names {
		if math.Abs(got[i]-want[i]) > 1e-9*want[i] {
			t.Errorf("%s is %v, want %v", name, got[i], want[i])
		}
		at := len(once.Values) - len(names) + i
		if twice.Values[at] != 2*once.Values[at] {
			t.Errorf("%s of two kernels is %v, of one %v", name, twice.Values[at], once.Values[at])
		}
	}
}
