package machine_test

import (
	"math"
	"strings"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/device/machine"
)

func TestLeast(t *testing.T) {
	device := (*facts.Device)(nil).With(facts.Multiprocessors, 2, "test").With(facts.ClockMHz, 1000, "test").
		With(facts.Float32MaddsPerClock, 64, "test").With(facts.LocalBytesPerClock, 128, "test").
		With(facts.MemoryBandwidth, 1e9, "test").With(facts.LaunchSeconds, 5e-6, "test")
	for _, c := range []struct {
		name    string
		device  *facts.Device
		work    machine.Work
		seconds float64
		uses    string
	}{
		{"memory", device, machine.Work{GlobalBytes: 1e9, LocalBytes: 1e9, Operations: []machine.Operations{{"float32", 1e9}}}, 1, "global memory, float32 arithmetic, local memory"},
		{"local memory", device, machine.Work{GlobalBytes: 1, LocalBytes: 256e9, Launches: 2}, 1, "local memory, global memory"},
		{"arithmetic", device, machine.Work{GlobalBytes: 1, Operations: []machine.Operations{{"float64", 1e30}, {"float32", 256e9}}}, 2, "float32 arithmetic, global memory"},
		{"nothing", device, machine.Work{}, 0, ""},
		{"an unknown device", nil, machine.Work{GlobalBytes: 1, LocalBytes: 1, Operations: []machine.Operations{{"float32", 1}}, Launches: 1}, 0, ""},
	} {
		b := machine.Least(c.device, nil, c.work)
		var uses []string
		for _, u := range b.Uses {
			uses = append(uses, u.Resource)
			if math.Abs(u.Amount/u.Peak.Rate-u.Seconds) > 1e-12*u.Seconds {
				t.Errorf("%s: %+v", c.name, u)
			}
		}
		if math.Abs(b.Seconds-c.seconds) > 1e-9*c.seconds || strings.Join(uses, ", ") != c.uses {
			t.Errorf("%s: %+v, want %g s by %s", c.name, b, c.seconds, c.uses)
		}
	}
}

// Rates that were measured go before peaks, and launches take time only if they were measured; a share is that of the time with its launches.
func TestMeasured(t *testing.T) {
	device := (*facts.Device)(nil).With(facts.MemoryBandwidth, 1e9, "test").With(facts.LaunchSeconds, 1, "test")
	work := machine.Work{GlobalBytes: 1e9, Launches: 2}
	half := map[string]machine.Peak{machine.GlobalMemory: {Rate: 0.5e9}}
	for _, c := range []struct {
		measured map[string]machine.Peak
		seconds  float64
	}{{nil, 1}, {half, 2}, {map[string]machine.Peak{machine.Launching: {Rate: 0.5}}, 4}} {
		if b := machine.Least(device, c.measured, work); b.Seconds != c.seconds {
			t.Errorf("%+v: %+v, want %g s", c.measured, b, c.seconds)
		}
	}
	if s := machine.Share(device, machine.Work{GlobalBytes: 1e9}, work); s != 1.0/3 {
		t.Errorf("a share of %g, want a third", s)
	}
	if s := machine.Share(nil, machine.Work{GlobalBytes: 1}, machine.Work{GlobalBytes: 3, LocalBytes: 1}); s != 0.25 {
		t.Errorf("of a device that is not known a share of %g, want a quarter", s)
	}
}
