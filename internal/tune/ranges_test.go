package tune

import (
	"slices"
	"testing"

	"gpuperf/device"
	"gpuperf/samples"
)

func TestParseRange(t *testing.T) {
	r, rest, err := ParseRange([]string{"n=1k..1M,m=3", "k=5"})
	if err != nil || r == nil || r.Name != "n" || r.From != 1000 || r.To != 1000000 || !slices.Equal(rest, []string{"m=3", "k=5"}) {
		t.Errorf("%+v %v %v", r, rest, err)
	}
	if r, rest, err := ParseRange([]string{"n=5"}); r != nil || err != nil || !slices.Equal(rest, []string{"n=5"}) {
		t.Errorf("%+v %v %v", r, rest, err)
	}
	for _, wrong := range []string{"n=5..5", "n=0..5", "n=..7", "n=1..x", "n=1..2,m=3..4"} {
		if r, _, err := ParseRange([]string{wrong}); err == nil {
			t.Errorf("%s is %+v", wrong, r)
		}
	}
}

// TestStretches: the stretches of a range follow each other, neighbours of different recipes, each with a point at a size in it.
func TestStretches(t *testing.T) {
	o := Options{Device: &device.Info{Fingerprint: samples.Fingerprint{Name: "NVIDIA H200", ComputeUnits: 132, SubgroupSize: 32}}}
	o.Lift.Variants, o.Lift.Ranges = 20, 1
	r, err := OpenRanges("../../examples/lift/dot.lift", &Sizes{Name: "n", From: 97, To: 400000}, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.of.Static.Device == nil {
		t.Fatal("the device is not known")
	}
	list, err := r.Choose()
	if err != nil {
		t.Fatal(err)
	}
	next := int64(97)
	for i, s := range list {
		if s.From != next || s.To < s.From || s.At < s.From || s.At > s.To || s.Best.Point == nil || i > 0 && list[i-1].Recipe == s.Recipe {
			t.Errorf("%d: %+v", i, s)
		}
		next = s.To + 1
	}
	if next != 400001 || len(list) < 2 {
		t.Errorf("%d stretches end at %d", len(list), next-1)
	}
}
