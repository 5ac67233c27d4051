package explore

import (
	"math"
	"slices"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/launch"
	"gpuperf/lift/rank"
)

func TestRoofOfPoint(t *testing.T) {
	device, _ := facts.Named("NVIDIA H200")
	if device == nil {
		t.Fatal("the H200 is not known")
	}
	names := launch.Names(device)
	for _, c := range []struct {
		bytes, madds float64 // madds of each of 1024 work-items
		bound        string
		seconds      float64
	}{
		{48e6, 1, "memory", 1e-5}, // 4.8 TB/s
		{48, 1e6, "arithmetic", 1024e6 / (132 * 128 * 1980e6)},
	} {
		p := &Point{Vector: &rank.Vector{Values: make([]float64, len(names))}}
		for name, v := range map[string]float64{"global_size_0": 1024, "global_size_1": 1, "global_size_2": 1, "data_bytes": c.bytes, "madds": c.madds} {
			p.Vector.Values[slices.Index(names, name)] = v
		}
		if r := NewRoof(p, names, device); r.Bound != c.bound || math.Abs(r.Seconds-c.seconds) > 0.01*c.seconds {
			t.Errorf("%g B and %g multiply-adds: %+v, want %s and %g s", c.bytes, c.madds, r, c.bound, c.seconds)
		}
	}
	if r := NewRoof(&Point{}, names, nil); r != nil {
		t.Errorf("an unknown device has the roof %+v", r)
	}
}
