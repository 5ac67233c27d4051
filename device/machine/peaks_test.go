package machine_test

import (
	"math"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/samples"
)

// What follows from multiprocessors, lanes and clock is what the vendor states, but for its rounding.
func TestStated(t *testing.T) {
	_, names := facts.Named("")
	checked := 0
	for _, name := range names {
		d, _ := facts.Named(name)
		for dtype, key := range map[string]facts.Key{"float32": facts.Float32FLOPs, "float64": facts.Float64FLOPs} {
			stated, ok := d.Fact(key)
			if !ok {
				continue
			}
			checked++
			p, ok := machine.ArithmeticPeak(d, dtype, "madd", "FLOP/s")
			if off := p.Rate/stated.Value - 1; !ok || math.Abs(off) > 0.02 {
				t.Errorf("%s %s: %s = %.4g FLOP/s, stated are %.4g", name, dtype, p.Formula, p.Rate, stated.Value)
			}
		}
	}
	if checked < 10 {
		t.Errorf("%d peaks compared", checked)
	}
}

func TestPeaks(t *testing.T) {
	d, _ := facts.Named("NVIDIA H200")
	arithmetic := func(dtype, op, unit string) float64 {
		p, ok := machine.ArithmeticPeak(d, dtype, op, unit)
		if !ok {
			return 0
		}
		return p.Rate
	}
	local, _ := machine.LocalPeak(d)
	global, _ := machine.GlobalPeak(d)
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"madd", arithmetic("float32", "madd", "FLOP/s"), 66.908e12},
		{"madd as one operation", arithmetic("float32", "madd", "op/s"), 33.454e12},
		{"add", arithmetic("float32", "add", "FLOP/s"), 33.454e12},
		{"float64", arithmetic("float64", "madd", "FLOP/s"), 33.454e12},
		{"division", arithmetic("float32", "div", "op/s"), 0},
		{"float16", arithmetic("float16", "madd", "FLOP/s"), 0},
		{"bytes", arithmetic("float32", "madd", "B/s"), 0},
		{"local memory", local.Rate, 33.454e12},
		{"global memory", global.Rate, 4.8e12},
	} {
		if math.Abs(c.got-c.want) > 1e-4*c.want {
			t.Errorf("%s: %g, want %g", c.what, c.got, c.want)
		}
	}
	for _, other := range []samples.Fingerprint{
		{Name: "NVIDIA H200", ComputeUnits: 16}, // a part of one
		{Name: "NVIDIA H200 MIG 1g.18gb", ComputeUnits: 132},
		{Name: "cpu-x86", Type: "cpu"},
	} {
		if p, ok := machine.GlobalPeak(facts.Of(other)); ok {
			t.Errorf("%+v has the peak %+v", other, p)
		}
		if p, ok := machine.ArithmeticPeak(facts.Of(other), "float32", "madd", "op/s"); ok {
			t.Errorf("%+v has the peak %+v", other, p)
		}
	}
}
